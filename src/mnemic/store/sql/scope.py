"""Which documents a search may find, as SQL conditions on each type's table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from mnemic.days import ABROAD, LocalSpan
from mnemic.settings.vocabulary import WordFilter
from mnemic.store import codec
from mnemic.store.rows import TABLES, Scope, first_doc, last_doc
from mnemic.store.sql.part import SqlConnection, read_statements
from mnemic.types import RecordType

TIMES: dict[RecordType, str] = {
    "turn": "at",
    "memory": "created_at",
    "episode": "started_at",
    "attachment": "created_at",
}
_TOLD: dict[RecordType, str] = {**TIMES, "memory": "valid_from"}
_COMPARED = (  # as they are, with columns
    "session project within topic min_importance speaker trust status since until as_of known_at"
    " now having"
).split()
_OF_SPAN = "r.{time} >= :days_since AND r.{time} < :days_until"
_CONDITIONS = read_statements("sql/scope")


def fill_condition(name: str, prefix: str = "") -> str:
    """One of the conditions of scope.sql, on a table with that prefix."""
    return _CONDITIONS[name].format(r=prefix)


def word_condition(filters: Sequence[WordFilter], values: dict[str, Any], table: str) -> str:
    """Memories that every one of the words stands for; what it compares with goes into values."""
    return " AND ".join(_word_clause(wanted, values, table) for wanted in filters)


def _word_clause(wanted: WordFilter, values: dict[str, Any], table: str) -> str:
    n = sum(name.startswith("kinds_") for name in values)
    values[f"kinds_{n}"] = codec.dump(wanted.kinds)
    clause = f"{table}.kind IN (SELECT value FROM json_each(:kinds_{n}))"
    if wanted.notes:
        values[f"note_{n}"] = wanted.name
        values[f"word_{n}"], values[f"notes_{n}"] = wanted.word, codec.dump(wanted.notes)
        note = f"ifnull({table}.metadata ->> :note_{n}, '')"
        others = f"{note} NOT IN (SELECT value FROM json_each(:notes_{n}))"
        clause = f"({note} = :word_{n} OR ({clause} AND {others}))"
    either = [clause, *(_word_clause(other, values, table) for other in wanted.also)]
    return f"({' OR '.join(either)})" if wanted.also else clause


def _bounds(days: LocalSpan) -> dict[str, int]:
    moments = {
        "days_since": days.since,
        "days_until": days.until,
        "near_since": days.since - ABROAD,
        "near_until": days.until + ABROAD,
        "wall_since": days.wall_since.replace(tzinfo=UTC),
        "wall_until": days.wall_until.replace(tzinfo=UTC),
    }
    return {name: codec.to_micros(moment) for name, moment in moments.items()}


# Only these have metadata.
_HAVING: dict[RecordType, str] = dict.fromkeys(
    ("turn", "memory"), fill_condition("has metadata", "r.")
)


class ScopeFilter:
    """The conditions of one search over one space."""

    def __init__(self, conn: SqlConnection, space: int, scope: Scope) -> None:
        self._conn = conn
        self._space = space
        self._scope = scope
        self._values: dict[str, Any] = {
            name: codec.encode(getattr(scope, name)) for name in _COMPARED
        }
        self._values["space"] = space
        if scope.days is not None:
            self._values |= _bounds(scope.days)
        self._worded = word_condition(scope.words, self._values, "r")

    def all(self, most: int) -> list[int] | None:
        """Every document in scope, when they are few; else None."""
        docs: list[int] = []
        for type_ in self._scope.types:
            rows = self._conn.execute(
                f"SELECT r.doc FROM {TABLES[type_]} r WHERE r.space = :space"
                f" AND {self._conditions(type_)} LIMIT :most",
                {**self._values, "most": most + 1},
            )
            docs += [doc for (doc,) in rows]
            if len(docs) > most:
                return None
        return docs

    def latest(self, limit: int) -> list[int]:
        """The newest documents in scope, newest first."""
        docs: list[tuple[int, int]] = []
        # Of what is recent the last written are the newest, and no index has the time of memories.
        recent = self._scope.since is not None and self._scope.until is None
        for type_ in self._scope.types:
            place, order = "r.space = :space", TIMES[type_]
            if recent and type_ != "turn":
                first, last = first_doc(self._space, type_), last_doc(self._space, type_)
                place, order = f"+r.space = :space AND r.doc BETWEEN {first} AND {last}", "doc"
            rows = self._conn.execute(
                f"SELECT r.{TIMES[type_]}, r.doc FROM {TABLES[type_]} r WHERE {place}"
                f" AND {self._conditions(type_)} ORDER BY r.{order} DESC LIMIT :most",
                {**self._values, "most": limit},
            )
            docs += [(at, doc) for at, doc in rows]
        return [doc for _, doc in sorted(docs, reverse=True)[:limit]]

    def keep(self, docs: Sequence[int]) -> list[int]:
        """Those of the documents that are in scope, in their order."""
        allowed: set[int] = set()
        for type_ in self._scope.types:
            first, last = first_doc(self._space, type_), last_doc(self._space, type_)
            mine = [doc for doc in docs if first <= doc <= last]
            if not mine:
                continue
            conditions = self._conditions(type_)
            if conditions == "true":
                allowed.update(mine)
                continue
            # CROSS JOIN: start from the documents, not from all rows of the space. As one text:
            # a row each costs more than reading the numbers.
            ((listed,),) = self._conn.execute(
                f"SELECT group_concat(r.doc) FROM json_each(:docs) d CROSS JOIN {TABLES[type_]} r"
                f" ON r.doc = d.atom WHERE r.space = :space AND {conditions}",
                {**self._values, "docs": str(mine)},
            )
            allowed.update(map(int, listed.split(",")) if listed else ())
        return [doc for doc in docs if doc in allowed]

    def _of_days(self, type_: RecordType) -> str:
        """A turn of whole days by the clocks it states."""
        days = self._scope.days
        if type_ == "turn" and days is not None and days.of_days:
            return _CONDITIONS["own days"]
        return _OF_SPAN.format(time=_TOLD[type_])

    def _conditions(self, type_: RecordType) -> str:
        scope, time = self._scope, TIMES[type_]
        chosen = [
            condition
            for wanted, condition in (
                (scope.session, _CONDITIONS[f"session {type_}"]),
                (scope.project, _CONDITIONS[f"project {type_}"]),
                (scope.within, _CONDITIONS[f"within {type_}"]),
                (scope.topic, _CONDITIONS[f"topic {type_}"]),
                (scope.words or None, self._worded if type_ == "memory" else "false"),
                (scope.min_importance, _CONDITIONS[f"importance {type_}"]),
                (scope.speaker, "r.sender = :speaker" if type_ == "turn" else "false"),
                (scope.trust, "r.trust = :trust" if type_ in ("turn", "memory") else "false"),
                (scope.having or None, _HAVING.get(type_, "false")),
                (scope.since, f"r.{time} >= :since"),
                (scope.until, f"r.{time} < :until"),
                (scope.days, self._of_days(type_)),
            )
            if wanted is not None
        ]
        for moment, name in ((scope.as_of, "as_of"), (scope.known_at, "known_at")):
            if moment is not None:
                holds = fill_condition(name, "r.") if type_ == "memory" else f"r.{time} <= :{name}"
                chosen.append(holds)
        if type_ == "memory" and not (scope.as_of or scope.known_at):
            chosen.append(_CONDITIONS["current"])
        if type_ == "attachment":
            chosen.append("r.put_away IS NULL")
        return " AND ".join(chosen) or "true"
