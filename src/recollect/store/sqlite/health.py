"""How a file is doing: its counts, and the checks `recollect doctor` runs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import apsw

from recollect.store import codec
from recollect.store.documents import TABLES, first_doc, last_doc
from recollect.store.sqlite import migrate
from recollect.types import RECORD_TYPES, TURN_STATES, Finding, RecordType, Stats

_LOW_SPACE = 256 << 20
_LARGE_WAL = 256 << 20
_REPAIR = "Run `recollect doctor --repair`"


def stats(conn: apsw.Connection, path: str, name: str, space: int) -> Stats:
    """Counts of one space and the size of the file."""

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
        file_bytes=migrate.size_of(path) + migrate.size_of(f"{path}-wal"),
        schema=int(conn.execute("PRAGMA user_version").get),
        tokens=one("SELECT sum(tokens) FROM turns WHERE space = :space"),
    )


def check(conn: apsw.Connection, path: str, space: int, *, deep: bool) -> list[Finding]:
    """Look for what is wrong, from cheap to dear; nothing is changed."""
    findings = [_schema(conn), _disk(path), _log(path), _dead_jobs(conn, space)]
    findings += [_index(conn, space, type_) for type_ in RECORD_TYPES]
    if deep:
        findings.insert(0, _integrity(conn))
    return findings


def _integrity(conn: apsw.Connection) -> Finding:
    try:
        # FTS5 would judge by what this connection last saw of the index; a query looks afresh.
        conn.execute("SELECT 1 FROM text_index WHERE text_index MATCH 'x' LIMIT 1").fetchall()
        problems = [str(row[0]) for row in conn.execute("PRAGMA integrity_check(20)")]
    except apsw.Error as error:
        problems = [str(error)]
    return Finding(
        check="integrity",
        ok=problems == ["ok"],
        detail="; ".join(problems),
        remedy="" if problems == ["ok"] else "Copy the file away, then restore a backup",
    )


def _schema(conn: apsw.Connection) -> Finding:
    version = int(conn.execute("PRAGMA user_version").get)
    return Finding(
        check="schema", ok=version == migrate.LATEST, detail=f"{version} of {migrate.LATEST}"
    )


def _disk(path: str) -> Finding:
    folder = Path(path).parent
    free = shutil.disk_usage(folder).free if folder.is_dir() else _LOW_SPACE
    return Finding(
        check="disk",
        ok=free >= _LOW_SPACE,
        detail=f"{free >> 20} MiB free",
        remedy="" if free >= _LOW_SPACE else "Free some disk space",
    )


def _log(path: str) -> Finding:
    size = migrate.size_of(f"{path}-wal")
    return Finding(
        check="write-ahead log",
        ok=size < _LARGE_WAL,
        detail=f"{size >> 10} KiB",
        remedy="" if size < _LARGE_WAL else "A long-running reader keeps it; restart that process",
    )


def _dead_jobs(conn: apsw.Connection, space: int) -> Finding:
    dead = int(
        conn.execute("SELECT count(*) FROM jobs WHERE space = ? AND state = 'dead'", (space,)).get
    )
    return Finding(
        check="dead jobs",
        ok=dead == 0,
        detail=str(dead),
        remedy="See `recollect jobs --state dead`, then `recollect jobs redrive`" if dead else "",
    )


def _index(conn: apsw.Connection, space: int, type_: RecordType) -> Finding:
    """Every record has its text-index row, and no row is left without its record."""
    bounds = (first_doc(space, type_), last_doc(space, type_))
    try:
        ((rows, indexed, both),) = conn.execute(
            f"SELECT (SELECT count(*) FROM {TABLES[type_]} WHERE space = ?1),"
            " (SELECT count(*) FROM text_terms WHERE doc BETWEEN ?2 AND ?3),"
            f" (SELECT count(*) FROM {TABLES[type_]} r JOIN text_terms d ON d.doc = r.doc"
            "   WHERE r.space = ?1)",
            (space, *bounds),
        ).fetchall()
    except apsw.Error as error:
        return Finding(f"text index: {type_}", False, str(error), _REPAIR)
    ok = rows == indexed == both
    return Finding(
        check=f"text index: {type_}",
        ok=ok,
        detail=f"{both} of {rows} records indexed, {indexed} index rows",
        remedy="" if ok else _REPAIR,
    )
