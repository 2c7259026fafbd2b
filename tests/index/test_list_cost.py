"""What the first page of a list costs does not grow with the memory."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import apsw
import pytest

from mnemic.clock import ManualClock
from mnemic.store.rows import MemoryFilter
from mnemic.store.sql.unit import Unit
from mnemic.store.sqlite.store import SqliteStore
from mnemic.types import Fact, SafeName, key_of
from tests.conftest import NOON
from tests.contract.rows import SPACE, after, keep, memory

_STEPS = 10  # of SQLite's machine between two counts
View = Callable[[Unit], object]
VIEWS: dict[str, View] = {
    "newest": lambda unit: unit.memories.find(
        MemoryFilter(status="active", holds_at=after(days=90), limit=20)
    ),
    "oldest": lambda unit: unit.memories.find(
        MemoryFilter(status="active", order="oldest", limit=20)
    ),
    "of every status": lambda unit: unit.memories.find(MemoryFilter(limit=20)),
    "archived": lambda unit: unit.memories.find(MemoryFilter(status="archived", limit=20)),
    "waits for a model": lambda unit: unit.tasks.waiting_for_model(20),
    "asks a model again": lambda unit: unit.tasks.model_away_until(NOON),
    "growth": lambda unit: unit.counters.per_day("memories", after(days=80).date(), UTC),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_first_page_of_many_memories_costs_what_one_of_few_does(
    tmp_path: Path, name: str
) -> None:
    store = SqliteStore(str(tmp_path / "memory.db"), busy_timeout=30, now=ManualClock(NOON).now)
    costs = []
    try:
        for days in (range(10), range(10, 60)):
            with store.write(SPACE) as unit:
                for day in days:
                    for number in range(20):
                        keep(unit, memory(f"{day} {number}", at=after(days=day)))
                        key = key_of("of", day, number)
                        unit.tasks.enqueue("extract", {key: {}}, now=NOON)
                keep(unit, memory("put away", status="archived"))
            costs.append(_steps(store, VIEWS[name]))
    finally:
        store.close()
    assert costs[1] < 1.2 * costs[0] + 100


def test_many_jobs_are_counted_at_the_cost_of_fewer(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "memory.db"), busy_timeout=30, now=ManualClock(NOON).now)
    costs = []
    try:
        for numbers in (range(3_000), range(3_000, 12_000)):
            with store.write(SPACE) as unit:
                unit.tasks.enqueue("extract", _jobs(numbers), now=NOON)
            costs.append(_steps(store, lambda unit: unit.cleanup.stats(SPACE, 0)))
        with store.write("other") as unit:
            unit.tasks.enqueue("extract", _jobs(range(35_100)), now=NOON)
        assert store.stats(SPACE).jobs_ready == 12_000, "beside too many others"
    finally:
        store.close()
    assert costs[1] < 1.2 * costs[0]


def _jobs(numbers: range) -> dict[SafeName, dict[str, Fact]]:
    return {key_of("of", number): {} for number in numbers}


def _steps(store: SqliteStore, view: View) -> int:
    counted = 0

    def count() -> bool:
        nonlocal counted
        counted += 1
        return False

    with store.read(SPACE) as unit:
        conn = unit.conn
        assert isinstance(conn, apsw.Connection)
        conn.set_progress_handler(count, _STEPS)
        view(unit)
        conn.set_progress_handler(None)
    return counted * _STEPS
