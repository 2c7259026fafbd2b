"""A dictionary in a form that is ready at once: made at first need, then kept in a cache folder.

It is the text of the dictionary, sorted, and where the words with each first character begin. These
are looked up when a text has that character, and then stay.
"""

from __future__ import annotations

import contextlib
import os
import struct
import tempfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mnemic.locks import ForkSafeLock
from mnemic.providers.embedding import cedict

_HEADER = struct.Struct("<I8s8sI")  # checksum of the rest, mark, edition, first characters
_CHECKSUM = 4  # bytes
_MARK = b"glosses1"
_BEFORE_GLOSS = "\t"


class _Bucket(NamedTuple):
    """What the words with one first character mean.

    ``longest``: how long words with the same two characters at their start can be.
    """

    glosses: dict[str, str]
    longest: dict[str, int]


class Lexicon(dict[str, _Bucket]):
    """Words by their first characters, as far as these were met. Safe to use from threads."""

    def __init__(self, packed: bytes, edition: str) -> None:
        """``packed`` as ``pack`` makes it; ``ValueError`` for anything else."""
        super().__init__()
        if len(packed) < _HEADER.size:
            raise ValueError("too short")
        checksum, mark, of, buckets = _HEADER.unpack_from(packed)
        if (mark, of) != (_MARK, edition.encode()):
            raise ValueError("another file")
        if zlib.crc32(memoryview(packed)[_CHECKSUM:]) != checksum:
            raise ValueError("damaged")
        self._first = np.frombuffer(packed, "<u4", buckets, _HEADER.size)
        self._starts = np.frombuffer(packed, "<u4", buckets + 1, _HEADER.size + 4 * buckets)
        self._text = memoryview(packed)[_HEADER.size + 4 * (2 * buckets + 1) :]

    def cut(self, run: str) -> list[str]:
        """A run as the longest words from the left; a character that begins none stands alone."""
        words: list[str] = []
        at, end = 0, len(run)
        while at < end:
            glosses, longest = self[run[at]]
            length = min(longest.get(run[at : at + 2], 1), end - at)
            while length > 1 and run[at : at + length] not in glosses:
                length -= 1
            words.append(run[at : at + length])
            at += length
        return words

    def gloss(self, word: str) -> str | None:
        """The first senses of a word, empty if it has none; None for what is no word."""
        return self[word[0]].glosses.get(word)

    def __missing__(self, first: str) -> _Bucket:
        glosses: dict[str, str] = {}
        longest: dict[str, int] = {}
        at = int(np.searchsorted(self._first, ord(first)))
        if at < len(self._first) and self._first[at] == ord(first):
            text = bytes(self._text[self._starts[at] : self._starts[at + 1]])
            for line in text.decode().splitlines():
                word, _, gloss = line.partition(_BEFORE_GLOSS)
                glosses[word] = gloss
                longest[word[:2]] = max(len(word), longest.get(word[:2], 0))
        bucket = _Bucket(glosses, longest)
        # One that is empty may be for any character there is: it is not kept.
        return self.setdefault(first, bucket) if glosses else bucket


def pack(glosses: Mapping[str, str], edition: str) -> bytes:
    """The bytes of a lexicon."""
    text = bytearray()
    first: list[int] = []
    starts: list[int] = []
    for word in sorted(glosses):
        if not first or first[-1] != ord(word[0]):
            first.append(ord(word[0]))
            starts.append(len(text))
        text += f"{word}{_BEFORE_GLOSS}{glosses[word]}\n".encode()
    index = np.array([*first, *starts, len(text)], "<u4").tobytes()
    header = _HEADER.pack(0, _MARK, edition.encode(), len(first))
    rest = header[_CHECKSUM:] + index + bytes(text)
    return zlib.crc32(rest).to_bytes(_CHECKSUM, "little") + rest


_opened: dict[cedict.DictionaryFile, Lexicon] = {}
_opening = ForkSafeLock()


def opened(source: cedict.DictionaryFile) -> Lexicon:
    """The lexicon of a dictionary: once in a process, and from the cache folder if it is there.

    Raises what ``cedict.read`` raises when it has to be made and cannot.
    """
    with _opening:
        if source not in _opened:
            _opened[source] = _from_cache(source)
        return _opened[source]


def cache_folder() -> Path:
    """What MNEMIC_CACHE names, else the platform's folder for what can be made again."""
    named = os.environ.get("MNEMIC_CACHE")
    if named:
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("mnemic", appauthor=False))


def _from_cache(source: cedict.DictionaryFile) -> Lexicon:
    path = cache_folder() / f"cedict-{source.edition}.bin"
    with contextlib.suppress(OSError, ValueError):
        return Lexicon(path.read_bytes(), source.edition)
    packed = pack(cedict.read(source), source.edition)
    with contextlib.suppress(OSError):  # it is made again next time
        _keep(path, packed)
    return Lexicon(packed, source.edition)


def _keep(path: Path, packed: bytes) -> None:
    """All of it or nothing, whoever else does the same at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(packed)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
