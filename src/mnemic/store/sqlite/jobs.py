"""How a job is claimed in SQLite, whose writers wait for each other."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from mnemic.store import codec
from mnemic.store.sql.connection import SqlConnection
from mnemic.store.sql.queue import SqlQueue
from mnemic.store.sql.tasks import FROM_JOBS, JOB
from mnemic.types import Job

# Due: its time has come, or it was queued in what is now the future because the clock went back.
_DUE = "(j.run_at <= :now OR j.queued_at > :now)"
_LAPSED = "(j.lease_until <= :now OR j.queued_at > :now)"
_ALONE = (
    "NOT EXISTS (SELECT 1 FROM jobs r WHERE r.state = 'running' AND r.id != j.id"
    " AND r.space = j.space AND r.kind = j.kind AND r.key = j.key"
    " AND r.lease_until > :now AND r.queued_at <= :now)"
)
_FIRST = f"SELECT j.id FROM jobs j WHERE {{}} AND {_ALONE} ORDER BY j.run_at, j.id LIMIT 1"
_NEXT_LAPSED = _FIRST.format(f"j.state = 'running' AND {_LAPSED}")
_NEXT_OF_SPACE = _FIRST.format("j.state = 'ready' AND j.space = :space AND j.run_at <= :now")
_FOR_ANY_REASON = f"(j.state = 'ready' AND {_DUE} OR j.state = 'running' AND {_LAPSED})"


class SqliteQueue(SqlQueue):
    """Claiming and settling jobs in a file."""

    def claim(
        self, owner: str, now: datetime, lease_until: datetime, space: str | None = None
    ) -> Job | None:
        moment = codec.to_micros(now)
        values = {"now": moment, "owner": owner, "lease": codec.to_micros(lease_until)}
        # Read before the write lock is taken: an idle worker must not disturb writers.
        with self._store.read_queue() as conn:
            if not conn.execute(
                f"SELECT EXISTS (SELECT 1 FROM jobs j WHERE j.state = 'ready' AND {_DUE})"
                f" OR EXISTS (SELECT 1 FROM jobs j WHERE j.state = 'running' AND {_LAPSED})",
                values,
            ).get:
                return None
        with self._store.write_queue() as conn:
            claimed = self._next(conn, values, space)
            if claimed is None:
                return None
            conn.execute(
                "UPDATE jobs SET state = 'running', attempts = attempts + 1, lease_owner = :owner,"
                " lease_until = :lease, queued_at = :now WHERE id = :id",
                {**values, "id": claimed},
            )
            statement = f"SELECT {JOB.columns} {FROM_JOBS} WHERE j.id = ?"
            (row,) = conn.execute(statement, (claimed,)).fetchall()
            return JOB.read(row)

    def _next(self, conn: SqlConnection, values: dict[str, Any], space: str | None) -> str | None:
        """The id of the job to take: of the space that has waited longest for its turn."""
        claimed: str | None
        if space is not None:
            mine = {**values, "space": self._store.number_of(conn, space)}
            claimed = conn.execute(
                _FIRST.format(f"{_FOR_ANY_REASON} AND j.space = :space"), mine
            ).get
            return claimed
        claimed = conn.execute(_NEXT_LAPSED, values).get
        if claimed is not None:
            return claimed
        for number in self._round.turns(conn, int(values["now"])):
            claimed = conn.execute(_NEXT_OF_SPACE, {**values, "space": number}).get
            self._round.served(number, again=claimed is not None)
            if claimed is not None:
                return claimed
        claimed = conn.execute(_FIRST.format(_FOR_ANY_REASON), values).get
        return claimed  # what a clock that went back has left
