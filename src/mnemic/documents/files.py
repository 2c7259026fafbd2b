"""Reading a document as a person left it, and replacing it whole or not at all."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from glob import escape
from pathlib import Path
from typing import BinaryIO

from mnemic import private
from mnemic.settings.environment import DOCUMENT_BYTES
from mnemic.store.new_file import sync_folder, typed
from mnemic.store.paths import open_own, refuse_links

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_STALE = 3600  # seconds; nobody writes one small file for that long


class UnreadableFile(Exception):
    """A file that is no readable text; it is left alone."""


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A file: its bytes, its text with plain line ends, and how it was written."""

    data: bytes | None = None
    text: str = ""
    newline: str = "\n"
    bom: bool = False

    def encode(self, text: str) -> bytes:
        """A text in the encoding and line ends of this file."""
        data = text.replace("\n", self.newline).encode()
        return codecs.BOM_UTF8 + data if self.bom else data


def fingerprint(text: str | bytes) -> str:
    """A digest that shows whether a text changed."""
    data = text.encode() if isinstance(text, str) else text
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def load(path: Path) -> DocumentFile:
    """The file as it is, an empty one where there is none; Unreadable says why not."""
    data = read_bytes(path)
    if data is None:
        return DocumentFile()
    try:
        if data.startswith(_UTF16):
            text, bom = data.decode("utf-16"), False
        else:
            bom = data.startswith(codecs.BOM_UTF8)
            text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableFile("It is not UTF-8 text; save it as UTF-8, or delete it") from error
    if "\x00" in text:
        raise UnreadableFile("It holds NUL bytes and is not text; correct it, or delete it")
    newline = _newline(text)
    return DocumentFile(
        data, text.replace(newline, "\n") if newline != "\n" else text, newline, bom
    )


def read_bytes(path: Path, most: int = DOCUMENT_BYTES) -> bytes | None:
    """At most that many bytes, or Unreadable; None for a file that is not there."""
    if path.is_symlink():
        raise UnreadableFile(
            "It is a symbolic link, and links are not followed; put the file itself"
        )
    with typed(path, "read"):
        try:
            with open(path, "rb", opener=open_own) as file:
                data = file.read(most + 1)
        except FileNotFoundError:
            return None
    if len(data) > most:
        raise UnreadableFile(f"It has more than {most:,} bytes; shorten it")
    return data


@contextlib.contextmanager
def prepared(path: Path, data: bytes) -> Iterator[Callable[[], None]]:
    """Write a temporary file; yields the function that moves it into place."""
    with _beside(path) as (file, temporary):
        with typed(path, "written"):
            file.write(data)
            _finish(file, path, temporary)
        yield partial(_move, temporary, path)


@contextlib.contextmanager
def replacement(path: Path) -> Iterator[BinaryIO]:
    """A file to be written, which takes the place of another when the block ends: whoever dies in
    between leaves the old one as it was, or none.
    """
    with _beside(path) as (file, temporary):
        with typed(path, "written"):
            yield file
            _finish(file, path, temporary)
        _move(temporary, path)


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[tuple[BinaryIO, Path]]:
    import tempfile

    refuse_links(path, path.parent)
    with typed(path, "written"):
        private.make_folder(path.parent)
        _sweep(path)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    temporary, file = Path(name), os.fdopen(handle, "wb")
    try:
        yield file, temporary
    finally:
        with contextlib.suppress(OSError):  # what was not written was said by whoever wrote
            file.close()
        temporary.unlink(missing_ok=True)


def _finish(file: BinaryIO, path: Path, temporary: Path) -> None:
    file.flush()
    with contextlib.suppress(FileNotFoundError):  # a new one is for its owner alone
        temporary.chmod(path.stat().st_mode & 0o777)
    os.fsync(file.fileno())
    file.close()


def _move(temporary: Path, path: Path) -> None:
    with typed(path, "written"):
        temporary.replace(path)
        sync_folder(path.parent)


def write(path: Path, data: bytes) -> None:
    """Replace a file, whatever it holds."""
    with prepared(path, data) as put:
        put()


def _newline(text: str) -> str:
    windows = text.count("\r\n")
    if windows:
        return "\r\n" if windows * 2 > text.count("\n") else "\n"
    return "\r" if "\r" in text and "\n" not in text else "\n"


def _sweep(path: Path) -> None:
    """Remove temporary files of processes that died while writing."""
    for temporary in path.parent.glob(f".{escape(path.name)}.*.tmp"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - temporary.stat().st_mtime > _STALE:
                temporary.unlink()
