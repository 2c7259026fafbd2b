"""Runs of upkeep, and identity cards and onboarding, which are as small."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from mnemic.ids import is_id, last_id_of, made_at
from mnemic.store import codec
from mnemic.store.sql.connection import SqlConnection
from mnemic.store.upkeep import CardRow, Claimed, OnboardingRow, RunRow, StepRow

_STEP = "space = ? AND work = ? AND run = ? AND step = ?"


class SqlRuns:
    """The runs of one space on one connection."""

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def begin(self, work: str, day: date, now: datetime) -> str:
        """The run of that day that was interrupted, else a new one."""
        existing = [
            (str(run), finished)
            for run, finished in self._conn.execute(
                "SELECT run, finished_at FROM upkeep_runs WHERE space = ? AND work = ?"
                " AND (run = ? OR run LIKE ?) ORDER BY length(run), run",
                (self._space, work, day.isoformat(), f"{day.isoformat()}#%"),
            )
        ]
        if existing and existing[-1][1] is None:
            return existing[-1][0]
        run = f"{day.isoformat()}#{len(existing) + 1}" if existing else day.isoformat()
        self._conn.execute(
            "INSERT INTO upkeep_runs VALUES (?, ?, ?, ?, NULL)",
            (self._space, work, run, codec.to_micros(now)),
        )
        return run

    def take(
        self, work: str, run: str, step: str, *, owner: str, now: datetime, until: datetime
    ) -> Claimed:
        """Have the step for oneself until then, unless it is done or another process is at it."""
        place = (self._space, work, run, step)
        row: tuple[Any, ...] | None = self._conn.execute(
            "SELECT finished_at IS NOT NULL, lease_until > ? AND owner != ?"
            f" FROM upkeep_steps WHERE {_STEP}",
            (codec.to_micros(now), owner, *place),
        ).get
        done, busy = row or (False, False)
        if done:
            return "done"
        if busy:
            return "busy"
        self._conn.execute(
            "INSERT INTO upkeep_steps VALUES (?, ?, ?, ?, ?, ?, NULL, '{}', '')"
            " ON CONFLICT (space, work, run, step) DO UPDATE SET owner = excluded.owner,"
            " lease_until = excluded.lease_until, error = ''",
            (*place, owner, codec.to_micros(until)),
        )
        return "taken"

    def progress(
        self,
        work: str,
        run: str,
        step: str,
        *,
        owner: str,
        counts: Mapping[str, int],
        until: datetime,
    ) -> bool:
        """Add to what the step did, in the transaction that did it; False when it was lost."""
        place = (self._space, work, run, step)
        before = self._conn.execute(
            f"SELECT counts FROM upkeep_steps WHERE {_STEP} AND owner = ?", (*place, owner)
        ).get
        if before is None:
            return False
        total = _added(before, counts)
        self._conn.execute(
            f"UPDATE upkeep_steps SET counts = ?, lease_until = ? WHERE {_STEP}",
            (codec.dump(total), codec.to_micros(until), *place),
        )
        return True

    def finish(
        self, work: str, run: str, step: str, *, owner: str, now: datetime, error: str = ""
    ) -> None:
        """The step is done; or failed, and may be taken again at once."""
        done = None if error else codec.to_micros(now)
        self._conn.execute(
            "UPDATE upkeep_steps SET finished_at = ?, error = ?, lease_until = NULL"
            f" WHERE {_STEP} AND owner = ?",
            (done, error, self._space, work, run, step, owner),
        )

    def close(self, work: str, run: str, now: datetime) -> None:
        self._conn.execute(
            "UPDATE upkeep_runs SET finished_at = ? WHERE space = ? AND work = ? AND run = ?",
            (codec.to_micros(now), self._space, work, run),
        )

    def steps(self, work: str, run: str) -> dict[str, StepRow]:
        rows = self._conn.execute(
            "SELECT step, finished_at, counts, error FROM upkeep_steps"
            " WHERE space = ? AND work = ? AND run = ?",
            (self._space, work, run),
        )
        return {
            step: StepRow(step, codec.maybe_from_micros(finished), _added(counts, {}), error)
            for step, finished, counts, error in rows
        }

    def last_done(self, step: str) -> datetime | None:
        """When the latest run began in which that step came to its end."""
        latest = self._conn.execute(
            "SELECT max(r.started_at) FROM upkeep_steps s JOIN upkeep_runs r"
            " ON r.space = s.space AND r.work = s.work AND r.run = s.run"
            " WHERE s.space = ? AND s.step = ? AND s.finished_at IS NOT NULL",
            (self._space, step),
        ).get
        return codec.maybe_from_micros(latest)

    def begun_after(self, moment: datetime) -> list[tuple[str, str]]:
        """Work and run of those that began later, the latest first."""
        rows = self._conn.execute(
            "SELECT work, run FROM upkeep_runs WHERE space = ? AND started_at > ?"
            " ORDER BY started_at DESC, length(run) DESC, run DESC",
            (self._space, codec.to_micros(moment)),
        )
        return [(work, run) for work, run in rows]

    def last_activity(self, until: datetime) -> datetime | None:
        """When something was last recorded up to then, by the clock of that time.

        Turns and memories by their ids: the times they speak of are given by whoever records them.
        """
        values = (self._space, codec.to_micros(until))
        moments: list[datetime | None] = [
            codec.maybe_from_micros(self._conn.execute(query, values).get)
            for query in (
                "SELECT max(started_at) FROM upkeep_runs WHERE space = ? AND started_at <= ?",
                "SELECT max(at) FROM events WHERE space = ? AND at <= ?",
            )
        ]
        for table in ("turns", "memories"):
            latest = self._conn.execute(
                f"SELECT max(id) FROM {table} WHERE space = ? AND id <= ?",
                (self._space, last_id_of(until)),
            ).get
            moments.append(made_at(latest) if latest is not None and is_id(latest) else None)
        return max(filter(None, moments), default=None)

    def latest(self, work: str) -> RunRow | None:
        rows: list[tuple[Any, ...]] = self._conn.execute(
            "SELECT run, started_at, finished_at FROM upkeep_runs WHERE space = ? AND work = ?"
            " ORDER BY started_at DESC, length(run) DESC, run DESC LIMIT 1",
            (self._space, work),
        ).fetchall()
        return next(
            (
                RunRow(run, codec.from_micros(started), codec.maybe_from_micros(finished))
                for run, started, finished in rows
            ),
            None,
        )


class SqlCards:
    """The cards of one space."""

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def all(self) -> dict[str, CardRow]:
        rows = self._conn.execute(
            "SELECT name, source, maker, text FROM cards WHERE space = ?", (self._space,)
        )
        return {row[0]: CardRow(*row) for row in rows}

    def put(self, card: CardRow, at: datetime) -> None:
        self._conn.execute(
            "INSERT INTO cards VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (space, name) DO UPDATE SET"
            " source = excluded.source, maker = excluded.maker, text = excluded.text,"
            " made_at = excluded.made_at",
            (self._space, card.name, card.source, card.maker, card.text, codec.to_micros(at)),
        )

    def drop(self, name: str) -> None:
        self._conn.execute("DELETE FROM cards WHERE space = ? AND name = ?", (self._space, name))


class SqlOnboardings:
    """The onboarding of one space."""

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def get(self) -> OnboardingRow | None:
        rows: list[tuple[Any, ...]] = self._conn.execute(
            "SELECT stage, answers FROM onboarding WHERE space = ?", (self._space,)
        ).fetchall()
        for stage, answers in rows:
            stored = codec.load_mapping(answers)
            return OnboardingRow(
                stage, {name: codec.stored_text(text) for name, text in stored.items()}
            )
        return None

    def put(self, row: OnboardingRow, at: datetime) -> None:
        self._conn.execute(
            "INSERT INTO onboarding VALUES (?, ?, ?, ?) ON CONFLICT (space) DO UPDATE SET"
            " stage = excluded.stage, answers = excluded.answers,"
            " updated_at = excluded.updated_at",
            (self._space, row.stage, codec.dump(dict(row.answers)), codec.to_micros(at)),
        )


def _added(stored: str, more: Mapping[str, int]) -> dict[str, int]:
    """The counts as they were kept, with some more."""
    total = {
        name: number
        for name, number in codec.load_mapping(stored).items()
        if isinstance(number, int)
    }
    for name, number in more.items():
        total[name] = total.get(name, 0) + number
    return total
