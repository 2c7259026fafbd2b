"""Extraction: a durable job that learns from a session's new turns, a batch and a transaction at
a time. A batch's memories and the states of its turns are written together, so a crash repeats a
batch whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from mnemic.clock import Clock
from mnemic.errors import BadAnswer, ModelError, ModelRefused, ModelSuspended, StoreDamaged
from mnemic.ids import is_not_after
from mnemic.language.attribution import SessionPlace, add_place, attribute
from mnemic.language.echo import UntrustedLine
from mnemic.language.exchanges import exchanges
from mnemic.language.guard import Guard
from mnemic.language.voice import VoiceJudge
from mnemic.late import dataclass
from mnemic.learn.echo import load_marks, load_untrusted, taint
from mnemic.learn.endings import with_endings
from mnemic.learn.extractors import Extractor, drop_echoes, is_person
from mnemic.learn.facts import ExtractionResult, Rejection
from mnemic.learn.grounding import SpokenWords, ground
from mnemic.learn.laws import settle_wording
from mnemic.learn.memories import end_with_session
from mnemic.learn.reconciler import Reconciler
from mnemic.learn.voices import EndingReader
from mnemic.record import triggers
from mnemic.record.daily_events import note_batch
from mnemic.record.triggers import talking_until
from mnemic.settings import Settings
from mnemic.settings.logs import log_of
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import MemoryFilter
from mnemic.types import (
    EMPTY,
    Candidate,
    Decision,
    Job,
    Memory,
    SafeName,
    SafeText,
    Turn,
    TurnState,
    key_of,
    stamp,
)

_READ = 500  # turns looked at for one batch
_PEOPLE = 200  # statements about who the user is that are looked through for people
_EARLIER = 6  # turns before a batch that help to understand it
_CHANGES = frozenset({"new", "same", "update", "conflict", "pending", "withdrawn"})
# Exchanges refused one after the other, and nothing accepted: it is not about their text.
_ALL_REFUSED = 3


@dataclass(frozen=True, slots=True)
class Learner:
    """What learning in one space needs."""

    extractor: Extractor
    reconciler: Reconciler
    voices: VoiceJudge | None = None  # whose words those of a user's message are
    ends: EndingReader | None = None  # what ends something known


_KEPT = ("new", "update", "conflict", "pending")  # outcomes that leave something to remember
LearnerOf = Callable[[str], Learner]


@dataclass(frozen=True, slots=True)
class _Reading:
    """The next batch of a session as it was recorded, and with what came before it as heard;
    ``untrusted`` is what outsiders and tools said in the prompts of late.
    """

    batch: Sequence[Turn]
    before: Sequence[Turn]
    spoken: Sequence[Turn]
    earlier: Sequence[Turn]
    untrusted: Sequence[UntrustedLine]
    place: SessionPlace
    people: Sequence[Memory]


@dataclass(frozen=True, slots=True, eq=False)
class ExtractionJob:
    """Learns from the turns of any space.

    ``before_learning`` writes down what this process put into prompts of a space, so that it is
    recognized; ``stopping`` says that somebody waits for the end of the job in hand.
    """

    store: Store
    clock: Clock
    settings: Settings
    guard: Guard
    learner_of: LearnerOf
    before_learning: Callable[[str], None]
    stopping: Callable[[], bool]

    def run(self, job: Job) -> None:
        """The job: everything of a session that has not ended in a state yet."""
        session = job.name_of("session")
        if job.payload.get("quiet") and self._still_talking(job, session):
            return
        done = self.learn(job, session)
        now = self.clock.now()
        with self.store.write(job.space) as unit:
            info = unit.ledger.session(session)
            if not done:
                triggers.queue(unit, [session], now=self.clock.now())
            elif info is not None and info.ended_at is not None:
                operation = key_of("extract", job.id, stamp(job.run_at))
                end_with_session(unit, session, operation_id=operation, now=now)

    def learn(self, job: Job, session: SafeName, *, probe: bool = False) -> bool:
        """Go through what waits; False when the time of the job was over before the turns were, or
        the worker is to end: a session that others write into may never be through.

        Whoever fails is given less at once the next time. A text that a model will not read is
        given to it in smaller parts; the exchange that is refused alone ends dead, and the rest
        goes on. A model for which others wait is asked only as a ``probe``.
        """
        learner = self.learner_of(job.space)
        if not (learner.extractor.verbatim or probe):
            self._check_model(job.space)
        self.before_learning(job.space)
        until = self.clock.now() + self.settings.jobs.lease / 2
        refusals = _Refusals()
        read: set[SafeName] = set()
        while reading := self._next(
            job, session, refusals.most_exchanges, with_people=learner.extractor.verbatim
        ):
            first = reading.batch[0].id
            if first in read:
                raise StoreDamaged(
                    f"The turns of session {session!r} do not take on their new state",
                    remedy="Run `mnemic doctor`, or restore a backup",
                )
            read.add(first)
            try:
                proposals = learner.extractor.propose(
                    reading.spoken, reading.earlier, reading.people
                )
            except (ModelRefused, BadAnswer) as error:
                if not _is_about_text(error, job):
                    raise
                done = self._give_up(job.space, session, reading.batch, refusals, error)
            else:
                refusals.accept()
                done = self._settle(job.space, session, reading, learner, proposals)
            if not done:
                read.discard(first)  # to be read as it is by now
            if self.clock.now() >= until or self.stopping():
                return False
        if refusals.first is not None:
            raise refusals.first
        return True

    def note_failure(self, job: Job, reason: str, *, dead: bool) -> None:
        """A try failed: the turns it was about say so, and why.

        After the last one everything dies that was there when it began and that no answer of a
        model was about. Called twice, it does no more. What was said since has not been tried yet
        and is looked at by a job of its own.
        """
        session = job.name_of("session")
        with self.store.write(job.space) as unit:
            waiting = unit.ledger.list_unextracted(session, _READ)
            if not dead:
                ids = [turn.id for turn in _first_batch(waiting, self._size(job))]
                unit.ledger.set_state(ids, "failed", self.guard.error(reason))
                return
            began, ended = self._began(job), set[SafeName]()
            now = self.clock.now()
            # An id of the future is of a clock that has been set back since; it tells no order.
            while ids := [
                turn.id
                for turn in waiting
                if is_not_after(turn.id, began) or not is_not_after(turn.id, now)
            ]:
                if ids[0] in ended:
                    break  # a damaged file does not keep what is written: doctor shows it
                ended.update(ids)
                unit.ledger.set_state(ids, "dead", self.guard.error(reason))
                unit.ledger.mark_extracted(session)
                waiting = unit.ledger.list_unextracted(session, _READ)
            if waiting:
                triggers.queue(unit, [session], now=self.clock.now())

    def _began(self, job: Job) -> datetime:
        """When the last try began: one lease ago or, of a job that was only taken to be buried
        after its process had died, another for each time it was.
        """
        idle = max(0, job.attempts - job.max_attempts)
        until = self.clock.now() if job.lease_until is None else job.lease_until
        return until - self.settings.jobs.lease * (1 + idle)

    def _check_model(self, space: str) -> None:
        """Raise ModelSuspended while another job of the space waits for a model that is away."""
        now = self.clock.now()
        with self.store.read(space) as unit:
            until = unit.tasks.model_away_until(now)
        if until is not None:
            raise ModelSuspended(
                f"The model is away and asked again at {until:%Y-%m-%d %H:%M} UTC",
                remedy="Check its server and key; mnemic jobs redrive asks it now",
                retry_after=until - now,
            )

    # --- one batch ------------------------------------------------------------------------------

    def _next(
        self, job: Job, session: SafeName, most_exchanges: int, *, with_people: bool
    ) -> _Reading | None:
        with self.store.read(job.space) as unit:
            waiting = unit.ledger.list_unextracted(session, _READ)
            batch = _first_batch(waiting, self._size(job), most_exchanges)
            if not batch:
                return None
            before = [
                turn
                for turn in unit.ledger.turns_before(session, batch[0].index, _EARLIER)
                if turn.state != "dead"  # what could not be read must not hold up what follows
            ]
            now = self.clock.now()
            marks = load_marks(unit, session, now, self.settings.trust)
            untrusted = load_untrusted(unit, now, self.settings.trust)
            info = unit.ledger.session(session)
            people = _people(unit) if with_people else []
        place = SessionPlace() if info is None else SessionPlace(info.project, info.topic)
        spoken, begin = drop_echoes([*before, *batch], marks), len(before)
        return _Reading(batch, before, spoken[begin:], spoken[:begin], untrusted, place, people)

    def _size(self, job: Job) -> int:
        tokens = self.settings.extraction.batch_tokens
        first = job.attempts <= 1 and job.waiting_since is None
        return int(tokens.high if first else tokens.low)

    def _settle(
        self,
        space: str,
        session: SafeName,
        reading: _Reading,
        learner: Learner,
        proposals: ExtractionResult,
    ) -> bool:
        """Write what the batch says; False when it has changed meanwhile."""
        now, batch = self.clock.now(), reading.batch
        candidates: Sequence[Candidate] = proposals.candidates
        if not learner.extractor.verbatim:
            core = self.settings.upkeep.core_importance
            speakers = SpokenWords(batch, reading.before, learner.voices)
            candidates = [ground(candidate, speakers, core) for candidate in candidates]
        candidates = [
            add_place(attribute(taint(candidate, batch, reading.untrusted), batch), reading.place)
            for candidate in candidates
        ]
        with self.store.read(space) as unit:
            candidates = settle_wording(with_endings(unit, candidates, batch, now, learner.ends))
        advice = [learner.reconciler.advise(candidate, now) for candidate in candidates]
        with self.store.write(space) as unit:
            if not self._still_waits(unit, session, batch):
                return False  # another worker was here, or somebody else spoke as the user
            decisions = [
                learner.reconciler.settle(
                    unit,
                    candidate,
                    operation_id=key_of("extract", batch[0].id, batch[-1].id, n),
                    now=now,
                    advice=advice[n],
                )
                for n, candidate in enumerate(candidates)
            ]
            self._note_rejected(unit, batch, proposals.rejected)
            if not learner.extractor.verbatim and self.settings.triggers.quiet_gap is not None:
                zone = self.settings.schedule.zone
                note_batch(unit, batch, proposals.summary, now=now, guard=self.guard, zone=zone)
            reasons = self._reasons(batch, candidates, decisions, proposals.rejected)
            self._note_states(unit, session, batch, reasons)
        facts = sum(decision.outcome in _KEPT for decision in decisions)
        log_of(self.settings).done(
            "extracted {facts} facts from {messages} messages", facts=facts, messages=len(batch)
        )
        return True

    def _give_up(
        self,
        space: str,
        session: SafeName,
        batch: Sequence[Turn],
        refusals: _Refusals,
        error: ModelError,
    ) -> bool:
        """Give up an exchange that a model will not read; False when there is less to ask for."""
        count = len(list(exchanges(batch)))
        if count > 1:
            refusals.most_exchanges = count // 2
            return False
        reason = self.guard.error(f"{type(error).__name__}: {error}")
        ids = [turn.id for turn in batch]
        with self.store.write(space) as unit:
            if not self._still_waits(unit, session, batch):
                return False
            unit.ledger.set_state(ids, "dead", reason)
            unit.ledger.mark_extracted(session)
            refusals.add(error)
            if refusals.everything and isinstance(error, ModelRefused):
                unit.ledger.revive(session, reason)
        if refusals.everything:
            raise _at_fault(error)
        return True

    def _still_waits(self, unit: Unit, session: SafeName, batch: Sequence[Turn]) -> bool:
        waiting = {turn.id: turn.trust for turn in unit.ledger.list_unextracted(session, _READ)}
        return all(waiting.get(turn.id) == turn.trust for turn in batch)

    def _note_rejected(
        self, unit: Unit, batch: Sequence[Turn], rejected: Sequence[Rejection]
    ) -> None:
        """An event for each part of an answer that could not be used."""
        for n, rejection in enumerate(rejected):
            unit.journal.begin(
                key_of("rejected", batch[0].id, batch[-1].id, n), self.clock.now()
            ).note("drop", EMPTY, reason=self.guard.error(rejection.reason))

    def _reasons(
        self,
        batch: Sequence[Turn],
        candidates: Sequence[Candidate],
        decisions: Sequence[Decision],
        rejected: Sequence[Rejection],
    ) -> dict[str, SafeText]:
        """Why nothing was learned from a turn, by its id; empty where something was."""
        reasons: dict[str, SafeText] = {}
        for candidate, decision in zip(candidates, decisions, strict=True):
            if decision.outcome in _CHANGES:
                reasons.update(dict.fromkeys(candidate.sources, EMPTY))
            else:
                reason = self.guard.error(f"{decision.outcome}: {decision.reason}")
                for source in candidate.sources:
                    reasons.setdefault(source, reason)
        for rejection in rejected:
            reason = self.guard.error(f"unusable answer: {rejection.reason}")
            for source in rejection.sources or [turn.id for turn in batch]:
                reasons.setdefault(source, reason)
        return reasons

    def _note_states(
        self, unit: Unit, session: SafeName, batch: Sequence[Turn], reasons: Mapping[str, SafeText]
    ) -> None:
        """The state of each turn: extracted, or empty with the reason."""
        by_state: dict[tuple[TurnState, SafeText], list[SafeName]] = {}
        for turn in batch:
            state: TurnState = "extracted" if reasons.get(turn.id) == "" else "empty"
            by_state.setdefault((state, reasons.get(turn.id, EMPTY)), []).append(turn.id)
        for (state, why), ids in by_state.items():
            unit.ledger.set_state(ids, state, why)
        unit.ledger.mark_extracted(session)

    # --- when -----------------------------------------------------------------------------------

    def _still_talking(self, job: Job, session: SafeName) -> bool:
        """Come back when the last turn is old enough, unless the session was ended."""
        quiet = self.settings.triggers.quiet_gap or timedelta()
        now = self.clock.now()
        with self.store.write(job.space) as unit:
            info = unit.ledger.session(session)
            if info is None or info.ended_at is not None:
                return False
            later = talking_until(info.last_at, quiet, now)
            if later is not None:
                triggers.queue(unit, [session], now=now, run_at=later, quiet=True)
        return later is not None


@dataclass(slots=True)
class _Refusals:
    """What a model would not read in one run, and how much it is given at once since."""

    most_exchanges: int = _READ
    first: ModelError | None = None
    in_a_row: int = 0
    accepted: bool = False

    @property
    def everything(self) -> bool:
        """Whether it refuses whatever it is given."""
        return not self.accepted and self.in_a_row >= _ALL_REFUSED

    def add(self, error: ModelError) -> None:
        self.first = self.first or error
        self.in_a_row += 1

    def accept(self) -> None:
        self.accepted = True
        self.most_exchanges = min(2 * self.most_exchanges, _READ)


def _at_fault(error: ModelError) -> ModelError:
    """The error of a model that reads nothing: a refusal is waited out, nonsense is not."""
    if not isinstance(error, ModelRefused):
        return error
    message = f"Whatever it is given is refused: {error.message}"
    return ModelRefused(message, remedy=error.remedy, status=error.status, away=True)


def _is_about_text(error: ModelError, job: Job) -> bool:
    """Whether it is this text that a model will not read, or could not in any try."""
    if isinstance(error, BadAnswer):
        return job.attempts >= job.max_attempts
    return not error.away


def _people(unit: Unit) -> list[Memory]:
    """Those of whom the user spoke by name: only the patterns need them, a model reads names."""
    wanted = MemoryFilter(status="active", kind="identity", trust="owner", limit=_PEOPLE)
    return [memory for memory in unit.memories.find(wanted) if is_person(memory)]


def _first_batch(
    turns: Sequence[Turn], most_tokens: int, most_exchanges: int = _READ
) -> list[Turn]:
    """As many turns as a model reads well, a tool call with its result; at least one exchange."""
    batch: list[Turn] = []
    tokens = 0
    for number, exchange in enumerate(exchanges(turns)):
        tokens += sum(turn.tokens for turn in exchange)
        if batch and (tokens > most_tokens or number >= most_exchanges):
            break
        batch += exchange
    return batch
