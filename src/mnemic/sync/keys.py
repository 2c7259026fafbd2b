"""Who may read and write a shared folder: the secrets of this device, and pairing with others.

All paired devices share a group key. A device gets it by a passphrase, which opens ``group.age`` in
the folder, or by its own public key, for which a paired device puts it into ``keys``. It is kept in
a private file beside the database.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mnemic.errors import SyncRefused
from mnemic.providers.extras import load
from mnemic.store.new_file import write
from mnemic.sync.files import GroupKey

GROUP = "group.age"
_MOST = 1 << 20  # bytes of a file with keys


@dataclass
class Keyring:
    """The secrets of one space on this device; ``keys`` are those of the group, newest first."""

    path: Path
    identity: str
    keys: tuple[str, ...] = ()

    @classmethod
    def open(cls, database: Path, space: str) -> Keyring:
        """The keyring beside a database, made if there is none."""
        digest = hashlib.sha256(space.encode()).hexdigest()[:8]
        path = database.with_name(f"{database.name}.{digest}.sync")
        try:
            value = json.loads(path.read_text(encoding="ascii"))
            return cls(path, str(value["identity"]), tuple(map(str, value["keys"])))
        except FileNotFoundError:
            ring = cls(path, GroupKey.new())
            ring.save()
            return ring
        except (ValueError, KeyError, TypeError) as error:
            raise SyncRefused(
                f"The keyring {path} is damaged",
                remedy="Put it back from a backup, or remove it and pair this device again",
            ) from error

    def save(self) -> None:
        value = {"identity": self.identity, "keys": self.keys}
        write(self.path, json.dumps(value).encode("ascii"))

    @property
    def public(self) -> str:
        """What another device needs to pair this one."""
        return str(load("sync", "pyrage").x25519.Identity.from_str(self.identity).to_public())

    @property
    def group(self) -> GroupKey:
        return GroupKey(self.keys)

    @property
    def fingerprint(self) -> str:
        """What people compare on two devices: the same on all of a group."""
        digest = hashlib.sha256(b"group " + self.keys[-1].encode()).hexdigest()[:12]
        return "-".join(digest[n : n + 4] for n in (0, 4, 8))


def pair(ring: Keyring, folder: Path, space: str, passphrase: str = "") -> None:
    """Find the group of a folder, or begin one; SyncRefused where this device may not."""
    age = load("sync", "pyrage")
    _renew(ring, folder, space)
    if ring.keys:
        if passphrase and not (folder / GROUP).exists():
            write(folder / GROUP, age.passphrase.encrypt(_body(ring.keys, space), passphrase))
        return
    if (folder / GROUP).exists() and passphrase:
        try:
            opened = age.passphrase.decrypt(_read(folder / GROUP), passphrase)
        except age.DecryptError as error:
            raise SyncRefused(
                "The passphrase does not open this folder", remedy="Give that of the first device"
            ) from error
        ring.keys = _keys(opened, space)
    elif (folder / GROUP).exists() or (folder / "keys").exists():
        raise SyncRefused(
            "This device is not paired with those of the folder",
            remedy=f"Give the passphrase, or run `mnemic sync FOLDER --add {ring.public}` on one"
            " of them",
        )
    else:
        ring.keys = (GroupKey.new(),)
        add(ring, folder, ring.public, space)
        if passphrase:
            write(folder / GROUP, age.passphrase.encrypt(_body(ring.keys, space), passphrase))
    ring.save()


def add(ring: Keyring, folder: Path, public: str, space: str) -> None:
    """Let the device with this public key in."""
    age = load("sync", "pyrage")
    try:
        recipient = age.x25519.Recipient.from_str(public.strip())
    except age.RecipientError as error:
        raise SyncRefused(
            f"{public!r} is not a public key",
            remedy="It begins with age1: see `mnemic sync --devices`",
        ) from error
    write(_place(folder, public.strip()), age.encrypt(_body(ring.keys, space), [recipient]))


def rotate(ring: Keyring, folder: Path, remaining: Iterable[str], space: str) -> None:
    """Go on with a new group key and passphrase that only these devices have."""
    ring.keys = (GroupKey.new(), *ring.keys)
    for public in {*remaining, ring.public}:
        add(ring, folder, public, space)
    (folder / GROUP).unlink(missing_ok=True)
    ring.save()


def _renew(ring: Keyring, folder: Path, space: str) -> None:
    """Take the group keys that another device has put down for this one."""
    place = _place(folder, ring.public)
    if not place.is_file():
        return
    age = load("sync", "pyrage")
    try:
        opened = age.decrypt(_read(place), [age.x25519.Identity.from_str(ring.identity)])
    except age.DecryptError:
        return
    keys = _keys(opened, space)
    # Who replaces a key has to know the one before.
    if keys != ring.keys and (not ring.keys or keys[-len(ring.keys) :] == ring.keys):
        ring.keys = keys
        ring.save()


def _place(folder: Path, public: str) -> Path:
    return folder / "keys" / f"{hashlib.sha256(public.encode()).hexdigest()[:16]}.age"


def _body(keys: tuple[str, ...], space: str) -> bytes:
    return json.dumps({"keys": keys, "space": space}).encode()


def _keys(body: bytes, space: str) -> tuple[str, ...]:
    try:
        value: Any = json.loads(body)
        keys, of = tuple(map(str, value["keys"])), str(value["space"])
        GroupKey(keys)
    except Exception as error:
        if isinstance(error, MemoryError):
            raise
        raise SyncRefused("The group key in the folder is damaged", remedy="Pair again") from error
    if of != space:
        raise SyncRefused(
            f"The folder is for the space {of!r}, not for {space!r}",
            remedy="Use a folder for each space, or open that space with --space",
        )
    return keys


def _read(path: Path) -> bytes:
    if path.stat().st_size > _MOST:
        raise SyncRefused(f"{path.name} is too large for a key", remedy="Remove it")
    return path.read_bytes()
