"""What memory put into prompts, in SQLite: fingerprints with a bound and an end."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import apsw

from recollect.errors import StoreDamaged
from recollect.store import codec

_MARK = 8  # bytes
_ANYWHERE = ""


class SqliteEchoes:
    """The echo lines of one space on one connection."""

    def __init__(self, conn: apsw.Connection, space: int) -> None:
        self._conn = conn
        self._space = space

    def note(
        self, session: str, lines: Mapping[int, Sequence[int]], at: datetime, most: int
    ) -> None:
        """Remember lines by their marks; beyond ``most`` of a session the oldest go."""
        moment = codec.to_micros(at)
        self._conn.executemany(
            "INSERT INTO echo_lines VALUES (?, ?, ?, ?, ?) ON CONFLICT (space, session, line)"
            " DO UPDATE SET at = max(at, excluded.at)",
            [
                (self._space, session, line, struct.pack(f"<{len(marks)}q", *marks), moment)
                for line, marks in lines.items()
            ],
        )
        self._conn.execute(
            "DELETE FROM echo_lines WHERE space = ? AND session = ? AND line IN (SELECT line"
            " FROM echo_lines WHERE space = ? AND session = ?"
            " ORDER BY at DESC, line LIMIT -1 OFFSET ?)",
            (self._space, session, self._space, session, most),
        )

    def marks(self, session: str, since: datetime) -> frozenset[int]:
        """The marks of a session, and of what was said in none in particular."""
        rows = self._conn.execute(
            "SELECT marks FROM echo_lines WHERE space = ? AND session IN (?, ?) AND at >= ?",
            (self._space, session, _ANYWHERE, codec.to_micros(since)),
        )
        packed = b"".join(marks for (marks,) in rows)
        if len(packed) % _MARK:
            raise StoreDamaged(
                "The echo marks in the database are damaged",
                remedy="Restore a backup; they are only needed for a day, so nothing else is lost",
            )
        return frozenset(struct.unpack(f"<{len(packed) // _MARK}q", packed))

    def drop_marked(self, marks: frozenset[int]) -> None:
        """Remove the lines that have one of these marks."""
        rows: list[Any] = self._conn.execute(
            "SELECT session, line, marks FROM echo_lines WHERE space = ?", (self._space,)
        ).fetchall()
        self._conn.executemany(
            "DELETE FROM echo_lines WHERE space = ? AND session = ? AND line = ?",
            [
                (self._space, session, line)
                for session, line, packed in rows
                if not marks.isdisjoint(struct.unpack(f"<{len(packed) // _MARK}q", packed))
            ],
        )

    def drop(self, before: datetime | None) -> None:
        """Remove what is older, or all of it."""
        limit = (1 << 62) if before is None else codec.to_micros(before)
        self._conn.execute(
            "DELETE FROM echo_lines WHERE space = ? AND at < ?", (self._space, limit)
        )
