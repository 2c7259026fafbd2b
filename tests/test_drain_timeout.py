"""drain(timeout=) ends in time, whatever a model's server does, and nothing counts as failed."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from typing import Any

import pytest

from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Behavior, Line, Scripted, drip, silence
from tests.remote import remote, server

__all__ = ["server"]


def proposing_nothing() -> Behavior:
    return thinking.proposing(lambda *_: [])


def slowly(seconds: float) -> Behavior:
    """A right answer that takes its time."""
    answer = proposing_nothing()

    def act(line: Line) -> None:
        threading.Event().wait(seconds)
        answer(line)

    return act


@pytest.mark.parametrize("behavior", [silence, drip()], ids=["silent", "dripping"])
@pytest.mark.parametrize("timeout", [0.6, timedelta(seconds=0.6)])
def test_a_server_that_does_not_answer_costs_no_more_than_the_timeout(
    open_mind: OpenMind, server: Scripted, behavior: Behavior, timeout: Any
) -> None:
    server.always(behavior)
    mind = open_mind(**thinking.settings(server, timeout=60))
    for number in range(3):
        with mind.session(f"s{number}") as session:
            for text in ("I moved to Lisbon", "I like tea", "我喜欢喝茶"):
                session.user(text)
                session.assistant("ok")
    begun = time.monotonic()
    drained = mind.drain(timeout=timeout)
    assert time.monotonic() - begun < 0.6 + 1.5
    assert drained.dead == 0
    assert all(job.attempts <= 1 for job in mind.jobs())
    assert not [turn for turn in mind.turns() if turn.state in ("failed", "dead")]
    server.always(proposing_nothing())
    mind.drain(timeout=30)
    assert not [turn for turn in mind.turns() if turn.state not in ("extracted", "empty")], (
        mind.jobs()
    )


def test_no_job_begins_after_the_time_is_over(open_mind: OpenMind, server: Scripted) -> None:
    server.always(slowly(0.3))
    mind = open_mind(**thinking.settings(server, timeout=60))
    for number in range(20):
        with mind.session(f"s{number}") as session:
            for text in ("I moved to Lisbon", "I like tea", "I use Python"):
                session.user(text)
    begun = time.monotonic()
    mind.drain(timeout=0.8)
    assert time.monotonic() - begun < 0.8 + 1.5
    assert mind.jobs(state="ready")


def test_vectors_that_do_not_come_are_put_off(open_mind: OpenMind, server: Scripted) -> None:
    server.always(silence)
    mind = open_mind(**remote(server, timeout=60))
    mind.remember("likes tea", kind="preference")
    begun = time.monotonic()
    assert mind.drain(timeout=0.5).dead == 0
    assert time.monotonic() - begun < 0.5 + 1.5
    assert mind.stats().unembedded


def test_without_a_model_a_drain_needs_no_timeout(open_mind: OpenMind) -> None:
    mind = open_mind()
    mind.session("s").user("I like tea")
    assert mind.drain(timeout=0).done == 0
    assert mind.drain(timeout=float("inf")).done
