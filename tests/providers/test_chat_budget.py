"""What models may be used for in a day."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from mnemic.clock import ManualClock
from mnemic.errors import BudgetExhausted, ConfigError
from mnemic.providers.chat.base import Spent
from mnemic.providers.chat.budget import SpendingLimit, journal_meter
from mnemic.settings import load
from mnemic.store.sqlite.store import SqliteStore
from mnemic.types import UsageTotal
from tests.conftest import NOON

pytestmark = pytest.mark.feature("L5")


def used(tokens: int, cost: float | None = None) -> list[UsageTotal]:
    return [UsageTotal("extract", "m", 1, tokens, 0, cost), UsageTotal("x", "n", 1, 0, 1, None)]


@pytest.mark.parametrize(
    ("budget", "today", "named"),
    [
        (SpendingLimit(tokens=100), used(98), ""),
        (SpendingLimit(tokens=100), used(99), "model.daily_tokens"),
        (SpendingLimit(cost=1.5), used(10**9, 1.49), ""),
        (SpendingLimit(cost=1.5), used(0, 1.5), "model.daily_cost"),
        (SpendingLimit(cost=1.5), used(10**9, None), ""),
        (SpendingLimit(tokens=100, cost=1.5), used(5, 2.0), "model.daily_cost"),
        (SpendingLimit(), used(10**12, 10.0**6), ""),
        (SpendingLimit(tokens=1), [], ""),
    ],
)
def test_whether_the_next_call_may_be_made(
    budget: SpendingLimit, today: list[UsageTotal], named: str
) -> None:
    if not named:
        budget.check(today, NOON)
        return
    with pytest.raises(BudgetExhausted) as caught:
        budget.check(today, NOON)
    assert named in caught.value.remedy
    assert caught.value.until is not None
    assert caught.value.until > NOON


@pytest.mark.parametrize(
    ("zone", "now", "since", "until"),
    [
        ("UTC", "2026-02-12T12:00Z", "2026-02-12T00:00Z", "2026-02-13T00:00Z"),
        ("UTC", "2026-02-12T00:00Z", "2026-02-12T00:00Z", "2026-02-13T00:00Z"),
        ("Asia/Shanghai", "2026-02-12T17:00Z", "2026-02-12T16:00Z", "2026-02-13T16:00Z"),
        # Clocks go forward in Paris on 29 March 2026, back on 25 October.
        ("Europe/Paris", "2026-03-29T12:00Z", "2026-03-28T23:00Z", "2026-03-29T22:00Z"),
        ("Europe/Paris", "2026-10-25T12:00Z", "2026-10-24T22:00Z", "2026-10-25T23:00Z"),
    ],
)
def test_a_day_is_one_of_the_calendar(zone: str, now: str, since: str, until: str) -> None:
    budget = SpendingLimit(tokens=1, zone=zone)
    moment = datetime.fromisoformat(now)
    assert budget.since(moment) == datetime.fromisoformat(since)
    assert budget.until(moment) == datetime.fromisoformat(until)


def test_the_zone_of_the_machine() -> None:
    budget = SpendingLimit(tokens=1)
    assert budget.since(NOON) <= NOON < budget.until(NOON)
    assert budget.until(NOON) - budget.since(NOON) < timedelta(hours=26)


def test_a_zone_that_does_not_exist() -> None:
    with pytest.raises(ConfigError, match="Mars/Olympus"):
        SpendingLimit(tokens=1, zone="Mars/Olympus").since(NOON)


@pytest.mark.setting("model.daily_cost")
def test_it_comes_from_the_settings() -> None:
    given = {
        "model": {"daily_tokens": 5, "daily_cost": 0.5},
        "schedule": {"zone": "Asia/Shanghai"},
    }
    chosen = load("default", env={}, overrides=given)
    assert SpendingLimit.of(chosen) == SpendingLimit(5, 0.5, "Asia/Shanghai")
    assert SpendingLimit.of(load("default", env={})).unlimited


def test_the_journal_keeps_it(clock: ManualClock) -> None:
    store = SqliteStore(":memory:", busy_timeout=5, now=clock.now)
    meter = journal_meter(store, "me", clock, SpendingLimit(tokens=100, zone="UTC"))
    other = journal_meter(store, "you", clock, SpendingLimit(tokens=100, zone="UTC"))
    for _ in range(2):
        meter.allow()
        meter.record("extract", Spent("m", 40, 10, 0.25))
    with pytest.raises(BudgetExhausted) as caught:
        meter.allow()
    assert "100 of 100 tokens" in caught.value.message
    assert caught.value.until == NOON + timedelta(hours=12)
    other.allow()
    with store.read("me") as unit:
        assert unit.journal.usage(None) == [UsageTotal("extract", "m", 2, 80, 20, 0.5)]
    clock.advance(hours=12)
    meter.allow()
    store.close()
