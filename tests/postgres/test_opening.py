"""Opening a database on a server, and what happens when the server is not as it should be."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable
from importlib import resources
from random import Random

import pytest

from mnemic.clock import ManualClock
from mnemic.errors import (
    InvalidInput,
    MissingExtra,
    SchemaTooNew,
    StoreBusy,
    StoreReadOnly,
    StoreUnavailable,
)
from mnemic.store.postgres import migrate
from mnemic.store.postgres.server import MIGRATION
from mnemic.store.postgres.store import PostgresStore
from mnemic.store.rows import QueryTerm, Scope
from mnemic.types import RECORD_TYPES, constant
from tests.conftest import NOON
from tests.contract.rows import SPACE, after, append, attachment, keep, memory, said, turn
from tests.postgres.conftest import OpenStore
from tests.postgres.server import connect, new_database, url_of
from tests.waiting import wait_for

pytestmark = pytest.mark.feature("O5")


def _in_a_child(work: Callable[..., object], *args: object) -> int:
    """Begin work in a process of its own; gives its number."""
    child = os.fork()
    if not child:
        try:
            work(*args)
        except BaseException:  # noqa: BLE001 - a child of a test may only end
            os._exit(1)
        os._exit(0)
    return child


def _open_and_write(url: str, space: str) -> None:
    store = PostgresStore(url, busy_timeout=60, now=lambda: NOON)
    append(store, turn("hello"), space=space)


def test_many_processes_start_at_once_on_an_empty_database() -> None:
    url = new_database(f"race_{os.getpid()}")
    children = [_in_a_child(_open_and_write, url, f"space-{n}") for n in range(8)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
    with connect(url) as conn:
        assert conn.execute("SELECT version FROM mnemic.migrations").fetchall() == [
            (version,) for version in range(1, migrate.LATEST + 1)
        ]
        assert conn.execute("SELECT count(*) FROM mnemic.spaces").fetchone() == (8,)


def test_who_waited_for_the_first_sees_what_it_made() -> None:
    url = new_database(f"queue_{os.getpid()}")
    with connect(url) as conn:
        conn.execute("SELECT pg_advisory_lock(%s::int, 0)", (MIGRATION,))
        children = [_in_a_child(_open_and_write, url, f"space-{n}") for n in range(4)]
        waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        wait_for(lambda: conn.execute(waiting).fetchone() == (4,))
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4


def test_a_newer_schema_is_left_untouched(open_store: OpenStore, url: str) -> None:
    open_store()
    with connect(url) as conn:
        conn.execute("INSERT INTO mnemic.migrations VALUES (1000, 0)")
        try:
            with pytest.raises(SchemaTooNew, match="schema 1000"):
                open_store()
        finally:
            conn.execute("DELETE FROM mnemic.migrations WHERE version = 1000")


def test_what_is_told_of_a_server_has_no_password(clock: ManualClock) -> None:
    url = "postgresql://me:hunter2@127.0.0.1:1/memory"
    with pytest.raises(StoreUnavailable) as refused:
        PostgresStore(url, busy_timeout=5, now=clock.now)
    assert "127.0.0.1:1/memory" in str(refused.value)
    assert "hunter2" not in f"{refused.value!r} {refused.value} {refused.value.__cause__}"
    with pytest.raises(InvalidInput) as unreadable:
        PostgresStore("postgresql://me:hunter2@[::1/memory", busy_timeout=5, now=clock.now)
    assert "hunter2" not in f"{unreadable.value!r} {unreadable.value}"


def test_a_store_does_not_show_its_password(clock: ManualClock, url: str) -> None:
    store = PostgresStore(
        url.replace("postgres:@", "postgres:hunter2@"), busy_timeout=5, now=clock.now
    )
    assert "hunter2" not in f"{store!r} {store.server!r} {store.address!r} {store.address}"
    store.close()


def test_a_database_that_is_not_there(clock: ManualClock) -> None:
    with pytest.raises(StoreUnavailable, match="does not exist"):
        PostgresStore(url_of("nobodys"), busy_timeout=5, now=clock.now)


def test_what_to_install_is_told(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra) as missing:
        PostgresStore("postgresql://nowhere/memory", busy_timeout=5, now=clock.now)
    assert "mnemic[postgres]" in missing.value.remedy


def test_for_reading_only(open_store: OpenStore) -> None:
    append(open_store(), turn("hello"))
    reading = open_store(read_only=True)
    assert reading.read_only
    assert said(reading) == ["hello"]
    with pytest.raises(StoreReadOnly):
        append(reading, turn("more"))


def test_a_role_that_may_not_write_is_told_so(
    store: PostgresStore, url: str, clock: ManualClock
) -> None:
    append(store, turn("hello"))
    with connect(url) as conn:
        conn.execute("DROP ROLE IF EXISTS onlooker")
        conn.execute("CREATE ROLE onlooker LOGIN")
        conn.execute("GRANT USAGE ON SCHEMA mnemic TO onlooker")
        conn.execute("GRANT SELECT ON ALL TABLES IN SCHEMA mnemic TO onlooker")
        onlooker = PostgresStore(
            url.replace("postgres:@", "onlooker@"), busy_timeout=5, now=clock.now
        )
        try:
            assert said(onlooker) == ["hello"]
            with pytest.raises(StoreReadOnly):
                append(onlooker, turn("more"))
        finally:
            onlooker.close()
            conn.execute("DROP OWNED BY onlooker")
            conn.execute("DROP ROLE onlooker")


def test_one_space_has_one_writer_and_others_do_not_wait(open_store: OpenStore) -> None:
    store = open_store(busy_timeout=0.2)
    append(store, turn("first"), space="alice")
    append(store, turn("first"), space="bob")
    with store.open_write("alice") as unit:
        unit.ledger.append([turn("second")])
        append(store, turn("second"), space="bob")
        with pytest.raises(StoreBusy):
            append(store, turn("third"), space="alice")
    assert said(store, "alice") == said(store, "bob") == ["first", "second"]


def test_new_spaces_are_made_at_once_by_many(store: PostgresStore) -> None:
    def work(number: int) -> None:
        for n in range(6):
            append(store, turn(f"from {number}"), space=f"space-{n}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(store.spaces()) == [f"space-{n}" for n in range(6)]
    assert all(len(said(store, f"space-{n}")) == 4 for n in range(6))


def test_a_connection_that_died_is_replaced(store: PostgresStore, url: str) -> None:
    append(store, turn("before"))
    with connect(url) as conn:
        ended = conn.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE application_name = 'mnemic' AND datname = current_database()"
        ).fetchall()
    assert ended
    append(store, turn("after"))
    assert said(store) == ["before", "after"]


def test_a_connection_that_dies_in_a_transaction_acknowledges_nothing(
    store: PostgresStore, url: str
) -> None:
    append(store, turn("before"))

    def cut_off() -> None:
        with store.open_write("default") as unit:
            unit.ledger.append([turn("lost")])
            own = unit.conn.native("SELECT pg_backend_pid()").get
            with connect(url) as conn:
                conn.execute("SELECT pg_terminate_backend(%s, 5000)", (own,))

    with pytest.raises(StoreUnavailable):
        cut_off()
    assert said(store) == ["before"]


def test_a_forked_child_has_connections_of_its_own(store: PostgresStore) -> None:
    append(store, turn("parent"))
    child = _in_a_child(append, store, turn("child"))
    assert os.waitpid(child, 0)[1] == 0
    append(store, turn("parent again"))
    assert said(store) == ["parent", "child", "parent again"]


def test_any_text_comes_back(store: PostgresStore) -> None:
    hostile = "NUL \0 and \ufffe and \ufffe0 and \\u0000 and 😀 and ' \" % $1 ?"
    append(store, turn(hostile, sender="a\0b", session="s\0"))
    assert said(store) == [hostile]
    with store.open_write("default") as unit:
        unit.scratchpads.put(constant(hostile), after())
        assert unit.ledger.turns_by_id([turn().id]) == []
        assert unit.ledger.waiting_tokens([constant("s\0")]) == {"s\0": len(hostile)}
    with store.open_read("default") as unit:
        pad = unit.scratchpads.get()
    assert pad is not None
    assert pad.text == hostile


def test_work_is_claimed_in_turns_whatever_waits(store: PostgresStore) -> None:
    def queue(space: str, count: int) -> None:
        with store.open_write(space) as unit:
            unit.tasks.enqueue(
                "work",
                {constant(f"{n}"): {} for n in range(count)},
                run_at=after(),
                now=after(),
                max_attempts=1,
            )

    queue("noisy", 400)
    for n in range(10):
        queue(f"quiet-{n}", 2)
    served = []
    for _ in range(33):
        job = store.queue.claim("me", after(minutes=1), after(minutes=9))
        assert job is not None
        served.append(job.space)
    mine = store.queue.claim("me", after(minutes=1), after(minutes=9), "noisy")
    assert mine is not None
    assert mine.space == "noisy"
    assert store.queue.claim("me", after(minutes=1), after(minutes=9), "quiet-1") is None
    assert {space: served.count(space) for space in set(served)} == {
        "noisy": 13,
        **{f"quiet-{n}": 2 for n in range(10)},
    }


def test_every_table_can_be_distributed_by_its_space(store: PostgresStore, url: str) -> None:
    ddl = resources.files("mnemic.store.postgres").joinpath("schema/distributed.sql").read_text()
    placed = set(re.findall(r"create_(?:distributed|reference)_table\('(\w+)'", ddl))
    by_space = set(re.findall(r"create_distributed_table\('(\w+)', 'space'", ddl))
    with connect(url) as conn:
        tables = conn.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'mnemic'::regnamespace"
        ).fetchall()
        keys = conn.execute(
            "SELECT t.relname, i.indexrelid::regclass::text, a.attname FROM pg_index i"
            " JOIN pg_class t ON t.oid = i.indrelid"
            " JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]"
            " WHERE i.indisunique AND t.relnamespace = 'mnemic'::regnamespace"
        ).fetchall()
    assert placed == {name for (name,) in tables}
    unlike = [key for key in keys if key[0] in by_space and key[2] != "space"]
    assert unlike == []


def test_words_and_names_of_any_length(store: PostgresStore) -> None:
    random = Random(1)
    long = "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=20_000))
    name = "".join(chr(random.randrange(0x20000, 0x2A000)) for _ in range(500))
    append(store, turn(f"a key {long}", session=name, sender=name, channel=name))
    with store.open_write(SPACE) as unit:
        unit.attachments.add(attachment(path=name), constant(long))
        keep(unit, memory("tea", project=name, tags=(name,)), terms=long)
    for words in (long, "key"):
        with store.open_read(SPACE) as unit:
            found = unit.text.search([QueryTerm(words, 1.0)], Scope(RECORD_TYPES, now=after()), 10)
            assert len(found.matches) == (3 if words == long else 1)
            assert unit.eraser.find_terms([words, long + "x"]) == {words}
    assert [finding for finding in store.check(SPACE, deep=True) if not finding.ok] == []
