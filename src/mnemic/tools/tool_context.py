"""The context of a tool call."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mnemic.days import day_of
from mnemic.mind import Mind
from mnemic.prompts import Language
from mnemic.settings.environment import ToolSettings
from mnemic.tools.traces import TraceSource
from mnemic.types import Hit, Memory

ITEM_CHARS = 1_500  # of one result; what is longer is cut, and get_memory shows it whole
MAX_RESULTS = 100  # of one answer; it says how to go on


@dataclass(frozen=True, slots=True)
class ToolContext:
    """A mind, the language to answer in, traces of the host's own, and the running conversation."""

    mind: Mind
    language: Language
    traces: TraceSource | None = None
    session: str | None = None

    @property
    def settings(self) -> ToolSettings:
        return self.mind.settings.tools

    def latest(self) -> list[str]:
        """What was said last in the running conversation, which makes a short query clearer."""
        if self.session is None:
            return []
        most = self.mind.settings.recall.enrich_turns
        turns = self.mind.turns(session=self.session, newest_first=True, limit=most)
        return [turn.content for turn in reversed(turns) if turn.role in ("user", "assistant")]

    def kind_of(self, record: Memory | Hit) -> str:
        """The word of the preset's document for the kind of a memory."""
        return self.mind.words(record)[self.mind.settings.vocabulary.kinds.name]

    def day_of(self, at: datetime) -> str:
        """The day that a moment falls on."""
        return str(day_of(at, self.mind.settings.schedule.zone))

    def limited(self, limit: int | None) -> int:
        """The number of results to give; one that is too high is lowered, and the answer names the
        offset to go on with.
        """
        return min(self.settings.results if limit is None else limit, MAX_RESULTS)
