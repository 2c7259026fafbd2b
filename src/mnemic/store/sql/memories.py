"""Memories: every version stays, one of a chain is current."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from mnemic.rules.likeness import wording_of
from mnemic.rules.slots import SEPARATOR, slot_of
from mnemic.store import codec
from mnemic.store.rows import Life, MemoryFilter, SlotEntry, first_doc, last_doc
from mnemic.store.sql.connection import SqlConnection
from mnemic.store.sql.scope import has_metadata, was_known, was_true, word_condition
from mnemic.store.sql.terms import TermIndex, add_terms, next_doc
from mnemic.types import Kind, Memory, MemoryOrder, MemoryStatus, SafeName, SafeText, Source

_COLUMNS = (
    "id, kind, content, subject, predicate, project, topic, tags, importance, confidence, trust,"
    " status, access_count, created_at, updated_at, last_accessed_at, valid_from, valid_to,"
    " superseded_at, superseded_by, expires_at, episode, value, confirmations, session,"
    " snoozed_until, offered, metadata, origin"
)
_HASHED = 10_000  # wordings that are computed at a time
_MICROSECOND = timedelta(microseconds=1)
_AFTER_SEPARATOR = chr(ord(SEPARATOR) + 1)  # no slot of the subject comes after it
_LASTS = "(expires_at IS NULL OR expires_at > :at) AND (valid_to IS NULL OR valid_to > :at)"
_CAME_FROM = (
    "id IN (SELECT m.memory FROM turns t JOIN memory_sources m ON m.space = t.space"
    " AND m.turn = t.id WHERE t.space = :space AND {})"
)
# A slot is the subject and the predicate in one folded form; without one of them there is none.
_SUBJECT = "iif(slot = '', lower(trim(subject)), substr(slot, 1, instr(slot, char(31)) - 1))"
_PREDICATE = "iif(slot = '', lower(trim(predicate)), substr(slot, instr(slot, char(31)) + 1))"
_FILTERS = {
    "status": "status = :status",
    "kind": "kind = :kind",
    "project": "project = :project",
    "topic": "topic = :topic",
    "subject": f"{_SUBJECT} = :subject",
    "predicate": f"{_PREDICATE} = :predicate",
    "tag": "EXISTS (SELECT 1 FROM json_each(tags) WHERE value = :tag)",
    "trust": "trust = :trust",
    "min_importance": "importance >= :min_importance",
    "contains": "instr(lower(content), lower(:contains)) > 0",
    "since": "created_at >= :since",
    "until": "created_at < :until",
    "holds_at": (
        "(expires_at IS NULL OR expires_at > :holds_at) AND (valid_to IS NULL OR valid_to >"
        " :holds_at) AND (valid_from <= :holds_at OR status = 'pending')"
    ),
    "as_of": was_true(),
    "known_at": was_known(),
    "session": "session = :session",
    "from_turn": _CAME_FROM.format("t.id = :from_turn"),
    "from_sender": _CAME_FROM.format("t.sender = :from_sender"),
    "from_session": _CAME_FROM.format(
        "t.session = (SELECT number FROM sessions WHERE space = :space AND id = :from_session)"
    ),
}
_ORDERS: dict[MemoryOrder, str] = {
    "newest": "created_at DESC, doc DESC",
    "oldest": "created_at, doc",
    "updated": "updated_at DESC, doc DESC",
    "importance": "importance DESC, created_at DESC, doc DESC",
    "used": "access_count DESC, last_accessed_at DESC, doc DESC",
}


_LEARNT = "CROSS JOIN memories m ON m.space = s.space AND m.id = s.memory"
# What was only contradicted has no end: its turn is still evidence.
_IS_OVER = (
    "HAVING min(CASE WHEN m.status = 'superseded' AND m.valid_to IS NOT NULL THEN 1 ELSE 0 END) = 1"
)


class SqlMemories:
    """The memories of one space on one connection."""

    index: TermIndex
    cosine: str  # of the vector of ``v`` with a given one
    is_slot = "slot = :slot"

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def add(self, memory: Memory, terms: SafeText) -> Memory:
        doc = next_doc(self._conn, self._space, "memory")
        self._conn.execute(
            f"INSERT INTO memories (space, doc, slot, wording, {_COLUMNS})"
            f" VALUES (?, ?, ?, ?{', ?' * 29})",
            (
                self._space,
                doc,
                slot_of(memory.subject, memory.predicate),
                wording_of(memory.content),
                *_values(memory),
            ),
        )
        add_terms(self.index, self._conn, self._space, doc, terms)
        if not memory.sources:
            return memory
        self.add_sources(memory.id, [source.turn_id for source in memory.sources])
        return self.by_id([memory.id])[0]  # in the order of the turns

    def add_sources(self, id_: str, turns: Sequence[str]) -> None:
        self._conn.executemany(
            "INSERT OR IGNORE INTO memory_sources VALUES (?, ?, ?)",
            [(self._space, id_, turn) for turn in turns],
        )

    def drop_sources(self, id_: str, turns: Sequence[str]) -> None:
        self._conn.executemany(
            "DELETE FROM memory_sources WHERE space = ? AND memory = ? AND turn = ?",
            [(self._space, id_, turn) for turn in turns],
        )

    def outdated(self, turns: Sequence[str]) -> set[str]:
        rows = self._conn.execute(
            "SELECT s.turn FROM json_each(?) d CROSS JOIN memory_sources s"
            f" ON s.space = ? AND s.turn = d.value {_LEARNT} GROUP BY s.turn {_IS_OVER}",
            (codec.dump(list(turns)), self._space),
        )
        return {turn for (turn,) in rows}

    def outdated_in(self, sessions: Collection[str]) -> dict[str, list[str]]:
        by_session: dict[str, list[str]] = {}
        for session, content in self._conn.execute(
            "SELECT min(x.id), min(t.content) FROM json_each(?) d CROSS JOIN sessions x"
            " ON x.space = ? AND x.id = d.value CROSS JOIN turns t"
            " ON t.space = x.space AND t.session = x.number CROSS JOIN memory_sources s"
            f" ON s.space = t.space AND s.turn = t.id {_LEARNT} GROUP BY t.doc {_IS_OVER}",
            (codec.dump(list(sessions)), self._space),
        ):
            by_session.setdefault(session, []).append(content)
        return by_session

    def get(self, id_: str) -> Memory | None:
        memories = self.by_id([id_])
        return memories[0] if memories else None

    def by_id(self, ids: Sequence[str]) -> list[Memory]:
        return self._select(
            "id IN (SELECT value FROM json_each(:ids)) ORDER BY id", {"ids": codec.dump(list(ids))}
        )

    def of_kinds(self, docs: Sequence[int], kinds: Sequence[Kind]) -> list[int]:
        """Those of the documents that are memories of one of the kinds."""
        rows = self._conn.execute(
            "SELECT m.doc FROM json_each(?) d CROSS JOIN memories m ON m.doc = d.atom"
            " WHERE m.space = ? AND m.kind IN (SELECT value FROM json_each(?))",
            (str(list(docs)), self._space, codec.dump(list(kinds))),
        )
        return [doc for (doc,) in rows]

    def find(self, wanted: MemoryFilter) -> list[Memory]:
        """Memories in the order that is wanted."""
        values = {
            name: codec.to_micros(value) if isinstance(value, datetime) else value
            for name in _FILTERS
            if (value := getattr(wanted, name)) is not None
        }
        clauses = [_FILTERS[name] for name in values] or ["true"]
        if wanted.having:
            clauses.append(has_metadata("memories.metadata"))
            values["having"] = codec.dump(dict(wanted.having))
        if wanted.words:
            clauses.append(word_condition(wanted.words, values, "memories"))
        if wanted.origins:
            clauses.append("origin IN (SELECT value FROM json_each(:origins))")
            values["origins"] = codec.dump(wanted.origins)
        if wanted.life is not None:
            clauses.append(_life_condition(wanted.life, values))
        order = _ORDERS[wanted.order]
        # Only numbers are sorted, not whole rows: a page deep in a long list is a fourth the work.
        return self._select(
            f"doc IN (SELECT doc FROM memories WHERE space = :space AND {' AND '.join(clauses)}"
            f" ORDER BY {order} LIMIT :limit OFFSET :offset) ORDER BY {order}",
            {**values, "limit": wanted.limit, "offset": wanted.offset},
            by_doc=True,
        )

    def in_slot(
        self, subject: str, predicate: str, *, project: str, status: MemoryStatus, now: datetime
    ) -> list[Memory]:
        """What answers the same question in a project and has not expired, the oldest first."""
        slot = slot_of(subject, predicate)
        if not slot:
            return []
        return self._select(
            f"{self.is_slot} AND slot != '' AND project = :project AND status = :status"
            f" AND {_LASTS} ORDER BY created_at, doc",
            {"slot": slot, "project": project, "status": status, "at": codec.to_micros(now)},
        )

    def worded_alike(
        self, content: SafeText, *, project: str, status: MemoryStatus, now: datetime
    ) -> list[Memory]:
        """What has not expired and is worded as ``content``, the oldest first."""
        self._hash_wordings()
        return self._select(
            # No other index: one project may have very many memories of that status.
            "doc IN (SELECT doc FROM memories INDEXED BY memories_by_wording WHERE space = :space"
            " AND wording = :wording) AND project = :project AND status = :status"
            f" AND {_LASTS} ORDER BY created_at, doc",
            {
                "wording": wording_of(content),
                "project": project,
                "status": status,
                "at": codec.to_micros(now),
            },
            by_doc=True,
        )

    def _hash_wordings(self) -> None:
        """Of memories that came from an older schema or another store."""
        unknown = "FROM memories WHERE space = ? AND wording IS NULL"
        while rows := self._conn.execute(
            f"SELECT doc, content {unknown} LIMIT {_HASHED}", (self._space,)
        ).fetchall():
            self._conn.executemany(
                "UPDATE memories SET wording = ? WHERE +space = ? AND doc = ?",
                [(wording_of(content), self._space, doc) for doc, content in rows],
            )

    def any(self, status: MemoryStatus, project: str) -> bool:
        """Whether there is a memory of that status in a project."""
        found = self._conn.execute(
            "SELECT 1 FROM memories WHERE space = ? AND status = ? AND project = ? LIMIT 1",
            (self._space, status, project),
        ).get
        return found is not None

    def stated(
        self, slots: Sequence[str], subjects: Sequence[str], *, each: int
    ) -> list[SlotEntry]:
        ranges = [(slot, slot) for slot in slots]
        ranges += [(f"{about}{SEPARATOR}", f"{about}{_AFTER_SEPARATOR}") for about in subjects]
        return list({row[0]: SlotEntry(*row) for row in self._between(ranges, each)}.values())

    def _between(self, ranges: Sequence[tuple[str, str]], each: int) -> Iterable[tuple[Any, ...]]:
        """What is stated in slots between two, at most so much of each range."""
        return self._conn.execute(
            "SELECT m.doc, m.subject, m.predicate, m.value, m.content, m.trust"
            " FROM json_each(:ranges) r CROSS JOIN memories m ON +m.space = :space AND m.doc IN"
            " (SELECT n.doc"
            "  FROM memories n WHERE n.space = :space AND n.slot != ''"
            "  AND n.slot BETWEEN r.value ->> 0 AND r.value ->> 1 AND (n.status = 'active'"
            "   OR (n.status = 'superseded' AND n.valid_to IS NOT NULL))"
            "  ORDER BY n.slot DESC, n.project DESC, n.doc DESC LIMIT :each)"
            " ORDER BY m.created_at DESC, m.doc DESC",
            {"ranges": codec.dump(ranges), "space": self._space, "each": each},
        )

    def most_important(self, *, least: float, now: datetime, limit: int) -> list[Memory]:
        """What holds now and is at least so important, the most important first."""
        return self._select(
            f"status = 'active' AND importance >= :least AND valid_from <= :at AND {_LASTS}"
            " ORDER BY importance DESC, last_accessed_at DESC, doc DESC LIMIT :limit",
            {"least": least, "at": codec.to_micros(now), "limit": limit},
        )

    def nearest(
        self, embedder: int, vector: bytes, *, status: MemoryStatus, now: datetime, limit: int
    ) -> list[tuple[Memory, float]]:
        """The memories nearest in meaning, and their cosines, the nearest first."""
        rows = self._conn.execute(
            f"SELECT min(m.id), max({self.cosine}) AS cosine FROM vectors v"
            " CROSS JOIN memories m ON m.space = v.space AND m.doc = v.doc WHERE v.space = ? AND"
            " v.embedder = ?"
            " AND v.doc BETWEEN ? AND ? AND m.status = ?"
            " AND (m.expires_at IS NULL OR m.expires_at > ?)"
            " GROUP BY m.doc ORDER BY cosine DESC, m.doc LIMIT ?",
            (
                vector,
                self._space,
                embedder,
                first_doc(self._space, "memory"),
                last_doc(self._space, "memory"),
                status,
                codec.to_micros(now),
                limit,
            ),
        )
        cosines = {codec.stored_name(id_): float(cosine) for id_, cosine in rows}
        by_id = {memory.id: memory for memory in self.by_id(list(cosines))}
        return [(by_id[id_], cosine) for id_, cosine in cosines.items()]

    def to_offer(self, *, now: datetime, since: datetime | None, limit: int) -> list[Memory]:
        """Pending ones that may be offered: the least often offered, then the most important."""
        return self._select(
            f"status = 'pending' AND {_LASTS} AND (snoozed_until IS NULL OR snoozed_until <= :at"
            " OR updated_at > :at)"
            " AND (:since IS NULL OR created_at > :since)"
            " ORDER BY offered, importance DESC, created_at, doc LIMIT :limit",
            {
                "at": codec.to_micros(now),
                "since": codec.maybe_to_micros(since),
                "limit": limit,
            },
        )

    def count_offer(self, ids: Sequence[str]) -> None:
        self._conn.execute(
            "UPDATE memories SET offered = offered + 1"
            " WHERE space = ? AND id IN (SELECT value FROM json_each(?))",
            (self._space, codec.dump(list(ids))),
        )

    def lapsed(self, before: datetime, limit: int) -> list[Memory]:
        """Pending ones from then or earlier, the oldest first."""
        return self._select(
            "status = 'pending' AND created_at <= :before ORDER BY created_at, doc LIMIT :limit",
            {"before": codec.to_micros(before), "limit": limit},
        )

    def revise(self, memory: Memory) -> None:
        """Store everything about a memory that can change; what it says stays."""
        self._conn.execute(
            "UPDATE memories SET importance = ?, confidence = ?, trust = ?, status = ?,"
            " confirmations = ?, created_at = ?, updated_at = ?, valid_from = ?, valid_to = ?,"
            " superseded_at = ?, superseded_by = ?, expires_at = ?, session = ?, snoozed_until = ?,"
            " metadata = ? WHERE space = ? AND id = ?",
            (
                memory.importance,
                memory.confidence,
                memory.trust,
                memory.status,
                memory.confirmations,
                codec.to_micros(memory.created_at),
                codec.to_micros(memory.updated_at),
                codec.to_micros(memory.valid_from),
                codec.maybe_to_micros(memory.valid_to),
                codec.maybe_to_micros(memory.superseded_at),
                memory.superseded_by,
                codec.maybe_to_micros(memory.expires_at),
                memory.session,
                codec.maybe_to_micros(memory.snoozed_until),
                codec.dump(dict(memory.metadata)),
                self._space,
                memory.id,
            ),
        )

    def supersede(self, old: str, new: str, at: datetime, *, ended: bool = True) -> None:
        """Close ``old``, known until now; if it ``ended`` it was true until the new one began."""
        moment = codec.to_micros(at)
        self._conn.execute(
            "UPDATE memories SET status = 'superseded', superseded_by = ?, superseded_at = ?,"
            " valid_to = CASE WHEN ? = 1 THEN ifnull((SELECT n.valid_from FROM memories n"
            "  WHERE n.space = memories.space AND n.id = ?), ?) END,"
            " updated_at = ? WHERE space = ? AND id = ?",
            (new, moment, ended, new, moment, moment, self._space, old),
        )
        # What takes the place of a core memory is core.
        self._conn.execute(
            "UPDATE memories SET core = 1 WHERE space = ? AND id = ? AND EXISTS"
            " (SELECT 1 FROM memories o WHERE o.space = memories.space AND o.id = ? AND o.core ="
            " 1)",
            (self._space, new, old),
        )
        self._conn.execute(
            "UPDATE memories SET core = 0 WHERE space = ? AND id = ? AND core = 1",
            (self._space, old),
        )

    def release(self, id_: str) -> None:
        """What was to end on the day of a memory that does not come holds on."""
        self._conn.execute(
            "UPDATE memories SET valid_to = NULL, superseded_by = ''"
            " WHERE space = ? AND superseded_by = ? AND status = 'active'",
            (self._space, id_),
        )

    def touch(self, id_: str, uses: int, at: datetime) -> None:
        """Count uses, which slow a memory's decay."""
        self._conn.execute(
            "UPDATE memories SET access_count = access_count + ?, last_accessed_at = max("
            "last_accessed_at, ?) WHERE space = ? AND id = ?",
            (uses, codec.to_micros(at), self._space, id_),
        )

    def count_noted(self, key: str) -> dict[tuple[Kind, str], int]:
        """How many hold now whose metadata has that name, by kind and by what it says."""
        rows = self._conn.execute(
            "SELECT kind, metadata ->> ?, count(*) FROM memories INDEXED BY memories_with_notes"
            " WHERE space = ? AND status = 'active' AND metadata != '{}'"
            " AND metadata ->> ? IS NOT NULL GROUP BY 1, 2",
            (key, self._space, key),
        )
        return {(kind, str(note)): count for kind, note, count in rows}

    def projects(self, status: MemoryStatus = "active") -> list[SafeName]:
        """Every project that a memory of that status belongs to."""
        # From one project to the next in the index: DISTINCT would read every memory.
        following = (
            "SELECT min(project) FROM memories INDEXED BY memories_by_partition"
            " WHERE space = ?1 AND status = ?2"
        )
        rows = self._conn.execute(
            f"WITH RECURSIVE named(project) AS ({following} UNION ALL"
            f" SELECT ({following} AND project > named.project) FROM named"
            " WHERE named.project IS NOT NULL)"
            " SELECT project FROM named WHERE project IS NOT NULL AND project != '_global'",
            (self._space, status),
        )
        return [project for (project,) in rows]

    def partition(self, project: str | None, limit: int, without: Sequence[Kind] = ()) -> list[int]:
        """The most important current memories of a project and of none in particular: neither the
        core nor of the kinds ``without``.
        """
        rows = self._conn.execute(
            "SELECT doc FROM memories WHERE space = ? AND status = 'active' AND core = 0"
            " AND (? IS NULL OR project IN (?, '_global'))"
            " AND kind NOT IN (SELECT value FROM json_each(?))"
            " ORDER BY importance DESC, doc DESC LIMIT ?",
            (self._space, project, project, codec.dump(list(without)), limit),
        )
        return [doc for (doc,) in rows]

    def chain(self, id_: str) -> list[Memory]:
        """Every version the memory belongs to, oldest first."""
        rows = self._conn.execute(
            "WITH RECURSIVE linked(id) AS (SELECT id FROM memories WHERE space = ? AND id = ?"
            " UNION SELECT CASE WHEN m.id = l.id THEN m.superseded_by ELSE m.id END FROM linked l"
            "  JOIN memories m ON m.space = ? AND (m.superseded_by = l.id"
            "   OR m.id = l.id AND m.superseded_by != ''))"
            " SELECT id FROM linked",
            (self._space, id_, self._space),
        )
        versions = self.by_id([linked for (linked,) in rows])
        return sorted(versions, key=lambda memory: (memory.created_at, memory.id))

    def _select(self, rest: str, values: dict[str, Any], *, by_doc: bool = False) -> list[Memory]:
        """``by_doc``: the condition names documents, so no index of the space is to be walked."""
        space = "+space" if by_doc else "space"
        rows: list[tuple[Any, ...]] = self._conn.execute(
            f"SELECT {_COLUMNS}, core FROM memories WHERE {space} = :space AND {rest}",
            {"space": self._space, **values},
        ).fetchall()
        sources = self.sources([row[0] for row in rows])
        return [_memory(row, sources.get(row[0], ())) for row in rows]

    def sources(self, ids: Sequence[str]) -> dict[str, tuple[Source, ...]]:
        """The turns that memories came from, the earliest first."""
        by_memory: dict[str, tuple[Source, ...]] = {}
        if not ids:
            return by_memory
        for memory, session, idx, turn in self._conn.execute(
            "SELECT m.memory, s.id, t.idx, t.id FROM memory_sources m"
            " JOIN turns t ON t.space = m.space AND t.id = m.turn"
            " JOIN sessions s ON s.space = t.space AND s.number = t.session"
            " WHERE m.space = ? AND m.memory IN (SELECT value FROM json_each(?))"
            " ORDER BY t.at, t.doc",
            (self._space, codec.dump(list(ids))),
        ):
            by_memory[memory] = (*by_memory.get(memory, ()), Source(session, idx, turn))
        return by_memory


