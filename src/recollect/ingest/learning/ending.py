"""When a session ends: what is left is learnt, its story is told, and what was only for it goes.

A durable job of idempotent steps: each can be repeated after a crash without adding anything.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from recollect.clock import Clock
from recollect.errors import NotFound
from recollect.ids import new_id
from recollect.ingest.embedding import Ask
from recollect.ingest.endings import end_with_session
from recollect.ingest.episode_answers import ask_for_episode
from recollect.ingest.episodes import write_episode
from recollect.ingest.learning.extraction import Extraction
from recollect.ingest.scratchpads import catch_up_pad, conclude_pad
from recollect.providers.chat.base import ChatModel
from recollect.rules import intake
from recollect.rules.episode import EpisodeDraft
from recollect.rules.language import language_of
from recollect.settings import Settings
from recollect.store.base import MemoryFilter, Store, TurnFilter, Unit
from recollect.types import Job, Turn

KIND = "session_end"
_MOST = 10_000  # turns of one story, the latest

ModelOf = Callable[[str], ChatModel | None]


def queue(unit: Unit, session: str, now: datetime, max_attempts: int) -> None:
    """Wrap a session up."""
    unit.tasks.enqueue(
        KIND,
        key=session,
        payload={"session": session},
        run_at=now,
        now=now,
        max_attempts=max_attempts,
    )


class Ending:
    """Wraps up sessions of any space."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        settings: Settings,
        *,
        extraction: Extraction,
        model_of: ModelOf,
        ask: Ask,
    ) -> None:
        self._store = store
        self._clock = clock
        self._settings = settings
        self._extraction = extraction
        self._model_of = model_of
        self._ask = ask

    def run(self, job: Job) -> None:
        """Memories, episode, scratchpad, cleaning."""
        session = str(job.payload["session"])
        self._extraction.learn(job.space, session, again=bool(job.error))
        turns = self._untold(job.space, session)
        draft = self._draft(job, turns) if turns else None
        now = self._clock.now()
        with self._store.write(job.space) as unit:
            if turns:
                episode = write_episode(
                    unit,
                    session,
                    turns,
                    "session_end",
                    now=now,
                    settings=self._settings.episodes,
                    ask_vectors=self._ask,
                    draft=draft,
                    memories=_learnt_in(unit, session),
                )
                info = unit.ledger.session(session)
                catch_up_pad(unit, now, self._settings.scratchpad)
                conclude_pad(
                    unit, episode, info.project if info else "", now, self._settings.scratchpad
                )
            end_with_session(unit, session, operation_id=f"session_end:{session}:{job.id}", now=now)

    def failed(self, job: Job, reason: str, *, dead: bool) -> None:
        """Its turns say so, as after an extraction."""
        self._extraction.failed(job, reason, dead=dead)

    def _untold(self, space: str, session: str) -> list[Turn]:
        """The turns since the last time this session ended."""
        with self._store.read(space) as unit:
            found = unit.episodes.latest(session=session, since=None, until=None, limit=100)
            told = [episode for episode in found if episode.source == "session_end"]
            since = max((episode.ended_at for episode in told), default=None)
            turns = unit.ledger.turns(TurnFilter(session=session, newest_first=True, limit=_MOST))
        return [turn for turn in reversed(turns) if since is None or turn.at > since]

    def _draft(self, job: Job, turns: list[Turn]) -> EpisodeDraft | None:
        model = self._model_of(job.space)
        if model is None:
            return None
        language = language_of(
            [turn.content for turn in turns if turn.role == "user"], self._settings.memory.language
        )
        return ask_for_episode(model, turns, language, self._settings).value


def _learnt_in(unit: Unit, session: str) -> list[str]:
    found = unit.memories.find(MemoryFilter(from_session=session, limit=_MOST))
    return [memory.id for memory in found if memory.status in ("active", "pending")]


class Closing:
    """Ends sessions of one space: marked at once, wrapped up in the background."""

    def __init__(
        self,
        store: Store,
        space: str,
        clock: Clock,
        settings: Settings,
        wake: Callable[[], None],
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._triggers = settings.triggers
        self._max_attempts = settings.jobs.max_attempts
        self._wake = wake

    def end(self, session: str) -> None:
        """A later turn opens the session again. A short one is left to the daily sweep."""
        now = self._clock.now()
        with self._store.write(self._space) as unit:
            info = unit.ledger.session(intake.check_name(session, "session"))
            if info is None:
                raise NotFound(f"No session {session!r}", remedy="See sessions()")
            unit.ledger.end_session(session, now)
            operation = f"session.ended:{session}:{new_id(now)}"
            unit.journal.add_event(
                "session.ended",
                operation_id=operation,
                subject=session,
                payload={"message_count": info.turns},
                at=now,
            )
            wanted = self._triggers.session_end
            if wanted and info.turns >= self._triggers.session_min_messages:
                queue(unit, session, now, self._max_attempts)
            else:
                end_with_session(unit, session, operation_id=operation, now=now)
        self._wake()
