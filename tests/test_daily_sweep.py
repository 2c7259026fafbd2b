"""The daily sweep: whatever no other trigger took is learned with the daily upkeep."""

from __future__ import annotations

import pytest

from tests.conftest import OpenMind


@pytest.mark.feature("X2", "U1")
def test_a_session_too_short_for_other_triggers_is_swept(open_mind: OpenMind) -> None:
    mind = open_mind(
        triggers__quiet_gap="never", triggers__buffer_tokens=0, triggers__session_min_messages=3
    )
    with mind.session("short") as session:
        session.user("I live in Lisbon.")
    mind.drain()
    assert [turn.state for turn in mind.turns(session="short")] == ["new"]
    mind.upkeep("daily")
    mind.drain()
    assert [turn.state for turn in mind.turns(session="short")] == ["extracted"]
    assert [memory.value for memory in mind.memories(kind="identity")] == ["Lisbon"]


@pytest.mark.setting("triggers.daily_sweep")
@pytest.mark.feature("X2", "U1")
def test_with_the_sweep_off_it_waits(open_mind: OpenMind) -> None:
    mind = open_mind(
        triggers__quiet_gap="never",
        triggers__buffer_tokens=0,
        triggers__session_min_messages=3,
        triggers__daily_sweep=False,
    )
    with mind.session("short") as session:
        session.user("I live in Lisbon.")
    mind.upkeep("daily")
    mind.drain()
    assert [turn.state for turn in mind.turns(session="short")] == ["new"]
