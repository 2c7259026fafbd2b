"""A text that an embedding server refuses is set aside with its reason; others are embedded."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic import Mind, NewTurn
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.providers.scripted import Behavior, Line, Scripted, status
from tests.remote import asked_for, meaning, remote, server, vectors

__all__ = ["server"]

KNOWN = {"cat": (1.0, 0.0, 0.0), "猫": (1.0, 0.0, 0.0), "tax": (0.0, 1.0, 0.0)}
POISON = "<<"
QUIET: dict[str, Any] = {"triggers__quiet_gap": "never"}


def refusing(code: int) -> Behavior:
    """Refuses any request that has a poisoned text in it, as real servers do."""

    def act(line: Line) -> None:
        poisoned = any(POISON in text for text in line.asked.json["input"])
        (status(code, "input is not valid") if poisoned else meaning(KNOWN))(line)

    return act


def answer_zeros() -> Behavior:
    """A vector of zeros for a poisoned text."""
    return vectors(lambda texts: [[0.0, 0.0, 0.0 if POISON in text else 1.0] for text in texts])


def tell(mind: Mind, *contents: str) -> None:
    mind.record_many(
        [NewTurn(session=f"s{n}", role="user", text=text) for n, text in enumerate(contents)]
    )


def found_by_meaning(mind: Mind, query: str) -> set[str]:
    hits = mind.recall(query, of=["turn"], limit=100, min_score=0.0)
    return {hit.text for hit in hits if "vector" in hit.why.routes}


def vectors_finding(mind: Mind) -> tuple[bool, str]:
    (finding,) = (finding for finding in mind.doctor() if finding.check == "vectors")
    return finding.ok, finding.detail


@pytest.mark.feature("X9")
@pytest.mark.parametrize("code", [400, 413, 422])
def test_a_refused_text_is_isolated_and_every_other_is_embedded(
    open_mind: OpenMind, server: Scripted, code: int
) -> None:
    server.always(refusing(code))
    mind = open_mind(**remote(server), **QUIET)
    contents = [f"the cat sleeps in room {n}" for n in range(40)] + ["黑猫在窗台上"]
    contents[7], contents[33] = "<<binary 1", "<<binary 2"
    tell(mind, *contents)
    drained = mind.drain()
    assert (drained.done, drained.dead) == (1, 2)
    assert mind.stats().unembedded == 0
    assert mind.stats().jobs_dead == 2
    assert found_by_meaning(mind, "cat") >= {"黑猫在窗台上", "the cat sleeps in room 8"}
    dead = mind.jobs(state="dead")
    assert all(str(code) in job.error and "not valid" in job.error for job in dead)
    refused = {turn.text for job in dead for turn in mind.turns() if turn.id == job.key}
    assert refused == {"<<binary 1", "<<binary 2"}
    assert vectors_finding(mind) == (False, "41 records, 0 wait, 2 refused by the model")
    events = mind.events(type="dead")
    assert len(events) == 2, "history says so, too"


def test_what_comes_after_a_refused_text_is_embedded_without_asking_for_it_again(
    open_mind: OpenMind, server: Scripted
) -> None:
    server.always(refusing(400))
    mind = open_mind(**remote(server), **QUIET)
    tell(mind, "<<broken", "tax is due in May")
    mind.drain()
    seen = len(asked_for(server))
    mind.close()
    mind = open_mind(**remote(server), **QUIET)
    tell(mind, "a cat came by")
    assert mind.drain().done == 1
    assert asked_for(server)[seen:] == ["a cat came by"]
    assert found_by_meaning(mind, "cat") >= {"a cat came by"}


def test_a_text_answered_with_zeros_is_tried_alone_and_given_up_alone(
    open_mind: OpenMind, server: Scripted, clock: ManualClock
) -> None:
    server.always(answer_zeros())
    mind = open_mind(**remote(server), jobs={"max_attempts": 2}, **QUIET)
    tell(mind, "第一条", "<<nothing", "第三条")
    assert mind.drain().done == 1
    assert mind.stats().unembedded == 0
    clock.advance(hours=1)
    assert mind.drain().dead == 1
    (job,) = mind.jobs(state="dead")
    assert "vector of zeros" in job.error
    assert len(found_by_meaning(mind, "第二条")) == 2


def test_a_refused_text_is_embedded_by_redrive_once_the_server_takes_it(
    open_mind: OpenMind, server: Scripted
) -> None:
    server.always(refusing(400))
    mind = open_mind(**remote(server), **QUIET)
    tell(mind, "tax is due", "<<a cat in brackets", "nothing special")
    mind.drain()
    found_by_meaning(mind, "cat")  # the index in memory has seen the vectors so far
    server.always(meaning(KNOWN))
    assert mind.redrive() == 1
    assert mind.drain().done == 1
    assert mind.jobs() == []
    assert "<<a cat in brackets" in found_by_meaning(mind, "cat")
    assert vectors_finding(mind) == (True, "3 records, 0 wait")


def test_a_server_that_refuses_every_text_sets_none_of_them_aside(
    open_mind: OpenMind, server: Scripted
) -> None:
    server.always(status(400, "unknown field: encoding_format"))
    mind = open_mind(**remote(server), **QUIET)
    tell(mind, *(f"note {n}" for n in range(30)))
    assert mind.drain().dead == 1
    (job,) = mind.jobs(state="dead")
    assert "encoding_format" in job.error
    assert mind.stats().unembedded == 30
    assert len(server.asked) == 2, "a plain text is tried before the batch is halved"
    server.always(meaning(KNOWN))
    mind.redrive()
    mind.drain()
    assert mind.stats().unembedded == 0


@pytest.mark.parametrize("code", [401, 403, 503])
def test_a_wrong_key_or_an_outage_while_isolating_is_nobodys_text(
    open_mind: OpenMind, server: Scripted, clock: ManualClock, code: int
) -> None:
    server.then(status(400), meaning(KNOWN), status(code)).always(refusing(400))
    mind = open_mind(**remote(server), **QUIET)
    tell(mind, "cat one", "<<odd", "cat two")
    assert mind.drain().retried == 1
    assert mind.stats().jobs_dead == 0
    clock.advance(hours=2)
    assert mind.drain().dead == 1
    assert mind.stats().unembedded == 0
    assert found_by_meaning(mind, "cat") == {"cat one", "cat two"}


def test_too_many_texts_at_once_are_sent_in_smaller_batches(
    open_mind: OpenMind, server: Scripted
) -> None:
    def act(line: Line) -> None:
        too_many = len(line.asked.json["input"]) > 8
        (status(413, "at most 8 texts") if too_many else meaning(KNOWN))(line)

    server.always(act)
    mind = open_mind(**remote(server), **QUIET)
    tell(mind, *(f"cat {n}" for n in range(30)))
    mind.drain()
    assert (mind.stats().unembedded, mind.stats().jobs_dead) == (0, 0)
    assert len(found_by_meaning(mind, "cat")) == 30


def test_forgetting_a_record_forgets_that_its_text_was_refused(
    open_mind: OpenMind, server: Scripted
) -> None:
    server.always(refusing(400))
    mind = open_mind(**remote(server), **QUIET)
    tell(mind, "<<account 4711", "something else")
    mind.drain()
    mind.forget(session="s0")
    assert mind.jobs() == []
    assert vectors_finding(mind)[0]
