"""What an exchange between devices did, and how they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TypedDict

from mnemic.late import dataclass

Conflicts = tuple[tuple[str, str], ...]


class PairingOptions(TypedDict, total=False):
    """How a device takes part in a group: the first one begins it, another joins with the
    ``passphrase``, or after one of them was given its public key to ``add``; nothing more is taken
    from a device that one ``remove``s.
    """

    passphrase: str
    add: str
    remove: str
    progress: Callable[[int, int], None]


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
    conflicts: Conflicts = ()
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
class TravelingReceipt:
    """Something that was forgotten, and which devices have erased it, each with the time."""

    receipt: str
    device: str
    at: datetime
    counts: Mapping[str, int]
    confirmed: Mapping[str, datetime]
    complete: bool


@dataclass(frozen=True, slots=True)
class DevicesReport:
    """The devices of a memory, what they have forgotten, and what they contradict each other in;
    ``public_key`` is what another device is given to let this one in.
    """

    public_key: str
    devices: tuple[KnownDevice, ...]
    forgotten: tuple[TravelingReceipt, ...]
    conflicts: Conflicts

    @property
    def own(self) -> str:
        """The id of this device; empty before its first exchange."""
        return next((device.id for device in self.devices if device.own), "")
