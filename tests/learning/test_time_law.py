"""When a thing is told, when it holds, and when it was known: three times that never stand in for
each other."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted

pytestmark = pytest.mark.feature("N4", "X5")

EVERY: dict[str, Any] = {"triggers": {"quiet_gap": "never", "session_min_messages": 1}}
SHANGHAI, BERLIN = ZoneInfo("Asia/Shanghai"), ZoneInfo("Europe/Berlin")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Scripted() as made:
        yield made


def tell(mind: Mind, clock: ManualClock, text: str, at: datetime) -> None:
    clock.set(at)
    session = f"s{at.timestamp():.0f}"
    mind.record(session=session, role="user", text=text, at=at)
    mind.end_session(session)
    mind.drain()


def values(mind: Mind, predicate: str, **when: Any) -> list[str]:
    return [memory.value for memory in mind.memories(predicate=predicate, **when)]


# --- life counts from the day of the thing ----------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key", "days"),
    [
        ("I have a knee surgery on 3 December.", "surgery", ("2026-12-03", "2026-12-03")),
        ("My visa interview is in five months.", "interview", ("2027-01-12", "2027-01-12")),
        ("I'm traveling to Bergen from 9 to 14 October.", "Bergen", ("2026-10-09", "2026-10-14")),
        ("我十二月三号有个手术", "手术", ("2026-12-03", "2026-12-03")),
        ("十月九号到十四号我要去敦煌旅游", "敦煌", ("2026-10-09", "2026-10-14")),
        ("明年2月10日有个答辩", "答辩", ("2027-02-10", "2027-02-10")),
    ],
)
def test_a_plan_months_ahead_is_known_until_its_last_day(
    open_mind: OpenMind, clock: ManualClock, text: str, key: str, days: tuple[str, str]
) -> None:
    first, last = days
    mind = open_mind(**EVERY)
    zone = SHANGHAI
    tell(mind, clock, text, datetime(2026, 8, 12, 10, tzinfo=zone))
    (memory,) = mind.memories(text=key)
    assert first in memory.text
    assert last in memory.text

    def current(day: str, hour: int) -> bool:
        clock.set(datetime.fromisoformat(day).replace(hour=hour, tzinfo=zone))
        mind.upkeep("daily")
        return bool(mind.memories(text=key))

    assert current(first, 0)
    assert current(last, 20)
    clock.advance(days=2)
    mind.upkeep("daily")
    assert not mind.memories(text=key)
    assert mind.memories(text=key, as_of=datetime.fromisoformat(last).replace(tzinfo=zone))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I have a dentist appointment the day after tomorrow at 3.", "2026-08-14"),
        ("我29号要去体检", "2026-08-29"),
        ("大后天我要考试", "2026-08-15"),
        ("My train to Ghent is on 12 December.", "2026-12-12"),
        ("I have a checkup in three weeks.", "2026-09-02"),
        ("我三周后有个复诊", "2026-09-02"),
        ("我下周三要去见牙医", "2026-08-19"),
    ],
)
def test_the_day_of_a_plan_is_read_from_all_of_its_words(
    open_mind: OpenMind, clock: ManualClock, text: str, day: str
) -> None:
    mind = open_mind(**EVERY)
    tell(mind, clock, text, datetime(2026, 8, 12, 10, tzinfo=SHANGHAI))
    (memory,) = mind.memories()
    assert f"({day})" in memory.text
    assert memory.kind == "event"


def test_a_day_that_is_said_not_to_be_the_day_dates_nothing(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(**EVERY)
    at = datetime(2026, 8, 12, 10, tzinfo=BERLIN)
    tell(mind, clock, "My interview is on September 4 instead of October.", at)
    assert [m.text for m in mind.memories()] == [
        "My interview is on September 4 instead of October (2026-09-04)"
    ]


# --- what lies ahead holds from its day --------------------------------------------------------


def test_a_change_that_lies_ahead_takes_effect_on_its_day(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(**EVERY)
    tell(mind, clock, "I work at Fjordbank.", datetime(2026, 7, 1, 9, tzinfo=BERLIN))
    tell(mind, clock, "I start at Nordlicht in October.", datetime(2026, 8, 12, 9, tzinfo=BERLIN))
    assert values(mind, "employer") == ["Fjordbank"]
    assert "Nordlicht" not in mind.context("hello", budget=2000).text
    clock.set(datetime(2026, 9, 30, 23, 30, tzinfo=BERLIN))
    assert values(mind, "employer") == ["Fjordbank"]
    clock.set(datetime(2026, 10, 1, 0, 30, tzinfo=BERLIN))
    assert values(mind, "employer") == ["Nordlicht"]
    before = datetime(2026, 9, 1, tzinfo=BERLIN)
    assert values(mind, "employer", as_of=before) == ["Fjordbank"]
    mind.upkeep("daily")
    (memory,) = mind.memories(predicate="employer")
    chain = mind.history(memory.id).versions
    assert [(one.value, one.status) for one in chain] == [
        ("Fjordbank", "superseded"),
        ("Nordlicht", "active"),
    ]


def test_a_models_future_beginning_does_not_end_the_present(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    def propose(shown: str) -> list[thinking.Fact]:
        later = "里昂" in shown
        place, since = ("里昂", "2026-11-01") if later else ("南特", None)
        fact: thinking.Fact = {
            "kind": "identity",
            "content": f"用户住在{place}",
            "subject": "user",
            "predicate": "lives_in",
            "value": place,
            "confidence": 0.95,
            "turns": [1],
        }
        return [fact if since is None else {**fact, "valid_from": since, "is_update": True}]

    server.always(thinking.proposing(propose, verdict="update"))
    mind = open_mind(**thinking.settings(server), **EVERY)
    tell(mind, clock, "我住在南特", datetime(2026, 8, 1, 9, tzinfo=SHANGHAI))
    tell(mind, clock, "我十一月一号要搬到里昂住", datetime(2026, 8, 12, 9, tzinfo=SHANGHAI))
    assert values(mind, "lives_in") == ["南特"]
    clock.set(datetime(2026, 11, 1, 0, 30, tzinfo=SHANGHAI))
    assert values(mind, "lives_in") == ["里昂"]


def test_a_change_that_is_called_off_leaves_what_held(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(**EVERY)
    moment = datetime(2026, 8, 1, tzinfo=BERLIN)
    clock.set(moment)
    mind.remember(
        "Lives in Turku", kind="identity", subject="user", predicate="lives_in", value="Turku"
    )
    coming = mind.remember(
        "Lives in Vaasa",
        kind="identity",
        subject="user",
        predicate="lives_in",
        value="Vaasa",
        valid_from=moment + timedelta(days=60),
    )
    assert values(mind, "lives_in") == ["Turku"]
    mind.archive(coming.id)
    clock.advance(days=90)
    assert values(mind, "lives_in") == ["Turku"]


# --- what was true then, what was known then ---------------------------------------------------


def test_talk_recorded_later_answers_for_the_time_it_speaks_of(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(**EVERY)
    said = datetime(2024, 5, 2, 9, tzinfo=BERLIN)
    recorded = datetime(2026, 8, 12, 9, tzinfo=BERLIN)
    clock.set(recorded)
    mind.record(session="old", role="user", text="I live in Aarhus.", at=said)
    mind.end_session("old")
    mind.drain()
    then = said + timedelta(days=30)
    assert values(mind, "lives_in", as_of=then) == ["Aarhus"]
    assert values(mind, "lives_in", known_at=then) == []
    assert values(mind, "lives_in", known_at=recorded + timedelta(hours=1)) == ["Aarhus"]
    assert [hit.text for hit in mind.recall("where do I live?", of=["memory"], as_of=then)]
    assert not mind.recall("where do I live?", of=["memory"], known_at=then)


# --- what only looks like a day -----------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["from today on reply to me in Portuguese", "从今天起都用粤语回答我"]
)
def test_a_rule_from_today_on_has_no_end(
    open_mind: OpenMind, clock: ManualClock, text: str
) -> None:
    mind = open_mind(**EVERY)
    tell(mind, clock, text, datetime(2026, 8, 12, 10, tzinfo=BERLIN))
    clock.advance(days=40)
    mind.upkeep("daily")
    assert [memory.text for memory in mind.memories(kind="rule")] == [text]


def test_a_month_from_today_is_a_day_and_makes_no_rule(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(**EVERY)
    text = "signing for the allotment a month from today, fingers crossed"
    tell(mind, clock, text, datetime(2026, 8, 12, 10, tzinfo=BERLIN))
    assert mind.memories(kind="rule") == []
    (memory,) = mind.memories(text="allotment")
    assert "2026-09-12" in memory.text


@pytest.mark.parametrize(
    "text", ["my locker is on the 4th floor", "our kid is in the 2nd grade at Hillside"]
)
def test_an_ordinal_of_a_thing_is_no_day(
    open_mind: OpenMind, clock: ManualClock, text: str
) -> None:
    mind = open_mind(**EVERY)
    tell(mind, clock, text, datetime(2026, 8, 12, 10, tzinfo=BERLIN))
    assert all("2026" not in memory.text for memory in mind.memories())


def test_what_was_booked_for_a_day_lies_ahead(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(**EVERY)
    tell(mind, clock, "约到科目三了 9月6号上午", datetime(2026, 8, 12, 10, tzinfo=SHANGHAI))
    assert [memory.text for memory in mind.memories(text="科目三")] == [
        "约到科目三了 9月6号上午 (2026-09-06)"
    ]
