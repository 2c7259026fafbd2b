"""Moments as people give them."""

from __future__ import annotations

import contextlib
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.errors import InvalidInput
from mnemic.language.dates.moments import calendar_day, maybe_moment, moment
from mnemic.store.codec import from_micros, to_micros, zone_minutes
from tests.conftest import NOON

EAST = timezone(timedelta(hours=8))


class Vague(tzinfo):
    """A zone that does not know its offset."""

    def utcoffset(self, dt: datetime | None) -> None:
        return None

    def dst(self, dt: datetime | None) -> None:
        return None

    def tzname(self, dt: datetime | None) -> None:
        return None


@pytest.mark.parametrize(
    ("given_", "meant"),
    [
        ("2026-02-12", datetime(2026, 2, 12, tzinfo=UTC)),
        ("2026-02-12 09:30", datetime(2026, 2, 12, 9, 30, tzinfo=UTC)),
        ("2026-02-12T09:30:00Z", datetime(2026, 2, 12, 9, 30, tzinfo=UTC)),
        ("  2026-02-12T09:30:00+08:00\n", datetime(2026, 2, 12, 9, 30, tzinfo=EAST)),
        ("20260212T093000", datetime(2026, 2, 12, 9, 30, tzinfo=UTC)),
        ("2026-02-12T09:30:00.123456", datetime(2026, 2, 12, 9, 30, 0, 123456, tzinfo=UTC)),
        (NOON, NOON),
        (NOON.replace(tzinfo=None), NOON),
        (NOON.replace(tzinfo=Vague()), NOON),
        (NOON.astimezone(EAST), NOON),
    ],
    ids=str,
)
def test_a_moment_is_understood(given_: datetime | str, meant: datetime) -> None:
    found = moment(given_)
    assert found == meant
    assert found.utcoffset() == meant.utcoffset() or found.utcoffset() is not None


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "yesterday",
        "明天",
        "2026-13-01",
        "2026-02-30",
        "12/02/2026",
        "\ud800",
        "0001-01-01",
        "9999-12-31",
        datetime(1, 1, 1),  # noqa: DTZ001
        datetime(9999, 12, 31),  # noqa: DTZ001
        datetime.min.replace(tzinfo=timezone(timedelta(hours=23))),
        datetime(2026, 2, 12, tzinfo=timezone(timedelta(seconds=30))),
        date(2026, 2, 12),
        1_770_000_000,
        float("nan"),
        b"2026-02-12",
        ["2026-02-12"],
    ],
    ids=repr,
)
def test_what_is_not_a_moment_is_an_error_that_shows_the_forms(wrong: datetime | str) -> None:
    with pytest.raises(InvalidInput) as caught:
        moment(wrong, "since")
    assert "since" in caught.value.message
    assert "ISO 8601" in caught.value.remedy


def test_none_is_none() -> None:
    assert maybe_moment(None, "since") is None
    assert maybe_moment("2026-02-12T12:00", "since") == NOON


def test_a_day() -> None:
    assert calendar_day(date(2026, 2, 12)) == date(2026, 2, 12)
    assert calendar_day(NOON.astimezone(EAST)) == date(2026, 2, 12)
    with pytest.raises(InvalidInput) as caught:
        calendar_day("2026-02-12")  # type: ignore[arg-type]
    assert caught.value.remedy


ZONES = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(
    st.datetimes(
        min_value=datetime(1, 1, 4),  # noqa: DTZ001
        max_value=datetime(9999, 12, 28),  # noqa: DTZ001
        timezones=ZONES,
    )
)
def test_a_moment_and_its_zone_survive_the_store(told: datetime) -> None:
    back = from_micros(to_micros(moment(told)), zone_minutes(told))
    assert back == told
    assert back.utcoffset() == told.utcoffset()
    assert moment(told.isoformat()) == told


@given(st.text(max_size=30))
def test_any_text_is_a_moment_or_a_typed_error(text: str) -> None:
    with contextlib.suppress(InvalidInput):
        assert moment(text).utcoffset() is not None
