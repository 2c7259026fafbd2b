"""Rows that lead to nothing, and records that lack what they should have."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mnemic.store.erasure import Orphans
from mnemic.store.rows import TABLES, first_doc, last_doc
from mnemic.store.sql.part import Part
from mnemic.store.sql.statements import read_statements
from mnemic.types import RECORD_TYPES


class SqlCleanup(Part):
    """Cleanup one space on one connection."""

    statements = read_statements("sql/cleanup")

    def orphans(self, examples: int) -> Orphans:
        """How many rows lead to nothing, and some of them."""
        counts: dict[str, int] = {}
        shown: dict[str, tuple[str, ...]] = {}
        for what, (table, name, condition) in self._kinds().items():
            ids = self._column(
                f"SELECT o.{name} FROM {table} o WHERE o.space = :space AND {condition}"
            )
            counts[what], shown[what] = len(ids), tuple(map(str, ids[:examples]))
        return Orphans(counts, shown)

    def remove_orphans(self) -> int:
        """Remove them; says how many."""
        removed = 0
        for table, _, condition in self._kinds().values():
            self._run(f"DELETE FROM {table} AS o WHERE o.space = :space AND {condition}")
            removed += self._conn.changes()
        return removed

    def unvectored(self, embedder: int, limit: int) -> Sequence[int]:
        """Records that count as embedded, have words, and have no vector."""
        docs: list[int] = []
        for type_ in RECORD_TYPES:
            docs += self._column(
                f"SELECT r.doc FROM {TABLES[type_]} r JOIN text_terms w ON +w.space = r.space"
                " AND w.doc = r.doc"
                " AND length(w.packed) > 0 WHERE r.space = :space AND r.doc <= ifnull((SELECT doc"
                "  FROM embedded WHERE space = :space AND embedder = :embedder"
                "  AND type = :type), -1)"
                " AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = r.space"
                "  AND v.embedder = :embedder AND v.doc = r.doc)"
                " AND NOT EXISTS (SELECT 1 FROM changed_texts c WHERE c.space = r.space"
                "  AND c.doc = r.doc) ORDER BY r.doc LIMIT :limit",
                embedder=embedder,
                type=type_,
                limit=limit,
            )
        return docs[:limit]

    def ask_again(self, docs: Collection[int]) -> None:
        """Let records wait for their vectors again."""
        self._run("ask_again", docs=list(docs))

    def _kinds(self) -> dict[str, tuple[str, str, str]]:
        """With vectors and index rows, whose number tells the type of their record."""
        kinds: dict[str, tuple[str, str, str]] = {}
        for name, condition in self.statements.items():
            what, _, place = name.partition(": ")
            if place:
                table, _, column = place.partition(".")
                kinds[what] = table, column, condition
        for type_ in RECORD_TYPES:
            bounds = (
                f"o.doc BETWEEN {first_doc(self._space, type_)} AND {last_doc(self._space, type_)}"
            )
            missing = (
                f"{bounds} AND NOT EXISTS (SELECT 1 FROM {TABLES[type_]} r"
                " WHERE r.space = o.space AND r.doc = o.doc)"
            )
            kinds[f"vectors of no {type_}"] = ("vectors", "doc", missing)
            kinds[f"token vectors of no {type_}"] = ("token_vectors", "doc", missing)
            kinds[f"changes of no {type_}"] = ("changed_texts", "doc", missing)
        return kinds
