"""Bring a database to the schema this code knows: forward only, all of it in one transaction.

Any number of processes may start at once: one of them does it while the others wait for its lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mnemic import errors
from mnemic.late import data_of
from mnemic.store.postgres.connection import SCHEMA
from mnemic.store.postgres.server import MEMBER, MIGRATION, PATH, Server, explain

if TYPE_CHECKING:
    from psycopg import Connection

LATEST = 9


def prepare(server: Server, now: int) -> None:
    """Make sure that the schema is there and the latest."""
    import psycopg

    conn = server.connect()
    try:
        if _check_version(conn, server) == LATEST:
            return
        if server.read_only:
            raise errors.StoreReadOnly(
                f"{server.address.shown} is not of schema {LATEST}, and open for reading only",
                remedy="Open it once where it can be written",
            )
        with conn.transaction():
            conn.execute(PATH)
            conn.execute("SELECT pg_advisory_xact_lock($1::int, 0)", (MIGRATION,))
            for version in range(_check_version(conn, server) + 1, LATEST + 1):
                _apply(conn, version, now)
    except psycopg.Error as error:
        raise explain(error, server.address.shown) from error
    finally:
        conn.close()


def version_of(conn: Connection[Any]) -> int:
    """The schema of a database; 0 where there is none."""
    # Not by to_regclass: it answers from a cache, which waiting for the lock does not bring up to
    # date, so that who waited would not see what was made meanwhile.
    statement = "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'migrations'"
    if conn.execute(statement, (SCHEMA,)).fetchone() is None:
        return 0
    row = conn.execute(f"SELECT max(version) FROM {SCHEMA}.migrations").fetchone()
    return int(row[0] or 0) if row else 0


def _check_version(conn: Connection[Any], server: Server) -> int:
    version = version_of(conn)
    if version > LATEST:
        raise errors.SchemaTooNew(
            f"{server.address.shown} has schema {version}, this Mnemic knows {LATEST}",
            remedy="Upgrade with `pip install -U mnemic`; the database was left untouched",
        )
    return version


def _apply(conn: Connection[Any], version: int, now: int) -> None:
    if version == 1:
        conn.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        conn.execute(
            f"CREATE TABLE {SCHEMA}.migrations"
            " (version BIGINT PRIMARY KEY, applied_at BIGINT NOT NULL)"
        )
        _extend(conn)
    script = data_of("mnemic.store.postgres").joinpath("schema", f"{version:04d}.sql")
    conn.execute(script.read_text("utf-8"))
    _let_members_in(conn)
    conn.execute(f"INSERT INTO {SCHEMA}.migrations VALUES ($1, $2)", (version, now))


def _extend(conn: Connection[Any]) -> None:
    """Vectors are compared by pgvector."""
    import psycopg

    try:
        with conn.transaction():
            conn.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
        raise errors.StoreUnavailable(
            "The server has no pgvector",
            remedy="Install it beside PostgreSQL: the package is called postgresql-NN-pgvector",
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise errors.StoreUnavailable(
            "The database has no pgvector, and this role may not add it",
            remedy="Let an administrator run: CREATE EXTENSION vector",
        ) from error


def _let_members_in(conn: Connection[Any]) -> None:
    """A role without rights beyond the rows: whoever may become it gives up those of a superuser,
    for whom row-level security does not hold. Who may not make a role owns the tables, and is held.
    """
    import psycopg

    try:
        with conn.transaction():
            conn.execute(
                f"DO $$ BEGIN CREATE ROLE {MEMBER} NOLOGIN;"
                " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
            )
            if not conn.execute("SELECT pg_has_role($1, 'MEMBER')", (MEMBER,)).fetchone()[0]:  # type: ignore[index]
                conn.execute(f"GRANT {MEMBER} TO CURRENT_USER")
    except psycopg.errors.InsufficientPrivilege:
        return
    for grant in (
        f"USAGE ON SCHEMA {SCHEMA}",
        f"SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {SCHEMA}",
        f"USAGE ON ALL SEQUENCES IN SCHEMA {SCHEMA}",
    ):
        conn.execute(f"GRANT {grant} TO {MEMBER}")
