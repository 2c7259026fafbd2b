"""When a recurring job is next due."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from recollect.errors import ConfigError

LOCAL = "local"


def next_run(cron: str, zone: str, after: datetime) -> datetime:
    """The first moment after ``after`` that the cron expression names in that zone."""
    try:
        moment = next(CronSim(cron, after.astimezone(_zone(zone))))
    except CronSimError as error:
        raise ConfigError(
            f"schedule {cron!r} is not a cron expression: {error}",
            remedy="Give five fields, such as '0 3 * * *' for 03:00 every day",
        ) from error
    except StopIteration as error:
        raise ConfigError(
            f"schedule {cron!r} never comes up", remedy="Give a date that exists"
        ) from error
    return moment.astimezone(UTC)


def _zone(name: str) -> tzinfo | None:
    if name == LOCAL:
        return None  # astimezone(None) is the machine's zone
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ConfigError(
            f"zone {name!r} is unknown",
            remedy="Use a name such as Asia/Shanghai or Europe/Paris, or 'local'",
        ) from error
