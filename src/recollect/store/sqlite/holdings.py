"""Where text is kept in SQLite: every column of every table that can hold words of a person.

A column that is not named here holds numbers, ids or names (see ``NAMES``); a test walks the schema
and fails for one that is in neither list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import apsw

from recollect.store import codec
from recollect.store.erasing import Held, HeldKind

# kind -> id, time, plain columns, JSON columns, table
_READ: dict[HeldKind, tuple[str, str, tuple[str, ...], tuple[str, ...], str]] = {
    "turn": ("id", "at", ("content", "sender", "reason"), ("tool_calls", "tool_results"), "turns"),
    "memory": (
        "id",
        "created_at",
        ("content", "subject", "predicate", "value"),
        ("tags",),
        "memories",
    ),
    "episode": (
        "id",
        "ended_at",
        ("summary", "goal"),
        ("actions", "entities", "tags"),
        "episodes",
    ),
    "attachment": (
        "id",
        "created_at",
        ("filename", "path", "url", "description", "transcription", "extracted_text"),
        ("tags",),
        "attachments",
    ),
    "daily event": ("id", "created_at", ("summary", "sender"), (), "daily_events"),
    "event": ("id", "at", (), ("payload",), "events"),
    "scratchpad": ("''", "updated_at", ("text",), (), "scratchpads"),
    "card": ("name", "made_at", ("text",), (), "cards"),
    "onboarding": ("''", "updated_at", (), ("answers",), "onboarding"),
    "session": ("id", "last_at", ("id", "project", "topic"), (), "sessions"),
    "job": ("id", "created_at", ("key", "error"), ("payload",), "jobs"),
}
# What can be given other words: table, column, and what names the row.
STORED: dict[HeldKind, tuple[str, str, str]] = {
    "daily event": ("daily_events", "summary", "id"),
    "event": ("events", "payload", "id"),
    "scratchpad": ("scratchpads", "text", "''"),
    "card": ("cards", "text", "name"),
    "onboarding": ("onboarding", "answers", "''"),
    "session": ("sessions", "topic", "id"),
    "job": ("jobs", "error", "id"),
}
# Text columns that hold ids, names of a fixed list, hashes, or names that people gave.
NAMES: dict[str, tuple[str, ...]] = {
    "spaces": ("name",),
    "turns": ("id", "role", "channel", "trust", "state"),
    "turn_tools": ("name",),
    "memories": (
        "id", "kind", "project", "topic", "trust", "status", "superseded_by", "episode", "slot",
        "session",
    ),
    "memory_sources": ("memory", "turn"),
    "episodes": ("id", "session", "outcome", "tools", "memories", "source", "last_turn"),
    "attachments": ("id", "session", "mime", "direction", "memories"),
    "events": ("id", "type", "operation_id", "subject"),
    "daily_events": ("id", "day", "channel"),
    "usage": ("id", "purpose", "model"),
    "jobs": ("id", "kind", "state", "lease_owner"),
    "schedules": ("kind", "cron", "zone"),
    "embedders": ("name",),
    "embedded": ("type",),
    "echo_lines": ("session",),
    "documents": ("name", "written", "writing", "rolled_through"),
    "document_choices": ("document", "memory", "choice"),
    "upkeep_runs": ("work", "run"),
    "upkeep_steps": ("work", "run", "step", "owner", "counts", "error"),
    "cards": ("name", "source", "maker"),
    "onboarding": ("stage",),
    "counters": ("day", "name"),
}  # fmt: skip


def holdings(conn: apsw.Connection, space: int, kinds: Collection[HeldKind]) -> Iterator[Held]:
    """Everything of these kinds, with its texts."""
    for kind in kinds:
        key, time, plain, json, table = _READ[kind]
        columns = ", ".join((key, time, *plain, *json))
        rows = conn.execute(f"SELECT {columns} FROM {table} WHERE space = ?", (space,))
        for id_, at, *cells in rows:
            texts = [str(cell) for cell in cells[: len(plain)] if cell]
            texts += [leaf for cell in cells[len(plain) :] if cell for leaf in leaves(cell)]
            yield Held(kind, codec.stored_name(id_), tuple(texts), codec.from_micros(at))


def leaves(stored: str) -> Iterator[str]:
    """Every string in a JSON text, keys included."""
    waiting: list[Any] = [codec.load(stored)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value


# Columns of names, and of words that the engine itself writes.
_NAMED: dict[str, tuple[str, ...]] = {
    "spaces": ("name",),
    "sessions": ("id", "project", "topic"),
    "memories": ("kind", "project", "topic", "predicate", "subject", "trust", "status"),
    "turns": ("channel", "sender", "role", "trust", "state", "reason"),
    "episodes": ("outcome", "source"),
    "attachments": ("mime", "direction"),
    "turn_tools": ("name",),
    "jobs": ("kind", "key", "lease_owner", "state"),
    "schedules": ("kind", "cron", "zone"),
    "embedders": ("name",),
    "embedded": ("type",),
    "documents": ("name",),
    "upkeep_runs": ("work",),
    "upkeep_steps": ("step", "counts"),
    "cards": ("name", "maker"),
    "onboarding": ("stage",),
    "usage": ("purpose", "model"),
    "events": ("type", "substr(operation_id, 1, instr(operation_id, ':'))"),
    "counters": ("name",),
    "sqlite_schema": ("sql", "name"),
}
_SAID_BY_US = "by decision kind outcome reason source state status trust was".split()


def names(conn: apsw.Connection) -> Iterator[str]:
    """Every name that may stand in the file beside what people said, of all spaces."""
    for table, columns in _NAMED.items():
        for column in columns:
            rows = conn.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL")
            for (name,) in rows:
                yield str(name)
    rows = conn.execute(
        "SELECT DISTINCT key, iif(key IN (SELECT value FROM json_each(?)), atom, '')"
        " FROM events, json_tree(payload) WHERE typeof(key) = 'text'",
        (codec.dump(_SAID_BY_US),),
    )
    for name, word in rows:
        yield str(name)
        yield str(word or "")
