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

    def rows(table: str, *columns: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for record in tables.rows(table, columns):
            if record.reason:
                broken.append(Piece(record.place, None, record.reason))
            else:
                yield record.place, record.value

    names = {row["id"]: str(row["name"]) for _, row in rows("collections", "id", "name")}
    segments = {
        row["id"]: row["collection"]
        for _, row in rows("segments", "id", "scope", "collection")
        if row["scope"] == "METADATA"
    }
    by_row: dict[int, _Document] = {}
    for place, row in rows("embeddings", "id", "segment_id", "embedding_id", "created_at"):
        if row["segment_id"] in segments:
            key = names.get(segments[row["segment_id"]], ""), str(row["embedding_id"])
            by_row[row["id"]] = _Document(*key, str(row["created_at"] or ""))
        else:
            broken.append(Piece(place, None, "its collection is not known"))
    for place, row in rows("embedding_metadata", "id", "key", *_VALUES):
        if row["id"] in by_row:
            by_row[row["id"]].values[str(row["key"])] = _value(row)
        else:
            broken.append(Piece(place, None, "the record it belongs to is not there"))
    documents = {(document.collection, document.id): document for document in by_row.values()}
    done = {
        segments[row["segment_id"]]: _number(row["seq_id"])
        for _, row in rows("max_seq_id", "segment_id", "seq_id")
        if row["segment_id"] in segments
    }
    log = ("seq_id", "created_at", "operation", "topic", "id", "metadata")
    for place, row in rows("embeddings_queue", *log):
        collection_id = str(row["topic"]).rpartition("/")[2]
        if collection_id in names and _number(row["seq_id"]) > done.get(collection_id, 0):
            try:
                _apply(documents, names[collection_id], row)
            except UnreadableMessage as reason:
                broken.append(Piece(place, None, str(reason)))
    return list(documents.values()), broken


def _apply(
    documents: dict[tuple[str, str], _Document], collection: str, entry: dict[str, Any]
) -> None:
    key = (collection, str(entry["id"]))
    if entry["operation"] == _DELETE:
        documents.pop(key, None)
        return
    try:
        metadata = read_object(json.loads(entry["metadata"] or "{}"), "metadata")
    except (TypeError, ValueError, RecursionError) as error:
        raise UnreadableMessage(f"its metadata is not JSON: {error}") from error
    if entry["operation"] == _UPDATE and key not in documents:
        return
    document = documents.setdefault(key, _Document(*key, str(entry["created_at"] or "")))
    merged = {**document.values, **metadata}
    document.values = {name: value for name, value in merged.items() if value is not None}


def _value(row: dict[str, Any]) -> Any:
    """The one of its columns that is set."""
    name = next((name for name in _VALUES if row.get(name) is not None), "")
    return bool(row[name]) if name == "bool_value" else row.get(name)


def _number(value: Any) -> int:
    """A place in the log, which older versions wrote as bytes."""
    if isinstance(value, bytes):
        return int.from_bytes(value, "big")
    return value if isinstance(value, int) else 0


def _read_document(record: Record) -> Iterator[Piece]:
    document: _Document = record.value
    texts = [_DOCUMENT, *TEXT_KEYS]
    text = next((document.values[key] for key in texts if document.values.get(key)), None)
    fields = {key: value for key, value in document.values.items() if key in _FIELDS}
    fields.setdefault("created_at", fields.pop("timestamp", None) or document.created_at)
    metadata = {
        key: value
        for key, value in document.values.items()
        if key not in _FIELDS and key not in texts and not key.startswith(_INTERNAL)
    }
    metadata["collection"] = document.collection
    memory = read_memory({**fields, "text": text, "metadata": metadata}, "agent")
    yield Piece(record.place, memory, key=json.dumps([document.collection, document.id]))


READER = ChromaReader()
