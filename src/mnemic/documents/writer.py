"""Building a document within its limit, and writing it unless a person saved it meanwhile."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from glob import escape
from operator import attrgetter
from pathlib import Path

from mnemic.days import Zone, day_of
from mnemic.documents import files
from mnemic.documents.files import DocumentFile, fingerprint
from mnemic.documents.headings import EARLIER, sections_of
from mnemic.documents.layout import LayoutEntry, compose
from mnemic.documents.selection import Placement, is_progress
from mnemic.documents.views import View, layout_of, new_parts
from mnemic.language.detection import language_of_most
from mnemic.language.markdown import GENERATED, Bullet, MarkdownSection, harmless
from mnemic.language.truncation import cut
from mnemic.late import dataclass
from mnemic.prompts import Language, words
from mnemic.settings.environment import DocumentName
from mnemic.store import new_file
from mnemic.store.rows import DocumentRow, Written
from mnemic.types import GLOBAL_PROJECT, Memory, SafeName, constant

_PER_PROJECT = 10  # one line of the summary for this many lines of the document
_BEST = 3
_CHARACTERS = 60
_ARCHIVES = 3

Render = Callable[[Sequence[LayoutEntry]], bytes]  # a document with these bullets in it


@dataclass(frozen=True, slots=True)
class DocumentContents:
    """The memories for a document; a person wants the ids ``first`` in it, not ``hidden``."""

    memories: Mapping[str, Memory]
    projects: Sequence[str]
    first: Sequence[str] = ()
    hidden: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A document ready to be written."""

    data: bytes
    entries: tuple[LayoutEntry, ...]
    over: int
    rolled_through: SafeName
    archive: str = ""

    @property
    def written(self) -> Written:
        bullets = {entry.mark: fingerprint(entry.text) for entry in self.entries}
        return Written(fingerprint(self.data), bullets)

    def row(self, name: DocumentName) -> DocumentRow:
        """The document once this is its file."""
        return DocumentRow(constant(name), self.written, None, self.rolled_through)


@dataclass(slots=True)
class PageBuilder:
    """Builds one document around the text of a person; ``rolled`` is the last memory archived."""

    view: View
    contents: DocumentContents
    rolled: SafeName
    now: datetime

    def page(self, loaded: DocumentFile, parts: tuple[MarkdownSection, ...]) -> Page:
        """The document with as much as fits."""
        chosen = self._choose()
        # The language of most memories: what one document shows changes too often.
        texts = [memory.text for memory in self.contents.memories.values()]
        language = language_of_most(texts, self.view.settings.memory.language)
        layout = layout_of(self.view, self.view.sections(self.contents.projects), language)
        around = parts or new_parts(layout)

        def render(entries: Sequence[LayoutEntry]) -> bytes:
            return loaded.encode(compose(around, entries, layout))

        earlier, entries = self._earlier(language), self._entries(chosen)
        over = self.view.over(render(earlier))
        is_too_long = self.view.over(render([*earlier, *entries]))
        if self.view.name == "project" and chosen and is_too_long:
            return self._roll(render, chosen, language)
        page = earlier if over or is_too_long else [*earlier, *entries]
        for entry in entries if is_too_long and not over else ():
            if not self.view.over(render([*page, entry])):
                page = [*page, entry]
        return Page(render(page), tuple(page), over, self.rolled)

    def _choose(self) -> list[Placement]:
        """The pinned memories, then the best."""
        memories, hidden = self.contents.memories, self.contents.hidden
        pinned = [self.view.place(memories[id_]) for id_ in self.contents.first]
        best = self.view.choose(memories.values(), self.now, self.rolled)
        once: dict[str, Placement] = {}
        for chosen in (*pinned, *best):
            if chosen.memory.id not in hidden:
                once.setdefault(chosen.memory.id, chosen)
        return self.view.cap(list(once.values()))

    def _entries(self, chosen: Sequence[Placement]) -> list[LayoutEntry]:
        return [
            LayoutEntry(c.memory.id, self.view.bullet_text(c.memory), c.section) for c in chosen
        ]

    # --- rolling --------------------------------------------------------------------------------

    def _roll(self, render: Render, chosen: Sequence[Placement], language: Language) -> Page:
        """Keep the latest, archive the rest, summarize all that was archived."""
        limit = self.view.settings.documents.project_lines
        entries = self._entries(chosen)
        planned = self._earlier(language, through=max(c.memory.id for c in chosen))

        def over(count: int, lines: int) -> bool:
            return render([*planned, *entries[:count]]).count(b"\n") > lines

        count = _split(len(chosen), over, limit)
        old = [c for c in chosen[count:] if c.memory.id not in self.contents.first]
        archive = ""
        if old:
            self.rolled = max(self.rolled, *(c.memory.id for c in old))
            path = _archive(self.view, old, self.contents.projects, language, self.now)
            archive = str(path)
        page = [*self._earlier(language), *entries[:count]]
        data = render(page)
        return Page(data, tuple(page), self.view.over(data), self.rolled, archive)

    def _earlier(self, language: Language, through: str | None = None) -> list[LayoutEntry]:
        rolled = self.rolled if through is None else through
        if self.view.name != "project" or not rolled:
            return []
        old = [
            memory
            for memory in self.contents.memories.values()
            if memory.id <= rolled and is_progress(memory) and memory.id not in self.contents.hidden
        ]
        text = _sum_up(
            old,
            [path.name for path in _list_archives(self.view)],
            text_of=lambda memory: self.view.spellings(memory)[0],
            language=language,
            lines=self.view.settings.documents.project_lines // _PER_PROJECT,
            zone=self.view.zone,
        )
        return [LayoutEntry(GENERATED, text, EARLIER)]


