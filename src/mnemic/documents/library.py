"""The documents of a space: their synchronization and questions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from pathlib import Path

from mnemic.documents import files
from mnemic.documents.edit_importer import EditImporter
from mnemic.documents.files import UnreadableFile, fingerprint, load
from mnemic.documents.folders import Folders
from mnemic.documents.report import Question, SyncReport
from mnemic.documents.sync import DocumentSync
from mnemic.documents.views import View, views_of
from mnemic.errors import Conflict, NotFound
from mnemic.language.markdown import harmless
from mnemic.language.secrets.envelope import mask
from mnemic.language.secrets.finder import redact
from mnemic.language.secrets.randomness import USUAL, Bounds
from mnemic.learn.memory_writer import MemoryWriter
from mnemic.learn.reconciler import Reconciler
from mnemic.prompts import words
from mnemic.settings.environment import DOCUMENT_BYTES
from mnemic.space import Space
from mnemic.store.new_file import write
from mnemic.store.paths import refuse_links
from mnemic.store.rows import DocumentRow, Written
from mnemic.types import DailyReport, DocumentText, constant, key_of


@dataclass(slots=True)
class Documents:
    """Keeps the documents of one space in step with its memory, in both directions."""

    space: Space
    folders: Folders
    keeper: MemoryWriter
    reconciler: Reconciler
    _seen: tuple[int, int] | None = None

    def sync(self, now: datetime | None = None) -> SyncReport:
        """Import the edits of people, then write what changed in memory."""
        views = self._views()
        for view in views:
            refuse_links(view.path.parent, self.folders.documents_base)
        importer = EditImporter(self.space, self.keeper, self.reconciler)
        return DocumentSync(views, importer).run(self.space.now() if now is None else now)

    def follow_edits(self) -> None:
        """Import a person's edits of the memory document, where it is the core of every prompt."""
        path = self.folders.documents / self.space.settings.documents.memory_file
        if self.space.settings.upkeep.core_choice != "document" or not path.is_file():
            return
        seen, self._seen = self._seen, files.stamp_of(path)
        if self._seen == seen:
            return
        with self.space.read() as unit:
            row = unit.document_states.get("memory")
        written = None if row is None else row.written
        if written is not None and _text_of(path).digest != written.file:
            self.sync()

    def texts(self) -> list[DocumentText]:
        """Each document as it is on disk, read now."""
        return [_text_of(view.path) for view in self._views() if view.path.exists()]

    def write(self, name: str, markdown: str, digest: str | None = None) -> SyncReport:
        """Put a person's text in the place of a document's, and import the edits."""
        text = self.space.guard.text(markdown, "markdown", DOCUMENT_BYTES // 4)
        view = next((view for view in self._views() if view.path.name == name), None)
        if view is None:
            names = ", ".join(view.path.name for view in self._views())
            raise NotFound("There is no such document", remedy=f"Use one of {names}")
        refuse_links(view.path.parent, self.folders.documents_base)
        now = _text_of(view.path)
        if digest is not None and digest != now.digest:
            raise Conflict(f"{name} was changed meanwhile", remedy="Read it again, then edit it")
        write(view.path, text.encode())
        return self.sync()

    def write_report(self, report: DailyReport) -> Path:
        """The file of that day; one that a person changed stays, and a further one is written."""
        folder, space = self.folders.reports, self.space
        refuse_links(folder, self.folders.reports_base)
        data, now = _render(report, self._bounds).encode(), space.now()
        for number in count(1):
            suffix = "" if number == 1 else f"-{number}"
            path = folder / f"{report.day:%Y-%m-%d}{suffix}.md"
            name, new = key_of("report", constant(path.name)), Written(fingerprint(data), {})
            with space.write() as unit:
                row = unit.document_states.get(name) or DocumentRow(name)
                if not _is_ours(path, (row.written, row.writing, new)):
                    continue
                unit.document_states.put(replace(row, writing=new), now)
            write(path, data)
            with space.write() as unit:
                unit.document_states.put(DocumentRow(name, new), now)
            return path
        raise AssertionError("numbers do not end")

    # --- bullets that a person removed ----------------------------------------------------------

    def questions(self) -> list[Question]:
        """Memories that a person removed from documents, to be confirmed as forgotten."""
        with self.space.read() as unit:
            choices = [c for c in unit.document_states.choices() if c.choice == "asked"]
            memories = {m.id: m for m in unit.memories.by_id([c.memory for c in choices])}
        return [
            Question(
                mask(memory),
                tuple(c.document for c in choices if c.memory == id_),
                min(c.at for c in choices if c.memory == id_),
            )
            for id_, memory in memories.items()
            if memory.status == "active"
        ]

    @property
    def _bounds(self) -> Bounds:
        return self.space.guard.secrets or USUAL

    def _views(self) -> tuple[View, ...]:
        with self.space.read() as unit:
            zone = self.space.zone(unit)
        return views_of(self.folders.documents, self.space.settings, self._bounds, zone)


def _text_of(path: Path) -> DocumentText:
    try:
        text = load(path).text
    except UnreadableFile as error:
        return DocumentText(path.name, "", "", str(error))
    return DocumentText(path.name, text, fingerprint(text))


_LONGEST = 10_000_000  # bytes; a longer file is none of ours


def _render(report: DailyReport, bounds: Bounds) -> str:
    texts = words("daily_report", report.language)
    parts = [f"# {texts['title']} {report.day:%Y-%m-%d}"]
    for title, statements in report.sections:
        lines = [harmless(redact(line, bounds)).replace("\n", " ") for line in statements]
        body = "\n".join(f"- {line}" for line in [*filter(None, lines)] or [texts["nothing"]])
        parts.append(f"## {harmless(title)}\n\n{body}")
    return "\n\n".join(parts) + "\n"


def _is_ours(path: Path, states: Iterable[Written | None]) -> bool:
    try:
        data = files.read_bytes(path, _LONGEST)
    except files.UnreadableFile:
        return False
    return data is None or Written(fingerprint(data), {}) in states
