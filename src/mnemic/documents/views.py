"""The documents as views: their file, sections, selection and limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from mnemic.days import Zone
from mnemic.documents import selection as choosing
from mnemic.documents.headings import (
    DocumentSection,
    project_sections,
    sections_of,
    title_of,
    usual_section,
)
from mnemic.documents.layout import TITLE, DocumentLayout
from mnemic.documents.selection import Placement, user_section
from mnemic.language.markdown import MarkdownSection, visible
from mnemic.language.secrets.randomness import Bounds
from mnemic.late import dataclass
from mnemic.prompts import Language
from mnemic.settings import Settings
from mnemic.settings.environment import DocumentName
from mnemic.types import GLOBAL_PROJECT, Memory

_USER_INPUTS = 30  # memories considered for USER.md, as in document A §6.3
_SURE = 0.85  # the confidence of a trait that is promoted: that of what is written unasked


@dataclass(frozen=True, slots=True)
class View:
    """One document of a space."""

    name: DocumentName
    path: Path
    settings: Settings
    bounds: Bounds
    zone: Zone

    def bullet_text(self, memory: Memory) -> str:
        """The text of a memory's bullet; what is about progress has its day."""
        dated_in = self.zone if self.name == "project" else None
        return choosing.bullet_text(memory, self.bounds, dated_in)

    def spellings(self, memory: Memory) -> tuple[str, str]:
        """The texts of an unedited bullet, which may have been moved here from another document."""
        plain = choosing.bullet_text(memory, self.bounds)
        return plain, choosing.bullet_text(memory, self.bounds, self.zone)

    def sections(self, projects: Sequence[str]) -> tuple[DocumentSection, ...]:
        if self.name == "project":
            named = sorted(project for project in projects if project != GLOBAL_PROJECT)
            return project_sections(named)
        return sections_of(self.name)

    def choose(self, memories: Iterable[Memory], now: datetime, rolled: str) -> list[Placement]:
        """The memories it may show, the best first."""
        if self.name == "project":
            chosen = choosing.for_project(memories, rolled)
        elif self.name == "insights":
            chosen = choosing.for_insights(memories)
        else:
            chosen = choosing.by_value(memories, now, self.settings.ranking.recency_half_life)
        if self.name == "user":
            chosen = choosing.for_user(chosen, self.settings.documents.write)
        elif self.name == "persona":
            chosen = [m for m in chosen if m.kind == "trait" and m.confidence >= _SURE]
        return [self.place(memory) for memory in chosen]

    def place(self, memory: Memory) -> Placement:
        """The section of a memory, also of one that only a person pinned to it."""
        section = usual_section(self.name)
        if self.name == "user":
            section = user_section(memory) or section
        elif self.name == "project":
            section = choosing.project_section(memory)
        elif any(memory.kind == section_of_kind.key for section_of_kind in sections_of(self.name)):
            section = memory.kind
        return Placement(memory, section)

    def cap(self, chosen: Sequence[Placement]) -> list[Placement]:
        """At most as many as it shows, whatever their size."""
        documents = self.settings.documents
        if self.name == "memory":
            return choosing.at_most_of_each(chosen, documents.memory_per_kind)
        limits = {"user": _USER_INPUTS, "insights": documents.insights_items}
        return list(chosen[: limits.get(self.name)])

    def over(self, data: bytes) -> int:
        """By how much a file is beyond its limit."""
        documents = self.settings.documents
        if self.name == "memory":
            return max(0, len(visible(data.decode())) - documents.memory_chars)
        if self.name == "user":
            return max(0, len(data) - documents.user_bytes)
        if self.name == "project":
            return max(0, data.count(b"\n") - documents.project_lines)
        return 0


def views_of(folder: Path, settings: Settings, bounds: Bounds, zone: Zone) -> tuple[View, ...]:
    """The documents that the settings ask for."""
    return tuple(
        View(name, folder / getattr(settings.documents, f"{name}_file"), settings, bounds, zone)
        for name in settings.documents.write
    )


def layout_of(
    view: View, sections: Sequence[DocumentSection], language: Language
) -> DocumentLayout:
    """Headings in one language, recognized in both."""
    title = title_of(view.name)
    keys = {
        title.casefold(): section.key for section in sections for title in (section.en, section.zh)
    }
    headings = {TITLE: title.title(language)}
    headings.update((section.key, section.title(language)) for section in sections)
    return DocumentLayout(headings, keys, frozenset((title.en.casefold(), title.zh.casefold())))


def new_parts(layout: DocumentLayout) -> tuple[MarkdownSection, ...]:
    return (MarkdownSection(f"{TITLE} {layout.headings[TITLE]}", ()),)
