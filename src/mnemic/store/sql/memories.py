"""Memories: every version stays, one of a chain is current."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from mnemic.rules.likeness import wording_of
from mnemic.rules.slots import SEPARATOR, fold, slot_of
from mnemic.store import codec
from mnemic.store.rows import Life, MemoryFilter, SlotEntry
from mnemic.store.sql.part import Fields, Part, narrow, read_statements
from mnemic.store.sql.scope import fill_condition, word_condition
from mnemic.types import EMPTY, Kind, Memory, MemoryOrder, MemoryStatus, SafeName, SafeText, Source

MEMORY = Fields(
    Memory,
    "id kind text subject predicate project topic tags:words importance confidence trust status"
    " access_count created_at:time updated_at:time last_accessed_at:time valid_from:time"
    " valid_to:time? superseded_at:time? superseded_by expires_at:time? episode value confirmations"
    " session snoozed_until:time? offered metadata:metadata origin",
    text="content",
)
# What can change about a memory; what it says stays.
_REVISED = (
    "importance confidence trust status confirmations created_at updated_at valid_from valid_to"
    " superseded_at superseded_by expires_at session snoozed_until metadata"
).split()
_HASHED = 10_000  # wordings that are computed at a time
_MICROSECOND = timedelta(microseconds=1)
_AFTER_SEPARATOR = chr(ord(SEPARATOR) + 1)  # no slot of the subject comes after it
_LASTS = "(expires_at IS NULL OR expires_at > :at) AND (valid_to IS NULL OR valid_to > :at)"
_FILTERS = {
    **{n: fill_condition(n) for n in ("as_of", "known_at")},
    **read_statements("sql/memory_filters"),
}
_USUAL = {"status", "holds_at"}  # what nearly every memory passes
_ORDERS: dict[MemoryOrder, str] = {
    "newest": "created_at DESC, doc DESC",
    "oldest": "created_at, doc",
    "updated": "updated_at DESC, doc DESC",
    "importance": "importance DESC, created_at DESC, doc DESC",
    "used": "access_count DESC, last_accessed_at DESC, doc DESC",
}


class SqlMemories(Part):
    """The memories of one space on one connection."""

    statements = read_statements("sql/memories")

    is_slot = "slot = :slot"

    @cached_property
    def _values(self) -> dict[str, dict[str, list[int]]]:
        """The values in the slots that were asked for, and the documents that have each."""
        return {}

    def add(self, memory: Memory, terms: SafeText) -> Memory:
        """Store a new memory with the words it is found by; given back as it is read."""
        if self._unit.admission is not None:
            self._unit.admission.admit(self._unit, "memories", 1)
        doc, slot = self._next_doc("memory"), slot_of(memory.subject, memory.predicate)
        fields = {"doc": doc, "slot": slot, "wording": wording_of(memory.text), **MEMORY.of(memory)}
        self._insert("memories", {"content": fields.pop("text"), **fields})
        self._unit.text.add(doc, terms)
        if slot in self._values:
            self._values[slot].setdefault(fold(memory.value), []).append(doc)
        if not memory.sources:
            return memory
        self.add_sources(memory.id, [source.turn_id for source in memory.sources])
        return self.by_id([memory.id])[0]  # in the order of the turns

    def add_sources(self, id_: SafeName, turns: Sequence[SafeName]) -> None:
        self._run("add_sources", id=id_, turns=turns)

    def drop_sources(self, id_: str, turns: Sequence[str]) -> None:
        self._run("drop_sources", id=id_, turns=turns)

    def find_outdated(self, turns: Sequence[str]) -> set[str]:
        """Those of the turns of which everything that was learned no longer holds."""
        return set(self._column("outdated", turns=turns))

    def read_outdated(self, sessions: Collection[str]) -> dict[str, list[str]]:
        """What such turns of these sessions say."""
        by_session: dict[str, list[str]] = {}
        for session, content in self._run("outdated_in", sessions=list(sessions)):
            by_session.setdefault(session, []).append(content)
        return by_session

    def get(self, id_: str) -> Memory | None:
        return next(iter(self.by_id([id_])), None)

    def by_id(self, ids: Sequence[str]) -> list[Memory]:
        return self._select("id IN (SELECT value FROM json_each(:ids)) ORDER BY id", {"ids": ids})

    def of_kinds(self, docs: Sequence[int], kinds: Sequence[Kind]) -> list[int]:
        """Those of the documents that are memories of one of the kinds."""
        return self._column("of_kinds", docs=docs, kinds=kinds)

    def find(self, wanted: MemoryFilter) -> list[Memory]:
        values = {name: getattr(wanted, name) for name in _FILTERS}
        clauses = [narrow(_FILTERS, values)]
        if wanted.having:
            clauses.append(fill_condition("has metadata", "memories."))
            values["having"] = wanted.having
        if wanted.words:
            clauses.append(word_condition(wanted.words, values, "memories"))
        if wanted.origins:
            clauses.append("origin IN (SELECT value FROM json_each(:origins))")
            values["origins"] = wanted.origins
        if wanted.life is not None:
            clauses.append(_life_condition(wanted.life, values))
        order = _ORDERS[wanted.order]
        narrowing = {name for name, value in values.items() if value is not None} - _USUAL
        if narrowing or wanted.status not in ("active", None):
            # A few are found first, and sorted; of all, the first are read by their index.
            order = order.replace("created_at", "+created_at")
        # Only numbers are sorted, not whole rows: a page deep in a long list is a fourth the work.
        return self._select(
            f"doc IN (SELECT doc FROM memories WHERE space = :space AND {' AND '.join(clauses)}"
            f" ORDER BY {order} LIMIT :limit OFFSET :offset) ORDER BY {order}",
            {**values, "limit": wanted.limit, "offset": wanted.offset},
            by_doc=True,
        )

    def in_slot(
        self,
        subject: str,
        predicate: str,
        *,
        project: SafeName,
        status: MemoryStatus,
        now: datetime,
        value: SafeText = EMPTY,
    ) -> list[Memory]:
        """What holds in a slot of a project, the oldest first; with a ``value`` that or none."""
        slot = slot_of(subject, predicate)
        docs = self._with_value(slot, value) if slot and value else None
        if not slot or docs == []:
            return []
        among = "true" if docs is None else "doc IN (SELECT atom FROM json_each(:docs))"
        # A slot has few, its space very many: they are found first, and sorted.
        return self._select(
            f"{self.is_slot} AND slot != '' AND {among} AND project = :project"
            f" AND status = :status AND {_LASTS} ORDER BY +created_at, doc",
            {"slot": slot, "docs": docs, "project": project, "status": status, "at": now},
        )

    def _with_value(self, slot: str, value: SafeText) -> list[int]:
        """Documents of a slot with that value or none. A slot is read once, whatever is added."""
        if (by_value := self._values.get(slot)) is None:
            by_value = self._values[slot] = {}
            statement = f"SELECT doc, value FROM memories WHERE space = :space AND {self.is_slot}"
            for doc, stored in self._run(f"{statement} AND slot != ''", slot=slot):
                by_value.setdefault(fold(stored), []).append(doc)
        return [*by_value.get("", ()), *by_value.get(fold(value), ())]

    def find_alike(
        self, content: SafeText, *, project: SafeName, status: MemoryStatus, now: datetime
    ) -> list[Memory]:
        """What has not expired and is worded as ``content``, the oldest first."""
        wording = wording_of(content)
        if not self._run("any_worded", wording=wording).get:  # as nearly always
            return []
        # Of memories that came from an older schema or another store.
        while rows := self._run("unhashed", limit=_HASHED).fetchall():
            hashes = [(wording_of(words), self._space, doc) for doc, words in rows]
            self._conn.executemany(self.statements["set_wording"], hashes)
        # No other index: one project may have very many memories of that status.
        clause = f"{self.statements['worded_alike']} AND {_LASTS} ORDER BY created_at, doc"
        values = {"wording": wording, "project": project, "status": status, "at": now}
        return self._select(clause, values, by_doc=True)

    def any(self, status: MemoryStatus, project: SafeName) -> bool:
        """Whether there is a memory of that status in a project."""
        return self._run("any_of", status=status, project=project).get is not None

    def list_stated(
        self, slots: Sequence[str], subjects: Sequence[str], *, each: int
    ) -> list[SlotEntry]:
        """What is or was stated in these slots or of these subjects, the newest ``each``."""
        ranges = [(slot, slot) for slot in slots]
        ranges += [(f"{about}{SEPARATOR}", f"{about}{_AFTER_SEPARATOR}") for about in subjects]
        return list({row[0]: SlotEntry(*row) for row in self._between(ranges, each)}.values())

    def _between(self, ranges: Sequence[tuple[str, str]], each: int) -> Iterable[tuple[Any, ...]]:
        """What is stated in slots between two, at most so much of each range."""
        return self._run("stated", ranges=ranges, each=each)

    def nearest(
        self, embedder: int, vector: bytes, *, status: MemoryStatus, now: datetime, limit: int
    ) -> list[tuple[Memory, float]]:
        """The memories nearest in meaning, and their cosines, the nearest first."""
        rows = self._run(
            self._sql("nearest", cosine=self._unit.cosine),
            vector=self._unit.encode_vector(vector),
            embedder=embedder,
            **self._range_of("memory"),
            status=status,
            now=now,
            limit=limit,
        )
        cosines = {codec.as_name(id_): float(cosine) for id_, cosine in rows}
        by_id = {memory.id: memory for memory in self.by_id(list(cosines))}
        return [(by_id[id_], cosine) for id_, cosine in cosines.items()]

    def to_offer(self, *, now: datetime, since: datetime | None, limit: int) -> list[Memory]:
        """Pending ones that may be offered: those due, the least often offered, the weightiest."""
        return self._select(
            f"status = 'pending' AND {_LASTS} AND (snoozed_until IS NULL OR snoozed_until <= :at"
            " OR updated_at > :at) AND (:since IS NULL OR created_at > :since)"
            " ORDER BY (offered > 0 AND (snoozed_until IS NULL OR updated_at >= snoozed_until)),"
            " offered, importance DESC, created_at, doc LIMIT :limit",
            {"at": now, "since": since, "limit": limit},
        )

    def count_offer(self, ids: Sequence[str], at: datetime) -> None:
        self._run("count_offer", ids=ids, at=at)

    def list_lapsed(self, before: datetime, limit: int) -> list[Memory]:
        """Pending ones from then or earlier, the oldest first."""
        return self._select(
            "status = 'pending' AND created_at <= :before ORDER BY +created_at, doc LIMIT :limit",
            {"before": before, "limit": limit},
        )

    def revise(self, memory: Memory) -> None:
        """Store everything about a memory that can change."""
        self._update("memories", memory.id, MEMORY.of(memory, _REVISED))

    def supersede(self, old: SafeName, new: SafeName, at: datetime, *, ended: bool = True) -> None:
        """Close ``old``, known until now; if it ``ended`` it was true until the new one began."""
        self._run("supersede", old=old, new=new, at=at, ended=ended)
        # What takes the place of a core memory is core.
        self._run("inherit_core", old=old, new=new)
        self._run("leave_core", old=old)

    def release(self, id_: str) -> None:
        """What was to end on the day of a memory that does not come holds on."""
        self._run("release", id=id_)

    def touch(self, id_: str, uses: int, at: datetime) -> None:
        """Count uses, which slow a memory's decay."""
        self._run("touch", id=id_, uses=uses, at=at)

    def count_noted(self, key: str) -> dict[tuple[Kind, str], int]:
        """How many hold now whose metadata has that name, by kind and by what it says."""
        rows = self._run("count_noted", key=key)
        return {(kind, str(note)): count for kind, note, count in rows}

    def projects(self, status: MemoryStatus = "active") -> list[SafeName]:
        """Every project that a memory of that status belongs to."""
        return self._unit.once(status, lambda: self._column("projects", status=status))

    def partition(self, project: SafeName | None, limit: int) -> list[int]:
        """The most important current memories of a project or of none, without the core."""
        return self._column("partition", project=project, limit=limit)

    def core_among(self, docs: Sequence[int]) -> list[int]:
        """Those of the documents that are core memories."""
        return self._column("core_among", docs=docs)

    def chain(self, id_: str) -> list[Memory]:
        """Every version the memory belongs to, oldest first."""
        versions = self._column("chain", id=id_)
        return sorted(self.by_id(versions), key=lambda memory: (memory.created_at, memory.id))

    def _select(self, clause: str, values: dict[str, Any], *, by_doc: bool = False) -> list[Memory]:
        """``by_doc``: the condition names documents, so no index of the space is to be walked."""
        space = "+space" if by_doc else "space"
        rows: list[tuple[Any, ...]] = self._run(
            f"SELECT {MEMORY.columns}, core FROM memories WHERE {space} = :space AND {clause}",
            **values,
        ).fetchall()
        sources = self.sources([row[0] for row in rows])
        return [
            MEMORY.read(row, sources=sources.get(row[0], ()), tier=1 if row[-1] else 2)
            for row in rows
        ]

    def sources(self, ids: Sequence[str]) -> dict[str, tuple[Source, ...]]:
        """The turns that memories came from, the earliest first."""
        by_memory: dict[str, tuple[Source, ...]] = {}
        for memory, session, idx, turn in self._run("sources", ids=ids) if ids else ():
            by_memory[memory] = (*by_memory.get(memory, ()), Source(session, idx, turn))
        return by_memory


def _life_condition(life: Life, values: dict[str, Any]) -> str:
    if life.over is None:
        return "expires_at IS NULL"
    values["life_over"] = life.over // _MICROSECOND
    if life.most is None:
        return "expires_at - updated_at > :life_over"
    values["life_most"] = life.most // _MICROSECOND
    return "expires_at - updated_at > :life_over AND expires_at - updated_at <= :life_most"
