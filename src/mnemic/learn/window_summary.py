"""The summary of the older part of a long conversation, written by the model in the background.

A prompt never waits for it: until it is there, the summary by rule stands in the window.
"""

from __future__ import annotations

from collections.abc import Callable

from mnemic.language.detection import language_of
from mnemic.language.fence import fence
from mnemic.language.guard import MAX_SUMMARY, Guard
from mnemic.language.tokens import count_tokens
from mnemic.language.truncation import cut_to_tokens
from mnemic.late import dataclass
from mnemic.learn.episodes import conversation
from mnemic.prompts import fill_prompt
from mnemic.providers.chat.base import ChatModel
from mnemic.record.short_term import ShortTermMemory
from mnemic.settings import Settings
from mnemic.types import Job

KIND = "window_summary"
PURPOSE = "summary"
_TOKENS = 500  # of one summary, which stands for about a hundred messages


@dataclass(frozen=True, slots=True, eq=False)
class WindowSummaryJob:
    """Sums up what no longer stands in the windows of one process: ``window_of`` a space that is
    open here, others are summed up by their own process.
    """

    settings: Settings
    guard: Guard
    window_of: Callable[[str], ShortTermMemory | None]
    model_of: Callable[[str], ChatModel | None]

    def run(self, job: Job) -> None:
        """Put the model's summary in the place of the latest one by rule."""
        memory, model = self.window_of(job.space), self.model_of(job.space)
        session = job.name_of("session")
        overflow = None if memory is None else memory.overflow(session)
        if memory is None or model is None or overflow is None:
            return
        language = language_of(
            [turn.text for turn in overflow.turns if turn.role == "user"],
            self.settings.memory.language,
        )
        shown = conversation(overflow.turns, language, self.settings.extraction.batch_tokens.high)
        answer = model.write(
            fence(shown, "conversation"),
            purpose=PURPOSE,
            system=fill_prompt("summary", language, tokens=_TOKENS),
        )
        short = cut_to_tokens(answer.value, _TOKENS, count_tokens)
        text = self.guard.error(short, MAX_SUMMARY)
        memory.set_summary(session, overflow.upto, text)
