"""Turns as a model reads them: when, who, what, and the tools in short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from mnemic.days import Zone, local_time
from mnemic.language.fence import strip_fenced
from mnemic.language.lines import indent, label, one_line
from mnemic.language.secrets.finder import redact
from mnemic.language.tool_results import tool_summary
from mnemic.language.voice import split_voice
from mnemic.prompts import ByLanguage, Language
from mnemic.store import codec
from mnemic.types import ToolCall, Turn

TOOL_CHARS = 500  # of each tool result that a model sees
_WEEKDAYS = ByLanguage(
    en=("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    zh=("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
)
_TODAY = ByLanguage(en="Today is {}.", zh="今天是 {}。")


def in_local_time(turns: Sequence[Turn], zone: Zone) -> list[Turn]:
    """The turns by the clocks of whoever spoke, else of ``zone``: "tomorrow" is theirs."""
    return [replace(turn, at=local_time(turn.at, zone)) for turn in turns]


def number_turns(turns: Sequence[Turn], language: Language) -> str:
    """One block, each turn with its number from 1."""
    return "\n".join(f"[{n}] {turn_line(turn, language)}" for n, turn in enumerate(turns, 1))


def turn_line(turn: Turn, language: Language) -> str:
    """A turn in a few lines."""
    who = f"{turn.role} ({label(turn.sender)})" if turn.sender else turn.role
    source = "" if turn.trust in ("owner", "agent") else f" <{turn.trust}>"
    content = strip_fenced(turn.text)
    if turn.role == "user":
        content = _with_marks(content)
    text = tool_summary(content, TOOL_CHARS) if turn.role == "tool" else content
    head = f"{_day(turn.at, language)} {turn.at.isoformat(' ', 'minutes')[11:]} {who}{source}:"
    parts = [f"{head} {indent(text, '  ')}".rstrip()]
    parts += [f"  called {label(call.name)}: {_arguments(call)}" for call in turn.tool_calls]
    for result in turn.tool_results:
        text = tool_summary(result.content, TOOL_CHARS)
        parts.append(f"  {'failed' if result.is_error else 'answered'}: {indent(text, '    ')}")
    return redact("\n".join(parts))


def today(now: datetime, language: Language) -> str:
    """A sentence with the day on which the model reads it."""
    return _TODAY[language].format(_day(now, language))


def _day(moment: datetime, language: Language) -> str:
    return f"{moment:%Y-%m-%d} {_WEEKDAYS[language][moment.weekday()]}"


def _arguments(call: ToolCall) -> str:
    return one_line(tool_summary(codec.dump(dict(call.input)), TOOL_CHARS))


def _with_marks(content: str) -> str:
    """A user's message in which every line that is not their own voice begins with ">"."""
    parts = []
    for span in split_voice(content):
        text = content[span.start : span.end]
        if not span.own and text.strip():
            quoted = "\n> ".join(text.strip().splitlines())
            text = f"\n> {quoted}\n"
        parts.append(text)
    return "".join(parts)
