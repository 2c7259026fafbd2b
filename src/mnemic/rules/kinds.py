"""Kinds of memory: the built-in ones, and those that a setting adds."""

from __future__ import annotations

from datetime import datetime

from mnemic.rules.importance import DEFAULT_IMPORTANCE
from mnemic.rules.lifetimes import Lifetime, life_of
from mnemic.settings import Settings
from mnemic.types import KINDS, Kind, OwnKind

# Tier 1 of document D §4.2, whose identity and config cover preferences, traits and rules.
PROFILE: tuple[Kind, ...] = ("identity", "config", "rule", "preference", "trait", "credential")


def profile_of(settings: Settings) -> tuple[Kind, ...]:
    """The kinds that are core as soon as they are written, whatever their importance."""
    return PROFILE if settings.upkeep.core_choice == "profile" else ()


def kinds_of(settings: Settings) -> tuple[Kind, ...]:
    return (*KINDS, *map(OwnKind, settings.memory.kinds))


def importance_of(kind: Kind, settings: Settings) -> float:
    """The importance of a statement that nobody judged."""
    added = settings.memory.kinds.get(kind)
    return DEFAULT_IMPORTANCE if added is None else added.importance


def own_expiry(kind: Kind, settings: Settings, said_at: datetime) -> datetime | None:
    """When a memory of one's own kind expires; None for the built-in kinds."""
    added = settings.memory.kinds.get(kind)
    return None if added is None or added.life is None else said_at + added.life


def lifetime_of(kind: Kind, duration: str, settings: Settings, said_at: datetime) -> Lifetime:
    """How long a statement lives: by the word its extractor used, else by its kind."""
    if duration or kind not in settings.memory.kinds:
        return life_of(kind, duration, settings.lifetimes, said_at)
    return Lifetime(own_expiry(kind, settings, said_at))
