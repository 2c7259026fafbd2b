"""Behind row-level security an index is still used for what is asked for by number."""

from __future__ import annotations

import pytest

from mnemic.index.segment import query_terms
from mnemic.store.postgres.dialect import translate
from mnemic.store.postgres.store import PostgresStore
from mnemic.store.rows import Scope
from tests.contract.rows import SPACE, append, turn

pytestmark = pytest.mark.feature("O5")


@pytest.mark.parametrize("table", ["turns", "text_terms"])
def test_documents_are_looked_up_by_their_numbers(store: PostgresStore, table: str) -> None:
    append(store, *(turn(f"turn {n}", session=f"s{n % 9}") for n in range(400)))
    with store.server.alone() as conn:
        conn.execute(f"ANALYZE mnemic.{table}")
    (asked,) = translate(
        f"SELECT t.doc FROM json_each(?) d CROSS JOIN {table} t ON t.doc = d.atom WHERE t.space = ?"
    )
    with store.open_read(SPACE) as unit:
        for way in (
            "seqscan",
            "bitmapscan",
            "hashjoin",
            "mergejoin",
        ):  # a small table is read whole
            unit.conn.native(f"SET LOCAL enable_{way} = off")
        rows = unit.conn.native(f"EXPLAIN {asked.text}", ("[1]", unit.space))
        plan = [line.strip() for (line,) in rows]
    (condition,) = [line for line in plan if line.startswith("Index Cond")]
    assert "(doc = d.atom)" in condition


def test_statistics_of_a_time_when_there_was_little_do_no_harm(store: PostgresStore) -> None:
    """A load of many turns is searched before the server has counted them."""
    append(store, *(turn(f"tea {n} boat {n + 50} paper") for n in range(8)), space="other")
    with store.server.alone() as conn:
        conn.execute("ANALYZE mnemic.text_postings")
    append(store, *(turn(f"tea boat paper winter train {n}") for n in range(3_000)))
    with store.open_read(SPACE) as unit:
        unit.conn.native("SET LOCAL statement_timeout = '2s'")
        scope = Scope(types=("turn",))
        docs, count = unit.text.holding(query_terms("tea boat paper winter train"), scope, 5)
    assert (len(docs), count) == (5, 3_000)
