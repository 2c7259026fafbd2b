"""How pieces of memory and turns are written into a prompt."""

from __future__ import annotations

import json
from collections.abc import Sequence

from recollect.context import words
from recollect.context.parts import Item
from recollect.language.fence import fence, neutral
from recollect.language.lines import indented, label
from recollect.language.one_line import one_line
from recollect.prompts import Language
from recollect.types import Message, Turn


def item_head(item: Item) -> str:
    """The line beside a piece of memory: when, what kind, who said it, where."""
    day = item.at.date().isoformat() if item.at else ""
    told = (day, label(item.kind), item.trust, label(item.source))
    return ", ".join(filter(None, told))


def item_line(item: Item, text: str) -> str:
    """A bullet whose further lines are indented, so that the next bullet is clearly another."""
    return f"- ({item_head(item)}) {indented(text, '  ')}"


def items_block(lines: Sequence[str], source: str, heading: str, language: Language) -> str:
    """Lines of memory under their heading, fenced as data."""
    return f"{heading}\n{words.NOTICE[language]}\n{fence(chr(10).join(lines), source)}"


def pieces_of(turn: Turn) -> tuple[str, ...]:
    """What can be shortened in a turn: its words, what each tool was told, what each said."""
    told = (json.dumps(dict(c.input), ensure_ascii=False, sort_keys=True) for c in turn.tool_calls)
    return (turn.content, *told, *(result.content for result in turn.tool_results))


def turn_lines(turn: Turn, pieces: Sequence[str], language: Language) -> str:
    """A turn inside a fenced conversation, with ``pieces`` as they were shortened."""
    content, told, said = _sorted_out(turn, pieces)
    who = f"{turn.role} {label(turn.sender)}".rstrip()
    minute = turn.at.isoformat(" ", "minutes")[:16]
    lines = [f"[{minute}] {who}: {indented(content, '  ')}".rstrip()]
    for call, text in zip(turn.tool_calls, told, strict=True):
        lines.append(f"  {_called(call.name, text, language)}")
    for result, text in zip(turn.tool_results, said, strict=True):
        how = words.FAILED[language] if result.is_error else words.RESULT[language]
        lines.append(f"  ({how}: {indented(text, '    ')})")
    return "\n".join(lines)


def turn_message(turn: Turn, pieces: Sequence[str], language: Language) -> Message | None:
    """A turn as a chat message; None when it has nothing to say.

    What tools and strangers said is fenced, and given by the user's side: a model takes neither as
    its own words. Calls are fenced too: their names and arguments come from wherever the model
    found them. Only the words of the user and of the agent stand as they were said.
    """
    content, told, said = _sorted_out(turn, pieces)
    by_tool = turn.role == "tool"
    foreign = by_tool or turn.trust in ("tool", "external")
    lines = [fence(content, turn.trust) if foreign else neutral(content)] if content else []
    calls = zip(turn.tool_calls, told, strict=True)
    called = "\n".join(_called(call.name, text, language) for call, text in calls)
    if called:
        lines.append(fence(called, "tool call"))
    for result, text in zip(turn.tool_results, said, strict=True):
        lines.append(fence(text, "tool error" if result.is_error else "tool"))
    return Message("user" if by_tool else turn.role, "\n".join(lines)) if lines else None


def _sorted_out(turn: Turn, pieces: Sequence[str]) -> tuple[str, Sequence[str], Sequence[str]]:
    calls = len(turn.tool_calls)
    return pieces[0], pieces[1 : 1 + calls], pieces[1 + calls :]


def _called(name: str, told: str, language: Language) -> str:
    """One call on one line."""
    return f"({words.CALLED[language]} {label(name)} {one_line(told)})"
