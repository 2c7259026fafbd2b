"""How a file is doing: its counts, and the checks `mnemic doctor` runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw

from mnemic.store.sql.connection import SqlConnection
from mnemic.store.sql.health import space_findings, space_stats
from mnemic.store.sql.unit import Unit
from mnemic.store.sqlite import migrate
from mnemic.types import Finding, Stats

_LOW_SPACE = 256 << 20
_LARGE_WAL = 256 << 20


def stats(unit: Unit, size: int, name: str) -> Stats:
    """Counts of one space and the size of the file."""
    version = int(unit.conn.execute("PRAGMA user_version").get)
    return space_stats(unit, name, file_bytes=size, schema=version)


def check(unit: Unit, path: str, *, deep: bool) -> list[Finding]:
    """Look for what is wrong, from cheap to dear; nothing is changed."""
    conn = unit.conn
    findings = [_schema(conn), _disk(path), _log(path), *space_findings(unit, (apsw.Error,))]
    return [_integrity(conn), *findings] if deep else findings


def _integrity(conn: SqlConnection) -> Finding:
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


def _schema(conn: SqlConnection) -> Finding:
    version = int(conn.execute("PRAGMA user_version").get)
    foreign = migrate.foreign_objects(conn)
    detail = f"{version} of {migrate.LATEST}"
    if foreign:
        detail = f"{version} of {migrate.LATEST}; not made by Mnemic: {', '.join(foreign)}"
    return Finding(
        check="schema",
        ok=version == migrate.LATEST and not foreign,
        detail=detail,
        remedy="Find out who changed the file, and restore a backup of your own" if foreign else "",
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
