"""Answers to requests under an Idempotency-Key, for a day."""

from __future__ import annotations

from datetime import datetime, timedelta

from mnemic.store import codec
from mnemic.store.rows import KeptReply
from mnemic.store.sql.connection import SqlConnection

_LIFE = timedelta(days=1)
_MOST = 10_000  # of a space
_LONGEST = 256 << 10  # bytes
_LOOK = 64  # one of so many keys looks whether there are more


class SqlReplies:
    """The replies of one space on one connection."""

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def find(self, key: bytes) -> KeptReply | None:
        rows = self._conn.execute(
            "SELECT mark, status, body FROM replies WHERE space = ? AND key = ?", (self._space, key)
        )
        for mark, status, body in rows:
            return bytes(mark), int(status), bytes(body)
        return None

    def keep(self, key: bytes, reply: KeptReply, at: datetime) -> None:
        """Remember an answer, unless it is very long; those that are old go."""
        mark, status, body = reply
        if len(body) > _LONGEST:
            return
        self._conn.execute(
            "INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (space, key) DO NOTHING",
            (self._space, key, mark, status, body, codec.to_micros(at)),
        )
        self._drop(codec.to_micros(at - _LIFE))
        if key[0] % _LOOK == 0:
            oldest = self._conn.execute(
                "SELECT at FROM replies WHERE space = ? ORDER BY at DESC LIMIT 1 OFFSET ?",
                (self._space, _MOST),
            ).get
            if oldest is not None:
                self._drop(int(oldest) + 1)

    def _drop(self, before: int) -> None:
        self._conn.execute("DELETE FROM replies WHERE space = ? AND at < ?", (self._space, before))
