"""How a space is doing: its counts, and the checks that every database can make."""

from __future__ import annotations

from typing import Any

from mnemic.store import codec
from mnemic.store.rows import TABLES, first_doc, last_doc
from mnemic.store.sql.connection import SqlConnection
from mnemic.store.sql.unit import Unit
from mnemic.types import RECORD_TYPES, TURN_STATES, Finding, RecordType, Stats

_REPAIR = "Run `mnemic doctor --repair`"


def space_stats(unit: Unit, name: str, *, file_bytes: int, schema: int) -> Stats:
    """Counts of one space, and the size of the database."""
    conn, space = unit.conn, unit.space

    def count(table: str, rest: str = "") -> int:
        query = f"SELECT count(*) FROM {table} WHERE space = ?{rest}"
        return int(conn.execute(query, (space,)).get)

    turns: list[Any] = conn.execute(
        "SELECT state, count(*), sum(tokens) FROM turns WHERE space = ? GROUP BY state", (space,)
    ).fetchall()
    states = {state: count for state, count, _ in turns}
    # The least and the largest each by themselves, which an index gives without being read.
    first, last = (
        codec.maybe_from_micros(
            conn.execute(f"SELECT {edge}(at) FROM turns WHERE space = ?", (space,)).get
        )
        for edge in ("min", "max")
    )
    by_kind: dict[str, int] = dict(
        conn.execute(
            "SELECT kind, count(*) FROM memories WHERE space = ? AND status = 'active'"
            " GROUP BY kind",
            (space,),
        )
    )
    return Stats(
        space=name,
        turns=sum(states.values()),
        sessions=count("sessions"),
        memories=sum(by_kind.values()),
        episodes=count("episodes"),
        attachments=count("attachments"),
        events=count("events"),
        turn_states={state: states.get(state, 0) for state in TURN_STATES},
        jobs_ready=count("jobs", " AND state = 'ready'"),
        jobs_running=count("jobs", " AND state = 'running'"),
        jobs_dead=count("jobs", " AND state = 'dead'"),
        first_at=first,
        last_at=last,
        file_bytes=file_bytes,
        schema=schema,
        tokens=sum(int(tokens) for _, _, tokens in turns),
        by_kind=by_kind,
    )


def space_findings(unit: Unit, damage: tuple[type[Exception], ...] = ()) -> list[Finding]:
    """Work that was given up, and records that cannot be found by their words. ``damage`` is what
    a damaged index raises.
    """
    conn, space = unit.conn, unit.space
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
