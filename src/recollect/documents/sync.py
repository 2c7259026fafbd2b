"""Documents and memory brought together: what people changed is taken in, then files written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.documents import files
from recollect.documents.edit_importer import EditImporter
from recollect.documents.files import DocumentFile, UnreadableFile, fingerprint, prepared
from recollect.documents.read_back import Added, BulletReader, Edited, ReadBack, head_of, rebuilt
from recollect.documents.report import DocumentReport, Kept, PendingQuestion, SyncReport, Taken
from recollect.documents.selection import may_be_shown
from recollect.documents.views import View, layout_of
from recollect.documents.writer import (
    Changed,
    DocumentContents,
    Page,
    Setter,
    announce,
    check,
    marks_of,
    settle,
)
from recollect.language.markdown import (
    GENERATED,
    Bullet,
    MarkdownSection,
    parse,
)
from recollect.settings import Settings
from recollect.settings.environment import DocumentName
from recollect.store.codec import stored_name
from recollect.store.contract import Store, Unit
from recollect.store.document_states import DocumentChoice, DocumentRow, Written
from recollect.store.rows import MemoryFilter
from recollect.types import EMPTY, Memory, constant

_TRIES = 5
_PAGE = 10_000


@dataclass(slots=True)
class _Paper:
    """One document on the desk."""

    view: View
    loaded: DocumentFile = field(default_factory=DocumentFile)
    row: DocumentRow = field(default_factory=lambda: DocumentRow(EMPTY))
    read: ReadBack | None = None
    parts: tuple[MarkdownSection, ...] = ()
    taken: list[Taken] = field(default_factory=list)
    asked: list[PendingQuestion] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    fresh: list[str] = field(default_factory=list)
    problem: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class _Known:
    """What there is to show after a person's changes were taken in."""

    memories: Mapping[str, Memory]
    projects: Sequence[str]
    choices: Sequence[DocumentChoice]


