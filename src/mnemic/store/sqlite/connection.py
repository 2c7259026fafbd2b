"""One SQLite file: connections, the write lock, and transactions.

Writers take a lock per process first and SQLite's own lock second, so threads queue instead of
polling. Readers come from a small pool and see one snapshot each. All waiting is bounded by
``busy_timeout``; "database is locked" never reaches a caller before that.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import shutil
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw

from mnemic import errors, late
from mnemic.store.failures import failures_of
from mnemic.store.sqlite.keys import FileKey, is_encrypted
from mnemic.store.sqlite.readonly import (
    FileState,
    Reader,
    ReadOnlyFile,
    connect,
    is_writable,
    read_something,
    refusal,
    state_of,
)

PATIENCE = 10.0  # seconds a fork waits for transactions of other threads


class _Gate:
    def __init__(self) -> None:
        self.turn = threading.Condition()
        self.inside: dict[int, int] = {}
        self.shut = False
        self.clean = False


_gate = _Gate()
_holders: weakref.WeakSet[Database] = weakref.WeakSet()


class _Passing:
    """Be inside: a fork by another thread waits until this ends. A thread may enter again.

    Every transaction comes by, so the usual case takes no lock: a thread first says that it is
    inside and then looks whether the gate is shut; a fork shuts it first and then looks inside.
    """

    def __enter__(self) -> None:
        gate, me = _gate, threading.get_ident()
        entered = gate.inside[me] = gate.inside.get(me, 0) + 1
        if gate.shut and entered == 1:
            _wait_outside(gate, me)

    def __exit__(self, *_: object) -> None:
        gate, me = _gate, threading.get_ident()
        # In a child forked from inside, the gate is a new one.
        remaining = gate.inside.get(me, 1) - 1
        if remaining:
            gate.inside[me] = remaining
            return
        gate.inside.pop(me, None)
        if gate.shut:
            with gate.turn:
                gate.turn.notify_all()


passing = _Passing()


def _wait_outside(gate: _Gate, me: int) -> None:
    with gate.turn:
        del gate.inside[me]
        gate.turn.notify_all()
        while gate.shut:
            gate.turn.wait()
        gate.inside[me] = 1


def _before() -> None:
    me = threading.get_ident()
    with _gate.turn:
        _gate.shut = True
        # A thread that forks inside its own transaction would wait for itself.
        _gate.clean = me not in _gate.inside and _gate.turn.wait_for(
            lambda: not _gate.inside, PATIENCE
        )
    if _gate.clean:
        for holder in list(_holders):
            holder.let_go()


def _after_in_parent() -> None:
    with _gate.turn:
        _gate.shut = False
        _gate.turn.notify_all()


def _after_in_child() -> None:
    global _gate
    clean, _gate = _gate.clean, _Gate()
    for holder in list(_holders):
        holder.begin_again(clean=clean)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child
    )


_NEARLY_FULL = 1 << 20
# What reading a file can raise: SQLite's own errors, and text that is not UTF-8.
UNREADABLE = (apsw.Error, UnicodeDecodeError)
# What code that handles rows raises when a row is not what was written.
SUSPICIOUS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def explain(error: Exception, path: str) -> errors.StoreError:
    """The typed error for what SQLite said about ``path``. What is not listed is damage: a broken
    schema or index shows up as a plain SQL error in statements that are known good.
    """
    signs = {kind.__name__ for kind in type(error).__mro__}
    if isinstance(error, apsw.IOError) and _is_full(path):
        signs.add("FullError")
    if isinstance(error, apsw.NotADBError) and is_encrypted(path):
        signs.add("WrongKey")
    failure = next(failure for failure in failures_of("sqlite") if signs & set(failure.signs))
    message = failure.message.format(path=path, message=f"{path}: {error}")
    return failure.kind(message, remedy=failure.remedy)


@contextlib.contextmanager
def explaining(path: Path) -> Iterator[None]:
    """What SQLite says about ``path`` as a typed error."""
    try:
        yield
    except apsw.Error as error:
        raise explain(error, str(path)) from error


def _is_full(path: str) -> bool:
    folder = Path(path).parent
    return folder.is_dir() and shutil.disk_usage(folder).free < _NEARLY_FULL


def is_sound(conn: apsw.Connection) -> bool:
    """Whether SQLite finds nothing wrong with the file. Slow: only for when something is wrong."""
    try:
        return bool(conn.execute("PRAGMA integrity_check(1)").get == "ok")
    except apsw.Error:
        return False


MEMORY = ":memory:"
_PRAGMAS: tuple[str, ...] = (
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",  # on macOS a plain fsync may leave data in the drive's cache
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cell_size_check = ON",
    "PRAGMA cache_size = -16384",
    "PRAGMA journal_size_limit = 67108864",
)
# What opening for reading raises where SQLite cannot create the files it wants beside the database.
_CANNOT_CREATE = (apsw.CantOpenError, apsw.ReadOnlyError, apsw.FullError, apsw.IOError)
_locks_guard = threading.Lock()
_locks: dict[str, threading.RLock] = {}
_torn: set[str] = set()  # files a parent was using in the moment it forked this process


class Database:
    """The connections of one process to one file."""

    def __init__(
        self, path: str, busy_timeout: float, *, read_only: bool = False, key: FileKey | None = None
    ) -> None:
        """``read_only``: also a file that could be written is only read."""
        self.path = path
        self.key = None if path == MEMORY else key
        self._secret = ""
        self._file = path if path == MEMORY else os.path.realpath(path)
        self._busy_timeout = busy_timeout
        writable = path == MEMORY or not Path(path).exists() or is_writable(path)
        self.read_only = read_only or not writable
        self._chosen = read_only and writable
        self._readable = ReadOnlyFile(path, self.key)
        self._place: tuple[int, int] | None = None
        self._closed = False
        self._damaged = False
        self._writer: apsw.Connection | None = None
        self._prepares: Callable[[apsw.Connection], None] = lambda conn: None
        self._is_prepared = False
        self._pool: list[Reader] = []
        with passing:
            self._start()
            _holders.add(self)

    def _start(self) -> None:
        self._pid = os.getpid()
        self._lock = _lock_of(self._file)
        self._pool_guard = threading.Lock()

    @contextlib.contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """A write transaction: committed and on disk when the block ends, or gone whole."""
        conn = self.begin()
        try:
            yield conn
        except BaseException as error:
            self.abandon(conn, error)
            raise
        self.commit(conn)

    def begin(self) -> apsw.Connection:
        """Start a write transaction, to be ended by ``commit`` or ``abandon``."""
        passing.__enter__()
        self._lock.acquire()
        try:
            self._check()
            if self.read_only:
                raise refusal(self.path)
            conn = self._writing()
            conn.execute("BEGIN IMMEDIATE")
        except UNREADABLE as error:
            self._leave()
            raise self._explain(error) from error
        except BaseException:
            self._leave()
            raise
        return conn

    def commit(self, conn: apsw.Connection) -> None:
        """Bring a transaction to disk."""
        try:
            self._check_place()
            conn.execute("COMMIT")
        except BaseException as error:
            self.abandon(conn, error)
            raise
        self._leave()

    def abandon(self, conn: apsw.Connection, error: BaseException) -> None:
        """Undo a transaction that failed. Raises what a caller should know, if that is more."""
        try:
            if conn.in_transaction:
                conn.execute("ROLLBACK")
            explained = self._judge(error, conn)
            if self.path != MEMORY and _is_stuck(conn):
                self._writer = None
                conn.close(True)
        finally:
            self._leave()
        if explained is not None:
            raise explained from error

    def _leave(self) -> None:
        self._lock.release()
        passing.__exit__(None, None, None)

    @contextlib.contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """A consistent snapshot."""
        with passing:
            self._check()
            if self.path == MEMORY:
                with self._lock:
                    yield self._writing()
                return
            reader = self._borrow()
            conn = reader.conn
            try:
                conn.execute("BEGIN")
                yield conn
            except Exception as error:
                explained = self._judge(error, conn)
                if explained is not None:
                    raise explained from error
                raise
            finally:
                if conn.in_transaction:
                    conn.execute("ROLLBACK")
                self._give_back(reader)

    @contextlib.contextmanager
    def alone(self) -> Iterator[apsw.Connection]:
        """The write connection outside a transaction (pragmas, VACUUM)."""
        with passing, self._lock:
            self._check()
            if self.read_only:
                raise refusal(self.path)
            try:
                yield self._writing()
            except UNREADABLE as error:
                raise self._explain(error) from error

    def close(self) -> None:
        """Close this process's connections."""
        with passing:
            if self._closed:
                return
            self._closed = True
            if self._pid == os.getpid():
                with self._lock:
                    self._drop(finish=not self._damaged)

    # --- forks ----------------------------------------------------------------------------------

    def let_go(self) -> None:
        """Before a fork: nothing that the child could inherit stays open."""
        if self.path != MEMORY:
            self._drop(finish=False)

    def start_over(self) -> None:
        """Leave a file that another process made in this moment, to open it as it is now."""
        self.let_go()
        self._secret, self._damaged = "", False

    def begin_again(self, *, clean: bool) -> None:
        """In the child: use the file on our own account, or never, if it was in use."""
        if clean or self.path == MEMORY:
            self._start()
            return
        _torn.add(self._file)
        # Closing an inherited connection would act on the parent's file, so it is never closed.
        for conn in self._connections():
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(conn))

    def _check(self) -> None:
        if self._closed:
            raise errors.Closed(
                f"{self.path} was closed", remedy="Open it again with mnemic.open()"
            )
        if self._pid != os.getpid() or self._file in _torn:
            raise errors.StoreUnavailable(
                f"{self.path} was in use by the parent process when it forked this one",
                remedy="Fork between calls, or start processes with multiprocessing's 'spawn'",
            )

    # --- connections ----------------------------------------------------------------------------

    def _drop(self, *, finish: bool) -> None:
        """Close every connection; the last one to go empties the log into the file if it may."""
        with self._pool_guard:
            for conn in self._connections():
                conn.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0 if finish else 1)
                conn.close()
            self._pool.clear()
            self._writer = None
            self._readable.close()

    def _connections(self) -> list[apsw.Connection]:
        return [*(reader.conn for reader in self._pool), *filter(None, [self._writer])]

    def _check_place(self) -> None:
        """What is written into a file without a name is lost, and a log that lies beside another
        file now would damage that one, so it is asked before every commit. A file that goes later
        takes with it what was acknowledged.
        """
        if self.path != MEMORY and _place_of(self._file) != self._place:
            raise errors.StoreReplaced(
                f"{self.path} was deleted, moved or replaced while it was open",
                remedy="Put the file back if it was moved by mistake, then open it again",
            )

    def _judge(self, error: BaseException, conn: apsw.Connection) -> errors.StoreError | None:
        """The error to raise instead, if the file is to blame.

        Damage may also show as rows that make no sense: what Python says of those is believed to be
        a mistake of ours only when the file is sound.
        """
        if isinstance(error, errors.MnemicError):
            self._damaged |= isinstance(error, errors.StoreDamaged)
            return None
        if isinstance(error, UNREADABLE) or (isinstance(error, SUSPICIOUS) and not is_sound(conn)):
            return self._explain(error)
        return None

    def _explain(self, error: Exception) -> errors.StoreError:
        explained = explain(error, self.path)
        # From now on the file is left as it is, also when we close it.
        self._damaged |= isinstance(explained, errors.StoreDamaged | errors.StoreUnavailable)
        return explained

    def _writing(self) -> apsw.Connection:
        if self._writer is None:
            self._writer = self._connect()
            self._place = _find_place(self._writer, self._file)
            self._is_prepared = False
        if not self._is_prepared:
            self._prepares(self._writer)
            self._is_prepared = True
        return self._writer

    def prepare_writer(self, prepare: Callable[[apsw.Connection], None]) -> None:
        """Prepare the connection that writes, now and whenever there is a new one."""
        self._prepares, self._is_prepared = prepare, False

    def _borrow(self) -> Reader:
        while True:
            with self._pool_guard:
                reader = self._pool.pop() if self._pool else None
            if reader is None:
                break
            if reader.state is None or reader.state == _state_now(self.path):
                return reader
            reader.conn.close(True)  # what an immutable file held when it was opened
        try:
            return self._connect_reader()
        except UNREADABLE as error:
            raise self._explain(error) from error

    def _give_back(self, reader: Reader) -> None:
        with self._pool_guard:
            if not self._closed and not _is_stuck(reader.conn):
                self._pool.append(reader)
                return
        reader.conn.close(True)

    def _connect_reader(self) -> Reader:
        if not self.read_only:
            conn = self._connect()
            try:
                read_something(conn)
            except _CANNOT_CREATE:
                conn.close(True)
            else:
                return Reader(conn, None)
        reader = self._readable.connect(beside=self._chosen)
        return Reader(self._prepare(reader.conn), reader.state)

    def _connect(self) -> apsw.Connection:
        # The salt is read once: closing a file lets go of the locks that SQLite has on it.
        if self.key is not None and not self._secret:
            self._secret = self.key.for_file(self.path)
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        return self._prepare(connect(self.path, flags, self._secret))

    def _prepare(self, conn: apsw.Connection) -> apsw.Connection:
        # A connection that is merely dropped, after a failure, does not touch the file.
        conn.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        conn.set_busy_handler(self._patience())
        for pragma in _PRAGMAS:
            conn.execute(pragma)
        _load_vectors(conn)
        return conn

    def _patience(self) -> Callable[[int], bool]:
        """A busy handler that waits longer and longer, with jitter so that no writer starves."""
        begun = 0.0

        def wait(calls: int) -> bool:
            nonlocal begun
            now = time.monotonic()
            if calls == 0:
                begun = now
            if now - begun > self._busy_timeout:
                return False
            time.sleep(min(0.02, 0.0005 * 1.5 ** min(calls, 12)) * (0.5 + random.random()))
            return True

        return wait


