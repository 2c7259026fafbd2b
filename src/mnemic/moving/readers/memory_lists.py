"""Memories as JSON: one object a line, or a list of them. Who wrote them is not known, so they are
trusted as an agent's word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from itertools import islice
from typing import Any

from mnemic.moving.chats import SIGNS
from mnemic.moving.json_records import read_records
from mnemic.moving.memory_fields import TEXT_KEYS, read_key, read_memory
from mnemic.moving.pieces import Piece, Record
from mnemic.moving.record_reader import RecordReader
from mnemic.moving.source import ImportSource
from mnemic.record.messages import SESSION_KEYS, UnreadableMessage, read_object

_LOOKED_AT = 10
_TURNS = ("role", "session", *SESSION_KEYS, "author", "sender", *SIGNS)


class MemoryListReader(RecordReader):
    """Reads objects that have a text and are no messages."""

    formats = ("memories",)
    lists = ("memories", "records", "items")

    def recognizes(self, source: ImportSource) -> str:
        # A file that begins with nonsense is for the reader that takes anything.
        first = islice(read_records(BytesIO(source.head), self.lists), _LOOKED_AT)
        value = next((record.value for record in first if not record.reason), None)
        return self.formats[0] if isinstance(value, dict) and self.knows(value) else ""

    def knows(self, fields: Mapping[str, Any]) -> bool:
        return not any(name in fields for name in _TURNS) and any(
            isinstance(fields.get(name), str) for name in TEXT_KEYS
        )

    def pieces(self, record: Record) -> Iterator[Piece]:
        fields = read_object(record.value, "a memory")
        if "role" in fields:
            raise UnreadableMessage("it is a message, not a memory")
        yield Piece(record.place, read_memory(fields, "agent"), key=read_key(fields))


READER = MemoryListReader()
