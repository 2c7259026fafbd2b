"""Metrics: counted while memory is used, never in the way of it."""

from __future__ import annotations

import re

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.types import constant
from tests.conftest import OpenMind
from tests.settling import Learning, likes

pytestmark = pytest.mark.feature("U8")


def test_nothing_counted_is_no_rate(mind: Mind) -> None:
    found = mind.metrics()
    rates = [getattr(found, name) for name in dir(found) if name.endswith("_rate")]
    assert rates == [None] * 4
    assert (found.context_share, found.cost, found.dead_letters) == (None, None, 0)


def test_how_often_the_user_says_yes(mind: Mind, clock: ManualClock) -> None:
    learning = Learning(mind, clock)
    for value in ("tea", "milk", "rum", "gin"):
        learning.settle(likes(value, confidence=0.7))
    for memory in mind.pending():
        (mind.ignore if memory.value == "gin" else mind.confirm)(memory.id)
    found = mind.metrics()
    assert (found.confirmed, found.refused, found.pending) == (3, 1, 0)
    assert found.confirmation_rate == pytest.approx(0.75)


def test_how_often_a_learned_memory_was_wrong(mind: Mind, clock: ManualClock) -> None:
    learning = Learning(mind, clock)
    good, bad = learning.say("x", session="good"), learning.say("y", session="bad")
    for value in ("tea", "milk", "water"):
        learning.settle(likes(value, sources=(good.id,)))
    learning.settle(likes("poison", sources=(bad.id,)))
    mind.remember("told by hand", kind="fact")
    mind.rollback("session:bad")
    found = mind.metrics()
    assert (found.learned, found.taken_back, found.wrong_write_rate) == (4, 1, 0.25)


def test_recalls_that_find_something(mind: Mind) -> None:
    mind.record(session="s", role="user", text="The cat is called Mia")
    assert mind.recall("cat")
    with mind._store.read(mind.space) as unit:
        assert unit.counters.totals(None) == {}, "recall does not wait for a write"
    found = mind.metrics()
    assert (found.recalls, found.recalls_with_evidence) == (1, 1)
    assert found.recall_hit_rate == 1.0


@pytest.mark.parametrize(
    ("said", "asked", "used", "not_used"),
    [
        ("The cat is called Mia", "what is the cat called?", "She is Mia", "I do not know"),
        ("猫的名字叫米娅", "猫叫什么？", "它叫米娅", "不清楚呢"),
    ],
)
def test_evidence_is_used_when_the_reply_says_more_than_the_question(
    mind: Mind, said: str, asked: str, used: str, not_used: str
) -> None:
    mind.remember(said, kind="fact")
    for reply in (used, not_used):
        mind.record(session="s", role="user", text=asked)
        assert mind.context(asked, session="s").sections
        mind.record(session="s", role="assistant", text=reply)
    mind.record(session="s", role="assistant", text=f"{used}, without being asked")
    found = mind.metrics()
    assert (found.replies, found.replies_using_evidence) == (2, 1)
    assert found.evidence_used_rate == 0.5


def test_the_share_of_a_context_that_came_from_memory(mind: Mind) -> None:
    mind.remember("The cat is called Mia", kind="fact")
    built = [mind.context("what is the cat called?") for _ in range(2)]
    kinds = ("evidence", "core", "scratchpad", "user", "cards")
    memory = sum(
        min(c.tokens, sum(use.tokens for use in c.sections if use.name in kinds)) for c in built
    )
    found = mind.metrics()
    assert (found.contexts, found.context_tokens) == (2, sum(c.tokens for c in built))
    assert found.memory_tokens == memory > 0
    assert found.context_share == pytest.approx(memory / found.context_tokens)


def test_counts_last_and_can_be_had_for_some_days(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind()
    mind.recall("anything")
    mind.close()
    clock.advance(days=10)
    again = open_mind()
    again.recall("anything")
    again.record_usage(purpose="extract", model="m", input_tokens=10, output_tokens=5, cost=0.25)
    assert again.metrics().recalls == 2
    recent = again.metrics(days=2)
    assert (recent.recalls, recent.days) == (1, 2)
    assert (recent.model_calls, recent.model_tokens, recent.cost) == (1, 15, 0.25)
    assert open_mind(space="other").metrics().recalls == 0


def test_the_queue_and_the_dead(mind: Mind) -> None:
    with mind._store.write(mind.space) as unit:
        now = mind._clock.now()
        unit.tasks.enqueue("nonsense", {constant("k"): {}}, run_at=now, now=now, max_attempts=1)
    assert mind.metrics().queue_depth == 1
    mind.drain()
    found = mind.metrics()
    assert (found.queue_depth, found.dead_letters) == (0, 1)


def test_prometheus_reads_it(open_mind: OpenMind) -> None:
    mind = open_mind(space='a "b"\\c')
    mind.remember("The cat is called Mia", kind="fact")
    mind.context("what is the cat called?")
    lines = mind.prometheus().splitlines()
    assert mind.prometheus().endswith("\n")
    values = {}
    for line in lines:
        if line.startswith("#"):
            assert re.fullmatch(r"# (?:HELP \w+ .+|TYPE \w+ (?:counter|gauge))", line)
            continue
        match = re.fullmatch(r'(mnemic_\w+)\{space="a \\"b\\"\\\\c"\} (\S+)', line)
        assert match, line
        values[match[1]] = float(match[2])
    assert values["mnemic_contexts_total"] == 1
    assert 0 < values["mnemic_context_share"] <= 1
    assert values["mnemic_memories"] == 1
    assert "mnemic_cost_total" not in values, "never counted"
    named = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert named == set(values)


def test_counters_do_not_fall_when_what_was_counted_is_forgotten(
    mind: Mind, clock: ManualClock
) -> None:
    learning = Learning(mind, clock)
    turn = learning.say("x", session="gone")
    learning.settle(likes("tea", sources=(turn.id,)))
    learning.settle(likes("rum", confidence=0.7))
    mind.forget(session="gone")
    found = mind.metrics()
    assert (found.learned, found.put_to_user, found.memories) == (1, 1, 0)


def test_a_memory_is_taken_back_once(mind: Mind, clock: ManualClock) -> None:
    learning = Learning(mind, clock)
    turn = learning.say("x", session="s")
    learning.settle(likes("tea", sources=(turn.id,)))
    for _ in range(2):
        mind.rollback("session:s")
        for memory in mind.memories(status="archived"):
            mind.restore(memory.id)
    assert mind.metrics().taken_back == 1
