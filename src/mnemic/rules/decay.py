"""Fading: what a memory's importance is worth after the days since it was last used.

One law serves every preset: importance x (floor + (1 - floor) x 0.5^(idle / half-life)). A rate
of ``(1 - rate)^days`` or ``e^(-rate x days)`` is read into a half-life by the settings.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from mnemic.late import dataclass
from mnemic.settings.upkeep import DecaySettings
from mnemic.types import Kind

Fate = Literal["keep", "archive", "delete", "demote"]


@dataclass(frozen=True, slots=True)
class FadingLaw:
    """How the importance of a memory fades, and below which value something becomes of it."""

    half_life: timedelta | None = None
    floor: float = 0.0
    archive_below: float = 0.0
    archive_accesses: int = 0
    delete_below: float = 0.0
    demote_below: float = 0.0


def fading(idle: timedelta, half_life: timedelta | None) -> float:
    """What is left of 1 after ``idle``: half of it after each half-life; without one, all of it."""
    if half_life is None or idle <= timedelta(0):
        return 1.0
    if half_life <= timedelta(0):
        return 0.0
    return float(0.5 ** (idle / half_life))


def fade(importance: float, idle: timedelta, law: FadingLaw) -> float:
    """The importance that is left after ``idle`` without use."""
    return importance * (law.floor + (1 - law.floor) * fading(idle, law.half_life))


def class_of(kind: Kind, decay: DecaySettings) -> FadingLaw:
    """How memories of this kind fade; some never do, and nothing becomes of those."""
    classes = {"slow": decay.slow, "medium": decay.medium, "fast": decay.fast}
    chosen = classes.get(decay.kinds.get(kind, decay.kinds["fact"]))
    if chosen is None:
        return FadingLaw()
    return FadingLaw(
        half_life=chosen.half_life,
        floor=chosen.floor,
        archive_below=chosen.archive_below,
        archive_accesses=decay.archive_accesses,
        delete_below=decay.delete_below,
        demote_below=decay.demote_below,
    )


def judge(score: float, accesses: int, law: FadingLaw) -> Fate:
    """What becomes of a memory whose importance has faded to ``score``.

    Deletion is tested first, then archiving, which enough uses prevent, then demotion. Which
    priorities are judged at all is the caller's question to ``Decay.priorities``.
    """
    if score < law.delete_below:
        return "delete"
    saved = 0 < law.archive_accesses <= accesses
    if score < law.archive_below and not saved:
        return "archive"
    return "demote" if score < law.demote_below else "keep"
