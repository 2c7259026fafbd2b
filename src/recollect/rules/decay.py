"""Fading: what a memory's importance is worth after the days since it was last used.

One law serves every preset: importance x (floor + (1 - floor) x 0.5^(idle / half-life)). A rate
of ``(1 - rate)^days`` or ``e^(-rate x days)`` is read into a half-life by the settings.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from recollect.settings.keeping import Decay, DecayClass
from recollect.types import Kind

Fate = Literal["keep", "archive", "delete", "demote"]


def fading(idle: timedelta, half_life: timedelta | None) -> float:
    """What is left of 1 after ``idle``: half of it after each half-life; without one, all of it."""
    if half_life is None or idle <= timedelta(0):
        return 1.0
    if half_life <= timedelta(0):
        return 0.0
    return float(0.5 ** (idle / half_life))


def faded(importance: float, idle: timedelta, decay: DecayClass) -> float:
    """The importance that is left after ``idle`` without use."""
    return importance * (decay.floor + (1 - decay.floor) * fading(idle, decay.half_life))


def class_of(kind: Kind, decay: Decay) -> DecayClass:
    """How memories of this kind fade."""
    settings: DecayClass = getattr(decay, getattr(decay.kinds, kind))
    return settings


def judge(score: float, accesses: int, decay: DecayClass) -> Fate:
    """What becomes of a memory whose importance has faded to ``score``.

    Deletion is tested first, then archiving, which enough uses prevent, then demotion. Which
    priorities are judged at all is the caller's question to ``Decay.priorities``.
    """
    if score < decay.delete_below:
        return "delete"
    saved = 0 < decay.archive_accesses <= accesses
    if score < decay.archive_below and not saved:
        return "archive"
    return "demote" if score < decay.demote_below else "keep"
