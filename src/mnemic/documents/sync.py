"""Synchronizing documents and memory: edits of people are imported, then files are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from mnemic.documents import files
from mnemic.documents.edit_importer import EditImporter
from mnemic.documents.edits import AddedBullet, BulletReader, DocumentEdits, EditedBullet, head_of
from mnemic.documents.files import DocumentFile, UnreadableFile, fingerprint
from mnemic.documents.report import (
    DocumentReport,
    EditReport,
    ImportedEdit,
    PendingQuestion,
    RejectedText,
    SyncReport,
)
from mnemic.documents.selection import may_be_shown
from mnemic.documents.views import View, layout_of
from mnemic.documents.writer import DocumentContents, Page, PageBuilder, marks_of
from mnemic.language.markdown import GENERATED, Bullet, MarkdownSection, parse
from mnemic.rules import checks
from mnemic.settings.environment import DocumentName
from mnemic.store.codec import as_name
from mnemic.store.contract import Unit
from mnemic.store.new_file import PATIENCE, UnfinishedFile
from mnemic.store.paths import refuse_links
from mnemic.store.rows import DocumentChoice, DocumentRow, MemoryFilter, Written
from mnemic.types import EMPTY, Memory, constant

_TRIES = 5
_NO_EDITS = DocumentEdits()


@dataclass(slots=True)
class _OpenDocument:
    """One document during a run, with its edits."""

    view: View
    reports: list[EditReport]  # of earlier tries, too
    loaded: DocumentFile = field(default_factory=DocumentFile)
    row: DocumentRow = field(default_factory=lambda: DocumentRow(EMPTY))
    edits: DocumentEdits = _NO_EDITS
    parts: tuple[MarkdownSection, ...] = ()
    fresh: list[str] = field(default_factory=list)
    problem: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class DocumentSync:
    """One run over the documents of a space."""

    views: Sequence[View]
    importer: EditImporter

    def run(self, now: datetime) -> SyncReport:
        """Synchronize every document; one saved meanwhile is read again and loses nothing."""
        reports: dict[str, DocumentReport] = {}
        earlier: Mapping[str, list[EditReport]] = {view.name: [] for view in self.views}
        waiting: list[DocumentName] = [view.name for view in self.views]
        for _ in range(_TRIES):
            if not waiting:
                break
            documents = self._open(earlier)
            changing = [document for document in documents if document.view.name in waiting]
            for document in changing:
                self._import(document, now)
            if self.importer.space.settings.documents.take_edits:
                for document in changing:
                    self._take_choices(document, now)
                for document in changing:
                    self._remove(document, documents, now)
            # The memories to show once edits are imported, and what people chose to see where.
            with self.importer.space.read() as unit:
                memories: dict[str, Memory] = {m.id: m for m in _current(unit, now)}
                contents = DocumentContents(memories, unit.memories.projects())
                choices = unit.document_states.choices()
            later: list[DocumentName] = []
            for document in changing:
                name = document.view.name
                report = self._write(document, contents, choices, now)
                if report is None:
                    later.append(name)
                    report = self._report(document)
                reports[name] = report
            waiting = later
        for name in waiting:
            problem = "It is being changed; it was left alone and is taken in next time"
            reports[name] = replace(reports[name], state="left alone", problem=problem)
        return SyncReport(now, tuple(reports[view.name] for view in self.views))

    # --- reading --------------------------------------------------------------------------------

    def _open(self, earlier: Mapping[str, list[EditReport]]) -> list[_OpenDocument]:
        documents = []
        for view in self.views:
            document = _OpenDocument(view, earlier[view.name])
            try:
                document.loaded = files.load(view.path)
            except UnreadableFile as error:
                document.problem = str(error)
            documents.append(document)
        with self.importer.space.read() as unit:
            projects = unit.memories.projects()
            for document in documents:
                name = document.view.name
                document.row = unit.document_states.get(name) or DocumentRow(constant(name))
                if not document.problem:
                    document.edits = _read_edits(unit, document, projects)
        return documents

    # --- importing ------------------------------------------------------------------------------

    def _import(self, document: _OpenDocument, now: datetime) -> None:
        existing = self._existing(document, now)
        place = f"{document.view.name}:{document.row.written.file if document.row.written else ''}"
        items = []
        for change in document.edits.changes:
            outcome = self.importer.apply(change, place, existing)
            items.append(outcome.item)
            document.reports += [outcome.report] if outcome.report else []
            document.again |= outcome.again
            asked = isinstance(outcome.report, PendingQuestion)
            written = isinstance(change, AddedBullet | EditedBullet) and not asked
            if written and outcome.item and outcome.item.mark:
                document.fresh.append(outcome.item.mark)
        document.parts = document.edits.apply(items)

    def _existing(self, document: _OpenDocument, now: datetime) -> dict[str, str]:
        """Ids of current memories by their bullet; read only where there are new bullets."""
        if not any(isinstance(change, AddedBullet) for change in document.edits.changes):
            return {}
        with self.importer.space.read() as unit:
            memories = reversed(_current(unit, now))
        return {fingerprint(document.view.spellings(m)[0]): m.id for m in memories}

    def _take_choices(self, document: _OpenDocument, now: datetime) -> None:
        """Store which memories a person put into this document; putting one back, into whichever
        document, answers the question whether it is to be forgotten.
        """
        edits, name = document.edits, document.view.name
        with self.importer.space.write() as unit:
            states = unit.document_states
            for choice in states.choices():
                withdrawn = choice.choice == "asked" or (
                    choice.choice == "hidden" and choice.document == name
                )
                if withdrawn and choice.memory in edits.put_back:
                    states.drop_choices(choice.memory, choice.document)
            for id_ in (*sorted(edits.moved_in), *document.fresh):
                states.choose(DocumentChoice(constant(name), as_name(id_), "pinned", now))

    def _remove(
        self, document: _OpenDocument, documents: Sequence[_OpenDocument], now: datetime
    ) -> None:
        """What becomes of memories that a person took out of this document.

        One that they moved to another document is only hidden here. Any other is removed, however
        many documents show it: it is archived, or a question is asked and no document shows it
        until that is answered.
        """
        name, removed = document.view.name, document.edits.removed
        if not removed:
            return
        others = (other.edits.put_back for other in documents if other is not document)
        moved = frozenset[str]().union(*others)
        archived: list[Memory] = []
        with self.importer.space.write() as unit:
            states = unit.document_states
            for memory in unit.memories.by_id(sorted(removed)):
                if memory.status != "active":
                    continue
                if memory.id in moved:
                    states.choose(DocumentChoice(constant(name), memory.id, "hidden", now))
                elif self.importer.space.settings.documents.removed_bullet == "archive":
                    archived.append(memory)
                else:
                    states.choose(DocumentChoice(constant(name), memory.id, "asked", now))
                    document.reports.append(PendingQuestion(memory.id, "removed"))
        for memory in archived:
            self.importer.archive(memory, name)
            document.reports.append(ImportedEdit("archived", memory.id))

    # --- writing --------------------------------------------------------------------------------

    def _write(
        self,
        document: _OpenDocument,
        contents: DocumentContents,
        choices: Sequence[DocumentChoice],
        now: datetime,
    ) -> DocumentReport | None:
        """None when the document has to be read again."""
        report = self._report(document)
        if document.problem:
            return replace(report, state="left alone", problem=document.problem)
        if document.again:
            return None
        memories, projects = contents.memories, contents.projects
        with self.importer.space.read() as unit:
            heads = _Heads(unit, memories)
            parts = heads.rename(document.parts)
            pinned, hidden = heads.resolve(choices, document.view.name)
        layout = layout_of(document.view, document.view.sections(projects), "en")
        # Those below a person's headings.
        personal = [section for section in parts if not layout.section_of(section)]
        first = dict.fromkeys([*marks_of(personal), *pinned])
        shown = replace(contents, first=[id_ for id_ in first if id_ in memories], hidden=hidden)
        builder = PageBuilder(document.view, shown, document.row.rolled_through, now)
        page = builder.page(document.loaded, parts)
        wrote = self._replace_file(document, page, now)
        if wrote is None:
            return None
        present = {entry.mark for entry in page.entries}
        candidates = dict.fromkeys([*marks_of(parts), *document.fresh])
        return replace(
            report,
            state="written" if wrote else "unchanged",
            left_out=tuple(id_ for id_ in candidates if id_ in memories and id_ not in present),
            over=page.over,
            archive=page.archive,
        )

    def _replace_file(self, document: _OpenDocument, page: Page, now: datetime) -> bool | None:
        """Whether the file was written, under the write lock; None if a person saved it first."""
        view, loaded, row = document.view, document.loaded, page.row(document.view.name)
        with self.importer.space.write() as unit:
            before = unit.document_states.get(view.name) or DocumentRow(constant(view.name))
            if page.data != loaded.data:  # a crash from here on leaves no doubt
                unit.document_states.put(replace(before, writing=page.written), now)
            elif before != row:
                unit.document_states.put(row, now)
        if page.data == loaded.data:
            return False
        refuse_links(view.path, view.path.parent)
        with UnfinishedFile(view.path, patience=PATIENCE) as file:
            file.write(page.data)
            with self.importer.space.write() as unit:
                if not _holds(view.path, loaded.data):
                    return None
                file.keep_mode()
                file.put(replace=True)
                unit.document_states.put(row, now)
        return True

    @staticmethod
    def _report(document: _OpenDocument) -> DocumentReport:
        reports = dict.fromkeys(document.reports)
        return DocumentReport(
            document.view.name,
            str(document.view.path),
            taken=tuple(report for report in reports if isinstance(report, ImportedEdit)),
            asked=tuple(report for report in reports if isinstance(report, PendingQuestion)),
            kept=tuple(report for report in reports if isinstance(report, RejectedText)),
        )


@dataclass(frozen=True, slots=True)
class _Heads:
    """Follows memories to their current version."""

    unit: Unit
    current: Mapping[str, Memory]

    def head(self, id_: str) -> str:
        if id_ in self.current or not id_ or id_ == GENERATED:
            return id_
        current = head_of(self.unit, id_)
        return id_ if current is None else current.id

    def rename(self, parts: Iterable[MarkdownSection]) -> tuple[MarkdownSection, ...]:
        """Bullets of old versions carry the mark of the present one."""
        return tuple(
            MarkdownSection(
                section.heading,
                tuple(
                    replace(item, mark=self.head(item.mark)) if isinstance(item, Bullet) else item
                    for item in section.items
                ),
            )
            for section in parts
        )

    def resolve(self, choices: Iterable[DocumentChoice], name: str) -> tuple[list[str], set[str]]:
        """Ids pinned to a document, the latest first, and ids hidden from it or asked about."""
        every = list(choices)
        mine = [choice for choice in every if choice.document == name][::-1]
        pinned = [self.head(c.memory) for c in mine if c.choice == "pinned"]
        hidden = {self.head(c.memory) for c in mine if c.choice == "hidden"}
        return pinned, hidden | {c.memory for c in every if c.choice == "asked"}


def _read_edits(unit: Unit, document: _OpenDocument, projects: Sequence[str]) -> DocumentEdits:
    """The edits of a file; an empty one is not a wish to forget everything, and is rebuilt."""
    view, text = document.view, document.loaded.text
    bases = _bases(document.row, document.loaded) if text.strip() else []
    sections = {section.key: section for section in view.sections(projects)}
    layout = layout_of(view, list(sections.values()), "en")
    return BulletReader(unit, view, layout, sections, bases).read(text, parse(text))


def _bases(row: DocumentRow, loaded: DocumentFile) -> list[Written]:
    """The states a person's edits started from: one, or two when a write was interrupted."""
    states = [state for state in (row.writing, row.written) if state is not None]
    print_ = fingerprint(loaded.data or b"")
    same = [state for state in states if state.file == print_]
    return same[:1] or states


def _holds(path: Path, data: bytes | None) -> bool:
    try:
        return files.read_bytes(path) == data
    except UnreadableFile:
        return False


def _current(unit: Unit, now: datetime) -> list[Memory]:
    """All current memories that may be shown, the latest first."""
    query = MemoryFilter(status="active", holds_at=now, limit=checks.MAX_ROWS)
    return [memory for memory in unit.memories.find(query) if may_be_shown(memory)]
