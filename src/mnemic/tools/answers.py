"""Answers of tools: text for the model, fenced as data, and the same as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mnemic.context.render import NOTICE, bullet, items_block
from mnemic.language.fence import fence
from mnemic.language.lines import indented, label, one_line
from mnemic.language.truncation import ELLIPSIS, whole_character
from mnemic.prompts import Language
from mnemic.tools.words import Bilingual
from mnemic.types import Episode, Json

_NOT_FITTING = Bilingual("{count} more did not fit.", "还有 {count} 条放不下。")
_GO_ON = Bilingual(
    "There may be more: call again with offset {offset}.",
    "可能还有更多：请用 offset {offset} 再次调用。",
)
_NARROW = Bilingual("Ask more narrowly.", "请缩小范围再查。")


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """``text`` is for the model, ``data`` the same as JSON values; an error has no data."""

    text: str
    data: Mapping[str, Json] = field(default_factory=dict)
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """One piece of evidence: its line for the model, and its values."""

    line: str
    data: dict[str, Json]


@dataclass(frozen=True, slots=True)
class EvidencePage:
    """Entries from a place on. None is one that no model may see: it has a place, and no line.

    ``more``: others may follow. Without an ``offset`` the answer does not say how to go on.
    """

    lines: Sequence[EvidenceLine | None]
    offset: int | None = None
    more: bool = False


def evidence(
    page: EvidencePage,
    source: str,
    *,
    language: Language,
    max_chars: int,
    note: str = "",
    nothing: str = "",
) -> ToolAnswer:
    """Fenced lines of evidence, as many as fit in ``max_chars``, at least one, and the offset to go
    on with where there may be more; ``nothing`` is the text where there is no line.
    """
    places = _fitting(page.lines, max_chars)
    shown = [entry for entry in page.lines[:places] if entry is not None]
    left_out = sum(entry is not None for entry in page.lines[places:])
    rest = _NOT_FITTING.of(language, count=left_out) if left_out else ""
    following = None
    if page.offset is not None and (left_out or page.more):
        following = page.offset + places
        rest = f"{rest} {_GO_ON.of(language, offset=following)}".lstrip()
    elif left_out:
        rest = f"{rest} {_NARROW.of(language)}"
    texts: tuple[str, ...] = (nothing, note)
    if shown:
        texts = (items_block([entry.line for entry in shown], source, note, language),)
    return ToolAnswer(
        "\n".join(filter(None, (*texts, rest))),
        {"results": [one.data for one in shown], "left_out": left_out, "next_offset": following},
    )


def line(id_: str, facts: Iterable[str], text: str) -> str:
    """A bullet with id, facts and text."""
    return bullet(", ".join(filter(None, map(label, facts))), text, id_)


def as_data(text: str, source: str, language: Language, at: datetime | None = None) -> str:
    """Fenced text from memory, with the notice that it is evidence."""
    return f"{NOTICE[language]}\n{fence(text, source, at)}"


def story(episode: Episode, day: str) -> str:
    """An episode under a heading of one line."""
    head = f"## {day} {one_line(episode.goal or episode.session)}".rstrip()
    summary = f"  {indented(episode.summary, '  ')}"
    return f"{head}\n{summary}\n({episode.outcome}, {label(episode.session)}, {episode.id})"


def cut(text: str, limit: int) -> str:
    """At most about ``limit`` characters, none of them split."""
    if len(text) <= limit:
        return text
    return text[: whole_character(text, limit)].rstrip() + ELLIPSIS


def _fitting(lines: Sequence[EvidenceLine | None], max_chars: int) -> int:
    """How many entries fit, the first line always."""
    whole = max_chars
    for number, entry in enumerate(lines):
        if entry is None:
            continue
        is_first, max_chars = max_chars == whole, max_chars - len(entry.line) - 1
        if max_chars < 0 and not is_first:
            return number
    return len(lines)
