"""When a recurring job is next due."""

from __future__ import annotations

from datetime import UTC, datetime

from cronsim import CronSim, CronSimError

from recollect.clock import in_zone
from recollect.errors import ConfigError


def next_run(cron: str, zone: str, after: datetime) -> datetime:
    """The first moment after ``after`` that the cron expression names in that zone."""
    try:
        moment = next(CronSim(cron, in_zone(after, zone)))
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
