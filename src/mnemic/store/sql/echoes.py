"""What memory put into prompts: fingerprints with a bound and an end."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from mnemic.errors import StoreDamaged
from mnemic.store import codec
from mnemic.store.rows import EchoAbout
from mnemic.store.sql.connection import SqlConnection
from mnemic.types import TRUSTS, Trust

_MARK = 8  # bytes
_ANYWHERE = ""


class SqlEchoes:
    """The echo lines of one space on one connection."""

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def note(
        self,
        session: str,
        lines: Mapping[int, Sequence[int]],
        at: datetime,
        most: int,
        about: Mapping[int, EchoAbout] | None = None,
    ) -> None:
        """Remember lines by their marks; beyond ``most`` of a session the oldest go, those that
        are trusted and those that are not each by themselves.
        """
        moment, details = codec.to_micros(at), about or {}
        usual = EchoAbout()
        self._conn.executemany(
            "INSERT INTO echo_lines VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (space, session, line) DO UPDATE SET at = max(echo_lines.at,"
            " excluded.at),"
            " taint = max(echo_lines.taint, excluded.taint), since = min(echo_lines.since,"
            " excluded.since),"
            " words = iif(length(excluded.words) > 0, excluded.words, echo_lines.words)",
            [
                (
                    self._space,
                    session,
                    line,
                    _packed(marks),
                    _packed(details.get(line, usual).words),
                    TRUSTS.index(details.get(line, usual).trust),
                    details.get(line, usual).since,
                    moment,
                )
                for line, marks in lines.items()
            ],
        )
        for some in ("taint < 2", "taint >= 2"):
            self._conn.execute(
                "DELETE FROM echo_lines WHERE space = ? AND session = ? AND line IN (SELECT line"
                f" FROM echo_lines WHERE space = ? AND session = ? AND {some}"
                " ORDER BY at DESC, line LIMIT -1 OFFSET ?)",
                (self._space, session, self._space, session, most),
            )

    def marks(self, session: str, since: datetime) -> dict[int, int]:
        """The marks of a session, and of what was said in none in particular."""
        rows = self._conn.execute(
            "SELECT marks, since FROM echo_lines WHERE space = ? AND session IN (?, ?) AND at >= ?"
            " ORDER BY since DESC",
            (self._space, session, _ANYWHERE, codec.to_micros(since)),
        )
        first_shown: dict[int, int] = {}
        for packed, first in rows:
            first_shown.update(dict.fromkeys(_unpacked(packed), first))
        return first_shown

    def untrusted(self, since: datetime) -> list[tuple[Trust, frozenset[int]]]:
        """The words of lines that tools and outsiders said, in any session."""
        rows = self._conn.execute(
            "SELECT taint, words FROM echo_lines WHERE space = ? AND at >= ? AND taint >= 2",
            (self._space, codec.to_micros(since)),
        )
        return [(TRUSTS[taint], frozenset(_unpacked(words))) for taint, words in rows]

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
                if not marks.isdisjoint(_unpacked(packed))
            ],
        )

    def drop(self, before: datetime | None) -> None:
        """Remove what is older, or all of it."""
        limit = (1 << 62) if before is None else codec.to_micros(before)
        self._conn.execute(
            "DELETE FROM echo_lines WHERE space = ? AND at < ?", (self._space, limit)
        )


def _packed(marks: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(marks)}q", *marks)


def _unpacked(packed: bytes) -> tuple[int, ...]:
    if len(packed) % _MARK:
        raise StoreDamaged(
            "The echo marks in the database are damaged",
            remedy="Restore a backup; they are only needed for a day, so nothing else is lost",
        )
    return struct.unpack(f"<{len(packed) // _MARK}q", packed)
