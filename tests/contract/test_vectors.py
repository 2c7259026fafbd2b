"""Vectors: every record gets them once, a changed one again, and no two embedders are mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from mnemic.errors import BadVector
from mnemic.store.contract import Store
from mnemic.store.rows import EmbedText, VectorRow, type_of
from mnemic.types import RECORD_TYPES, Attachment, RecordType, constant
from tests.contract.rows import SPACE, append, attach, attachment, keep, memory, turn

DIMENSIONS = 8
ONE, TWO = "model-one", "model-two"
Floats = NDArray[np.float32]


def number(store: Store, name: str = ONE, space: str = SPACE) -> int:
    with store.write(space) as unit:
        return unit.vectors.embedder(name, DIMENSIONS)


def waiting(store: Store, embedder: int, limit: int = 100, space: str = SPACE) -> list[EmbedText]:
    with store.read(space) as unit:
        return unit.vectors.list_unembedded(embedder, limit)


def some(seed: int, rows: int = 1) -> Floats:
    found = np.random.default_rng(seed).standard_normal((rows, DIMENSIONS))
    unit: Floats = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
    return unit


def put(
    store: Store,
    embedder: int,
    done: Sequence[EmbedText],
    vectors: dict[int, Floats] | None = None,
    space: str = SPACE,
) -> None:
    """Store one vector for each record, or the given ones."""
    given = vectors or {record.doc: some(record.doc % 1000) for record in done}
    rows = [
        VectorRow(doc, part, vector.tobytes())
        for doc, passages in given.items()
        for part, vector in enumerate(passages)
    ]
    with store.write(space) as unit:
        unit.vectors.put(embedder, done, rows)


def held(store: Store, embedder: int, type_: RecordType = "turn", space: str = SPACE) -> list[int]:
    with store.read(space) as unit:
        return unit.vectors.load(embedder, type_, None).docs


def rewrites(store: Store, embedder: int, type_: RecordType = "turn") -> int:
    with store.read(SPACE) as unit:
        return unit.vectors.state(embedder).rewrites[type_]


def add_others(store: Store) -> Attachment:
    sent = attachment(description="a cat", transcription="miaow", extracted_text="CAT")
    with store.write(SPACE) as unit:
        keep(unit, memory("likes tea"))
        attach(unit, sent)
    return sent


def describe(store: Store, row: Attachment, description: str) -> None:
    with store.write(SPACE) as unit:
        unit.attachments.replace(
            replace(row, description=constant(description)), constant(description)
        )


def test_an_embedder_keeps_its_number(store: Store) -> None:
    one, two = number(store), number(store, TWO)
    assert one != two
    assert number(store) == one
    with store.read(SPACE) as unit:
        assert unit.vectors.list_embedders() == {ONE: one, TWO: two}


def test_every_type_waits_for_its_vectors(store: Store) -> None:
    one = number(store)
    assert waiting(store, one) == []
    append(store, turn("green tea", sender="Ann"), turn("coffee"))
    add_others(store)
    found = waiting(store, one)
    texts = {(type_of(record.doc), record.speaker, record.text) for record in found}
    assert texts == {
        ("turn", "Ann", "green tea"),
        ("turn", "", "coffee"),
        ("memory", "", "likes tea"),
        ("attachment", "", "cat.png a cat miaow CAT"),
    }
    with store.read(SPACE) as unit:
        assert unit.vectors.waiting(one) == 4
        assert unit.vectors.count(one, 10) == 0
    put(store, one, found)
    assert waiting(store, one) == []
    with store.read(SPACE) as unit:
        assert unit.vectors.waiting(one) == 0
        assert unit.vectors.count(one, 10) == 4
        assert unit.vectors.count(one, 3) == 3


def test_each_type_has_a_mark_of_its_own(store: Store) -> None:
    one = number(store)
    append(store, *(turn(f"turn {n}") for n in range(5)))
    first = waiting(store, one, 2)
    add_others(store)
    assert [record.text for record in first] == ["turn 0", "turn 1"]
    put(store, one, first)
    with store.read(SPACE) as unit:
        assert unit.vectors.state(one).reached == {"turn": first[-1].doc}
        assert unit.vectors.waiting(one) == 5
    rest = waiting(store, one)
    turns = [record.text for record in rest if type_of(record.doc) == "turn"]
    assert turns == ["turn 2", "turn 3", "turn 4"]
    assert {type_of(record.doc) for record in rest} == {"turn", "memory", "attachment"}
    put(store, one, rest)
    append(store, turn("a new one"))
    assert [record.text for record in waiting(store, one)] == ["a new one"]


def test_a_record_may_have_no_vector_or_several(store: Store) -> None:
    one = number(store)
    append(store, turn("long"), turn("!"))
    long, blank = waiting(store, one)
    put(store, one, [long, blank], {long.doc: some(1, rows=3)})
    assert waiting(store, one) == [], "nothing to say about one is also done"
    assert held(store, one) == [long.doc] * 3
    with store.read(SPACE) as unit:
        loaded = unit.vectors.load(one, "turn", None)
    assert np.array_equal(
        np.frombuffer(loaded.vectors, np.float32).reshape(3, DIMENSIONS), some(1, rows=3)
    )


def test_a_changed_text_waits_again_and_replaces_its_vectors(store: Store) -> None:
    one = number(store)
    append(store, turn("tea"))
    sent = add_others(store)
    put(store, one, waiting(store, one))
    (doc,) = held(store, one, "attachment")
    before = rewrites(store, one, "attachment")
    describe(store, sent, "a dog")
    (again,) = waiting(store, one)
    assert (again.doc, again.text, again.change) == (doc, "cat.png a dog miaow CAT", 1)
    assert held(store, one, "attachment") == [doc], "the old vector answers meanwhile"
    put(store, one, [again], {doc: some(9, rows=2)})
    assert waiting(store, one) == []
    assert held(store, one, "attachment") == [doc, doc]
    assert rewrites(store, one, "attachment") == before + 1
    assert rewrites(store, one) == 0, "an index of turns need not be made again"
    describe(store, sent, "!")
    (again,) = waiting(store, one)
    with store.write(SPACE) as unit:
        unit.vectors.put(one, [again], [])
    assert held(store, one, "attachment") == [], "no stale passage is left"


def test_a_change_while_it_was_being_embedded_is_not_lost(store: Store) -> None:
    one = number(store)
    sent = add_others(store)
    new = waiting(store, one)
    describe(store, sent, "a dog")
    put(store, one, new)
    (again,) = waiting(store, one)
    assert "a dog" in again.text, "changed before the first vector was there"
    describe(store, sent, "a horse")
    put(store, one, [again])
    (once_more,) = waiting(store, one)
    assert "a horse" in once_more.text, "changed before the second"
    assert once_more.change > again.change
    put(store, one, [once_more])
    assert waiting(store, one) == []


def test_new_vectors_do_not_count_as_rewritten(store: Store) -> None:
    one = number(store)
    append(store, turn("tea"))
    put(store, one, waiting(store, one))
    append(store, turn("coffee"))
    put(store, one, waiting(store, one))
    assert rewrites(store, one) == 0


def test_only_what_is_new_can_be_loaded(store: Store) -> None:
    one = number(store)
    append(store, turn("one"), turn("two"))
    put(store, one, waiting(store, one))
    with store.read(SPACE) as unit:
        reached = unit.vectors.state(one).reached["turn"]
    append(store, turn("three"))
    late = waiting(store, one)
    put(store, one, late)
    with store.read(SPACE) as unit:
        assert unit.vectors.load(one, "turn", reached).docs == [record.doc for record in late]
        assert unit.vectors.load(one, "turn", late[-1].doc) == ([], b"")
        for type_ in RECORD_TYPES:
            assert len(unit.vectors.load(one, type_, None).docs) == 3 * (type_ == "turn")


@pytest.mark.parametrize("most", [1, 2, 3, 4, 7, 100])
def test_vectors_are_loaded_in_portions_that_tear_no_record(store: Store, most: int) -> None:
    one = number(store)
    append(store, *(turn(f"turn {n}") for n in range(9)))
    records = waiting(store, one)
    put(store, one, records, {r.doc: some(n, rows=1 + n % 3) for n, r in enumerate(records)})
    docs: list[int] = []
    vectors = b""
    with store.read(SPACE) as unit:
        whole = unit.vectors.load(one, "turn", None)
        while True:
            part = unit.vectors.load(one, "turn", docs[-1] if docs else None, most)
            if not part.docs:
                break
            assert len(part.docs) < most + 3
            docs, vectors = docs + part.docs, vectors + part.vectors
    assert (docs, vectors) == whole


def test_how_many_records_each_embedder_has_worked_through(store: Store) -> None:
    one, two = number(store), number(store, TWO)
    append(store, *(turn(f"turn {n}") for n in range(9)))
    add_others(store)
    with store.read(SPACE) as unit:
        assert unit.vectors.coverage() == {}
        assert unit.vectors.dimensions(one) == DIMENSIONS
    put(store, one, waiting(store, one))
    put(store, two, waiting(store, two, 4))
    with store.read(SPACE) as unit:
        covered = unit.vectors.coverage()
    assert covered[one].records - covered[two].records == 7
    assert covered[one].dimensions == covered[two].dimensions == DIMENSIONS
    assert {covered[one].embedder, covered[two].embedder} == {ONE, TWO}
    with store.read("nobody") as unit:
        assert unit.vectors.coverage() == {}


def test_the_nearest_by_a_scan_and_a_sample_of_all(store: Store) -> None:
    one = number(store)
    append(store, *(turn(f"turn {n}") for n in range(50)))
    records = waiting(store, one)
    matrix = some(3, rows=50)
    put(store, one, records, {r.doc: matrix[n : n + 1] for n, r in enumerate(records)})
    query = some(4)[0]
    with store.read(SPACE) as unit:
        best = unit.vectors.scan(one, query.tobytes(), 5)
        sample = unit.vectors.sample(one, query.tobytes(), 10)
        assert unit.vectors.sample(number(store, TWO), query.tobytes(), 10) == []
    order = np.argsort(-(matrix @ query))[:5]
    assert [doc for doc, _ in best] == [records[n].doc for n in order]
    assert 8 <= len(sample) <= 12
    cosine = dict(zip((r.doc for r in records), (matrix @ query).tolist(), strict=True))
    assert all(value == pytest.approx(cosine[doc], abs=1e-5) for doc, value in sample)


@pytest.mark.feature("R3", preset=["openakita", "shiyi", "semibot"])
def test_a_scan_is_the_cosine_with_every_vector(store: Store) -> None:
    one = number(store)
    append(store, *(turn(f"turn {n}") for n in range(50)))
    records = waiting(store, one)
    matrix = some(3, rows=50)
    put(store, one, records, {r.doc: matrix[n : n + 1] for n, r in enumerate(records)})
    query = some(4)[0]
    with store.read(SPACE) as unit:
        found = dict(unit.vectors.scan(one, query.tobytes()))
        longer = dict(unit.vectors.scan(one, (query * 3).tobytes()))
    assert list(found) == [record.doc for record in records]
    assert np.allclose(list(found.values()), matrix @ query, atol=1e-5)
    assert np.allclose(list(longer.values()), matrix @ query, atol=1e-5), "of any length"


def test_what_was_paid_for_is_kept_by_its_hash(store: Store) -> None:
    one, two = number(store), number(store, TWO)
    vectors = {b"a" * 32: some(1).tobytes(), b"b" * 32: some(2).tobytes()}
    with store.write(SPACE) as unit:
        unit.vectors.cache(one, vectors)
        unit.vectors.cache(one, {b"a" * 32: some(3).tobytes()})
    with store.read(SPACE) as unit:
        assert unit.vectors.read_cached(one, [b"a" * 32, b"b" * 32, b"c" * 32]) == vectors
        assert unit.vectors.read_cached(two, list(vectors)) == {}
        assert unit.vectors.read_cached(one, []) == {}
    with store.write("other") as unit:
        assert unit.vectors.read_cached(one, list(vectors)) == {}, "nor does it tell another owner"


@pytest.mark.feature("R3")
def test_two_embedders_are_never_mixed(store: Store) -> None:
    one, two = number(store), number(store, TWO)
    append(store, turn("tea"))
    records = waiting(store, one)
    put(store, one, records, {records[0].doc: some(1)})
    assert [record.doc for record in waiting(store, two)] == [records[0].doc]
    assert held(store, two) == []
    put(store, two, records, {records[0].doc: some(2)})
    with store.read(SPACE) as unit:
        for embedder, seed in ((one, 1), (two, 2)):
            assert unit.vectors.load(embedder, "turn", None).vectors == some(seed).tobytes()
            ((_, cosine),) = unit.vectors.scan(embedder, some(seed).tobytes())
            assert cosine == pytest.approx(1, abs=1e-5)


def test_the_others_are_retired(store: Store) -> None:
    one, two = number(store), number(store, TWO)
    append(store, turn("tea"))
    for embedder in (one, two):
        put(store, embedder, waiting(store, embedder))
        with store.write(SPACE) as unit:
            unit.vectors.cache(embedder, {b"a" * 32: some(1).tobytes()})
    before = rewrites(store, two)
    with store.write(SPACE) as unit:
        unit.vectors.retire_others(two)
    assert (held(store, one), len(held(store, two))) == ([], 1)
    assert len(waiting(store, one)) == 1, "it would have to begin again"
    assert waiting(store, two) == []
    with store.read(SPACE) as unit:
        assert unit.vectors.read_cached(one, [b"a" * 32]) == {}
        assert len(unit.vectors.read_cached(two, [b"a" * 32])) == 1
    assert rewrites(store, two) == before + 1, "an index in memory must notice"
    with store.write(SPACE) as unit:
        unit.vectors.retire_others(two)
    assert rewrites(store, two) == before + 1, "nothing more to retire"


def test_spaces_are_apart(store: Store) -> None:
    one = number(store)
    append(store, turn("mine"))
    append(store, turn("theirs"), space="other")
    assert [record.text for record in waiting(store, one)] == ["mine"]
    put(store, one, waiting(store, one))
    theirs = waiting(store, one, space="other")
    assert [record.text for record in theirs] == ["theirs"]
    put(store, one, theirs, space="other")
    for space in (SPACE, "other"):
        assert len(held(store, one, space=space)) == 1
        with store.read(space) as unit:
            assert len(unit.vectors.scan(one, some(1).tobytes())) == 1
            assert unit.vectors.count(one, 10) == 1
    two = number(store, TWO, space="other")
    with store.write("other") as unit:
        unit.vectors.retire_others(two)
    assert held(store, one, space="other") == []
    assert len(held(store, one)) == 1
    with store.read("nobody") as unit:
        assert unit.vectors.list_unembedded(one, 10) == []
        assert unit.vectors.scan(one, some(1).tobytes()) == []


@pytest.mark.parametrize("dimensions", [DIMENSIONS - 1, DIMENSIONS + 1, 2 * DIMENSIONS])
def test_a_vector_of_another_length_is_refused(store: Store, dimensions: int) -> None:
    one = number(store)
    append(store, turn("tea"), turn("coffee"))
    good, bad = waiting(store, one)
    put(store, one, [good])
    wrong = np.ones(dimensions, np.float32).tobytes()
    with pytest.raises(BadVector) as caught, store.write(SPACE) as unit:
        unit.vectors.put(one, [bad], [VectorRow(bad.doc, 0, wrong)])
    assert str(dimensions) in caught.value.message
    assert str(DIMENSIONS) in caught.value.message
    with pytest.raises(BadVector), store.write(SPACE) as unit:
        unit.vectors.cache(one, {b"a" * 32: wrong})
    with pytest.raises(BadVector), store.read(SPACE) as unit:
        unit.vectors.scan(one, wrong)
    assert held(store, one) == [good.doc]
    assert waiting(store, one) == [bad], "nothing was stored"


def test_the_first_vector_decides_where_the_length_was_not_known(store: Store) -> None:
    with store.write(SPACE) as unit:
        one = unit.vectors.embedder("remote", 0)
    append(store, turn("tea"), turn("coffee"))
    first, second = waiting(store, one)
    put(store, one, [first])
    assert held(store, one) == [first.doc]
    with pytest.raises(BadVector), store.write(SPACE) as unit:
        unit.vectors.put(one, [second], [VectorRow(second.doc, 0, bytes(12))])
