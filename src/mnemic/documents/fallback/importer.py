"""Import of plain files into the database when memory is switched on again, each entry once.

What was imported from a file is noted in the database in the very transaction that imports it, so
that a crash, a second process or the next opening adds nothing twice, and what was forgotten since
does not come back. The files stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from pathlib import Path

from mnemic.documents.fallback import logs, notes
from mnemic.documents.fallback.files import Folder, state_name
from mnemic.documents.fallback.logs import Ended, Entry, Failed, LoggedTurn
from mnemic.documents.fallback.notes import Note
from mnemic.documents.files import fingerprint
from mnemic.errors import InvalidInput, NotFound
from mnemic.ids import is_id, new_id
from mnemic.language.guard import Guard
from mnemic.language.placeholders import is_placeholder, says_something
from mnemic.language.tokens import count_tokens
from mnemic.learn.echo import ANYWHERE, note_injected
from mnemic.learn.memory_writer import MemoryWriter
from mnemic.learn.session_end import SessionCloser
from mnemic.record.ledger import LedgerReader
from mnemic.record.recorder import Recorder, accept_turns
from mnemic.rules.speakers import FOREIGN, voice_of
from mnemic.settings.logs import log_of
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.store.rows import DocumentRow, MemoryFilter, TurnRow, Written
from mnemic.types import EMPTY, DailyEvent, NewTurn, Turn, constant

END = "end:"  # begins the name under which the end of a session is noted as imported
_CURRENT = MemoryFilter(status="active", limit=1_000_000)
_NOTHING = Written("", {})
_MIGRATION = constant("migration")  # the channel of document D §12.2


@dataclass(frozen=True, slots=True)
class PlainFileImporter:
    """The way from a folder of plain files into the database of one space."""

    space: Space
    folder: Folder
    recorder: Recorder
    memories: MemoryWriter
    ledger: LedgerReader
    session_ends: SessionCloser

    def run(self) -> None:
        """Import every file that changed since the last time."""
        if not self.folder.path.is_dir():
            return
        changed = self._import_notes()
        for day, path in self.folder.logs().items():
            changed += self._import_log(day, path)
        if changed:
            log_of(self.space.settings).done("migration complete: {files} files", files=changed)

    # --- logs -----------------------------------------------------------------------------------

    def _import_log(self, day: date, path: Path) -> int:
        """Import a log; the number of files imported. One without our turns is a daily event."""
        text = self.folder.text(path)
        print_ = fingerprint(text)
        if self._read_imported(path).file == print_:
            return 0
        entries = list(logs.parse(text))
        plain = "" if entries else text.strip()
        with self.space.write() as unit:
            if says_something(plain):
                self._note_day(unit, day, plain)
            fresh = self._list_fresh(unit, path, entries)
            self._append(unit, fresh)
            self._note(unit, path, "", {entry.turn.id: "" for entry in fresh})
        # The rest may be done again after a crash; only then is the file done with.
        done = self._read_imported(path).bullets
        failed = [entry for entry in entries if isinstance(entry, Failed) and entry.id not in done]
        for failure in failed:
            self.ledger.note_failure(failure.where, failure.error)
        begun = {entry.turn.session for entry in entries if isinstance(entry, LoggedTurn)}
        ends = []
        for end in last_ends(entries):
            name = f"{END}{end.session}:{end.at.isoformat()}"
            if end.session in begun and name not in done:
                self.session_ends.end(end.session)
                ends.append(name)
        with self.space.write() as unit:
            ids = [*ends, *(failure.id for failure in failed)]
            self._note(unit, path, print_, dict.fromkeys(ids, ""))
        return 1

    def _note_day(self, unit: Unit, day: date, text: str) -> None:
        summary, now = self.space.guard.text(text, "summary"), self.space.now()
        event = DailyEvent(
            new_id(now), day, _MIGRATION, EMPTY, summary, count_tokens(summary), False, now
        )
        if not unit.journal.has_daily_event(event):
            unit.journal.add_daily_event(event)

    def _append(self, unit: Unit, fresh: list[LoggedTurn]) -> None:
        rows: list[TurnRow] = []
        for entry, row in accept_logged(fresh, self.space.guard, self.space.now()):
            open_logged_session(unit, entry, row, self.space.guard)
            if entry.placed:  # Where it goes depends on what is there by then.
                self.recorder.record_rows(unit, rows, self.space.now())
                rows = list(_at_its_index(unit, entry, row))
            else:
                rows.append(row)
        self.recorder.record_rows(unit, rows, self.space.now())

    def _list_fresh(self, unit: Unit, path: Path, entries: Iterable[Entry]) -> list[LoggedTurn]:
        imported = self._state(unit, path).bullets
        turns = (entry for entry in entries if isinstance(entry, LoggedTurn))
        fresh = [entry for entry in turns if entry.turn.id not in imported]
        existing = {turn.id for turn in unit.ledger.turns_by_id([entry.turn.id for entry in fresh])}
        return [entry for entry in fresh if entry.turn.id not in existing]

    # --- statements -----------------------------------------------------------------------------

    def _import_notes(self) -> int:
        path = self.folder.notes
        text = self.folder.text(path)
        state = self._read_imported(path)
        if not text or state.file == fingerprint(text):
            return 0
        statements = list(notes.parse(text))
        became = dict(state.bullets)
        fresh = [note for note in statements if note.id not in became]
        with self.space.read() as unit:
            by_person = any(not note.ours for note in fresh)
            current = unit.memories.find(_CURRENT) if by_person else []
        existing = {memory.text for memory in current}
        for note in fresh:
            repeated = not note.ours and note.new.text in existing
            became[note.id] = "" if repeated else self._remember(note, became)
        with self.space.write() as unit:
            # The agent saw all of it, and has said some of it again.
            injected = [note.new.text for note in statements]
            note_injected(unit, ANYWHERE, injected, self.space.now(), self.space.settings.trust)
            self._note(unit, path, fingerprint(text), became)
        return 1

    def _remember(self, note: Note, became: dict[str, str]) -> str:
        """The id of the memory that the note becomes; empty where it states nothing."""
        if is_placeholder(note.new.text):
            return ""
        with self.space.read() as unit:
            old = unit.memories.get(became.get(note.new.supersedes or "", ""))
        supersedes = old.id if old is not None and old.status == "active" else None
        new = replace(note.new, supersedes=supersedes)
        operation = note.operation or f"off:{note.id}"
        try:
            return self.memories.remember(new, operation_id=operation).id
        except InvalidInput:
            return ""

    # --- what was imported ----------------------------------------------------------------------

    def _read_imported(self, path: Path) -> Written:
        with self.space.read() as unit:
            return self._state(unit, path)

    def _state(self, unit: Unit, path: Path) -> Written:
        row = unit.document_states.get(state_name(path))
        return _NOTHING if row is None or row.written is None else row.written

    def _note(self, unit: Unit, path: Path, print_: str, became: Mapping[str, str]) -> None:
        imported = {**self._state(unit, path).bullets, **became}
        unit.document_states.put(
            DocumentRow(constant(state_name(path)), Written(print_, imported)), self.space.now()
        )


def _at_its_index(unit: Unit, entry: LoggedTurn, row: TurnRow) -> Iterator[TurnRow]:
    """The turn at its host's index, at the end if another is there, or nothing if known."""
    try:
        existing = unit.ledger.turn_at(row.session, entry.turn.index)
    except NotFound:
        yield row._replace(idx=entry.turn.index)
    else:
        if (existing.role, existing.text) != (row.role, row.text):
            yield row


