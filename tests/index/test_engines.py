"""Every vector engine follows the rows of the database, whatever happens to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mnemic.clock import ManualClock
from mnemic.errors import StoreDamaged
from mnemic.index.chroma import ChromaEngine
from mnemic.index.engine import VectorEngine, VectorTable, behind, follow
from mnemic.index.live_tables import LiveTables, VectorSet
from mnemic.store.contract import Store
from mnemic.store.rows import EmbedText, VectorRow
from mnemic.store.sqlite.store import SqliteStore
from tests.contract.rows import SPACE, append, turn

pytestmark = [
    pytest.mark.feature("R3"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of what ChromaDB stands on
]
DIMENSIONS = 16
NAME = "model-one"
Floats = NDArray[np.float32]


@pytest.fixture
def store(tmp_path: Path, clock: ManualClock) -> Iterator[Store]:
    opened = SqliteStore(str(tmp_path / "memory.db"), busy_timeout=30, now=clock.now)
    yield opened
    opened.close()


@pytest.fixture(params=["memory", "chroma"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorEngine]:
    made = VectorEngine() if request.param == "memory" else chroma(tmp_path)
    yield made
    made.close()


def chroma(tmp_path: Path) -> ChromaEngine:
    pytest.importorskip("chromadb", reason='pip install "mnemic[chroma]"')
    return ChromaEngine(tmp_path / "memory.db.chroma")


def some(seed: int, rows: int = 1) -> Floats:
    found = np.random.default_rng(seed).standard_normal((rows, DIMENSIONS))
    unit: Floats = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
    return unit


def tell(store: Store, count: int, seed: int = 1, parts: int = 1) -> dict[int, Floats]:
    """So many turns with vectors; what the rows are."""
    append(store, *(turn(f"turn {seed} {n}", session=f"s{seed}") for n in range(count)))
    with store.write(SPACE) as unit:
        number = unit.vectors.embedder(NAME, DIMENSIONS)
        waiting = unit.vectors.list_unembedded(number, count)
        given = {record.doc: some(record.doc % 100_003, parts) for record in waiting}
        unit.vectors.put(number, waiting, _rows(given))
    return given


def _rows(given: dict[int, Floats]) -> list[VectorRow]:
    return [
        VectorRow(doc, part, vector.tobytes())
        for doc, vectors in given.items()
        for part, vector in enumerate(vectors)
    ]


def opened(engine: VectorEngine, space: str = SPACE, name: str = NAME) -> VectorTable:
    return engine.table(space, name, "turn", DIMENSIONS)


def brought(store: Store, table: VectorTable, most: int | None = None) -> int:
    """Follow to the end; how many steps it took."""
    steps = 1
    with store.read(SPACE) as unit:
        while not follow(table, unit.vectors, 1, "turn", most):
            steps += 1
        state = unit.vectors.state(1)
        assert not state.reached or behind(table.seen, state, "turn") == 0
    return steps


def best(given: dict[int, Floats], query: Floats) -> dict[int, float]:
    cosines = {doc: float((vectors @ query).max()) for doc, vectors in given.items()}
    return dict(sorted(cosines.items(), key=lambda item: -item[1]))


@pytest.mark.parametrize("most", [None, 7, 1000])
@pytest.mark.parametrize("parts", [1, 3])
def test_a_table_answers_as_the_rows_would(
    engine: VectorEngine, store: Store, most: int | None, parts: int
) -> None:
    given = tell(store, 60, parts=parts)
    table = opened(engine)
    assert len(table) == 0
    assert (brought(store, table, most) > 1) == (most == 7)
    assert len(table) == 60 * parts
    query = some(5)[0]
    exact = best(given, query)
    near = table.search(query, 10)
    assert [one.doc for one in near] == list(exact)[:10]
    assert [one.cosine for one in near] == pytest.approx(list(exact.values())[:10], abs=1e-4)
    assert len(table.search(query, 1000)) == 60
    docs = np.array([*given, 10**9], np.int64)
    cosines = table.cosines(query, docs)
    assert cosines[:-1].tolist() == pytest.approx([exact[doc] for doc in given], abs=1e-4)
    assert np.isnan(cosines[-1])
    assert 1 <= len(table.sample(query)) <= 60 * parts


def test_what_is_new_comes_on_top(engine: VectorEngine, store: Store) -> None:
    table = opened(engine)
    given = tell(store, 5)
    brought(store, table)
    given |= tell(store, 5, seed=2)
    brought(store, table)
    assert len(table) == 10
    query = some(5)[0]
    assert {one.doc for one in table.search(query, 10)} == set(given)


def test_rows_that_were_changed_are_taken_anew(engine: VectorEngine, store: Store) -> None:
    table = opened(engine)
    given = tell(store, 5)
    brought(store, table)
    doc, other = list(given)[2], some(77)
    with store.write(SPACE) as unit:
        unit.vectors.put(
            1, [EmbedText(doc, "", "new", "", "", None, 1)], [VectorRow(doc, 0, other.tobytes())]
        )
    brought(store, table)
    assert len(table) == 5
    (near,) = table.search(other[0], 1)
    assert near.doc == doc
    assert near.cosine == pytest.approx(1, abs=1e-4)


def test_garbage_in_the_rows_is_refused(engine: VectorEngine, store: Store) -> None:
    table = opened(engine)
    doc = next(iter(tell(store, 1)))
    append(store, turn("another"))
    with store.write(SPACE) as unit:
        waiting = unit.vectors.list_unembedded(1, 5)
        unit.vectors.put(1, waiting, [VectorRow(doc + 1, 0, bytes(4 * DIMENSIONS))])
    with pytest.raises(StoreDamaged), store.read(SPACE) as unit:
        follow(table, unit.vectors, 1, "turn")


# --- one that lasts ---------------------------------------------------------------------------


def test_a_collection_is_there_at_the_next_start(tmp_path: Path, store: Store) -> None:
    given = tell(store, 20)
    first = chroma(tmp_path)
    brought(store, opened(first))
    first.close()
    again = chroma(tmp_path)
    table = opened(again)
    with store.read(SPACE) as unit:
        assert behind(table.seen, unit.vectors.state(1), "turn") == 0, "nothing to bring"
    assert len(table) == 20
    query = some(5)[0]
    assert [one.doc for one in table.search(query, 5)] == list(best(given, query))[:5]
    again.close()


def test_spaces_and_embedders_are_apart_and_the_others_go(tmp_path: Path, store: Store) -> None:
    tell(store, 5)
    engine = chroma(tmp_path)
    brought(store, opened(engine))
    assert len(opened(engine, space="another")) == 0
    assert len(opened(engine, name="model-two")) == 0
    brought(store, opened(engine, name="model-two"))
    engine.keep_only(SPACE, "model-two")
    assert len(opened(engine)) == 0
    assert len(opened(engine, name="model-two")) == 5
    engine.close()


def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    engine = chroma(tmp_path)
    (tmp_path / "memory.db.chroma").write_text("not a folder", encoding="utf-8")
    with pytest.raises(StoreDamaged, match="chroma") as caught:
        opened(engine)
    assert "Remove the folder" in str(caught.value.remedy)


# --- held by a process --------------------------------------------------------------------------


def test_a_large_step_is_taken_beside(store: Store) -> None:
    given = tell(store, 300)
    made = VectorSet(1, NAME, DIMENSIONS)
    holder = LiveTables(VectorEngine(), store, SPACE, at_once=100)
    query = some(5)[0]
    with store.read(SPACE) as unit:
        assert holder.tables(unit.vectors, made) == {}
    assert holder.settle(30)
    with store.read(SPACE) as unit:
        table = holder.tables(unit.vectors, made)["turn"]
    assert [one.doc for one in table.search(query, 5)] == list(best(given, query))[:5]
    given |= tell(store, 50, seed=2)
    with store.read(SPACE) as unit:
        assert len(holder.tables(unit.vectors, made)["turn"]) == 350, "a small one at once"
    doc, other = list(given)[2], some(77)
    with store.write(SPACE) as unit:
        unit.vectors.put(
            1, [EmbedText(doc, "", "new", "", "", None, 1)], [VectorRow(doc, 0, other.tobytes())]
        )
    with store.read(SPACE) as unit:
        assert len(holder.tables(unit.vectors, made)["turn"]) == 350, "the old one meanwhile"
    assert holder.settle(30)
    with store.read(SPACE) as unit:
        assert holder.tables(unit.vectors, made)["turn"].search(other[0], 1)[0].doc == doc


def test_damage_found_beside_is_told_to_the_next_query_and_tried_again(store: Store) -> None:
    given = tell(store, 200)
    with store.write(SPACE) as unit:
        (doc, *_) = given
        unit.vectors.put(
            1,
            [EmbedText(doc, "", "new", "", "", None, 1)],
            [VectorRow(doc, 0, bytes(4 * DIMENSIONS))],
        )
    holder = LiveTables(VectorEngine(), store, SPACE, at_once=100)
    made = VectorSet(1, NAME, DIMENSIONS)
    for _ in range(2):
        with store.read(SPACE) as unit:
            assert holder.tables(unit.vectors, made) == {}
        assert holder.settle(30)
        with pytest.raises(StoreDamaged), store.read(SPACE) as unit:
            holder.tables(unit.vectors, made)


def test_a_store_that_is_closed_meanwhile_ends_it(store: Store) -> None:
    tell(store, 300)
    holder = LiveTables(VectorEngine(), store, SPACE, at_once=100)
    with store.read(SPACE) as unit:
        holder.tables(unit.vectors, VectorSet(1, NAME, DIMENSIONS))
    store.close()
    holder.close()
    assert holder.settle(0)


def test_an_earlier_snapshot_does_not_undo_a_table_that_others_search(store: Store) -> None:
    """Two queries at once: the one that began before a record came asks after the other one."""
    given = tell(store, 300)
    holder, made = LiveTables(VectorEngine(), store, SPACE), VectorSet(1, NAME, DIMENSIONS)
    with store.read(SPACE) as earlier:
        assert len(earlier.vectors.load(1, "turn", None, None).docs) == 300  # it is begun
        given |= tell(store, 10, seed=2)
        with store.read(SPACE) as unit:
            table = holder.tables(unit.vectors, made)["turn"]
        assert holder.tables(earlier.vectors, made)["turn"] is table
        assert len(table) == 310
    query = some(5)[0]
    assert len(table.sample(query)) > 0
    assert [one.doc for one in table.search(query, 5)] == list(best(given, query))[:5]