def marks_of(parts: Sequence[MarkdownSection]) -> list[str]:
    """The ids of the bullets, in order."""
    return [item.mark for section in parts for item in section.items if isinstance(item, Bullet)]


# --- rolling Project.md: its old part moves to a dated file, and a summary stays ------------------


def _split(count: int, over: Callable[[int, int], bool], limit: int) -> int:
    """How many of the latest entries stay: as many as fill half of the limit.

    ``over(kept, lines)`` tells whether that many make more lines. Where a person's own text takes
    more than half, the limit itself is what they have to fit.
    """
    most = limit // 2 if not over(0, limit // 2) else limit
    first_over = bisect_left(range(count + 1), True, key=lambda kept: over(kept, most))
    return max(0, first_over - 1)


def _archive(
    view: View,
    rolled: Sequence[Placement],
    projects: Sequence[str],
    language: Language,
    now: datetime,
) -> Path:
    """Write the old part beside the document; an archive that is there already stays as it is."""
    layout = layout_of(view, view.sections(projects), language)
    entries = [LayoutEntry(c.memory.id, view.bullet_text(c.memory), c.section) for c in rolled]
    data = compose(new_parts(layout), entries, layout).encode()
    day = day_of(now, view.zone)
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        path = view.path.with_name(f"{view.path.stem}-{day}{suffix}{view.path.suffix}")
        try:
            existing = files.read_bytes(path, len(data))
        except files.UnreadableFile:
            existing = b""
        if existing is None:
            new_file.write(path, data)
        if existing is None or existing == data:
            return path
        number += 1


def _list_archives(view: View) -> list[Path]:
    """The dated files, oldest first."""
    stem, dated = view.path.stem, len(view.path.stem) + len("-2026-01-31")

    def order(path: Path) -> tuple[str, int]:
        number = path.stem[dated:].lstrip("-")
        return path.stem[:dated], int(number) if number.isdigit() else 1

    pattern = f"{escape(stem)}-????-??-??*{escape(view.path.suffix)}"
    return sorted(view.path.parent.glob(pattern), key=order)


def _sum_up(
    memories: Sequence[Memory],
    archives: Sequence[str],
    *,
    text_of: Callable[[Memory], str],
    language: Language,
    lines: int,
    zone: Zone,
) -> str:
    """Count, time span and files of the archives; then the best memories of each project."""
    texts, general = words("rollover", language), sections_of("project")[0]
    days = sorted(day_of(memory.valid_from, zone) for memory in memories)
    span = texts["span"].format(len(days), days[0], days[-1]) if days else texts["none"]
    by_project: dict[str, list[Memory]] = {}
    for memory in sorted(memories, key=attrgetter("id"), reverse=True):
        by_project.setdefault(memory.project, []).append(memory)
    project_lines = []
    for name, project_memories in list(by_project.items())[:lines]:
        title = general.title(language) if name == GLOBAL_PROJECT else harmless(name)
        best = sorted(project_memories, key=lambda memory: -memory.importance)[:_BEST]
        cuts = (cut(text_of(memory).replace("\n", " "), _CHARACTERS) for memory in best)
        project_lines.append(f"{title}: {'; '.join(cuts)}")
    more = len(by_project) - len(project_lines)
    if more > 0:
        project_lines.append(texts["more"].format(more))
    heading = f"{span}: {', '.join(archives[-_ARCHIVES:])}" if archives else span
    return "\n".join([heading, *project_lines])