# --- entries as the engine takes them, checked like any input: a person may have changed them ----


def accept_logged(
    logged: Sequence[LoggedTurn], guard: Guard, now: datetime
) -> list[tuple[LoggedTurn, TurnRow]]:
    """Logged turns with their rows, for the end of their sessions; unreadable ones are dropped."""
    if not logged:
        return []
    try:
        rows = accept_turns([_new_turn(entry.turn, guard.owners) for entry in logged], now, guard)
        ids = [id_ if is_id(id_ := entry.turn.id) else guard.label(id_, "id") for entry in logged]
    except InvalidInput:
        if len(logged) == 1:
            return []
        half = len(logged) // 2
        return accept_logged(logged[:half], guard, now) + accept_logged(logged[half:], guard, now)
    return [
        (entry, row._replace(id=id_)) for entry, row, id_ in zip(logged, rows, ids, strict=True)
    ]


def open_logged_session(unit: Unit, entry: LoggedTurn, row: TurnRow, guard: Guard) -> None:
    """A session has the project and the topic that its turns were logged with."""
    if entry.project or entry.topic:
        about = guard.short(entry.project), guard.short(entry.topic)
        unit.ledger.open_session(row.session, *about, entry.at)


def _new_turn(turn: Turn, owners: frozenset[int]) -> NewTurn:
    """The turn with its logged trust; who is the owner is judged anew, as a log can be edited."""
    claim = voice_of(turn.role, turn.sender, None, owners).claim
    rests_on_speaker = claim is not None and (turn.trust == "owner" or claim == FOREIGN)
    values = {field.name: getattr(turn, field.name) for field in fields(NewTurn)}
    return NewTurn(**values | {"index": None, "trust": None if rests_on_speaker else turn.trust})


def last_ends(entries: Iterable[Entry]) -> list[Ended]:
    """The ends of sessions in which nobody spoke afterwards."""
    ends: dict[str, Ended] = {}
    for entry in entries:
        if isinstance(entry, LoggedTurn):
            ends.pop(entry.turn.session, None)
        elif isinstance(entry, Ended):
            ends[entry.session] = entry
    return list(ends.values())
