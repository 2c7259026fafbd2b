"""How a space is doing: its counts, and records and rows that lack what they should have."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mnemic.store import codec
from mnemic.store.rows import TABLES, Orphans
from mnemic.store.sql.part import Part, read_statements
from mnemic.types import RECORD_TYPES, TURN_STATES, Finding, RecordType, Stats

_COUNTED = ("sessions", "episodes", "attachments", "events", "jobs")
_OF_RECORDS = {"vectors": "vectors", "token vectors": "token_vectors", "changes": "changed_texts"}
_REPAIR = "Run `mnemic doctor --repair`"


class SqlCleanup(Part):
    """The state and the cleanup of one space on one connection."""

    statements = read_statements("sql/cleanup")

    def stats(self, name: str, file_bytes: int) -> Stats:
        """Counts of the space, and the size of the database."""
        turns = {state: both.split() for state, both in self._run("count_turns")}
        states = {state: int(count) for state, (count, _) in turns.items()}
        tables = {table: self.count_rows(table) for table in _COUNTED}
        counts = dict(self._run(self._sql("count_records", **tables)))
        by_kind: dict[str, int] = dict(self._run("count_kinds"))
        # The least and the largest each by themselves, which an index gives without being read.
        first, last = (codec.maybe_from_micros(self._run(n).get) for n in ("first_at", "last_at"))
        return Stats(
            space=name,
            turns=sum(states.values()),
            memories=sum(by_kind.values()),
            turn_states={state: states.get(state, 0) for state in TURN_STATES},
            first_at=first,
            last_at=last,
            file_bytes=file_bytes,
            schema=int(self._run("schema").get or 0),
            tokens=sum(int(tokens) for _, tokens in turns.values()),
            by_kind=by_kind,
            **counts,
        )

    def count_rows(self, table: str) -> str:
        """A query for how many rows of a table are the space's; of jobs, those that are ready."""
        within, beyond = ("own_jobs", "other_jobs") if table == "jobs" else ("own", "others")
        parts = {"own": self.statements[within], "others": self._sql(beyond, table=table)}
        return self._sql("count_rows", table=table, **parts)

    def findings(self, damage: tuple[type[Exception], ...] = ()) -> list[Finding]:
        """Work given up, and records not found by their words; ``damage`` is a broken index's."""
        dead = int(self._run("dead_jobs").get)
        remedy = "See `mnemic jobs --state dead`, then `mnemic jobs redrive`" if dead else ""
        findings = [Finding("dead jobs", dead == 0, str(dead), remedy)]
        for type_ in RECORD_TYPES:
            try:
                findings.append(self._check_index(type_))
            except damage as error:
                findings.append(Finding(f"text index: {type_}", False, str(error), _REPAIR))
        return findings

    def _check_index(self, type_: RecordType) -> Finding:
        """Every record has its text-index row, and no row is left without its record."""
        ((rows, indexed, both),) = self._run(
            self._sql("check_index", table=TABLES[type_]), **self._range_of(type_)
        )
        ok = rows == indexed == both
        detail = f"{both} of {rows} records indexed, {indexed} index rows"
        return Finding(f"text index: {type_}", ok, detail, "" if ok else _REPAIR)

    def orphans(self, examples: int) -> Orphans:
        """How many rows lead to nothing, and some of them."""
        ids_of = {
            what: self._column(f"SELECT o.{name} FROM {table} o WHERE o.space = :space AND {where}")
            for what, (table, name, where) in self._kinds().items()
        }
        shown = {what: tuple(map(str, ids[:examples])) for what, ids in ids_of.items()}
        return Orphans({what: len(ids) for what, ids in ids_of.items()}, shown)

    def remove_orphans(self) -> int:
        """Remove them; says how many."""
        removed = 0
        for table, _, condition in self._kinds().values():
            self._run(f"DELETE FROM {table} AS o WHERE o.space = :space AND {condition}")
            removed += self._conn.changes()
        return removed

    def list_unvectored(self, embedder: int, limit: int) -> Sequence[int]:
        """Records that count as embedded, have words, and have no vector."""
        docs: list[int] = []
        for type_ in RECORD_TYPES:
            statement = self._sql("unvectored", table=TABLES[type_])
            docs += self._column(statement, embedder=embedder, type=type_, limit=limit)
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
            missing = self._sql("no_record", table=TABLES[type_], **self._range_of(type_))
            for what, table in _OF_RECORDS.items():
                kinds[f"{what} of no {type_}"] = table, "doc", missing
        return kinds
