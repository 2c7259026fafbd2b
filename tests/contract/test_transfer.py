"""Moving rows between stores: by ids, once, and without what other processes hold."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from mnemic.errors import InvalidInput
from mnemic.store.contract import Store
from mnemic.store.transfer import BY_NAME, MOVED, Cells
from mnemic.types import constant
from tests.conftest import NOON
from tests.contract.backends import Backend
from tests.contract.rows import SPACE, append, turn


def read(store: Store, table: str, batch: int = 2) -> list[dict[str, Any]]:
    shape = BY_NAME[table]
    with store.read(SPACE) as unit:
        rows = [row for batch_of in unit.transfer.rows(shape, batch) for row in batch_of]
        assert len(rows) == unit.transfer.count(shape)
    return [dict(zip(shape.names, row, strict=True)) for row in rows]


def move(source: Store, target: Store) -> None:
    with source.read(SPACE) as unit:
        for table in MOVED:
            rows = [row for batch in unit.transfer.rows(table) for row in batch]
            with target.write(SPACE) as other:
                put = other.transfer.put(table, rows)
                assert (len(put.added), put.known, put.conflicts) == (len(rows), 0, [])
                again = other.transfer.put(table, rows)
                assert (again.added, again.known, again.conflicts) == ([], len(rows), [])
                assert other.transfer.find_stored(table, rows) == rows


def queue(store: Store, *keys: str) -> None:
    with store.write(SPACE) as unit:
        for key in keys:
            unit.tasks.enqueue("work", {constant(key): {}}, run_at=NOON, now=NOON, max_attempts=3)


def test_a_job_that_runs_elsewhere_is_ready_again(backend: Backend, store: Store) -> None:
    queue(store, "one", "two")
    for _ in range(2):
        assert store.queue.claim("worker", NOON, NOON + timedelta(minutes=1)) is not None
    queue(store, "two")  # asked for again while it runs: one that waits stands for both
    jobs = read(store, "jobs")
    assert sorted((job["key"], job["state"]) for job in jobs) == [
        ("one", "ready"),
        ("two", "ready"),
    ]
    with backend.fresh() as target:
        move(store, target)
        assert target.queue.claim("other", NOON, NOON + timedelta(minutes=1)) is not None
        assert target.queue.running(NOON) == 1


def test_pages_have_every_row_once_and_in_order(store: Store) -> None:
    append(store, *(turn(f"turn {n}") for n in range(7)))
    for limit in (1, 3, 7, 100):
        assert [row["idx"] for row in read(store, "turns", limit)] == list(range(7))


@pytest.mark.parametrize(
    ("table", "column", "cell"),
    [
        ("turns", "role", "wizard"),
        ("turns", "content", None),
        ("turns", "content", "half \ud800"),
        ("turns", "at", "2026-02-12T12:00:00"),
        ("turns", "idx", "1"),
        ("turns", "idx", 2**70),
        ("turns", "place", -1),
        ("turns", "claimed", 1),
        ("turns", "tool_calls", [{"name": 1, "spell": 2}]),
        ("turns", "tool_calls", "none"),
        ("sessions", "speaker", "many"),
    ],
)
def test_what_no_store_gives_is_refused(store: Store, table: str, column: str, cell: Any) -> None:
    append(store, turn("hello"))
    shape = BY_NAME[table]
    row = read(store, table)[0]
    good: Cells = tuple(row.values())
    shape.check(good)
    with pytest.raises(InvalidInput, match=column):
        shape.check(tuple({**row, column: cell}.values()))
