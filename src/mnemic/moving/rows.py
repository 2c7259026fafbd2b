"""Rows out of a store and into one: batch by batch, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mnemic.learn.reindex import index_again
from mnemic.store.contract import Store, Unit
from mnemic.store.transfer import Cells, MovedTable, PutRows

BATCH = 1_000


def read_batches(unit: Unit, table: MovedTable) -> Iterator[list[Cells]]:
    """Every row of a table, in the one snapshot of the unit."""
    after: Cells | None = None
    while True:
        page = unit.transfer.rows(table, after, BATCH)
        if page.rows:
            yield page.rows
        if page.after is None:
            return
        after = page.after


def put_rows(store: Store, space: str, table: MovedTable, rows: Sequence[Cells]) -> PutRows:
    """Put checked rows down and index them, in one transaction."""
    with store.write(space) as unit:
        put = unit.transfer.put(table, rows)
        if table.record is not None and put.added:
            key = table.keys[0]
            ids = [str(rows[n][key]) for n in put.added]
            index_again(unit, table.record, ids, changed=False)
    return put
