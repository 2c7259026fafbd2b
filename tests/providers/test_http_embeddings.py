"""Embeddings from servers: the three protocols, and answers that are not vectors."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from mnemic.errors import BadVector
from mnemic.providers.embedding.base import expect
from mnemic.providers.embedding.cache import CachedEmbedder
from tests.providers.scripted import Asked, Scripted, reply
from tests.providers.speaking import KEY, embedder, failure, ollama, openai, vector


@pytest.mark.feature("X9", "R3")
@pytest.mark.parametrize(
    ("provider", "answer", "path"),
    [
        ("openai", openai, "/embeddings"),
        ("dashscope", openai, "/embeddings"),
        ("ollama", ollama, "/api/embed"),
    ],
)
def test_each_protocol(
    server: Scripted, provider: str, answer: Callable[[Asked], object], path: str
) -> None:
    server.always(reply(answer))
    texts = ["tea", " ", "绿茶", "coffee"]
    with embedder(server, provider, batch=2) as made:
        assert made.dimensions == 0
        rows = made.embed(texts)
        assert (made.name, made.dimensions) == (f"{provider}-m", 3)
    wanted = np.array([vector(text) if text.strip() else [0.0] * 3 for text in texts])
    wanted /= np.maximum(np.linalg.norm(wanted, axis=1, keepdims=True), 1e-9)
    assert rows.dtype == np.float32
    assert np.allclose(rows, wanted)
    assert [asked.json["input"] for asked in server.asked] == [["tea", "绿茶"], ["coffee"]]
    assert {asked.path for asked in server.asked} == {path}
    assert {asked.json["model"] for asked in server.asked} == {"m"}
    assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {KEY}"}
    assert all("dimensions" not in asked.json for asked in server.asked)


def test_dimensions_are_asked_for_only_when_wanted(server: Scripted) -> None:
    server.always(reply(openai))
    with embedder(server, dimensions=3, ask_dimensions=True) as made:
        made.embed(["a"])
        assert (made.name, made.dimensions) == ("openai-m-3", 3)
    with embedder(server, dimensions=3) as made:
        made.embed(["a"])
    assert [asked.json.get("dimensions") for asked in server.asked] == [3, None]


def test_no_text_asks_nobody(server: Scripted) -> None:
    with embedder(server, dimensions=3) as made:
        assert made.embed([]).shape == (0, 3)
        assert made.embed(["", "\n"]).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert server.asked == []


def test_dashscope_is_never_sent_more_than_it_takes(server: Scripted) -> None:
    server.always(reply(openai))
    with embedder(server, "dashscope", batch=64) as made:
        assert made.embed([f"text {n}" for n in range(25)]).shape == (25, 3)
    assert [len(asked.json["input"]) for asked in server.asked] == [10, 10, 5]


WRONG: dict[str, object] = {
    "fewer": [[1, 2, 3]],
    "more": [[1, 2, 3]] * 3,
    "none": [],
    "ragged": [[1, 2, 3], [1, 2]],
    "other length": [[1, 2], [1, 2]],
    "zeros": [[1, 2, 3], [0, 0, 0]],
    "nan": [[1, 2, 3], [float("nan"), 2, 3]],
    "infinite": [[1, 2, 3], [float("inf"), 2, 3]],
    "huge": [[1, 2, 3], [10**400, 2, 3]],
    "strings": [["1", "2", "3"], ["1", "2", "3"]],
    "one string": [[1, 2, 3], [1, "2", 3]],
    "null": [[1, 2, 3], None],
    "nested": [[1, 2, 3], [[1], [2], [3]]],
    "a number": 3,
    "a text": "vectors",
    "an object": {"a": [1, 2, 3]},
}


@pytest.mark.parametrize("vectors", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_wrong_vectors_are_refused(server: Scripted, provider: str, vectors: object) -> None:
    answer: object = {"embeddings": vectors}
    if provider == "openai":
        listed = vectors if isinstance(vectors, list) else [vectors]
        answer = {"data": [{"index": at, "embedding": row} for at, row in enumerate(listed)]}
    body = json.dumps(answer).encode()
    error = failure(server, reply(body), provider=provider, dimensions=3)
    assert type(error) is BadVector
    assert not error.retryable


@pytest.mark.parametrize("provider", ["openai", "ollama"])
@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        None,
        3,
        "vectors",
        {"data": None, "embeddings": None},
        {"data": [None, None]},
        {"data": [{"index": 0}, {"index": 1}]},
        {"data": [{"index": 0, "embedding": [1, 2, 3]}] * 2},
        {"data": [{"index": [], "embedding": [1, 2, 3]}] * 2},
        {"data": [{"index": 7, "embedding": [1, 2, 3]}, {"index": 8, "embedding": [1, 2, 3]}]},
    ],
)
def test_other_answers_are_refused(server: Scripted, provider: str, answer: object) -> None:
    assert type(failure(server, reply(answer), provider=provider)) is BadVector


@pytest.mark.parametrize("kept", [0, 10])
def test_one_answer_of_a_wrong_length_is_not_held_against_the_next(
    server: Scripted, kept: int
) -> None:
    """Whoever knows the right length says so; until then no answer decides it for good."""
    wrong = reply({"data": [{"index": 0, "embedding": [1.0, 0.0, 0.0, 0.0]}]})
    server.then(wrong).always(reply(openai))
    with embedder(server) as bare:
        made = CachedEmbedder(bare, kept)
        assert made.embed(["a"], query=True).shape == (1, 4)
        assert made.embed(["b"], query=True).shape == (1, 3)
        expect(made, 3)
        assert made.embed(["a"], query=True).shape == (1, 3), "what was kept is forgotten"
        server.then(wrong)
        with pytest.raises(BadVector, match="4 dimensions where 3"):
            made.embed(["c"], query=True)
        assert made.embed(["c"], query=True).shape == (1, 3)
        assert made.dimensions == 3


def test_batches_of_different_lengths_are_refused_whole(server: Scripted) -> None:
    server.then(reply({"data": [{"index": 0, "embedding": [1.0, 0.0]}]})).always(reply(openai))
    with embedder(server, batch=1) as made:
        with pytest.raises(BadVector, match="different lengths"):
            made.embed(["a", "b"])
        assert made.embed(["a", "b"]).shape == (2, 3)
