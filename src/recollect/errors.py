"""Every error Recollect raises, each with the remedy in its message.

RecollectError
├── ConfigError            a setting, preset or environment variable is wrong
├── InvalidInput           an argument cannot be stored or searched
├── NotFound               no such session, turn, memory, job …
├── Conflict               the same place is already taken by something else
├── Closed                 the mind was closed
├── MissingExtra           an optional part is not installed
└── StoreError             the database cannot do what was asked
    ├── StoreBusy          another process kept the write lock for too long
    ├── StoreReadOnly      file or folder cannot be written
    ├── DiskFull           no space left; nothing was written
    ├── StoreDamaged       the file is broken; it was left as it is
    ├── NotADatabase       the file is something else
    ├── SchemaTooNew       written by a newer Recollect; left untouched
    └── StoreUnavailable   the file or server cannot be opened
"""

from __future__ import annotations


class RecollectError(Exception):
    """Base of all errors; ``message`` says what happened, ``remedy`` what to do about it."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(f"{message}. {remedy}" if remedy else message)
        self.message = message
        self.remedy = remedy


class ConfigError(RecollectError):
    """A setting, preset or environment variable is wrong."""


class InvalidInput(RecollectError, ValueError):
    """An argument cannot be stored or searched."""


class NotFound(RecollectError, LookupError):
    """Nothing here has that name."""


class Conflict(RecollectError):
    """The place is taken by something else."""


class Closed(RecollectError):
    """The mind was closed before the call."""


class MissingExtra(RecollectError, ImportError):
    """An optional part is not installed; the remedy is the install line."""


class StoreError(RecollectError):
    """The database cannot do what was asked."""


class StoreBusy(StoreError):
    """Another process kept the write lock for longer than ``store.busy_timeout``."""


class StoreReadOnly(StoreError):
    """The file or its folder cannot be written."""


class DiskFull(StoreError):
    """No space left; the transaction was rolled back whole."""


class StoreDamaged(StoreError):
    """The file is broken; it was left as it is."""


class NotADatabase(StoreError):
    """The file is not a Recollect database."""


class SchemaTooNew(StoreError):
    """The database was written by a newer Recollect; it was left untouched."""


class StoreUnavailable(StoreError):
    """The file or server cannot be opened."""
