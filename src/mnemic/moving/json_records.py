"""The records of a JSON file that another memory exported: a list, an object of lists, or lines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from mnemic.moving.json_list import LONGEST, JsonEntry, JsonList, parsed
from mnemic.moving.source import ImportSource, bounded_lines

_SAMPLES = 8
_BLANK = b"\xef\xbb\xbf \t\r\n"


def json_records(stream: BinaryIO, keys: Sequence[str], head: bytes) -> Iterator[JsonEntry]:
    """Every record, also past damaged ones. ``keys`` are the lists of an object; ``head`` is what
    the stream begins with.
    """
    if not _has_lines(head, keys):
        yield from JsonList(stream, keys)
        return
    for number, line in enumerate(bounded_lines(stream, LONGEST), 1):
        if line is None:
            yield JsonEntry(number, None, f"it has more than {LONGEST:,} bytes")
        elif line.strip(_BLANK):
            try:
                yield JsonEntry(number, parsed(line.lstrip(_BLANK)))
            except ValueError as error:
                yield JsonEntry(number, None, str(error))


def sample(source: ImportSource, keys: Sequence[str]) -> list[dict[str, Any]]:
    """A few records from the head of a file, to know it by."""
    found: list[dict[str, Any]] = []
    if source.head.lstrip(_BLANK)[:1] not in (b"{", b"["):
        return found
    for entry in json_records(io.BytesIO(source.head), keys, source.head):
        if isinstance(entry.value, dict):
            found.append(entry.value)
        if len(found) == _SAMPLES:
            break
    return found


def place_of(entry: JsonEntry) -> str:
    """Where a record stands, for a person."""
    return f"{entry.key or 'entry'} {entry.number}"


def _has_lines(head: bytes, keys: Sequence[str]) -> bool:
    """Whether each line is a record of its own."""
    first = head.lstrip(_BLANK).split(b"\n", 1)[0].strip()
    if not first.startswith(b"{") or first == b"{":
        return False
    names = b"|".join(re.escape(key.encode()) for key in keys)
    return not names or re.search(rb'"(?:' + names + rb')"\s*:\s*\[', first) is None
