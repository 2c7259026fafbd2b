"""Logins of a PostgreSQL server that reach some spaces only, whatever a session sets: the walls of
docs/postgresql.md.

The variable that a transaction sets says which space it is in; for a confined role the server
checks by its own name, which no statement can change, that it is one of those it was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from mnemic.errors import NotFound
from mnemic.store.postgres.address import read_address
from mnemic.store.postgres.connection import SCHEMA
from mnemic.store.postgres.server import MEMBER, Server

if TYPE_CHECKING:
    from psycopg import Connection

_TABLES = (
    "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
    " AND a.attname = 'space' AND NOT a.attisdropped"
    " WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p')"
)
_POLICY = "CREATE POLICY {name} ON {schema}.{table} AS RESTRICTIVE TO {role} USING ({condition})"


def confine(target: str, role: str, spaces: Sequence[str]) -> None:
    """Let ``role`` reach only spaces whose names are like one of ``spaces``, such as "team/%".

    Connect as the owner of the tables. Call it again after an upgrade that adds tables. The role
    gets the rights on the tables itself: as a member it could become one that is free.
    """
    server = closing(Server(read_address(target), busy_timeout=60))
    from psycopg import sql  # after the server has said what is missing

    with server as opened, opened.alone() as conn, conn.transaction():
        if conn.execute("SELECT 1 FROM pg_roles WHERE rolname = $1", (role,)).fetchone() is None:
            raise NotFound(f"There is no role {role!r}", remedy="Make it with CREATE ROLE … LOGIN")
        names = {
            "role": sql.Identifier(role),
            "schema": sql.Identifier(SCHEMA),
            "name": sql.Identifier(f"confined_{role}"[:63]),
        }
        _run(conn, f"REVOKE {MEMBER} FROM {{role}}", names)
        _run(conn, "GRANT USAGE ON SCHEMA {schema} TO {role}", names)
        # Of what belongs to no space only this: who may add a token could let anybody in.
        _run(conn, "REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {role}", names)
        _run(conn, "GRANT SELECT ON {schema}.migrations TO {role}", names)
        _run(conn, "GRANT SELECT, INSERT ON {schema}.embedders TO {role}", names)
        _run(conn, "GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}", names)
        likes = sql.SQL(", ").join(map(sql.Literal, spaces))
        conditions = {
            "spaces": sql.SQL("name LIKE ANY (ARRAY[{}]::text[])").format(likes),
            # Of the spaces it sees only its own.
            "vector_rewrites": sql.SQL("space >> 3 IN (SELECT space FROM {schema}.spaces)"),
        }
        every = sql.SQL("space IN (SELECT space FROM {schema}.spaces)")
        for (table,) in conn.execute(_TABLES, (SCHEMA,)).fetchall():
            here = {**names, "table": sql.Identifier(table)}
            condition = conditions.get(table, every)
            if isinstance(condition, sql.SQL):
                condition = condition.format(**names)
            rights = "SELECT, INSERT, UPDATE, DELETE"
            _run(conn, f"GRANT {rights} ON {{schema}}.{{table}} TO {{role}}", here)
            _run(conn, "DROP POLICY IF EXISTS {name} ON {schema}.{table}", here)
            _run(conn, _POLICY, {**here, "condition": condition})


def _run(conn: Connection[Any], statement: str, names: dict[str, Any]) -> None:
    from psycopg import sql  # after the server has said what is missing

    conn.execute(sql.SQL(statement).format(**names))
