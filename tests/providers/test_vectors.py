"""What is accepted as a vector, and the cache in front of whoever makes them."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mnemic.errors import BadVector, InvalidInput, ModelError
from mnemic.providers.embedding.base import Vectors, check_vectors, unit
from mnemic.providers.embedding.cache import CachedEmbedder


@given(
    arrays.arrays(
        np.float64,
        st.tuples(st.integers(1, 5), st.integers(1, 8)),
        elements=st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_any_finite_rows_become_rows_of_unit_length_or_zero(rows: np.ndarray) -> None:
    found = unit(rows)
    assert found.dtype == np.float32
    lengths = np.linalg.norm(found.astype(np.float64), axis=1)
    assert np.allclose(lengths, rows.any(axis=1), atol=1e-5)


HOSTILE: dict[str, object] = {
    "not a list": "[[1, 2]]",
    "nothing": None,
    "an object": {"0": [1.0, 2.0]},
    "a flat list": [1.0, 2.0],
    "too deep": [[[1.0, 2.0]]],
    "too few": [],
    "too many": [[1.0, 2.0], [1.0, 2.0]],
    "too long": [[1.0, 2.0, 3.0]],
    "empty": [[]],
    "nan": [[math.nan, 1.0]],
    "infinite": [[math.inf, 1.0]],
    "strings": [["1.0", "2.0"]],
    "a string among numbers": [[1.0, "2.0"]],
    "truths": [[True, False]],
    "null": [[None, 1.0]],
    "too large for a number": [[10**400, 1.0]],
}


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_vector_is_refused(answer: object) -> None:
    with pytest.raises(BadVector) as caught:
        check_vectors(answer, texts=1, dimensions=2, model="m")
    assert isinstance(caught.value, ModelError)
    assert isinstance(caught.value, InvalidInput)
    assert not caught.value.retryable


def test_ragged_vectors_are_refused() -> None:
    with pytest.raises(BadVector, match="different lengths"):
        check_vectors([[1.0, 2.0], [1.0]], texts=2, dimensions=0, model="m")


def test_whole_numbers_are_numbers() -> None:
    assert check_vectors([[3, 4]], texts=1, dimensions=2, model="m").tolist() == [
        [pytest.approx(0.6), pytest.approx(0.8)]
    ]


class Counting:
    """Makes the length of a text into a vector, and counts what it was asked."""

    name = "counting"
    dimensions = 2

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self.asked.append(list(texts))
        return unit(np.array([[len(text) + 1.0, 1.0 + query] for text in texts]))


@pytest.mark.feature("X9")
def test_the_cache_asks_once_for_a_text() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, entries=10)
    first = cached.embed(["a", "bb", "a"])
    assert inner.asked == [["a", "bb"]]
    assert np.array_equal(first, Counting().embed(["a", "bb", "a"]))
    assert np.array_equal(cached.embed(["bb", "ccc"]), Counting().embed(["bb", "ccc"]))
    assert inner.asked[1:] == [["ccc"]]
    assert (cached.name, cached.dimensions) == ("counting", 2)
    assert cached.embed([]).shape == (0, 2)


def test_a_question_is_not_taken_for_a_passage() -> None:
    cached = CachedEmbedder(Counting())
    assert not np.array_equal(cached.embed(["a"]), cached.embed(["a"], query=True))


@pytest.mark.feature("X9")
def test_the_cache_lets_go_of_what_was_used_longest_ago() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, entries=2)
    for text in ("a", "b", "a", "c"):
        cached.embed([text])
    cached.embed(["a"])  # was used after b, so b went
    assert inner.asked == [["a"], ["b"], ["c"]]
    cached.embed(["b"])
    assert inner.asked[3:] == [["b"]]


def test_a_batch_larger_than_the_cache_is_answered_whole() -> None:
    cached = CachedEmbedder(Counting(), entries=2)
    texts = [str(number) for number in range(100)]
    assert np.array_equal(cached.embed(texts), Counting().embed(texts))


def test_changing_an_answer_does_not_change_the_cache() -> None:
    cached = CachedEmbedder(Counting())
    cached.embed(["a"])[:] = 0
    cached.embed(["a"])[:] = 0
    assert cached.embed(["a"]).any()


def test_the_cache_stands_many_threads() -> None:
    cached = CachedEmbedder(Counting(), entries=5)
    texts = [str(number) for number in range(20)]
    right = Counting().embed(texts)
    wrong: list[int] = []

    def work(start: int) -> None:
        for step in range(200):
            at = (start + step * 7) % 20
            if not np.array_equal(cached.embed([texts[at]])[0], right[at]):
                wrong.append(at)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