def _state_now(path: str) -> FileState | None:
    try:
        return state_of(path)
    except OSError:
        return None  # no longer there: connecting again says so


def _place_of(file: str) -> tuple[int, int] | None:
    """Which file stands under a name; None where there is none."""
    try:
        status = os.stat(file)  # noqa: PTH116 - on the way of every write
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _find_place(conn: apsw.Connection, file: str) -> tuple[int, int] | None:
    """Which file a connection has open, if it still stands under its name."""
    place, moved = _place_of(file), ctypes.c_int(0)
    conn.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(moved))
    return None if moved.value else place


def _is_stuck(conn: apsw.Connection) -> bool:
    """Whether a cursor, kept alive by an exception, holds a snapshot of an older file."""
    return conn.txn_state() != apsw.SQLITE_TXN_NONE


def _lock_of(file: str) -> threading.RLock:
    """One lock per file and process, shared by every Database on it; a child makes its own."""
    if file == MEMORY:
        return threading.RLock()
    with _locks_guard:
        return _locks.setdefault(f"{os.getpid()}:{file}", threading.RLock())


def _load_vectors(conn: apsw.Connection) -> None:
    """Load sqlite-vec without importing its Python package, which is slow to import."""
    spec = late.find("sqlite_vec")
    if spec is None or spec.origin is None:
        raise errors.StoreUnavailable(
            "sqlite-vec is not installed", remedy="Reinstall with `pip install mnemic`"
        )
    conn.enable_load_extension(True)
    conn.load_extension(str(Path(spec.origin).parent / "vec0"))
    conn.enable_load_extension(False)
