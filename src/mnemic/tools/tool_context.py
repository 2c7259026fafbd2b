"""The context of a tool call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mnemic.context.render import items_block
from mnemic.days import day_of
from mnemic.engine.mind import Mind
from mnemic.prompts import Language
from mnemic.settings.environment import ToolSettings
from mnemic.tools.answers import EvidenceLine, EvidencePage, ToolAnswer
from mnemic.tools.texts import text
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

    def text(self, key: str, **blanks: object) -> str:
        """A text of texts.toml in the language of the answer."""
        return text(key, self.language, **blanks)

    def show(self, page: EvidencePage, source: str, *, nothing: str, note: str = "") -> ToolAnswer:
        """Fenced lines of evidence, as many as the settings leave room for, at least one, and the
        offset to go on with where there may be more; ``nothing`` is the text where there is no
        line.
        """
        places = _fit(page.lines, self.settings.answer_chars)
        shown = [entry for entry in page.lines[:places] if entry is not None]
        left_out = sum(entry is not None for entry in page.lines[places:])
        rest = self.text("answers.not_fitting", count=left_out) if left_out else ""
        following = None
        if page.offset is not None and (left_out or page.more):
            following = page.offset + places
            rest = f"{rest} {self.text('answers.go_on', offset=following)}".lstrip()
        elif left_out:
            rest = f"{rest} {self.text('answers.narrow')}"
        texts: tuple[str, ...] = (nothing, note)
        if shown:
            texts = (items_block([entry.line for entry in shown], source, note, self.language),)
        return ToolAnswer(
            "\n".join(filter(None, (*texts, rest))),
            {
                "results": [entry.data for entry in shown],
                "left_out": left_out,
                "next_offset": following,
            },
        )

    def latest(self) -> list[str]:
        """What was said last in the running conversation, which makes a short query clearer."""
        if self.session is None:
            return []
        most = self.mind.settings.recall.enrich_turns
        turns = self.mind.turns(session=self.session, newest_first=True, limit=most)
        return [turn.text for turn in reversed(turns) if turn.role in ("user", "assistant")]

    def kind_of(self, record: Memory | Hit) -> str:
        """The word of the preset's document for the kind of a memory."""
        return self.mind.words(record)[self.mind.settings.vocabulary.kinds.name]

    def day_of(self, at: datetime) -> str:
        """The day that a moment falls on."""
        return str(day_of(at, self.mind.settings.schedule.zone))

    def limit_results(self, limit: int | None) -> int:
        """The number of results to give: a limit too high is lowered, with an offset to go on."""
        return min(self.settings.results if limit is None else limit, MAX_RESULTS)


def _fit(lines: Sequence[EvidenceLine | None], max_chars: int) -> int:
    """How many entries fit, the first line always."""
    room = max_chars
    for number, entry in enumerate(lines):
        if entry is None:
            continue
        is_first, room = room == max_chars, room - len(entry.line) - 1
        if room < 0 and not is_first:
            return number
    return len(lines)