class Syncing:
    """One run over the documents of a space."""

    def __init__(
        self,
        store: Store,
        space: str,
        settings: Settings,
        *,
        views: Sequence[View],
        taker: EditImporter,
    ) -> None:
        self._store = store
        self._space = space
        self._settings = settings
        self._views = views
        self._taker = taker

    def run(self, now: datetime) -> SyncReport:
        """Every document; one that is saved meanwhile is read again and loses nothing."""
        reports: dict[str, DocumentReport] = {}
        waiting: list[DocumentName] = [view.name for view in self._views]
        for _ in range(_TRIES):
            if not waiting:
                break
            papers = self._desk()
            self._take_in(papers, waiting, now)
            known = self._look(now)
            later: list[DocumentName] = []
            for paper in papers:
                name = paper.view.name
                if name not in waiting:
                    continue
                report = self._written(paper, known, now)
                if report is None:
                    later.append(name)
                    report = self._report(paper)
                reports[name] = _together(reports.get(name), report)
            waiting = later
        for name in waiting:
            problem = "It is being changed; it was left alone and is taken in next time"
            reports[name] = replace(reports[name], state="left alone", problem=problem)
        return SyncReport(now, tuple(reports[view.name] for view in self._views))

    # --- reading --------------------------------------------------------------------------------

    def _desk(self) -> list[_Paper]:
        papers = []
        for view in self._views:
            paper = _Paper(view)
            try:
                paper.loaded = files.load(view.path, self._settings.documents.file_bytes)
            except UnreadableFile as error:
                paper.problem = str(error)
            papers.append(paper)
        with self._store.read(self._space) as unit:
            projects = unit.memories.projects()
            for paper in papers:
                name = paper.view.name
                paper.row = unit.document_states.get(name) or DocumentRow(constant(name))
                if not paper.problem:
                    paper.read = self._read(unit, paper, projects)
        return papers

    @staticmethod
    def _read(unit: Unit, paper: _Paper, projects: Sequence[str]) -> ReadBack:
        """An empty file, or none, is not a wish to forget everything: it is built again."""
        view, text = paper.view, paper.loaded.text
        bases = _bases(paper.row, paper.loaded) if text.strip() else []
        sections = view.sections(projects)
        reader = BulletReader(unit, view, layout_of(view, sections, "en"), sections, bases)
        return reader.read(text, parse(text))

    # --- taking in ------------------------------------------------------------------------------

    def _take_in(self, papers: Sequence[_Paper], names: Collection[str], now: datetime) -> None:
        wanted = [p for p in papers if p.read is not None and p.view.name in names]
        for paper in wanted:
            self._take(paper, now)
        for paper in wanted:
            self._choose(paper, papers, now)

    def _take(self, paper: _Paper, now: datetime) -> None:
        if paper.read is None:
            return
        said = self._said(paper, now)
        place = f"{paper.view.name}:{paper.row.written.file if paper.row.written else ''}"
        items = []
        for change in paper.read.changes:
            outcome = self._taker.take(change, place, said)
            items.append(outcome.item)
            paper.taken += [outcome.taken] if outcome.taken else []
            paper.asked += [outcome.asked] if outcome.asked else []
            paper.kept += [outcome.kept] if outcome.kept else []
            paper.again |= outcome.again
            told = isinstance(change, Added | Edited) and outcome.asked is None
            if told and outcome.item and outcome.item.mark:
                paper.fresh.append(outcome.item.mark)
        paper.parts = rebuilt(paper.read, items)

    def _said(self, paper: _Paper, now: datetime) -> dict[str, str]:
        """What is known, by the words a bullet has for it; looked up only for new bullets."""
        if paper.read is None or not any(isinstance(c, Added) for c in paper.read.changes):
            return {}
        with self._store.read(self._space) as unit:
            found = [m for m in _current(unit, now) if may_be_shown(m)]
        return {fingerprint(paper.view.spellings(m)[0]): m.id for m in reversed(found)}

    def _choose(self, paper: _Paper, papers: Sequence[_Paper], now: datetime) -> None:
        """What a person took out of this document, and what they put into it."""
        read, name = paper.read, paper.view.name
        if read is None or not self._settings.documents.take_edits:
            return
        elsewhere = frozenset[str]().union(
            *(p.read.seen for p in papers if p.read is not None and p is not paper)
        )
        archived, document = [], constant(name)
        with self._store.write(self._space) as unit:
            states = unit.document_states
            for choice in states.choices():
                back = choice.memory in read.seen and choice.choice != "pinned"
                if choice.document == name and back:
                    states.drop_choices(choice.memory, name)
            for id_ in (*sorted(read.moved_in), *paper.fresh):
                states.choose(DocumentChoice(document, stored_name(id_), "pinned", now))
            for memory in unit.memories.by_id(sorted(read.removed)):
                if memory.status != "active":
                    continue
                if memory.id in elsewhere:
                    states.choose(DocumentChoice(document, memory.id, "hidden", now))
                elif self._settings.documents.removed_bullet == "archive":
                    archived.append(memory)
                else:
                    states.choose(DocumentChoice(document, memory.id, "asked", now))
                    paper.asked.append(PendingQuestion(memory.id, "removed"))
        for memory in archived:
            self._taker.archive(memory, name)
            paper.taken.append(Taken("archived", memory.id))

    # --- writing --------------------------------------------------------------------------------

    def _look(self, now: datetime) -> _Known:
        with self._store.read(self._space) as unit:
            return _Known(
                {m.id: m for m in _current(unit, now) if may_be_shown(m)},
                unit.memories.projects(),
                unit.document_states.choices(),
            )

    def _written(self, paper: _Paper, known: _Known, now: datetime) -> DocumentReport | None:
        """None when the document has to be read again."""
        report = self._report(paper)
        if paper.problem:
            return replace(report, state="left alone", problem=paper.problem)
        if paper.again:
            return None
        found, projects = known.memories, known.projects
        with self._store.read(self._space) as unit:
            heads = _Heads(unit, found)
            parts = heads.renamed(paper.parts)
            pinned, hidden = heads.chosen(known.choices, paper.view.name)
        first = dict.fromkeys([*_in_own_parts(parts, paper.view, projects), *pinned])
        shelf = DocumentContents(found, projects, [id_ for id_ in first if id_ in found], hidden)
        page = Setter(paper.view, shelf, paper.row, now).page(paper.loaded, parts)
        try:
            wrote = self._replaced(paper, page, now)
        except Changed:
            return None
        shown = {entry.mark for entry in page.entries}
        left = dict.fromkeys([*marks_of(parts), *paper.fresh])
        return replace(
            report,
            state="written" if wrote else "unchanged",
            left_out=tuple(id_ for id_ in left if id_ in found and id_ not in shown),
            over=page.over,
            archive=page.archive,
        )

    def _replaced(self, paper: _Paper, page: Page, now: datetime) -> bool:
        """The file is compared and replaced under the write lock: two runs never cross."""
        with self._store.write(self._space) as unit:
            if not announce(unit, paper.view, paper.loaded, page, now):
                return False
        file = prepared(paper.view.path, page.data)
        with file as into_place, self._store.write(self._space) as unit:
            check(paper.view, paper.loaded)
            into_place()
            settle(unit, paper.view, page, now)
        return True

    @staticmethod
    def _report(paper: _Paper) -> DocumentReport:
        return DocumentReport(
            paper.view.name,
            str(paper.view.path),
            taken=tuple(paper.taken),
            asked=tuple(paper.asked),
            kept=tuple(paper.kept),
        )