def _life_condition(life: Life, values: dict[str, Any]) -> str:
    if life.over is None:
        return "expires_at IS NULL"
    values["life_over"] = life.over // _MICROSECOND
    if life.most is None:
        return "expires_at - created_at > :life_over"
    values["life_most"] = life.most // _MICROSECOND
    return "expires_at - created_at > :life_over AND expires_at - created_at <= :life_most"


def _values(memory: Memory) -> tuple[Any, ...]:
    """The values of ``_COLUMNS``."""
    return (
        memory.id,
        memory.kind,
        memory.content,
        memory.subject,
        memory.predicate,
        memory.project,
        memory.topic,
        codec.dump(memory.tags),
        memory.importance,
        memory.confidence,
        memory.trust,
        memory.status,
        memory.access_count,
        codec.to_micros(memory.created_at),
        codec.to_micros(memory.updated_at),
        codec.to_micros(memory.last_accessed_at),
        codec.to_micros(memory.valid_from),
        codec.maybe_to_micros(memory.valid_to),
        codec.maybe_to_micros(memory.superseded_at),
        memory.superseded_by,
        codec.maybe_to_micros(memory.expires_at),
        memory.episode,
        memory.value,
        memory.confirmations,
        memory.session,
        codec.maybe_to_micros(memory.snoozed_until),
        memory.offered,
        codec.dump(dict(memory.metadata)),
        memory.origin,
    )


def _memory(row: tuple[Any, ...], sources: tuple[Source, ...]) -> Memory:
    (id_, kind, content, subject, predicate, project, topic, tags) = row[:8]
    (importance, confidence, trust, status, accesses, created, updated, accessed) = row[8:16]
    (valid_from, valid_to, superseded_at, superseded_by, expires_at, episode) = row[16:22]
    (value, confirmations, session, snoozed_until, offered, metadata, origin, core) = row[22:]
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
        value=value,
        confirmations=confirmations,
        session=session,
        snoozed_until=codec.maybe_from_micros(snoozed_until),
        offered=offered,
        metadata=codec.load_metadata(metadata),
        origin=origin,
        tier=1 if core else 2,
    )
