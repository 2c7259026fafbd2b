"""Who speaks in the sessions: what a turn's trust rests on, and what changes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mnemic.rules.speakers import UNREAD, Speech, least_trusted, speaker_mark, with_claim
from mnemic.store import codec
from mnemic.store.rows import TurnRow
from mnemic.store.sql.connection import SqlConnection
from mnemic.types import Trust

_FROM = "FROM turns t JOIN sessions s ON s.space = t.space AND s.number = t.session"
_CLAIMED = "t.role = 'user' AND t.trust = 'owner' AND t.claimed = 1"


class SpeechRows:
    """The speakers of one space on one connection."""

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def claimed(self, row: TurnRow, number: int, speech: Speech) -> tuple[TurnRow, Speech, bool]:
        """A turn with the trust it has in its session, the session's speech after it, and whether
        the session was the owner's until now.
        """
        before = self._speech(number) if speech.speaker == UNREAD else speech
        after = before if row.claim is None else with_claim(before, row.claim)
        if after != speech:
            self._conn.execute(
                "UPDATE sessions SET speaker = ?, shared = ? WHERE +space = ? AND number = ?",
                (after.speaker, after.shared, self._space, number),
            )
        if after.shared and row.trust == "owner":
            row = row._replace(trust="external")
        return row, after, after.shared and not speech.shared

    def _speech(self, number: int) -> Speech:
        """Who spoke in a session that was recorded before this was kept."""
        speech = Speech()
        for (sender,) in self._conn.execute(
            "SELECT DISTINCT sender FROM turns WHERE space = ? AND session = ? AND role = 'user'"
            " AND trust = 'owner' AND claimed = 1",
            (self._space, number),
        ):
            speech = with_claim(speech, speaker_mark(sender))
        return speech

    def claimants(self, session: str) -> list[str]:
        rows = self._conn.execute(
            f"SELECT DISTINCT t.sender {_FROM} WHERE s.space = ? AND s.id = ?"
            f" AND t.space = s.space AND {_CLAIMED}",
            (self._space, session),
        )
        return [sender for (sender,) in rows]

    def disown(self, session: str, senders: Sequence[str]) -> list[str]:
        rows = self._conn.execute(
            "UPDATE turns AS t SET trust = 'external' WHERE t.space = ? AND t.session ="
            " (SELECT number FROM sessions WHERE space = ? AND id = ?)"
            f" AND {_CLAIMED} AND t.sender IN (SELECT value FROM json_each(?)) RETURNING id",
            (self._space, self._space, session, codec.dump(list(senders))),
        )
        return [str(id_) for (id_,) in rows.fetchall()]

    def least_trust(self, session: str) -> Trust | None:
        rows: list[Any] = self._conn.execute(
            f"SELECT DISTINCT t.trust, t.tool_results IS NOT NULL {_FROM}"
            " WHERE s.space = ? AND s.id = ? AND t.space = s.space",
            (self._space, session),
        ).fetchall()
        trusts: list[Trust] = [
            "tool" if used and trust in ("owner", "agent") else trust for trust, used in rows
        ]
        return least_trusted(trusts) if trusts else None
