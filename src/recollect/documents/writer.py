"""A document is put together within its limit, and written unless a person was faster."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.documents import files, rollover
from recollect.documents.archive_summary import summary
from recollect.documents.files import DocumentFile, fingerprint
from recollect.documents.headings import EARLIER, Language
from recollect.documents.layout import DocumentLayout, LayoutEntry, compose
from recollect.documents.selection import Placement, is_progress, language_of
from recollect.documents.views import View, layout_of, new_parts
from recollect.language.markdown import GENERATED, Bullet, MarkdownSection
from recollect.settings.environment import DocumentName
from recollect.store.contract import Unit
from recollect.store.document_states import DocumentRow, Written
from recollect.types import GLOBAL_PROJECT, Memory, SafeName, constant

_PER_PROJECT = 10  # one line of the summary for this many lines of the document


class Changed(Exception):
    """A person saved the file while we were at it."""


@dataclass(frozen=True, slots=True)
class DocumentContents:
    """What a document is filled from.

    ``first`` are the ids a person wants in it, in order; ``hidden`` those they do not.
    """

    memories: Mapping[str, Memory]
    projects: Sequence[str]
    first: Sequence[str]
    hidden: Collection[str]


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


class Setter:
    """Sets one document from a shelf, around what a person wrote."""

    def __init__(
        self, view: View, shelf: DocumentContents, row: DocumentRow, now: datetime
    ) -> None:
        self._view = view
        self._shelf = shelf
        self._rolled = row.rolled_through
        self._now = now

    def page(self, loaded: DocumentFile, parts: tuple[MarkdownSection, ...]) -> Page:
        """The document with as much as fits."""
        chosen = self._chosen()
        language = self._language()
        layout = layout_of(self._view, self._view.sections(self._shelf.projects), language)
        sheet = _Sheet(self._view, loaded, parts or new_parts(layout), layout)
        earlier = self._earlier(language)
        over = self._view.over(sheet.data(earlier))
        whole = [*earlier, *self._entries(chosen)]
        if self._view.name == "project" and chosen and self._view.over(sheet.data(whole)):
            return self._roll(sheet, chosen, language)
        entries = earlier if over else [*earlier, *self._fitting(sheet, earlier, chosen)]
        return Page(sheet.data(entries), tuple(entries), over, self._rolled)

    def _chosen(self) -> list[Placement]:
        """In order: what a person wants here, then the best."""
        memories, hidden = self._shelf.memories, self._shelf.hidden
        wanted = [self._view.place(memories[id_]) for id_ in self._shelf.first]
        best = self._view.choose(memories.values(), self._now, self._rolled)
        once: dict[str, Placement] = {}
        for chosen in (*wanted, *best):
            if chosen.memory.id not in hidden:
                once.setdefault(chosen.memory.id, chosen)
        return self._view.capped(list(once.values()))

    def _fitting(
        self, sheet: _Sheet, before: list[LayoutEntry], chosen: Sequence[Placement]
    ) -> list[LayoutEntry]:
        entries = self._entries(chosen)
        if not self._view.over(sheet.data([*before, *entries])):
            return entries
        kept: list[LayoutEntry] = []
        for entry in entries:
            if not self._view.over(sheet.data([*before, *kept, entry])):
                kept.append(entry)
        return kept

    def _entries(self, chosen: Sequence[Placement]) -> list[LayoutEntry]:
        return [LayoutEntry(c.memory.id, self._view.shown(c.memory), c.section) for c in chosen]

    def _language(self) -> Language:
        """Of all that is known: what one document shows changes too often."""
        told = self._view.settings.memory.language
        known = self._shelf.memories.values()
        return language_of(memory.content for memory in known) if told == "auto" else told

    # --- rolling --------------------------------------------------------------------------------

    def _roll(self, sheet: _Sheet, chosen: Sequence[Placement], language: Language) -> Page:
        """Keep the latest, archive the rest, sum up all that was archived."""
        limit = self._view.settings.documents.project_lines
        entries = self._entries(chosen)
        planned = self._earlier(language, through=max(c.memory.id for c in chosen))

        def over(kept: int, lines: int) -> bool:
            return sheet.data([*planned, *entries[:kept]]).count(b"\n") > lines

        kept = rollover.split(len(chosen), over, limit)
        old = [c for c in chosen[kept:] if c.memory.id not in self._shelf.first]
        archive = ""
        if old:
            self._rolled = max(self._rolled, *(c.memory.id for c in old))
            path = rollover.archive(self._view, old, self._shelf.projects, language, self._now)
            archive = str(path)
        page = [*self._earlier(language), *entries[:kept]]
        data = sheet.data(page)
        return Page(data, tuple(page), self._view.over(data), self._rolled, archive)

    def _earlier(self, language: Language, through: str | None = None) -> list[LayoutEntry]:
        rolled = self._rolled if through is None else through
        if self._view.name != "project" or not rolled:
            return []
        old = [
            memory
            for memory in self._shelf.memories.values()
            if memory.id <= rolled
            and is_progress(memory, GLOBAL_PROJECT)
            and memory.id not in self._shelf.hidden
        ]
        text = summary(
            old,
            [path.name for path in rollover.archives(self._view)],
            shown=lambda memory: self._view.spellings(memory)[0],
            language=language,
            lines=self._view.settings.documents.project_lines // _PER_PROJECT,
            global_project=GLOBAL_PROJECT,
        )
        return [LayoutEntry(GENERATED, text, EARLIER)]


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What does not change while entries are tried."""

    view: View
    loaded: DocumentFile
    parts: tuple[MarkdownSection, ...]
    layout: DocumentLayout

    def data(self, entries: Sequence[LayoutEntry]) -> bytes:
        return self.loaded.encode(compose(self.parts, entries, self.layout))


def announce(unit: Unit, view: View, loaded: DocumentFile, page: Page, now: datetime) -> bool:
    """Note what is about to be written, so that a crash leaves no doubt; False: nothing is."""
    row = unit.document_states.get(view.name) or DocumentRow(constant(view.name))
    if page.data != loaded.data:
        unit.document_states.put(replace(row, writing=page.written), now)
        return True
    if row != page.row(view.name):
        settle(unit, view, page, now)
    return False


def check(view: View, loaded: DocumentFile) -> None:
    """Changed when the file is no longer what was read."""
    try:
        found = files.read_bytes(view.path, view.settings.documents.file_bytes)
    except files.UnreadableFile as error:
        raise Changed from error
    if found != loaded.data:
        raise Changed


def settle(unit: Unit, view: View, page: Page, now: datetime) -> None:
    """The file is the page."""
    unit.document_states.put(page.row(view.name), now)


def marks_of(parts: Sequence[MarkdownSection]) -> list[str]:
    """The ids of the bullets, in order."""
    return [item.mark for part in parts for item in part.items if isinstance(item, Bullet)]
