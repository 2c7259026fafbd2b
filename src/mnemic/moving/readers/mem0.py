"""mem0: what get_all() and the platform export give, and the history file of the library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from mnemic.moving.json_records import json_records, place_of, sample
from mnemic.moving.pieces import Piece
from mnemic.moving.record_fields import (
    read_moment,
    read_statement,
    short_name,
    short_names,
    small_metadata,
)
from mnemic.moving.source import ImportSource
from mnemic.moving.sqlite_rows import table_columns, table_rows
from mnemic.record.messages import UnreadableMessage, read_list, read_object, read_text
from mnemic.types import NewMemory

_LISTS = ("results", "memories", "relations")
_HISTORY = {"memory_id", "old_memory", "new_memory", "event"}
_KINDS = {"user_preferences": "preference", "milestones": "event"}
_KEPT = ("user_id", "agent_id", "app_id", "run_id", "actor_id", "updated_at")


class Mem0Reader:
    """Memories that mem0 made of conversations, so what a model understood."""

    formats = ("mem0",)

    def recognises(self, source: ImportSource) -> str:
        known = any(_is_memory(one) for one in sample(source, _LISTS))
        return "mem0" if known or table_columns(source, "history") >= _HISTORY else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        source.done = 0
        if table_columns(source, "history"):
            yield from _history(source)
            return
        with source.open() as stream:
            for entry in json_records(stream, _LISTS, source.head):
                place = place_of(entry)
                if entry.reason:
                    yield Piece(place, None, entry.reason)
                else:
                    yield from _record(place, entry.value)


def _is_memory(fields: Mapping[str, Any]) -> bool:
    return isinstance(fields.get("memory"), str) and not fields.keys().isdisjoint(
        {"hash", "user_id", "agent_id", "run_id", "categories", "metadata"}
    )


def _record(place: str, value: Any) -> Iterator[Piece]:
    try:
        fields = read_object(value, "a memory")
        if fields.get("deleted_at") or fields.get("is_deleted"):
            return
        if "relationship" in fields:
            yield _relation(place, fields)
            return
        yield Piece(place, _memory(fields), key=read_text(fields, "id"))
    except UnreadableMessage as reason:
        yield Piece(place, None, str(reason))


def _memory(fields: Mapping[str, Any]) -> NewMemory:
    categories = short_names(read_list(fields, "categories"))
    kinds = (_KINDS[name] for name in categories if name in _KINDS)
    own = fields.get("metadata")
    told = {**(own if isinstance(own, dict) else {}), **{name: fields.get(name) for name in _KEPT}}
    if told["updated_at"] == fields.get("created_at"):
        del told["updated_at"]
    return NewMemory(
        read_statement(fields, "memory", "text", "data"),
        next(kinds, "fact"),
        tags=categories,
        metadata=small_metadata(told),
        trust="agent",
        learnt_at=read_moment(fields, "created_at"),
        expires_at=read_moment(fields, "expiration_date"),
    )


def _relation(place: str, fields: Mapping[str, Any]) -> Piece:
    source = read_statement(fields, "source")
    relation = read_statement(fields, "relationship")
    target = read_statement(fields, "target", "destination")
    said = relation.replace("_", " ")
    memory = NewMemory(
        f"{source} {said} {target}",
        "fact",
        subject=short_name(source),
        predicate=short_name(said),
        value=target,
        trust="agent",
    )
    return Piece(place, memory, key=f"relation {source} {relation} {target}")


def _history(source: ImportSource) -> Iterator[Piece]:
    """Each memory as it is now, and what it said before, which has ended."""
    events: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for row in table_rows(source, "history"):
        memory = row.fields.get("memory_id")
        if isinstance(memory, str):
            events.setdefault(memory, []).append((row.place, row.fields))
        else:
            yield Piece(row.place, None, row.reason or "it names no memory")
    for memory, told in events.items():
        if not any(row.get("event") == "DELETE" or row.get("is_deleted") for _, row in told):
            yield from _versions(memory, told)


def _versions(memory: str, told: list[tuple[str, Mapping[str, Any]]]) -> Iterator[Piece]:
    until = None
    for number, (place, row) in enumerate(reversed(told)):
        try:
            since = read_moment(row, "updated_at", "created_at")
            version = NewMemory(
                read_statement(row, "new_memory"), "fact", trust="agent", learnt_at=since
            )
        except UnreadableMessage as reason:
            yield Piece(place, None, str(reason))
            continue
        if number:
            version = replace(version, valid_from=since, valid_to=until)
        until = since
        yield Piece(place, version, key=f"{memory} {row.get('id')}" if number else memory)


READER = Mem0Reader()
