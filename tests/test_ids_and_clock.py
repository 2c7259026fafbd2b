"""Ids that sort by time, and clocks that tell it."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.clock import ManualClock, SystemClock
from mnemic.ids import is_id, new_id, new_ids
from tests.conftest import NOON

MOMENTS = st.datetimes(
    min_value=datetime(1970, 1, 2),  # noqa: DTZ001
    max_value=datetime(9999, 12, 29),  # noqa: DTZ001
    timezones=st.just(UTC),
)


@given(MOMENTS)
def test_an_id_is_a_version_7_uuid_that_tells_its_time(moment: datetime) -> None:
    made = new_id(moment)
    uuid = UUID(made)
    assert str(uuid) == made
    assert is_id(made)
    assert (uuid.version, uuid.variant) == (7, "specified in RFC 4122")
    told = uuid.int >> 80
    assert 0 <= told - int(moment.timestamp() * 1000) <= 1_000


@given(MOMENTS, MOMENTS)
def test_ids_sort_by_their_time(one: datetime, other: datetime) -> None:
    if abs(one - other) > timedelta(seconds=2):
        first, second = sorted((one, other))
        assert new_id(second) > new_id(first)


def test_ids_of_one_moment_come_in_order() -> None:
    made = [new_id(NOON) for _ in range(10_000)]
    assert made == sorted(made)
    assert len(set(made)) == 10_000


def test_many_at_once_come_in_order_with_those_before_and_after() -> None:
    made = [new_id(NOON), *new_ids(NOON, 5_000), new_id(NOON), *new_ids(NOON, 3)]
    assert made == sorted(made)
    assert len(set(made)) == 5_005
    assert new_ids(NOON, 0) == []


def test_a_clock_that_steps_back_a_little_keeps_the_order() -> None:
    late = new_id(NOON)
    assert new_id(NOON - timedelta(milliseconds=500)) > late


def test_a_clock_that_jumps_back_starts_anew() -> None:
    late = new_id(NOON)
    early = new_id(NOON - timedelta(days=1))
    assert early < late


def test_before_1970_there_are_ids_too() -> None:
    made = [new_id(datetime(1, 1, 3, tzinfo=UTC)) for _ in range(3)]
    assert len(set(made)) == 3
    assert all(map(is_id, made))


def test_threads_never_make_the_same_id() -> None:
    made: list[str] = []

    def work() -> None:
        made.extend(new_id(NOON) for _ in range(2_000))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 8_000


@pytest.mark.parametrize(
    "text",
    ["", "x", "019c51b8ee0070008123456789abcdef", "{019c51b8-ee00-7000-8123-456789abcdef}", "默认"],
)
def test_what_is_not_an_id(text: str) -> None:
    assert not is_id(text)


def test_the_system_clock_is_aware_and_in_utc() -> None:
    before = datetime.now(UTC)
    now = SystemClock().now()
    assert before <= now <= datetime.now(UTC)
    assert now.utcoffset() == timedelta()


def test_the_manual_clock_stands_until_it_is_moved() -> None:
    clock = ManualClock(datetime(2026, 2, 12, 20, tzinfo=timezone(timedelta(hours=8))))
    assert clock.now() == clock.now() == NOON
    assert clock.now().utcoffset() == timedelta()
    assert clock.advance(days=1, hours=-2) == NOON + timedelta(hours=22)
    assert clock.advance(days=-2) == NOON - timedelta(hours=26)
    clock.set(NOON)
    assert clock.now() == NOON
