"""What readers of records share: a JSON file or a table of a SQLite file, and files in a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from mnemic.errors import InvalidInput
from mnemic.moving.json_records import read_records, sample
from mnemic.moving.pieces import Piece, Record, make_pieces
from mnemic.moving.source import ImportSource
from mnemic.moving.sqlite_rows import table_columns, table_rows
from mnemic.record.messages import UnreadableMessage


class RecordReader:
    """Reads records one by one: a subclass says which ones it knows and what they mean.

    ``lists`` are the keys of an object under which its records are listed; ``table`` and
    ``columns`` are those of its SQLite file.
    """

    formats: tuple[str, ...]
    lists: tuple[str, ...] = ()
    table = ""
    columns: frozenset[str] = frozenset()

    def recognizes(self, source: ImportSource) -> str:
        recognized = any(map(self.knows, sample(source.head, self.lists))) or (
            self.table and table_columns(source, self.table) >= self.columns
        )
        return self.formats[0] if recognized else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        if self.table and table_columns(source, self.table):
            for row in table_rows(source, self.table):
                yield from make_pieces(row, self.pieces)
            return
        with source.open() as stream:
            for record in read_records(stream, self.lists):
                yield from make_pieces(record, self.pieces)

    def knows(self, fields: Mapping[str, Any]) -> bool:
        """Whether an object is a record of this format."""
        raise NotImplementedError

    def pieces(self, record: Record) -> Iterator[Piece]:
        """What a record means; ``UnreadableMessage`` says that it means nothing."""
        raise NotImplementedError


def read_members(
    source: ImportSource, names: Iterable[str], read: Callable[[str, BinaryIO], Iterator[Piece]]
) -> Iterator[Piece]:
    """What ``read`` finds in files of a source; an unreadable one is told, and the next read."""
    names = list(names)
    source.total, source.done = sum(map(source.member_size, names)), 0
    for name in names:
        try:
            with source.open(name) as stream:
                for entry in read(name, stream):
                    yield entry.within(name)
        except InvalidInput as error:
            yield Piece(name or source.name, None, error.message)
        except UnreadableMessage as reason:
            yield Piece(name or source.name, None, str(reason))
