"""mem0: what get_all() and the platform export give, and the history file of the library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from mnemic.moving.memory_fields import (
    read_moment,
    read_statement,
    short_name,
    short_names,
    small_metadata,
)
from mnemic.moving.pieces import Piece, Record
from mnemic.moving.record_reader import RecordReader
from mnemic.moving.source import ImportSource
from mnemic.moving.sqlite_rows import table_columns, table_rows
from mnemic.record.messages import UnreadableMessage, read_list, read_object, read_text
from mnemic.types import NewMemory

_SIGNS = frozenset({"hash", "user_id", "agent_id", "run_id", "categories", "metadata"})
_KINDS = {"user_preferences": "preference", "milestones": "event"}
_KEPT = ("user_id", "agent_id", "app_id", "run_id", "actor_id", "updated_at")


class Mem0Reader(RecordReader):
    """Memories that mem0 made of conversations, so what a model understood."""

    formats = ("mem0",)
    lists = ("results", "memories", "relations")
    table = "history"
    columns = frozenset({"memory_id", "old_memory", "new_memory", "event"})

    def knows(self, fields: Mapping[str, Any]) -> bool:
        return isinstance(fields.get("memory"), str) and not fields.keys().isdisjoint(_SIGNS)

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        if not table_columns(source, self.table):
            yield from super().read(source, format)
            return
        # Each memory as it is now, and its earlier texts, which have ended.
        events: dict[str, list[Record]] = {}
        for row in table_rows(source, self.table):
            memory = row.value.get("memory_id")
            if isinstance(memory, str):
                events.setdefault(memory, []).append(row)
            else:
                yield Piece(row.place, None, row.reason or "it names no memory")
        for memory, rows in events.items():
            values = [row.value for row in rows]
            if not any(e.get("event") == "DELETE" or e.get("is_deleted") for e in values):
                yield from _read_versions(memory, rows)

    def pieces(self, record: Record) -> Iterator[Piece]:
        fields = read_object(record.value, "a memory")
        if fields.get("deleted_at") or fields.get("is_deleted"):
            return
        if "relationship" in fields:
            yield _read_relation(record.place, fields)
        else:
            yield Piece(record.place, _read_memory(fields), key=read_text(fields, "id"))


def _read_memory(fields: Mapping[str, Any]) -> NewMemory:
    categories = short_names(read_list(fields, "categories"))
    kinds = (_KINDS[name] for name in categories if name in _KINDS)
    metadata = fields["metadata"] if isinstance(fields.get("metadata"), dict) else {}
    metadata = {**metadata, **{name: fields.get(name) for name in _KEPT}}
    if metadata["updated_at"] == fields.get("created_at"):
        del metadata["updated_at"]
    return NewMemory(
        read_statement(fields, "memory", "text", "data"),
        next(kinds, "fact"),
        tags=categories,
        metadata=small_metadata(metadata),
        trust="agent",
        learned_at=read_moment(fields, "created_at"),
        expires_at=read_moment(fields, "expiration_date"),
    )


def _read_relation(place: str, fields: Mapping[str, Any]) -> Piece:
    source = read_statement(fields, "source")
    relation = read_statement(fields, "relationship")
    target = read_statement(fields, "target", "destination")
    predicate = relation.replace("_", " ")
    memory = NewMemory(
        f"{source} {predicate} {target}",
        "fact",
        subject=short_name(source),
        predicate=short_name(predicate),
        value=target,
        trust="agent",
    )
    return Piece(place, memory, key=f"relation {source} {relation} {target}")


def _read_versions(memory: str, rows: list[Record]) -> Iterator[Piece]:
    until = None
    for number, row in enumerate(reversed(rows)):
        try:
            since = read_moment(row.value, "updated_at", "created_at")
            version = NewMemory(
                read_statement(row.value, "new_memory"), "fact", trust="agent", learned_at=since
            )
        except UnreadableMessage as reason:
            yield Piece(row.place, None, str(reason))
            continue
        if number:
            version = replace(version, valid_from=since, valid_to=until)
        until = since
        key = f"{memory} {row.value.get('id')}" if number else memory
        yield Piece(row.place, version, key=key)


READER = Mem0Reader()
