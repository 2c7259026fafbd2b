"""One notion of day, the user's: wherever a moment becomes a day it is theirs, not that of UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest

import mnemic
from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.days import day_bounds, day_of
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted
from tests.remote import server

__all__ = ["server"]

QUIET: dict[str, Any] = {"embedding": {"provider": "none"}}


class Case(NamedTuple):
    """A moment on the clocks of a place, and the day it is there."""

    zone: str
    wall: str  # by those clocks
    stated: bool  # by the turn itself, else by the setting

    @property
    def at(self) -> datetime:
        return self.told(datetime.fromisoformat(self.wall).replace(tzinfo=ZoneInfo(self.zone)))

    def told(self, moment: datetime) -> datetime:
        """The moment as the host gives it."""
        return moment.astimezone(ZoneInfo(self.zone) if self.stated else UTC)

    @property
    def day(self) -> date:
        return date.fromisoformat(self.wall[:10])

    @property
    def settings(self) -> dict[str, Any]:
        """A stated zone wins over the one that is set."""
        return {**QUIET, "schedule": {"zone": "UTC" if self.stated else self.zone}}


PLACES = [
    ("Asia/Shanghai", "2026-05-07T00:30"),
    ("Asia/Shanghai", "2026-05-07T07:30"),
    ("Asia/Shanghai", "2026-05-07T23:30"),
    ("America/New_York", "2026-05-07T00:30"),
    ("America/New_York", "2026-05-07T22:00"),
    ("America/New_York", "2026-03-08T23:30"),  # 23 hours long
    ("America/New_York", "2026-11-01T00:15"),  # 25 hours long
    ("America/New_York", "2026-11-01T23:45"),
    ("Asia/Kolkata", "2026-05-07T05:15"),
    ("Asia/Kolkata", "2026-05-07T23:59"),
    ("Europe/Berlin", "2026-10-25T23:40"),  # 25 hours long
    ("UTC", "2026-05-07T00:00"),
    ("UTC", "2026-05-07T23:59"),
    ("Pacific/Auckland", "2026-01-01T06:00"),
]
CASES = [Case(*place, stated) for place in PLACES for stated in (False, True)]
EVERY = pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.zone}-{c.wall}-{c.stated}")
THINGS = {
    -1: "拼图拼完了 finished the jigsaw",
    0: "阳台种了罗勒 planted basil",
    1: "修好了自行车 fixed the bike",
}


@pytest.fixture
def lived(request: pytest.FixtureRequest, open_mind: OpenMind, clock: ManualClock) -> Mind:
    """The day of a case, with one thing said that day, and one on each day beside it."""
    case: Case = request.getfixturevalue("case")
    mind = open_mind(**case.settings)
    for days, text in THINGS.items():
        wall = datetime.fromisoformat(case.wall) + timedelta(days=days)
        at = case.told(wall.replace(tzinfo=ZoneInfo(case.zone)))
        mind.record(session=f"{days}", role="user", text=text, at=at)
    clock.set(case.at + timedelta(days=1, minutes=10))
    return mind


@EVERY
@pytest.mark.feature("R6")
def test_a_question_about_a_day_gives_the_users_day_first(lived: Mind, case: Case) -> None:
    day = case.day
    questions = [f"{day.month}月{day.day}日我做了什么？", f"what did I do on {day:%B} {day.day}?"]
    for question in questions:
        hits = lived.recall(question, of="turn")
        assert hits[0].text == THINGS[0], question
        others = [hit for hit in hits if hit.text != THINGS[0]]
        assert not any("time" in hit.why.routes for hit in others), question
        assert THINGS[0] in lived.context(question).text


@EVERY
@pytest.mark.feature("R6")
@pytest.mark.parametrize("question", ["昨天我都忙了些什么", "What happened yesterday?"])
def test_yesterday_is_the_users(
    open_mind: OpenMind, clock: ManualClock, case: Case, question: str
) -> None:
    mind = open_mind(**case.settings)
    midnight, tomorrow = day_bounds(case.day, ZoneInfo(case.zone))
    before = case.told(midnight - timedelta(minutes=1))
    mind.record(session="s", role="user", text="罗勒发芽了 the basil sprouted", at=case.at)
    mind.record(session="t", role="user", text="下过雨 it had rained", at=before)
    for moment in (tomorrow, tomorrow + timedelta(hours=22)):
        clock.set(moment)
        hits = mind.recall(question, of="turn")
        assert [hit.text for hit in hits if "time" in hit.why.routes] == [
            "罗勒发芽了 the basil sprouted"
        ]
        assert hits[0].text == "罗勒发芽了 the basil sprouted"


@EVERY
@pytest.mark.feature("L7")
def test_a_daily_event_has_the_users_day(
    open_mind: OpenMind, clock: ManualClock, case: Case
) -> None:
    clock.set(case.at)
    mind = open_mind(**case.settings)
    mind.record(session="s", role="user", text="种了罗勒 planted basil", at=case.at)
    clock.advance(hours=3)
    mind.drain()
    assert [event.day for event in mind.daily_events()] == [case.day]
    assert len(mind.daily_events(day=case.day)) == 1
    assert len(mind.daily_events(day=case.at)) == 1, "the day of that moment"
    assert mind.daily_events(day=case.day + timedelta(days=1)) == []


@EVERY
@pytest.mark.feature("U3")
def test_a_model_is_asked_about_the_users_day(
    open_mind: OpenMind, clock: ManualClock, case: Case, server: Scripted
) -> None:
    server.always(thinking.proposing(lambda _: []))
    clock.set(case.at)
    mind = open_mind(
        **case.settings | thinking.settings(server) | {"triggers": {"quiet_gap": "1h"}}
    )
    mind.record(session="s", role="user", text="种了罗勒 planted basil", at=case.at)
    clock.advance(hours=2)
    mind.drain()
    clock.set(day_bounds(case.day, ZoneInfo(case.zone))[1])
    mind.upkeep()
    asked = [
        ask for ask in map(thinking.told, server.asked) if "event log" in ask or "事件日志" in ask
    ]
    assert [str(case.day) in prompt for prompt in asked] == [True]
    assert all(event.compressed for event in mind.daily_events())


@EVERY
@pytest.mark.feature("O1")
def test_a_log_of_off_mode_is_of_the_users_day(
    tmp_path: Path, clock: ManualClock, case: Case
) -> None:
    clock.set(case.at)
    settings = {**case.settings, "memory": {"enabled": False}}
    with mnemic.open(tmp_path / "memory.db", clock=clock, worker="none", **settings) as mind:
        mind.record(session="s", role="user", text="种了罗勒 planted basil", at=case.at)
        assert mind.turns()[0].at == case.at
        assert f"{case.day}" in mind.context("what did I plant?").text
    logs = list(tmp_path.rglob("????-??-??.md"))
    assert [log.stem for log in logs] == [f"{case.day}"]
    assert f"## {case.wall[11:16]} user" in logs[0].read_text()
    clock.advance(hours=30)
    with mnemic.open(tmp_path / "memory.db", clock=clock, worker="none", **settings) as mind:
        assert [turn.at for turn in mind.turns()] == [case.at], "read again"


@EVERY
@pytest.mark.feature("V3")
def test_documents_have_the_users_days(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path, case: Case
) -> None:
    clock.set(case.at)
    mind = open_mind(preset="shiyi", **case.settings, upkeep={"daily": ["documents", "report"]})
    mind.record(session="s", role="user", text="hello", at=case.at)
    mind.remember("planted basil", kind="decision", project="balcony")
    for name in ("daily report", "again"):
        mind.upkeep()
        (project,) = tmp_path.rglob("Project.md")
        assert f"- {case.day} planted basil" in project.read_text(), name
        assert [path.stem for path in tmp_path.rglob("????-??-??.md")] == [f"{case.day}"], name
    assert [m.text for m in mind.memories(status="all")] == ["planted basil"], "read back as it was"


@EVERY
@pytest.mark.feature("M13")
def test_the_scratchpad_has_the_users_time(
    open_mind: OpenMind, clock: ManualClock, case: Case
) -> None:
    clock.set(case.at - timedelta(hours=1))
    mind = open_mind(**case.settings)
    mind.record(session="s", role="user", text="Fix the leaking tap in the kitchen", at=clock.now())
    clock.set(case.at)
    mind.record(session="s", role="user", text="It works now, thanks", at=case.at)
    done = mind.scratchpad().text
    assert f"{case.day} {case.wall[11:16]}" in done
    mind.end_session("s")
    mind.drain()
    assert f"{case.day} {case.wall[11:16]}" in mind.scratchpad().text, "as it is stored"
    assert [done.at for done in mind.scratchpad().completions] == [case.at]


@EVERY
def test_growth_counts_the_users_days(open_mind: OpenMind, clock: ManualClock, case: Case) -> None:
    clock.set(case.at)
    mind = open_mind(**case.settings)
    mind.record(session="s", role="user", text="种了罗勒 planted basil", at=case.at)
    *_, today = mind.growth(days=3)
    assert (today.day, today.turns) == (case.day, 1)


def test_a_turn_of_another_place_is_of_its_own_day(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(**QUIET, schedule={"zone": "Asia/Shanghai"})
    evening = datetime(2026, 5, 7, 22, tzinfo=ZoneInfo("America/New_York"))  # the 8th in Shanghai
    mind.record(session="a", role="user", text="looked at the skyline", at=evening)
    home = datetime(2026, 5, 9, 8, tzinfo=ZoneInfo("Asia/Shanghai"))
    mind.record(session="b", role="user", text="came home", at=home)
    clock.set(home)
    first, *_ = mind.recall("What did I do on May 7?")
    assert first.text == "looked at the skyline"
    assert "2026-05-07" in mind.context("What did I do on May 7?").text
    assert "Nothing was recorded on 2026-05-08" in mind.context("What did I do on May 8?").text


def test_filters_without_a_zone_are_by_the_users_clocks(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(**QUIET, schedule={"zone": "Asia/Shanghai"})
    at = datetime(2026, 5, 6, 16, 30, tzinfo=UTC)  # half past midnight there
    mind.record(session="a", role="user", text="种了罗勒 planted basil", at=at)
    clock.set(at + timedelta(days=3))
    for since, until, found in (
        ("2026-05-07", "2026-05-08", 1),
        ("2026-05-06", "2026-05-07", 0),
        ("2026-05-07T00:15", "2026-05-07T00:45", 1),
        ("2026-05-06T16:15+00:00", "2026-05-06T16:45+00:00", 1),
    ):
        assert len(mind.turns(since=since, until=until)) == found
        assert len(mind.recall("basil", since=since, until=until)) == found
    assert mind.forget(since="2026-05-06", until="2026-05-07", dry_run=True).counts == {}
    assert mind.forget(since="2026-05-07", until="2026-05-08").counts["turn"] == 1


def test_the_day_of_a_moment_is_its_own_or_the_users() -> None:
    night = datetime(2026, 5, 6, 16, 30, tzinfo=UTC)
    assert day_of(night, "Asia/Shanghai") == date(2026, 5, 7)
    stated = night.astimezone(ZoneInfo("America/New_York"))
    assert day_of(stated, "Asia/Shanghai") == date(2026, 5, 6)
    for day, hours in ((date(2026, 3, 8), 23), (date(2026, 11, 1), 25), (date(2026, 7, 1), 24)):
        start, end = day_bounds(day, "America/New_York")
        assert end - start == timedelta(hours=hours)
        assert day_of(start, "America/New_York") == day
        assert day_of(end - timedelta(microseconds=1), "America/New_York") == day
