"""Memories as JSON: one object a line, or a list of them. Who wrote them is not known, so they are
trusted as an agent's word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from typing import Any, BinaryIO

from mnemic.moving.chats import SIGNS
from mnemic.moving.json_list import JsonList, parsed
from mnemic.moving.memory_fields import TEXT_KEYS, read_key, read_memory
from mnemic.moving.pieces import Piece
from mnemic.moving.source import ImportSource, rejoined
from mnemic.record.messages import SESSION_KEYS, UnreadableMessage, read_object

FORMAT = "memories"
_LISTS = ("memories", "records", "items")
_LIST = re.compile(rb'"memories"\s*:\s*\[')
_LOOKED_AT = 10
_HEAD = 1 << 12
_BLANK = b"\xef\xbb\xbf \t\r\n"
_TURNS = ("role", "session", *SESSION_KEYS, "author", "sender", *SIGNS)


class MemoryListReader:
    """Reads objects that have a text and are no messages."""

    formats = (FORMAT,)

    def recognises(self, source: ImportSource) -> str:
        # What begins with nonsense is for the reader that takes anything.
        first = islice(_objects(BytesIO(source.head)), _LOOKED_AT)
        value = next((value for _, value, reason in first if not reason), None)
        return FORMAT if _is_memory(value) else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        source.done = 0
        with source.open() as stream:
            for place, value, reason in _objects(stream):
                yield Piece(place, None, reason) if reason else _piece(place, value)


def _is_memory(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and not any(name in value for name in _TURNS)
        and any(isinstance(value.get(name), str) for name in TEXT_KEYS)
    )


def _objects(stream: BinaryIO) -> Iterator[tuple[str, Any, str]]:
    """Each with its place, or with the reason why it cannot be read."""
    first = b""
    number = 0
    for line in iter(stream.readline, b""):
        number += 1
        first = line
        if line.strip(_BLANK):
            break
    begin = first.strip(_BLANK)
    if begin[:1] == b"[" or begin == b"{" or _LIST.search(begin[:_HEAD]):
        for entry in JsonList(rejoined(first, stream), _LISTS):
            yield f"entry {entry.number}", entry.value, entry.reason
        return
    while first:
        if first.strip(_BLANK):
            place = f"line {number}"
            try:
                yield place, parsed(first.strip(_BLANK)), ""
            except ValueError as error:
                yield place, None, str(error)
        first = stream.readline()
        number += 1


def _piece(place: str, value: Any) -> Piece:
    try:
        fields = read_object(value, "a memory")
        if "role" in fields:
            raise UnreadableMessage("it is a message, not a memory")
        return Piece(place, read_memory(fields, "agent"), key=read_key(fields))
    except UnreadableMessage as reason:
        return Piece(place, None, str(reason))


READER = MemoryListReader()
