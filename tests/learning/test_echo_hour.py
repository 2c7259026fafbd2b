"""An hour of conversation that memory feeds: it grows from what the user says, not from echoes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.types import Memory
from tests.conftest import NOON, OpenMind
from tests.learning import Fact, echo_talk, thinking
from tests.providers.scripted import Scripted

pytestmark = pytest.mark.feature("N1")

TALK = echo_talk()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Scripted() as made:
        yield made


def replay(mind: Mind, clock: ManualClock) -> list[Memory]:
    """The talk at its own pace; memory is asked before every answer and learns as it goes."""
    for line in TALK.lines:
        clock.set(NOON + timedelta(seconds=line.second))
        if line.role == "user":
            mind.drain(due_only=True)  # as a worker does beside a talk
            mind.context(line.text, session="s")
        mind.record(session="s", role=line.role, text=line.text)
    clock.advance(minutes=9)  # of silence: also what the rules leave to the model first
    mind.drain()
    assert mind.jobs() == []
    assert mind.turns(state="new") == []
    return mind.memories(limit=1_000)


def all_facts(shown: str) -> list[thinking.Fact]:
    """Everything in sight that has to do with a known fact, once more in the words it stands in;
    what the user says with its slot, what anybody else says as something of its own.
    """
    found: list[thinking.Fact] = []
    for number, role, text in thinking.lines(shown):
        for fact in TALK.facts:
            if fact.value.lower() in text.lower():
                found.append(_told(fact, text, number, by_user=role == "user"))
    return found[:90]


def _told(fact: Fact, text: str, turn: int, *, by_user: bool) -> thinking.Fact:
    told = {"content": text[:500], "confidence": 0.95, "turns": [turn]}
    if not by_user:
        return {**told, "kind": "fact"}
    slot = {"subject": fact.subject, "predicate": fact.predicate, "value": fact.value}
    return {**told, **slot, "kind": fact.kind, "is_update": bool(fact.replaces)}


def test_with_rules(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(embedding={"provider": "none"})
    known = replay(mind, clock)
    replaced = {fact.replaces for fact in TALK.facts}
    assert len(known) <= len([fact for fact in TALK.facts if fact.id not in replaced])
    assert len(known) >= len(TALK.facts) / 2, "it did learn"
    stating = {line.text for line in TALK.lines if line.states}
    said = {turn.id: turn.text for turn in mind.turns(session="s", limit=1_000)}
    for memory in known:
        assert {said[source.turn_id] for source in memory.sources} & stating, memory.text


def test_with_a_model_that_says_every_echo_again(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, tmp_path: Path
) -> None:
    server.always(thinking.proposing(all_facts))
    given = thinking.settings(server)
    mind = open_mind(tmp_path / "wise.db", **given)
    known = replay(mind, clock)
    echoes = {line.text for line in TALK.lines if line.echo and line.role != "user"}
    said = {turn.id: turn.text for turn in mind.turns(session="s", limit=1_000)}
    for memory in known:
        assert not echoes.issuperset(said[source.turn_id] for source in memory.sources)
    clock.set(NOON)
    deaf = open_mind(tmp_path / "deaf.db", **given, trust={"suppress_echo": False})
    grown = len(replay(deaf, clock))
    assert grown > len(known) + 5, "the echoes are there to be learned"
