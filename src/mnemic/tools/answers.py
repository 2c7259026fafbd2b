"""Answers of tools: text for the model, fenced as data, and the same as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mnemic.context.render import bullet, notice
from mnemic.language.fence import fence
from mnemic.language.lines import indent, label, one_line
from mnemic.language.truncation import ELLIPSIS, whole_character
from mnemic.prompts import Language
from mnemic.types import Episode, Json


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
    """Entries, None for one no model may see; with an ``offset`` the answer says how to go on."""

    lines: Sequence[EvidenceLine | None]
    offset: int | None = None
    more: bool = False


def line(id_: str, facts: Iterable[str], text: str) -> str:
    """A bullet with id, facts and text."""
    return bullet(", ".join(filter(None, map(label, facts))), text, id_)


def as_data(text: str, source: str, language: Language, at: datetime | None = None) -> str:
    """Fenced text from memory, with the notice that it is evidence."""
    return f"{notice(language)}\n{fence(text, source, at)}"


def story(episode: Episode, day: str) -> str:
    """An episode under a heading of one line."""
    head = f"## {day} {one_line(episode.goal or episode.session)}".rstrip()
    summary = f"  {indent(episode.summary, '  ')}"
    return f"{head}\n{summary}\n({episode.outcome}, {label(episode.session)}, {episode.id})"


def cut(text: str, limit: int) -> str:
    """At most about ``limit`` characters, none of them split."""
    if len(text) <= limit:
        return text
    return text[: whole_character(text, limit)].rstrip() + ELLIPSIS
