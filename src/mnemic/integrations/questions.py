"""Questions to the user inside a host's conversation: who they are, and what waits for their word.

A question goes into the system text with its exact words. The next message counts as the answer
only if the reply really had these words, and if it reads like one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mnemic.engine.mind import Mind
from mnemic.language.answers import read_confirmation, squeezed
from mnemic.language.detection import language_of
from mnemic.language.fence import fence
from mnemic.language.lines import indented
from mnemic.prompts import words
from mnemic.types import Memory

_LONGEST_ANSWER = 300  # characters; a longer message is about something else
_QUESTION_MARKS = ("?", "？")


class HostQuestions:
    """The questions of one conversation. Each is asked until it is answered or passed over."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._introduced = not mind.settings.memory.enabled  # while it is off nobody is asked
        self._question = ""
        self._offers: list[Memory] = []
        self._answered_by: Callable[[str], None] | None = None

    def hear(self, message: str) -> None:
        """Take a message of the user as the answer to what the last reply asked, if it is one."""
        answered, self._answered_by = self._answered_by, None
        if answered is not None:
            answered(message.strip())

    def text(self, query: str, pending: Sequence[Memory]) -> str:
        """What the system text asks for in this exchange; empty where nothing is to be asked."""
        self._question, self._offers = "", []
        language = language_of([query], self._mind.settings.memory.language)
        texts = words("host_questions", language)
        if not self._introduced:
            self._question = self._next_question()
            if self._question:
                return texts["ask"].format(text=self._question)
        self._offers = list(pending)
        if not self._offers:
            return ""
        return texts["offer"].format(text=_list_pending(self._offers))

    def replied(self, reply: str) -> None:
        """The reply of the host: whether it asked."""
        said = squeezed(reply)
        if self._question and squeezed(self._question) in said:
            self._answered_by = self._introduce
        elif self._offers and all(squeezed(memory.text) in said for memory in self._offers):
            self._answered_by = self._decide

    def _next_question(self) -> str:
        state = self._mind.onboarding()
        self._introduced = state.done
        return state.text

    def _introduce(self, answer: str) -> None:
        if answer and len(answer) <= _LONGEST_ANSWER and not answer.endswith(_QUESTION_MARKS):
            self._mind.onboard(answer)

    def _decide(self, answer: str) -> None:
        decision = read_confirmation(answer)
        for memory in self._offers if decision else ():
            if decision == "confirm":
                self._mind.confirm(memory.id)
            elif decision == "ignore":
                self._mind.ignore(memory.id)
            else:
                self._mind.snooze(memory.id)


def _list_pending(memories: Sequence[Memory]) -> str:
    """What waits may come from a tool or a page, so it is data for the model as well."""
    return fence("\n".join(f"- {indented(one.text, '  ')}" for one in memories), "pending")
