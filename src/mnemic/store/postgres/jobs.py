"""How a job is claimed in PostgreSQL, by any number of workers at once."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from mnemic.store import codec
from mnemic.store.postgres.connection import PostgresConnection
from mnemic.store.postgres.server import KEYS
from mnemic.store.sql.queue import SqlQueue
from mnemic.store.sql.statements import read_statements
from mnemic.store.sql.tasks import JOB
from mnemic.types import Job

if TYPE_CHECKING:
    from mnemic.store.postgres.store import PostgresStore

_AT_ONCE = 10  # spaces that are asked in one round trip
_AGAIN = 20  # others that were quicker, before this worker looks again later
_SQL = read_statements("postgres/jobs")


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
                        _SQL["take"], (number, id_, moment, owner, codec.to_micros(lease_until))
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
                _SQL["of_space"], (moment, self._store.number_of(conn, space))
            ).fetchone()
            return mine
        found: tuple[int, str, str, str] | None = conn.rows(_SQL["lapsed"], (moment,)).fetchone()
        waiting = [] if found else self._round.turns(conn, moment)
        while found is None and waiting:
            asked, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
            found = conn.rows(_SQL["due"], (moment, asked)).fetchone()
            for number in asked:
                is_last = found is not None and number == found[0]
                self._round.served(number, again=is_last)
                if is_last:
                    break
        if found is None:
            found = conn.rows(_SQL["future"], (moment,)).fetchone()
        return found
