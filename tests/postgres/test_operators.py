"""What operators set: roles that are confined, pools, timeouts, statistics, a replica."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.errors import NotFound, StoreBusy, StoreError, StoreReadOnly
from mnemic.moving.roles import confine
from mnemic.settings.environment import StoreSettings
from mnemic.settings.values import Secret
from mnemic.store.postgres.store import PostgresStore
from tests.contract.rows import append, said, turn
from tests.postgres.conftest import OpenStore
from tests.postgres.server import connect
from tests.waiting import wait_for

pytestmark = pytest.mark.feature("O5")


@pytest.fixture
def team(store: PostgresStore, url: str) -> Iterator[str]:
    """The address for a role that reaches the spaces of one team."""
    append(store, turn("ours"), space="team/ann")
    append(store, turn("theirs"), space="others")
    role = f"team_{os.getpid()}"
    with connect(url) as conn:
        conn.execute(f"CREATE ROLE {role} LOGIN")
        confine(url, role, ["team/%"])
        yield url.replace("postgres:@", f"{role}@")
        conn.execute(f"DROP OWNED BY {role}")
        conn.execute(f"DROP ROLE {role}")


def test_a_confined_role_lives_in_its_own_spaces(team: str) -> None:
    with mnemic.connect(team, worker="none") as engine:
        mind = engine.mind("team/bob")
        mind.record(session="s", role="user", text="I moved to Lisbon")
        engine.drain()
        assert [hit.text for hit in mind.recall("Lisbon")] == ["I moved to Lisbon"]
        assert set(engine.spaces()) == {"team/ann", "team/bob"}


def test_a_confined_role_reaches_no_other_space_whatever_it_sets(team: str, url: str) -> None:
    with connect(url) as owner:
        numbers = dict(owner.execute("SELECT name, space FROM mnemic.spaces").fetchall())
    with connect(team) as conn:
        for setting in (f"space = '{numbers['others']}'", "name = 'others'", "queue = 'on'"):
            conn.execute(f"SET mnemic.{setting}")
        for table in ("turns", "sessions", "text_terms", "jobs", "spaces"):
            seen = conn.execute(f"SELECT DISTINCT space FROM mnemic.{table}").fetchall()
            assert (numbers["others"],) not in seen
        with pytest.raises(Exception, match="row-level security"):
            conn.execute("INSERT INTO mnemic.scratchpads VALUES (%s, 'x', 0)", (numbers["others"],))
        shared = conn.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relkind = 'r'"
            " AND c.relnamespace = 'mnemic'::regnamespace AND NOT EXISTS (SELECT 1"
            " FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'space')"
            " AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE')"
        ).fetchall()
        assert shared == [("embedders",)]
        for role in ("mnemic_member", "postgres"):
            with pytest.raises(Exception, match="permission denied"):
                conn.execute(f"SET ROLE {role}")
        conn.execute(f"SET mnemic.space = '{numbers['team/ann']}'")
        assert conn.execute("SELECT content FROM mnemic.turns").fetchall() == [("ours",)]
    with mnemic.connect(team, worker="none") as engine, pytest.raises(StoreReadOnly):
        engine.mind("others").record(session="s", role="user", text="planted")


def test_a_role_that_is_not_there_is_not_confined(store: PostgresStore, url: str) -> None:
    with pytest.raises(NotFound, match="no role"):
        confine(url, "nobody_of_the_kind", ["x"])


@pytest.mark.setting("store.pool_size")
def test_the_pool_has_the_size_of_its_setting(url: str) -> None:
    with mnemic.open(url, worker="none", store__pool_size=2, store__busy_timeout="300ms") as mind:
        store: Any = mind._store
        busy = pytest.raises(StoreBusy, match="All 2 connections")
        with store.open_read("a"), store.open_read("b"), busy:
            store.spaces()
        with store.open_read("a"), store.open_read("b"):
            pass  # who gave up holds no place


@pytest.mark.setting("store.statement_timeout")
def test_a_statement_is_given_up_after_its_time(url: str) -> None:
    with mnemic.open(url, worker="none", store__statement_timeout="200ms") as mind:
        store: Any = mind._store
        with pytest.raises(StoreBusy, match="statement timeout"), store.open_read("a") as unit:
            assert unit.conn.native("SELECT pg_sleep(20)").get is None


@pytest.mark.setting("store.connect_timeout")
def test_a_server_that_does_not_answer_is_given_up_after_its_time() -> None:
    import socket
    import time

    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        begun = time.monotonic()
        address = f"postgresql://me@127.0.0.1:{silent.getsockname()[1]}/x"
        with pytest.raises(StoreError, match="timeout"):
            mnemic.open(address, store__connect_timeout="2s")
        assert time.monotonic() - begun < 30


def test_tables_are_analyzed_after_much_was_loaded(open_store: OpenStore, url: str) -> None:
    store = open_store()
    store._analyzed_at = 10_000
    append(store, *(turn(f"turn {n} tells of a long day") for n in range(300)))
    with connect(url) as conn:
        counted = "SELECT reltuples FROM pg_class WHERE oid = 'mnemic.turns'::regclass"
        assert conn.execute(counted).fetchone() == (300,)


class _Standby:
    """A real streaming replica, made from a copy of the first server's folder."""

    def __init__(self, name: str) -> None:
        from tests.postgres.server import _package, start_server

        self._package = _package()
        self.primary = start_server(name)
        with connect(self.primary.get_uri()) as conn:
            conn.execute("ALTER SYSTEM SET wal_level = 'replica'")
            conn.execute("SELECT pg_reload_conf()")
        self.folder = Path(f"{self.primary.pgdata}-standby")
        uid = Path(self.primary.pgdata).stat().st_uid
        with connect(self.primary.get_uri()) as conn:
            conn.execute("SELECT pg_backup_start('copy', true)")
            shutil.copytree(self.primary.pgdata, self.folder, ignore=self._ignored)
            conn.execute("SELECT pg_backup_stop()")
        (self.folder / "pg_wal").mkdir(exist_ok=True)
        shutil.copytree(Path(self.primary.pgdata) / "pg_wal", self.folder / "pg_wal",
                        dirs_exist_ok=True)  # fmt: skip
        (self.folder / "standby.signal").touch()
        with (self.folder / "postgresql.auto.conf").open("a") as file:
            file.write(f"primary_conninfo = 'host={self.primary.pgdata} user=postgres'\n")
            file.write(f"unix_socket_directories = '{self.folder}'\nlisten_addresses = ''\n")
        if os.geteuid() == 0:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, uid, -1)
        self.folder.chmod(0o700)
        self.start()

    @staticmethod
    def _ignored(folder: str, names: list[str]) -> set[str]:
        return {name for name in names if name in ("postmaster.pid", "postmaster.opts", "pg_wal")
                or name.startswith(".s.PGSQL")}  # fmt: skip

    @property
    def url(self) -> str:
        return f"postgresql://postgres:@/postgres?host={self.folder}"

    def _control(self, *words: str) -> None:
        self._package.pg_ctl([*words], pgdata=self.folder, user=self.primary.system_user)

    def start(self) -> None:
        self._control("-w", "-l", str(self.folder / "log"), "start")

    def stop(self) -> None:
        self._control("stop", "-m", "immediate")

    def close(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):  # it may have been stopped
            self.stop()
        self.primary.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.mark.setting("store.replica", "store.replica_lag")
