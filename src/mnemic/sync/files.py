"""Change files: what a device has to say to the others, as files in a folder that anybody carries.

Every device has a folder of its own in it, with numbered files that only this device writes. A file
is compressed JSON, authenticated with the key of the group and encrypted with age. In front stand
its length and its hash in clear, so that one that is only partly copied is told from a damaged one.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import struct
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mnemic.errors import SyncRefused
from mnemic.late import dataclass
from mnemic.providers.extras import load
from mnemic.store.new_file import write

FORMAT = 1
MAX_BYTES = 128 << 20  # of a file
MAX_TEXT = 1 << 30  # of what is in it
MAX_FILES = 100_000  # of one device
MAX_DEVICES = 256
MAX_NUMBER = 10**12
_HEAD = struct.Struct(">8sQ32s")
_MAGIC = b"mnemic\x01\n"
_MAC = 32
_NAME = re.compile(r"(\d{12})\.change")
_DEVICE = re.compile(r"[0-9a-f]{16}")
_REPLACE = "Copy it again from the device that wrote it"


class Waits(Exception):
    """Why a file is read another time."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What one file says. It goes on from the file ``before``; ``seen`` is how far its device had
    read the others, ``removed`` the last file that is taken from devices that are no more.
    """

    device: str
    number: int
    before: int
    space: str
    name: str
    public: str
    seen: dict[str, int]
    removed: dict[str, int]
    records: tuple[dict[str, Any], ...]
    sha256: str = ""


class GroupKey:
    """The secret of paired devices; ``keys`` has the newest first, older ones only open."""

    def __init__(self, keys: Sequence[str]) -> None:
        age = load("sync", "pyrage")
        self._age = age
        self._identities = [age.x25519.Identity.from_str(key) for key in keys]
        self._macs = [hashlib.sha256(b"mnemic sync " + key.encode()).digest() for key in keys]

    @classmethod
    def new(cls) -> str:
        return str(load("sync", "pyrage").x25519.Identity.generate())

    def seal(self, body: bytes, name: str) -> bytes:
        """Encrypted for the group, and bound to the name of its file."""
        mac = hmac.new(self._macs[0], name.encode() + b"\0" + body, "sha256").digest()
        sealed: bytes = self._age.encrypt(mac + body, [self._identities[0].to_public()])
        return sealed

    def open(self, sealed: bytes, name: str) -> bytes:
        try:
            opened: bytes = self._age.decrypt(sealed, self._identities)
        except self._age.DecryptError as error:
            raise SyncRefused(
                f"{name} was not encrypted for this group", remedy="Remove it, or pair its device"
            ) from error
        body, expected = opened[_MAC:], name.encode() + b"\0" + opened[_MAC:]
        for mac in self._macs:
            if hmac.compare_digest(opened[:_MAC], hmac.new(mac, expected, "sha256").digest()):
                return body
        raise SyncRefused(f"{name} was not written by a paired device", remedy="Remove it")


def file_name(device: str, number: int) -> str:
    return f"{device}/{number:012}.change"


def list_devices(folder: Path) -> tuple[list[str], list[str]]:
    """The devices with files in a folder, and names that no device of ours gave."""
    devices: list[str] = []
    foreign: list[str] = []
    for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
        if entry.is_symlink() or not entry.is_dir() or not _DEVICE.fullmatch(entry.name):
            if entry.name not in ("keys", "group.age") and not entry.name.startswith("."):
                foreign.append(entry.name)
        elif len(devices) < MAX_DEVICES:
            devices.append(entry.name)
        else:
            foreign.append(entry.name)
    return devices, foreign


def list_numbers(folder: Path, device: str) -> tuple[list[int], list[str]]:
    """The numbers of the files of a device in order, and names that are none."""
    numbers: list[int] = []
    foreign: list[str] = []
    for entry in (folder / device).iterdir() if (folder / device).is_dir() else ():
        match = _NAME.fullmatch(entry.name)
        if match and not entry.is_symlink() and len(numbers) < MAX_FILES:
            numbers.append(int(match[1]))
        elif not entry.name.startswith("."):
            foreign.append(f"{device}/{entry.name}")
    return sorted(numbers), sorted(foreign)


def write_changes(folder: Path, key: GroupKey, changes: Changes) -> tuple[str, int]:
    """Put a file down whole; its hash and its size."""
    name = file_name(changes.device, changes.number)
    data = seal_bytes(key, name, _encode(changes))
    write(folder / name, data)
    return hashlib.sha256(data).hexdigest(), len(data)


def seal_bytes(key: GroupKey, name: str, body: bytes) -> bytes:
    sealed = key.seal(body, name)
    return _HEAD.pack(_MAGIC, len(sealed), hashlib.sha256(sealed).digest()) + sealed


def _encode(changes: Changes) -> bytes:
    head = {name: getattr(changes, name) for name in _READERS}
    packer, parts = zlib.compressobj(6), []
    for value in ({"format": FORMAT, "records": len(changes.records), **head}, *changes.records):
        line = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        parts.append(packer.compress(line.encode() + b"\n"))
    return b"".join([*parts, packer.flush()])


def read_changes(folder: Path, key: GroupKey, device: str, number: int) -> Changes:
    """A file, checked; Waits while its end is missing, else SyncRefused."""
    name = file_name(device, number)
    data = read_whole(folder, name)
    lines = _unpack(key.open(data[_HEAD.size :], name), name).splitlines()
    try:
        head, *records = [json.loads(line) for line in lines]
        read = {name: reader(head[name]) for name, reader in _READERS.items()}
        changes = Changes(**read, records=tuple(records), sha256=hashlib.sha256(data).hexdigest())
        newer = int(head["format"]) > FORMAT
        complete = len(records) == head["records"] and {dict}.issuperset(map(type, records))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SyncRefused(f"{name} is not a change file: {error}", remedy=_REPLACE) from error
    if newer:
        raise SyncRefused(f"{name} was written by a newer Mnemic", remedy="Upgrade this one")
    if (changes.device, changes.number) != (device, number) or not complete:
        raise SyncRefused(f"{name} says that it is another file", remedy=_REPLACE)
    return changes


def _numbers(value: dict[str, Any]) -> dict[str, int]:
    return {str(device): int(number) for device, number in value.items()}


_READERS: dict[str, Callable[[Any], Any]] = {
    "device": str, "number": int, "before": int, "space": str, "name": str, "public": str,
    "seen": _numbers, "removed": _numbers,
}  # fmt: skip


def read_whole(folder: Path, name: str) -> bytes:
    """The bytes of a file, all of them and undamaged."""
    path = folder / name
    size = path.stat().st_size
    if size > MAX_BYTES + _HEAD.size:
        raise SyncRefused(f"{name} has {size:,} bytes", remedy="No device writes such; remove it")
    data = path.read_bytes()
    if len(data) < _HEAD.size:
        raise Waits("it is only partly copied")
    magic, length, digest = _HEAD.unpack(data[: _HEAD.size])
    sealed = data[_HEAD.size :]
    if magic != _MAGIC or length > MAX_BYTES:
        raise SyncRefused(f"{name} is not a change file", remedy="Remove it")
    if len(sealed) < length:
        raise Waits("it is only partly copied")
    if len(sealed) > length or hashlib.sha256(sealed).digest() != digest:
        raise SyncRefused(f"{name} is damaged", remedy=_REPLACE)
    return data


def _unpack(body: bytes, name: str) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(body, MAX_TEXT)
    except zlib.error as error:
        raise SyncRefused(f"{name} cannot be unpacked: {error}", remedy=_REPLACE) from error
    if unpacker.unconsumed_tail or not unpacker.eof:
        raise SyncRefused(f"{name} holds more than a device writes", remedy="Remove it")
    return text
