"""What lies ahead is kept with its days, whatever words name them, and is over after the last."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from mnemic.clock import ManualClock
from tests.conftest import OpenMind

pytestmark = pytest.mark.feature("N4", "X5")

EVERY: dict[str, Any] = {"triggers": {"quiet_gap": "never", "session_min_messages": 1}}
LISBON = ZoneInfo("Europe/Lisbon")
SAID = datetime(2027, 4, 14, 10, tzinfo=LISBON)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "key", "days"),
    [
        ("The chimney sweep is coming a week on Monday.", "chimney", "04-26"),
        ("Regatta with my uncle on the last Saturday of May.", "Regatta", "05-29"),
        ("I'm at my aunt's in Faro from the 3rd to the 6th of May.", "Faro", "05-03 – 05-06"),
        ("Sailing to the Azores on 2 June, back on the 19th.", "Azores", "06-02 – 06-19"),
        ("Signed up for a pottery course on the 24th.", "pottery", "04-24"),
        ("My violin exam is Tuesday next week.", "violin", "04-20"),
        ("I'm spending all of July on a farm near Evora.", "Evora", "07-01 – 07-31"),
        ("下个月第一个周六我要给外婆办寿宴", "寿宴", "05-01"),
        ("五月六号去婺源，十号回来", "婺源", "05-06 – 05-10"),
        ("我24号到26号去青岛参加婚礼", "青岛", "04-24 – 04-26"),
        ("下周四到周六我在西安培训", "西安", "04-22 – 04-24"),
        ("明晚七点半我跟房东签合同", "房东", "04-15"),
    ],
)
def test_a_plan_has_its_days_and_ends_with_them(
    open_mind: OpenMind, clock: ManualClock, text: str, key: str, days: str
) -> None:
    clock.set(SAID)
    mind = open_mind(schedule={"zone": "Europe/Lisbon"}, **EVERY)
    mind.record(session="s", role="user", text=text, at=SAID)
    mind.end_session("s")
    mind.drain()
    first, last = f"2027-{days[:5]}", f"2027-{days[-5:]}"
    days = f"({first})" if first == last else f"({first} – {last})"
    assert [memory.text[-len(days) :] for memory in mind.memories(text=key)] == [days]
    assert any(days in hit.text for hit in mind.recall(text, of=["memory"]))
    ends = datetime.combine(date.fromisoformat(last), datetime.min.time(), LISBON)
    clock.set(ends + timedelta(hours=20))
    assert mind.memories(text=key)
    clock.set(ends + timedelta(days=45))
    mind.upkeep("daily")
    assert not mind.memories(text=key)


@pytest.mark.parametrize(
    "text", ["The flight was on 2 April and I slept all the way.", "我四月二号去看了牙医，不疼"]
)
def test_what_is_done_is_no_plan(open_mind: OpenMind, clock: ManualClock, text: str) -> None:
    clock.set(SAID)
    mind = open_mind(schedule={"zone": "Europe/Lisbon"}, **EVERY)
    mind.record(session="s", role="user", text=text, at=SAID)
    mind.end_session("s")
    mind.drain()
    assert not [memory for memory in mind.memories() if memory.valid_to or "2028" in memory.text]
