"""Embeddings from servers: the three protocols, and every way an answer can go wrong."""

from __future__ import annotations

import json
import logging
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest

from recollect.errors import (
    BadVector,
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelUnavailable,
)
from recollect.providers import wire
from recollect.providers.embedding.http import HttpEmbedder
from recollect.providers.wire import Wire
from recollect.settings.values import Secret
from tests.providers.scripted import (
    Asked,
    Behaviour,
    Scripted,
    cut_short,
    drip,
    flood,
    hang_up,
    reply,
    silence,
    status,
)

KEY = "sk-very-secret-0123456789"


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.0]


def openai(asked: Asked) -> dict[str, Any]:
    """Vectors as OpenAI sends them, in another order than the texts."""
    data = [
        {"object": "embedding", "index": at, "embedding": vector(text)}
        for at, text in enumerate(asked.json["input"])
    ]
    return {"object": "list", "data": data[::-1], "model": asked.json["model"], "usage": {}}


def ollama(asked: Asked) -> dict[str, Any]:
    return {"model": "m", "embeddings": [vector(text) for text in asked.json["input"]]}


@contextmanager
def embedder(
    server: Scripted | str,
    provider: str = "openai",
    *,
    timeout: float = 5.0,
    key: str = KEY,
    **given: Any,
) -> Iterator[HttpEmbedder]:
    url = server if isinstance(server, str) else server.url
    line = Wire(url, service=provider, key=Secret(key), timeout=timedelta(seconds=timeout))
    made = HttpEmbedder(line, provider=provider, model="m", **given)
    try:
        yield made
    finally:
        made.close()


def failure(server: Scripted | str, *behaviours: Behaviour, **given: Any) -> ModelError:
    """What a call with this behaviour raises."""
    if isinstance(server, Scripted):
        server.then(*behaviours)
    with embedder(server, **given) as made, pytest.raises(ModelError) as caught:
        made.embed(["a", "bb"])
    said = "".join(traceback.format_exception(caught.value))
    assert KEY not in said
    return caught.value


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


def test_without_a_key_none_is_sent(server: Scripted) -> None:
    server.then(reply(ollama))
    with embedder(server, "ollama", key="") as made:
        made.embed(["a"])
    assert "authorization" not in server.asked[0].headers


def test_a_key_with_a_line_end_is_taken_for_what_was_meant(server: Scripted) -> None:
    server.then(reply(openai))
    with embedder(server, key=KEY + "\n") as made:
        made.embed(["a"])
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", ["sk-\nsecret", "密钥-secret"])
def test_a_key_that_cannot_be_sent_is_refused_unseen(server: Scripted, key: str) -> None:
    with embedder(server, key=key) as made, pytest.raises(ModelRefused) as caught:
        made.embed(["a"])
    assert "secret" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("code", [400, 401, 403, 404, 413, 422])
def test_a_refusal_is_final(server: Scripted, code: int) -> None:
    error = failure(server, status(code, f"wrong {KEY} given"))
    assert type(error) is ModelRefused
    assert not error.retryable
    assert str(code) in error.message
    assert error.remedy


def test_what_the_server_says_is_passed_on_without_the_key(server: Scripted) -> None:
    error = failure(server, status(404, f"no model m for {KEY}\n" + "x" * 10_000))
    assert "no model m for ***" in error.message
    assert len(error.message) < 400


def test_a_redirect_does_not_carry_the_key_away(server: Scripted) -> None:
    with Scripted() as elsewhere:
        moved = reply({}, status=307, location=f"{elsewhere.url}/embeddings")
        assert type(failure(server, moved)) is ModelRefused
        assert elsewhere.asked == []


@pytest.mark.parametrize("code", [408, 500, 502, 503, 529])
def test_a_failing_server_may_work_later(server: Scripted, code: int) -> None:
    error = failure(server, reply(b"<html>oops</html>", status=code))
    assert type(error) is ModelUnavailable
    assert error.retryable


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry_after": "7"}, timedelta(seconds=7)),
        ({"retry_after": "0.5"}, timedelta(seconds=0.5)),
        ({"retry_after": "7", "retry_after_ms": "250"}, timedelta(milliseconds=250)),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "-5"}, None),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, timedelta()),
        ({"retry_after_ms": "nan"}, None),
        ({"retry_after_ms": "1e400"}, None),
    ],
)
def test_too_many_requests(
    server: Scripted, headers: dict[str, str], wait: timedelta | None
) -> None:
    error = failure(server, status(429, "slow down", **headers))
    assert isinstance(error, ModelRateLimited)
    assert error.retryable
    assert error.retry_after == wait


def test_a_date_to_come_back_at(server: Scripted) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(minutes=2), usegmt=True)
    error = failure(server, status(429, retry_after=later))
    assert isinstance(error, ModelRateLimited)
    assert error.retry_after is not None
    assert timedelta(minutes=1) < error.retry_after <= timedelta(minutes=2)


@pytest.mark.parametrize(
    "behaviour",
    [
        hang_up,
        cut_short(openai(Asked("", {}, {"input": ["a", "bb"], "model": "m"}))),
        reply(b'{"data": [{"index": 0, "embed'),
        reply(b"<html>please log in</html>"),
        reply(b""),
        reply(b"\xff\xfe\x00"),
        reply(b"[" * 200_000),
    ],
    ids=["hang up", "cut short", "half JSON", "HTML", "nothing", "no text", "deep"],
)
def test_half_an_answer_is_no_answer(server: Scripted, behaviour: Behaviour) -> None:
    error = failure(server, behaviour)
    assert type(error) is ModelUnavailable
    assert error.retryable


@pytest.mark.parametrize(
    "behaviour",
    [silence, drip(), drip(head=True), drip(every=0.29)],
    ids=["silence", "drip", "drip of the head", "slow drip"],
)
def test_a_call_ends_at_its_deadline(server: Scripted, behaviour: Behaviour) -> None:
    started = time.monotonic()
    error = failure(server, behaviour, timeout=0.3)
    assert type(error) is ModelUnavailable
    assert "0.3 s" in error.message
    assert time.monotonic() - started < 3


def test_after_a_deadline_the_next_call_works(server: Scripted) -> None:
    server.then(silence, reply(openai))
    with embedder(server, timeout=0.5) as made:
        with pytest.raises(ModelUnavailable):
            made.embed(["a"])
        assert made.embed(["a"]).shape == (1, 3)


def test_an_answer_without_end_is_not_kept(
    server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "_LARGEST", 3_000_000)
    error = failure(server, flood, timeout=20)
    assert type(error) is ModelUnavailable
    assert "more than 2 MB" in error.message


def test_nobody_there() -> None:
    with Scripted() as gone:
        url = gone.url
    error = failure(url)
    assert type(error) is ModelUnavailable


WRONG: dict[str, object] = {
    "fewer": [[1, 2, 3]],
    "more": [[1, 2, 3]] * 3,
    "none": [],
    "ragged": [[1, 2, 3], [1, 2]],
    "other length": [[1, 2], [1, 2]],
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


def test_nothing_is_logged_with_the_key(server: Scripted, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.then(reply(openai), status(401, KEY))
    with embedder(server) as made:
        made.embed(["a"])
        with pytest.raises(ModelRefused):
            made.embed(["b"])
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in caplog.text
