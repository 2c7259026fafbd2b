"""The journal: events with their operation and steps, daily events, usage."""

from __future__ import annotations

from datetime import date

from mnemic.ids import new_id
from mnemic.store.contract import Store
from mnemic.types import DailyEvent, Event, UsageTotal, constant
from tests.conftest import NOON
from tests.contract.rows import SPACE, after


def add_event(
    store: Store, type_: str = "write", *, operation: str = "op", subject: str = "m", hours: int = 0
) -> Event:
    with store.write(SPACE) as unit:
        return unit.journal.add_event(
            type_,
            operation_id=constant(operation),
            subject=constant(subject),
            payload={"原因": [constant("a"), 1, None, {"b": True}], "x": 0.5},
            at=after(hours=hours),
        )


def test_an_event_comes_back_whole(store: Store) -> None:
    made = add_event(store)
    assert made.payload == {"原因": ["a", 1, None, {"b": True}], "x": 0.5}
    assert (made.type, made.operation_id, made.subject, made.at) == ("write", "op", "m", NOON)
    with store.read(SPACE) as unit:
        assert unit.journal.events() == [made]
        assert unit.journal.operation(constant("op")) == [made]
        assert unit.journal.operation(constant("other")) == []


def test_an_operation_keeps_its_steps_in_order(store: Store) -> None:
    steps = [add_event(store, f"step{n}", hours=9 - n) for n in range(5)]
    add_event(store, operation="other")
    with store.read(SPACE) as unit:
        assert unit.journal.operation(constant("op")) == steps


def test_events_by_subject_and_type_latest_first(store: Store) -> None:
    made = [
        add_event(store, type_, operation=f"{number}", subject=subject, hours=number)
        for number, (type_, subject) in enumerate(
            [("write", "a"), ("supersede", "a"), ("write", "b"), ("dead", "job:1")]
        )
    ]
    with store.read(SPACE) as unit:
        assert unit.journal.events() == made[::-1]
        assert unit.journal.events(subject=constant("a")) == [made[1], made[0]]
        assert unit.journal.events(type_="write") == [made[2], made[0]]
        assert unit.journal.events(type_="write", subject=constant("b")) == [made[2]]
        assert unit.journal.events(limit=1, offset=1) == [made[2]]
        assert unit.journal.events(since=made[1].at) == made[:0:-1]
        assert unit.journal.events(until=made[1].at) == made[:1]
        assert unit.journal.events(subject=constant("c")) == []
        assert unit.journal.events(limit=1) == [made[3]]


def test_events_of_one_moment_stay_in_order(store: Store) -> None:
    made = [add_event(store, operation=str(n)) for n in range(30)]
    with store.read(SPACE) as unit:
        assert unit.journal.events() == made[::-1]


def daily(day: date, summary: str, *, compressed: bool = False, hours: int = 0) -> DailyEvent:
    return DailyEvent(
        id=new_id(after(hours=hours)),
        day=day,
        channel=constant("微信"),
        sender=constant("小明"),
        summary=constant(summary),
        tokens=12,
        compressed=compressed,
        created_at=after(hours=hours),
    )


def test_daily_events_by_day_latest_first(store: Store) -> None:
    one = daily(date(2026, 2, 11), "聊了茶")
    two = daily(date(2026, 2, 12), "tea again", hours=1)
    three = daily(date(2026, 2, 12), "coffee", compressed=True, hours=2)
    late = daily(date(2026, 2, 10), "told late", hours=5)
    with store.write(SPACE) as unit:
        for event in (one, two, three, late):
            unit.journal.add_daily_event(event)
    with store.read(SPACE) as unit:
        assert unit.journal.daily_events(None, 10) == [three, two, one, late]
        assert unit.journal.daily_events(None, 2) == [three, two]
        assert unit.journal.daily_events(date(2026, 2, 12), 10) == [three, two]
        assert unit.journal.daily_events(date(2026, 2, 13), 10) == []


def test_usage_adds_up_by_purpose_and_model(store: Store) -> None:
    with store.write(SPACE) as unit:
        for number, (purpose, model, cost) in enumerate(
            [
                ("extract", "small", 0.25),
                ("extract", "small", 0.5),
                ("extract", "big", None),
                ("embed", "small", None),
                ("embed", "small", 1.0),
            ]
        ):
            unit.journal.add_usage(
                purpose=constant(purpose),
                model=constant(model),
                input_tokens=100 * (number + 1),
                output_tokens=number,
                cost=cost,
                at=after(hours=number),
            )
    with store.read(SPACE) as unit:
        assert unit.journal.usage(None) == [
            UsageTotal("embed", "small", 2, 900, 7, 1.0),
            UsageTotal("extract", "big", 1, 300, 2, None),
            UsageTotal("extract", "small", 2, 300, 1, 0.75),
        ]
        assert unit.journal.usage(after(hours=4)) == [UsageTotal("embed", "small", 1, 500, 4, 1.0)]
        assert unit.journal.usage(after(hours=5)) == []
