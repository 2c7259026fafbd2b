"""The entries of a JSON list, one by one, past those that are damaged.

A list of exported records may be large, and one torn record must not cost the others: each entry is
cut out by its brackets and parsed alone. Where the brackets do not fit, reading goes on at the next
text that begins as the first entry did. No more is held than the longest entry may have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

_CHUNK = 1 << 20
LONGEST = 64 << 20  # bytes of one entry: the longest real conversations have a tenth
_KEY = 1 << 10  # bytes that a key and the bracket after it may take
_PLAIN = rb'[^"\\\x00-\x1f]*+'
_TOKEN = re.compile(rb'"' + _PLAIN + rb"(?:\\." + _PLAIN + rb')*+"|["{}\[\]]')
_CONTROL = re.compile(rb"[\x00-\x1f]")
_BETWEEN = re.compile(rb"[\s,]*")
_DECODER = json.JSONDecoder()
_SCALAR = re.compile(rb"[^,\]\s]+")
_NAME = rb'"(?:[^"\\]|\\.)*"'
_SIMPLE = rb"(?:" + _NAME + rb"|[^\s,{}\[\]\"]+)"
# The first key of an object and, behind a simple value, the second: what stands inside an entry may
# well begin with the same key.
_BEGINNING = re.compile(
    rb"\{\s*(?P<first>"
    + _NAME
    + rb")\s*:(?:\s*"
    + _SIMPLE
    + rb"\s*,\s*(?P<second>"
    + _NAME
    + rb")\s*:)?"
)


@dataclass(frozen=True, slots=True)
class JsonEntry:
    """One entry of a list, counted from 1; ``reason`` says why it could not be read, ``key`` under
    which key the list stands.
    """

    number: int
    value: Any
    reason: str = ""
    key: str = ""


def parsed(data: bytes) -> Any:
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


class JsonList:
    """The entries of a list that stands alone, or of every list under one of ``keys`` of an object,
    also where such a list stands in another one.
    """

    def __init__(self, stream: BinaryIO, keys: Sequence[str] = ()) -> None:
        self._stream = stream
        names = "|".join(re.escape(json.dumps(key)) for key in keys)
        self._opens = re.compile(rf"({names})\s*:\s*\[".encode()) if keys else None
        self._buffer = b""
        self._text: str | None = None
        self._parsed: Any = None
        self._damage = ""
        self._ended = False
        self._closed = 0
        self._beginning: re.Pattern[bytes] | None = None

    def __iter__(self) -> Iterator[JsonEntry]:
        self._more()
        text = self._buffer.lstrip(b"\xef\xbb\xbf \t\r\n")
        if text.startswith(b"["):
            yield from self._entries(len(self._buffer) - len(text) + 1, "")
            return
        while (opened := self._opening(self._closed)) is not None:
            self._beginning = None
            yield from self._entries(opened.end(), json.loads(opened[1]))

    def _entries(self, place: int, key: str) -> Iterator[JsonEntry]:
        number, self._closed = 1, place
        while (start := self._next_start(place, key)) is not None:
            if 2 * start > len(self._buffer):  # what was read is let go
                self._let_go(start)
                start = 0
            self._closed = start + 1  # where to look for another list should this one have no end
            end = self._end(start)
            if end is not None:
                raw = self._buffer[start:end]
                value, reason = self._value(raw)
                if not reason:
                    self._learn_beginning(raw)
                    yield JsonEntry(number, value, key=key)
                    number, place = number + 1, end
                    self._closed = end
                    continue
            elif self._damage:
                reason, self._damage = self._damage, ""
            else:
                reason = "it has no end" if self._ended else f"it has more than {LONGEST:,} bytes"
            yield JsonEntry(number, None, reason, key)
            number += 1
            again = self._beginning.search(self._buffer, start + 1) if self._beginning else None
            if again is None and end is None:
                return
            place = again.start("entry") if again is not None else end or 0

    def _opening(self, place: int) -> re.Match[bytes] | None:
        """Where the next list under one of the keys begins."""
        while self._opens is not None:
            found = self._opens.search(self._buffer, place)
            if found is not None:
                return found
            self._let_go(max(place, len(self._buffer) - _KEY))
            place = 0
            if not self._more():
                break
        return None

    def _next_start(self, place: int, key: str) -> int | None:
        while True:
            between = _BETWEEN.match(self._buffer, place)
            assert between is not None, "it matches the empty text"
            if between.end() == len(self._buffer):
                if not self._more():
                    return None
            elif self._buffer[between.end()] not in b"]}":
                return between.end()
            else:
                return self._after_stray_bracket(between.end(), key)

    def _after_stray_bracket(self, place: int, key: str) -> int | None:
        """The next entry behind a bracket that does not end the list; None where it does."""
        while not key and self._more():
            pass  # A list that stands alone ends where the file does.
        ends = self._buffer[place : place + 1] == b"]"
        self._closed = place + 1
        if self._beginning is None or (ends and (key or not self._buffer[place + 1 :].strip())):
            return None
        again = self._beginning.search(self._buffer, place)
        return None if again is None else again.start("entry")

    def _value(self, raw: bytes) -> tuple[Any, str]:
        """An entry, or why it cannot be read."""
        if self._parsed is not None and raw.isascii():
            return self._parsed, ""
        try:
            return parsed(raw), ""
        except ValueError as error:
            return None, str(error)

    def _end(self, start: int) -> int | None:
        """Where the entry that begins there ends."""
        # As Latin-1, in which each byte is a character, a whole entry is found at the parser's
        # speed; what it says is right if it is ASCII.
        if self._text is None:
            self._text = self._buffer.decode("latin-1")
        try:
            self._parsed, end = _DECODER.raw_decode(self._text, start)
            if end < len(self._buffer):
                return end
        except json.JSONDecodeError as error:
            again = self._beginning and self._beginning.search(self._buffer, start + 1)
            if again and error.pos < again.start("entry"):  # what follows is another entry
                self._parsed, self._damage = None, f"it is not JSON: {error.msg}"
                return None
        except (RecursionError, ValueError):  # nested too deep, or a number with too many digits
            pass
        self._parsed = None
        return self._bracketed(start)

    def _bracketed(self, start: int) -> int | None:
        """The end of an entry that is damaged, or not yet read to its end."""
        depth, place = 0, start
        while True:
            if depth == 0 and self._buffer[place] not in b'"{[':
                return self._scalar_end(place)
            token = _TOKEN.search(self._buffer, place)
            if token is None:
                place = len(self._buffer)
                if not self._more():
                    return None
                continue
            found = token.group()
            if found == b'"':
                # A text that is cut off here, or one that nobody has closed.
                if _CONTROL.search(self._buffer, token.end()) is None and self._more():
                    place = token.start()
                    continue
            elif found in (b"{", b"["):
                depth += 1
            elif found in (b"}", b"]"):
                depth -= 1
            place = token.end()
            if depth <= 0 and found != b'"':
                return place

    def _scalar_end(self, place: int) -> int:
        while True:
            found = _SCALAR.match(self._buffer, place)
            end = found.end() if found else place + 1
            if end < len(self._buffer) or not self._more():
                return end

    def _learn_beginning(self, raw: bytes) -> None:
        if self._beginning is None:
            found = _BEGINNING.match(raw)
            if found is not None:
                keys = [re.escape(key) for key in found.groups() if key is not None]
                begins = (rb"\s*:\s*" + _SIMPLE + rb"\s*,\s*").join(keys)
                self._beginning = re.compile(rb"[,\}\]\n]\s*(?P<entry>\{\s*" + begins + rb"\s*:)")

    def _let_go(self, place: int) -> None:
        self._buffer, self._text = self._buffer[place:], None

    def _more(self) -> bool:
        """Read on, as much again as there is, so that a long entry is not searched too often."""
        if self._ended or len(self._buffer) > LONGEST:
            return False
        data = self._stream.read(max(_CHUNK, len(self._buffer)))
        self._ended = not data
        self._buffer += data
        self._text = None
        return not self._ended
