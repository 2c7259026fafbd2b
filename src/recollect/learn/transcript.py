"""Turns as text for a model: numbered, with their tools, without secrets and echoes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from recollect.ids import is_id, order_of
from recollect.language.echo import without_echo
from recollect.language.fence import strip_fenced
from recollect.language.lines import indented, label
from recollect.language.one_line import one_line
from recollect.language.secrets.finder import redact
from recollect.language.tool_results import tool_summary
from recollect.language.voice import split_voice
from recollect.store import codec
from recollect.types import ToolCall, Turn


class _ShownBefore(Collection[int]):
    """The marks of what was shown before a turn was recorded: no turn is an echo of a later prompt,
    nor of itself.
    """

    def __init__(self, marks: Mapping[int, int], turn: Turn) -> None:
        self._marks = marks
        self._order = order_of(turn.id) if is_id(turn.id) else None

    def __contains__(self, mark: object) -> bool:
        shown = self._marks.get(mark)  # type: ignore[call-overload]
        return shown is not None and (self._order is None or shown <= self._order)

    def __iter__(self) -> Iterator[int]:
        return (mark for mark in self._marks if mark in self)

    def __len__(self) -> int:
        return len(self._marks)


def heard(turns: Sequence[Turn], marks: Mapping[int, int] | None) -> list[Turn]:
    """The turns without what memory itself said; None: echoes count like anything else.

    ``marks`` are those that prompts left, each with the order of ids at that time.
    """
    if marks is None:
        return list(turns)
    return [
        replace(turn, content=without_echo(turn.content, turn.role, _ShownBefore(marks, turn)))
        for turn in turns
    ]


def shown(turns: Sequence[Turn], tool_chars: int) -> str:
    """One block, each turn with its number from 1."""
    return "\n".join(f"[{n}] {line(turn, tool_chars)}" for n, turn in enumerate(turns, 1))


def line(turn: Turn, tool_chars: int) -> str:
    """A turn in a few lines: who, what, and the tools in short."""
    who = f"{turn.role} ({label(turn.sender)})" if turn.sender else turn.role
    source = "" if turn.trust in ("owner", "agent") else f" <{turn.trust}>"
    content = strip_fenced(turn.content)
    if turn.role == "user":
        content = _with_marks(content)
    text = tool_summary(content, tool_chars) if turn.role == "tool" else content
    parts = [f"{who}{source}: {indented(text, '  ')}".rstrip()]
    parts += [
        f"  called {label(call.name)}: {_arguments(call, tool_chars)}" for call in turn.tool_calls
    ]
    for result in turn.tool_results:
        text = tool_summary(result.content, tool_chars)
        parts.append(f"  {'failed' if result.is_error else 'answered'}: {indented(text, '    ')}")
    return redact("\n".join(parts))


def _arguments(call: ToolCall, most: int) -> str:
    return one_line(tool_summary(codec.dump(dict(call.input)), most))


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
