"""Files that hold one key: read only where nobody else may, and made whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from mnemic import private
from mnemic.errors import ConfigError, StoreReadOnly
from mnemic.store.new_file import sync_folder


def read_key_file(path: Path) -> str:
    """The key in a file that belongs to its owner alone."""
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise ConfigError(
                f"Others may read the key file {path}", remedy=f"Run: chmod 600 {path}"
            )
        key = path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError as error:
        raise ConfigError(
            f"The key file {path} cannot be read: {error.strerror}",
            remedy="Put it back from a backup, or name another",
        ) from error
    if not key:
        raise ConfigError(f"The key file {path} is empty", remedy="Put it back from a backup")
    return key


def make_key_file(path: Path, key: str) -> None:
    """On the disk before anything is sealed with it; of two processes at once one key stays."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        private.make_folder(path.parent)  # of a server's files it may be the first
        with open(draft, "x", encoding="ascii", opener=private.opener) as file:
            file.write(key + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass  # the other process was first, and its key is the one
        finally:
            draft.unlink()
        sync_folder(path.parent)
    except OSError as error:
        raise StoreReadOnly(
            f"The key file {path} cannot be written: {error}",
            remedy="Make its folder writable, or set secrets.key",
        ) from error
