"""The zone of the user's day, for what states none itself."""

from __future__ import annotations

from mnemic.days import Zone, home_zone
from mnemic.store.contract import Unit
from mnemic.store.rows import TurnFilter


def user_zone(unit: Unit, configured: str) -> Zone:
    """The zone that the user's latest turn states, else the one that is set."""
    latest = unit.ledger.turns(TurnFilter(role="user", newest_first=True, limit=1))
    return home_zone(latest[0].at if latest else None, configured)
