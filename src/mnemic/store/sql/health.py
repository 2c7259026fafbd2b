"""How a space is doing: its counts, and the checks that every database can make."""

from __future__ import annotations

from typing import Any

from mnemic.store import codec
from mnemic.store.rows import TABLES, first_doc, last_doc
from mnemic.store.sql.connection import SqlConnection
from mnemic.types import RECORD_TYPES, TURN_STATES, Finding, RecordType, Stats

_REPAIR = "Run `mnemic doctor --repair`"


def space_stats(
    conn: SqlConnection, name: str, space: int, *, file_bytes: int, schema: int
) -> Stats:
    """Counts of one space, and the size of the database."""

    def one(query: str) -> int:
        return int(conn.execute(query, {"space": space}).get or 0)

    states = dict(
        conn.execute("SELECT state, count(*) FROM turns WHERE space = ? GROUP BY state", (space,))
    )
    jobs = dict(
        conn.execute("SELECT state, count(*) FROM jobs WHERE space = ? GROUP BY state", (space,))
    )
    times: list[Any] = conn.execute(
        "SELECT min(at), max(at) FROM turns WHERE space = ?", (space,)
    ).fetchall()
    ((first, last),) = times
    return Stats(
        space=name,
        turns=sum(states.values()),
        sessions=one("SELECT count(*) FROM sessions WHERE space = :space"),
        memories=one("SELECT count(*) FROM memories WHERE space = :space AND status = 'active'"),
        episodes=one("SELECT count(*) FROM episodes WHERE space = :space"),
        attachments=one("SELECT count(*) FROM attachments WHERE space = :space"),
        events=one("SELECT count(*) FROM events WHERE space = :space"),
        turn_states={state: states.get(state, 0) for state in TURN_STATES},
        jobs_ready=jobs.get("ready", 0),
        jobs_running=jobs.get("running", 0),
        jobs_dead=jobs.get("dead", 0),
        first_at=codec.maybe_from_micros(first),
        last_at=codec.maybe_from_micros(last),
        file_bytes=file_bytes,
        schema=schema,
        tokens=one("SELECT sum(tokens) FROM turns WHERE space = :space"),
    )


def space_findings(
    conn: SqlConnection, space: int, damage: tuple[type[Exception], ...] = ()
) -> list[Finding]:
    """Work that was given up, and records that cannot be found by their words. ``damage`` is what
    a damaged index raises.
    """
    findings = [_dead_jobs(conn, space)]
    for type_ in RECORD_TYPES:
        try:
            findings.append(_index(conn, space, type_))
        except damage as error:
            findings.append(Finding(f"text index: {type_}", False, str(error), _REPAIR))
    return findings


def _dead_jobs(conn: SqlConnection, space: int) -> Finding:
    dead = int(
        conn.execute("SELECT count(*) FROM jobs WHERE space = ? AND state = 'dead'", (space,)).get
    )
    return Finding(
        check="dead jobs",
        ok=dead == 0,
        detail=str(dead),
        remedy="See `mnemic jobs --state dead`, then `mnemic jobs redrive`" if dead else "",
    )


def _index(conn: SqlConnection, space: int, type_: RecordType) -> Finding:
    """Every record has its text-index row, and no row is left without its record."""
    bounds = (first_doc(space, type_), last_doc(space, type_))
    ((rows, indexed, both),) = conn.execute(
        f"SELECT (SELECT count(*) FROM {TABLES[type_]} WHERE space = ?1),"
        " (SELECT count(*) FROM text_terms WHERE +space = ?1 AND doc BETWEEN ?2 AND ?3),"
        f" (SELECT count(*) FROM {TABLES[type_]} r JOIN text_terms d ON d.space = r.space"
        "   AND d.doc = r.doc WHERE r.space = ?1)",
        (space, *bounds),
    ).fetchall()
    ok = rows == indexed == both
    return Finding(
        check=f"text index: {type_}",
        ok=ok,
        detail=f"{both} of {rows} records indexed, {indexed} index rows",
        remedy="" if ok else _REPAIR,
    )
