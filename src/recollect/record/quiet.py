"""When a conversation has fallen silent."""

from __future__ import annotations

from datetime import datetime, timedelta


def talking_until(last_at: datetime, quiet: timedelta, now: datetime) -> datetime | None:
    """When to look again at a conversation in which somebody spoke just now; None when nobody has
    for long enough. A last word in the future counts as old.
    """
    return last_at + quiet if now - quiet < last_at <= now else None
