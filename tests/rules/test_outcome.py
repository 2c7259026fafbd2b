"""How a stretch of conversation ended."""

from __future__ import annotations

import pytest

from mnemic.language.actions import action_nodes
from mnemic.language.outcome import outcome_of, verdict
from mnemic.types import Outcome, ToolCall, ToolResult, Turn
from tests.rules.test_actions import turn

pytestmark = pytest.mark.feature("M11")


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ("谢谢，搞定了", "success"),
        ("完美！", "success"),
        ("之前不行，现在好了", "success"),
        ("Great, that works now!", "success"),
        ("The tests pass now", "success"),
        ("Perfect, thank you so much for the help", "success"),
        ("still broken", "failed"),
        ("It doesn't work", "failed"),
        ("not fixed", "failed"),
        ("same error again", "failed"),
        ("还是不行", "failed"),
        ("没搞定", "failed"),
        ("算了，放弃了", "failed"),
        ("搞定了登录，但是注册还是报错", "partial"),
        ("The login works now but signup still fails", "partial"),
        ("partly works", "partial"),
        ("大部分搞定", "partial"),
        ("明天继续吧", "ongoing"),
        ("今天先到这", "ongoing"),
        ("let's continue tomorrow", "ongoing"),
        ("That's all for today", "ongoing"),
        ("帮我修一下登录", None),
        ("Fix the login please", None),
        ("Is the bug fixed?", None),
        ("成功了吗？", None),
        ("thanks! can you also write the docs?", None),
        ("谢谢，再帮我把日志也改成 JSON", None),
        ("", None),
    ],
)
def test_what_the_user_says_of_it(message: str, outcome: Outcome | None) -> None:
    assert verdict(message) == outcome


def judged(*turns: Turn, ended: bool = True) -> Outcome:
    return outcome_of(turns, action_nodes(turns, 100), ended=ended)


@pytest.mark.parametrize(
    ("closing", "outcome"),
    [
        ("需要你提供本周内容。", "ongoing"),
        ("请把报错信息发我，我再看。", "ongoing"),
        ("我可以写，麻烦先告诉我截止日期。", "ongoing"),
        ("Please send me this week's notes first.", "ongoing"),
        ("I need your account number to go on.", "ongoing"),
        ("Let me know which of the two you want.", "ongoing"),
        ("周报写好了，如有问题请随时告诉我。", "success"),
        ("写好了。有需要补充的请告诉我。", "success"),
        ("The report is ready. Let me know if you need anything else.", "success"),
        ("Done. Please tell me if any figure is wrong.", "success"),
        ("I sent the report to Anna.", "success"),
    ],
)
def test_what_still_needs_the_user_is_not_done(closing: str, outcome: Outcome) -> None:
    assert judged(turn(0, "user", "写周报"), turn(1, "assistant", closing)) == outcome


def call(number: int, result: str, *, wrong: bool = False) -> Turn:
    return turn(
        number,
        "assistant",
        calls=(ToolCall("run"),),
        results=(ToolResult(result, is_error=wrong),),
    )


def test_the_word_of_the_user_counts_first() -> None:
    asked = turn(0, "user", "fix the login")
    assert judged(asked, call(1, "boom", wrong=True), turn(2, "user", "it works now, thanks")) == (
        "success"
    )
    complaint = turn(2, "user", "still broken")
    assert judged(asked, call(1, "ok"), complaint) == "failed"
    assert judged(asked, call(1, "ok"), complaint, call(3, "ok")) == "partial"
    assert judged(asked, call(1, "ok"), complaint, call(3, "no", wrong=True)) == "failed"


def test_then_what_the_tools_answered() -> None:
    asked = turn(0, "user", "部署一下")
    assert judged(asked, call(1, "ok"), turn(2, "assistant", "部署完成。")) == "success"
    assert judged(asked, call(1, "boom", wrong=True), turn(2, "assistant", "出错了。")) == "failed"
    assert judged(asked, call(1, "ok"), call(2, "boom", wrong=True)) == "partial"


def test_then_how_the_agent_closed() -> None:
    asked = turn(0, "user", "what is the capital of France?")
    assert judged(asked, turn(1, "assistant", "Paris.")) == "success"
    assert judged(asked, turn(1, "assistant", "Which one do you mean?")) == "ongoing"
    assert judged(asked, turn(1, "assistant", "I couldn't find it.")) == "failed"
    assert judged(asked, turn(1, "assistant", "很遗憾，无法完成。")) == "failed"


def test_what_goes_on_is_not_over() -> None:
    asked = turn(0, "user", "what is the capital of France?")
    assert judged(asked) == "ongoing"
    assert judged(asked, turn(1, "assistant", "Paris."), ended=False) == "ongoing"
    assert judged() == "ongoing"
