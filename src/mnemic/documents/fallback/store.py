"""Plain files as a store: a database in RAM that shows the files of a folder and writes to them.

What is read is first brought up to date with the files, by whichever process they were changed.
What is written is on disk, in the files, before the transaction in RAM is committed.
"""

from __future__ import annotations

import contextlib
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

from mnemic.days import Zone, day_of
from mnemic.documents.fallback import logs, notes
from mnemic.documents.fallback.changes import Added, PlainFileReader
from mnemic.documents.fallback.entries import last_ends, new_memory, turn_at, turn_rows
from mnemic.documents.fallback.files import Folder
from mnemic.documents.fallback.logs import Entry, Failed, LoggedTurn
from mnemic.documents.fallback.mirror import HOST_FAIL, MirroredUnit
from mnemic.documents.fallback.notes import Note
from mnemic.errors import InvalidInput
from mnemic.language.guard import MAX_SUMMARY, guard_of
from mnemic.learn.disown import Disowner
from mnemic.learn.memory_writer import MemoryWriter
from mnemic.settings import Settings
from mnemic.store.contract import Unit
from mnemic.store.rows import TurnRow
from mnemic.store.sqlite import connection
from mnemic.store.sqlite.connection import MEMORY
from mnemic.store.sqlite.store import SqliteStore, SqliteUnit
from mnemic.store.user_zone import user_zone
from mnemic.types import SafeName, Stats, key_of

DATED_LOGS = timedelta(days=7)  # how far back the dated logs are read


