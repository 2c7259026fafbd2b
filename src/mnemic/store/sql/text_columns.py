"""Where text is kept: every text column of every table, by whose words it holds.

- ``WORDS``: what people said or wrote. Only these choose a record that is to be forgotten.
- ``ENGINE``: what the engine wrote itself, such as reasons and errors. It is emptied where it says
  something forgotten, and never chooses a record.
- ``COPIES``: texts made of people's words, which lose the parts that say it.
- Names of people, sessions, tools and so on stand in names.py.
- ``FIXED``: ids, words of a fixed list, fingerprints.

A test walks the schema and fails for a column that is in none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from mnemic.store import codec
from mnemic.store.erasure import StoredText, StoredTextKind
from mnemic.store.sql.connection import SqlConnection

Reader = Callable[[Any], Iterator[str]]


class TextColumns(NamedTuple):
    """Where texts of one kind stand: plain columns, and JSON columns with how each is read."""

    table: str
    key: str
    time: str
    plain: tuple[str, ...] = ()
    json: Mapping[str, Reader] = {}
    where: str = "true"


def leaves(value: Any) -> Iterator[str]:
    """Every string in a JSON value, keys included."""
    waiting: list[Any] = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value


def _call_words(calls: Any) -> Iterator[str]:
    """What tools were told; their own names and those of their parameters are not."""
    for call in calls:
        for value in call.get("input", {}).values():
            yield from leaves(value)


def _result_words(results: Any) -> Iterator[str]:
    for result in results:
        yield result.get("content", "")


def _action_words(actions: Any) -> Iterator[str]:
    for action in actions:
        for value in action.get("params", {}).values():
            yield from leaves(value)
        for name in ("result", "error", "decision"):
            yield action.get(name, "")


# What the engine and its models call the owner is nobody's word.
_SUBJECT = "iif(lower(subject) IN ('user', 'the user', '用户'), '', subject)"
WORDS: dict[StoredTextKind, TextColumns] = {
    "turn": TextColumns(
        "turns", "id", "at", ("content",),
        {"tool_calls": _call_words, "tool_results": _result_words, "metadata": leaves},
    ),
    "memory": TextColumns(
        "memories", "id", "created_at", ("content", _SUBJECT, "value"), {"metadata": leaves}
    ),
    "episode": TextColumns(
        "episodes", "id", "ended_at", ("summary", "goal"),
        {"actions": _action_words, "entities": leaves},
    ),
    "attachment": TextColumns(
        "attachments", "id", "created_at",
        ("filename", "description", "transcription", "extracted_text"),
    ),
}  # fmt: skip
COPIES: dict[StoredTextKind, TextColumns] = {
    "daily event": TextColumns("daily_events", "id", "created_at", ("summary",)),
    "event": TextColumns("events", "id", "at", (), {"payload": leaves}),
    "scratchpad": TextColumns("scratchpads", "''", "updated_at", ("text",)),
    "card": TextColumns("cards", "name", "made_at", ("text",)),
    "onboarding": TextColumns("onboarding", "''", "updated_at", (), {"answers": leaves}),
}
_STEP = "work || ' ' || run || ' ' || step"
ENGINE: dict[StoredTextKind, TextColumns] = {
    "turn reason": TextColumns("turns", "id", "at", ("reason",), where="reason != ''"),
    "job": TextColumns("jobs", "id", "created_at", ("error",), where="error != ''"),
    "upkeep error": TextColumns(
        "upkeep_steps", _STEP, "ifnull(finished_at, 0)", ("error",), where="error != ''"
    ),
}
_SOURCES = WORDS | COPIES | ENGINE

# What can be given other words: table, column, and what names the row.
STORED: dict[StoredTextKind, tuple[str, str, str]] = {
    "daily event": ("daily_events", "summary", "id"),
    "event": ("events", "payload", "id"),
    "scratchpad": ("scratchpads", "text", "''"),
    "card": ("cards", "text", "name"),
    "onboarding": ("onboarding", "answers", "''"),
    "turn reason": ("turns", "reason", "id"),
    "job": ("jobs", "error", "id"),
    "upkeep error": ("upkeep_steps", "error", _STEP),
}
# Text columns that hold ids, words of a fixed list, settings, or fingerprints.
FIXED: dict[str, tuple[str, ...]] = {
    "spaces": ("name",),
    "turns": ("id", "role", "trust", "state"),
    "memories": ("id", "kind", "trust", "status", "superseded_by", "episode", "origin"),
    "memory_sources": ("memory", "turn"),
    "episodes": ("id", "outcome", "memories", "source", "last_turn"),
    "attachments": ("id", "direction", "memories"),
    "events": ("id", "type"),
    "daily_events": ("id", "day"),
    "usage": ("id",),
    "jobs": ("id", "kind", "state", "lease_owner"),
    "schedules": ("kind", "cron", "zone"),
    "embedders": ("name",),
    "embedded": ("type",),
    "documents": ("name", "written", "writing", "rolled_through"),
    "document_choices": ("document", "memory", "choice"),
    "upkeep_runs": ("work", "run"),
    "upkeep_steps": ("work", "run", "step", "owner", "counts"),
    "cards": ("name", "source", "maker"),
    "onboarding": ("stage",),
    "counters": ("day", "name"),
}


def stored_texts(
    conn: SqlConnection, space: int, kinds: Collection[StoredTextKind]
) -> Iterator[StoredText]:
    """Everything of these kinds, with its texts."""
    for kind in kinds:
        source = _SOURCES[kind]
        plain, readers = source.plain, tuple(source.json.values())
        columns = ", ".join((source.key, source.time, *plain, *source.json))
        rows = conn.execute(
            f"SELECT {columns} FROM {source.table} WHERE space = ? AND {source.where}", (space,)
        )
        for id_, at, *cells in rows:
            texts = [str(cell) for cell in cells[: len(plain)] if cell]
            for cell, reader in zip(cells[len(plain) :], readers, strict=True):
                if cell:
                    texts += filter(None, reader(codec.load(cell)))
            yield StoredText(kind, codec.stored_name(id_), tuple(texts), codec.from_micros(at))


# Columns of names, and of words that the engine itself writes.
_NAMED: dict[str, tuple[str, ...]] = {
    "spaces": ("name",),
    "sessions": ("id", "project", "topic"),
    "memories": ("kind", "project", "topic", "predicate", "subject", "trust", "status", "origin"),
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
}
_SAID_BY_US = "by decision kind outcome reason source state status trust was".split()


def names(conn: SqlConnection, keys: str) -> Iterator[str]:
    """Every name that may stand beside what people said. ``keys`` asks for those of the payloads of
    events, and what stands there under the given ones.
    """
    for table, columns in _NAMED.items():
        for column in columns:
            rows = conn.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL")
            for (name,) in rows:
                yield str(name)
    for name, word in conn.execute(keys, (codec.dump(_SAID_BY_US),)):
        yield str(name)
        yield str(word or "")
