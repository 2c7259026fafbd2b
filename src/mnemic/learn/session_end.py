"""When a session ends: what is left is learned, its story is told, and what was only for it goes.

A durable job of idempotent steps: each can be repeated after a crash without adding anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from mnemic.errors import ModelError, ModelRefused, ModelSuspended, NotFound
from mnemic.ids import new_id
from mnemic.language.story import EpisodeDraft
from mnemic.late import dataclass
from mnemic.learn.episode_writer import MOST_TURNS, EpisodeWriter
from mnemic.learn.extraction import ExtractionJob
from mnemic.learn.memories import end_with_session
from mnemic.learn.scratchpads import conclude_pad
from mnemic.record import triggers
from mnemic.rules.event_rules import wants
from mnemic.space import Space
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import TurnFilter
from mnemic.types import Job, SafeName, Turn, key_of

KIND = triggers.SESSION_END
ENDED = "session.ended"
CONSOLIDATE = "consolidate"  # the action of an event rule that asks for this
_STORY_WAITS = timedelta(minutes=1)  # for a model that is away, before the rules tell it meanwhile


@dataclass(frozen=True, slots=True, eq=False)
class SessionEndJob:
    """Wraps up sessions of any space."""

    store: Store
    extraction: ExtractionJob
    episodes: EpisodeWriter

    def run(self, job: Job) -> None:
        """Memories, episode, scratchpad, cleaning.

        Where no model can be had the rules tell the story. A model that is away is waited for, and
        tells it again with what was learned; of what cannot be learned the job dies, to be tried
        again when somebody says so.
        """
        session = job.name_of("session")
        failure: ModelError | None = None
        try:
            done = self.extraction.learn(job, session)
        except ModelError as error:
            if not self._rules_tell(job, session, error):
                raise
            failure, done = error, True
        if not done:
            with self.store.write(job.space) as unit:
                triggers.queue_sessions(unit, KIND, [session], now=self.episodes.clock.now())
            return
        turns = self._untold(job, session)
        draft: EpisodeDraft | None = None
        reason = failure
        if failure is None:
            draft, reason = self._draft(job, session, turns)
            failure = reason if reason is not None and reason.away else None
        with self.store.write(job.space) as unit:
            self._tell(unit, session, turns, draft, "" if reason is None else str(reason))
            operation = key_of("session_end", session, job.id)
            end_with_session(unit, session, operation_id=operation, now=self.episodes.clock.now())
        if failure is not None:
            raise failure

    def note_failure(self, job: Job, reason: str, *, dead: bool) -> None:
        """Its turns say so, as after an extraction."""
        self.extraction.note_failure(job, reason, dead=dead)

    def _untold(self, job: Job, session: SafeName) -> list[Turn]:
        """The turns since the last time this session ended; a job that failed after it had told
        them tells them again, with what it has learned since.
        """
        with self.store.read(job.space) as unit:
            covered = unit.episodes.list_covered(session, "session_end")
            latest = TurnFilter(session=session, newest_first=True, limit=MOST_TURNS)
            turns = unit.ledger.turns(latest)
        if job.error and covered and turns and covered[-1] == turns[0].index:
            covered.pop()
        return [turn for turn in reversed(turns) if not covered or turn.index > covered[-1]]

    def _rules_tell(self, job: Job, session: SafeName, error: ModelError) -> bool:
        """Whether the rules tell the story now: the worker gives the job up after this error, or
        the model has been away for a while, is not even asked, and nobody has told it yet.
        """
        if not error.away:
            return isinstance(error, ModelRefused) or job.attempts >= job.max_attempts
        now = self.episodes.clock.now()
        waited = now - (job.waiting_since or now)
        if waited < _STORY_WAITS and not isinstance(error, ModelSuspended):
            return False
        with self.store.read(job.space) as unit:
            covered = unit.episodes.list_covered(session, "session_end")
            latest = unit.ledger.turns(TurnFilter(session=session, newest_first=True, limit=1))
        return not covered or not latest or covered[-1] < latest[0].index

    def _draft(
        self, job: Job, session: SafeName, turns: list[Turn]
    ) -> tuple[EpisodeDraft | None, ModelError | None]:
        """A model's words for the story, or why there are none."""
        try:
            return self.episodes.draft(job.space, turns), None
        except ModelError as error:
            if not self._rules_tell(job, session, error):
                raise
            return None, error

    def _tell(
        self,
        unit: Unit,
        session: SafeName,
        turns: Sequence[Turn],
        draft: EpisodeDraft | None,
        reason: str,
    ) -> None:
        covered = unit.episodes.list_covered(session, "session_end")
        episode = self.episodes.write(
            unit, session, turns, "session_end", draft=draft, reason=reason
        )
        if episode is None or unit.episodes.list_covered(session, "session_end") == covered:
            return  # there was one of this stretch
        info, now = unit.ledger.session(session), self.episodes.clock.now()
        project = "" if info is None else info.project
        conclude_pad(unit, episode, project, now, self.episodes.settings, guard=self.episodes.guard)


@dataclass(frozen=True, slots=True, eq=False)
class SessionCloser:
    """Ends sessions of one space: marked at once, wrapped up in the background."""

    space: Space
    wake: Callable[[], None]

    def end(self, session: str) -> None:
        """A later turn opens the session again. A short one is left to the daily sweep."""
        now, id_ = self.space.now(), self.space.guard.name(session, "session")
        with self.space.write() as unit:
            info = unit.ledger.session(id_)
            if info is None:
                raise NotFound(f"No session {session!r}", remedy="See sessions()")
            unit.ledger.end_session(id_, now)
            operation = key_of("session.ended", id_, new_id(now))
            payload: dict[str, int] = {"message_count": info.turns}
            unit.journal.begin(operation, now).note(ENDED, id_, **payload)
            if self._is_wanted(payload, info.turns):
                triggers.queue_sessions(unit, KIND, [id_], now=now)
            else:
                end_with_session(unit, id_, operation_id=operation, now=now)
        self.wake()

    def _is_wanted(self, payload: Mapping[str, int], turns: int) -> bool:
        ends = self.space.settings.triggers
        if ends.session_end and turns >= ends.session_min_messages:
            return True
        return any(
            CONSOLIDATE in rule.actions and rule.mode == "auto" and wants(rule, ENDED, payload)
            for rule in self.space.settings.events.rules.values()
        )
