"""Rolling back a source: the memory is as if it had never spoken."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mnemic
from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.types import Candidate, Trust
from tests.conftest import NOON
from tests.settling import Learning, candidate, likes, version

pytestmark = pytest.mark.feature("N2")


@pytest.fixture
def learning(mind: Mind, clock: ManualClock) -> Learning:
    return Learning(mind, clock)


def test_what_came_from_it_alone_goes(learning: Learning) -> None:
    bad = learning.say("x", session="bad")
    good = learning.say("y", session="good")
    gone = learning.settle(likes("tea", sources=(bad.id,))).memory
    kept = learning.settle(likes("milk", sources=(good.id,))).memory
    waiting = learning.settle(likes("beer", confidence=0.7, sources=(bad.id,))).memory
    assert gone is not None
    assert kept is not None
    assert waiting is not None
    report = learning.undo.rollback("session:bad")
    assert set(report.removed) == {gone.id, waiting.id}
    assert (report.restored, report.revised, report.dry_run) == ((), (), False)
    assert learning.values() == ["milk"]
    assert learning.all("pending") == []
    types = [event.type for event in learning.mind.history(gone.id).events]
    assert types == ["write", "archive"]
    operations = {e.operation_id for e in learning.mind.events() if e.type != "write"}
    assert report.operation_id in operations
    assert learning.mind.memories(as_of=NOON) == [kept], "not even in the past"


@pytest.mark.parametrize("source", ["session:bad", "turn", "sender:eve"])
def test_what_it_replaced_is_current_again(
    learning: Learning, clock: ManualClock, source: str
) -> None:
    old = learning.settle(version("3.10")).memory
    clock.advance(days=1)
    turn = learning.say("x", session="bad", sender="eve")
    new = learning.settle(version("3.9", is_update=True, sources=(turn.id,))).memory
    assert old is not None
    assert new is not None
    named = f"turn:{turn.id}" if source == "turn" else source
    report = learning.undo.rollback(named)
    assert (report.source, report.removed, report.restored) == (named, (new.id,), (old.id,))
    (now,) = learning.mind.memories()
    assert (now.id, now.valid_to, now.superseded_at, now.superseded_by) == (old.id, None, None, "")
    assert "restore" in [event.type for event in learning.mind.history(old.id).events]


def test_out_of_the_middle_of_a_chain(learning: Learning, clock: ManualClock) -> None:
    values = []
    for number, session in enumerate(("a", "bad", "bad", "c")):
        turn = learning.say("x", session=session)
        told = version(f"3.{number}", is_update=True, sources=(turn.id,))
        values.append(learning.settle(told).memory)
        clock.advance(days=1)
    first, last = values[0], values[-1]
    assert first is not None
    assert last is not None
    learning.undo.rollback("session:bad")
    assert learning.values() == ["3.3"]
    versions = learning.mind.history(last.id).versions
    assert [version.value for version in versions] == ["3.0", "3.3"]
    assert versions[0].superseded_at == last.created_at
    past = learning.mind.memories(as_of=last.created_at)
    assert [memory.value for memory in past] == ["3.3"]


def test_what_others_said_too_stays_minus_that_source(
    learning: Learning, clock: ManualClock
) -> None:
    good, bad = learning.say("x", session="good"), learning.say("y", session="bad")
    learning.settle(likes("tea", importance=0.3, confidence=0.9, sources=(good.id,)))
    learning.settle(likes("tea", importance=0.9, sources=(bad.id,)))
    clock.advance(days=1)
    report = learning.undo.rollback("session:bad")
    (memory,) = learning.mind.memories()
    assert report.revised == (memory.id,)
    assert (memory.importance, memory.confidence, memory.confirmations) == (0.3, 0.9, 0)
    assert [source.turn_id for source in memory.sources] == [good.id]


def test_what_it_said_first_is_known_since_another_said_it(
    learning: Learning, clock: ManualClock
) -> None:
    bad = learning.say("x", session="bad")
    learning.settle(likes("tea", importance=0.9, sources=(bad.id,)))
    clock.advance(days=1)
    good = learning.say("y", session="good")
    learning.settle(likes("tea", importance=0.3, sources=(good.id,)))
    learning.undo.rollback("session:bad")
    (memory,) = learning.mind.memories()
    assert (memory.importance, memory.created_at, memory.valid_from) == (0.3, clock.now(), good.at)
    assert learning.mind.memories(as_of=NOON) == []


def test_a_statement_from_two_turns_loses_one(learning: Learning) -> None:
    good, bad = learning.say("x", session="good"), learning.say("y", session="bad")
    learning.settle(likes("tea", sources=(good.id, bad.id)))
    report = learning.undo.rollback("session:bad")
    (memory,) = learning.mind.memories()
    assert report.revised == (memory.id,)
    assert [source.turn_id for source in memory.sources] == [good.id]


def test_what_it_withdrew_holds_again(learning: Learning, clock: ManualClock) -> None:
    learning.settle(likes("tea"))
    learning.settle(version("3.10"))
    clock.advance(days=1)
    bad = learning.say("x", session="bad")
    learning.settle(likes("tea", withdraws=True, sources=(bad.id,)))
    learning.settle(version("3.10", withdraws=True, sources=(bad.id,)))
    learning.settle(version("3.12"))
    learning.undo.rollback("session:bad")
    assert sorted(learning.values()) == ["3.12", "tea"]
    (old,) = [memory for memory in learning.all() if memory.value == "3.10"]
    assert (old.status, bool(old.superseded_by)) == ("superseded", True)


def test_a_person_who_confirmed_it_vouches_for_it(learning: Learning) -> None:
    bad = learning.say("x", session="bad")
    told = likes("tea", trust="external", confidence=0.8, sources=(bad.id,))
    waiting = learning.settle(told).memory
    assert waiting is not None
    learning.inbox.confirm(waiting.id)
    learning.undo.rollback("session:bad")
    (memory,) = learning.mind.memories()
    assert (memory.trust, memory.sources) == ("owner", ())


def test_without_the_owners_word_a_tools_rule_waits_again(learning: Learning) -> None:
    tool = learning.say("x", session="tool", role="tool")
    owner = learning.say("y", session="owner")
    rule = {"kind": "rule", "subject": "agent", "predicate": "must", "value": "use uv"}
    learning.settle(candidate(**rule, sources=(owner.id,)))
    learning.settle(candidate(**rule, trust="tool", confidence=0.9, sources=(tool.id,)))
    learning.undo.rollback("session:owner")
    assert learning.mind.memories() == []
    (waiting,) = learning.all("pending")
    assert waiting.trust == "tool"


@pytest.mark.parametrize("trust", ["tool", "external"])
def test_a_whole_tier(learning: Learning, trust: Trust) -> None:
    for number in range(20):
        kind = ("rule", "fact", "identity", "preference")[number % 4]
        told = candidate(f"obey me {number}", kind=kind, trust=trust, importance=number / 20)
        learning.settle(told)
    learning.settle(likes("tea"))
    learning.settle(likes("tea", trust=trust, confidence=0.9))
    learning.undo.rollback(f"trust:{trust}")
    assert learning.values() == ["tea"]
    assert learning.all("pending") == []


def test_a_dry_run_tells_the_same_and_changes_nothing(
    learning: Learning, clock: ManualClock
) -> None:
    learning.settle(version("3.10"))
    clock.advance(days=1)
    bad = learning.say("x", session="bad")
    learning.settle(version("3.9", is_update=True, sources=(bad.id,)))
    before = (learning.all(), learning.mind.events())
    planned = learning.undo.rollback("session:bad", dry_run=True)
    assert planned.dry_run
    assert (learning.all(), learning.mind.events()) == before
    done = learning.undo.rollback("session:bad")
    assert (planned.removed, planned.restored) == (done.removed, done.restored)


def test_repeating_it_changes_nothing(learning: Learning, clock: ManualClock) -> None:
    good, bad = learning.say("x", session="good"), learning.say("y", session="bad")
    learning.settle(likes("tea", importance=0.3, sources=(good.id,)))
    learning.settle(likes("tea", importance=0.9, sources=(bad.id,)))
    first = learning.undo.rollback("session:bad", operation_id="op")
    before = (learning.all(), learning.mind.events())
    clock.advance(days=1)
    assert learning.undo.rollback("session:bad", operation_id="op") == first
    assert (learning.all(), learning.mind.events()) == before
    again = learning.undo.rollback("session:bad")
    assert (again.removed, again.restored, again.revised) == ((), (), ())
    assert learning.all() == before[0]


def test_what_was_taken_back_does_not_return_with_the_next_rollback(learning: Learning) -> None:
    for session in "abc":
        turn = learning.say("x", session=session)
        learning.settle(likes("tea", confidence=0.9, sources=(turn.id,)))
    learning.undo.rollback("session:c")
    learning.undo.rollback("session:b")
    (memory,) = learning.mind.memories()
    assert (memory.confirmations, memory.confidence) == (0, 0.9)
    learning.undo.rollback("session:a")
    assert learning.mind.memories() == []


def test_what_was_remembered_by_hand_is_rolled_back_too(learning: Learning) -> None:
    bad = learning.say("x", session="bad")
    old = learning.mind.remember("uses pip", kind="fact")
    learning.mind.remember("uses conda", kind="fact", supersedes=old.id, sources=[bad.id])
    learning.undo.rollback("session:bad")
    assert [memory.text for memory in learning.mind.memories()] == ["uses pip"]


@pytest.mark.parametrize("source", ["", "bad", "session:", "planet:mars", "trust:friend"])
def test_a_source_that_is_none(learning: Learning, source: str) -> None:
    with pytest.raises(mnemic.InvalidInput) as caught:
        learning.undo.rollback(source)
    assert caught.value.remedy


SAID = st.lists(
    st.tuples(
        st.sampled_from(["good", "bad"]),
        st.sampled_from(["version", "likes"]),
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from([0.3, 0.6]),
    ),
    max_size=8,
)


@settings(max_examples=40)
@given(said=SAID)
def test_it_is_as_if_the_source_had_never_spoken(said: list[tuple[str, str, str, float]]) -> None:
    assert facts(said, silent="") == facts(said, silent="bad")


def facts(said: list[tuple[str, str, str, float]], *, silent: str) -> list[tuple[object, ...]]:
    """What holds once a source is rolled back, or was ``silent`` from the start.

    A version that comes back after another is a new row where the other was ever there, so only of
    likes is it compared how well they stand.
    """
    clock = ManualClock(NOON)
    with mnemic.open(":memory:", clock=clock, worker="none") as mind:
        learning = Learning(mind, clock)
        for session, predicate, value, importance in said:
            clock.advance(days=1)
            if session != silent:
                turn = learning.say("x", session=session)
                learning.settle(tell(predicate, value, importance, turn.id))
        learning.undo.rollback("session:bad")
        held = sorted(mind.memories(), key=lambda memory: (memory.predicate, memory.value))
        return [
            (m.value,)
            if m.predicate == "version"
            else (m.value, m.importance, m.confidence, m.confirmations, m.created_at, m.valid_from)
            for m in held
        ]


def tell(predicate: str, value: str, importance: float, turn: str) -> Candidate:
    if predicate == "version":
        return version(value, is_update=True, importance=importance, sources=(turn,))
    return likes(value, importance=importance, sources=(turn,))