class PlainFileStore(SqliteStore):
    """One space in RAM and the folder that keeps it."""

    def __init__(
        self, folder: Folder, space: str, settings: Settings, now: Callable[[], datetime]
    ) -> None:
        self._zone = settings.schedule.zone
        self._busy_timeout = settings.store.busy_timeout.total_seconds()
        super().__init__(MEMORY, busy_timeout=self._busy_timeout, now=now)
        self.folder = folder
        self._mirrored_space = space
        self._reader = PlainFileReader(folder, DATED_LOGS, now, self._zone)
        self._guard = guard_of(settings)
        self._disown = Disowner(settings, self._guard.owners)
        self._writer: MemoryWriter | None = None
        self._caches: Sequence[Callable[[], None]] = ()
        self._opened: dict[SafeName, tuple[SafeName, SafeName, datetime]] = {}
        self._closed = self._stale = False
        self.begin_again(clean=True)
        connection.watch(self)

    def attach(self, writer: MemoryWriter, caches: Sequence[Callable[[], None]]) -> None:
        """Show the files from now on. ``writer`` adds their statements; ``caches`` empties what is
        derived from the store, for when it is built again.
        """
        self._writer, self._caches = writer, caches

    # --- forks ----------------------------------------------------------------------------------

    def let_go(self) -> None:
        """Before a fork: the files are open only while they are read or written."""

    def begin_again(self, *, clean: bool) -> None:
        """In the child: no thread of the parent is inside."""
        self._lock = threading.RLock()
        self._inside = False
        self._stale |= not clean

    # --- units of work --------------------------------------------------------------------------

    @contextlib.contextmanager
    def read(self, space: str) -> Iterator[Unit]:
        with self._up_to_date(), super().read(space) as unit:
            yield unit

    @contextlib.contextmanager
    def write(self, space: str) -> Iterator[Unit]:
        with self._lock, self.folder.alone(), self._up_to_date():
            with self.database.write() as conn:
                unit = MirroredUnit(
                    conn, self.create(conn, space), self.text_stats, self._reader.older
                )
                yield unit
                appended = self._append(unit.entries, unit.notes, user_zone(unit, self._zone))
            for path, data in appended:
                self._reader.note_appended(path, data)
            self._opened |= unit.opened

    def stats(self, space: str) -> Stats:
        with self._up_to_date():
            files = [*self.folder.logs().values(), self.folder.notes]
            size = sum(path.stat().st_size for path in files if path.exists())
            return replace(super().stats(space), file_bytes=size)

    def logged_days(self) -> dict[date, str]:
        """The logs of the last days as a person reads them, the oldest first."""
        return self._reader.days()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            super().close()

    def _append(
        self, entries: Sequence[Entry], added: Sequence[Note], zone: Zone
    ) -> list[tuple[Path, bytes]]:
        """Each entry in the log of its day; one too old to be read there in today's."""
        texts: dict[Path, str] = defaultdict(str)
        first, today = self._reader.first_day(), day_of(self.now(), zone)
        for entry in entries:
            local = logs.in_local_time(entry, zone)
            day = logs.moment_of(local).date()
            texts[self.folder.log(day if day >= first else today)] += logs.written(local)
        texts[self.folder.notes] = "".join(map(notes.written, added))
        return [(path, self.folder.append(path, text)) for path, text in texts.items() if text]

    @contextlib.contextmanager
    def _up_to_date(self) -> Iterator[None]:
        """Nobody else in this process is inside; inside a unit of work nothing moves."""
        with self._lock:
            outermost, self._inside = not self._inside, True
            try:
                if outermost:
                    self._refresh()
                yield
            finally:
                if outermost:
                    self._inside = False

    # --- showing the files ----------------------------------------------------------------------

    def _refresh(self) -> None:
        if self._writer is None or self._closed:
            return
        if self._reader.is_current() and not self._stale:
            return
        stale, self._stale = self._stale, True  # until all of it is there
        added = None if stale else self._reader.read()
        if restarted := added is None:
            added = self._start_again()
        with self.database.write() as conn:
            unit = SqliteUnit(conn, self.create(conn, self._mirrored_space), self.text_stats)
            self._add_entries(unit, added.entries)
            for note in added.notes:
                with contextlib.suppress(InvalidInput):
                    self._add_note(unit, note, self._writer)
            for session, opened in self._opened.items() if restarted else ():
                if unit.ledger.session(session) is None:
                    unit.ledger.open_session(session, *opened)
        self._stale = False

    def _start_again(self) -> Added:
        """An empty database, and all that the files hold now."""
        self.database.close()
        super().__init__(MEMORY, busy_timeout=self._busy_timeout, now=self.now)
        for clear in self._caches:
            clear()
        self._reader.forget()
        return self._reader.read() or Added([], [])

    def _add_entries(self, unit: Unit, entries: Sequence[Entry]) -> None:
        guard = self._guard
        self._add_turns(unit, [entry for entry in entries if isinstance(entry, LoggedTurn)])
        for entry in entries:
            if isinstance(entry, Failed):
                unit.journal.add_event(
                    HOST_FAIL,
                    operation_id=key_of("host_fail", guard.short(entry.id)),
                    subject=guard.short(entry.where),
                    payload={"error": guard.error(entry.error, MAX_SUMMARY)},
                    at=entry.at,
                )
        for ended in last_ends(entries):
            with contextlib.suppress(InvalidInput):
                unit.ledger.end_session(guard.name(ended.session, "session"), ended.at)

    def _add_turns(self, unit: Unit, logged: Sequence[LoggedTurn]) -> None:
        """Each turn at its index; at the end of its session if another is there, as after a file
        was put together by hand.
        """
        existing = {
            turn.id for turn in unit.ledger.turns_by_id([entry.turn.id for entry in logged])
        }
        fresh = {entry.turn.id: entry for entry in logged if entry.turn.id not in existing}
        rows: dict[tuple[str, int], TurnRow] = {}
        displaced: list[TurnRow] = []
        begun: dict[SafeName, bool] = {}
        about: dict[SafeName, LoggedTurn] = {}
        for entry, row in turn_rows(list(fresh.values()), self._guard, self.now()):
            session, index = row.session, entry.turn.index
            if session not in begun:
                begun[session] = unit.ledger.session(session) is not None
            if (session, index) in rows or (begun[session] and turn_at(unit, session, index)):
                displaced.append(row)
            else:
                rows[session, index] = row._replace(idx=index)
            if entry.project or entry.topic:
                about[session] = entry
        written = [*rows.values(), *displaced]
        placed = unit.ledger.append(written) if written else []
        for row, place in zip(written, placed, strict=True):
            if place.disowned:
                self._disown(unit, row.session, self.now())
        for session, entry in about.items():
            names = (self._guard.short(entry.project), self._guard.short(entry.topic))
            unit.ledger.open_session(session, *names, entry.turn.at)

    def _add_note(self, unit: Unit, note: Note, writer: MemoryWriter) -> None:
        id_ = self._guard.label(note.memory.id, "id")
        if note.memory.kind == "credential" or unit.memories.get(id_) is not None:
            return
        old = unit.memories.get(note.supersedes) if note.supersedes else None
        new = new_memory(note, old.id if old is not None and old.status == "active" else None)
        at = note.memory.created_at if note.ours else self.now()
        writer.add(unit, new, id_=id_, at=at, operation_id=note.operation or None)
