"""Behind PgBouncer in transaction mode: every transaction may run on another connection."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.errors import StoreUnavailable
from mnemic.moving.backup import backup
from mnemic.moving.copy import copy_space
from mnemic.store.postgres.store import PostgresStore
from tests.contract.rows import SPACE, append, said, turn
from tests.postgres.pooler import pooled
from tests.postgres.server import connect
from tests.postgres.test_vector_index import embed

pytestmark = pytest.mark.feature("O5")
PEOPLE = 8


@pytest.fixture
def pooler(url: str) -> Iterator[str]:
    with pooled(url) as address:
        yield address


def test_a_memory_behind_a_pooler_does_what_one_before_a_server_does(
    pooler: str, tmp_path: Path
) -> None:
    with mnemic.open(pooler, worker="none") as mind:
        with mind.session(id="s") as session:
            session.user("I moved to Lisbon and use uv now")
            session.assistant("Noted")
        memory = mind.remember("I live in Lisbon.", kind="identity")
        mind.drain()
        assert any("Lisbon" in hit.text for hit in mind.recall("where do I live?"))
        mind.upkeep()
        assert all(finding.ok for finding in mind.doctor(deep=True))
        assert backup(mind, tmp_path / "copy.db").counts["turns"] == 2
        assert mind.forget(id=memory.id).counts
    assert copy_space(pooler, pooler, to_space="second").verified


def test_many_clients_of_few_connections_never_see_another_space(pooler: str) -> None:
    wrong: list[str] = []
    engine = mnemic.connect(pooler, worker="none")

    def live(person: int) -> None:
        mind = engine.mind(f"person-{person}")
        for number in range(6):
            mind.record(session="s", role="user", text=f"canary{person} sings song {number}")
            found = [hit.text for hit in mind.recall("canary sings song")]
            others = [text for text in found if f"canary{person} " not in text]
            wrong.extend(others if found else ["nothing was found"])

    threads = [threading.Thread(target=live, args=(person,)) for person in range(PEOPLE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with engine:
        counts = [engine.mind(f"person-{person}").stats().turns for person in range(PEOPLE)]
    assert wrong == []
    assert counts == [6] * PEOPLE


def test_nothing_is_left_set_on_the_connections_of_the_server(
    pooler: str, clock: ManualClock
) -> None:
    store = PostgresStore(pooler, busy_timeout=30, now=clock.now)
    for number in range(6):
        append(store, turn(f"hello {number}"), space=f"space-{number}")
        store.compact()
    for _ in range(6):  # the pooler takes its connections in turns
        with connect(pooler) as conn:
            conn.prepare_threshold = None
            asked = "SELECT current_user, current_setting('search_path'), current_setting('role')"
            user, path, role = conn.execute(asked).fetchone()
            # Others use databases of their own on the same server.
            left = conn.execute(
                "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database "
                "WHERE l.locktype = 'advisory' AND d.datname = current_database()"
            )
            assert (user, role, left.fetchone()) == ("postgres", "none", (0,))
            assert "mnemic" not in path
    store.close()


def test_the_index_of_a_large_space_is_made_behind_a_pooler(
    pooler: str, clock: ManualClock
) -> None:
    store = PostgresStore(pooler, busy_timeout=30, now=clock.now)
    store.indexed_from = 50
    append(store, *(turn(f"turn {n}") for n in range(60)))
    embedder, _, _ = embed(store, "first")
    store.index_vectors(SPACE, embedder)
    with store.open_read(SPACE) as unit:
        assert unit.vectors.has_index(embedder)
    store.close()


def test_a_pooler_that_keeps_no_transactions_is_named(url: str, clock: ManualClock) -> None:
    refused = pytest.raises(StoreUnavailable, match="pool_mode = transaction")
    with pooled(url, mode="statement") as address, refused:
        PostgresStore(address, busy_timeout=5, now=clock.now)


def test_a_connection_without_a_pooler_prepares_its_statements(
    url: str, pooler: str, clock: ManualClock
) -> None:
    for address, expected in ((url, False), (pooler, True)):
        store = PostgresStore(address, busy_timeout=5, now=clock.now)
        append(store, turn("hello"), space=f"prepared-{expected}")
        assert said(store, f"prepared-{expected}") == ["hello"]
        assert store.server.pooled is expected
        with store.server.alone() as conn:
            assert (conn.prepare_threshold is None) is expected
        store.close()
