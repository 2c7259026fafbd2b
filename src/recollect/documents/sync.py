"""Documents and memory brought together: what people changed is taken in, then files are written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from recollect.clock import Clock
from recollect.documents import files
from recollect.documents.files import Loaded, Unreadable, fingerprint
from recollect.documents.read_back import ReadBack, Reader, head_of, rebuilt
from recollect.documents.report import Asked, DocumentReport, Kept, SyncReport, Taken
from recollect.documents.taking import Taker
from recollect.documents.views import View, layout_of
from recollect.documents.writing import Changed, Setter, Shelf, marks_of, put
from recollect.ingest.accept import Limits
from recollect.ingest.embedding import Ask
from recollect.ingest.memories import Keeper
from recollect.ingest.reconcile import Reconciler
from recollect.rules.documents import may_be_shown
from recollect.rules.markdown import Part, parse
from recollect.settings import Settings
from recollect.settings.around import DocumentName
from recollect.store.base import (
    Choice,
    DocumentChoice,
    DocumentRow,
    MemoryFilter,
    Store,
    Unit,
    Written,
)
from recollect.types import Memory

_TRIES = 5
_PAGE = 1000


@dataclass(slots=True)
class _Paper:
    """One document on the desk."""

    view: View
    loaded: Loaded = field(default_factory=Loaded)
    row: DocumentRow = field(default_factory=lambda: DocumentRow(""))
    read: ReadBack | None = None
    parts: tuple[Part, ...] = ()
    taken: list[Taken] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    problem: str = ""
    again: bool = False


class Syncing:
    """One run over the documents of a space."""

    def __init__(
        self,
        store: Store,
        space: str,
        clock: Clock,
        settings: Settings,
        *,
        views: Sequence[View],
        keeper: Keeper,
        reconciler: Reconciler,
        limits: Limits,
        ask: Ask,
    ) -> None:
        self._store = store
        self._space = space
        self._settings = settings
        self._views = views
        self._taker = Taker(
            store,
            space,
            clock,
            settings,
            keeper=keeper,
            reconciler=reconciler,
            limits=limits,
            ask=ask,
        )

    def run(self, now: datetime) -> SyncReport:
        """Every document; one that is saved meanwhile is read again and loses nothing."""
        reports: dict[str, DocumentReport] = {}
        waiting: list[DocumentName] = [view.name for view in self._views]
        for _ in range(_TRIES):
            if not waiting:
                break
            papers = self._desk()
            self._take_in(papers, waiting, now)
            later: list[DocumentName] = []
            for paper in papers:
                name = paper.view.name
                if name not in waiting:
                    continue
                report = self._written(paper, now)
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
            except Unreadable as error:
                paper.problem = str(error)
            papers.append(paper)
        with self._store.read(self._space) as unit:
            projects = unit.memories.projects()
            for paper in papers:
                name = paper.view.name
                paper.row = unit.document_states.get(name) or DocumentRow(name)
                if not paper.problem:
                    paper.read = self._read(unit, paper, projects)
        return papers

    @staticmethod
    def _read(unit: Unit, paper: _Paper, projects: Sequence[str]) -> ReadBack:
        """An empty file, or none, is not a wish to forget everything: it is built again."""
        view, text = paper.view, paper.loaded.text
        bases = _bases(paper.row, paper.loaded) if text.strip() else []
        sections = view.sections(projects)
        reader = Reader(unit, view, layout_of(view, sections, "en"), sections, bases)
        return reader.read(text, parse(text))

    # --- taking in ------------------------------------------------------------------------------

    def _take_in(self, papers: Sequence[_Paper], names: Collection[str], now: datetime) -> None:
        for paper in papers:
            if paper.read is None or paper.view.name not in names:
                continue
            said = self._said(paper)
            place = f"{paper.view.name}:{paper.row.written.file if paper.row.written else ''}"
            items = []
            for change in paper.read.changes:
                outcome = self._taker.take(change, place, said)
                items.append(outcome.item)
                paper.taken += [outcome.taken] if outcome.taken else []
                paper.asked += [outcome.asked] if outcome.asked else []
                paper.kept += [outcome.kept] if outcome.kept else []
                paper.again |= outcome.again
            paper.parts = rebuilt(paper.read, items)
        for paper in papers:
            if paper.read is not None and paper.view.name in names:
                self._choices(paper, papers, now)

    def _said(self, paper: _Paper) -> dict[str, str]:
        """What is known, by the words a bullet has for it; looked up only for new bullets."""
        if paper.read is None or not any(hasattr(c, "section") for c in paper.read.changes):
            return {}
        with self._store.read(self._space) as unit:
            found = [m for m in _current(unit, paper_time(self._taker)) if may_be_shown(m)]
        return {fingerprint(paper.view.spellings(m)[0]): m.id for m in reversed(found)}

    def _choices(self, paper: _Paper, papers: Sequence[_Paper], now: datetime) -> None:
        """What a person took out of this document, and what they put into it."""
        read, name = paper.read, paper.view.name
        if read is None or not self._settings.documents.take_edits:
            return
        elsewhere = frozenset[str]().union(
            *(p.read.seen for p in papers if p.read is not None and p is not paper)
        )
        archived = []
        with self._store.write(self._space) as unit:
            states = unit.document_states
            for choice in states.choices():
                back = choice.memory in read.seen and choice.choice != "pinned"
                if choice.document == name and back:
                    states.drop_choices(choice.memory, name)
            for id_ in read.moved_in:
                states.choose(DocumentChoice(name, id_, "pinned", now))
            for memory in unit.memories.by_id(sorted(read.removed)):
                if memory.status != "active":
                    continue
                if memory.id in elsewhere:
                    states.choose(DocumentChoice(name, memory.id, "hidden", now))
                elif self._settings.documents.removed_bullet == "archive":
                    archived.append(memory)
                else:
                    states.choose(DocumentChoice(name, memory.id, "asked", now))
                    paper.asked.append(Asked(memory.id, "removed"))
        for memory in archived:
            self._taker.archive(memory, name)
            paper.taken.append(Taken("archived", memory.id))

    # --- writing --------------------------------------------------------------------------------

    def _written(self, paper: _Paper, now: datetime) -> DocumentReport | None:
        """None when the document has to be read again."""
        report = self._report(paper)
        if paper.problem:
            return replace(report, state="left alone", problem=paper.problem)
        if paper.again:
            return None
        with self._store.read(self._space) as unit:
            found = {m.id: m for m in _current(unit, now) if may_be_shown(m)}
            projects = unit.memories.projects()
            choices = unit.document_states.choices()
            heads = _Heads(unit, found)
            parts = heads.renamed(paper.parts)
            pinned, hidden = heads.chosen(choices, paper.view.name)
        there = [mark for mark in marks_of(parts) if mark in found]
        own = _in_own_parts(parts, paper.view, projects)
        fresh = [taken.memory for taken in paper.taken]
        first = dict.fromkeys([*own, *pinned, *fresh])
        shelf = Shelf(found, projects, [id_ for id_ in first if id_ in found], hidden)
        page = Setter(paper.view, shelf, paper.row, now).page(paper.loaded, parts)
        try:
            wrote = put(self._store, self._space, paper.view, paper.loaded, page, now)
        except Changed:
            return None
        shown = {entry.mark for entry in page.entries}
        left = dict.fromkeys(i for i in [*there, *fresh] if i in found and i not in shown)
        return replace(
            report,
            state="written" if wrote else "unchanged",
            left_out=tuple(left),
            over=page.over,
            archive=page.archive,
        )
