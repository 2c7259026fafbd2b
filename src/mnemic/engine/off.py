"""Memory switched off: the same Mind on plain files that people read and edit.

There is no database, not even an open file of one. The files are read into a database in RAM when
they are opened, and again when somebody has changed them; what is recorded is appended to them.
Nothing is learned: that happens when memory is switched on again and the files are imported.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NoReturn

from mnemic.clock import Clock
from mnemic.context.build import Builder
from mnemic.context.sources import PromptSources
from mnemic.days import day_of, noon
from mnemic.documents.fallback import logs, notes
from mnemic.documents.fallback.files import Folder
from mnemic.documents.fallback.importer import accept_logged, last_ends, open_logged_session
from mnemic.documents.fallback.logs import Ended, Entry, Failed, LoggedTurn
from mnemic.documents.fallback.notes import Note
from mnemic.engine.background import BackgroundWork
from mnemic.engine.mind import Mind
from mnemic.engine.session import Session
from mnemic.engine.shared import Shared
from mnemic.errors import InvalidInput, MemoryOff, NotFound
from mnemic.language.gate import Verdict
from mnemic.locks import ForkSafeLock
from mnemic.rules import checks
from mnemic.rules.speakers import voice_of
from mnemic.settings import Settings
from mnemic.settings.values import Size
from mnemic.space import user_zone
from mnemic.store.contract import Unit
from mnemic.store.new_file import explain_errors
from mnemic.store.sqlite.connection import MEMORY
from mnemic.store.sqlite.store import SqliteStore
from mnemic.types import (
    EMPTY,
    Decision,
    Drained,
    Event,
    Finding,
    Hit,
    Job,
    Kind,
    Memory,
    NewTurn,
    Receipt,
    Recorded,
    RecordType,
    Stats,
    Turn,
    Why,
    key_of,
)

# The calls that plain files can answer; every other call of a Mind is refused.
SERVED = frozenset(
    """session record record_turn record_many end_session sessions turns events note_failure
    remember memories get projects pending note_shown history recall retrieve evidence words context
    gate jobs drain work stats doctor close""".split()
)
_APPENDING = frozenset("record record_turn record_many end_session note_failure remember".split())
_RECORDS: tuple[RecordType, ...] = ("memory", "turn")  # nothing else is in the files
_ROUTES = (*_RECORDS, "time", "exact")
_ALL = 10_000
_REMEDY = "Set memory.enabled = true, or MNEMIC_ENABLED=true"
_SHOWN = timedelta(days=7)  # how far back the dated logs are read
_DAY = timedelta(days=1)
_Stamps = tuple[date, dict[Path, tuple[int, int, int] | None]]


class _LogSources(PromptSources):
    """The logs of the last days instead of a search."""

    list_logs: Callable[[], Sequence[Hit]]

    def gate(self, message: str) -> Verdict:
        return Verdict(True, "off")

    def find(self, query: str, **about: Any) -> Sequence[Hit]:
        return self.list_logs()

    def without_outdated(self, query: str, hits: Sequence[Hit]) -> Sequence[Hit]:
        return hits


class PlainFileMind(Mind):
    """The memory of one space while memory is switched off."""

    def __init__(self, folder: Folder, space: str, settings: Settings, clock: Clock) -> None:
        """A space in RAM that is kept in the files of a folder."""
        inner = _without_models(settings)
        self._ram = SqliteStore(MEMORY, busy_timeout=0, now=clock.now)
        background = BackgroundWork(
            Shared(self._ram, MEMORY, inner, clock), threads=1, threaded=False
        )
        super().__init__(background.open_spaces.get(space), background, self._close)
        self.settings = settings
        self._folder = folder
        self._zone = settings.schedule.zone
        self._lock = ForkSafeLock(reentrant=True)
        self._inside = 0  # the process that is inside a call
        self._closed = False
        self._stamps: _Stamps | None = None
        self._written: set[str] = set()  # ids of turns and statements in the files
        self._older: dict[str, int] | None = None
        self._opened: dict[str, tuple[str, str]] = {}
        self._entries: list[Entry] = []
        self._notes: list[Note] = []
        self._services.context = self._make_builder(inner)

    # --- recording --------------------------------------------------------------------------------

    def session(
        self, id: str | None = None, *, project: str | None = None, topic: str | None = None
    ) -> Session:
        """Open a conversation, or go on with one."""
        session = super().session(id, project=project, topic=topic)
        if project or topic:
            self._opened[session.id] = project or "", topic or ""
        return session

    def record_turn(self, new: NewTurn) -> Turn:
        """Record one turn: in its log when this returns."""
        turn = super().record_turn(self._continue(new))
        if turn.id not in self._written:
            self._written.add(turn.id)
            # Whose words they are is judged anew whenever the log is read.
            trust = voice_of(turn.role, turn.sender, new.trust, self._guard.owners).trust
            with self._store.read(self.space) as unit:
                info = unit.ledger.session(turn.session)
            about = (EMPTY, EMPTY) if info is None else (info.project, info.topic)
            placed = new.index is not None
            self._entries.append(LoggedTurn(replace(turn, trust=trust), *about, placed=placed))
        return turn

    def record_many(
        self,
        turns: Iterable[NewTurn],
        *,
        topics: Mapping[str, str] | None = None,
        project: str = "",
    ) -> Recorded:
        """Record turns in order, all of them or none."""
        news, before = list(turns), len(self._entries)
        try:
            with self._store.together(self.space):
                for session in dict.fromkeys(getattr(new, "session", "") for new in news):
                    topic = (topics or {}).get(session, "")
                    if project or topic:
                        self._services.ledger.open_session(session, project, topic)
                for new in news:
                    self.record_turn(new)
        except BaseException:
            self._entries, self._stamps = self._entries[:before], None
            raise
        added = len(self._entries) - before
        return Recorded(added=added, known=len(news) - added)

    def end_session(self, session: str) -> None:
        """Mark a conversation as ended, also one that only the database knows."""
        self._services.ledger.open_session(session, "", "")
        super().end_session(session)
        with self._store.read(self.space) as unit:
            info = unit.ledger.session(self._guard.name(session, "session"))
        if info is not None and info.ended_at is not None:
            self._entries.append(Ended(info.id, info.ended_at))

    def note_failure(self, where: str, error: str) -> Event:
        """Note that the host could not do something with memory."""
        event = super().note_failure(where, error)
        error = str(event.payload["error"])
        self._entries.append(Failed(event.id, event.subject, error, event.at))
        return event

    def remember(
        self, text: str, *, kind: Kind | str = "", sources: Iterable[str] = (), **rest: Any
    ) -> Decision:
        """Keep a statement; with ``supersedes`` as the next version of another in the files."""
        if kind and self._guard.kind(kind) == "credential":
            raise _refusal("Plain files keep no credentials, since they cannot seal them")
        if checks.check_several(sources, "sources"):
            raise _refusal("Plain files cannot link a statement to its turns")
        try:
            decision = super().remember(text, kind=kind, **rest)
        except NotFound as error:
            raise _refusal(f"{error} in the plain files") from error
        for write in super().events(type="write", subject=decision.id, limit=1):
            if decision.memory is not None and decision.id not in self._written:
                ours = write.operation_id == key_of("remember", decision.memory.id)
                operation = "" if ours else write.operation_id
                supersedes = str(write.payload["supersedes"])
                self._notes.append(notes.note_of(decision.memory, supersedes, operation))
        return decision

    def _continue(self, new: NewTurn) -> NewTurn:
        """The turn behind those of its session in logs that are too old to be shown."""
        if getattr(new, "index", 0) is not None:
            return new
        if self._older is None:
            self._older, first = {}, self._first_day()
            for day, path in self._folder.logs().items():
                for entry in logs.parse(self._folder.text(path)) if day < first else ():
                    if isinstance(entry, LoggedTurn):
                        session, after = entry.turn.session, entry.turn.index + 1
                        self._older[session] = max(after, self._older.get(session, 0))
        index = self._older.get(new.session)
        if not index or super().turns(session=new.session, limit=1):
            return new
        return replace(new, index=index)

    # --- answering --------------------------------------------------------------------------------

    def memories(self, **query: Any) -> list[Memory]:
        """Memories that hold now, the latest first."""
        if query.get("as_of") is not None or query.get("known_at") is not None:
            raise _refusal("Plain files do not know what was known when")
        return super().memories(**query)

    def recall(
        self, query: str, *, of: Iterable[RecordType] | RecordType | None = None, **rest: Any
    ) -> list[Hit]:
        """The best of the statements and the logs."""
        return super().recall(query, of=_RECORDS if of is None else of, **rest)

    def jobs(self, **query: Any) -> list[Job]:
        """Nothing is queued here."""
        return []

    def drain(self, timeout: timedelta | float | None = None, *, due_only: bool = False) -> Drained:
        """Nothing is queued here."""
        return Drained(0, 0, 0)

    def work(self) -> None:
        """Nothing is queued here."""

    def stats(self) -> Stats:
        """How many records the files hold, and their size."""
        files = [*self._folder.logs().values(), self._folder.notes]
        size = sum(path.stat().st_size for path in files if path.exists())
        return replace(super().stats(), file_bytes=size, jobs_ready=0)

    def doctor(self, *, deep: bool = True, forgotten: Receipt | str | None = None) -> list[Finding]:
        """Says that memory is off."""
        detail = f"memory is off; the plain files in {self._folder.path} answer"
        return [Finding("switch", ok=False, detail=detail, remedy=_REMEDY)]

    def _make_builder(self, settings: Settings) -> Builder:
        """Prompts with all statements and recent logs: there is no index to choose by."""
        context, services = settings.context, self._services
        size = Size(tokens=context.total or context.window)
        wide = settings.replace(
            capacity=settings.capacity.replace(core=_ALL),
            recall=settings.recall.replace(evidence=_ALL, evidence_score=0.0),
            context=context.replace(
                disclosure="injected",
                sections={**context.sections, "core": size, "evidence": size},
            ),
        )
        sources = _LogSources(
            replace(services.at, settings=wide),
            recall=services.recall,
            short_term=services.short_term,
            scratchpad=services.scratchpads.open_tasks,
            cards=lambda persona: {},
            pending=list,
        )
        sources.list_logs = self._list_logs
        return Builder(sources, wide)

    def _list_logs(self) -> list[Hit]:
        """The logs of the last days as a person reads them, the newest first."""
        zone, first, hits = self._services.recall.zone(), self._first_day(), list[Hit]()
        for day, path in reversed(self._folder.logs().items()):
            text = logs.without_marks(self._folder.text(path)) if day >= first else ""
            if text:
                at, name, why = noon(day, zone), day.isoformat(), Why(("recent",), {})
                hits.append(Hit("episode", f"{name}.md", text, 1.0, why, (), at, session=name))
        return hits

    # --- the files --------------------------------------------------------------------------------

    @contextmanager
    def _up_to_date(self, *, appends: bool) -> Iterator[None]:
        """Nobody else in this process is inside; a call within a call sees what that one sees."""
        with self._lock:
            if self._inside == os.getpid():
                yield
                return
            self._inside = os.getpid()
            try:
                with self._folder.alone() if appends else nullcontext():
                    stamps = self._look()
                    if stamps != self._stamps and not self._closed:
                        self._stamps = None  # until all of it is there
                        self._load()
                        self._stamps = stamps
                    try:
                        yield
                    finally:
                        self._append()
            finally:
                self._inside = 0

    def _first_day(self) -> date:
        """The day of the oldest log that is read; today's is always one of them."""
        return day_of(self._clock.now() - _SHOWN, self._zone) + _DAY

    def _look(self) -> _Stamps:
        """The state of every file that is shown; each call asks, so it only takes some stats."""
        first = self._first_day()
        days = range((day_of(self._clock.now(), self._zone) - first).days + 2)
        paths = [self._folder.notes, *(self._folder.log(first + n * _DAY) for n in days)]
        with explain_errors(self._folder.path, "read"):
            return first, {path: _stamp(path) for path in paths}

    def _load(self) -> None:
        """Begin again with an empty database, and fill it from the files."""
        self._ram.database.close()
        SqliteStore.__init__(self._ram, MEMORY, busy_timeout=0, now=self._clock.now)
        self._services.short_term.clear()
        self._services.scratchpads.clear()
        self._older = None
        now, first = self._clock.now(), self._first_day()
        entries: list[Entry] = []
        for day, path in self._folder.logs().items():
            text = self._folder.text(path) if day >= first else ""
            entries += [*logs.parse(text), *logs.free_text(text, day, now, self._zone)]
        statements = list(notes.parse(self._folder.text(self._folder.notes)))
        with self._store.write(self.space) as unit:
            self._show_turns(unit, [entry for entry in entries if isinstance(entry, LoggedTurn)])
            for ended in last_ends(entries):
                with suppress(InvalidInput):
                    unit.ledger.end_session(self._guard.name(ended.session, "session"), ended.at)
            for note in statements:
                with suppress(InvalidInput):
                    self._show_note(unit, note)
        for failed in entries:
            if isinstance(failed, Failed):
                self._services.ledger.note_failure(failed.where, failed.error)
        for session, about in self._opened.items():
            self._services.ledger.open_session(session, *about)
        self._written = {note.id for note in statements}
        self._written |= {entry.turn.id for entry in entries if isinstance(entry, LoggedTurn)}

    def _show_turns(self, unit: Unit, logged: Sequence[LoggedTurn]) -> None:
        """Each turn at its index, or at the end of its session if another is there."""
        now, taken = self._clock.now(), set[tuple[str, int]]()
        fresh = {entry.turn.id: entry for entry in logged}
        placed, displaced = [], []
        for entry, row in accept_logged(list(fresh.values()), self._guard, now):
            place = row.session, entry.turn.index
            if place in taken:
                displaced.append(row)
            else:
                placed.append(row._replace(idx=entry.turn.index))
            taken.add(place)
            open_logged_session(unit, entry, row, self._guard)
        self._services.recorder.record_rows(unit, [*placed, *displaced], now)

    def _show_note(self, unit: Unit, note: Note) -> None:
        id_ = self._guard.label(note.id, "id")
        if note.new.kind == "credential" or unit.memories.get(id_) is not None:
            return
        old = unit.memories.get(note.new.supersedes or "")
        current = old is not None and old.status == "active"
        new = replace(note.new, supersedes=note.new.supersedes if current else None)
        at = note.at or self._clock.now()
        self._services.memories.add(unit, new, id_=id_, at=at, operation_id=note.operation or None)

    def _append(self) -> None:
        """Each entry in the log of its day; one too old to be read there in today's."""
        entries, self._entries = self._entries, []
        added, self._notes = self._notes, []
        if not entries and not added:
            return
        with self._store.read(self.space) as unit:
            zone = user_zone(unit, self._zone)
        texts: dict[Path, str] = defaultdict(str)
        first, today = self._first_day(), day_of(self._clock.now(), zone)
        for entry in entries:
            local = logs.in_local_time(entry, zone)
            day = local.at.date()
            texts[self._folder.log(day if day >= first else today)] += logs.render(local)
        for note in added:
            texts[self._folder.notes] += notes.render(note)
            self._written.add(note.id)
        self._stamps = None  # what is not in the files is not there
        for path, text in texts.items():
            self._folder.append(path, text)
        self._stamps = self._look()

    def _close(self) -> None:
        with self._lock:
            self._closed = True
            self._ram.close()


