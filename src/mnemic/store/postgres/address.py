"""The address of a database: what is told of it, and where its files lie beside it."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from mnemic.errors import InvalidInput

SCHEMES = ("postgresql://", "postgres://")


class Address(NamedTuple):
    """Where a database is; ``shown`` has no password and may stand in an error."""

    url: str
    shown: str

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"


def is_address(target: str) -> bool:
    """Whether a target is a server's and no file's."""
    return target.startswith(SCHEMES)


def read_address(url: str) -> Address:
    """The parts of ``postgresql://user:password@host:port/name?options``."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise InvalidInput(
            "The address of the server cannot be read",
            remedy="Write postgresql://user@host:5432/database, special characters as %2F",
        ) from error
    user = f"{parts.username}@" if parts.username else ""
    where = f"{host}:{port}" if port else host
    return Address(url, f"postgresql://{user}{where}/{unquote(parts.path.lstrip('/'))}")
