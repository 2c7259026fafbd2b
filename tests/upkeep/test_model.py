"""What upkeep asks a model, and only that: about clusters, a day, the core."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mnemic import Candidate
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.providers.scripted import Behavior, Scripted, reply, status

LONG = (
    "every rainy Sunday afternoon grandmother Agatha quietly drinks strong black Assam tea from"
    " her chipped porcelain cup beside the narrow kitchen"
)


def said(answer: object) -> Behavior:
    message = {"message": {"content": json.dumps(answer)}, "finish_reason": "stop"}
    return reply({"choices": [message], "usage": {"prompt_tokens": 9, "completion_tokens": 3}})


def model(server: Scripted, **more: Any) -> dict[str, Any]:
    return {
        "model": {
            "provider": "openai",
            "name": "m",
            "base_url": server.url,
            "api_key": "sk-for-tests",
        },
        **more,
    }


@pytest.mark.feature("U4")
@pytest.mark.feature("U4", preset="openakita")
def test_a_model_is_asked_only_inside_clusters(open_mind: OpenMind) -> None:
    with Scripted() as server:
        given = model(server, upkeep={"daily": ("dedup",)}, embedding={"provider": "none"})
        mind = open_mind(**given)
        mind.remember(f"{LONG} chair", kind="fact")
        mind.remember(f"{LONG} sofa", kind="fact")
        for n in range(20):
            mind.remember(f"wall{n} has colour{n}", kind="fact")
        server.then(said({"same": [[1, 2]]}))
        report = mind.upkeep("daily")
        assert report.steps[0].counts == {"merge": 1}
        assert "by m" in report.steps[0].changes[0].reason
        assert len(server.asked) == 1
        shown = json.dumps(server.asked[0].json)
        assert "wall1" not in shown
        assert "kitchen chair" in shown
        mind.upkeep("daily")
        assert len(server.asked) == 1, "nothing is new"
        assert [total.purpose for total in mind.usage()] == ["dedup"]


@pytest.mark.feature("U3")
@pytest.mark.feature("U3", preset="myclaw")
def test_a_model_says_what_of_a_day_lasts(open_mind: OpenMind, clock: ManualClock) -> None:
    fact = {"kind": "decision", "content": "The roof is repaired in March.", "importance": 0.8}
    with Scripted() as server:
        given = model(server, upkeep={"daily": ("events",)}, triggers={"quiet_gap": "1h"})
        mind = open_mind(preset="myclaw", **given)
        mind.record(session="s", role="user", text="Could you look at the roof?")
        clock.advance(hours=2)
        server.then(said({"facts": []}))
        mind.drain()
        clock.advance(days=1)
        server.then(said({"facts": [fact]}))
        mind.upkeep("daily")
        (memory,) = mind.memories()
        assert (memory.kind, memory.text) == ("decision", fact["content"])
        assert [source.session for source in memory.sources] == ["s"]


@pytest.mark.feature("U3")
def test_a_night_takes_up_nothing_that_was_ignored_or_corrected(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    def fact(content: str) -> dict[str, Any]:
        return {"kind": "event", "content": content, "importance": 0.5}

    with Scripted() as server:
        given: dict[str, Any] = {"embedding": {"provider": "none"}}
        given["upkeep"] = {"daily": ("events",)}
        mind = open_mind(**given)
        mind.record(session="s", role="user", text="I live in Porto")
        mind.drain()
        clock.advance(minutes=1)
        mind.record(session="s", role="user", text="I moved, I live in Lisbon now")
        clock.advance(minutes=1)
        mind.record(session="s", role="user", text="The cellar was flooded on Monday")
        clock.advance(hours=1)
        mind.drain()
        ignored = mind.propose(Candidate(kind="fact", text="The user keeps newts", confidence=0.7))
        assert ignored.memory is not None
        mind.ignore(ignored.memory.id)
        mind.close()
        # What a model makes of a day is of middling confidence.
        again = open_mind(**model(server, **given, routing={"write": 0.5, "pending": 0.4}))
        clock.advance(days=1)
        # A new day, a statement that stands, and everything that must not come back.
        answers = {"facts": [fact(text) for text in (
            "The user lives in Porto", "The user keeps newts",
            "I live in Porto · I moved, I live in Lisbon now", "The cellar was flooded on Monday",
        )]}  # fmt: skip
        server.always(said(answers))
        report = again.upkeep("daily")
        assert report.steps[0].counts == {"days": 1, "events": 1, "memories": 1}
        (memory,) = again.memories(kind="event")
        assert memory.text == "The cellar was flooded on Monday"
        assert [turn.text for turn in again.turns() if turn.id == memory.sources[0].turn_id] == [
            "The cellar was flooded on Monday"
        ]
        assert "Porto" not in {one.value for one in again.memories()}


@pytest.mark.feature("U2")
def test_a_model_chooses_the_core_among_the_important(open_mind: OpenMind) -> None:
    with Scripted() as server:
        given = model(server, upkeep={"weekly": ("core",)}, capacity={"core": 2})
        mind = open_mind(**given)
        for n in range(4):
            mind.remember(f"rule {n} of the house", kind="rule", importance=0.9 - n / 100)
        server.then(said({"core": [4, 1]}))
        mind.upkeep("weekly")
        with mind._store.read(mind.space) as unit:
            chosen = {m.text for m in unit.memories.by_id(sorted(unit.tiers.core_ids()))}
    assert chosen == {"rule 3 of the house", "rule 0 of the house"}


@pytest.mark.feature("U1", "N3")
def test_turns_a_model_cannot_read_now_are_left_to_the_queue(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    with Scripted() as server:
        given = model(server, upkeep={"daily": ("turns",)}, triggers={"quiet_gap": "never"})
        mind = open_mind(**given)
        mind.record(session="s", role="user", text="My name is Lin.")
        clock.advance(days=1)
        server.then(*[status(503)] * 9)
        report = mind.upkeep("daily")
        assert report.steps[0].counts == {"waiting": 1}
        assert report.steps[0].state == "waiting"
        assert report.steps[0].error.startswith("1 turn waits for the model since 2026-02-13 12:00")
        assert report.finished
        assert len(server.asked) == 1
        (job,) = [job for job in mind.jobs() if job.kind == "extract"]
        assert job.run_at > clock.now()
