"""What an exchange between devices did, and how they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file of a shared folder that nothing was taken from, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What came in. ``conflicts`` are pairs of memories that contradict each other: the one that
    holds, and the one that waits for a person.
    """

    added: Mapping[str, int]
    changed: Mapping[str, int]
    removed: Mapping[str, int]
    conflicts: tuple[tuple[str, str], ...] = ()
    preview: bool = False


@dataclass(frozen=True, slots=True)
class ExchangeReport:
    """What a sync with a folder did. ``waiting`` files are only partly there, or are held back
    until their device has erased what was forgotten.
    """

    device: str
    fingerprint: str
    written: int
    read: int
    merged: MergeReport
    forgotten: int
    waiting: tuple[RefusedFile, ...]
    refused: tuple[RefusedFile, ...]


@dataclass(frozen=True, slots=True)
class KnownDevice:
    """A device of this memory; ``last_change`` is when its last change was written or read here."""

    id: str
    name: str
    own: bool
    last_change: datetime
    removed: bool


@dataclass(frozen=True, slots=True)
class TravellingReceipt:
    """Something that was forgotten, and which devices have erased it, each with the time."""

    receipt: str
    device: str
    at: datetime
    counts: Mapping[str, int]
    confirmed: Mapping[str, datetime]
    complete: bool


@dataclass(frozen=True, slots=True)
class DevicesReport:
    """The devices of a memory, what they have forgotten, and what they contradict each other in."""

    devices: tuple[KnownDevice, ...]
    forgotten: tuple[TravellingReceipt, ...]
    conflicts: tuple[tuple[str, str], ...]
