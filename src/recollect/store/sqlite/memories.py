"""Memories in SQLite: every version stays, one of a chain is current."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import apsw

from recollect.store import codec
from recollect.store.base import MemoryRow
from recollect.store.sqlite.text import add_terms, next_doc
from recollect.types import Kind, Memory, Source

_COLUMNS = (
    "id, kind, content, subject, predicate, project, topic, tags, importance, confidence, trust,"
    " status, access_count, created_at, updated_at, last_accessed_at, valid_from, valid_to,"
    " superseded_at, superseded_by, expires_at, episode"
)


class SqliteMemories:
    """The memories of one space on one connection."""

    def __init__(self, conn: apsw.Connection, space: int) -> None:
        self._conn = conn
        self._space = space

    def add(self, row: MemoryRow) -> Memory:
        doc = next_doc(self._conn, self._space, "memory")
        at = codec.to_micros(row.at)
        self._conn.execute(
            f"INSERT INTO memories (space, doc, {_COLUMNS})"
            f" VALUES ({'?, ' * 14}0, ?, ?, ?, ?, NULL, NULL, '', ?, ?)",
            (
                self._space,
                doc,
                row.id,
                row.kind,
                row.content,
                row.subject,
                row.predicate,
                row.project,
                row.topic,
                codec.dump(row.tags),
                row.importance,
                row.confidence,
                row.trust,
                row.status,
                at,
                at,
                at,
                codec.to_micros(row.valid_from),
                codec.maybe_to_micros(row.expires_at),
                row.episode,
            ),
        )
        add_terms(self._conn, self._space, [(doc, row.terms)])
        self._conn.executemany(
            "INSERT OR IGNORE INTO memory_sources VALUES (?, ?, ?)",
            [(self._space, row.id, turn) for turn in row.sources],
        )
        return self.by_id([row.id])[0]

    def get(self, id_: str) -> Memory | None:
        found = self.by_id([id_])
        return found[0] if found else None

    def by_id(self, ids: Sequence[str]) -> list[Memory]:
        return self._select("id IN (SELECT value FROM json_each(?))", (codec.dump(list(ids)),))

    def current(
        self, *, kind: Kind | None, project: str | None, now: datetime, limit: int
    ) -> list[Memory]:
        """Memories that hold and have not expired, the latest first."""
        clauses = ["status = 'active'", "(expires_at IS NULL OR expires_at > ?)"]
        values: list[Any] = [codec.to_micros(now)]
        for clause, value in (("kind = ?", kind), ("project = ?", project)):
            if value is not None:
                clauses.append(clause)
                values.append(value)
        rest = " AND ".join(clauses)
        return self._select(f"{rest} ORDER BY created_at DESC, doc DESC LIMIT ?", (*values, limit))

    def supersede(self, old: str, new: str, at: datetime) -> None:
        """Close ``old``: it was true until the new one began, and known until now."""
        moment = codec.to_micros(at)
        self._conn.execute(
            "UPDATE memories SET status = 'superseded', superseded_by = ?, superseded_at = ?,"
            " valid_to = ifnull((SELECT n.valid_from FROM memories n"
            "  WHERE n.space = memories.space AND n.id = ?), ?),"
            " updated_at = ? WHERE space = ? AND id = ?",
            (new, moment, new, moment, moment, self._space, old),
        )

    def touch(self, id_: str, uses: int, at: datetime) -> None:
        """Count uses, which slow a memory's decay."""
        self._conn.execute(
            "UPDATE memories SET access_count = access_count + ?, last_accessed_at = max("
            "last_accessed_at, ?) WHERE space = ? AND id = ?",
            (uses, codec.to_micros(at), self._space, id_),
        )

    def projects(self) -> list[str]:
        """Every project that a current memory belongs to."""
        rows = self._conn.execute(
            "SELECT DISTINCT project FROM memories WHERE space = ? AND status = 'active'"
            " AND project != '_global'",
            (self._space,),
        )
        return [project for (project,) in rows]

    def partition(self, project: str | None, limit: int) -> list[int]:
        """The most important current memories of a project and of none in particular."""
        rows = self._conn.execute(
            "SELECT doc FROM memories WHERE space = ? AND status = 'active'"
            " AND (? IS NULL OR project IN (?, '_global'))"
            " ORDER BY importance DESC, doc DESC LIMIT ?",
            (self._space, project, project, limit),
        )
        return [doc for (doc,) in rows]

    def chain(self, id_: str) -> list[Memory]:
        """Every version the memory belongs to, oldest first."""
        rows = self._conn.execute(
            "WITH RECURSIVE linked(id) AS (SELECT ?"
            " UNION SELECT m.id FROM memories m JOIN linked l ON m.superseded_by = l.id"
            "  WHERE m.space = ?"
            " UNION SELECT m.superseded_by FROM memories m JOIN linked l ON m.id = l.id"
            "  WHERE m.space = ? AND m.superseded_by != '')"
            " SELECT id FROM linked",
            (id_, self._space, self._space),
        )
        found = self.by_id([linked for (linked,) in rows])
        return sorted(found, key=lambda memory: (memory.created_at, memory.id))

    def _select(self, rest: str, values: tuple[Any, ...]) -> list[Memory]:
        rows: list[tuple[Any, ...]] = self._conn.execute(
            f"SELECT {_COLUMNS} FROM memories WHERE space = ? AND {rest}", (self._space, *values)
        ).fetchall()
        sources = self._sources([row[0] for row in rows])
        return [_memory(row, sources.get(row[0], ())) for row in rows]

    def _sources(self, ids: list[str]) -> dict[str, tuple[Source, ...]]:
        found: dict[str, tuple[Source, ...]] = {}
        for memory, session, idx, turn in self._conn.execute(
            "SELECT m.memory, s.id, t.idx, t.id FROM memory_sources m"
            " JOIN turns t ON t.space = m.space AND t.id = m.turn"
            " JOIN sessions s ON s.number = t.session"
            " WHERE m.space = ? AND m.memory IN (SELECT value FROM json_each(?))"
            " ORDER BY t.at, t.doc",
            (self._space, codec.dump(ids)),
        ):
            found[memory] = (*found.get(memory, ()), Source(session, idx, turn))
        return found


def _memory(row: tuple[Any, ...], sources: tuple[Source, ...]) -> Memory:
    (id_, kind, content, subject, predicate, project, topic, tags) = row[:8]
    (importance, confidence, trust, status, accesses, created, updated, accessed) = row[8:16]
    (valid_from, valid_to, superseded_at, superseded_by, expires_at, episode) = row[16:]
    return Memory(
        id=id_,
        kind=kind,
        content=content,
        subject=subject,
        predicate=predicate,
        project=project,
        topic=topic,
        tags=codec.load_words(tags),
        importance=importance,
        confidence=confidence,
        trust=trust,
        status=status,
        access_count=accesses,
        created_at=codec.from_micros(created),
        updated_at=codec.from_micros(updated),
        last_accessed_at=codec.from_micros(accessed),
        valid_from=codec.from_micros(valid_from),
        valid_to=codec.maybe_from_micros(valid_to),
        superseded_at=codec.maybe_from_micros(superseded_at),
        superseded_by=superseded_by,
        expires_at=codec.maybe_from_micros(expires_at),
        sources=sources,
        episode=episode,
    )
