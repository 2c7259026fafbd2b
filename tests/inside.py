"""What stands in a memory, past the engine: to look at it, and to break it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw

from tests.postgres.server import connect, damage


def rows(target: Path | str, query: str) -> list[tuple[Any, ...]]:
    """What a query of the tables answers."""
    if isinstance(target, str):
        with connect(target) as server:
            server.execute("SET search_path = mnemic, public")
            return list(server.execute(query))
    conn = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(conn.execute(query))
    finally:
        conn.close()


def spoil(target: Path | str, *statements: str) -> None:
    """Break a memory that nobody has open."""
    if isinstance(target, str):
        damage(target, *statements)
        return
    conn = apsw.Connection(str(target))
    for statement in statements:
        conn.execute(statement)
    conn.close()


def text_index(target: Path | str) -> str:
    """The table without which no word is found."""
    return "text_postings" if isinstance(target, str) else "text_index_data"
