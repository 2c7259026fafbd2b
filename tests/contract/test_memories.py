"""Memories: added, superseded, chained, sourced, listed."""

from __future__ import annotations

from itertools import pairwise

from recollect.store.base import Store
from recollect.types import Memory, Source
from tests.conftest import NOON
from tests.contract.rows import SPACE, after, append, memory, turn


def add(store: Store, content: str, **fields: object) -> Memory:
    with store.write(SPACE) as unit:
        return unit.memories.add(memory(content, **fields))  # type: ignore[arg-type]


def test_a_memory_comes_back_whole(store: Store) -> None:
    told = turn("我喜欢茶", index=3)
    append(store, told)
    row = memory(
        "喜欢茶",
        kind="preference",
        project="myclaw",
        valid_from=after(days=-2),
        expires_at=after(days=30),
        sources=(told.id,),
        tags=("饮料", "tea"),
    )
    expected = Memory(
        id=row.id,
        kind="preference",
        content="喜欢茶",
        subject="user",
        predicate="likes",
        project="myclaw",
        topic="_general",
        tags=("饮料", "tea"),
        importance=0.5,
        confidence=0.75,
        trust="owner",
        status="active",
        access_count=0,
        created_at=NOON,
        updated_at=NOON,
        last_accessed_at=NOON,
        valid_from=after(days=-2),
        valid_to=None,
        superseded_at=None,
        superseded_by="",
        expires_at=after(days=30),
        sources=(Source("s", 3, told.id),),
        episode="",
    )
    with store.write(SPACE) as unit:
        assert unit.memories.add(row) == expected
    with store.read(SPACE) as unit:
        assert unit.memories.get(row.id) == expected
        assert unit.memories.by_id([row.id, "nobody"]) == [expected]
        assert unit.memories.get("nobody") is None
        assert unit.memories.by_id([]) == []


def test_sources_come_in_the_order_they_were_said(store: Store) -> None:
    late, early = turn("late", at=after(hours=2)), turn("early", at=after(hours=1))
    append(store, late, early)
    added = add(store, "tea", sources=(late.id, early.id))
    assert [source.turn_id for source in added.sources] == [early.id, late.id]


def test_superseding_closes_the_old_and_keeps_it(store: Store) -> None:
    old = add(store, "uses Python 3.11")
    new = add(store, "uses Python 3.12", at=after(days=2), valid_from=after(days=1))
    with store.write(SPACE) as unit:
        unit.memories.supersede(old.id, new.id, after(days=2))
        closed = unit.memories.get(old.id)
        assert unit.memories.get(new.id) == new
    assert closed is not None
    assert closed.status == "superseded"
    assert closed.superseded_by == new.id
    assert closed.superseded_at == after(days=2), "known until the new one was learnt"
    assert closed.valid_to == after(days=1), "true until the new one began"
    assert closed.updated_at == after(days=2)
    assert closed.content == old.content


def test_a_chain_is_the_same_from_every_version(store: Store) -> None:
    versions = [add(store, f"version {n}", at=after(days=n)) for n in range(4)]
    other = add(store, "something else")
    with store.write(SPACE) as unit:
        for old, new in pairwise(versions):
            unit.memories.supersede(old.id, new.id, new.created_at)
    expected = [version.id for version in versions]
    with store.read(SPACE) as unit:
        for version in versions:
            assert [m.id for m in unit.memories.chain(version.id)] == expected
        assert [m.id for m in unit.memories.chain(other.id)] == [other.id]
        assert unit.memories.chain("nobody") == []


def test_a_chain_of_many_versions(store: Store) -> None:
    with store.write(SPACE) as unit:
        ids = [unit.memories.add(memory(f"v{n}", at=after(hours=n))).id for n in range(300)]
        for old, new in pairwise(ids):
            unit.memories.supersede(old, new, NOON)
        assert [m.id for m in unit.memories.chain(ids[150])] == ids


def test_two_memories_may_merge_into_one(store: Store) -> None:
    one, two = add(store, "likes tea"), add(store, "likes green tea", at=after(hours=1))
    both = add(store, "likes green tea most", at=after(hours=2))
    with store.write(SPACE) as unit:
        unit.memories.supersede(one.id, both.id, after(hours=2))
        unit.memories.supersede(two.id, both.id, after(hours=2))
        assert [m.id for m in unit.memories.chain(one.id)] == [one.id, two.id, both.id]


def test_current_memories_newest_first(store: Store) -> None:
    first = add(store, "a", project="x")
    second = add(store, "b", kind="rule", at=after(hours=1))
    third = add(store, "c", project="x", kind="rule", at=after(hours=2))
    waiting = add(store, "d", status="pending", at=after(hours=3))
    gone = add(store, "e")
    with store.write(SPACE) as unit:
        unit.memories.supersede(gone.id, first.id, after(hours=4))

    def current(**wanted: object) -> list[str]:
        choice: dict[str, object] = {"kind": None, "project": None, "now": NOON, "limit": 10}
        with store.read(SPACE) as unit:
            current = unit.memories.current(**{**choice, **wanted})  # type: ignore[arg-type]
            return [m.id for m in current]

    assert current() == [third.id, second.id, first.id]
    assert waiting.id not in current()
    assert current(kind="rule") == [third.id, second.id]
    assert current(project="x") == [third.id, first.id]
    assert current(project="x", kind="fact") == [first.id]
    assert current(limit=1) == [third.id]


def test_what_has_expired_is_not_current(store: Store) -> None:
    fading = add(store, "a", expires_at=after(days=1))
    for number in range(3):
        add(store, f"b{number}", expires_at=after(hours=1), at=after(minutes=number + 1))
    with store.read(SPACE) as unit:
        soon = unit.memories.current(kind=None, project=None, now=after(hours=1), limit=2)
        late = unit.memories.current(kind=None, project=None, now=after(days=1), limit=2)
    assert [m.id for m in soon] == [fading.id]
    assert late == []
