"""The one source of "now": real time by default, a settable one in tests and simulations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol

from recollect.errors import ConfigError

LOCAL = "local"


def in_zone(moment: datetime, zone: str) -> datetime:
    """The same moment by the clocks of a zone such as Asia/Shanghai; ``local`` is the machine's."""
    if zone == LOCAL:
        return moment.astimezone()
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return moment.astimezone(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ConfigError(
            f"zone {zone!r} is unknown",
            remedy="Use a name such as Asia/Shanghai or Europe/Paris, or 'local'",
        ) from error


class Clock(Protocol):
    """Anything that can tell the present moment as an aware UTC datetime."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class ManualClock:
    """A clock that stands still until it is moved, in either direction."""

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)

    def now(self) -> datetime:
        return self._now

    def advance(self, **parts: float) -> datetime:
        """Move by a timedelta's parts: ``advance(days=1)``, ``advance(hours=-2)``."""
        self._now += timedelta(**parts)
        return self._now

    def set(self, moment: datetime) -> None:
        self._now = moment.astimezone(UTC)
