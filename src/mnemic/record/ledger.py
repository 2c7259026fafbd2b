"""Reading the ledger and the journal of one space, and noting what models cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeVar

from mnemic.days import Zone
from mnemic.errors import InvalidInput, NotFound
from mnemic.ids import is_not_after
from mnemic.language.dates.moments import calendar_day, maybe_moment, moment
from mnemic.language.guard import MAX_SUMMARY
from mnemic.patterns import defer
from mnemic.record import triggers
from mnemic.rules import checks
from mnemic.rules.checks import MAX_ROWS
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.store.rows import EpisodeSpan, TurnFilter
from mnemic.types import (
    EMPTY,
    OUTCOMES,
    ROLES,
    TURN_STATES,
    Attachment,
    DailyEvent,
    Episode,
    EpisodeQuery,
    Event,
    Job,
    JobState,
    JournalQuery,
    ModelWait,
    SafeName,
    SessionInfo,
    SessionQuery,
    Stats,
    Turn,
    TurnQuery,
    UsageTotal,
    constant,
)

Record = TypeVar("Record", Turn, Attachment)
_REVIVED = constant("to be tried again")
_SHORTEST, _SHOWN = 4, 5  # characters of the beginning of an id; ids that begin alike
_BEGINNING = defer(rf"[0-9a-f-]{{{_SHORTEST},36}}")
_READ = 500  # dead turns looked at in one go
# How the values of a query are checked, by their names; the others are names to look for.
_CHOICES = {"role": ROLES, "state": TURN_STATES, "outcome": OUTCOMES}
_MOMENTS = {"since", "until"}
_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "limit": checks.check_limit,
    "offset": checks.check_offset,
    "newest_first": bool,
}


@dataclass(frozen=True, slots=True, eq=False)
class LedgerReader:
    """What happened in one space."""

    space: Space

    # --- conversations --------------------------------------------------------------------------

    def open_session(self, session: str, project: str, topic: str) -> SafeName:
        """The session as it is stored."""
        guard = self.space.guard
        id_ = guard.name(session, "session")
        about = guard.maybe_name(project, "project"), guard.maybe_name(topic, "topic")
        with self.space.write() as unit:
            unit.ledger.open_session(id_, *about, self.space.now())
        return id_

    def episodes(self, query: EpisodeQuery) -> list[Episode]:
        with self.space.read() as unit:
            return unit.episodes.latest(**self._check(unit, query))

    def sessions(self, query: SessionQuery) -> list[SessionInfo]:
        with self.space.read() as unit:
            return unit.ledger.sessions(**self._check(unit, query))

    def turns(self, query: TurnQuery) -> list[Turn]:
        with self.space.read() as unit:
            wanted = self._check(unit, query)
            having = wanted.pop("metadata", {})
            return turns_with_episodes(unit, unit.ledger.turns(TurnFilter(**wanted, having=having)))

    def _check(self, unit: Unit, query: Mapping[str, Any]) -> dict[str, Any]:
        """What narrows a list, each in its stored form; what is None narrows nothing."""
        given = {name: value for name, value in query.items() if value is not None}
        zone = self.space.zone(unit) if given.keys() & _MOMENTS else UTC
        return {name: self._check_value(name, value, zone) for name, value in given.items()}

    def _check_value(self, name: str, value: Any, zone: Zone) -> Any:
        if name in _CHOICES:
            return checks.check_choice(value, _CHOICES[name], name)
        if name in _MOMENTS:
            return moment(value, name, zone)
        if name in _CHECKS:
            return _CHECKS[name](value)
        if name == "metadata":
            return self.space.guard.metadata_texts(value)
        return self.space.guard.maybe_name(value, name)

    def find_id(self, prefix: str) -> str:
        """The whole id of the only record whose id begins so."""
        if _BEGINNING.fullmatch(checks.check_name(prefix, "prefix")) is None:
            raise InvalidInput(
                f"{prefix!r:.60} is not the beginning of an id",
                remedy=f"Give at least {_SHORTEST} of its characters, such as 01a1e748",
            )
        with self.space.read() as unit:
            ids = unit.ledger.ids_beginning(prefix, _SHOWN + 1)
        if not ids:
            raise NotFound(f"No record's id begins with {prefix}", remedy="List them for their ids")
        if len(ids) > 1:
            shown = ", ".join(ids[:_SHOWN]) + (" …" if len(ids) > _SHOWN else "")
            raise InvalidInput(
                f"Several ids begin with {prefix}: {shown}", remedy="Give more of it"
            )
        return ids[0]

    # --- the journal ----------------------------------------------------------------------------

    def daily_events(self, day: date | None, text: str | None, limit: int) -> list[DailyEvent]:
        checks.check_limit(limit)
        words = () if text is None else tuple(checks.check_text(text, "text", MAX_SUMMARY).split())
        with self.space.read() as unit:
            chosen = None if day is None else calendar_day(day, self.space.zone(unit))
            return unit.journal.daily_events(chosen, limit, words=words)

    def events(self, query: JournalQuery) -> list[Event]:
        with self.space.read() as unit:
            wanted = self._check(unit, query)
            return unit.journal.events(type_=wanted.pop("type", None), **wanted)

    def note_failure(self, where: str, error: str) -> Event:
        now = self.space.now()
        with self.space.write() as unit:
            return unit.journal.begin_new("host_fail", now).note(
                "host_fail",
                self.space.guard.name(where, "where"),
                error=self.space.guard.text(error, "error", MAX_SUMMARY),
            )

    def record_usage(
        self, purpose: str, model: str, input_tokens: int, output_tokens: int, cost: float | None
    ) -> None:
        with self.space.write() as unit:
            unit.journal.add_usage(
                purpose=self.space.guard.name(purpose, "purpose"),
                model=self.space.guard.name(model, "model"),
                input_tokens=checks.check_tokens(input_tokens, "input_tokens"),
                output_tokens=checks.check_tokens(output_tokens, "output_tokens"),
                cost=checks.check_amount(cost, "cost"),
                at=self.space.now(),
            )

    def usage(self, since: datetime | str | None) -> list[UsageTotal]:
        with self.space.read() as unit:
            return unit.journal.usage(maybe_moment(since, "since", self.space.zone(unit)))

    # --- jobs and figures -----------------------------------------------------------------------

    def jobs(self, state: JobState | None, limit: int) -> list[Job]:
        if state is not None:
            checks.check_choice(state, ("ready", "running", "dead"), "state")
        checks.check_limit(limit)
        with self.space.read() as unit:
            return unit.tasks.list_unfinished(state, limit)

    def redrive(self, ids: Sequence[str] | None) -> int:
        chosen = None if ids is None else checks.check_tags(ids, checks.MAX_ROWS, "ids")
        with self.space.write() as unit:
            return _redrive(unit, chosen, self.space.now())

    def discard(self, ids: Sequence[str]) -> int:
        chosen = checks.check_tags(ids, checks.MAX_ROWS, "ids")
        with self.space.write() as unit:
            return unit.tasks.discard(chosen)

    def stats(
        self,
        *,
        worker_failure: str,
        recall_failure: str,
        unembedded: int,
        suspended: Sequence[str] = (),
    ) -> Stats:
        with self.space.read() as unit:
            waiting = model_wait(unit)
            kinds = self.space.guard.words.kinds
            noted = unit.memories.count_noted(kinds.name)
        stats = self.space.store.stats(self.space.name)
        by_kind: Counter[str] = Counter()
        for kind, count in stats.by_kind.items():
            by_kind[kinds.word_of(kind, {})] += count
        for (kind, word), count in noted.items():
            by_kind[kinds.word_of(kind, {})] -= count
            by_kind[kinds.word_of(kind, {kinds.name: word})] += count
        return replace(
            stats,
            model_wait=waiting,
            worker_failure=worker_failure,
            recall_failure=recall_failure,
            unembedded=unembedded,
            read_only=self.space.store.read_only,
            suspended=tuple(suspended),
            by_kind={word: count for word, count in by_kind.most_common() if count},
        )


def _redrive(unit: Unit, ids: Sequence[str] | None, now: datetime) -> int:
    """Dead jobs, all or these, and the turns they gave up, and those that wait for a model; says
    how many jobs there are to run.

    With all of them come the dead turns whose job somebody has removed.
    """
    dead = unit.tasks.list_unfinished("dead", checks.MAX_ROWS)
    chosen = [job for job in dead if ids is None or job.id in ids]
    started = unit.tasks.redrive(ids, now)
    learning = (triggers.KIND, triggers.SESSION_END)
    sessions = {job.name_of("session") for job in chosen if job.kind in learning}
    _revive(unit, sessions, now)
    if ids is not None:
        return started
    while orphans := unit.ledger.turns(TurnFilter(state="dead", limit=_READ)):
        orphaned = {turn.session for turn in orphans}
        _revive(unit, orphaned, now)
        started += len(orphaned)
    return started


def _revive(unit: Unit, sessions: Collection[SafeName], now: datetime) -> None:
    for session in sorted(sessions):
        if unit.ledger.revive(session, _REVIVED):
            triggers.queue(unit, [session], now=now)


def model_wait(unit: Unit) -> ModelWait | None:
    """How much waits for a model in this space, since when, and until which try."""
    waiting = [
        (job, since)
        for job in unit.tasks.waiting_for_model(MAX_ROWS)
        if (since := job.waiting_since) is not None
    ]
    if not waiting:
        return None
    sessions = list(dict.fromkeys(job.name_of("session") for job, _ in waiting))
    # A suspended model only says that nobody asked it, because of another reason.
    reasons = [job.error for job, _ in waiting if job.error]
    return ModelWait(
        turns=unit.ledger.count_waiting(sessions),
        since=min(since for _, since in waiting),
        next_try=waiting[0][0].run_at,  # they come by their time
        reason=min(reasons, key=lambda reason: reason.startswith("ModelSuspended"), default=""),
    )


_TICK = timedelta(milliseconds=1)  # an id tells its time no better


def turns_with_episodes(unit: Unit, turns: Sequence[Turn]) -> list[Turn]:
    """Each turn with the first episode that was written of it."""
    return _with_episodes(
        unit, turns, lambda turn, span: span.since <= turn.at and turn.index <= span.last_index
    )


def files_with_episodes(unit: Unit, files: Sequence[Attachment]) -> list[Attachment]:
    """Each file with the first episode of its session that was written after it came."""
    return _with_episodes(
        unit, files, lambda file, span: not is_not_after(span.id, file.created_at - _TICK)
    )


def _with_episodes(
    unit: Unit, records: Sequence[Record], is_of: Callable[[Record, EpisodeSpan], bool]
) -> list[Record]:
    sessions = dict.fromkeys(record.session for record in records)
    spans, linked = {session: unit.episodes.spans(session) for session in sessions}, []
    for record in records:
        episode = next((s.id for s in spans[record.session] if is_of(record, s)), EMPTY)
        linked.append(replace(record, episode=episode) if episode else record)
    return linked
