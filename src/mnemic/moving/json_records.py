"""The records of a JSON file: its lines, a list, or the lists under some keys of an object.

Each record is parsed alone, so that a large file takes no more memory than its longest record.
Where a list stops being JSON, that place is named and the rest of the file is not read.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any, BinaryIO

from mnemic.errors import InvalidInput
from mnemic.moving.pieces import Record
from mnemic.moving.source import split_lines

WHOLE = "the file"  # the place of a record that is a whole file
LONGEST = 64 << 20  # bytes of one record: the longest real conversations have a tenth
_HEAD = 1 << 16  # bytes that show whether a file is a list, an object or lines
_CHUNK = 1 << 20
_KEY = 1 << 10  # characters that a key and the bracket after it may take
_SAMPLES = 8
_BLANK = b"\xef\xbb\xbf \t\r\n"
_BETWEEN = re.compile(r"[\s,]*")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")  # the codec's mark for a byte that is not UTF-8
_PARSE = json.JSONDecoder().raw_decode
_END = object()  # instead of a value: the list ends


def parse_json(data: bytes) -> Any:
    """JSON as a value; a ValueError says what is wrong and where."""
    try:
        return json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 at byte {error.start + 1}") from error
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"it is not JSON: {error.msg} at {line}column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON that can be read: {error}") from error


def read_records(stream: BinaryIO, keys: Sequence[str] = ()) -> Iterator[Record]:
    """Every record of a file; ``keys`` name the lists of an object, else it is one record."""
    number, first = _read_first_line(stream)
    if first.strip() == b"{" and not keys:
        data = first + stream.read(LONGEST)
        if stream.read(1):
            raise InvalidInput(
                f"One conversation has more than {LONGEST:,} bytes", remedy="Give JSON lines"
            )
        try:
            yield Record(WHOLE, parse_json(data))
        except ValueError as reason:
            remedy = "Give JSON lines or a whole JSON file"
            raise InvalidInput(str(reason), remedy=remedy) from None
    elif _holds_list(first, keys):
        yield from _read_lists(first, stream, keys)
    else:
        yield from _read_lines(first, stream, number)


def _read_first_line(stream: BinaryIO) -> tuple[int, bytes]:
    """The number of the first line that is not blank, and its beginning."""
    for number, line in enumerate(iter(lambda: stream.readline(_HEAD), b""), 1):
        if line.strip(_BLANK):
            return number, line.lstrip(_BLANK)
    return 1, b""


def _read_lines(first: bytes, stream: BinaryIO, number: int) -> Iterator[Record]:
    """A record for each line; of one that is not JSON, ``value`` is the line itself."""
    for place, line in enumerate(split_lines(stream, LONGEST, first), number):
        if line is None:
            yield Record(f"line {place}", b"", f"it has more than {LONGEST:,} bytes")
        elif line.strip(_BLANK):
            try:
                yield Record(f"line {place}", parse_json(line))
            except ValueError as error:
                yield Record(f"line {place}", line, str(error))


def _read_lists(first: bytes, stream: BinaryIO, keys: Sequence[str]) -> Iterator[Record]:
    """The entries of a list, or of every list under one of ``keys`` of an object."""
    text = _JsonText(first, stream)
    if first.startswith(b"["):
        text.place = 1
        yield from text.read_entries("")
    names = "|".join(re.escape(json.dumps(key)) for key in keys)
    opening = re.compile(rf"({names})\s*:\s*\[")
    while names and (match := text.find(opening)) is not None:
        yield from text.read_entries(json.loads(match[1]))


def sample(head: bytes, keys: Sequence[str]) -> list[dict[str, Any]]:
    """A few records from the head of a file, to know it by."""
    if head.lstrip(_BLANK)[:1] not in (b"{", b"["):
        return []
    records = read_records(io.BytesIO(head), keys)
    readable = (r.value for r in records if not r.reason and isinstance(r.value, dict))
    return list(islice(readable, _SAMPLES))


def _holds_list(first: bytes, keys: Sequence[str]) -> bool:
    """Whether a file is a list or an object with lists, by its first line."""
    if not first.startswith(b"{"):
        return first.startswith(b"[")
    names = b"|".join(re.escape(key.encode()) for key in keys)
    opened = names and re.search(rb'"(?:' + names + rb')"\s*:\s*\[', first)
    return first.strip() == b"{" or bool(opened)


class _JsonText:
    """The text of a file from ``place`` on, read as far as it is needed."""

    def __init__(self, first: bytes, stream: BinaryIO) -> None:
        self.place = self._before = 0  # ``_before``: characters of the file that were let go
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
        self._text = self._decode(first)
        self._ended = False

    def find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Go on behind the next match of a pattern."""
        while (match := pattern.search(self._text, self.place)) is None:
            self.place = max(self.place, len(self._text) - _KEY)
            if not self._read_more():
                return None
        self.place = match.end()
        return match

    def read_entries(self, key: str) -> Iterator[Record]:
        """The entries up to the bracket that ends the list."""
        for number in count(1):
            place = f"{key or 'entry'} {number}"
            try:
                value = self._read_value()
            except (ValueError, RecursionError) as error:
                self._text, self._ended = "", True  # nothing behind it is read
                yield Record(place, None, str(error), key)
                return
            if value is _END:
                return
            yield Record(place, value, "", key)

    def _read_value(self) -> Any:
        """The next value, or ``_END`` behind the last; a ValueError says what is wrong."""
        while True:
            between = _BETWEEN.match(self._text, self.place)
            self.place = between.end() if between else self.place
            if self._text.startswith("]", self.place):
                return _END
            try:
                value, end = _PARSE(self._text, self.place)
            except json.JSONDecodeError as error:
                if self._read_more():
                    continue
                if not self._ended:
                    raise ValueError(f"it has more than {LONGEST:,} bytes") from error
                at, why = self._before + error.pos + 1, error.msg.removesuffix(" at")
                raise ValueError(f"it is not JSON: {why} at character {at:,}") from error
            if end < len(self._text) or not self._read_more():
                break
        if (broken := _NOT_UTF8.search(self._text, self.place, end)) is not None:
            raise ValueError(f"it is not UTF-8 at character {self._before + broken.end():,}")
        self.place = end
        return value

    def _read_more(self) -> bool:
        """Read as much again as is held, so that a long entry is not parsed too often."""
        if self._ended or len(self._text) - self.place > LONGEST:
            return False
        self._before += self.place
        self._text, self.place = self._text[self.place :], 0
        data = self._stream.read(max(_CHUNK, len(self._text)))
        self._ended = not data
        self._text += self._decode(data, self._ended)
        return not self._ended
