"""Sessions: opened, gone on with, ended, listed."""

from __future__ import annotations

from typing import Any

from mnemic.store.contract import Store
from mnemic.types import SessionInfo, constant
from tests.conftest import NOON
from tests.contract.rows import SPACE, after, append, turn
from tests.contract.test_episodes import add, episode


def test_an_opened_session_is_empty_and_open(store: Store) -> None:
    with store.write(SPACE) as unit:
        unit.ledger.open_session(constant("s"), constant("myclaw"), constant("packaging"), NOON)
    with store.read(SPACE) as unit:
        assert unit.ledger.session(constant("s")) == SessionInfo(
            id=constant("s"),
            project=constant("myclaw"),
            topic=constant("packaging"),
            started_at=NOON,
            last_at=NOON,
            ended_at=None,
            turns=0,
        )


def test_an_unknown_session_is_none(store: Store) -> None:
    with store.read(SPACE) as unit:
        assert unit.ledger.session(constant("s")) is None
    append(store, turn(session="other"))
    with store.read(SPACE) as unit:
        assert unit.ledger.session(constant("s")) is None


def test_opening_again_keeps_what_is_not_told_anew(store: Store) -> None:
    with store.write(SPACE) as unit:
        unit.ledger.open_session(constant("s"), constant("myclaw"), constant("packaging"), NOON)
        unit.ledger.end_session(constant("s"), after(minutes=1))
        unit.ledger.open_session(constant("s"), constant(""), constant("release"), after(minutes=2))
        found = unit.ledger.session(constant("s"))
    assert found is not None
    assert (found.project, found.topic) == ("myclaw", "release")
    assert found.ended_at is None
    assert found.started_at == NOON


def test_ending_is_marked_and_a_new_turn_opens_it_again(store: Store) -> None:
    append(store, turn("one", index=0))
    with store.write(SPACE) as unit:
        unit.ledger.end_session(constant("s"), after(minutes=5))
        ended = unit.ledger.session(constant("s"))
    assert ended is not None
    assert ended.ended_at == after(minutes=5)
    append(store, turn("one", index=0))
    with store.read(SPACE) as unit:
        assert unit.ledger.session(constant("s")) == ended, "a turn that is known opens nothing"
    append(store, turn("two", at=after(minutes=6)))
    with store.read(SPACE) as unit:
        again = unit.ledger.session(constant("s"))
    assert again is not None
    assert again.ended_at is None


def test_a_turn_opens_its_session_by_itself(store: Store) -> None:
    append(store, turn("one", at=after(hours=1)), turn("two", at=after(hours=2)))
    with store.read(SPACE) as unit:
        found = unit.ledger.session(constant("s"))
    assert found is not None
    assert (found.turns, found.project) == (2, "")
    assert (found.started_at, found.last_at) == (after(hours=1), after(hours=2))


def test_the_last_moment_never_goes_back(store: Store) -> None:
    append(store, turn(at=after(hours=2)))
    append(store, turn(at=after(hours=1)))
    with store.read(SPACE) as unit:
        found = unit.ledger.session(constant("s"))
    assert found is not None
    assert found.last_at == after(hours=2)


def test_the_latest_session_comes_first(store: Store) -> None:
    for hour, name in enumerate(["a", "b", "c"]):
        append(store, turn(session=name, at=after(hours=hour)))
    append(store, turn(session="a", at=after(hours=9)))
    with store.read(SPACE) as unit:
        assert [s.id for s in unit.ledger.sessions(10, 0)] == ["a", "c", "b"]
        assert [s.id for s in unit.ledger.sessions(1, 1)] == ["c"]
        assert unit.ledger.sessions(10, 3) == []


def test_sessions_are_narrowed_by_time_project_and_what_was_told(store: Store) -> None:
    for hour, name in enumerate(["a", "b", "c"]):
        append(store, turn(session=name, at=after(hours=hour)))
    with store.write(SPACE) as unit:
        unit.ledger.open_session(
            constant("b"), constant("garden"), constant("Tomatoes"), after(hours=1)
        )
    add(store, episode("They bought a Boat", session="c"))

    def listed(**wanted: Any) -> list[str]:
        with store.read(SPACE) as unit:
            return [found.id for found in unit.ledger.sessions(10, 0, **wanted)]

    assert listed(since=after(hours=1)) == ["c", "b"]
    assert listed(until=after(hours=2)) == ["b", "a"]
    assert listed(project="garden") == ["b"]
    assert listed(text="tomato") == ["b"]
    assert listed(text="BOAT") == ["c"]
    assert listed(text="boat", until=after(hours=1)) == []
