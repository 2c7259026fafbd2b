"""Memories: added, superseded, chained, sourced, listed."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from mnemic.rules.slots import slot_of
from mnemic.store.contract import Store
from mnemic.store.rows import MemoryFilter, QueryTerm, Scope, VectorRow
from mnemic.types import Kind, Memory, MemoryStatus, SafeMetadata, Source, constant
from tests.conftest import NOON
from tests.contract.rows import SPACE, after, append, keep, memory, turn


def add(store: Store, content: str, **fields: object) -> Memory:
    with store.write(SPACE) as unit:
        return keep(unit, memory(content, **fields))  # type: ignore[arg-type]


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
        text=constant("喜欢茶"),
        subject=constant("user"),
        predicate=constant("likes"),
        project=constant("myclaw"),
        topic=constant("_general"),
        tags=tuple(map(constant, ("饮料", "tea"))),
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
        superseded_by=constant(""),
        expires_at=after(days=30),
        sources=(Source(constant("s"), 3, told.id),),
        episode=constant(""),
    )
    with store.write(SPACE) as unit:
        assert keep(unit, row) == expected
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
    assert closed.superseded_at == after(days=2), "known until the new one was learned"
    assert closed.valid_to == after(days=1), "true until the new one began"
    assert closed.updated_at == after(days=2)
    assert closed.text == old.text


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
        ids = [keep(unit, memory(f"v{n}", at=after(hours=n))).id for n in range(300)]
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
        at = after(hours=5)
        choice = MemoryFilter(status="active", holds_at=at, **wanted)  # type: ignore[arg-type]
        with store.read(SPACE) as unit:
            return [m.id for m in unit.memories.find(choice)]

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
        soon = unit.memories.find(MemoryFilter(holds_at=after(hours=1), limit=2))
        late = unit.memories.find(MemoryFilter(holds_at=after(days=1), limit=2))
    assert [m.id for m in soon] == [fading.id]
    assert late == []


# --- slots, likeness, revising, the inbox --------------------------------------------------------


def ids(memories: Sequence[Memory]) -> list[str]:
    return [memory.id for memory in memories]


def put(
    store: Store,
    content: str,
    space: str = SPACE,
    *,
    at: datetime = NOON,
    sources: tuple[str, ...] = (),
    terms: str = "",
    **fields: Any,
) -> Memory:
    new = replace(memory(content, at=at, sources=sources), **fields)
    with store.write(space) as unit:
        return keep(unit, new, terms)


@pytest.mark.feature("M1")
def test_value_confirmations_and_session_come_back(store: Store) -> None:
    added = put(store, "tea", value="tea", confirmations=3, session="talk")
    assert (added.value, added.confirmations, added.session) == ("tea", 3, "talk")
    assert (added.offered, added.snoozed_until) == (0, None)


@pytest.mark.feature("M10")
def test_a_slot_is_found_in_its_project_by_any_spelling(store: Store) -> None:
    first = put(store, "a", subject="Python", predicate="Version")
    second = put(store, "b", subject="ｐｙｔｈｏｎ", predicate="版本", at=after(hours=1))
    put(store, "c", subject="Python", predicate="Version", project="x")
    put(store, "d", subject="Python", predicate="Version", status="pending")
    put(store, "e", subject="Python", predicate="Version", expires_at=after(hours=2))
    put(store, "f", subject="Python", predicate="Version", space="bob")
    put(store, "g", subject="", predicate="Version")
    with store.read(SPACE) as unit:

        def slot(subject: str, predicate: str, hours: int = 3) -> list[str]:
            return ids(
                unit.memories.in_slot(
                    subject,
                    predicate,
                    project=constant("_global"),
                    status="active",
                    now=after(hours=hours),
                )
            )

        assert slot("PYTHON", "version") == [first.id, second.id]
        assert len(slot("PYTHON", "version", 1)) == 3
        assert slot("", "version") == []
        assert slot("ruby", "version") == []


def test_memories_are_found_by_every_filter(store: Store) -> None:
    one, two = turn("x", session="s", sender="eve"), turn("y", session="t")
    append(store, one, two)
    first = put(store, "a", sources=(one.id, two.id), trust="tool", session="s")
    second = put(store, "b", sources=(two.id,), status="pending", kind="rule", at=after(hours=1))
    put(store, "c", space="bob", trust="tool", session="s")
    with store.read(SPACE) as unit:

        def found(**wanted: object) -> list[str]:
            return ids(unit.memories.find(MemoryFilter(**wanted)))  # type: ignore[arg-type]

        assert found() == [second.id, first.id]
        assert found(limit=1) == found(status="pending") == found(kind="rule") == [second.id]
        assert found(offset=1) == found(trust="tool") == found(session="s") == [first.id]
        assert found(from_session="t") == found(from_turn=two.id) == [second.id, first.id]
        assert found(from_sender="eve") == found(from_session="s") == [first.id]
        assert found(from_session="nobody") == found(from_turn="") == found(project="") == []


def test_what_can_change_is_revised_and_the_rest_stays(store: Store) -> None:
    added = put(store, "tea", value="tea")
    changed = replace(
        added,
        importance=0.9,
        confidence=0.8,
        trust="agent",
        status="superseded",
        confirmations=4,
        created_at=after(days=1),
        updated_at=after(days=2),
        valid_from=after(days=-1),
        valid_to=after(days=3),
        superseded_at=after(days=4),
        superseded_by=constant("other"),
        expires_at=after(days=5),
        session=constant("s"),
        snoozed_until=after(days=6),
    )
    with store.write("bob") as unit:
        unit.memories.revise(changed)
    with store.read(SPACE) as unit:
        assert unit.memories.get(added.id) == added
    with store.write(SPACE) as unit:
        unit.memories.revise(replace(changed, text=constant("milk"), offered=7, access_count=9))
        assert unit.memories.get(added.id) == changed


def test_sources_are_added_and_dropped(store: Store) -> None:
    one, two = turn("x"), turn("y", at=after(hours=1))
    append(store, one, two)
    added = put(store, "tea", sources=(one.id,))
    with store.write(SPACE) as unit:
        unit.memories.add_sources(added.id, [one.id, two.id])
        both = unit.memories.by_id([added.id])[0].sources
        unit.memories.drop_sources(added.id, [one.id, "nobody"])
        left = unit.memories.by_id([added.id])[0].sources
    assert [source.turn_id for source in both] == [one.id, two.id]
    assert [source.turn_id for source in left] == [two.id]


@pytest.mark.feature("M7", preset="shiyi")
def test_what_may_be_offered(store: Store) -> None:
    plain = put(store, "a", status="pending", importance=0.5)
    weighty = put(store, "b", status="pending", importance=0.9)
    snoozed = put(store, "c", status="pending")
    put(store, "d", status="pending", expires_at=after(hours=1))
    put(store, "e")
    put(store, "f", status="pending", space="bob")
    with store.write(SPACE) as unit:
        unit.memories.revise(replace(snoozed, snoozed_until=after(hours=3)))

        def offered(hours: int, since: datetime | None = None, limit: int = 10) -> list[str]:
            now = after(hours=hours)
            return ids(unit.memories.to_offer(now=now, since=since, limit=limit))

        assert offered(2) == [weighty.id, plain.id]
        assert offered(2, limit=1) == [weighty.id]
        assert offered(2, since=NOON) == []
        unit.memories.count_offer([weighty.id, snoozed.id], NOON)
        assert offered(2) == [plain.id, weighty.id]
        assert offered(3) == [plain.id, snoozed.id, weighty.id], "what was put off is due"
        unit.memories.count_offer([snoozed.id], after(hours=3))
        assert offered(4) == [plain.id, weighty.id, snoozed.id]
        assert len(unit.memories.list_lapsed(NOON, 10)) == 4
        assert len(unit.memories.list_lapsed(NOON, 1)) == 1
        assert unit.memories.list_lapsed(after(hours=-1), 10) == []


@pytest.mark.feature("M8", preset="semibot")
def test_the_nearest_by_vectors(store: Store) -> None:
    angles = {"a": 0.0, "b": 0.5, "c": 1.0}
    made = {name: put(store, name) for name in angles}
    waiting = put(store, "d", status="pending")
    with store.write(SPACE) as unit:
        number = unit.vectors.embedder("angles", 2)
        rows = unit.vectors.list_unembedded(number, 10)
        unit.vectors.put(
            number,
            rows,
            [VectorRow(row.doc, 0, _vector(angles.get(row.text, 0.0))) for row in rows],
        )

        def nearest(status: MemoryStatus, limit: int = 2) -> list[tuple[str, float]]:
            found = unit.memories.nearest(
                number, _vector(0.1), status=status, now=NOON, limit=limit
            )
            return [(memory.id, round(cosine, 3)) for memory, cosine in found]

        assert nearest("active") == [(made["a"].id, 0.995), (made["b"].id, 0.921)]
        assert nearest("pending") == [(waiting.id, 0.995)]
        assert nearest("rejected") == []
    with store.read("bob") as unit:
        assert unit.memories.nearest(number, _vector(0.1), status="active", now=NOON, limit=9) == []


def _vector(angle: float) -> bytes:
    return struct.pack("2f", math.cos(angle), math.sin(angle))


@pytest.mark.feature("N4")
def test_current_at_a_past_time(store: Store) -> None:
    old = put(store, "old", at=after(days=0))
    new = put(store, "new", at=after(days=2))
    with store.write(SPACE) as unit:
        unit.memories.supersede(old.id, new.id, after(days=2))

        def then(days: float) -> list[str]:
            when = after(days=days)
            return ids(unit.memories.find(MemoryFilter(as_of=when)))

        assert (then(-1), then(0), then(1.9), then(2), then(8)) == (
            [],
            [old.id],
            [old.id],
            [new.id],
            [new.id],
        )


def test_text_is_searched_by_status(store: Store) -> None:
    waiting = put(store, "oolong", status="pending", terms="oolong")
    active = put(store, "oolong too", terms="oolong")
    with store.read(SPACE) as unit:

        def search(status: MemoryStatus | None) -> list[str]:
            scope = Scope(("memory",), status=status, now=NOON)
            found = unit.text.search([QueryTerm("oolong", 1.0)], scope, 9)
            records = unit.text.records([match.doc for match in found.matches])
            return [id_ for _, id_ in records.values()]

        assert search(None) == search("active") == [active.id]
        assert search("pending") == [waiting.id]
        assert search("rejected") == []


def test_memories_of_some_kinds_among_documents(store: Store) -> None:
    kinds: tuple[Kind, ...] = ("fact", "rule", "preference", "rule")
    with store.write(SPACE) as unit:
        for kind in kinds:
            keep(unit, memory(kind, kind=kind))
        docs = unit.text.latest(Scope(types=("memory",)), 10)
        assert len(docs) == len(kinds)
        assert len(unit.memories.of_kinds(docs, ["rule", "preference"])) == 3
        assert len(unit.memories.of_kinds(docs[:1], ["rule"])) == 1
        assert unit.memories.of_kinds(docs, []) == []
        assert unit.memories.of_kinds([], ["rule"]) == []
    with store.read("another") as unit:
        assert unit.memories.of_kinds(docs, ["rule"]) == []


def test_filters_orders_and_pages(store: Store) -> None:
    def added(n: int, content: str, **fields: Any) -> Memory:
        row = replace(memory(content, at=after(hours=n)), **fields)
        with store.write(SPACE) as unit:
            return keep(unit, row)

    tea = added(0, "绿茶 Tea", topic=constant("drinks"), importance=0.9)
    user = added(1, "port", subject=constant("用户"), predicate=constant("端口"))
    bare = added(2, "100% sure_thing", subject=constant("Web"), predicate=constant(""))
    meta = added(3, "meta", metadata=SafeMetadata({"a": 1, "b": True, "c": "1", "d": [1]}))
    cases: list[tuple[dict[str, Any], list[Memory]]] = [
        ({"topic": "drinks"}, [tea]),
        ({"contains": "tEA"}, [tea]),
        ({"contains": "0% sure_"}, [bare]),
        ({"subject": "user"}, [meta, user, tea]),
        ({"subject": "web"}, [bare]),
        ({"predicate": "likes"}, [meta, tea]),
        ({"having": {"a": "1", "c": "1"}}, [meta]),
        ({"having": {"b": "true"}}, [meta]),
        ({"having": {"b": "1"}}, []),
        ({"having": {"z": "1"}}, []),
        ({"since": after(hours=1), "until": after(hours=3)}, [bare, user]),
        ({"order": "oldest", "limit": 2, "offset": 1}, [user, bare]),
        ({"order": "importance", "limit": 2}, [tea, meta]),
        ({"order": "updated", "limit": 1}, [meta]),
    ]
    with store.read(SPACE) as unit:
        for wanted, expected in cases:
            assert ids(unit.memories.find(MemoryFilter(**wanted))) == ids(expected), wanted
    with store.write(SPACE) as unit:
        unit.memories.touch(user.id, 3, after(hours=5))
        unit.memories.revise(replace(tea, metadata=SafeMetadata({"k": None})))
        assert ids(unit.memories.find(MemoryFilter(order="used", limit=1))) == [user.id]
        assert ids(unit.memories.find(MemoryFilter(having={"k": "null"}))) == [tea.id]


def test_slots_of_names_that_are_long_are_told_apart_by_their_ends(store: Store) -> None:
    chance = Random(1)
    subject, predicate = (
        "".join(chr(chance.randrange(0x20000, 0x2A000)) for _ in range(511)) for _ in range(2)
    )
    kept = put(store, "this", subject=f"{subject}a", predicate=f"{predicate}a")
    put(store, "another predicate", subject=f"{subject}a", predicate=f"{predicate}b")
    put(store, "another subject", subject=f"{subject}b", predicate=f"{predicate}a")
    slot = slot_of(f"{subject}a", f"{predicate}a")
    with store.read(SPACE) as unit:
        found = unit.memories.in_slot(
            f"{subject}a",
            f"{predicate}a",
            project=constant("_global"),
            status="active",
            now=after(hours=1),
        )
        assert ids(found) == [kept.id]
        assert [one.text for one in unit.memories.list_stated([slot], [], each=9)] == ["this"]
        of_subject = unit.memories.list_stated([], [f"{subject}a"], each=9)
        assert {one.text for one in of_subject} == {"this", "another predicate"}


def test_what_is_stated_in_slots_and_about_subjects(store: Store) -> None:
    def stated(slots: Sequence[str], subjects: Sequence[str], each: int = 10) -> list[str]:
        with store.read(SPACE) as unit:
            found = unit.memories.list_stated(slots, subjects, each=each)
            docs = [entry.doc for entry in found]
            assert set(unit.text.records(docs)) == set(docs)
        return [entry.text for entry in found]

    def add_to(content: str, subject: str, predicate: str, days: int) -> Memory:
        return put(store, content, subject=subject, predicate=predicate, at=after(days=days))

    old = add_to("lives in Lisbon", "I", "lives_in", 0)
    wrong = add_to("lives in Rome", "user", "lives in", 1)
    new = add_to("lives in Porto", "user", "lives in", 2)
    add_to("Lea is 7", "Lea", "age", 3)
    add_to("Lea plays chess", "lea", "plays", 4)
    add_to("Leander is 9", "Leander", "age", 5)
    add_to("said of nothing", "", "", 6)
    put(store, "perhaps Lea has a cold", subject="Lea", predicate="health", status="pending")
    with store.write(SPACE) as unit:
        unit.memories.supersede(old.id, new.id, after(days=1))
        unit.memories.supersede(wrong.id, new.id, after(days=1), ended=False)
    home = slot_of("user", "lives in")
    assert stated([home], []) == ["lives in Porto", "lives in Lisbon"]
    assert stated([], ["lea"]) == ["Lea plays chess", "Lea is 7"]
    assert stated([home, home], ["lea", "user", "nobody", ""], each=1) == [
        "Lea plays chess",
        "lives in Porto",
    ]
    assert stated([], []) == []
    with store.read("another") as unit:
        assert unit.memories.list_stated([home], ["lea"], each=10) == []


def test_a_statement_is_found_by_its_wording_however_it_is_spelled(store: Store) -> None:
    first = add(store, "Tea, not coffee!", project="kitchen")
    again = add(store, "tea,  NOT ｃｏｆｆｅｅ", project="kitchen")
    add(store, "tea, not coffee", project="office")
    add(store, "tea, no coffee", project="kitchen")
    chinese = add(store, "只喝茶。", project="kitchen")

    def worded(content: str) -> list[str]:
        with store.write(SPACE) as unit:
            alike = unit.memories.find_alike(
                constant(content), project=constant("kitchen"), status="active", now=NOON
            )
            return [found.id for found in alike]

    assert worded("TEA, not coffee.") == [first.id, again.id]
    assert worded("只喝茶") == [chinese.id]
    assert worded("只喝水") == []
    with store.write(SPACE) as unit:
        unit.memories.revise(replace(first, status="archived"))
        unit.memories.revise(replace(again, expires_at=NOON))
        assert unit.memories.any("archived", constant("kitchen"))
        assert not unit.memories.any("archived", constant("office"))
    assert worded("tea, not coffee") == [], "one is put away, the other has expired"
