"""The episode of a stretch of a session: drafted by the model where there is one, linked with the
memories that were learned from its turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mnemic.clock import Clock
from mnemic.language.detection import language_of
from mnemic.language.guard import Guard
from mnemic.language.story import EpisodeDraft
from mnemic.late import dataclass
from mnemic.learn.episodes import EpisodeSource, ask_for_episode, write_episode
from mnemic.providers.chat.base import ChatModel
from mnemic.settings import Settings
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter
from mnemic.types import Episode, SafeName, Turn

MOST_TURNS = 10_000  # of one episode, the latest

ModelOf = Callable[[str], ChatModel | None]


@dataclass(frozen=True, slots=True, eq=False)
class EpisodeWriter:
    """Writes the episodes of sessions of any space."""

    clock: Clock
    settings: Settings
    guard: Guard
    model_of: ModelOf

    def draft(self, space: str, turns: Sequence[Turn]) -> EpisodeDraft | None:
        """The model's words for the story, or None where the rules write it."""
        model = self.model_of(space)
        if model is None or not turns or not self.settings.extraction.stories:
            return None
        language = language_of(
            [turn.text for turn in turns if turn.role == "user"], self.settings.memory.language
        )
        now = self.clock.now()
        return ask_for_episode(model, turns, language, self.settings, now).value

    def write(
        self,
        unit: Unit,
        session: SafeName,
        turns: Sequence[Turn],
        source: EpisodeSource,
        *,
        draft: EpisodeDraft | None,
        reason: str,
    ) -> Episode | None:
        """The episode of those turns that are still there; None when none is.

        A draft may hold what was forgotten meanwhile: then the rules write the episode.
        ``reason`` is why there is no draft although there is a model.
        """
        there = {turn.id for turn in unit.ledger.turns_by_id([turn.id for turn in turns])}
        remaining = [turn for turn in turns if turn.id in there]
        if not remaining:
            return None
        now = self.clock.now()
        episode = write_episode(
            unit,
            session,
            remaining,
            source,
            now=now,
            draft=draft if len(remaining) == len(turns) else None,
            memories=_find_learned(unit, session, there),
            guard=self.guard,
        )
        if reason:
            unit.journal.begin_new("told_by_rules", now).note(
                "told_by_rules", episode.id, reason=self.guard.error(reason)
            )
        return episode


def _find_learned(unit: Unit, session: SafeName, turns: set[SafeName]) -> list[SafeName]:
    """The memories that hold or wait, and stand on one of the turns."""
    memories = unit.memories.find(MemoryFilter(from_session=session, limit=MOST_TURNS))
    return [
        memory.id
        for memory in memories
        if memory.status in ("active", "pending")
        and any(source.turn_id in turns for source in memory.sources)
    ]
