"""Reading a document as a person left it."""

from __future__ import annotations

import codecs
import hashlib
from pathlib import Path

from mnemic.late import dataclass
from mnemic.settings.environment import DOCUMENT_BYTES
from mnemic.store.new_file import explain_errors
from mnemic.store.paths import open_own

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


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


def stamp_of(path: Path) -> tuple[int, int] | None:
    """What tells without reading whether a file was changed; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


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
    with explain_errors(path, "read"):
        try:
            with open(path, "rb", opener=open_own) as file:
                data = file.read(most + 1)
        except FileNotFoundError:
            return None
    if len(data) > most:
        raise UnreadableFile(f"It has more than {most:,} bytes; shorten it")
    return data


def _newline(text: str) -> str:
    windows = text.count("\r\n")
    if windows:
        return "\r\n" if windows * 2 > text.count("\n") else "\n"
    return "\r" if "\r" in text and "\n" not in text else "\n"
