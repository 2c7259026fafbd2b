"""A batch of turns in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.digest import digest
from mnemic.language.truncation import cut
from mnemic.types import Role, SafeCall, ToolCall, Turn, constant
from tests.conftest import NOON


def turn(content: str, role: Role = "user", *tools: str) -> Turn:
    return Turn(
        id=constant("t"),
        session=constant("s"),
        index=0,
        role=role,
        text=constant(content),
        at=NOON,
        tool_calls=tuple(SafeCall(ToolCall(name)) for name in tools),
    )


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([], ""),
        ([turn("")], ""),
        ([turn("Hello there. How are you?")], "Hello there."),
        ([turn("茶怎么泡？我想知道")], "茶怎么泡？"),
        ([turn("line one\nline two")], "line one"),
        ([turn("\n\n  spaced   out \t text")], "spaced out text"),
        ([turn("Python 3.12 is out")], "Python 3.12 is out"),
        ([turn("first"), turn("ok", "assistant"), turn("second")], "first · second"),
        ([turn("again"), turn("again")], "again"),
        ([turn("only me", "assistant")], "only me"),
        ([turn("do it"), turn("", "assistant", "ls", "cat", "ls")], "do it [ls, cat]"),
        ([turn("", "assistant", "ls")], "[ls]"),
    ],
)
def test_a_line(turns: list[Turn], expected: str) -> None:
    assert digest(turns, 200) == expected


def test_what_does_not_fit_is_left_out_whole_or_cut() -> None:
    assert digest([turn("x" * 30), turn("y" * 30)], 40) == "x" * 30
    assert digest([turn("x" * 300)], 10) == "x" * 9 + "…"
    assert digest([turn("x" * 300, "user", "ls")], 10) == "xxxx… [ls]"


CONTENTS = st.text("ab 茶。.!?\n", max_size=300)


@given(
    st.lists(st.tuples(CONTENTS, st.booleans(), st.lists(st.text("abc", min_size=1, max_size=30)))),
    st.integers(1, 250),
)
def test_a_line_is_short_and_one_line(
    drafts: list[tuple[str, bool, list[str]]], limit: int
) -> None:
    turns = [turn(text, "user" if user else "assistant", *tools) for text, user, tools in drafts]
    line = digest(turns, limit)
    assert len(line) <= limit
    assert line == line.strip()
    assert "\n" not in line
    spoken = any(text.strip() or tools for text, _, tools in drafts)
    assert bool(line) == spoken


@given(st.text(), st.integers(1, 50))
def test_shortening(text: str, limit: int) -> None:
    short = cut(text, limit)
    assert len(short) <= limit
    assert (short == text) == (len(text) <= limit) or short == text
    if len(text) > limit:
        assert short.endswith("…")
