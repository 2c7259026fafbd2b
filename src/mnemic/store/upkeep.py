"""What upkeep, identity and onboarding ask of a store; part of the contract in contract.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from mnemic.types import (
    Kind,
    Memory,
    SafeName,
    SafeText,
    Source,
    Trust,
)

Claimed = Literal["taken", "done", "busy"]


class NumberedMemory(NamedTuple):
    """A memory and the store's number for it."""

    doc: int
    memory: Memory


class TierCounts(NamedTuple):
    """What holds now: in the core, and beside it."""

    core: int
    knowledge: int


@dataclass(frozen=True, slots=True)
class StepRow:
    """How far a step of a run has come."""

    step: str
    finished_at: datetime | None
    counts: Mapping[str, int]
    error: SafeText


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of the daily or the weekly work."""

    run: str
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class CardRow:
    """A card, and the fingerprint of what it was made from."""

    name: str
    source: str
    maker: str
    text: SafeText


@dataclass(frozen=True, slots=True)
class OnboardingRow:
    """How far onboarding has come."""

    stage: str
    answers: Mapping[str, SafeText]


class CoreLine(NamedTuple):
    """What a prompt tells of a core memory; it is read for every message, so it is little."""

    id: SafeName
    text: SafeText
    kind: Kind
    trust: Trust
    valid_from: datetime
    sources: tuple[Source, ...]
