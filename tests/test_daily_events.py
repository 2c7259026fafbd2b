"""Daily events: one short line for each stretch of conversation."""

from __future__ import annotations

from datetime import date, timedelta, timezone
from pathlib import Path

import pytest

import mnemic
from mnemic import Mind, ToolCall
from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind

pytestmark = pytest.mark.feature("L7", preset="myclaw")


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    return open_mind(preset="myclaw")


def quiet(mind: Mind, clock: ManualClock) -> None:
    clock.advance(minutes=3)
    mind.drain()


@pytest.mark.statement("D68")
def test_a_stretch_leaves_one_line(mind: Mind, clock: ManualClock) -> None:
    session = mind.session("s")
    session.user("我升级到 Python 3.12 了。以后都用 uv", sender="小明", channel="wechat")
    session.assistant("好的", tool_calls=[ToolCall("run", {"x": 1})], channel="wechat")
    session.user("Thanks! Bye", sender="小明", channel="wechat")
    assert mind.daily_events() == []
    quiet(mind, clock)
    (event,) = mind.daily_events()
    assert event.day == date(2026, 2, 12)
    assert (event.channel, event.sender) == ("wechat", "小明")
    assert event.tokens == sum(turn.tokens for turn in mind.turns()) > 0
    assert event.compressed is False
    assert event.created_at == clock.now()
    assert "Python 3.12" in event.summary
    assert "run" in event.summary
    assert len(event.summary) <= 200


def test_each_turn_starts_the_wait_again(mind: Mind, clock: ManualClock) -> None:
    for _ in range(5):
        mind.record(session="s", role="user", text="tea")
        clock.advance(minutes=2, seconds=59)
        mind.drain()
        assert mind.daily_events() == []
    clock.advance(seconds=1)
    mind.drain()
    assert len(mind.daily_events()) == 1


def test_no_turn_is_spoken_of_twice_and_none_is_left_out(mind: Mind, clock: ManualClock) -> None:
    mind.record(session="s", role="user", text="green tea", index=0)
    mind.record(session="s", role="user", text="black tea", index=5)
    quiet(mind, clock)
    mind.record(session="s", role="user", text="white tea", index=2)
    quiet(mind, clock)
    quiet(mind, clock)
    later, earlier = mind.daily_events()
    assert ("green" in earlier.summary, "black" in earlier.summary) == (True, True)
    assert later.summary == "white tea"
    assert earlier.tokens + later.tokens == sum(turn.tokens for turn in mind.turns())


def test_days_and_channels_are_kept_apart(mind: Mind, clock: ManualClock) -> None:
    east = timezone(timedelta(hours=8))
    session = mind.session("s")
    session.user("一", channel="wechat", at=NOON.replace(hour=15, minute=59).astimezone(east))
    session.user("二", channel="wechat", at=NOON.replace(hour=16).astimezone(east))
    session.user("三", channel="mail", at=NOON.replace(hour=16).astimezone(east))
    quiet(mind, clock)
    found = {(e.day, e.channel, e.summary) for e in mind.daily_events()}
    assert found == {
        (date(2026, 2, 12), "wechat", "一"),
        (date(2026, 2, 13), "wechat", "二"),
        (date(2026, 2, 13), "mail", "三"),
    }, "a day is the speaker's day"
    assert [e.summary for e in mind.daily_events(day=date(2026, 2, 12))] == ["一"]
    assert len(mind.daily_events(limit=1)) == 1


def test_a_day_may_be_given_as_any_moment_of_it(mind: Mind, clock: ManualClock) -> None:
    mind.record(session="s", role="user", text="tea")
    quiet(mind, clock)
    assert len(mind.daily_events(day=NOON)) == 1
    with pytest.raises(mnemic.InvalidInput) as caught:
        mind.daily_events(day="2026-02-12")  # type: ignore[arg-type]
    assert caught.value.remedy


def test_sessions_are_kept_apart(mind: Mind, clock: ManualClock) -> None:
    mind.record(session="a", role="user", text="tea")
    mind.record(session="b", role="user", text="coffee")
    quiet(mind, clock)
    assert sorted(e.summary for e in mind.daily_events()) == ["coffee", "tea"]


def test_a_long_stretch_leaves_a_short_line(mind: Mind, clock: ManualClock) -> None:
    for number in range(50):
        mind.record(session="s", role="user", text=f"Question {number}? " + "words " * 500)
    quiet(mind, clock)
    (event,) = mind.daily_events()
    assert event.summary.startswith("Question 0?")
    assert 0 < len(event.summary) <= 200


def test_events_outlive_the_process(mind: Mind, clock: ManualClock, open_mind: OpenMind) -> None:
    mind.record(session="s", role="user", text="tea")
    mind.close()
    again = open_mind(preset="myclaw")
    quiet(again, clock)
    before = again.daily_events()
    again.close()
    assert open_mind(preset="myclaw").daily_events() == before != []


def test_a_preset_without_a_quiet_gap_writes_none(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path
) -> None:
    mind = open_mind(tmp_path / "other.db", preset="openakita")
    mind.record(session="s", role="user", text="tea")
    clock.advance(days=2)
    mind.drain()
    assert mind.daily_events() == []
