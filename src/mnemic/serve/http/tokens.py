"""Bearer tokens: who may do what in which space. Only their hashes are kept, in a file of the
owner's beside the database.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from mnemic.engine.remote.operations import SCOPES, Scope
from mnemic.errors import ConfigError, InvalidInput, NotFound, StoreReadOnly
from mnemic.private import make_folder, opener

EVERY_SPACE = "*"
_PREFIX = "mnm_"
_BYTES = 32
_MOST_NAME = 100


@dataclass(frozen=True, slots=True)
class Grant:
    """What the holder of one token may do: ``scope`` holds the scopes before it, ``spaces`` are
    names, or ``*`` for every one.
    """

    id: str
    name: str
    scope: Scope
    spaces: tuple[str, ...]
    created_at: str
    digest: str = ""

    def allows(self, scope: Scope, space: str) -> bool:
        """Whether it covers that scope in that space."""
        return self.covers(space) and SCOPES.index(scope) <= SCOPES.index(self.scope)

    def covers(self, space: str) -> bool:
        """Whether it may see anything of that space."""
        return EVERY_SPACE in self.spaces or space in self.spaces

    @property
    def everywhere(self) -> bool:
        return EVERY_SPACE in self.spaces


def new_grant(name: str, scope: Scope, spaces: Sequence[str]) -> tuple[str, Grant]:
    """A fresh token, which is nowhere kept, and its grant."""
    if scope not in SCOPES:
        raise InvalidInput(f"There is no scope {scope!r}", remedy=f"Use {', '.join(SCOPES)}")
    if not name.isprintable() or len(name) > _MOST_NAME:
        raise InvalidInput("The name is too long or not printable", remedy="Give a short one")
    if not spaces or not all(space.strip() for space in spaces):
        raise InvalidInput("A token needs a space", remedy="Name one, or * for every space")
    token = _PREFIX + secrets.token_urlsafe(_BYTES)
    digest = digest_of(token)
    made = datetime.now(UTC).isoformat(timespec="seconds")
    return token, Grant(digest[:8], name, scope, tuple(dict.fromkeys(spaces)), made, digest)


def digest_of(token: str) -> str:
    """A token has 256 random bits, so a plain hash cannot be guessed back."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


class TokenFile:
    """The grants of one database. Another process may change them at any time."""

    def __init__(self, path: Path | None, extra: Sequence[Grant] = ()) -> None:
        self.path = path
        self._extra = tuple(extra)  # of this process only
        self._stamp: tuple[int, int, int] | None = None
        self._grants: tuple[Grant, ...] = ()

    def grants(self) -> tuple[Grant, ...]:
        """All that are in force, read again when the file changed."""
        if self.path is None:
            return self._extra
        try:
            found = self.path.stat()
        except FileNotFoundError:
            self._stamp, self._grants = None, ()
            return self._extra
        stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
        if stamp != self._stamp:
            self._grants, self._stamp = self._read(), stamp
        return self._grants + self._extra

    def find(self, token: str) -> Grant | None:
        """The grant of a token; each is compared, so that the time taken tells nothing."""
        digest = digest_of(token)
        found = None
        for grant in self.grants():
            if hmac.compare_digest(grant.digest, digest):
                found = grant
        return found

    def add(self, name: str, scope: Scope, spaces: Sequence[str]) -> tuple[str, Grant]:
        """Keep a new grant; gives its token, which is shown this once."""
        token, grant = new_grant(name, scope, spaces)
        with self._changing() as grants:
            grants.append(grant)
        return token, grant

    def revoke(self, id_: str) -> Grant:
        """Take a token back; a running service refuses it from its next request on."""
        with self._changing() as grants:
            found = next((grant for grant in grants if grant.id == id_), None)
            if found is None:
                raise NotFound(f"There is no token {id_}", remedy="See mnemic token list")
            grants.remove(found)
        return found

    @contextmanager
    def _changing(self) -> Iterator[list[Grant]]:
        """The grants, to be written back whole, one process at a time."""
        if self.path is None:
            raise ConfigError("A memory in RAM keeps no tokens", remedy="Name a database file")
        make_folder(self.path.parent)
        try:
            with open(f"{self.path}.lock", "a", opener=opener) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                grants = list(self._read())
                yield grants
                self._write(self.path, grants)
        except OSError as error:
            raise StoreReadOnly(
                f"{self.path} cannot be written: {error.strerror}", remedy="Give permission on it"
            ) from error

    def _read(self) -> tuple[Grant, ...]:
        assert self.path is not None
        try:
            listed = json.loads(self.path.read_text("utf-8"))["tokens"]
            return tuple(replace(Grant(**one), spaces=tuple(one["spaces"])) for one in listed)
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise ConfigError(
                f"{self.path} cannot be read as a list of tokens",
                remedy="Move it away and add the tokens again",
            ) from error

    @staticmethod
    def _write(path: Path, grants: Sequence[Grant]) -> None:
        text = json.dumps({"tokens": [asdict(grant) for grant in grants]}, indent=1)
        fresh = path.with_name(f"{path.name}.new")
        fresh.unlink(missing_ok=True)
        with open(fresh, "w", encoding="utf-8", opener=opener) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)


def tokens_of(database: str) -> Path | None:
    """The file of the tokens of a database: beside it or, of one on a server, in this user's data
    folder; None for one in RAM.
    """
    if database == ":memory:":
        return None
    if "://" not in database:
        return Path(f"{database}.tokens")
    import platformdirs

    parts = urlsplit(database)  # whoever connects, and with which password, it is the same one
    name = digest_of(f"{parts.hostname}:{parts.port}{parts.path}")[:16]
    return Path(platformdirs.user_data_dir("mnemic", appauthor=False)) / f"{name}.tokens"
