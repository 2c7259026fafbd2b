"""What memory put into prompts: fingerprints with a bound and an end."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from datetime import datetime

from mnemic.errors import StoreDamaged
from mnemic.store.rows import EchoAbout
from mnemic.store.sql.part import Part, read_statements
from mnemic.types import TRUSTS, SafeName, Trust

_MARK = 8  # bytes


class SqlEchoes(Part):
    """The echo lines of one space on one connection."""

    statements = read_statements("sql/echoes")

    def note(
        self,
        session: SafeName,
        lines: Mapping[int, Sequence[int]],
        at: datetime,
        most: int,
        about: Mapping[int, EchoAbout] | None = None,
    ) -> None:
        """Remember lines by their marks; beyond ``most`` of a session the oldest go, those that
        are trusted and those that are not each by themselves.
        """
        usual, details = EchoAbout(), about or {}
        for line, marks in lines.items():
            trust, words, since = details.get(line, usual)
            self._run(
                "note",
                session=session,
                line=line,
                marks=_packed(marks),
                words=_packed(words),
                taint=TRUSTS.index(trust),
                since=since,
                at=at,
            )
        for chosen in ("taint < 2", "taint >= 2"):
            self._run(self._sql("drop_oldest", chosen=chosen), session=session, most=most)

    def marks(self, session: SafeName, since: datetime) -> dict[int, int]:
        """The marks of a session, and of what was said in none in particular."""
        rows = self._run("marks", session=session, since=since)
        first_shown: dict[int, int] = {}
        for packed, first in rows:
            first_shown.update(dict.fromkeys(_unpacked(packed), first))
        return first_shown

    def untrusted(self, since: datetime) -> list[tuple[Trust, frozenset[int]]]:
        """The words of lines that tools and outsiders said, in any session."""
        rows = self._run("untrusted", since=since)
        return [(TRUSTS[taint], frozenset(_unpacked(words))) for taint, words in rows]

    def drop_marked(self, marks: frozenset[int]) -> None:
        """Remove the lines that have one of these marks."""
        rows = self._run("every_line")
        for session, line, packed in rows.fetchall():
            if not marks.isdisjoint(_unpacked(packed)):
                self._run("drop_line", session=session, line=line)

    def drop(self, before: datetime | None) -> None:
        """Remove what is older, or all of it."""
        self._run("drop", limit=(1 << 62) if before is None else before)


def _packed(marks: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(marks)}q", *marks)


def _unpacked(packed: bytes) -> tuple[int, ...]:
    if len(packed) % _MARK:
        raise StoreDamaged(
            "The echo marks in the database are damaged",
            remedy="Restore a backup; they are only needed for a day, so nothing else is lost",
        )
    return struct.unpack(f"<{len(packed) // _MARK}q", packed)