class _Heads:
    """Follows memories to their current version."""

    def __init__(self, unit: Unit, current: Mapping[str, Memory]) -> None:
        self._unit = unit
        self._current = current

    def head(self, id_: str) -> str:
        if id_ in self._current or not id_ or id_ == GENERATED:
            return id_
        found = head_of(self._unit, id_)
        return id_ if found is None else found.id

    def renamed(self, parts: Iterable[MarkdownSection]) -> tuple[MarkdownSection, ...]:
        """Bullets of old versions carry the mark of the present one."""
        return tuple(
            MarkdownSection(
                part.heading,
                tuple(
                    replace(item, mark=self.head(item.mark)) if isinstance(item, Bullet) else item
                    for item in part.items
                ),
            )
            for part in parts
        )

    def chosen(self, choices: Iterable[DocumentChoice], name: str) -> tuple[list[str], set[str]]:
        """What is pinned to a document, the latest first, and what is kept out of it."""
        mine = [choice for choice in choices if choice.document == name][::-1]
        pinned = [self.head(c.memory) for c in mine if c.choice == "pinned"]
        hidden = {self.head(c.memory) for c in mine if c.choice == "hidden"}
        return pinned, hidden | {c.memory for c in mine if c.choice == "asked"}


def _bases(row: DocumentRow, loaded: DocumentFile) -> list[Written]:
    """What the file was when a person got it: one state, or two when a write was cut short."""
    states = [state for state in (row.writing, row.written) if state is not None]
    print_ = fingerprint(loaded.data or b"")
    same = [state for state in states if state.file == print_]
    return same[:1] or states


def _current(unit: Unit, now: datetime) -> list[Memory]:
    """Everything that holds, the latest first."""
    found: list[Memory] = []
    while True:
        wanted = MemoryFilter(status="active", holds_at=now, limit=_PAGE, offset=len(found))
        more = unit.memories.find(wanted)
        found += more
        if len(more) < _PAGE:
            return found


def _in_own_parts(
    parts: Iterable[MarkdownSection], view: View, projects: Sequence[str]
) -> list[str]:
    """What a person moved below a heading of their own."""
    layout = layout_of(view, view.sections(projects), "en")
    return marks_of([part for part in parts if not layout.section_of(part)])


def _together(before: DocumentReport | None, now: DocumentReport) -> DocumentReport:
    """One report of several tries."""
    if before is None:
        return now
    return replace(
        now,
        taken=tuple(dict.fromkeys(before.taken + now.taken)),
        asked=tuple(dict.fromkeys(before.asked + now.asked)),
        kept=tuple(dict.fromkeys(before.kept + now.kept)),
    )
