"""Many vectors are searched by an index of the database, which no process copies into memory."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray

from mnemic.index.engine import DatabaseTable, VectorEngine
from mnemic.index.live_tables import LiveTables, VectorSet
from mnemic.store.postgres.store import PostgresStore
from mnemic.store.postgres.vectors import index_memory
from mnemic.store.rows import VectorRow
from tests.contract.rows import SPACE, append, turn

pytestmark = pytest.mark.feature("O5")
MANY, WIDE = 600, 32
_MEGABYTES = "SELECT setting::int / 1024 FROM pg_settings WHERE name = 'maintenance_work_mem'"
Floats = NDArray[np.float32]


def vectors(count: int, seed: int = 0) -> Floats:
    drawn = np.random.default_rng(seed).standard_normal((count, WIDE)).astype(np.float32)
    unit: Floats = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return unit


def embed(store: PostgresStore, name: str, seed: int = 0) -> tuple[int, Floats, list[int]]:
    with store.write(SPACE) as unit:
        number = unit.vectors.embedder(name, WIDE)
        waiting = unit.vectors.list_unembedded(number, MANY)
        docs, drawn = [text.doc for text in waiting], vectors(len(waiting), seed)
        rows = [VectorRow(doc, 0, row.tobytes()) for doc, row in zip(docs, drawn, strict=True)]
        unit.vectors.put(number, waiting, rows)
    return number, drawn, docs


def test_a_large_space_gets_an_index_that_finds_the_nearest(store: PostgresStore) -> None:
    store.indexed_from = MANY
    append(store, *(turn(f"turn {n}", session=f"s{n % 7}") for n in range(MANY)))
    number, drawn, docs = embed(store, "first")
    with store.read(SPACE) as unit:
        assert not unit.vectors.has_index(number)
    store.index_vectors(SPACE, number)
    store.index_vectors(SPACE, number)  # there is nothing more to do
    live = LiveTables(VectorEngine(), store, SPACE)
    found = 0
    with store.read(SPACE) as unit:
        assert unit.vectors.has_index(number)
        assert not unit.vectors.has_index(number + 1)
        for query in vectors(20, seed=1):
            cosines = drawn @ query
            best = [docs[n] for n in np.argsort(-cosines)[:10]]
            near = unit.vectors.nearest(number, "turn", query.tobytes(), 10)
            found += len({doc for doc, _ in near} & set(best))
            assert near[0][1] == pytest.approx(float(cosines.max()), abs=1e-5)
            tables = live.tables(unit.vectors, VectorSet(number, "first", WIDE))
            assert isinstance(tables["turn"], DatabaseTable)
            assert [one.doc for one in tables["turn"].search(query, 10)] == [doc for doc, _ in near]
        assert unit.vectors.nearest(number, "memory", drawn[0].tobytes(), 10) == []
    assert not live.holds
    assert found / 200 >= 0.95


def test_the_index_of_an_embedder_goes_with_its_vectors(store: PostgresStore) -> None:
    store.indexed_from = MANY
    append(store, *(turn(f"turn {n}", session=f"s{n % 7}") for n in range(MANY)))
    old, _, _ = embed(store, "old")
    store.index_vectors(SPACE, old)
    new, _, _ = embed(store, "new", seed=2)
    with store.write(SPACE) as unit:
        unit.vectors.retire_others(new)
    store.index_vectors(SPACE, new)
    with store.read(SPACE) as unit:
        assert unit.vectors.has_index(new)
        assert not unit.vectors.has_index(old)
        assert len(unit.vectors.load(new, "turn", None, 50).docs) == 50


def test_an_index_gets_the_memory_it_needs_and_no_less_than_the_server_gives(url: str) -> None:
    """What does not fit is made many times slower: a million vectors in an hour, not in minutes."""
    with psycopg.connect(url, autocommit=True) as conn:
        given = []
        for own in (64 << 10, 6 << 20):
            conn.execute("SELECT set_config('maintenance_work_mem', %s, false)", [str(own)])
            for count in (20_000, 1_000_000, 1_000_000_000):
                conn.execute(index_memory(count, 256).encode())
                given += [int(row[0]) for row in conn.execute(_MEGABYTES)]
        assert given[0] == 512
        assert 1_300 < given[1] < 2_000
        assert given[2] == 4_096
        assert set(given[3:]) == {6_144}
