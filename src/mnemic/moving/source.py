"""A file, a folder or a pipe that is imported: opened for reading only, with its progress."""

from __future__ import annotations

import io
import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from mnemic.errors import InvalidInput

_HEAD = 1 << 16
ZIP = b"PK\x03\x04"
_ENCRYPTED = 1  # of the flags of a member
# What zipfile raises for a member that is torn, encrypted or packed in an unknown way.
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    KeyError,
    OSError,
    NotImplementedError,
    RuntimeError,
)


class ImportSource:
    """What is imported. Readers say in ``total`` and ``done`` how far they are.

    ``session`` is for messages that name none. ``links`` are symbolic links inside a folder, which
    are not followed: they may lead to anything on this machine.
    """

    def __init__(self, path: Path | None, stream: BinaryIO | None = None, *, session: str = ""):
        self.path = path
        self.session = session
        self.total: int | None = None
        self.done = 0
        self._stream = stream or io.BytesIO()
        self.links: list[str] = []

    @classmethod
    def of(cls, place: str | Path, *, session: str = "") -> ImportSource:
        """A file or folder by its name."""
        path = Path(place).expanduser()
        try:
            path.stat()
        except (OSError, ValueError) as error:
            raise InvalidInput(
                f"{place} cannot be read: {getattr(error, 'strerror', None) or error}",
                remedy="Give a file or a folder, or - for a pipe",
            ) from error
        return cls(path, session=session)

    @property
    def name(self) -> str:
        """The last part of its path; empty for a pipe."""
        return "" if self.path is None else self.path.name

    @property
    def is_folder(self) -> bool:
        return self.path is not None and self.path.is_dir()

    @property
    def is_single(self) -> bool:
        """Whether there is nothing inside it, as in a folder or an archive."""
        return not self.is_folder and not self.members()

    @cached_property
    def head(self) -> bytes:
        """The first bytes of a file; nothing of a folder."""
        if self.path is None:
            return _first_lines(self._stream)
        if self.is_folder:
            return b""
        with _open_file(self.path) as file:
            return file.read(_HEAD)

    @contextmanager
    def open(self, name: str = "") -> Iterator[BinaryIO]:
        """The bytes of the file, or of one of ``members``, counted as they are read."""
        self.done = self.done if name else 0
        if self.path is None:
            yield _count(self._stream, self, head=self.head)
        elif name and not self.is_folder:
            try:
                member = self._archive.open(name)
            except _UNREADABLE as error:
                raise self.unreadable(name, error) from error
            with member:
                yield _count(member, self, name)
        else:
            with _open_file(self.path / name) as file:
                self.total = self.total if name else self.path.stat().st_size
                yield _count(file, self)

    def members(self) -> list[str]:
        """The files inside a ZIP archive or a folder, by their names in it, in order."""
        return self._members

    def files(self, *suffixes: str) -> list[str]:
        """The visible members with such an ending; an empty name stands for the file itself."""
        if self.is_single:
            return [""]
        return [
            name
            for name in self.members()
            if PurePosixPath(name).suffix.lower() in suffixes
            and not any(segment.startswith(".") for segment in name.split("/"))
        ]

    def read_mtime(self, name: str = "") -> datetime | None:
        """When the file or a member was last written; nothing is known of a pipe or an archive."""
        if self.path is None or (name and not self.is_folder):
            return None
        return datetime.fromtimestamp((self.path / name).stat().st_mtime, UTC)

    @cached_property
    def _members(self) -> list[str]:
        names: list[str] = []
        if self.is_folder:
            assert self.path is not None
            for folder, folders, files in os.walk(self.path):
                for path in (Path(folder, name) for name in (*folders, *files)):
                    if path.is_symlink() or path.is_file():
                        group = self.links if path.is_symlink() else names
                        group.append(path.relative_to(self.path).as_posix())
        elif self.head.startswith(ZIP):
            for info in self._archive.infolist():
                if info.flag_bits & _ENCRYPTED:
                    raise self.unreadable(info.filename, "it is encrypted")
            names = [info.filename for info in self._archive.infolist() if not info.is_dir()]
        return sorted(names)

    def head_of(self, name: str) -> bytes:
        """The first bytes of a file of ``files``; nothing of one that cannot be read."""
        if not name:
            return self.head
        try:
            with self.open(name) as stream:
                return stream.read(_HEAD)
        except InvalidInput:
            return b""

    def unreadable(self, name: str, error: object) -> InvalidInput:
        """What is said of bytes that cannot be had."""
        place = f"{name} inside {self.name}" if name else self.name or "The pipe"
        return InvalidInput(
            f"{place} cannot be read: {error}",
            remedy="Get it again; of an archive with a password, unpack it and give the folder",
        )

    def member_size(self, name: str) -> int:
        """How many bytes reading a member counts."""
        if self.path is None:
            return 0
        if self.is_folder or not name:
            return (self.path / name).stat().st_size
        return self._archive.getinfo(name).file_size

    @cached_property
    def _archive(self) -> zipfile.ZipFile:
        if self.path is None:
            raise InvalidInput(
                "A ZIP archive cannot be read from a pipe", remedy="Give its file name"
            )
        try:
            return zipfile.ZipFile(self.path)
        except (*_UNREADABLE, ValueError, struct.error) as error:
            raise InvalidInput(
                f"{self.name} is not a whole ZIP archive: {error}", remedy="Download it again"
            ) from error


def _open_file(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InvalidInput(
            f"{path.name} cannot be read: {error.strerror}", remedy="Give a file you may read"
        ) from error


def split_lines(stream: BinaryIO, longest: int, begun: bytes = b"") -> Iterator[bytes | None]:
    """Lines, None for one of more than ``longest`` bytes; ``begun`` was read already."""
    line = begun if begun.endswith(b"\n") else begun + stream.readline(longest)
    while line:
        if line.endswith(b"\n") or len(line) < longest:
            yield line
        else:
            while line and not line.endswith(b"\n"):
                line = stream.readline(longest)
            yield None
        line = stream.readline(longest)


def _read_available(stream: BinaryIO | IO[bytes], most: int) -> bytes:
    """Some bytes, none at the end; of a pipe no more than its writer has written by now."""
    data: bytes | None = getattr(stream, "read1", stream.read)(most)
    return data or b""


def _first_lines(stream: BinaryIO) -> bytes:
    """The beginning of a pipe, at least a line of it."""
    head = b""
    while len(head) < _HEAD and b"\n" not in head.lstrip():
        data = _read_available(stream, _HEAD - len(head))
        if not data:
            break
        head += data
    return head


def _count(
    stream: BinaryIO | IO[bytes], source: ImportSource, name: str = "", head: bytes = b""
) -> BinaryIO:
    return io.BufferedReader(_Counted(stream, source, name, head), 1 << 16)


class _Counted(io.RawIOBase):
    """A stream whose position is the progress of its source; ``head`` was read of it already."""

    def __init__(
        self, stream: BinaryIO | IO[bytes], source: ImportSource, name: str, head: bytes
    ) -> None:
        self._stream, self._source, self._name, self._head = stream, source, name, head

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._head[: len(buffer)]
        if data:
            self._head = self._head[len(data) :]
        else:
            try:
                data = _read_available(self._stream, len(buffer))
            except _UNREADABLE as error:
                raise self._source.unreadable(self._name, error) from error
        buffer[: len(data)] = data
        self._source.done += len(data)
        return len(data)
