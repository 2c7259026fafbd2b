"""Opening a database that cannot be written: a read-only file or folder, or a full disk.

In WAL mode SQLite wants to create files beside the database even for reading. Which way works
depends on what stands there:

- log and shared memory exist: SQLite reads with them, also beside a writer of another user;
- no log: everything is in the file, which is opened as immutable. Should a writer start later,
  the file changes or a log appears, so its state is compared before each snapshot;
- a log without shared memory, or a rollback journal, left by a crash: recovery has to write, and
  does so in a private copy;
- the folder can be written and the file is only to be read: SQLite makes what it wants beside it,
  and reads one snapshot whoever writes meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import apsw

from mnemic import errors
from mnemic.store.sqlite.keys import CIPHER, FileKey

_COPY = "copy.db"
_READ_ONLY = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_READ_WRITE = apsw.SQLITE_OPEN_READWRITE
_HARDENED = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
)


class FileState(NamedTuple):
    """What tells whether a file, or the log beside it, has changed."""

    size: int
    modified: int
    inode: int
    log: int


class Reader(NamedTuple):
    """A connection that only reads; ``state`` is set where SQLite would not notice a change."""

    conn: apsw.Connection
    state: FileState | None


def is_writable(path: str) -> bool:
    """Whether this process may write the file and create others beside it, as SQLite needs."""
    folder = Path(path).parent
    if not folder.is_dir():
        return True  # it is still to be made; making it will say
    return os.access(folder, os.W_OK) and (not Path(path).exists() or os.access(path, os.W_OK))


def state_of(path: str) -> FileState:
    """The present state of a database's file."""
    status = Path(path).stat()
    return FileState(status.st_size, status.st_mtime_ns, status.st_ino, size_of(f"{path}-wal"))


class ReadOnlyFile:
    """Makes connections for reading, and writes nothing beside the file unless it is asked to."""

    def __init__(self, path: str, key: FileKey | None = None) -> None:
        self._path = path
        self._key = key
        self._secret = ""
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        self._copied: FileState | None = None

    def connect(self, *, beside: bool = False) -> Reader:
        """The first way that works; ``beside`` the file SQLite may keep its log."""
        path = self._path
        if beside:
            with contextlib.suppress(apsw.CantOpenError, apsw.ReadOnlyError):
                return Reader(self._connect(path, "mode=ro"), None)
        try:
            state = state_of(path)
        except OSError as error:
            raise errors.StoreUnavailable(
                f"{path} cannot be opened: {error}",
                remedy="Choose another with --db or MNEMIC_DB",
            ) from error
        if not state.log and not size_of(f"{path}-journal"):
            return Reader(self._connect(path, "mode=ro&immutable=1"), state)
        if state.log and Path(f"{path}-shm").exists():
            with contextlib.suppress(apsw.CantOpenError, apsw.ReadOnlyError):
                return Reader(self._connect(path, "mode=ro"), None)
        return Reader(self._connect_copy(state), state)

    def close(self) -> None:
        """Remove the private copy, if one was made."""
        copy, self._copy = self._copy, None
        if copy is not None:
            copy.cleanup()

    def _connect_copy(self, state: FileState) -> apsw.Connection:
        if self._copy is None or state != self._copied:
            self.close()
            self._copy, self._copied = _recover_copy(self._path, self._key), state
        return self._connect(str(Path(self._copy.name) / _COPY), "mode=ro&immutable=1")

    def _connect(self, path: str, options: str) -> apsw.Connection:
        if self._key is not None and not self._secret:
            self._secret = self._key.for_file(self._path)
        name = f"file:{quote(str(Path(path).absolute()))}?{options}"
        conn = connect(name, _READ_ONLY, self._secret)
        try:
            read_something(conn)
        except BaseException:
            conn.close(True)
            raise
        return conn


def refusal(path: str) -> errors.StoreReadOnly:
    """What a write into such a database raises."""
    return errors.StoreReadOnly(
        f"{path} is open for reading only: the file or its folder cannot be written",
        remedy="Give write permission on the file and its folder, or choose another with --db",
    )


def connect(name: str, flags: int = _READ_WRITE, secret: str = "") -> apsw.Connection:
    """A connection that runs nothing a file's own schema asks for: no trigger, no view, no function
    with side effects; the shadow tables of an index cannot be written by hand either.

    ``secret`` is what ``FileKey.for_file`` gives for an encrypted file.
    """
    conn = apsw.Connection(name, flags=flags)
    if secret:
        conn.pragma("cipher", CIPHER)
        conn.pragma("key", secret)
    for option, value in _HARDENED:
        conn.config(option, value)
    return conn


def read_something(conn: apsw.Connection) -> None:
    """SQLite opens the log at the first read, not before."""
    conn.execute("PRAGMA schema_version").fetchall()


def _recover_copy(path: str, key: FileKey | None) -> tempfile.TemporaryDirectory[str]:
    """The file with what its log holds, in a folder of our own."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="mnemic-", ignore_cleanup_errors=True)
        copy = str(Path(folder.name) / _COPY)
        for end in ("", "-wal", "-journal"):
            if Path(f"{path}{end}").exists():
                shutil.copyfile(f"{path}{end}", f"{copy}{end}")
    except OSError as error:
        raise errors.StoreUnavailable(
            f"{path} has an unfinished log and cannot be copied to be read: {error}",
            remedy="Copy it with its log to a folder that can be written, and open it there",
        ) from error
    secret = key.for_file(copy) if key else ""
    with contextlib.closing(connect(copy, secret=secret)) as conn:
        read_something(conn)  # the last connection to close brings the log into the file
    return folder


def size_of(path: str) -> int:
    """The size of a file; 0 for one that is not there, or no longer."""
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0
