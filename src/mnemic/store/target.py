"""What a memory is opened by: a file of SQLite, or the address of a server."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from mnemic.settings.environment import StoreSettings
from mnemic.store.contract import Store
from mnemic.store.paths import USUAL_NAME, safe_name
from mnemic.store.postgres.address import is_address, read_address
from mnemic.store.sqlite.keys import FileKey

FILES = "MNEMIC_FILES"  # the folder of a server\'s files on this machine


def is_service(target: str) -> bool:
    """Whether a target is the address of an HTTP service, which has a store of its own."""
    return target.startswith(("http://", "https://"))


def open_store(
    target: str,
    *,
    busy_timeout: float,
    now: Callable[[], datetime],
    read_only: bool = False,
    key: FileKey | None = None,
    settings: StoreSettings | None = None,
) -> Store:
    """The store of a target, made where there is none; ``settings`` are those of a server."""
    if is_address(target):
        from mnemic.store.postgres.store import PostgresStore

        return PostgresStore(
            target, busy_timeout=busy_timeout, now=now, read_only=read_only, settings=settings
        )
    from mnemic.store.sqlite.store import SqliteStore

    return SqliteStore(target, busy_timeout=busy_timeout, now=now, read_only=read_only, key=key)


def files_beside(target: str) -> Path:
    """The file beside which documents, transcripts, keys and settings lie: the database itself. For
    a server it is one that is not made, in the folder that MNEMIC_FILES names, or else in one
    of the platform's data folder with the name of its database.
    """
    if not is_address(target):
        return Path(target)
    named = os.environ.get(FILES)
    if named:
        return Path(named).expanduser().absolute() / USUAL_NAME
    import platformdirs

    address = read_address(target)
    place = safe_name(address.shown.partition("://")[2])
    data = platformdirs.user_data_dir("mnemic", appauthor=False)
    return Path(data) / "servers" / place / USUAL_NAME


def redact_target(target: str) -> str:
    """A target as it may stand in a message: without a password."""
    return read_address(target).shown if is_address(target) else target


def is_missing(target: str) -> bool:
    """Whether there is certainly nothing to open."""
    return not is_address(target) and not Path(target).exists()


def is_same(target: str, other: str) -> bool:
    """Whether two targets are one database."""
    if is_address(target) or is_address(other):
        return target == other
    return Path(target).exists() and Path(other).exists() and Path(target).samefile(other)
