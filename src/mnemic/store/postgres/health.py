"""How a database of PostgreSQL is doing: counts, checks, and the removal of rows that are gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mnemic.store.postgres import migrate
from mnemic.store.postgres.connection import PostgresConnection
from mnemic.store.postgres.server import SCHEMA
from mnemic.store.sql import text_columns
from mnemic.store.sql.health import space_findings, space_stats
from mnemic.types import Finding, Stats

if TYPE_CHECKING:
    from psycopg import Connection

    from mnemic.store.postgres.store import PostgresUnit

_TABLES = (
    "SELECT relname, pg_total_relation_size(oid) FROM pg_class"
    " WHERE relnamespace = $1::regnamespace AND relkind = 'r' ORDER BY relname"
)
_KEYS = (
    "SELECT DISTINCT k.key, iif(k.key IN (SELECT value FROM json_each(?)), k.value #>> '{}', '')"
    " FROM events e, jsonb_path_query("
    "CAST(replace(e.payload, '\\u0000', '\\ufffe0') AS JSONB), 'strict $.**') AS n (node),"
    " jsonb_each(n.node) k WHERE jsonb_typeof(n.node) = 'object'"
)
_REWRITTEN = 8 << 20  # bytes of a table that is written anew while others wait a moment
_IDLE = 1 << 30  # transactions after which the server has to look at old rows itself


def stats(unit: PostgresUnit, name: str) -> Stats:
    """Counts of one space, and the size of all tables."""
    version = unit.conn.rows("SELECT max(version) FROM migrations").get
    return space_stats(unit, name, file_bytes=size(unit.conn), schema=int(version or 0))


def size(conn: PostgresConnection) -> int:
    """Bytes of all tables and indexes."""
    return int(sum(bytes_ for _, bytes_ in conn.native(_TABLES, (SCHEMA,))))


def check(unit: PostgresUnit, *, deep: bool) -> list[Finding]:
    """Look for what is wrong, from cheap to dear; nothing is changed."""
    findings = [_schema(unit.conn), _age(unit.conn), *space_findings(unit)]
    return [_integrity(unit.conn, unit.space), *findings] if deep else findings


def _schema(conn: PostgresConnection) -> Finding:
    version = int(conn.rows("SELECT max(version) FROM migrations").get or 0)
    return Finding(
        check="schema", ok=version == migrate.LATEST, detail=f"{version} of {migrate.LATEST}"
    )


def _age(conn: PostgresConnection) -> Finding:
    """A server whose autovacuum is off or blocked stops writing one day."""
    age = int(
        conn.rows(
            "SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database()"
        ).get
    )
    return Finding(
        check="vacuum",
        ok=age < _IDLE,
        detail=f"oldest transaction {age:,} ago",
        remedy="" if age < _IDLE else "Let autovacuum run, or run VACUUM on the database",
    )


def _integrity(conn: PostgresConnection, space: int) -> Finding:
    """The lists of the text index and the terms of the records say the same."""
    wrong = int(
        conn.rows(
            "SELECT count(*) FROM (SELECT d.doc, list_name(t.term) AS term FROM text_terms d,"
            " string_to_table(d.words, ' ') AS t (term) WHERE d.space = $1 AND t.term <> '') d"
            " FULL JOIN (SELECT p.doc, p.term FROM text_postings p WHERE p.space = $1) p"
            " ON p.doc = d.doc AND p.term = d.term WHERE p.doc IS NULL OR d.doc IS NULL",
            (space,),
        ).get
        or 0
    )
    return Finding(
        check="integrity",
        ok=wrong == 0,
        detail=f"{wrong} entries of the text index are wrong" if wrong else "ok",
        remedy="Run `mnemic doctor --repair`" if wrong else "",
    )


def compact(conn: Connection[Any]) -> None:
    """Remove the rows that are gone from the tables: small ones are written anew, of large ones
    their space is given free to be written over.
    """
    for name, size in conn.execute(_TABLES, (SCHEMA,)).fetchall():
        full = "FULL, " if size <= _REWRITTEN else ""
        conn.execute(f"VACUUM ({full}ANALYZE) {SCHEMA}.{name}")


def analyze(conn: Connection[Any]) -> None:
    """Let the server count what its tables hold; those of another owner it passes over."""
    for name, _ in conn.execute(_TABLES, (SCHEMA,)).fetchall():
        conn.execute(f"ANALYZE (SKIP_LOCKED) {SCHEMA}.{name}")


def vocabulary(conn: PostgresConnection) -> Iterator[str]:
    """Every term of the text index of a space, one look into the index for each."""
    rows = conn.native(
        "WITH RECURSIVE terms AS ((SELECT term FROM text_postings WHERE space = own_space()"
        " ORDER BY term LIMIT 1) UNION ALL SELECT (SELECT p.term FROM text_postings p"
        " WHERE p.space = own_space() AND p.term > t.term ORDER BY p.term LIMIT 1) FROM terms t"
        " WHERE t.term IS NOT NULL) SELECT term FROM terms WHERE term IS NOT NULL"
    )
    for (term,) in rows:
        yield term


def names(conn: PostgresConnection) -> Iterator[str]:
    """Every name of a space beside what people said."""
    return text_columns.names(conn, _KEYS)
