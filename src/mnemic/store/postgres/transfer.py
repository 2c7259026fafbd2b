"""Rows of PostgreSQL on their way out and in, a batch in one statement."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from mnemic.store.postgres.connection import PostgresConnection
from mnemic.store.postgres.vector_type import PgVectors
from mnemic.store.rows import TABLES, first_doc
from mnemic.store.sql.transfer import (
    STANDS_FOR,
    RowRefused,
    SqlTransfer,
    keyed,
    misfit,
    missing,
    occupied,
    statements_of,
)
from mnemic.store.transfer import Cells, ColumnKind, MovedTable, PutRows, RowConflict

_NAMED = re.compile(r"(?<!:):([a-z_]+)")
_TYPES: Mapping[ColumnKind, str] = {
    "integer": "bigint",
    "long": "bigint",
    "flag": "bigint",
    "time": "bigint",
    "place": "bigint",
    "real": "double precision",
    "bytes": "bytea",
}
_NOT_NULL, _UNIQUE = "23502", "23505"


class PostgresTransfer(SqlTransfer):
    """Moving the rows of one space on one connection."""

    _conn: PostgresConnection

    @contextlib.contextmanager
    def refusing(self, table: MovedTable, row: Cells) -> Iterator[None]:
        """What fails is undone by itself, and the transaction goes on."""
        import psycopg

        self._conn.native("SAVEPOINT moved")
        try:
            yield
            self._conn.flush()
        except RowRefused:
            self._conn.native("ROLLBACK TO SAVEPOINT moved")
            raise
        except psycopg.IntegrityError as error:
            self._conn.native("ROLLBACK TO SAVEPOINT moved")
            if error.sqlstate == _NOT_NULL:
                raise missing(table, row, error.diag.column_name or "row") from error
            if error.sqlstate == _UNIQUE:
                raise occupied(table, row) from error
            raise misfit(table, row, error.diag.message_primary or "") from error
        self._conn.native("RELEASE SAVEPOINT moved")

    def _find(
        self, table: MovedTable, rows: Sequence[Cells], every: Sequence[Mapping[str, Any]]
    ) -> Iterable[Cells | None]:
        if not _is_plain(table):
            return super()._find(table, rows, every)
        return self._find_all(table, rows, every)

    def _find_all(
        self, table: MovedTable, rows: Sequence[Cells], every: Sequence[Mapping[str, Any]]
    ) -> list[Cells | None]:
        statement, names = _find_statement(table)
        found = {
            place: cells
            for place, *cells in self._conn.native(
                self._numbered(statement), self._columns(every, names)
            )
        }
        return [keyed(table, found.get(n), row) for n, row in enumerate(rows, 1)]

    def put(self, table: MovedTable, rows: Sequence[Cells]) -> PutRows:
        """New rows go in all at once. What is not new, or does not fit, is looked at one by one."""
        if not _is_plain(table):
            return super().put(table, rows)
        every = [self._values(table, row) for row in rows]
        new: dict[Cells, int] = {}
        for n, found in enumerate(self._find_all(table, rows, every)):
            if found is None:
                new.setdefault(tuple(rows[n][key] for key in table.keys), n)
        added = sorted(new.values())
        if added and not self._insert_all(table, [every[n] for n in added], rows[added[0]]):
            added = []
        rest = sorted(set(range(len(rows))).difference(added))
        if added:
            self._follow_up(table, [rows[n] for n in added])
        put = super().put(table, [rows[n] for n in rest]) if rest else PutRows([], 0, [])
        return PutRows(
            sorted([*added, *(rest[n] for n in put.added)]),
            put.known,
            [RowConflict(rest[n], reason) for n, reason in put.conflicts],
        )

    def _insert_all(self, table: MovedTable, every: list[dict[str, Any]], first: Cells) -> bool:
        """Whether all of them are in; else none is."""
        try:
            for values in every:
                self._check(table, values)
            if table.record is not None:
                self._give_numbers(table, every)
            with self.refusing(table, first):
                statement, names = _insert_statement(table)
                columns = self._columns(every, names)
                if table.name == "vectors":
                    columns[names.index("vector")] = PgVectors(columns[names.index("vector")])
                self._conn.native(self._numbered(statement), columns)
        except RowRefused:
            return False
        return True

    def _give_numbers(self, table: MovedTable, every: Sequence[dict[str, Any]]) -> None:
        """Each the next one, or a higher one that leaves the gaps of the source where they were."""
        assert table.record is not None
        first = first_doc(self._space, table.record)
        row = self._conn.native(
            f"SELECT max(doc) FROM {TABLES[table.record]} WHERE space = $1", (self._space,)
        ).fetchone()
        doc = first - 1 if row is None or row[0] is None else int(row[0])
        for values in every:
            doc = values["doc"] = max(doc + 1, first + values["place"])

    def _numbered(self, statement: str) -> str:
        """With the numbers of the space in it."""
        return _NAMED.sub(lambda name: str(int(self._numbers[name[1]])), statement)

    @staticmethod
    def _columns(every: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[Sequence[Any]]:
        return [[values[name] for values in every] for name in names]


def _is_plain(table: MovedTable) -> bool:
    """Whether a row of it is just there or not."""
    return bool(table.key) and table.name not in STANDS_FOR


@cache
def _find_statement(table: MovedTable) -> tuple[str, tuple[str, ...]]:
    """What finds the rows of many keys, and the columns that it is to be given.

    Keys are worked out before the join: behind row-level security only a plain comparison of two
    columns is looked up in an index.
    """
    statements = statements_of(table)
    parts = [part.split(" = ", 1) for part in statements.key.removeprefix("r.").split(" AND r.")]
    keys = {column: expression for column, expression in parts if column != "space"}
    said, names = _by_column(table, ", ".join(f"{keys[name]} AS {name}" for name in keys))
    join = " AND ".join(["r.space = :space", *(f"r.{name} = k.{name}" for name in keys)])
    return (
        f"SELECT k.nth, {', '.join(statements.cells)} FROM (SELECT n.nth, {said}"
        f" FROM {_given(table, names)} OFFSET 0) k JOIN {statements.source} r ON {join}"
    ), names


@cache
def _insert_statement(table: MovedTable) -> tuple[str, tuple[str, ...]]:
    """What adds many rows, and the columns that it is to be given."""
    statements = statements_of(table)
    values = {**statements.values, **({"doc": ":doc"} if table.record else {})}
    said, names = _by_column(table, ", ".join(values.values()))
    return (
        f"INSERT INTO {statements.source} ({', '.join(values)}) SELECT {said}"
        f" FROM {_given(table, names)} ORDER BY n.nth"
    ), names


def _by_column(table: MovedTable, said: str) -> tuple[str, tuple[str, ...]]:
    """Cells of a row as columns of the given ones; numbers of the space stay as they are."""
    own = {*table.names, "doc"}
    names = tuple(dict.fromkeys(name for name in _NAMED.findall(said) if name in own))
    return _NAMED.sub(lambda name: f"n.{name[1]}" if name[1] in own else name[0], said), names


def _given(table: MovedTable, names: Sequence[str]) -> str:
    kinds = {column.name: column.kind for column in table.columns} | {"doc": "integer"}
    arrays = []
    for n, name in enumerate(names, 1):
        type_ = _TYPES.get(kinds[name], "text")
        if (table.name, name) == ("vectors", "vector"):
            type_ = "vector"
        arrays.append(f"${n}::{type_}[]")
    return f"unnest({', '.join(arrays)}) WITH ORDINALITY AS n ({', '.join([*names, 'nth'])})"
