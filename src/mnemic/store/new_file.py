"""A file that is whole under its name or not there at all: written beside it, made durable, moved.

The unfinished file has one fixed name and a lock: two writers of one target exclude each other, and
what a killed one left behind is overwritten by the next.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Self

from mnemic import errors, private
from mnemic.store.paths import is_link_error, link_error, open_own, refuse_links

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)
_PAUSE = 0.05  # seconds between two looks at another writer's lock
_UNFINISHED = ".part"
PATIENCE = 10  # seconds for another writer of a small file


class UnfinishedFile:
    """The file that becomes ``target``; leaving the block without ``put`` removes it."""

    def __init__(self, target: Path, *, patience: float = 0) -> None:
        """Another writer of the same target is waited for as long as ``patience`` seconds."""
        self._target = target
        self.path = target.with_name(f".{target.name}{_UNFINISHED}")
        self._patience = patience
        self._handle = -1

    def __enter__(self) -> Self:
        with explain_errors(self._target, "written"):
            private.make_folder(self._target.parent)
            self._handle = self._open_locked()
            os.ftruncate(self._handle, 0)
        return self

    def __exit__(self, *_: object) -> None:
        if _is_at(self._handle, self.path):  # else it is in its place
            self.path.unlink()
        os.close(self._handle)

    def write(self, data: bytes) -> None:
        with explain_errors(self._target, "written"):
            self.path.write_bytes(data)
            os.fsync(self._handle)

    def keep_mode(self) -> None:
        """Give it the permissions of the file whose place it takes."""
        with explain_errors(self._target, "written"), contextlib.suppress(FileNotFoundError):
            self.path.chmod(self._target.stat().st_mode & 0o777)

    def put(self, *, replace: bool) -> None:
        """Make it durable and move it into place, at once for everybody who looks."""
        with explain_errors(self._target, "written"):
            os.fsync(self._handle)
            if replace:
                self.path.replace(self._target)
            else:
                self._put_if_free()
            sync_folder(self._target.parent)

    def _put_if_free(self) -> None:
        try:
            self._target.hardlink_to(self.path)  # unlike a rename it never replaces anything
        except FileExistsError as error:
            raise exists_error(self._target) from error
        except OSError:  # a disk without hard links
            if self._target.exists():
                raise exists_error(self._target) from None
            self.path.rename(self._target)

    def _open_locked(self) -> int:
        until = time.monotonic() + self._patience
        while True:
            handle = open_own(str(self.path), os.O_RDWR | os.O_CREAT)
            try:
                if not _lock(handle):
                    if time.monotonic() >= until:
                        raise errors.StoreBusy(
                            f"Another process is writing {self.path}",
                            remedy="Wait until it has ended, or choose another name",
                        )
                    time.sleep(_PAUSE)
                elif _is_at(handle, self.path):
                    return handle
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)  # its writer moved it into place or removed it meanwhile


@contextlib.contextmanager
def replacement(path: Path) -> Iterator[BinaryIO]:
    """A file to write that replaces another when the block ends, whole or not at all."""
    refuse_links(path, path.parent)
    with UnfinishedFile(path, patience=PATIENCE) as unfinished:
        with explain_errors(path, "written"), unfinished.path.open("wb") as file:
            yield file
        unfinished.keep_mode()
        unfinished.put(replace=True)


def write(path: Path, data: bytes) -> None:
    """Replace a file, whatever it holds."""
    with replacement(path) as file:
        file.write(data)


def remove_unfinished(folder: Path, is_own: Callable[[str], bool]) -> None:
    """Remove what killed writers left of targets with such names."""
    for file in folder.glob(f".*{_UNFINISHED}"):
        if is_own(file.name[1:].removesuffix(_UNFINISHED)):
            with explain_errors(file, "removed"), contextlib.suppress(FileNotFoundError):
                handle = open_own(str(file), os.O_RDWR)
                try:
                    if _lock(handle):
                        file.unlink()
                finally:
                    os.close(handle)


def exists_error(target: Path) -> errors.Conflict:
    """The error for a file that stands where another was to be put."""
    return errors.Conflict(
        f"{target} exists already", remedy="Choose another name, or pass --force to replace it"
    )


def sync_folder(folder: Path) -> None:
    """Make a new name last; Windows has no such call and needs none."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def explain_errors(path: Path, verb: str) -> Iterator[None]:
    """Operating system errors as typed ones."""
    try:
        yield
    except OSError as error:
        raise _explain(error, path, verb) from error


def _explain(error: OSError, path: Path, verb: str) -> errors.StoreError:
    what = f"{path} cannot be {verb}: {error.strerror or error}"
    if error.errno in _FULL:
        return errors.DiskFull(what, remedy="Make room and try again; the old file is whole")
    if is_link_error(error):
        return link_error(path)
    if error.errno in _REFUSED:
        return errors.StoreReadOnly(what, remedy="Give permission on the file and its folder")
    return errors.StoreUnavailable(what, remedy="Move away what is in its place, then try again")


def _lock(handle: int) -> bool:
    """Have a file for oneself; whoever is killed lets go of it."""
    try:
        import fcntl
    except ImportError:  # Windows refuses to remove or replace what another process has open
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


# --- files that hold one key: read only where nobody else may, and made whole or not at all -------


def read_key_file(path: Path) -> str:
    """The key in a file that belongs to its owner alone."""
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise errors.ConfigError(
                f"Others may read the key file {path}", remedy=f"Run: chmod 600 {path}"
            )
        key = path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError as error:
        raise errors.ConfigError(
            f"The key file {path} cannot be read: {error.strerror}",
            remedy="Put it back from a backup, or name another",
        ) from error
    if not key:
        raise errors.ConfigError(
            f"The key file {path} is empty", remedy="Put it back from a backup"
        )
    return key


def make_key_file(path: Path, key: str) -> None:
    """On the disk before anything is sealed with it; of two processes at once one key stays."""
    try:
        with UnfinishedFile(path, patience=PATIENCE) as file:
            file.write(f"{key}\n".encode())
            with contextlib.suppress(errors.Conflict):  # the key of who was first is the one
                file.put(replace=False)
    except (errors.StoreReadOnly, errors.StoreUnavailable) as error:
        raise errors.StoreReadOnly(
            error.message, remedy="Make its folder writable, or set secrets.key"
        ) from error
