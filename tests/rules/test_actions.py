"""Action nodes from tool calls."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.actions import (
    NO_RESULT,
    action_nodes,
    failure,
    key_params,
)
from mnemic.types import (
    ActionNode,
    Role,
    SafeCall,
    SafeResult,
    ToolCall,
    ToolResult,
    Turn,
    constant,
)
from tests.conftest import NOON

pytestmark = pytest.mark.feature("M12", preset="openakita")


def turn(
    number: int,
    role: Role,
    content: str = "",
    *,
    calls: tuple[ToolCall, ...] = (),
    results: tuple[ToolResult, ...] = (),
) -> Turn:
    return Turn(
        id=constant(f"t{number}"),
        session=constant("s"),
        index=number,
        role=role,
        text=constant(content),
        at=NOON + timedelta(minutes=number),
        tool_calls=tuple(map(SafeCall, calls)),
        tool_results=tuple(map(SafeResult, results)),
    )


def nodes(*turns: Turn, chars: int = 100) -> tuple[ActionNode, ...]:
    return action_nodes(turns, chars)


def test_a_chain_of_calls_is_told_whole() -> None:
    found = nodes(
        turn(0, "user", "修一下登录"),
        turn(
            1, "assistant", "我先看代码。", calls=(ToolCall("read_file", {"path": "auth.py"}, "a"),)
        ),
        turn(2, "tool", results=(ToolResult("def login(): ...", "a"),)),
        turn(
            3,
            "assistant",
            "密码比较写错了，改成 hmac。然后跑测试。",
            calls=(ToolCall("run", {"command": "pytest", "timeout": 30}, "b"),),
        ),
        turn(4, "tool", results=(ToolResult("1 failed\nAssertionError: 401 != 200", "b", True),)),
        turn(5, "assistant", "还差一处。"),
    )
    assert found == (
        ActionNode(
            tool="read_file",
            params={"path": "auth.py"},
            result="def login(): ...",
            success=True,
            error="",
            decision="密码比较写错了，改成 hmac。",
            at=NOON + timedelta(minutes=1),
        ),
        ActionNode(
            tool="run",
            params={"command": "pytest", "timeout": 30},
            result="1 failed AssertionError: 401 != 200",
            success=False,
            error="1 failed",
            decision="还差一处。",
            at=NOON + timedelta(minutes=3),
        ),
    )


def test_call_and_result_in_one_turn() -> None:
    (node,) = nodes(
        turn(
            0,
            "assistant",
            "Saved it. Anything else?",
            calls=(ToolCall("write_file", {"path": "a.md"}),),
            results=(ToolResult("ok"),),
        )
    )
    assert (node.result, node.success, node.decision) == ("ok", True, "Saved it.")


def test_results_are_matched_by_id_and_else_in_order() -> None:
    calls = (ToolCall("one", id="1"), ToolCall("two", id="2"))
    results = (ToolResult("second", "2"), ToolResult("first", "1"))
    found = nodes(turn(0, "assistant", calls=calls), turn(1, "tool", results=results))
    assert [node.result for node in found] == ["first", "second"]
    plain = nodes(
        turn(0, "assistant", calls=(ToolCall("one"), ToolCall("two"))),
        turn(1, "tool", results=(ToolResult("first"), ToolResult("second"))),
    )
    assert [node.result for node in plain] == ["first", "second"]


def test_a_result_that_never_came() -> None:
    calls = (ToolCall("one", id="1"), ToolCall("two", id="2"))
    results = (ToolResult("fine", "1"),)
    one, two = nodes(turn(0, "assistant", calls=calls), turn(1, "tool", results=results))
    assert (one.success, two.success, two.error) == (True, False, NO_RESULT)
    (silent,) = nodes(turn(0, "assistant", calls=(ToolCall("one"),)))
    assert (silent.success, silent.result) == (True, ""), "this host records no results"


def test_long_parameters_and_results_are_short() -> None:
    body = {"prompt": "x" * 5_000, "path": "a.md", "rows": list(range(999)), "on": True}
    (node,) = nodes(
        turn(0, "assistant", calls=(ToolCall("write", body),), results=(ToolResult("y" * 9_000),))
    )
    assert next(iter(node.params)) == "path"
    assert node.params["rows"] == "999 items"
    assert len(node.params["prompt"]) == 100
    assert node.params["on"] is True
    assert len(node.result) <= 100


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("ok", ""),
        ("0 errors, 3 warnings", ""),
        ("The article is about error handling.", ""),
        ("Error: no such table", "Error: no such table"),
        ("错误：没有权限", "错误：没有权限"),
        ("Traceback (most recent call last):\n...\nKeyError: 'x'", "KeyError: 'x'"),
        ("building\nmake: *** [all] exit code 2", "building"),
        ("sh: frob: command not found", "sh: frob: command not found"),
        ('{"error": "quota"}', "quota"),
        ('{"error": null, "data": ["error"]}', ""),
        ('{"success": false, "message": "用户不存在"}', "用户不存在"),
        ('{"exit_code": 1, "stdout": ""}', "exit_code 1"),
        ('{"exit_code": 0, "stdout": "Error in the text"}', ""),
        ("[1, 2]", ""),
    ],
)
def test_what_went_wrong(content: str, wrong: str) -> None:
    assert failure(ToolResult(content)) == wrong


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=200),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=300), VALUES, max_size=12), st.integers(2, 120))
def test_parameters_are_few_and_short(given_: dict[str, Any], limit: int) -> None:
    kept = key_params(given_, limit)
    assert len(kept) <= 6
    assert all(len(key) <= limit for key in kept)
    assert all(len(value) <= max(limit, 12) for value in kept.values() if isinstance(value, str))
