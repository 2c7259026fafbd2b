"""The user's day: which day a moment falls on, and from when to when a day lasts.

A moment that states a zone falls on the day of that zone; every other one, which is in UTC, on that
of the zone it is read in: the user's. Nothing else in the package turns a moment into a day.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from mnemic.errors import ConfigError
from mnemic.late import dataclass

LOCAL = "local"
Zone = str | tzinfo
ABROAD = timedelta(hours=26)  # between the clocks of any two places


def in_zone(moment: datetime, zone: Zone) -> datetime:
    """The same moment by the clocks of a zone such as Asia/Shanghai; ``local`` is the machine's."""
    return moment.astimezone(_rules_of(zone))


def home_zone(latest: datetime | None, configured: str) -> Zone:
    """The zone of the user's latest turn, else the one that is set, also where they agree."""
    if latest is None or not latest.utcoffset() or latest.tzinfo is None:
        return configured
    agreed = in_zone(latest, configured).utcoffset() == latest.utcoffset()
    return configured if agreed else latest.tzinfo


def local_time(moment: datetime, zone: Zone) -> datetime:
    """The moment by the clocks it states, else by those of ``zone``."""
    return moment if moment.utcoffset() else in_zone(moment, zone)


def day_of(moment: datetime, zone: Zone) -> date:
    """The day that a moment falls on."""
    return local_time(moment, zone).date()


def moment_of(wall: datetime, zone: Zone) -> datetime:
    """When the clocks of a zone show this time, in UTC, by the rules of that day."""
    return wall.replace(tzinfo=_rules_of(zone), fold=0).astimezone(UTC)


def day_bounds(day: date, zone: Zone) -> tuple[datetime, datetime]:
    """When a day begins and when it has ended."""
    midnight = datetime.combine(day, time())
    return moment_of(midnight, zone), moment_of(midnight + timedelta(days=1), zone)


def noon(day: date, zone: Zone) -> datetime:
    """A moment of a day of which no more is known."""
    return moment_of(datetime.combine(day, time(12)), zone)


@dataclass(frozen=True, slots=True)
class LocalSpan:
    """A stretch of the calendar, half open: by the clocks of whoever spoke, where a record states
    their zone, else from ``since`` to ``until``.
    """

    wall_since: datetime
    wall_until: datetime
    since: datetime
    until: datetime

    @property
    def of_days(self) -> bool:
        """Whether it is made of whole days, which each zone has for itself."""
        return self.wall_since.time() == self.wall_until.time() == time()

    @property
    def length(self) -> timedelta:
        return self.wall_until - self.wall_since

    @classmethod
    def between(cls, wall_since: datetime, wall_until: datetime, zone: Zone) -> LocalSpan:
        since, until = moment_of(wall_since, zone), moment_of(wall_until, zone)
        return cls(wall_since, wall_until, since, until)


def _rules_of(zone: Zone) -> tzinfo | None:
    """The rules of a zone; None is the machine's, as ``astimezone`` takes it."""
    if isinstance(zone, tzinfo):
        return zone
    if zone == LOCAL:
        return None
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ConfigError(
            f"zone {zone!r} is unknown",
            remedy="Use a name such as Asia/Shanghai or Europe/Paris, or 'local'",
        ) from error
