"""docs/schema.md names every table and column, and its queries run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import mnemic
from tests.fixtures.schema import LATEST

PAGE = (Path(__file__).parents[1] / "docs" / "schema.md").read_text("utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.S)


def described() -> dict[str, list[str]]:
    """Tables and columns of the page, in its order."""
    tables: dict[str, list[str]] = {}
    for section in re.split(r"^### ", PAGE, flags=re.M)[1:]:
        name, _, text = section.partition("\n")
        tables[name] = re.findall(r"^\| `(\w+)` \| .*\S.* \|$", text, re.M)
    return tables


def columns_of(conn: apsw.Connection) -> dict[str, list[str]]:
    names = conn.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type != 'shadow'"
        " AND name NOT LIKE 'sqlite_%'"
    )
    return {
        str(name): [
            str(column)
            for (column,) in conn.execute("SELECT name FROM pragma_table_info(?)", (name,))
        ]
        for (name,) in names.fetchall()
    }


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    path = tmp_path_factory.mktemp("schema") / "memory.db"
    with mnemic.open(path, worker="none") as mind:
        with mind.session("s", project="home") as talk:
            turn = talk.user("My name is Lin and I live in Oslo.")
        mind.drain()
        old = mind.remember("the kettle is blue", kind="fact", sources=[turn.id]).memory
        assert old is not None
        mind.edit(old.id, text="the kettle is green")
        mind.record_usage(purpose="chat", model="m", input_tokens=1, output_tokens=2)
    conn = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    yield conn
    conn.close()


def test_every_table_and_column_is_described(filled: apsw.Connection) -> None:
    assert described() == {name: columns_of(filled)[name] for name in described()}
    assert set(described()) == set(columns_of(filled))


def test_the_page_is_about_the_schema_of_new_files() -> None:
    made = re.findall(r'^CREATE (?:VIRTUAL )?TABLE "?(\w+)', LATEST.read_text("utf-8"), re.M)
    assert set(made) | {"migrations"} == set(described())


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.split("\n")[0][:40])
def test_a_query_runs(filled: apsw.Connection, query: str) -> None:
    rows = filled.execute(query).fetchall()
    assert rows or "jobs" in query or "unixepoch('20" in query


def test_the_conventions_hold(filled: apsw.Connection) -> None:
    memories: list[Any] = filled.execute("SELECT doc, space FROM memories").fetchall()
    (doc, space), *_ = memories
    assert (doc >> 39, doc >> 36 & 7) == (space, 1)
    assert filled.execute("PRAGMA application_id").get == 0x4D6E656D
    assert str(filled.execute("SELECT min(id) FROM turns").get)[14] == "7"
