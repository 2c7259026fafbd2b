"""What upkeep, identity and onboarding ask of a store; part of the contract in contract.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NamedTuple, Protocol

from mnemic.types import (
    EMPTY,
    Attachment,
    DailyEvent,
    Kind,
    Memory,
    MemoryStatus,
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
    content: SafeText
    kind: Kind
    trust: Trust
    valid_from: datetime
    sources: tuple[Source, ...]


class Tiers(Protocol):
    """Memories by tier and age, and taking them out of use and back."""

    def walk(
        self, after: int, limit: int, kinds: Sequence[Kind] | None = None
    ) -> list[NumberedMemory]: ...
    def expired(self, now: datetime, limit: int) -> list[Memory]: ...
    def put_away(self, id_: str, at: datetime, by: SafeName = EMPTY) -> None: ...
    def bring_back(self, id_: str, status: MemoryStatus, at: datetime) -> None: ...
    def core(
        self, *, least: float, now: datetime, limit: int, marked_first: bool = False
    ) -> list[Memory]: ...
    def core_lines(
        self,
        *,
        least: float,
        now: datetime,
        limit: int,
        within: SafeName | None = None,
        kinds: Sequence[Kind] | None = None,
        ids: Sequence[str] | None = None,
    ) -> list[CoreLine]: ...
    def core_ids(self) -> set[str]: ...
    def mark_core(self, ids: Sequence[str], *, core: bool) -> None: ...
    def counts(self, now: datetime) -> TierCounts: ...
    def partitions(self, least: int) -> list[tuple[str, str]]: ...
    def old_attachments(self, before: datetime, limit: int) -> list[Attachment]:
        """Files from before then of which nothing is known: no memory is linked, nobody said what
        is in them; the oldest first.
        """

    def put_attachment_away(self, id_: str, at: datetime | None) -> None: ...
    def uncompressed(self, before: date, limit: int) -> list[DailyEvent]: ...
    def mark_compressed(self, ids: Sequence[str], *, compressed: bool) -> None: ...


class Runs(Protocol):
    """Runs of upkeep: each step is taken by one process at a time, and done once a run."""

    def begin(self, work: str, day: date, now: datetime) -> str: ...
    def take(
        self, work: str, run: str, step: str, *, owner: str, now: datetime, until: datetime
    ) -> Claimed: ...
    def progress(
        self,
        work: str,
        run: str,
        step: str,
        *,
        owner: str,
        counts: Mapping[str, int],
        until: datetime,
    ) -> bool: ...
    def finish(
        self, work: str, run: str, step: str, *, owner: str, now: datetime, error: SafeText = EMPTY
    ) -> None: ...
    def close(self, work: str, run: str, now: datetime) -> None: ...
    def steps(self, work: str, run: str) -> dict[str, StepRow]: ...
    def last_done(self, step: str) -> datetime | None: ...
    def latest(self, work: str) -> RunRow | None: ...
    def begun_after(self, moment: datetime) -> list[tuple[str, str]]: ...
    def last_activity(self, until: datetime) -> datetime | None: ...


class Cards(Protocol):
    """The short cards made of identity sources."""

    def all(self) -> dict[str, CardRow]: ...
    def put(self, card: CardRow, at: datetime) -> None: ...
    def drop(self, name: str) -> None: ...


class Onboardings(Protocol):
    """The first talk about who the agent and the user are; there is one in a space."""

    def get(self) -> OnboardingRow | None: ...
    def put(self, row: OnboardingRow, at: datetime) -> None: ...
