"""The story of a stretch of conversation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.fence import fence
from mnemic.language.story import (
    EpisodeDraft,
    Story,
    goal_of,
    is_request,
    story_of,
    summary_of,
    without,
)
from mnemic.types import ROLES, ToolCall, ToolResult, Turn
from tests.rules.test_actions import turn

pytestmark = pytest.mark.feature("M11", preset="openakita")

LOGIN = (
    turn(0, "user", "你好"),
    turn(1, "assistant", "你好！有什么可以帮你？"),
    turn(2, "user", "帮我修复 auth.py 里的登录问题。用户总是收到 401"),
    turn(
        3,
        "assistant",
        "我看一下。",
        calls=(ToolCall("read_file", {"path": "src/auth.py"}, "a"),),
        results=(ToolResult("def login(): ...", "a"),),
    ),
    turn(4, "assistant", "密码比较写错了，已改用 hmac.compare_digest。"),
    turn(5, "user", "谢谢，搞定了"),
)


def told(*turns: Turn, draft: EpisodeDraft | None = None) -> Story:
    return story_of(turns, draft=draft, tags=("myclaw", ""))


def test_without_a_model() -> None:
    story = told(*LOGIN)
    assert story.goal == "帮我修复 auth.py 里的登录问题。"
    assert story.outcome == "success"
    assert story.tools == ("read_file",)
    assert story.tags == ("myclaw",)
    assert story.importance == 0.5
    assert [node.tool for node in story.actions] == ["read_file"]
    assert {"auth.py", "src/auth.py"} <= set(story.entities)
    assert story.summary == (
        "帮我修复 auth.py 里的登录问题。 → 密码比较写错了，已改用 hmac.compare_digest。 [read_file]"
    )


def test_in_english() -> None:
    story = told(
        turn(0, "user", "Hi! Please deploy Lantern 2.1 to staging. It has the new parser."),
        turn(1, "assistant", "", calls=(ToolCall("deploy", {"to": "staging"}, "d"),)),
        turn(2, "tool", results=(ToolResult("Error: image not found", "d"),)),
        turn(3, "assistant", "The image is missing in the registry."),
        turn(4, "user", "still broken"),
    )
    assert story.goal == "Please deploy Lantern 2.1 to staging."
    assert story.outcome == "failed"
    assert "Lantern 2.1" in story.entities
    assert story.summary.endswith("→ The image is missing in the registry. [deploy]")


def test_a_models_words_go_first() -> None:
    draft = EpisodeDraft(
        summary="修好了登录",
        goal="登录",
        outcome="partial",
        entities=("登录",),
        tags=("auth",),
        importance=0.9,
    )
    story = told(*LOGIN, draft=draft)
    assert (story.summary, story.goal, story.outcome) == ("修好了登录", "登录", "partial")
    assert story.entities[0] == "登录"
    assert "src/auth.py" in story.entities
    assert (story.tags, story.importance) == (("myclaw", "auth"), 0.9)
    assert told(*LOGIN, draft=EpisodeDraft("only this")).outcome == "success"


def test_what_memory_injected_is_no_part_of_the_story() -> None:
    injected = fence("Bob lives in Lisbon", "memory")
    story = told(turn(0, "user", f"{injected}\nPlan the trip"), turn(1, "assistant", "Done."))
    assert story.goal == "Plan the trip"
    assert "Lisbon" not in story.summary + " ".join(story.entities)


@pytest.mark.parametrize(
    ("message", "real"),
    [
        ("你好", False),
        ("谢谢！", False),
        ("ok", False),
        ("hello", False),
        ("", False),
        ("部署到生产环境", True),
        ("怎么部署？", True),
        ("Deploy it", True),
    ],
)
def test_a_request_is_more_than_a_nod(message: str, real: bool) -> None:
    assert is_request(message) is real


def test_without_a_request_the_first_words_must_do() -> None:
    assert goal_of([turn(0, "user", "hello")]) == "hello"
    assert goal_of([turn(0, "assistant", "Welcome back")]) == ""
    assert told(turn(0, "assistant", "Welcome back, Bob Smith")).summary


TURNS = st.lists(
    st.builds(
        lambda role, content: turn(0, role, content),
        st.sampled_from(ROLES),
        st.text(max_size=80) | st.sampled_from(["你好。帮我看看日志", "Fix it. Now.", "谢谢"]),
    ),
    min_size=1,
    max_size=8,
)


@given(TURNS, st.lists(st.text(min_size=1, max_size=9), max_size=4), st.integers(1, 200))
def test_a_summary_keeps_to_its_length(turns: list[Turn], tools: list[str], limit: int) -> None:
    assert len(summary_of(turns, goal_of(turns), tools, limit)) <= limit
    story = told(*turns)
    assert len(story.summary) <= 200
    assert len(story.entities) <= 20


def test_a_story_is_told_without_what_is_over() -> None:
    summary = "I live in Brelm · Fix the login · We are on Go 7.1… → Noted. [grep]"
    assert without(summary, ["I live in\nBrelm. It rains.", "We are on Go 7.14"]) == (
        "Fix the login → Noted. [grep]"
    )
    assert without(summary, []) == summary
    assert without("I live in Brelm → Noted.", ["I live in Brelm"]) == ""
