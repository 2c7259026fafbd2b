"""Random candidates in random order: what must hold whatever is said."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mnemic
from mnemic.clock import ManualClock
from mnemic.rules.slots import slot_of
from mnemic.types import TRUSTS, Candidate
from tests.conftest import NOON
from tests.settling import Learning

pytestmark = pytest.mark.feature("M4", "M5", "N2", "N4")

SLOTS = (("config", "Python", "version"), ("fact", "user", "lives_in"), ("fact", "user", "likes"))


@st.composite
def candidates(draw: st.DrawFn) -> Candidate:
    kind, subject, predicate = draw(st.sampled_from(SLOTS))
    value = draw(st.sampled_from(["Oslo", "Kiel", "Bath"]))
    return Candidate(
        kind=kind,
        text=f"{subject} {predicate} {value}",
        subject=draw(st.sampled_from([subject, subject.upper()])),
        predicate=predicate,
        value=value,
        importance=draw(st.sampled_from([0.2, 0.5, 0.75, 0.9])),
        confidence=draw(st.sampled_from([0.3, 0.7, 0.9, 1.0])),
        is_update=draw(st.booleans()),
        withdraws=draw(st.sampled_from([False, False, False, True])),
        asked=draw(st.sampled_from([False, False, True])),
        trust=draw(st.sampled_from(TRUSTS)),
    )


STEPS = st.lists(
    st.one_of(
        candidates(),
        st.sampled_from(["confirm", "ignore", "snooze"]),
    ),
    max_size=14,
)


@settings(max_examples=60)
@given(steps=STEPS)
def test_whatever_is_said(steps: list[Candidate | str]) -> None:
    clock = ManualClock(NOON)
    with mnemic.open(":memory:", clock=clock, worker="none") as mind:
        learning = Learning(mind, clock)
        seen: dict[datetime, list[str]] = {}
        for number, step in enumerate(steps):
            clock.advance(hours=7)
            take(learning, step, number)
            seen[clock.now()] = held(learning)
            one_answer_each(learning)
            chains_are_sound(learning)
            nothing_untrusted_steers(learning)
        for moment, expected in seen.items():
            assert held(learning, moment) == expected, "known_at is what was known then"
        replay_changes_nothing(learning, steps)


def take(learning: Learning, step: Candidate | str, number: int) -> None:
    if isinstance(step, Candidate):
        settled = learning.settle(step, f"step-{number}")
        events = learning.events(f"step-{number}")
        assert events, "every decision leaves an event"
        holds = settled.outcome in ("new", "same", "update", "conflict", "pending")
        assert (settled.memory is not None) == holds
        return
    for waiting in learning.inbox.offer(1):
        getattr(learning.inbox, step)(waiting.id, operation_id=f"step-{number}")


def held(learning: Learning, known_at: datetime | None = None) -> list[str]:
    found = learning.mind.memories(known_at=known_at, limit=1000)
    return sorted(memory.id for memory in found)


def one_answer_each(learning: Learning) -> None:
    active = learning.mind.memories(limit=1000)
    answers = Counter(
        slot_of(memory.subject, memory.predicate)
        for memory in active
        if memory.predicate != "likes"
    )
    assert all(times == 1 for times in answers.values())
    values = Counter((slot_of(m.subject, m.predicate), m.value) for m in active)
    assert all(times == 1 for times in values.values()), "nothing is known twice"


def chains_are_sound(learning: Learning) -> None:
    known = {memory.id: memory for memory in learning.all()}
    for memory in known.values():
        path = [memory.id]
        while following := known[path[-1]].superseded_by:
            assert following in known, "no link leads nowhere"
            assert following not in path, "no circle"
            path.append(following)
        if memory.status == "active":
            assert (memory.superseded_by, memory.superseded_at, memory.valid_to) == ("", None, None)
        if memory.status == "superseded":
            assert memory.superseded_at is not None
            ended = memory.valid_to  # none where it was only contradicted
            assert ended is None or ended >= memory.valid_from
        assert 0 <= memory.confidence <= 1


def nothing_untrusted_steers(learning: Learning) -> None:
    for memory in learning.mind.memories(limit=1000):
        if memory.trust in ("tool", "external"):
            assert memory.kind == "fact"
            assert memory.importance < 0.7
        assert memory.trust != "external", "in quarantine until a person confirms"


def replay_changes_nothing(learning: Learning, steps: list[Candidate | str]) -> None:
    before = (learning.all(), learning.mind.events(limit=1000))
    for number, step in enumerate(steps):
        if isinstance(step, Candidate):
            learning.settle(step, f"step-{number}")
    assert (learning.all(), learning.mind.events(limit=1000)) == before
