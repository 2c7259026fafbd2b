"""Tiers, ages and putting away: what upkeep needs of memories, files and daily events."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from mnemic.rules.support import is_untrusted
from mnemic.store import codec
from mnemic.store.rows import CoreLine, NumberedMemory, TierCounts
from mnemic.store.sql.part import Part, read_statements
from mnemic.types import EMPTY, TRUSTS, Kind, Memory, MemoryStatus, SafeName

_TRUSTED = [trust for trust in TRUSTS if not is_untrusted(trust)]
_SQL = read_statements("sql/tiers")


class SqlTiers(Part):
    """What upkeep moves, of one space on one connection."""

    statements = _SQL

    def walk(
        self, after: int, limit: int, kinds: Sequence[Kind] | None = None
    ) -> list[NumberedMemory]:
        """Active memories beyond that number, in order; of these kinds only."""
        chosen = "" if kinds is None else " AND kind IN (SELECT value FROM json_each(:kinds))"
        clause = f"status = 'active' AND doc > :after{chosen} ORDER BY doc LIMIT :limit"
        docs = self._docs(clause, after=after, limit=limit, kinds=kinds or ())
        return list(map(NumberedMemory, docs.values(), self._memories(docs)))

    def list_expired(self, now: datetime, limit: int) -> list[Memory]:
        """What has outlived its time and was not put away yet, the oldest first."""
        return self._memories(self._docs(_SQL["expired"], now=now, limit=limit))

    def put_away(self, id_: str, at: datetime, by: SafeName = EMPTY) -> None:
        """Out of every search, kept on file; ``by`` is what stands in its place."""
        self._run("put_away", id=id_, at=at, by=by)
        self._unit.memories.release(id_)

    def bring_back(self, id_: str, status: MemoryStatus, at: datetime) -> None:
        """As it was before it was put away."""
        back = {"put_away": None, "status": status, "superseded_by": "", "updated_at": at}
        self._update("memories", id_, back)

    # --- tiers ----------------------------------------------------------------------------------

    def core(self, *, least: float, now: datetime, limit: int) -> list[Memory]:
        """What is always known, the chosen and newest first among equals, whatever was used."""
        order = "importance DESC, core DESC, doc DESC"
        clause = f"importance >= :least AND {_SQL['fit_for_core']} ORDER BY {order}"
        values = {"least": least, "now": now, "limit": limit, "trusted": _TRUSTED}
        return self._memories(self._docs(f"{clause} LIMIT :limit", **values))

    def core_lines(
        self,
        *,
        least: float,
        now: datetime,
        limit: int,
        within: SafeName | None = None,
        kinds: Sequence[Kind] | None = None,
        ids: Sequence[str] | None = None,
    ) -> list[CoreLine]:
        """What is shown of the core: its chosen ones and, of the rest, the most important.

        Unlike ``core`` it does not look through all that are equally important, of which there may
        be very many: of those it takes the newest. ``within`` a project: its own and of none.
        ``kinds`` are the only ones wanted; ``ids`` are the memories themselves, each of them in
        its latest version.
        """
        values = {"least": least, "now": now, "limit": limit, "trusted": _TRUSTED}
        values |= {"within": within, "kinds": kinds, "listed": ids}
        fit = f"space = :space AND importance >= :least AND {_SQL['fit_for_core']}"
        if kinds is not None:
            fit += " AND kind IN (SELECT value FROM json_each(:kinds))"
        if ids is not None:
            fit += f" AND id IN ({_SQL['latest_versions']})"
        if within is not None:
            fit += " AND project IN (:within, '_global')"
        chosen = self._run(f"{_SQL['chosen_lines']} AND {fit}", **values)
        if kinds is not None:
            # Once a model has written the profile, only what is newer stands beside it.
            fit += f" AND created_at > {_SQL['profile_written']}"
        index = "INDEXED BY memories_by_kind" if kinds is not None else ""
        important = self._run(self._sql("important_lines", index=index, fit=fit), **values)
        by_id: dict[str, tuple[Any, ...]] = {row[0]: row for row in (*chosen, *important)}
        rows = sorted(by_id.values(), key=lambda row: row[5:], reverse=True)[:limit]
        sources = self._unit.memories.sources([row[0] for row in rows])
        return [
            CoreLine(id_, content, kind, trust, codec.from_micros(since), sources.get(id_, ()))
            for id_, content, kind, trust, since, *_ in rows
        ]

    def core_ids(self) -> set[str]:
        return set(self._docs("core = 1"))

    def mark_core(self, ids: Sequence[str], *, core: bool) -> None:
        self._run("mark_core", ids=ids, core=core)

    def counts(self, now: datetime) -> TierCounts:
        core, other = self._run("counts", now=now).get
        return TierCounts(int(core), int(other))

    def partitions(self, least: int) -> list[tuple[str, str]]:
        """Projects and topics with at least so many active memories."""
        return [(project, topic) for project, topic in self._run("partitions", least=least)]

    def _docs(self, clause: str, **values: Any) -> dict[str, int]:
        """Ids and numbers of memories, in the order asked for."""
        statement = f"SELECT id, doc FROM memories WHERE space = :space AND {clause}"
        return dict(self._run(statement, **values))

    def _memories(self, ids: Collection[str]) -> list[Memory]:
        """Memories in the order of their ids here."""
        by_id = {memory.id: memory for memory in self._unit.memories.by_id(list(ids))}
        return [by_id[codec.as_name(id_)] for id_ in ids]
