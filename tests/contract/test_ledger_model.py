"""The ledger against a plain Python model of it, under random use."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from mnemic.clock import ManualClock
from mnemic.errors import Conflict
from mnemic.store.rows import Transcript, TurnFilter, TurnRow
from mnemic.types import Role, ToolCall, TurnState, constant
from tests.conftest import NOON
from tests.contract.backends import Backend
from tests.contract.rows import contents, turn

SPACES = ("ann", "bob")
SESSIONS = ("a", "b")
Mark = Literal["digested", "transcribed"]


@dataclass
class ModelTurn:
    row: TurnRow
    index: int
    state: str = "new"
    waits: set[Mark] = field(default_factory=lambda: {"digested", "transcribed"})

    def same(self, row: TurnRow) -> bool:
        mine = self.row
        return (mine.role, mine.text, mine.tool_calls) == (
            row.role,
            row.text,
            row.tool_calls,
        )


@dataclass
class ModelSession:
    started_at: datetime
    last_at: datetime
    project: str = ""
    ended_at: datetime | None = None
    turns: dict[int, ModelTurn] = field(default_factory=dict)
    written: list[ModelTurn] = field(default_factory=list)

    @property
    def next_index(self) -> int:
        return max(self.turns, default=-1) + 1


Draft = tuple[str, int | None, str, Role, bool]
drafts: st.SearchStrategy[list[Draft]] = st.lists(
    st.tuples(
        st.sampled_from(SESSIONS),
        st.none() | st.integers(0, 8),
        st.sampled_from(["tea", "coffee"]),
        st.sampled_from(["user", "assistant"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=5,
)
spaces = st.sampled_from(SPACES)
sessions = st.sampled_from(SESSIONS)


class LedgerMachine(RuleBasedStateMachine):
    """Does to the store and to the model the same, and compares what both show."""

    def __init__(self, backend: Backend) -> None:
        super().__init__()
        self.backend = backend
        self.clock = ManualClock(NOON)
        self.folder = tempfile.TemporaryDirectory()
        self.store = backend.open(Path(self.folder.name), self.clock)
        self.model: dict[str, dict[str, ModelSession]] = {space: {} for space in SPACES}

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    # --- what can happen -------------------------------------------------------------------------

    @rule(minutes=st.integers(-90, 90))
    def time_passes(self, minutes: int) -> None:
        self.clock.advance(minutes=minutes)

    @rule(space=spaces, session=sessions, project=st.sampled_from(["", "x", "y"]))
    def open_session(self, space: str, session: str, project: str) -> None:
        now = self.clock.now()
        with self.store.write(space) as unit:
            unit.ledger.open_session(constant(session), constant(project), constant(""), now)
        found = self.model[space].setdefault(session, ModelSession(now, now))
        found.project = project or found.project
        found.ended_at = None

    @rule(space=spaces, session=sessions)
    def end_session(self, space: str, session: str) -> None:
        with self.store.write(space) as unit:
            unit.ledger.end_session(constant(session), self.clock.now())
        if session in self.model[space]:
            self.model[space][session].ended_at = self.clock.now()

    @rule(space=spaces, batch=drafts)
    def append(self, space: str, batch: list[Draft]) -> None:
        rows = [self._row(draft) for draft in batch]
        expected = self._place(space, rows)
        if expected is None:
            with pytest.raises(Conflict), self.store.write(space) as unit:
                unit.ledger.append(rows)
            return
        with self.store.write(space) as unit:
            placed = unit.ledger.append(rows)
        assert [(place.idx, place.added) for place in placed] == expected
        self._keep(space, rows, expected)

    @rule(space=spaces, batch=drafts)
    def append_and_fail(self, space: str, batch: list[Draft]) -> None:
        rows = [self._row(draft) for draft in batch]
        with contextlib.suppress(Conflict, ZeroDivisionError), self.store.write(space) as unit:
            unit.ledger.append(rows)
            raise ZeroDivisionError

    @rule(space=spaces, session=sessions, mark=st.sampled_from(["digested", "transcribed"]))
    def mark(self, space: str, session: str, mark: Mark) -> None:
        with self.store.write(space) as unit:
            if mark == "digested":
                unit.ledger.mark_digested(constant(session))
            else:
                unit.ledger.mark_transcribed(Transcript(constant(session), 1, self.clock.now()))
        for kept in self._written(space, session):
            kept.waits.discard(mark)

    @rule(space=spaces, session=sessions)
    def drop_transcript(self, space: str, session: str) -> None:
        with self.store.write(space) as unit:
            unit.ledger.drop_transcript(constant(session))
        for kept in self._written(space, session):
            kept.waits.add("transcribed")

    @rule(
        space=spaces,
        session=sessions,
        index=st.integers(0, 8),
        state=st.sampled_from(["extracted", "failed", "new"]),
    )
    def set_state(self, space: str, session: str, index: int, state: TurnState) -> None:
        found = self.model[space].get(session)
        if found and index in found.turns:
            kept = found.turns[index]
            kept.state = state
            with self.store.write(space) as unit:
                unit.ledger.set_state([kept.row.id], state, constant(""))

    @precondition(lambda self: self.backend.lasts)
    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = self.backend.open(Path(self.folder.name), self.clock)

    # --- the model -------------------------------------------------------------------------------

    def _row(self, draft: Draft) -> TurnRow:
        session, index, content, role, tool = draft
        calls = (ToolCall("ls", {"a": [1]}),) if tool else ()
        return turn(
            content, session=session, index=index, role=role, at=self.clock.now(), calls=calls
        )

    def _place(self, space: str, rows: list[TurnRow]) -> list[tuple[int, bool]] | None:
        """Where each row goes and whether it is new; None when one is in conflict."""
        places: list[tuple[int, bool]] = []
        taken = {
            (name, index): kept
            for name, session in self.model[space].items()
            for index, kept in session.turns.items()
        }
        for row in rows:
            ends = [index for name, index in taken if name == row.session]
            index = max(ends, default=-1) + 1 if row.idx is None else row.idx
            known = taken.get((row.session, index))
            if known and not known.same(row):
                return None
            places.append((index, known is None))
            taken.setdefault((row.session, index), ModelTurn(row, index))
        return places

    def _keep(self, space: str, rows: list[TurnRow], places: list[tuple[int, bool]]) -> None:
        for row, (index, added) in zip(rows, places, strict=True):
            if added:
                session = self.model[space].setdefault(row.session, ModelSession(row.at, row.at))
                session.last_at = max(session.last_at, row.at)
                session.ended_at = None
                kept = session.turns[index] = ModelTurn(row, index)
                session.written.append(kept)

    def _written(self, space: str, session: str) -> list[ModelTurn]:
        found = self.model[space].get(session)
        return found.written if found else []

    # --- what must hold --------------------------------------------------------------------------

    @invariant()
    def the_store_shows_what_the_model_shows(self) -> None:
        for space in SPACES:
            self._compare(space)

    def _compare(self, space: str) -> None:
        model = self.model[space]
        with self.store.read(space) as unit:
            shown = {
                s.id: (s.project, s.started_at, s.last_at, s.ended_at, s.turns)
                for s in unit.ledger.sessions(99, 0)
            }
            assert shown == {
                name: (m.project, m.started_at, m.last_at, m.ended_at, len(m.turns))
                for name, m in model.items()
            }
            for name, session in model.items():
                in_order = [session.turns[index] for index in sorted(session.turns)]
                got = unit.ledger.turns(TurnFilter(session=constant(name)))
                assert [(t.id, t.index, t.text, t.state) for t in got] == [
                    (m.row.id, m.index, m.row.text, m.state) for m in in_order
                ]
                backwards = unit.ledger.turns(TurnFilter(session=constant(name), newest_first=True))
                assert backwards == got[::-1]
                assert [t.id for t in unit.ledger.list_undigested(constant(name))] == [
                    m.row.id for m in session.written if "digested" in m.waits
                ]
                assert [t.id for t in unit.ledger.list_untranscribed(constant(name))] == [
                    m.row.id for m in session.written if "transcribed" in m.waits
                ]
            everything = [m for session in model.values() for m in session.written]
            tools = unit.ledger.turns(TurnFilter(tool=constant("ls")))
            assert len(tools) == sum(1 for m in everything if m.row.tool_calls)
            assert sorted(contents(unit.ledger.turns(TurnFilter()))) == sorted(
                m.row.text for m in everything
            )
        stats = self.store.stats(space)
        assert (stats.turns, stats.sessions) == (len(everything), len(model))


@pytest.mark.feature("L1")
def test_the_ledger_is_its_model(backend: Backend) -> None:
    run_state_machine_as_test(
        lambda: LedgerMachine(backend),  # type: ignore[arg-type]
        settings=settings(max_examples=backend.examples, stateful_step_count=20),
    )
