"""A server that hangs costs one recall its patience, and the next ones nothing."""

from __future__ import annotations

import time
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted, silence, status
from tests.remote import meaning, remote, server
from tests.waiting import wait_for

__all__ = ["server"]

KNOWN = {"cat": (1, 0, 0), "猫": (1, 0, 0), "weather": (0, 1, 0)}
QUIET: dict[str, Any] = {"triggers__quiet_gap": "never", "ledger__jsonl": False}


def told(mind: Mind) -> Mind:
    mind.record(session="s", role="user", text="my cat is called Dumpling")
    mind.record(session="s", role="user", text="我的猫叫饺子")
    mind.drain()
    return mind


def uses_vectors(mind: Mind, query: str) -> bool:
    return any("vector" in hit.why.routes for hit in mind.recall(query))


def shows(mind: Mind, words: str) -> bool:
    return any(words in line for line in mind.stats().suspended)


@pytest.mark.setting("embedding.query_timeout")
def test_a_hanging_server_is_asked_once_and_words_answer(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    server.always(meaning(KNOWN))
    mind = told(open_mind(**remote(server, query_timeout="200ms"), **QUIET))
    assert uses_vectors(mind, "cat")
    assert mind.stats().suspended == ()
    server.always(silence)
    begun, asked = time.monotonic(), len(server.asked)
    for query in ["what is my cat called", "我的猫叫什么", "cat", "猫"] * 3:
        assert mind.recall(query)[0].text in ("my cat is called Dumpling", "我的猫叫饺子")
    assert len(server.asked) == asked + 1
    assert time.monotonic() - begun < 5
    (event,) = mind.events(type="retrieval_fail")
    assert "not asked again for 30 s" in str(event.payload["error"])
    (line,) = mind.stats().suspended
    assert "openai embeddings" in line
    assert "ModelSuspended" in mind.stats().recall_failure


def test_the_pause_doubles_and_one_probe_in_the_background_ends_it(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    server.always(meaning(KNOWN))
    mind = told(open_mind(**remote(server, timeout="200ms", query_timeout="100ms"), **QUIET))
    server.always(silence)
    mind.recall("cat one")
    pauses = [30, 60, 120, 240, 480, 900, 900]
    for pause, following in pairwise(pauses):
        asked = len(server.asked)
        clock.advance(seconds=pause - 1)
        mind.recall("cat before")
        assert len(server.asked) == asked
        clock.advance(seconds=1)
        for _ in range(3):
            mind.recall("cat after")
        wait_for(partial(shows, mind, f"for {following} s"))
        assert len(server.asked) == asked + 1, "one probe"
    server.always(meaning(KNOWN))
    clock.advance(seconds=900)
    assert not uses_vectors(mind, "cat at once"), "the probe does not hold up recall"
    wait_for(lambda: mind.stats().suspended == ())
    assert uses_vectors(mind, "cat again")
    assert len(mind.events(type="retrieval_fail")) == 1


def test_jobs_wait_without_using_up_their_tries(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    server.always(status(503))
    mind = open_mind(**thinking.settings(server), **QUIET, jobs__max_attempts=3)
    for session in ("a", "b", "c"):
        for text in ("I live in Bergen", "我住在卑尔根", "I play the oboe"):
            mind.record(session=session, role="user", text=text)
        mind.end_session(session)
    mind.drain()
    assert len(server.asked) == 1, "one call found out for all"
    waiting = [job for job in mind.jobs() if job.kind == "session_end"]
    assert [job.attempts for job in waiting] == [0, 0, 0]
    assert len([job for job in waiting if "ModelSuspended" in job.error]) == 2
    server.always(thinking.proposing(lambda shown: []))
    clock.advance(seconds=60)
    mind.drain()
    assert [job for job in mind.jobs() if job.kind == "session_end"] == []


def test_an_endpoint_is_known_to_every_mind_of_a_process(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    server.always(meaning(KNOWN))
    given = {**remote(server, query_timeout="100ms"), **QUIET}
    first, second = told(open_mind(**given)), told(open_mind(space="other", **given))
    server.always(silence)
    asked = len(server.asked)
    for mind in (first, second, first, second):
        mind.recall("cat")
    assert len(server.asked) == asked + 1
    assert second.stats().suspended


def test_a_refusal_and_a_single_fault_do_not_open_it(open_mind: OpenMind, server: Scripted) -> None:
    server.always(meaning(KNOWN))
    mind = told(open_mind(**remote(server), **QUIET))
    for code in (400, 401, 500, 500):
        server.then(status(code))
        mind.recall(f"cat {code}")
        assert mind.stats().suspended == ()
    assert uses_vectors(mind, "cat")
    for n in range(3):
        server.then(status(500))
        mind.recall(f"cat and {n}")
    assert mind.stats().suspended


def test_a_server_that_asks_to_be_left_alone_is(open_mind: OpenMind, server: Scripted) -> None:
    server.always(meaning(KNOWN))
    mind = told(open_mind(**remote(server), **QUIET))
    server.then(status(429))
    mind.recall("cat, please")
    assert mind.stats().suspended


def test_a_clock_that_jumps_back_does_not_move_the_pause(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    server.always(meaning(KNOWN))
    mind = told(open_mind(**remote(server, query_timeout="100ms"), **QUIET))
    server.always(silence)
    mind.recall("cat")
    asked, moment = len(server.asked), clock.now()
    clock.set(moment.replace(year=moment.year - 10))
    mind.recall("cat once more")
    assert len(server.asked) == asked
    assert "30 s" in mind.stats().suspended[0]
    clock.advance(seconds=30)
    server.always(meaning(KNOWN))
    wait_for(lambda: uses_vectors(mind, "cat again"))
