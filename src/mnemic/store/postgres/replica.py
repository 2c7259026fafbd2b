"""A second server that follows the first one, and answers recall while it keeps up.

It is asked before each recall whether it has all that this process wrote, whether it still hears
from the first server, and how far behind it is; where one of these is wrong, the first answers.
"""

from __future__ import annotations

import time

from mnemic.errors import StoreError
from mnemic.settings.environment import StoreSettings
from mnemic.store.postgres.address import read_address
from mnemic.store.postgres.server import Server
from mnemic.store.sql.postings import TextStats

_AWAY = 10.0  # seconds for which a replica that did not answer is not asked again
_PATIENCE = 2.0
_STATE = (
    "SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn,"
    " EXISTS (SELECT 1 FROM pg_stat_wal_receiver),"
    " CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0"
    " ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) END"
)


class Replica:
    """The replica of ``primary``; its figures of the text index may be older."""

    def __init__(self, primary: Server, busy_timeout: float, settings: StoreSettings) -> None:
        self._primary = primary
        self._lag = settings.replica_lag.total_seconds()
        self._away_until = 0.0
        self.text_stats = TextStats()
        self.server = Server(
            read_address(settings.replica.reveal()),
            min(busy_timeout, _PATIENCE),
            read_only=True,
            settings=settings,
            connect_timeout=_PATIENCE,
        )

    def keeps_up(self) -> bool:
        """Whether a recall may be answered there now."""
        if time.monotonic() < self._away_until:
            return False
        try:
            with self.server.read() as conn:
                replayed, is_fed, lag = conn.rows(_STATE).fetchone()
        except StoreError:
            self.leave()
            return False
        return bool(is_fed) and (lag or 0) <= self._lag and replayed >= self._primary.written

    def leave(self) -> None:
        """Ask nothing of it for a while."""
        self._away_until = time.monotonic() + _AWAY
