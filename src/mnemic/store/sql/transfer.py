"""Rows of a database on their way out and in: where each column of the moved form stands, and how a
row that comes in is told from one that is there.

Numbers of this database are looked up while a row is written, so a row that names something which
is not here violates a constraint and is refused by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mnemic.late import np
from mnemic.rules.speakers import UNREAD
from mnemic.store.rows import TABLES, first_doc, last_doc, number_of
from mnemic.store.sql.part import Part, read_statements
from mnemic.store.transfer import BATCH, Cells, MovedTable, PutRows, RowConflict, from_cell, to_cell
from mnemic.types import RECORD_TYPES, RecordType

if TYPE_CHECKING:
    from mnemic.store.sql.unit import Unit

_FLOAT = 4  # bytes
_UNIT = 0.01  # how far the square of a vector may be from 1
_EVERY = 1 << 40
_LAYOUT = read_statements("sql/transfer")


class Statements(NamedTuple):
    """The SQL of one table."""

    total: str
    first: str
    further: str
    find: str
    insert: str
    stands_for: str


def read_column(table: MovedTable, name: str) -> str:
    """How a column of a row ``r`` is read as it moves."""
    return _LAYOUT.get(f"{table.name} read {name}", f"r.{name}")


@cache
def statements_of(table: MovedTable) -> Statements:
    def layout(name: str, usual: str) -> str:
        return _LAYOUT.get(f"{table.name} {name}", usual)

    source, where = layout("table", table.name), layout("where", "r.space = :space")
    cells = ", ".join(read_column(table, name) for name in table.names)
    names = layout("order", " ".join(table.key) or "space").split()
    order = ", ".join(f"r.{name}" for name in names)
    page = f"SELECT {cells}, {order} FROM {source} r WHERE {where}"
    end = f" ORDER BY {order} LIMIT :limit"
    after = ", ".join(f":after_{n}" for n in range(order.count(",") + 1))
    own_key = " AND ".join(("r.space = :space", *(f"r.{name} = :{name}" for name in table.key)))
    values = {"space": ":space"} if table.name != "embedders" else {}
    values |= {
        name: f":{name}" for name in table.names if f"{table.name} read {name}" not in _LAYOUT
    }
    prefix = f"{table.name} write "
    values |= {n.removeprefix(prefix): cell for n, cell in _LAYOUT.items() if n.startswith(prefix)}
    return Statements(
        f"SELECT count(*) FROM {source} r WHERE {where}",
        page + end,
        f"{page} AND ({order}) > ({after}){end}",
        f"SELECT {cells} FROM {source} r WHERE {layout('find', own_key)}",
        f"INSERT INTO {source} ({', '.join(values)}) SELECT {', '.join(values.values())}",
        layout("stands for", ""),
    )


class SqlTransfer(Part):
    """Moving the rows of one space on one connection."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        space = unit.space
        self._numbers: dict[str, Any] = {"space": space}
        self._dimensions: dict[str, int] = {}  # of each embedder, once it has some
        for type_ in RECORD_TYPES:
            self._numbers[f"first_{type_}"] = first_doc(space, type_)
            self._numbers[f"last_{type_}"] = last_doc(space, type_)

    # --- reading --------------------------------------------------------------------------------

    def count(self, table: MovedTable) -> int:
        return int(self._conn.execute(statements_of(table).total, self._numbers).get)

    def rows(self, table: MovedTable, batch: int = BATCH) -> Iterator[list[Cells]]:
        """Every row in batches, in the order they were written, or of their keys."""
        statements, wide = statements_of(table), len(table.columns)
        statement, values = statements.first, {**self._numbers, "limit": batch}
        while True:
            page: list[Any] = self._conn.execute(statement, values).fetchall()
            rows = [_to_cells(table, row[:wide]) for row in page]
            if "record" in table.names:  # vectors of records that are no more lead to nothing
                place = table.names.index("record")
                rows = [row for row in rows if row[place] is not None]
            if rows:
                yield rows
            if len(page) < batch:
                return
            statement = statements.further
            values |= {f"after_{n}": value for n, value in enumerate(page[-1][wide:])}

    def find_stored(self, table: MovedTable, rows: Sequence[Cells]) -> list[Cells | None]:
        """What stands here for each row, also a further mark or a job that waits for the same."""
        bindings = [self._values(table, row) for row in rows]
        stored = self._find(table, rows, bindings)
        return [
            row if self._is_known(table, values, current, row) else current
            for row, values, current in zip(rows, bindings, stored, strict=True)
        ]

    def _find(
        self, table: MovedTable, rows: Sequence[Cells], bindings: Sequence[Mapping[str, Any]]
    ) -> list[Cells | None]:
        """What has the key of each row."""
        stored = self._unit.first_rows(statements_of(table).find, bindings)
        return [_with_key(table, current, row) for current, row in zip(stored, rows, strict=True)]

    def _is_known(
        self, table: MovedTable, values: Mapping[str, Any], current: Cells | None, row: Cells
    ) -> bool:
        """Whether a row is here, or what is here does for one that says something else."""
        if current is not None and table.same(current, row):
            return True
        rule = statements_of(table).stands_for
        return bool(rule and self._conn.execute(rule, values).get)

    # --- writing --------------------------------------------------------------------------------

    def put(self, table: MovedTable, rows: Sequence[Cells]) -> PutRows:
        """Add checked rows. One that is there is known; another one under its key, or in its
        place, stays as it is and makes a conflict. A record is given its number in the order of
        the places, and has still to be indexed.
        """
        bindings = [self._values(table, row) for row in rows]
        added = self._put_new(table, rows, bindings)
        repeated, conflicts = 0, []
        for n in sorted(set(range(len(rows))).difference(added)):
            (current,) = self._find(table, [rows[n]], [bindings[n]])
            if self._is_known(table, bindings[n], current, rows[n]):
                repeated += 1
                continue
            try:
                with self._undone_if_refused(table, rows[n]):
                    self._put_row(table, rows[n], bindings[n], current)
            except RowRefused as refused:
                conflicts.append(RowConflict(n, str(refused)))
            else:
                added.append(n)
        if added:
            self._follow_up(table, [rows[n] for n in sorted(added)])
        return PutRows(sorted(added), repeated, conflicts)

    def _put_new(
        self, table: MovedTable, rows: Sequence[Cells], bindings: Sequence[Mapping[str, Any]]
    ) -> list[int]:
        """Add all rows with a new key at once, and say which; none where one does not fit."""
        if not rows or not table.key or statements_of(table).stands_for:
            return []
        new: dict[Cells, int] = {}
        for n, current in enumerate(self._find(table, rows, bindings)):
            if current is None:
                new.setdefault(tuple(rows[n][key] for key in table.keys), n)
        try:
            for n in new.values():
                self._check(table, bindings[n])
            with self._undone_if_refused(table, rows[0]):
                for n in new.values():
                    self._insert_row(table, bindings[n])
        except RowRefused:
            return []
        return list(new.values())

    @contextmanager
    def _undone_if_refused(self, table: MovedTable, row: Cells) -> Iterator[None]:
        """What is refused is undone by itself, and the transaction goes on."""
        self._conn.execute("SAVEPOINT moved")
        try:
            with self.refusing(table, row):
                yield
        except RowRefused:
            self._conn.execute("ROLLBACK TO SAVEPOINT moved")
            raise
        finally:
            self._conn.execute("RELEASE SAVEPOINT moved")

    def refusing(self, table: MovedTable, row: Cells) -> AbstractContextManager[None]:
        """A row that a constraint of the database forbids is refused, and nothing else."""
        raise NotImplementedError

    def _put_row(
        self, table: MovedTable, row: Cells, values: Mapping[str, Any], current: Cells | None
    ) -> None:
        write = {
            "session_progress": self._put_progress,
            "embedded": self._put_mark,
            "schedules": self._put_schedule,
            "embedders": self._put_embedder,
        }.get(table.name)
        if write is not None:
            write(values, current)
        elif current is not None:
            raise RowRefused(f"another {_one(table)} has its key {_name_row(table, row)}")
        else:
            self._check(table, values)
            self._insert_row(table, values)

    def _insert_row(self, table: MovedTable, values: Mapping[str, Any]) -> None:
        if table.name == "vectors":
            values = {**values, "vector": self._unit.encode_vector(values["vector"])}
        self._conn.execute(statements_of(table).insert, values)

    def _values(self, table: MovedTable, row: Cells) -> dict[str, Any]:
        values = dict(self._numbers)
        for column, cell in zip(table.columns, row, strict=True):
            values[column.name] = from_cell(column.kind, cell, column.name)
        return values

    def _check(self, table: MovedTable, values: Mapping[str, Any]) -> None:
        """One vector that is not like the others would spoil every search."""
        if table.name not in ("vectors", "embedding_cache"):
            return
        embedder = values["embedder"]
        dimensions = self._dimensions.get(embedder)
        if not dimensions:
            dimensions = self._dimensions[embedder] = self._conn.execute(
                "SELECT dimensions FROM embedders WHERE name = :embedder", values
            ).get
        data: bytes = values["vector"]
        if dimensions and len(data) != int(dimensions) * _FLOAT:
            raise RowRefused(f"a vector of {embedder!r} has {dimensions} dimensions")
        vector = np.frombuffer(data[: len(data) // _FLOAT * _FLOAT], np.float32)
        square = float(vector @ vector)
        if not np.isfinite(square) or (table.name == "vectors" and abs(square - 1) > _UNIT):
            raise RowRefused("its vector is not of length 1")

    def _put_embedder(self, values: Mapping[str, Any], current: Cells | None) -> None:
        if current is not None and current[1] and values["dimensions"]:
            raise RowRefused(f"the embedder {values['name']!r} has {current[1]} dimensions here")
        self._conn.execute(_LAYOUT["put embedder"], values)

    def _put_progress(self, values: Mapping[str, Any], current: Cells | None) -> None:
        """Marks only rise; a turn that still waits to be learned from is not passed over."""
        for mark in ("digested", "extracted"):
            if values[mark] is None:
                continue
            doc = self._conn.execute(_LAYOUT["turn of mark"].format(mark), values).get
            if current is None or doc is None:
                raise RowRefused(f"it names {values[mark]!r}, which is no turn here")
            waiting = _LAYOUT["first waiting"] if mark == "extracted" else "NULL"
            statement = _LAYOUT["raise mark"].format(mark=mark, waiting=waiting)
            self._conn.execute(statement, {**values, "doc": doc})

    def _put_mark(self, values: Mapping[str, Any], current: Cells | None) -> None:
        """How far embedding has come; records below the mark without vectors go on waiting."""
        type_: RecordType = values["type"]
        number = self._conn.execute(_LAYOUT["embedder number"], values).get
        doc = self._conn.execute(_LAYOUT["document through"], values).get
        if number is None or doc is None:
            raise RowRefused(f"it names {values['through']!r}, which is not here as a {type_}")
        mark = {**values, "number": number, "doc": doc, "first": first_doc(self._space, type_)}
        statement = f"SELECT count(*) FROM {TABLES[type_]} WHERE {_LAYOUT['between marks']}"
        among = int(self._conn.execute(statement, mark).get)
        self._put("embedded", {"embedder": number, "type": type_, "doc": doc}, ("embedder", "type"))
        if among != values["records"]:
            cleanup = self._unit.cleanup
            cleanup.ask_again(cleanup.list_unvectored(number, _EVERY))

    def _put_schedule(self, values: Mapping[str, Any], current: Cells | None) -> None:
        """One that has never run here is only what opening the memory has made."""
        if current is not None and current[-1] is not None:
            raise RowRefused(f"{values['kind']!r} is scheduled otherwise here")
        names = ("kind", "cron", "zone", "next_at", "last_at")
        self._put("schedules", {name: values[name] for name in names}, ("kind",))

    def _follow_up(self, table: MovedTable, rows: Sequence[Cells]) -> None:
        """What has to be true of the rows that were added."""
        if table.name == "turns":
            self._follow_turns([dict(zip(table.names, row, strict=True)) for row in rows])
        elif table.name == "vectors":
            # Copies of vectors in memory that have passed their numbers have to be made anew.
            for embedder, type_ in {(row[0], row[1]) for row in rows}:
                number = number_of(self._space, type_)
                values = {"number": number, "embedder": embedder, "type": type_}
                self._run(_LAYOUT["count rewrite"], **values)

    def _follow_turns(self, turns: Sequence[Mapping[str, Any]]) -> None:
        tools = {(call["name"], turn["id"]) for turn in turns for call in turn["tool_calls"] or ()}
        for name, id_ in sorted(tools):
            self._run(_LAYOUT["turn tool"], name=name, id=id_)
        # A session that was here with fewer turns goes on after the last one, and who speaks in it
        # is asked anew. Where the session came along, its figures hold already.
        sessions = sorted({turn["session"] for turn in turns})
        self._run(_LAYOUT["longer sessions"], speaker=UNREAD, sessions=sessions)


class RowRefused(Exception):
    """A row that cannot go in beside what is there."""


def _with_key(table: MovedTable, current: Sequence[Any] | None, row: Cells) -> Cells | None:
    """What was found for a row; its key is as asked for, however it is written here."""
    if current is None:
        return None
    cells = list(_to_cells(table, current))
    for n in table.keys:
        cells[n] = row[n]
    return tuple(cells)


def _to_cells(table: MovedTable, row: Sequence[Any]) -> Cells:
    return tuple(
        to_cell(column.kind, value) for column, value in zip(table.columns, row, strict=True)
    )


def _one(table: MovedTable) -> str:
    return table.record or f"row of {table.name}"


def _name_row(table: MovedTable, row: Cells) -> str:
    return " ".join(repr(row[n]) for n in table.keys)


def missing(table: MovedTable, row: Cells, column: str) -> RowRefused:
    """A row names something that is not here, so that a column would be empty."""
    what = {"doc": "record"}.get(column, column)
    return RowRefused(f"{_one(table)} {_name_row(table, row)} names a {what} that is not here")


def duplicate(table: MovedTable, row: Cells) -> RowRefused:
    return RowRefused(f"another {_one(table)} is in the place of {_name_row(table, row)}")


def misfit(table: MovedTable, row: Cells, reason: str) -> RowRefused:
    return RowRefused(f"{_one(table)} {_name_row(table, row)} does not fit: {reason}")
