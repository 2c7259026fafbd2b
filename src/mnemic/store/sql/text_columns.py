"""Reading and rewriting texts wherever they are kept, by the list of columns in columns.tsv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from mnemic.store import codec
from mnemic.store.rows import StoredTextKind
from mnemic.store.sql.part import SqlConnection
from mnemic.store.transfer import MovedColumn, MovedTable, columns_with


def leaves(value: Any) -> Iterator[str]:
    """Every string in a JSON value, keys included."""
    waiting: list[Any] = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value


# The fields of objects in JSON lists that hold text; names of tools and parameters are none.
_TEXT_FIELDS = {field.name: field.holds["words"].split(",") for _, field in columns_with("words")}


def read_words(column: str, value: Any) -> Iterator[str]:
    """The texts in the JSON of a column."""
    if column not in _TEXT_FIELDS:
        yield from leaves(value)
        return
    for item in value:
        for field in _TEXT_FIELDS[column]:
            inner = item.get(field, "")
            yield from leaves(list(inner.values()) if isinstance(inner, dict) else inner)


EXPRESSIONS = {
    # What the engine and its models call the owner is nobody's word.
    "subject": "iif(lower(subject) IN ('user', 'the user', '用户'), '', subject)",
}
_ENGINE_PART = {"operation_id": "substr(operation_id, 1, instr(operation_id, ':'))"}
_ENGINE_FIELDS = "by decision kind outcome reason source state status trust was".split()


class TextColumns(NamedTuple):
    """Where texts of one kind stand."""

    table: MovedTable
    columns: list[MovedColumn]


@cache
def text_columns() -> Mapping[StoredTextKind, TextColumns]:
    places: dict[Any, TextColumns] = {}
    for table, column in columns_with("text"):
        places.setdefault(column.holds["text"], TextColumns(table, [])).columns.append(column)
    return places


def names(conn: SqlConnection, keys: str) -> Iterator[str]:
    """Every name beside what people said; ``keys`` asks for those in events' payloads."""
    for table, column in columns_with("shown"):
        read = _ENGINE_PART.get(column.name, column.name)
        rows = conn.execute(
            f"SELECT DISTINCT {read} FROM {table.name} WHERE {column.name} IS NOT NULL"
        )
        for (name,) in rows:
            yield str(name)
    for name, word in conn.execute(keys, (codec.dump(_ENGINE_FIELDS),)):
        yield str(name)
        yield str(word or "")