def _without_models(settings: Settings) -> Settings:
    """No model, no vectors, no rules of the bus; every statement is part of the core."""
    return settings.replace(
        extraction=settings.extraction.replace(engine="rules"),
        index=settings.index.replace(vectors="none"),
        recall=settings.recall.replace(rerank_folder="", touch=False, routes=_ROUTES),
        ranking=settings.ranking.replace(fusion="learned"),  # use and importance are not known
        events=settings.events.replace(rules={}),
        upkeep=settings.upkeep.replace(core_importance=0.0, core_choice="important"),
    )


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - on the way of every call
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _refusal(problem: str) -> MemoryOff:
    return MemoryOff(f"{problem}; memory is switched off (memory.enabled)", remedy=_REMEDY)


def _refuse(name: str) -> Callable[..., NoReturn]:
    def refuse(self: PlainFileMind, *args: object, **named: object) -> NoReturn:
        raise _refusal(f"Plain files cannot do this: {name}")

    refuse.__name__ = name
    return refuse


def _serve(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def serve(self: PlainFileMind, *args: Any, **named: Any) -> Any:
        with self._up_to_date(appends=name in _APPENDING):
            return call(self, *args, **named)

    return serve


for _name, _call in inspect.getmembers(PlainFileMind, inspect.isfunction):
    if _name in SERVED and _name != "close":
        setattr(PlainFileMind, _name, _serve(_name, _call))
    elif not _name.startswith("_") and _name != "close":
        setattr(PlainFileMind, _name, _refuse(_name))
