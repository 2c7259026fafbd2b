"""Reading the ledger and the journal of one space, and noting what models cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from recollect.clock import Clock
from recollect.ids import new_id
from recollect.ingest.learning.redriving import redrive
from recollect.rules import intake
from recollect.rules.dates import calendar_day, maybe_moment
from recollect.store.base import Store
from recollect.store.rows import TurnFilter
from recollect.types import (
    ROLES,
    TURN_STATES,
    DailyEvent,
    Episode,
    Event,
    Job,
    JobState,
    Role,
    SessionInfo,
    Stats,
    Turn,
    TurnState,
    UsageTotal,
)


class LedgerBook:
    """What happened in one space."""

    def __init__(self, store: Store, space: str, clock: Clock, max_attempts: int) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._max_attempts = max_attempts

    # --- conversations --------------------------------------------------------------------------

    def open_session(self, session: str, project: str, topic: str) -> None:
        intake.check_name(session, "session")
        for name, value in (("project", project), ("topic", topic)):
            intake.check_text(value, name, intake.MAX_NAME)
        with self._store.write(self._space) as unit:
            unit.ledger.open_session(session, project, topic, self._clock.now())

    def episodes(
        self,
        *,
        session: str | None,
        since: datetime | str | None,
        until: datetime | str | None,
        limit: int,
    ) -> list[Episode]:
        intake.check_filter(session, "session")
        intake.check_limit(limit)
        with self._store.read(self._space) as unit:
            return unit.episodes.latest(
                session=session,
                since=maybe_moment(since, "since"),
                until=maybe_moment(until, "until"),
                limit=limit,
            )

    def sessions(self, *, limit: int, offset: int) -> list[SessionInfo]:
        intake.check_limit(limit)
        intake.check_offset(offset)
        with self._store.read(self._space) as unit:
            return unit.ledger.sessions(limit, offset)

    def turns(
        self,
        *,
        session: str | None,
        project: str | None,
        since: datetime | str | None,
        until: datetime | str | None,
        role: Role | None,
        tool: str | None,
        state: TurnState | None,
        newest_first: bool,
        limit: int,
        offset: int,
    ) -> list[Turn]:
        intake.check_limit(limit)
        intake.check_offset(offset)
        for name, text in (("session", session), ("project", project), ("tool", tool)):
            intake.check_filter(text, name)
        if role is not None:
            intake.check_choice(role, ROLES, "role")
        if state is not None:
            intake.check_choice(state, TURN_STATES, "state")
        wanted = TurnFilter(
            session=session,
            project=project,
            since=maybe_moment(since, "since"),
            until=maybe_moment(until, "until"),
            role=role,
            tool=tool,
            state=state,
            newest_first=newest_first,
            limit=limit,
            offset=offset,
        )
        with self._store.read(self._space) as unit:
            return unit.ledger.turns(wanted)

    # --- the journal ----------------------------------------------------------------------------

    def daily_events(self, day: date | None, limit: int) -> list[DailyEvent]:
        intake.check_limit(limit)
        chosen = None if day is None else calendar_day(day)
        with self._store.read(self._space) as unit:
            return unit.journal.daily_events(chosen, limit)

    def events(self, *, subject: str | None, type_: str | None, limit: int) -> list[Event]:
        intake.check_limit(limit)
        intake.check_filter(subject, "subject")
        intake.check_filter(type_, "type")
        with self._store.read(self._space) as unit:
            return unit.journal.events(subject=subject, type_=type_, limit=limit)

    def note_failure(self, where: str, error: str) -> Event:
        now = self._clock.now()
        with self._store.write(self._space) as unit:
            return unit.journal.add_event(
                "host_fail",
                operation_id=f"host_fail:{new_id(now)}",
                subject=intake.check_name(where, "where"),
                payload={"error": error},
                at=now,
            )

    def record_usage(
        self, purpose: str, model: str, input_tokens: int, output_tokens: int, cost: float | None
    ) -> None:
        with self._store.write(self._space) as unit:
            unit.journal.add_usage(
                purpose=intake.check_name(purpose, "purpose"),
                model=intake.check_name(model, "model"),
                input_tokens=intake.check_tokens(input_tokens, "input_tokens"),
                output_tokens=intake.check_tokens(output_tokens, "output_tokens"),
                cost=intake.check_amount(cost, "cost"),
                at=self._clock.now(),
            )

    def usage(self, since: datetime | str | None) -> list[UsageTotal]:
        moment = maybe_moment(since, "since")
        with self._store.read(self._space) as unit:
            return unit.journal.usage(moment)

    # --- jobs and figures -----------------------------------------------------------------------

    def jobs(self, state: JobState | None, limit: int) -> list[Job]:
        if state is not None:
            intake.check_choice(state, ("ready", "running", "dead"), "state")
        intake.check_limit(limit)
        with self._store.read(self._space) as unit:
            return unit.tasks.unfinished(state, limit)

    def redrive(self, ids: Sequence[str] | None) -> int:
        chosen = None if ids is None else intake.check_tags(ids, intake.MAX_ROWS, "ids")
        with self._store.write(self._space) as unit:
            return redrive(unit, chosen, self._clock.now(), self._max_attempts)

    def discard(self, ids: Sequence[str]) -> int:
        chosen = intake.check_tags(ids, intake.MAX_ROWS, "ids")
        with self._store.write(self._space) as unit:
            return unit.tasks.discard(chosen)

    def stats(self, *, worker_failure: str, recall_failure: str, unembedded: int) -> Stats:
        return replace(
            self._store.stats(self._space),
            worker_failure=worker_failure,
            recall_failure=recall_failure,
            unembedded=unembedded,
        )
