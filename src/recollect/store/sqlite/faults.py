"""SQLite's errors, told in Recollect's words with what to do about them."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw

from recollect import errors

_NEARLY_FULL = 1 << 20
# What reading a file can raise: SQLite's own errors, and text that is not UTF-8.
UNREADABLE = (apsw.Error, UnicodeDecodeError)
# What code that handles rows raises when a row is not what was written.
SUSPICIOUS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def explain(error: Exception, path: str) -> errors.StoreError:
    """The typed error for what SQLite said about ``path``."""
    message = f"{path}: {error}"
    if isinstance(error, apsw.FullError) or (isinstance(error, apsw.IOError) and _is_full(path)):
        return errors.DiskFull(
            f"No space left while writing {message}",
            remedy="Free some disk space and call again; nothing was written",
        )
    if isinstance(error, apsw.CorruptError | apsw.NotADBError):
        return errors.StoreDamaged(
            f"The database is damaged: {message}",
            remedy="It was left as it is; run `recollect doctor`, or restore a backup",
        )
    if isinstance(error, apsw.ReadOnlyError | apsw.PermissionsError):
        return errors.StoreReadOnly(
            f"The database cannot be written: {message}",
            remedy="Give write permission on the file and its folder, or choose another with --db",
        )
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return errors.StoreBusy(
            f"Another process kept the database locked: {message}",
            remedy="Close the program that holds a write transaction, or raise store.busy_timeout",
        )
    if isinstance(error, apsw.CantOpenError | apsw.IOError):
        return errors.StoreUnavailable(
            f"The database cannot be reached: {message}",
            remedy="Check that the folder exists, can be written and is on a healthy disk",
        )
    if isinstance(error, apsw.TooBigError):
        return errors.StoreError(
            f"A value is too big for SQLite: {message}", remedy="Split the text"
        )
    # A broken schema or index shows up as a plain SQL error in statements that are known good.
    return errors.StoreDamaged(
        f"The database does not answer as it should: {message}",
        remedy="It was left as it is; run `recollect doctor`, or restore a backup",
    )


def _is_full(path: str) -> bool:
    folder = Path(path).parent
    return folder.is_dir() and shutil.disk_usage(folder).free < _NEARLY_FULL


def is_sound(conn: apsw.Connection) -> bool:
    """Whether SQLite finds nothing wrong with the file. Slow: only for when something is wrong."""
    try:
        return bool(conn.execute("PRAGMA integrity_check(1)").get == "ok")
    except apsw.Error:
        return False
