"""Switched on again: what the plain files hold is taken in, once, and the files stay as they are.

What was taken from a file is noted in the database in the very transaction that takes it, so that
a crash, a second process or the next opening adds nothing twice, and what was forgotten since does
not come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from recollect.documents.fallback.files import Folder, state_name
from recollect.documents.fallback.logs import Ended, Entry, Failed, Logs, Said
from recollect.documents.fallback.notes import Note, Notes
from recollect.documents.files import fingerprint
from recollect.errors import InvalidInput, NotFound
from recollect.language.guard import Guard
from recollect.learn.echo import ANYWHERE, note_injected
from recollect.off.speech import claim_of
from recollect.record.accept import accept_turn
from recollect.settings import Settings
from recollect.store.contract import Store, Unit
from recollect.store.document_states import DocumentRow, Written
from recollect.store.rows import MemoryFilter, TurnRow
from recollect.types import NewMemory, NewTurn, SafeName, Turn, constant
from recollect.wiring import Services

_ALL = 1_000_000
_NOTHING = Written("", {})


@dataclass(frozen=True, slots=True)
class TakingIn:
    """The way from a folder of plain files into one space."""

    store: Store
    space: str
    settings: Settings
    services: Services
    now: Callable[[], datetime]
    folder: Folder

    def run(self) -> None:
        """Take in every file that changed since the last time."""
        if not self.folder.path.is_dir():
            return
        self._notes()
        for path in self.folder.logs().values():
            self._log(path)

    # --- what was said --------------------------------------------------------------------------

    def _log(self, path: Path) -> None:
        print_ = fingerprint(self.folder.text(path))
        if self._taken(path).file == print_:
            return
        entries = Logs(self.folder).of(path)
        with self.store.write(self.space) as unit:
            guard = self.services.recorder.guard
            fresh = self._fresh(unit, path, entries)
            for said in fresh:
                if said.project or said.topic:
                    turn = said.turn
                    unit.ledger.open_session(
                        guard.name(turn.session, "session"),
                        guard.maybe_name(said.project, "project"),
                        guard.maybe_name(said.topic, "topic"),
                        turn.at,
                    )
            self._append(unit, fresh)
            self._note(unit, path, "", [said.turn.id for said in fresh])
        # The rest may be done again after a crash; only then is the file done with.
        done = self._taken(path).bullets
        failures = [one for one in entries if isinstance(one, Failed) and one.id not in done]
        for failed in failures:
            self.services.ledger.note_failure(failed.where, failed.error)
        ends = {name: ended for ended, name in _ends(entries) if name not in done}
        for ended in ends.values():
            self.services.session_ends.end(ended.session)
        with self.store.write(self.space) as unit:
            self._note(unit, path, print_, [*ends, *(failed.id for failed in failures)])

    def _append(self, unit: Unit, fresh: Iterable[Said]) -> None:
        rows: list[TurnRow] = []
        for said in fresh:
            if said.placed:  # Where it goes depends on what is there by then.
                self.services.recorder.record_rows(unit, rows, self.now())
                rows = []
            row = _row(unit, said, self.services.recorder.guard)
            rows += [row] if row is not None else []
        self.services.recorder.record_rows(unit, rows, self.now())

    def _fresh(self, unit: Unit, path: Path, entries: Iterable[Entry]) -> list[Said]:
        taken = self._state(unit, path).bullets
        said = [one for one in entries if isinstance(one, Said) and one.turn.id not in taken]
        there = {turn.id for turn in unit.ledger.turns_by_id([one.turn.id for one in said])}
        return [one for one in said if one.turn.id not in there]

    # --- what is known --------------------------------------------------------------------------

    def _notes(self) -> None:
        path = self.folder.notes
        text = self.folder.text(path)
        state = self._taken(path)
        if not text or state.file == fingerprint(text):
            return
        notes = Notes(self.folder).all()
        known = dict(state.bullets)
        fresh = [note for note in notes if note.memory.id not in known]
        there = self._known_texts() if any(not note.ours for note in fresh) else frozenset()
        for note in fresh:
            is_known = not note.ours and note.memory.content in there
            known[note.memory.id] = "" if is_known else self._remember(note, known)
        with self.store.write(self.space) as unit:
            # The agent saw all of it, and has said some of it again.
            shown = [note.memory.content for note in notes]
            note_injected(unit, ANYWHERE, shown, self.now(), self.settings.trust)
            written = Written(fingerprint(text), known)
            unit.document_states.put(DocumentRow(constant(state_name(path)), written), self.now())

    def _remember(self, note: Note, known: dict[str, str]) -> str:
        """The id of the memory that the note has become; the same one each time."""
        memory = note.memory
        kept = self.services.memories.remember(
            NewMemory(
                memory.content,
                kind=memory.kind,
                subject=memory.subject,
                predicate=memory.predicate,
                value=memory.value,
                project=memory.project,
                topic=memory.topic,
                tags=memory.tags,
                importance=memory.importance,
                confidence=memory.confidence,
                trust=memory.trust,
                valid_from=memory.valid_from if note.ours else None,
                expires_at=memory.expires_at,
                supersedes=known.get(note.supersedes) or None,
            ),
            operation_id=note.operation or f"off:{memory.id}",
        )
        return kept.id

    def _known_texts(self) -> frozenset[str]:
        with self.store.read(self.space) as unit:
            held = unit.memories.find(MemoryFilter(status="active", limit=_ALL))
        return frozenset(memory.content for memory in held)

    # --- what was taken -------------------------------------------------------------------------

    def _taken(self, path: Path) -> Written:
        with self.store.read(self.space) as unit:
            return self._state(unit, path)

    def _state(self, unit: Unit, path: Path) -> Written:
        row = unit.document_states.get(state_name(path))
        return _NOTHING if row is None or row.written is None else row.written

    def _note(self, unit: Unit, path: Path, print_: str, ids: Iterable[str]) -> None:
        taken = {**self._state(unit, path).bullets, **dict.fromkeys(ids, "")}
        unit.document_states.put(
            DocumentRow(constant(state_name(path)), Written(print_, taken)), self.now()
        )


def _row(unit: Unit, said: Said, guard: Guard) -> TurnRow | None:
    """The turn for the ledger, checked like any: a person may have changed the file. It stands at
    the index its host chose, unless another is there by now.
    """
    turn = said.turn
    told = NewTurn(
        turn.session,
        turn.role,
        turn.content,
        turn.sender,
        turn.channel,
        turn.tool_calls,
        turn.tool_results,
        turn.at,
        # Whose words they are is judged anew, so that a changed file makes nobody the owner.
        trust=turn.trust if claim_of(turn, guard.owners) is None else None,
    )
    try:
        row = accept_turn(told, turn.at, guard)
    except InvalidInput:
        return None
    index = turn.index if said.placed else None
    if index is not None and (there := _turn_at(unit, row.session, index)) is not None:
        if (there.role, there.content) == (row.role, row.content):
            return None
        index = None
    return row._replace(id=guard.label(turn.id, "id"), idx=index)


def _turn_at(unit: Unit, session: SafeName, index: int) -> Turn | None:
    try:
        return unit.ledger.turn_at(session, index)
    except NotFound:
        return None


def _ends(entries: Iterable[Entry]) -> list[tuple[Ended, str]]:
    """Sessions that nobody spoke in after they ended, with a name for each end."""
    open_: dict[str, Ended] = {}
    spoken: set[str] = set()
    for entry in entries:
        if isinstance(entry, Said):
            spoken.add(entry.turn.session)
            open_.pop(entry.turn.session, None)
        elif isinstance(entry, Ended) and entry.session in spoken:
            open_[entry.session] = entry
    return [(ended, f"end:{ended.session}:{ended.at.isoformat()}") for ended in open_.values()]
