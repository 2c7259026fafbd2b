"""The index of vectors in memory against exact arithmetic."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from mnemic.index.nearest import EXACT, NearestIndex
from mnemic.index.quantized import BLOCK

Floats = NDArray[np.float32]
MANY = 20_000


def like_sentences(rows: int, dimensions: int, *, shared: float = 1.5, seed: int = 1) -> Floats:
    """Vectors as sentence models make them: topics in a few strong directions, noise in all, and
    a direction that all share.
    """
    random = np.random.default_rng(seed)
    rank = min(48, dimensions // 2)
    basis = random.standard_normal((rank, dimensions)) / np.sqrt(np.arange(1, rank + 1))[:, None]
    topics = random.standard_normal((200, rank))
    here = topics[random.integers(0, 200, rows)] + 0.7 * random.standard_normal((rows, rank))
    found = here @ basis + 0.3 * random.standard_normal((rows, dimensions))
    return unit(found + shared * random.standard_normal(dimensions))


def unit(rows: NDArray[np.floating]) -> Floats:
    found: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return found


@cache
def many(dimensions: int, shared: float) -> tuple[Floats, Floats, NearestIndex]:
    """Rows, queries, and the index of the rows."""
    found = like_sentences(MANY + 40, dimensions, shared=shared)
    index = NearestIndex(dimensions)
    index.append(np.arange(MANY), found[:MANY])
    return found[:MANY], found[MANY:], index


def exactly(rows: Floats, query: Floats, limit: int) -> list[int]:
    return [int(n) for n in np.argsort(-(rows @ query), kind="stable")[:limit]]


@pytest.mark.parametrize(
    ("dimensions", "shared"),
    [(100, 1.5), (384, 1.5), (384, 3.0), (896, 1.5)],
)
def test_the_ten_nearest_of_many_are_found(dimensions: int, shared: float) -> None:
    rows, queries, index = many(dimensions, shared)
    found = total = 0
    for query in queries:
        near = index.search(query, 10)
        assert [n.cosine for n in near] == sorted((n.cosine for n in near), reverse=True)
        found += len({n.doc for n in near} & set(exactly(rows, query, 10)))
        total += 10
    assert found / total >= 0.98


def test_cosines_of_many_are_nearly_exact() -> None:
    rows, queries, index = many(384, 3.0)
    for query in queries[:5]:
        cosines = index.cosines(query, np.arange(MANY))
        assert np.abs(cosines - rows @ query).max() < 0.004
        for near in index.search(query, 10):
            assert near.cosine == pytest.approx(float(rows[near.doc] @ query), abs=0.004)


@pytest.mark.parametrize("size", [0, 1, 300, EXACT])
@pytest.mark.parametrize("dimensions", [100, 384, 896])
def test_few_are_compared_exactly(size: int, dimensions: int) -> None:
    rows = like_sentences(EXACT, dimensions)[:size]
    index = NearestIndex(dimensions)
    index.append(np.arange(size), rows)
    assert len(index) == size
    for query in like_sentences(5, dimensions, seed=2):
        assert [near.doc for near in index.search(query, 10)] == exactly(rows, query, 10)
        assert np.allclose(index.cosines(query, np.arange(size)), rows @ query, atol=1e-6)


@pytest.mark.parametrize("size", [3_000, 6_000])
def test_a_document_is_as_near_as_its_best_passage(size: int) -> None:
    rows = like_sentences(size, 100)
    docs = np.sort(np.random.default_rng(5).integers(0, size // 3, size))
    index = NearestIndex(100)
    index.append(docs, rows)
    query = like_sentences(1, 100, seed=2)[0]
    best: dict[int, float] = {}
    for doc, cosine in zip(docs.tolist(), (rows @ query).tolist(), strict=True):
        best[doc] = max(cosine, best.get(doc, -1.0))
    wanted = np.array([7, 3, size, -1, *best])  # in any order, and some that are not there
    found = index.cosines(query, wanted)
    for doc, cosine in zip(wanted.tolist(), found.tolist(), strict=True):
        if doc in best:
            assert cosine == pytest.approx(best[doc], abs=0.006)
        else:
            assert np.isnan(cosine)
    near = index.search(query, 20)
    assert len({n.doc for n in near}) == 20, "each document once"
    ideal = sorted(best, key=lambda doc: -best[doc])[:20]
    assert len(set(ideal) & {n.doc for n in near}) >= 18
    assert len(index.cosines(query, np.empty(0, np.int64))) == 0


@pytest.mark.parametrize("portion", [1, 100, EXACT - 1, EXACT, EXACT + 1])
@pytest.mark.parametrize("size", [1_000, EXACT, EXACT + 1, 6_000])
def test_portions_make_the_same_index(portion: int, size: int) -> None:
    if portion == 1:
        size = min(size, 300)
    rows = like_sentences(6_000, 100)[:size]
    whole, grown = NearestIndex(100), NearestIndex(100)
    whole.append(np.arange(size), rows)
    for start in range(0, size, portion):
        part = slice(start, min(start + portion, size))
        grown.append(np.arange(size)[part], rows[part])
    grown.append(np.empty(0, np.int64), np.empty((0, 100), np.float32))
    assert len(grown) == len(whole) == size
    for query in like_sentences(5, 100, seed=2):
        assert [n.doc for n in grown.search(query, 25)] == [n.doc for n in whole.search(query, 25)]
        docs = np.arange(size)
        assert np.allclose(grown.cosines(query, docs), whole.cosines(query, docs), atol=1e-6)


@pytest.mark.parametrize("dimensions", [100, 384, 896])
def test_many_take_little_memory(dimensions: int) -> None:
    _, _, index = many(dimensions, 1.5)
    words = -(-dimensions // 64)
    rows = -(-MANY // BLOCK) * BLOCK  # room is made by the block
    assert index.memory <= rows * (dimensions + 8 * words + 4) + 8 * MANY + 4 * dimensions
    assert index.memory < rows * dimensions * 4 / 3, "a third of the vectors themselves"
    assert NearestIndex(dimensions).memory == 0


def test_zero_vectors_harm_nothing() -> None:
    for size in (50, 5_000):
        rows = like_sentences(size, 100)
        rows[::7] = 0
        index = NearestIndex(100)
        index.append(np.arange(size), rows)
        query = like_sentences(1, 100, seed=2)[0]
        cosines = index.cosines(query, np.arange(size))
        assert np.isfinite(cosines).all()
        assert np.abs(cosines[::7]).max() < 0.01
        nothing = index.search(np.zeros(100, np.float32), 5)
        assert [near.cosine for near in nothing] == [0.0] * 5
        assert np.isfinite(index.sample(query)).all()


def test_a_sample_is_spread_over_all() -> None:
    rows, queries, index = many(384, 1.5)
    sample = index.sample(queries[0])
    everything = rows @ queries[0]
    assert len(sample) == 256
    assert float(sample.mean()) == pytest.approx(float(everything.mean()), abs=0.03)
    assert float(sample.std()) == pytest.approx(float(everything.std()), abs=0.03)
    small = NearestIndex(384)
    small.append(np.arange(9), rows[:9])
    assert np.allclose(small.sample(queries[0]), rows[:9] @ queries[0], atol=1e-6)
