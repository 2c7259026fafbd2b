"""Every way a call to a server can go wrong, and the error it becomes."""

from __future__ import annotations

import gzip
import json
import logging
import subprocess
import sys
import time
import traceback
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from mnemic.errors import ModelRateLimited, ModelRefused, ModelUnavailable
from tests.providers.scripted import (
    Asked,
    Behavior,
    Scripted,
    cut_short,
    drip,
    flood,
    hang_up,
    reply,
    silence,
    status,
)
from tests.providers.speaking import KEY, embedder, failure, ollama, openai


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
    "behavior",
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
def test_half_an_answer_is_no_answer(server: Scripted, behavior: Behavior) -> None:
    error = failure(server, behavior)
    assert type(error) is ModelUnavailable
    assert error.retryable


@pytest.mark.parametrize(
    "behavior",
    [silence, drip(), drip(head=True), drip(every=0.29)],
    ids=["silence", "drip", "drip of the head", "slow drip"],
)
def test_a_call_ends_at_its_deadline(server: Scripted, behavior: Behavior) -> None:
    started = time.monotonic()
    error = failure(server, behavior, timeout=0.3)
    assert type(error) is ModelUnavailable
    assert "0.3 s" in error.message
    assert time.monotonic() - started < 3


def test_after_a_deadline_the_next_call_works(server: Scripted) -> None:
    server.then(silence, reply(openai))
    with embedder(server, timeout=2) as made:
        with pytest.raises(ModelUnavailable):
            made.embed(["a"])
        assert made.embed(["a"]).shape == (1, 3)


def test_an_answer_without_end_is_not_kept(server: Scripted) -> None:
    error = failure(server, flood, timeout=20)
    assert type(error) is ModelUnavailable
    assert "more than 1.25 MB" in error.message


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "x-gzip": gzip.compress,
    "Deflate": lambda data: zlib.compress(data, wbits=-15),  # without a head
}


@pytest.mark.parametrize("name", PACKINGS)
def test_a_packed_answer_is_unpacked(server: Scripted, name: str) -> None:
    def packed(asked: Asked) -> bytes:
        return PACKINGS[name](json.dumps(openai(asked)).encode())

    server.then(reply(packed, content_encoding=name))
    with embedder(server) as made:
        assert made.embed(["a"]).shape == (1, 3)
    assert server.asked[0].headers["accept-encoding"] == "gzip, deflate"


BAD_PACKS: dict[str, tuple[str, bytes, str]] = {
    "not packed": ("gzip", b'{"data": []}', "cannot be unpacked"),
    "cut": ("gzip", gzip.compress(b'{"data": []}')[:-9], "cannot be unpacked"),
    "not asked for": ("br", b"\x0b\x02\x80[]\x03", "packed its answer as br"),
    "twice": ("gzip, gzip", b"", "packed its answer as gzip, gzip"),
}


@pytest.mark.parametrize("how", BAD_PACKS)
def test_a_badly_packed_answer_is_a_typed_failure(server: Scripted, how: str) -> None:
    encoding, body, said = BAD_PACKS[how]
    error = failure(server, reply(body, content_encoding=encoding))
    assert type(error) is ModelUnavailable
    assert said in error.message


def test_a_small_packed_answer_of_300_mb_is_refused_within_bounds(server: Scripted) -> None:
    """In a process of its own, whose largest size is measured from before the answer."""
    packing = zlib.compressobj(9, wbits=31)
    packed = b"".join(packing.compress(b" " * (1 << 20)) for _ in range(300)) + packing.flush()
    server.then(reply(packed, content_encoding="gzip"))
    told = subprocess.run(
        [sys.executable, "-c", ASKING, server.url], check=True, capture_output=True, text=True
    ).stdout.split("|")
    assert "more than" in told[0]
    assert int(told[1]) < 100 << 10, "KiB of growth"
    assert float(told[2]) < 5


ASKING = """
import resource, sys, time
from mnemic.errors import ModelUnavailable
from mnemic.providers.wire import Wire
wire = Wire(sys.argv[1], service="a server")
wire._connect()
before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
try:
    wire.post("/chat/completions", {})
except ModelUnavailable as error:
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(error.message, grown, time.monotonic() - begun, sep="|")
"""


@pytest.mark.parametrize("key", ["k", "test", "ollama", "EMPTY"])
def test_a_short_key_does_not_garble_an_error(server: Scripted, key: str) -> None:
    said = f"ollama keeps the test model k EMPTY; wrong api key: '{key}', Bearer {key}"
    server.then(status(404, said))
    with embedder(server, key=key) as made, pytest.raises(ModelRefused) as caught:
        made.embed(["a"])
    assert "ollama keeps the test model k EMPTY; wrong api key: '***', Bearer ***" in str(
        caught.value
    )


def test_nobody_there() -> None:
    with Scripted() as gone:
        url = gone.url
    error = failure(url)
    assert type(error) is ModelUnavailable


def test_nothing_is_logged_with_the_key(server: Scripted, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.then(reply(openai), status(401, KEY))
    with embedder(server) as made:
        made.embed(["a"])
        with pytest.raises(ModelRefused):
            made.embed(["b"])
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in caplog.text
