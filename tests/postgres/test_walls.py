"""Row-level security as the only wall: statements that name no space, and see only one."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic.errors import StoreError, StoreReadOnly
from mnemic.store.postgres.connection import PostgresConnection
from mnemic.store.postgres.store import PostgresStore
from mnemic.types import constant
from tests.contract.rows import after, attach, attachment, keep, memory, turn
from tests.postgres.server import connect

pytestmark = pytest.mark.feature("O5")
OPEN_TO_THE_QUEUE = {"jobs", "schedules", "spaces"}


def _fill(store: PostgresStore, space: str) -> None:
    with store.open_write(space) as unit:
        said = turn(f"hello from {space}")
        unit.ledger.append([said, turn("and more")])
        keep(unit, memory(f"{space} likes tea", sources=(said.id,)))
        attach(unit, attachment())
        unit.scratchpads.put(constant(space), after())
        unit.counters.add(after().date(), {"calls": 1})
        unit.journal.add_event(
            "noted", operation_id=constant("o"), subject=constant(space), payload={}, at=after()
        )
        unit.tasks.enqueue("work", {constant("k"): {}}, run_at=after(), now=after(), max_attempts=1)
    store.queue.schedule(space, "work", "0 3 * * *", "UTC", after(hours=1))


def _guarded(url: str) -> dict[str, tuple[bool, bool]]:
    """Every table that has a space: whether rows are guarded, and also from its owner."""
    with connect(url) as conn:
        rows = conn.execute(
            "SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity FROM pg_class c"
            " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'space'"
            " WHERE c.relkind = 'r' AND c.relnamespace = 'mnemic'::regnamespace"
        )
        return {name: (enabled, forced) for name, enabled, forced in rows.fetchall()}


def _seen(conn: PostgresConnection, table: str) -> set[Any]:
    column = "space >> 3" if table == "vector_rewrites" else "space"
    return {space for (space,) in conn.native(f"SELECT DISTINCT {column} FROM {table}")}


def test_every_table_with_a_space_is_guarded_also_from_its_owner(
    store: PostgresStore, url: str
) -> None:
    guarded = _guarded(url)
    assert {"turns", "memories", "jobs", "vectors", "text_terms"} <= set(guarded)
    assert {name for name, flags in guarded.items() if flags != (True, True)} == set()


def test_a_statement_without_a_condition_sees_one_space(store: PostgresStore, url: str) -> None:
    for space in ("alice", "bob"):
        _fill(store, space)
    tables = sorted(_guarded(url))
    filled = 0
    for space in ("alice", "bob"):
        number = store.numbers[space]
        with store.server.read(number, space) as conn:
            for table in tables:
                seen = _seen(conn, table)
                assert seen <= {number}, table
                filled += bool(seen)
    assert filled >= 2 * 10, "the walls were tried on too few tables"


def test_what_changes_everything_changes_one_space(store: PostgresStore) -> None:
    for space in ("alice", "bob"):
        _fill(store, space)
    with store.server.write(store.numbers["alice"], "alice") as conn:
        conn.native("UPDATE turns SET content = 'changed'")
        assert conn.changes() == 2
        conn.native("DELETE FROM memories")
        assert conn.changes() == 1
    with store.open_read("bob") as unit:
        assert [memory.text for memory in unit.memories.chain(_first(unit))] == ["bob likes tea"]


def _first(unit: Any) -> str:
    return str(unit.conn.native("SELECT id FROM memories").get)


def test_nothing_is_put_into_another_space(store: PostgresStore) -> None:
    for space in ("alice", "bob"):
        _fill(store, space)
    bob = store.numbers["bob"]
    for statement in (
        "INSERT INTO scratchpads VALUES ($1, 'planted', 0)",
        "UPDATE turns SET space = $1, doc = doc + 1000",
    ):
        with pytest.raises(StoreReadOnly, match="row-level security"):
            _run(store, "alice", statement, bob)
    with store.open_read("bob") as unit:
        pad = unit.scratchpads.get()
    assert pad is not None
    assert pad.text == "bob"


def _run(store: PostgresStore, space: str, statement: str, *values: int) -> None:
    with store.server.write(store.numbers[space], space) as conn:
        conn.native("DELETE FROM scratchpads")
        conn.native(statement, values)


def test_without_a_space_there_is_nothing(store: PostgresStore, url: str) -> None:
    _fill(store, "alice")
    with store.server.read() as conn:
        assert {table for table in _guarded(url) if _seen(conn, table)} == set()


def test_the_queue_sees_jobs_schedules_and_spaces(store: PostgresStore, url: str) -> None:
    for space in ("alice", "bob"):
        _fill(store, space)
    with store.server.read(queue=True) as conn:
        seen = {table: _seen(conn, table) for table in _guarded(url)}
    assert {table for table, spaces in seen.items() if spaces} == OPEN_TO_THE_QUEUE
    assert all(len(seen[table]) == 2 for table in OPEN_TO_THE_QUEUE)


def test_a_setting_does_not_outlive_its_transaction(store: PostgresStore) -> None:
    _fill(store, "alice")
    number = store.numbers["alice"]
    with store.server.read(number, "alice") as conn:
        assert _seen(conn, "turns") == {number}
    with store.server.alone() as raw:  # the same connection, and nothing was set anew
        assert raw.execute("SELECT current_setting('mnemic.space', true)").fetchone() == ("",)
        raw.execute("SET ROLE mnemic_member")
        assert raw.execute("SELECT count(*) FROM mnemic.turns").fetchone() == (0,)
        raw.execute("RESET ROLE")


def test_a_failed_statement_that_nobody_noticed_is_no_commit(store: PostgresStore) -> None:
    def fail() -> None:
        with store.open_write("alice") as unit:
            unit.scratchpads.put(constant("kept?"), after())
            unit.conn.native("SELECT 1 / 0")

    with pytest.raises(StoreError):
        fail()
    with store.open_read("alice") as unit:
        assert unit.scratchpads.get() is None
