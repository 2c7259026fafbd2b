"""How a job is claimed in PostgreSQL, by any number of workers at once."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from mnemic.store import codec
from mnemic.store.postgres.connection import PostgresConnection
from mnemic.store.postgres.server import KEYS
from mnemic.store.sql.queue import SqlQueue
from mnemic.store.sql.tasks import JOB
from mnemic.types import Job

if TYPE_CHECKING:
    from mnemic.store.postgres.store import PostgresStore

# Nobody is at another job of the same key.
_FREE = (
    "NOT EXISTS (SELECT 1 FROM jobs r WHERE r.space = j.space AND r.state = 'running'"
    " AND r.kind = j.kind AND r.key = j.key AND r.id != j.id"
    " AND r.lease_until > {now} AND r.queued_at <= {now})"
)
_PLACE = "j.space, j.id, j.kind, j.key"
_FIRST = "ORDER BY j.run_at, j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED"
_AT_ONCE = 10  # spaces that are asked in one round trip
# The first of the spaces, in their order, that has something due.
_DUE = f"""
SELECT d.* FROM unnest($2::bigint[]) AS w (space) CROSS JOIN LATERAL (
    SELECT {_PLACE} FROM jobs j WHERE j.space = w.space AND j.state = 'ready' AND j.run_at <= $1
        AND {_FREE.format(now="$1")} {_FIRST}
) d LIMIT 1
"""
_LAPSED = (
    f"SELECT {_PLACE} FROM jobs j WHERE j.state = 'running' AND j.lease_until <= $1"
    f" AND {_FREE.format(now='$1')} {_FIRST}"
)
# Queued in what is now the future: the clock went back.
_FUTURE = (
    f"SELECT {_PLACE} FROM jobs j WHERE j.state IN ('ready', 'running') AND j.queued_at > $1"
    f" AND {_FREE.format(now='$1')} {_FIRST}"
)
_OF_SPACE = (
    f"SELECT {_PLACE} FROM jobs j WHERE j.space = $2 AND (j.state = 'ready'"
    " AND (j.run_at <= $1 OR j.queued_at > $1) OR j.state = 'running'"
    f" AND (j.lease_until <= $1 OR j.queued_at > $1)) AND {_FREE.format(now='$1')} {_FIRST}"
)
_TAKE = f"""
WITH taken AS (
    UPDATE jobs AS j SET state = 'running', attempts = attempts + 1, lease_owner = $4,
        lease_until = $5, queued_at = $3
    WHERE j.space = $1 AND j.id = $2 AND {_FREE.format(now="$3")} RETURNING j.*
)
SELECT {JOB.columns} FROM taken j JOIN spaces s ON s.space = j.space
"""
_AGAIN = 20  # others that were quicker, before this worker looks again later


class PostgresQueue(SqlQueue):
    """Claiming and settling jobs on a server."""

    _store: PostgresStore

    def claim(
        self, owner: str, now: datetime, lease_until: datetime, space: str | None = None
    ) -> Job | None:
        moment = codec.to_micros(now)
        for _ in range(_AGAIN):
            with self._store.write_queue() as conn:
                found = self._next(conn, moment, space)
                if found is None:
                    return None
                number, id_, kind, key = found
                # Two jobs of one key may be chosen at once; the second look is under a lock.
                free = conn.rows(
                    "SELECT pg_try_advisory_xact_lock($1::int, hashtext($2))",
                    (KEYS, f"{number} {kind} {key}"),
                ).get
                row = (
                    free
                    and conn.rows(
                        _TAKE, (number, id_, moment, owner, codec.to_micros(lease_until))
                    ).fetchone()
                )
            if row:
                return JOB.read(row)
        return None

    def _next(
        self, conn: PostgresConnection, moment: int, space: str | None
    ) -> tuple[int, str, str, str] | None:
        if space is not None:
            mine: tuple[int, str, str, str] | None = conn.rows(
                _OF_SPACE, (moment, self._store.number_of(conn, space))
            ).fetchone()
            return mine
        found: tuple[int, str, str, str] | None = conn.rows(_LAPSED, (moment,)).fetchone()
        waiting = [] if found else self._round.turns(conn, moment)
        while found is None and waiting:
            asked, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
            found = conn.rows(_DUE, (moment, asked)).fetchone()
            for number in asked:
                is_last = found is not None and number == found[0]
                self._round.served(number, again=is_last)
                if is_last:
                    break
        if found is None:
            found = conn.rows(_FUTURE, (moment,)).fetchone()
        return found
