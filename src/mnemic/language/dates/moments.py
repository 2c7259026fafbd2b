"""Moments as people give them: ISO 8601 text or datetimes, kept with their zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from mnemic.days import Zone, day_of, moment_of
from mnemic.errors import InvalidInput

_EARLIEST = datetime(1, 1, 3, tzinfo=UTC)
_LATEST = datetime(9999, 12, 29, tzinfo=UTC)
_FORMS = "Give a datetime, or ISO 8601 text such as 2026-02-12 or 2026-02-12T09:30:00+08:00"


def moment(value: datetime | str, name: str = "at", zone: Zone = UTC) -> datetime:
    """An aware datetime; one without a zone is by the clocks of ``zone``."""
    if type(value) is datetime and value.tzinfo is UTC and _EARLIEST <= value <= _LATEST:
        return value  # every turn comes by, nearly always like this
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError as error:
            raise InvalidInput(f"{name}={value!r} is not a date", remedy=_FORMS) from error
    if not isinstance(value, datetime):
        raise InvalidInput(f"{name} is a {type(value).__name__}, not a datetime", remedy=_FORMS)
    offset = value.utcoffset() or timedelta()
    if not _EARLIEST <= value.replace(tzinfo=UTC) <= _LATEST or offset % timedelta(minutes=1):
        raise InvalidInput(f"{name}={value} is out of range", remedy=_FORMS)
    return moment_of(value, zone) if value.utcoffset() is None else value


def calendar_day(value: date, zone: Zone = UTC) -> date:
    """A day; a datetime means the day it falls on, in its own zone or else in ``zone``."""
    if not isinstance(value, date):
        raise InvalidInput(
            f"day is a {type(value).__name__}, not a date", remedy="Give a datetime.date"
        )
    return day_of(moment(value, "day", zone), zone) if isinstance(value, datetime) else value


def maybe_moment(value: datetime | str | None, name: str, zone: Zone = UTC) -> datetime | None:
    return None if value is None else moment(value, name, zone)
