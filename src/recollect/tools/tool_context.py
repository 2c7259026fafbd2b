"""The context of a tool call."""

from __future__ import annotations

from dataclasses import dataclass

from recollect.language.detection import Language
from recollect.mind import Mind
from recollect.settings.environment import ToolSettings
from recollect.tools.traces import TraceSource

MAX_RESULTS = 20  # of one search, whatever a model asks for


@dataclass(frozen=True, slots=True)
class ToolContext:
    """A mind, the language to answer in, and traces of the host's own."""

    mind: Mind
    language: Language
    traces: TraceSource | None = None

    @property
    def settings(self) -> ToolSettings:
        return self.mind.settings.tools

    def limited(self, limit: int | None) -> int:
        """The number of results to give; a limit that is too high is lowered, not refused."""
        return min(self.settings.results if limit is None else limit, MAX_RESULTS)
