"""The bus: events in, conditions in the settings, actions out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic import ConfigError, Conflict, Mind, NotFound
from mnemic.clock import ManualClock
from mnemic.rules.event_rules import wants
from mnemic.settings import load
from mnemic.settings.upkeep import EventRule
from mnemic.settings.values import Condition
from tests.conftest import OpenMind


def talk(mind: Mind, session: str, turns: int) -> None:
    for n in range(turns):
        mind.record(session=session, role="user", text=f"My name is Lin{n} now.")
    mind.end_session(session)
    mind.drain()


@pytest.mark.statement("E131", "E144")
@pytest.mark.feature("U7")
@pytest.mark.feature("U7", preset="semibot")
def test_semibot_consolidates_at_the_end_of_a_longer_session(open_mind: OpenMind) -> None:
    mind = open_mind(preset="semibot")
    talk(mind, "short", 2)
    assert mind.memories() == []
    assert mind.events(type="rule.done") == []
    talk(mind, "long", 3)
    assert [memory.value for memory in mind.memories()] == ["Lin2"]
    assert [episode.session for episode in mind.episodes()] == ["long"]
    (done,) = mind.events(type="rule.done", subject="long")
    assert done.payload["rule"] == "consolidate_on_session_end"


@pytest.mark.statement("E147", "E149")
@pytest.mark.feature("U7", preset="semibot")
def test_semibot_announces_an_important_memory(open_mind: OpenMind) -> None:
    mind = open_mind(preset="semibot")
    mind.remember("a detail", kind="fact", importance=0.79)
    important = mind.remember("never push to main", kind="rule", importance=0.8)
    mind.drain()
    (notice,) = mind.events(type="notice")
    assert notice.subject == important.id
    assert notice.payload["type"] == "memory.write.important"
    mind.drain()
    assert len(mind.events(type="notice")) == 1


@pytest.mark.feature("U7")
def test_a_rule_can_run_a_step_or_be_switched_off(open_mind: OpenMind, clock: ManualClock) -> None:
    rule = {"event": "session.ended", "actions": ["decay"]}
    for enabled in (False, True):
        mind = open_mind(events={"rules": {"tidy": {**rule, "enabled": enabled}}})
        mind.remember(f"a passing shower {enabled}", kind="temp", importance=0.1)
        clock.advance(days=60)
        mind.record(session="s", role="user", text="hello")
        mind.end_session("s")
        mind.drain()
        mind.close()
    mind = open_mind()
    assert mind.memories() == []


@pytest.mark.setting("events.rules.<name>.risk")
@pytest.mark.feature("U7")
def test_a_rule_that_asks_waits_for_a_person(open_mind: OpenMind) -> None:
    rule = {"event": "memory.write.important", "actions": ["notify"], "mode": "ask", "risk": "high"}
    mind = open_mind(events={"rules": {"tell": rule}})
    mind.remember("never push to main", kind="rule", importance=0.9)
    mind.drain()
    assert mind.events(type="notice") == []
    (waiting,) = mind.waiting_rules()
    assert waiting.payload["risk"] == "high"
    mind.approve_rule(waiting.id)
    mind.drain()
    assert len(mind.events(type="notice")) == 1
    assert mind.waiting_rules() == []
    with pytest.raises(Conflict):
        mind.approve_rule(waiting.id)
    with pytest.raises(NotFound):
        mind.approve_rule("nobody")


@pytest.mark.feature("U7")
@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"event": "session.ended", "actions": ["consolidat"]}, "consolidate"),
        ({"event": "session.endet", "actions": ["extract"]}, "session.ended"),
        ({"event": "session.ended", "actions": []}, "action"),
        ({"event": "session.ended", "when": ["message_count ~ 3"], "actions": ["extract"]}, "test"),
        ({"event": "write", "actions": ["extract"]}, "session.ended"),
        ({"event": "write", "mode": "maybe", "actions": ["notify"]}, "ask"),
    ],
)
def test_a_wrong_rule_is_refused_on_load(rule: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load("default", env={}, overrides={"events": {"rules": {"mine": rule}}})


VALUES = st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.sampled_from(["a", "b"])


@given(VALUES, VALUES, st.sampled_from([">=", "<=", ">", "<", "==", "!="]))
def test_tests_compare_like_with_like(found: Any, value: Any, op: str) -> None:
    rule = EventRule(event="write", when=(Condition("payload.x", op, value),))
    passed = wants(rule, "write", {"x": found})
    alike = isinstance(found, bool) == isinstance(value, bool) and (
        isinstance(found, str) == isinstance(value, str)
    )
    assert not passed or alike
    if alike and op == "==":
        assert passed == (found == value)
    assert not wants(rule, "other", {"x": found})
    assert not wants(rule, "write", {})
