"""Who speaks in the sessions: what a turn's trust rests on, and what changes it."""

from __future__ import annotations

from collections.abc import Sequence

from mnemic.rules.speakers import UNREAD, Speech, least_trusted, speaker_mark, with_claim
from mnemic.store.rows import TurnRow
from mnemic.store.sql.part import Part, read_statements
from mnemic.types import SafeName, Trust


class SpeechRows(Part):
    """The speakers of one space on one connection."""

    statements = read_statements("sql/speech")

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
        for sender in self._column("speech", number=number):
            speech = with_claim(speech, speaker_mark(sender))
        return speech

    def claimants(self, session: SafeName) -> list[str]:
        """The senders whose user turns are the owner's because nobody else spoke."""
        return self._column("claimants", session=session)

    def disown(self, session: SafeName, senders: Sequence[str]) -> list[str]:
        """Make such turns of these senders external; says which turns."""
        rows = self._run("disown", session=session, senders=senders)
        return [id_ for (id_,) in rows.fetchall()]

    def least_trust(self, session: SafeName) -> Trust | None:
        """The least trust of what was said in a session, tools included."""
        rows = self._run("least_trust", session=session)
        trusts: list[Trust] = [
            "tool" if used and trust in ("owner", "agent") else trust for trust, used in rows
        ]
        return least_trusted(trusts) if trusts else None
