"""Episodes, the scratchpad and echo lines, as every store keeps them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemic.errors import MnemicError, NotFound
from mnemic.ids import new_id
from mnemic.store.contract import Store
from mnemic.store.rows import PadRow, QueryTerm, Scope
from mnemic.types import ActionNode, Episode, SafeAction, constant
from tests.conftest import NOON
from tests.contract.backends import Backend
from tests.contract.rows import SPACE, after

ACTION = SafeAction(
    ActionNode(
        tool="read_file",
        params={"path": "登录.py", "lines": 3, "deep": [1, {"a": None}]},
        result="def login(): ...",
        success=False,
        error="没有权限",
        decision="try again",
        at=after(minutes=1),
    )
)


def episode(summary: str = "fixed the login", **fields: Any) -> Episode:
    given_: dict[str, Any] = {
        "id": new_id(NOON),
        "session": "s",
        "summary": summary,
        "goal": "fix it",
        "outcome": "success",
        "started_at": NOON,
        "ended_at": after(hours=1),
        "actions": (ACTION,),
        "entities": ("登录.py",),
        "tools": ("read_file",),
        "memories": ("m1",),
        "tags": ("auth",),
        "importance": 0.75,
        "source": "session_end",
    }
    return Episode(**{**given_, **fields})


def add(store: Store, *episodes: Episode, space: str = SPACE, last_turn: str = "") -> list[Episode]:
    with store.write(space) as unit:
        return [
            unit.episodes.add(one, one.summary, last_turn=constant(last_turn)) for one in episodes
        ]


def search(store: Store, word: str, space: str = SPACE, **scope: Any) -> int:
    with store.read(space) as unit:
        terms = [QueryTerm(word, 1.0)]
        return len(unit.text.search(terms, Scope(types=("episode",), **scope), 9).matches)


@pytest.mark.feature("M11", "M12")
def test_an_episode_comes_back_whole(store: Store) -> None:
    row = episode()
    expected = Episode(
        id=row.id,
        session=constant("s"),
        summary=constant("fixed the login"),
        goal=constant("fix it"),
        outcome="success",
        started_at=NOON,
        ended_at=after(hours=1),
        actions=(ACTION,),
        entities=tuple(map(constant, ("登录.py",))),
        tools=tuple(map(constant, ("read_file",))),
        memories=tuple(map(constant, ("m1",))),
        tags=tuple(map(constant, ("auth",))),
        importance=0.75,
        access_count=0,
        source="session_end",
    )
    assert add(store, row) == [expected]
    with store.read(SPACE) as unit:
        assert unit.episodes.by_id([row.id, "nobody"]) == [expected]
    assert store.stats(SPACE).episodes == 1
    assert all(finding.ok for finding in store.check(SPACE, deep=True))


@pytest.mark.feature("M11")
def test_it_is_told_in_other_words(store: Store) -> None:
    (old,) = add(store, episode("first words"))
    new = replace(
        old,
        summary=constant("second thoughts"),
        goal=constant("g"),
        outcome="partial",
        entities=tuple(map(constant, ("x",))),
        tags=tuple(map(constant, ("t",))),
        importance=0.1,
    )
    with store.write(SPACE) as unit:
        assert unit.episodes.revise(new, constant("second thoughts")) == new
    assert (search(store, "first"), search(store, "second")) == (0, 1)
    with pytest.raises(NotFound), store.write(SPACE) as unit:
        unit.episodes.revise(replace(new, id=constant("nobody")), constant("x"))
    assert all(finding.ok for finding in store.check(SPACE, deep=True))


@pytest.mark.feature("M11")
def test_memories_are_linked_and_uses_counted(store: Store) -> None:
    (told,) = add(store, episode())
    with store.write(SPACE) as unit:
        unit.episodes.link(told.id, [constant("m2"), constant("m1"), constant("m2")])
        unit.episodes.link(constant("nobody"), [constant("m2")])
        unit.episodes.touch(told.id, 3)
        unit.episodes.touch("nobody", 3)
        (now,) = unit.episodes.by_id([told.id])
    assert now == replace(told, memories=tuple(map(constant, ("m1", "m2"))), access_count=3)


@pytest.mark.feature("M11")
def test_a_stretch_has_one_episode_for_each_occasion(store: Store) -> None:
    first, *_ = add(
        store,
        episode(),
        episode(source="context_compress"),
        episode(session="other"),
        last_turn="t9",
    )
    add(store, episode(), episode())
    with store.read(SPACE) as unit:
        assert unit.episodes.of_stretch(constant("s"), "session_end", "t9") == first
        assert unit.episodes.of_stretch(constant("s"), "session_end", "t8") is None
        assert unit.episodes.of_stretch(constant("s"), "session_end", "") is None
    with pytest.raises(MnemicError):
        add(store, episode("again"), last_turn="t9")
    assert search(store, "again") == 0


@pytest.mark.feature("M11")
def test_the_latest_come_first(store: Store) -> None:
    add(
        store,
        episode("one", started_at=after(hours=1)),
        episode("three", started_at=after(hours=3), session="t"),
        episode("two", started_at=after(hours=2)),
    )

    def told(**wanted: Any) -> list[str]:
        choice = {"session": None, "since": None, "until": None, "limit": 9, **wanted}
        with store.read(SPACE) as unit:
            return [found.summary for found in unit.episodes.latest(**choice)]

    assert told() == ["three", "two", "one"]
    assert told(limit=1) == ["three"]
    assert told(session="s") == ["two", "one"]
    assert told(since=after(hours=2)) == ["three", "two"]
    assert told(until=after(hours=2)) == ["one"]


def test_search_sees_only_what_the_scope_allows(store: Store) -> None:
    with store.write(SPACE) as unit:
        unit.ledger.open_session(constant("s"), constant("lantern"), constant(""), NOON)
    add(store, episode("tea time"), episode("tea later", session="t", started_at=after(days=1)))
    assert search(store, "tea") == 2
    assert search(store, "tea", session="s") == 1
    assert search(store, "tea", project="lantern") == 1
    assert search(store, "tea", since=after(hours=1)) == 1
    assert search(store, "tea", as_of=after(hours=1)) == 1


@pytest.mark.feature("M13")
def test_a_space_has_one_scratchpad(store: Store) -> None:
    with store.write(SPACE) as unit:
        assert unit.scratchpads.get() is None
        unit.scratchpads.put(constant("一"), NOON)
        unit.scratchpads.put(constant("二"), after(hours=1))
    with store.write("bob") as unit:
        assert unit.scratchpads.get() is None
        unit.scratchpads.put(constant("his"), NOON)
    with store.read(SPACE) as unit:
        assert unit.scratchpads.get() == PadRow(constant("二"), after(hours=1))


@pytest.mark.feature("N1")
def test_echo_lines_are_of_a_session_for_a_time(store: Store) -> None:
    big = 2**63 - 1
    with store.write(SPACE) as unit:
        unit.echoes.note(constant("s"), {1: (10, -11), 2: (big, -big)}, NOON, 9)
        unit.echoes.note(constant("t"), {3: (30,)}, NOON, 9)
        unit.echoes.note(constant(""), {4: (40,)}, after(hours=2), 9)
        unit.echoes.note(constant("s"), {1: (10, -11)}, after(hours=3), 9)
    with store.read(SPACE) as unit:
        assert set(unit.echoes.marks(constant("s"), NOON)) == {10, -11, big, -big, 40}
        assert set(unit.echoes.marks(constant("t"), NOON)) == {30, 40}
        assert set(unit.echoes.marks(constant("nobody"), NOON)) == {40}
        assert set(unit.echoes.marks(constant("s"), after(hours=1))) == {10, -11, 40}
    with store.read("bob") as unit:
        assert set(unit.echoes.marks(constant("s"), NOON)) == set()
    with store.write(SPACE) as unit:
        unit.echoes.drop(after(hours=1))
        assert set(unit.echoes.marks(constant("s"), NOON)) == {10, -11, 40}
        unit.echoes.drop(None)
        assert set(unit.echoes.marks(constant("s"), NOON)) == set()


@pytest.mark.feature("N1")
def test_beyond_the_bound_the_oldest_lines_go(store: Store) -> None:
    with store.write(SPACE) as unit:
        for number in range(10):
            unit.echoes.note(constant("s"), {number: (number,)}, after(minutes=number), 3)
        unit.echoes.note(constant("t"), {1: (100,)}, NOON, 3)
        assert set(unit.echoes.marks(constant("s"), NOON)) == {7, 8, 9}
        assert set(unit.echoes.marks(constant("t"), NOON)) == {100}
        unit.echoes.note(constant("t"), {2: (200,)}, NOON, 0)
        assert set(unit.echoes.marks(constant("t"), NOON)) == set()


def test_an_episode_is_written_whole_or_not_at_all(store: Store) -> None:
    def fail() -> None:
        with store.write(SPACE) as unit:
            unit.episodes.add(episode("gone"), constant("gone"), last_turn=constant(""))
            unit.scratchpads.put(constant("gone"), NOON)
            unit.echoes.note(constant("s"), {1: (1,)}, NOON, 9)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with store.read(SPACE) as unit:
        assert unit.episodes.latest(session=None, since=None, until=None, limit=9) == []
        assert unit.scratchpads.get() is None
        assert set(unit.echoes.marks(constant("s"), NOON)) == set()
    assert search(store, "gone") == 0
    assert all(finding.ok for finding in store.check(SPACE, deep=True))


Step = Callable[[Store, str], None]


def _adds(name: str) -> Step:
    return lambda store, space: None if known(store, space, name) else _add(store, space, name)


def _add(store: Store, space: str, name: str) -> None:
    add(store, episode(f"{space} {name}", id=name), space=space, last_turn=name)


def known(store: Store, space: str, name: str) -> bool:
    with store.read(space) as unit:
        return bool(unit.episodes.by_id([name]))


def _changes(name: str) -> Step:
    def step(store: Store, space: str) -> None:
        with store.write(space) as unit:
            unit.episodes.link(constant(name), [constant(space)])
            unit.episodes.touch(name, 1)
            for told in unit.episodes.by_id([name]):
                unit.episodes.revise(
                    replace(told, summary=constant(f"{space} anew")), constant(f"{space} anew")
                )
            unit.scratchpads.put(constant(f"{space} {name}"), NOON)
            unit.echoes.note(constant("s"), {1: (len(space),)}, NOON, 9)

    return step


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bobby"]),
        st.sampled_from(["e1", "e2"]).flatmap(lambda n: st.sampled_from([_adds(n), _changes(n)])),
    ),
    max_size=12,
)


def seen(store: Store, space: str) -> tuple[object, ...]:
    with store.read(space) as unit:
        return (
            unit.episodes.latest(session=None, since=None, until=None, limit=9),
            unit.scratchpads.get(),
            unit.echoes.marks(constant("s"), NOON),
            [unit.episodes.of_stretch(constant("s"), "session_end", name) for name in ("e1", "e2")],
        )


def test_spaces_never_see_each_other(backend: Backend) -> None:
    """Each space looks as it would in a store where the other never was."""

    @given(steps=STEPS)
    @settings(max_examples=backend.examples)
    def holds(steps: list[tuple[str, Step]]) -> None:
        with backend.fresh() as both:
            for space, step in steps:
                step(both, space)
            for space in ("ann", "bobby"):
                with backend.fresh() as alone:
                    for owner, step in steps:
                        if owner == space:
                            step(alone, owner)
                    assert seen(both, space) == seen(alone, space)
                    for word in ("ann", "bobby", "anew"):
                        assert search(both, word, space) == search(alone, word, space)

    holds()
