"""What every part of a unit of work is made of: a connection, a space, and statements on both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from mnemic.store import codec
from mnemic.store.rows import TABLES, first_doc, last_doc
from mnemic.store.sql.connection import SqlRows
from mnemic.types import RecordType

if TYPE_CHECKING:
    from mnemic.store.sql.unit import Unit


class Part:
    """One subject of a space, inside the transaction of its unit.

    In statements ``:space`` is the space of the unit; times are given as microseconds and lists
    as JSON.
    """

    statements: ClassVar[Mapping[str, str]] = {}

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._conn = unit.conn
        self._space = unit.space

    def _run(self, statement: str, **values: Any) -> SqlRows:
        """Execute a statement, or the one of ``statements`` with this name."""
        if " " not in statement:
            statement = self.statements[statement]
        encoded = {name: codec.encode(value) for name, value in values.items()}
        return self._conn.execute(statement, {"space": self._space, **encoded})

    def _column(self, statement: str, **values: Any) -> list[Any]:
        """The values of an answer with one column."""
        return [value for (value,) in self._run(statement, **values)]

    def _insert(self, table: str, values: Mapping[str, Any]) -> None:
        """Add a row."""
        self._run(_insert_statement(table, tuple(values)), **values)

    def _put(self, table: str, values: Mapping[str, Any], key: tuple[str, ...] = ()) -> None:
        """Add a row, or replace the one of the space that has the same key."""
        names = tuple(values)
        conflict = ", ".join(("space", *key))
        changes = _assign(tuple(name for name in names if name not in key), "excluded.")
        self._run(
            f"{_insert_statement(table, names)} ON CONFLICT ({conflict}) DO UPDATE SET {changes}",
            **values,
        )

    def _update(self, table: str, id_: str, values: Mapping[str, Any]) -> SqlRows:
        """Change a record; gives its document if it is there."""
        return self._run(_update_statement(table, tuple(values)), **values, id=id_)

    def _next_doc(self, type_: RecordType) -> int:
        """The number for the next record of a type."""
        first = first_doc(self._space, type_)
        highest = self._conn.execute(
            f"SELECT max(doc) FROM {TABLES[type_]} WHERE +space = ? AND doc BETWEEN ? AND ?",
            (self._space, first, last_doc(self._space, type_)),
        ).get
        return first if highest is None else int(highest) + 1


def narrow(conditions: Mapping[str, str], values: Mapping[str, Any]) -> str:
    """The conditions of the values that are given, joined by AND."""
    given = [conditions[name] for name, value in values.items() if value is not None]
    return " AND ".join(given) or "true"


@cache
def _insert_statement(table: str, names: tuple[str, ...]) -> str:
    listed, values = ", ".join(names), ", ".join(f":{name}" for name in names)
    return f"INSERT INTO {table} (space, {listed}) VALUES (:space, {values})"


@cache
def _update_statement(table: str, names: tuple[str, ...]) -> str:
    changes = _assign(names, ":")
    return f"UPDATE {table} SET {changes} WHERE space = :space AND id = :id RETURNING doc"


@cache
def _assign(names: tuple[str, ...], prefix: str) -> str:
    return ", ".join(f"{name} = {prefix}{name}" for name in names)
