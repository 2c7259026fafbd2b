"""ChromaDB: every collection of a folder, with its documents and their metadata.

The tables are read directly, since the library writes to the folder that it opens. What it has put
into its log and not yet into the tables is applied here as it would do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from mnemic.errors import InvalidInput
from mnemic.moving.memory_fields import TEXT_KEYS, read_memory
from mnemic.moving.pieces import Piece, Record, make_pieces
from mnemic.moving.source import ImportSource
from mnemic.moving.sqlite_rows import SqliteTables, sqlite_tables
from mnemic.record.messages import UnreadableMessage, read_object

FORMAT = "chroma"
_FILE = "chroma.sqlite3"
_DOCUMENT = "chroma:document"
_INTERNAL = "chroma:"
_VALUES = ("string_value", "int_value", "float_value", "bool_value")
_UPDATE, _DELETE = 1, 3  # what an entry of the log may say; the others set a record
# Metadata of a record that a memory has fields for.
_FIELDS = frozenset(
    """type kind category memory_type fact_type priority importance importance_score confidence
    tags subject predicate project topic created_at created timestamp date updated_at expires_at
    valid_from valid_to superseded_by archived is_archived status trust""".split()
)


@dataclass(slots=True)
class _Document:
    """A record of a collection."""

    collection: str
    id: str
    created_at: str = ""
    values: dict[str, Any] = field(default_factory=dict)


class ChromaReader:
    """Reads the folder of a persistent client, or its file."""

    formats = (FORMAT,)

    def recognizes(self, source: ImportSource) -> str:
        name = _find_file(source)
        return FORMAT if name or (name == "" and source.name == _FILE) else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        name = _find_file(source)
        if name is None:
            raise InvalidInput(
                f"{source.name} holds no {_FILE}", remedy="Give the folder of the client"
            )
        with sqlite_tables(source, name) as tables:
            if "embedding_metadata" not in tables.names:
                raise InvalidInput(
                    f"{name or source.name} has no tables of ChromaDB", remedy=f"Give a {_FILE}"
                )
            documents, broken = _documents(tables)
            source.total = len(documents)
            yield from broken
            for source.done, document in enumerate(documents, 1):
                record = Record(f"{document.collection}, {document.id}", document)
                yield from make_pieces(record, _read_document)


def _find_file(source: ImportSource) -> str | None:
    """The file with the tables in a folder or one below it; without a name the source itself."""
    if not source.is_folder:
        return ""
    return next((name for name in source.members() if PurePosixPath(name).name == _FILE), None)


def _documents(tables: SqliteTables) -> tuple[list[_Document], list[Piece]]:
    """The records of every collection as the library would give them, and what cannot be read."""
    broken: list[Piece] = []

    def rows(table: str, *columns: str) -> Iterator[tuple[Record, dict[str, Any]]]:
        for row in tables.rows(table, columns):
            if row.reason:
                broken.append(Piece(row.place, None, row.reason))
            else:
                yield row, row.value

    names = {one["id"]: str(one["name"]) for _, one in rows("collections", "id", "name")}
    segments = {
        one["id"]: one["collection"]
        for _, one in rows("segments", "id", "scope", "collection")
        if one["scope"] == "METADATA"
    }
    by_row: dict[int, _Document] = {}
    for row, one in rows("embeddings", "id", "segment_id", "embedding_id", "created_at"):
        if one["segment_id"] in segments:
            collection = names.get(segments[one["segment_id"]], "")
            by_row[one["id"]] = _Document(
                collection, str(one["embedding_id"]), str(one["created_at"] or "")
            )
        else:
            broken.append(Piece(row.place, None, "its collection is not known"))
    for row, one in rows("embedding_metadata", "id", "key", *_VALUES):
        if one["id"] in by_row:
            by_row[one["id"]].values[str(one["key"])] = _value(one)
        else:
            broken.append(Piece(row.place, None, "the record it belongs to is not there"))
    records = {(one.collection, one.id): one for one in by_row.values()}
    done = {
        segments[one["segment_id"]]: _number(one["seq_id"])
        for _, one in rows("max_seq_id", "segment_id", "seq_id")
        if one["segment_id"] in segments
    }
    log = ("seq_id", "created_at", "operation", "topic", "id", "metadata")
    for row, one in rows("embeddings_queue", *log):
        collection_id = str(one["topic"]).rpartition("/")[2]
        if collection_id in names and _number(one["seq_id"]) > done.get(collection_id, 0):
            try:
                _apply(records, names[collection_id], one)
            except UnreadableMessage as reason:
                broken.append(Piece(row.place, None, str(reason)))
    return list(records.values()), broken


def _apply(
    records: dict[tuple[str, str], _Document], collection: str, entry: dict[str, Any]
) -> None:
    place = (collection, str(entry["id"]))
    if entry["operation"] == _DELETE:
        records.pop(place, None)
        return
    try:
        given = read_object(json.loads(entry["metadata"] or "{}"), "metadata")
    except (TypeError, ValueError, RecursionError) as error:
        raise UnreadableMessage(f"its metadata is not JSON: {error}") from error
    one = records.get(place)
    if one is None:
        if entry["operation"] == _UPDATE:
            return
        one = records[place] = _Document(*place, str(entry["created_at"] or ""))
    merged = {**one.values, **given}
    one.values = {key: value for key, value in merged.items() if value is not None}


def _value(row: dict[str, Any]) -> Any:
    """The one of its columns that is set."""
    found = next(((name, row[name]) for name in _VALUES if row.get(name) is not None), None)
    if found is None:
        return None
    return bool(found[1]) if found[0] == "bool_value" else found[1]


def _number(value: Any) -> int:
    """A place in the log, which older versions wrote as bytes."""
    if isinstance(value, bytes):
        return int.from_bytes(value, "big")
    return value if isinstance(value, int) else 0


def _read_document(record: Record) -> Iterator[Piece]:
    one: _Document = record.value
    texts = [_DOCUMENT, *TEXT_KEYS]
    text = next((one.values[key] for key in texts if one.values.get(key)), None)
    fields = {key: value for key, value in one.values.items() if key in _FIELDS}
    fields.setdefault("created_at", fields.pop("timestamp", None) or one.created_at)
    rest = {
        key: value
        for key, value in one.values.items()
        if key not in _FIELDS and key not in texts and not key.startswith(_INTERNAL)
    }
    about = {**rest, "collection": one.collection}
    memory = read_memory({**fields, "text": text, "metadata": about}, "agent")
    yield Piece(record.place, memory, key=json.dumps([one.collection, one.id]))


READER = ChromaReader()