def test_recall_is_answered_by_a_replica_while_it_keeps_up(clock: ManualClock) -> None:
    standby = _Standby("replicated")
    try:
        settings = StoreSettings(replica=Secret(standby.url))
        url = str(standby.primary.get_uri())
        store = PostgresStore(url, busy_timeout=30, now=clock.now, settings=settings)

        def is_standby() -> bool:
            with store.read_replica("default") as unit:
                place: Any = unit.conn
                return bool(place.native("SELECT pg_is_in_recovery()").get)

        append(store, turn("hello"))
        wait_for(is_standby)
        strict: Any = PostgresStore(url, busy_timeout=30, now=clock.now, settings=settings)
        strict._replica._lag = -1.0  # a replica_lag that no copy is fresh enough for
        with strict.read_replica("default") as unit:
            place: Any = unit.conn
            assert not place.native("SELECT pg_is_in_recovery()").get
        strict.close()
        with connect(standby.url) as conn:
            conn.execute("SELECT pg_wal_replay_pause()")
            wait_for(lambda: conn.execute("SELECT pg_get_wal_replay_pause_state()").fetchone()
                     == ("paused",))  # fmt: skip
        append(store, turn("more"))
        assert not is_standby(), "it has not what this process wrote"
        with connect(standby.url) as conn:
            conn.execute("SELECT pg_wal_replay_resume()")
        wait_for(is_standby)
        with store.read_replica("default") as unit:
            copy: Any = unit.conn
            assert copy.native("SELECT count(*) FROM turns").get == 2
        standby.stop()
        assert not is_standby(), "it is gone"
        assert said(store) == ["hello", "more"]
        store.close()
        with mnemic.open(url, worker="none", store__replica=standby.url) as mind:
            assert mind.recall("hello")[0].text == "hello"
    finally:
        standby.close()


def test_threads_beyond_the_pool_wait_for_their_turn(url: str) -> None:
    with mnemic.connect(url, worker="none", store__pool_size=2) as engine:
        threads = [
            threading.Thread(
                target=lambda n=n: engine.mind(f"p{n}").record(
                    session="s", role="user", text="hello"
                )
            )
            for n in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(engine.spaces()) == 6


def test_nobody_overtakes_those_who_wait_for_a_connection(url: str) -> None:
    served: list[str] = []
    with mnemic.open(url, worker="none", store__pool_size=2) as mind:
        store: Any = mind._store

        def read(name: str) -> None:
            with store.open_read("a"):
                served.append(name)

        threads = [threading.Thread(target=read, args=(name,)) for name in ("one", "two", "three")]
        with store.open_read("b"):  # so that there is one connection for all of them
            with store.open_read("a"):
                for thread in threads:
                    thread.start()
                    time.sleep(0.2)
            read("who comes back at once")
            for thread in threads:
                thread.join()
    assert served == ["one", "two", "three", "who comes back at once"]
