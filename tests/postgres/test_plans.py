"""Behind row-level security an index is still used for what is asked for by number."""

from __future__ import annotations

import pytest

from recollect.store.postgres.dialect import translate
from recollect.store.postgres.store import PostgresStore
from tests.contract.rows import SPACE, append, turn

pytestmark = pytest.mark.feature("O5")


@pytest.mark.parametrize("table", ["turns", "text_terms"])
def test_documents_are_looked_up_by_their_numbers(store: PostgresStore, table: str) -> None:
    append(store, *(turn(f"turn {n}", session=f"s{n % 9}") for n in range(400)))
    with store.server.alone() as conn:
        conn.execute(f"ANALYZE recollect.{table}")
    (asked,) = translate(
        f"SELECT t.doc FROM json_each(?) d CROSS JOIN {table} t ON t.doc = d.atom WHERE t.space = ?"
    )
    with store.read(SPACE) as unit:
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
