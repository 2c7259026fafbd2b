"""Encrypting a database file that exists (docs/backup.md)."""

from __future__ import annotations

import os
from pathlib import Path

from mnemic.store.new_file import make_key_file, read_key_file
from mnemic.store.sqlite.backup import rewrite
from mnemic.store.sqlite.keys import FileKey, is_encrypted, new_key
from mnemic.types import Backup

__all__ = ["is_encrypted", "key_of_file", "set_key"]


def set_key(
    path: str | os.PathLike[str], new: str | bytes | None, *, key: str | bytes | None = None
) -> Backup:
    """Encrypt a database that has ``key`` with ``new`` (None: not at all), whole at all times."""
    old, chosen = (None if secret is None else FileKey(secret) for secret in (key, new))
    return rewrite(Path(path).expanduser().absolute(), old, chosen)


def key_of_file(file: Path, *, make: bool = False) -> str:
    """The key in a key file; ``make``: a random one where there is no such file."""
    if make and not file.exists():
        make_key_file(file, new_key())
    return read_key_file(file)
