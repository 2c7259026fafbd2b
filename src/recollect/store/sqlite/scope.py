"""Which documents a search may find, as SQL conditions on each type's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from recollect.store import codec
from recollect.store.rows import TABLES, Scope, first_doc, last_doc
from recollect.types import RecordType

_TIME: dict[RecordType, str] = {
    "turn": "at",
    "memory": "created_at",
    "episode": "started_at",
    "attachment": "created_at",
}
_SESSION: dict[RecordType, str] = {
    "turn": "r.session = (SELECT number FROM sessions WHERE space = r.space AND id = :session)",
    "memory": (
        "EXISTS (SELECT 1 FROM memory_sources m JOIN turns t ON t.space = m.space AND t.id = m.turn"
        " JOIN sessions s ON s.number = t.session"
        " WHERE m.space = r.space AND m.memory = r.id AND s.id = :session)"
    ),
    "episode": "r.session = :session",
    "attachment": "r.session = :session",
}
_IN_SESSIONS = (
    "r.session IN (SELECT {column} FROM sessions WHERE space = r.space AND {{name}} = :{{name}})"
)
_PARTITION: dict[RecordType, str] = {
    "turn": _IN_SESSIONS.format(column="number"),
    "memory": "r.{name} = :{name}",
    "episode": _IN_SESSIONS.format(column="id"),
    "attachment": _IN_SESSIONS.format(column="id"),
}
_WITHIN: dict[RecordType, str] = {
    "turn": "r.session NOT IN (SELECT number FROM sessions WHERE {elsewhere})",
    "memory": "r.project IN (:within, '_global')",
    "episode": "r.session NOT IN (SELECT id FROM sessions WHERE {elsewhere})",
    "attachment": "r.session NOT IN (SELECT id FROM sessions WHERE {elsewhere})",
}
_ELSEWHERE = "space = r.space AND project NOT IN ('', :within)"
_KNOWN_NOW = (
    "r.status = ifnull(:status, 'active') AND (r.expires_at IS NULL OR r.expires_at > :now)"
)
_KNOWN_THEN = (
    "(r.status IN ('active', 'superseded') OR r.put_away > :as_of) AND r.created_at <= :as_of"
    " AND (r.superseded_at IS NULL OR r.superseded_at > :as_of)"
    " AND (r.expires_at IS NULL OR r.expires_at > :as_of)"
)


class ScopeFilter:
    """The conditions of one search over one space."""

    def __init__(self, conn: apsw.Connection, space: int, scope: Scope) -> None:
        self._conn = conn
        self._space = space
        self._scope = scope
        self._values: dict[str, Any] = {
            "space": space,
            "session": scope.session,
            "project": scope.project,
            "within": scope.within,
            "topic": scope.topic,
            "kind": scope.kind,
            "speaker": scope.speaker,
            "trust": scope.trust,
            "status": scope.status,
            "since": codec.maybe_to_micros(scope.since),
            "until": codec.maybe_to_micros(scope.until),
            "as_of": codec.maybe_to_micros(scope.as_of),
            "now": codec.maybe_to_micros(scope.now),
        }

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
        for type_ in self._scope.types:
            rows = self._conn.execute(
                f"SELECT r.{_TIME[type_]}, r.doc FROM {TABLES[type_]} r WHERE r.space = :space"
                f" AND {self._conditions(type_)} ORDER BY r.{_TIME[type_]} DESC LIMIT :most",
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
            rows = self._conn.execute(
                # CROSS JOIN: start from the documents, not from all rows of the space
                f"SELECT r.doc FROM json_each(:docs) d CROSS JOIN {TABLES[type_]} r"
                f" ON r.doc = d.value WHERE {conditions}",
                {**self._values, "docs": codec.dump(mine)},
            )
            allowed.update(doc for (doc,) in rows)
        return [doc for doc in docs if doc in allowed]

    def _conditions(self, type_: RecordType) -> str:
        scope, time = self._scope, _TIME[type_]
        chosen = [
            condition
            for wanted, condition in (
                (scope.session, _SESSION[type_]),
                (scope.project, _PARTITION[type_].format(name="project")),
                (scope.within, _WITHIN[type_].format(elsewhere=_ELSEWHERE)),
                (scope.topic, _PARTITION[type_].format(name="topic")),
                (scope.kind, "r.kind = :kind" if type_ == "memory" else "false"),
                (scope.speaker, "r.sender = :speaker" if type_ == "turn" else "false"),
                (scope.trust, "r.trust = :trust" if type_ in ("turn", "memory") else "false"),
                (scope.since, f"r.{time} >= :since"),
                (scope.until, f"r.{time} < :until"),
            )
            if wanted is not None
        ]
        if type_ == "memory":
            chosen.append(_KNOWN_THEN if scope.as_of else _KNOWN_NOW)
        elif scope.as_of:
            chosen.append(f"r.{time} <= :as_of")
        if type_ == "attachment":
            chosen.append("r.put_away IS NULL")
        return " AND ".join(chosen) or "true"
