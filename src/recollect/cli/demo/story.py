"""The story of the demo: what is said, when, and what is asked afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from recollect.types import RECORD_TYPES, NewTurn, RecordType, ToolCall, ToolResult

MARK = "recollect-demo"
MARK_TOPIC = "written by `recollect demo`, made anew each time"

LASTS = 41  # days from the first conversation to the last night
SETUP, KYOTO, UPGRADE, NOTES = "demo-setup", "demo-kyoto", "demo-upgrade", "demo-notes"
SESSIONS = frozenset({MARK, SETUP, KYOTO, UPGRADE, NOTES})

DEVELOPER = "李雷"

SETUP_TURNS = (
    NewTurn(SETUP, "user", "这台新电脑上我用的是 Python 3.10，依赖都用 pip 装。", DEVELOPER),
    NewTurn(SETUP, "assistant", "好的，Python 3.10 加 pip，我按这个来写脚本。"),
    NewTurn(SETUP, "user", "对了，我妹妹小美对花生过敏，订餐的时候提醒我。", DEVELOPER),
    NewTurn(SETUP, "assistant", "记下了：小美对花生过敏。"),
)
OLD_FACT = "开发环境是 Python 3.10，依赖用 pip 安装"
NEW_FACT = "开发环境是 Python 3.12，依赖用 uv 管理"

BUDGET_PDF = "reports/kyoto-budget.pdf"
KYOTO_TURNS = (
    NewTurn(
        KYOTO,
        "user",
        "We are going to Kyoto from April 3, for 2,400 euros.",
        DEVELOPER,
    ),
    NewTurn(
        KYOTO,
        "assistant",
        "I will look for a ryokan near Gion.",
        tool_calls=(
            ToolCall("search_hotels", {"city": "Kyoto", "area": "Gion", "nights": 6}, "call-1"),
        ),
    ),
    NewTurn(
        KYOTO,
        "tool",
        "",
        tool_results=(ToolResult("Ryokan Shiraume, 148 euros a night with breakfast", "call-1"),),
    ),
    NewTurn(
        KYOTO,
        "assistant",
        "Shiraume fits. The budget report is ready.",
        tool_calls=(ToolCall("write_pdf", {"path": BUDGET_PDF, "pages": 2}, "call-2"),),
    ),
    NewTurn(KYOTO, "user", "Great. Window seats on the train, never the aisle.", DEVELOPER),
)

UPGRADE_TURNS = (
    NewTurn(UPGRADE, "user", "我升级到 Python 3.12 了，以后都用 uv。", DEVELOPER),
    NewTurn(UPGRADE, "assistant", "好的，记住了：Python 3.12，依赖改用 uv。"),
)

ACKNOWLEDGED = 40  # how many notes the writer gets out before it is killed


def note_turn(number: int) -> NewTurn:
    return NewTurn(NOTES, "user", f"Release note {number}: 第 {number} 项检查通过。", index=number)


@dataclass(frozen=True, slots=True)
class Question:
    """Something to recall, and what has to be in the evidence."""

    text: str
    expects: str
    of: tuple[RecordType, ...] = RECORD_TYPES
    ago: timedelta | None = None


QUESTIONS = (
    Question("我现在用哪个 Python 版本？", "3.12", of=("memory",)),
    Question("谁对花生过敏？", "小美"),
    Question("When are we going to Kyoto?", "April 3"),
    Question("where is the kyoto budget pdf", BUDGET_PDF, of=("attachment",)),
    Question("Python 版本", "3.10", of=("memory",), ago=timedelta(days=30)),
)
