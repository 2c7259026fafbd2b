"""What every part of a unit of work is made of: a connection, a space, and statements on both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from mnemic.store import codec
from mnemic.store.rows import TABLES, first_doc, last_doc
from mnemic.types import RecordType

if TYPE_CHECKING:
    from mnemic.store.sql.unit import Unit

Value = TypeVar("Value")
_NAME = "-- name: "
_DECODERS: Mapping[str, Callable[[Any], Any]] = {
    "time": codec.from_micros,
    "time?": codec.maybe_from_micros,
    "day": date.fromisoformat,
    "flag": bool,
    "words": codec.load_words,
    "mapping": codec.load_mapping,
    "texts": codec.load_texts,
    "metadata": codec.load_metadata,
    "actions": codec.load_actions,
    "calls": codec.load_calls,
    "results": codec.load_results,
}


class SqlRows(Protocol):
    """The answer of a statement."""

    def __iter__(self) -> Iterator[Any]: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    @property
    def get(self) -> Any:
        """The first row, or its value where it has one column; None where there is no row."""


class SqlConnection(Protocol):
    """A transaction, told in SQLite's words: apsw's own face, which PostgreSQL is given too.

    In a list given as JSON ``value`` is a text and ``atom`` a whole number: SQLite does not tell
    them apart, PostgreSQL does.
    """

    def execute(self, statements: str, bindings: Any = None, /) -> SqlRows: ...
    def executemany(self, statements: str, sequenceofbindings: Iterable[Any], /) -> Any: ...
    def changes(self) -> int:
        """The rows that the last statement changed."""


def read_statements(*files: str) -> Mapping[str, str]:
    """The named statements of files under ``store/``, given without their ending."""
    folder, statements = Path(__file__).parents[1], dict[str, str]()
    for file in files:
        text = (folder / f"{file}.sql").read_text(encoding="utf-8")
        for section in text.split(_NAME)[1:]:
            name, *lines = section.splitlines()
            body = "\n".join(line for line in lines if not line.startswith("--"))
            statements[name] = body.strip()
    return statements


class Fields(Generic[Value]):
    """The fields of a type that are columns of the same name, listed as ``name`` or ``name:kind``;
    ``prefix`` is that of the columns in statements, ``table`` where they are read from, and
    ``elsewhere`` has the expressions of fields that have another column.
    """

    def __init__(
        self,
        make: Callable[..., Value],
        listed: str,
        prefix: str = "",
        table: str = "",
        **elsewhere: str,
    ) -> None:
        fields = [field.partition(":") for field in listed.split()]
        self.names = [name for name, _, _ in fields]
        self.columns = ", ".join(elsewhere.get(name, f"{prefix}{name}") for name in self.names)
        self.select = f"SELECT {self.columns} FROM {table} WHERE space = :space"
        # Compiled, as dataclasses are: a loop over the fields would take twice as long.
        names = {f"read_{name}": _DECODERS[kind] for name, _, kind in fields if kind}
        cells = ", ".join(
            f"{name}=read_{name}(row[{n}])" if kind else f"{name}=row[{n}]"
            for n, (name, _, kind) in enumerate(fields)
        )
        #: The value of a row of these columns; fields that are not among them are given by name.
        self.read: Callable[..., Value] = eval(
            f"lambda row, **others: make({cells}, **others)", {"make": make, **names}
        )

    def of(self, value: Value, names: Iterable[str] = ()) -> dict[str, Any]:
        """The fields of a value, or some of them, by column."""
        return {name: getattr(value, name) for name in names or self.names}


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

    def _sql(self, name: str, /, **parts: Any) -> str:
        """The statement with this name, its parts in braces filled in."""
        return self.statements[name].format(**parts)

    def _column(self, statement: str, **values: Any) -> list[Any]:
        return [value for (value,) in self._run(statement, **values)]

    def _list(self, fields: Fields[Value], clause: str = "true", **values: Any) -> list[Value]:
        """What the space has in the table of the fields, by a condition and its order."""
        rows = self._run(f"{fields.select} AND {clause}", **values)
        return [fields.read(row) for row in rows]

    def _first(self, fields: Fields[Value], clause: str = "true", **values: Any) -> Value | None:
        return next(iter(self._list(fields, clause, **values)), None)

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

    def _range_of(self, type_: RecordType) -> dict[str, int]:
        """The first and the last number of a type, as statements ask for them."""
        return {"first": first_doc(self._space, type_), "last": last_doc(self._space, type_)}

    def _next_doc(self, type_: RecordType) -> int:
        first = first_doc(self._space, type_)
        highest = self._conn.execute(
            f"SELECT max(doc) FROM {TABLES[type_]} WHERE +space = ? AND doc BETWEEN ? AND ?",
            (self._space, first, last_doc(self._space, type_)),
        ).get
        return first if highest is None else int(highest) + 1


def narrow(conditions: Mapping[str, str], values: Mapping[str, Any]) -> str:
    """The conditions of the values that are given, joined by AND."""
    clauses = [conditions[name] for name, value in values.items() if value is not None]
    return " AND ".join(clauses) or "true"


@cache
def _insert_statement(table: str, names: tuple[str, ...]) -> str:
    columns, values = ", ".join(names), ", ".join(f":{name}" for name in names)
    return f"INSERT INTO {table} (space, {columns}) VALUES (:space, {values})"


@cache
def _update_statement(table: str, names: tuple[str, ...]) -> str:
    changes = _assign(names, ":")
    return f"UPDATE {table} SET {changes} WHERE space = :space AND id = :id RETURNING doc"


@cache
def _assign(names: tuple[str, ...], prefix: str) -> str:
    return ", ".join(f"{name} = {prefix}{name}" for name in names)
