"""Questions to the person: pending statements, and confirmation of forgetting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mnemic.cli.chat.terminal import Terminal
from mnemic.cli.pending import describe_decision, show_pending
from mnemic.cli.phrases import phrase
from mnemic.cli.removal import counts_of, show_preview
from mnemic.engine.mind import Mind
from mnemic.types import Hit, Memory

MORE = "...> "  # before a further line of a message
_MAX_PENDING = 100  # pending statements
YES = {"1", "y", "yes", "是", "好"}
NO = {"2", "n", "no", "否", "不"}
LATER = {"3", "l", "later", "稍后"}
SKIP = "skip"  # an empty answer to a question of onboarding


class TerminalQuestions:
    """Asks at the terminal. Input that is no answer is the next message, in ``instead``."""

    def __init__(self, mind: Mind, terminal: Terminal) -> None:
        self._mind = mind
        self._terminal = terminal
        self._offered: set[str] = set()
        self.instead = ""

    def new_pending(self) -> None:
        """At the end of a reply: a few statements that were not asked about before."""
        waiting = {memory.id for memory in self._mind.pending(limit=_MAX_PENDING)}
        if waiting - self._offered:
            offered = self._mind.pending(offer=True)
            self._ask([memory for memory in offered if memory.id not in self._offered])

    def introduce(self) -> None:
        """Ask who the agent and the user are, until that is known or a command comes instead."""
        state = self._mind.onboarding()
        if not state.done:
            self._terminal.dim(
                phrase(
                    "Before we begin, a few questions."
                    " Enter skips one; a command such as /help leaves."
                )
            )
        while not state.done:
            self._terminal.strong(state.text)
            answer = self._terminal.read(phrase("you> "), MORE).strip()
            if answer.startswith("/"):
                self.instead = answer
                return
            state = self._mind.onboard(answer or SKIP)
            if state.done:
                self._terminal.dim(phrase("Thank you. You will not be asked again."))

    def all_pending(self) -> None:
        """Ask about every pending statement."""
        waiting = self._mind.pending(limit=_MAX_PENDING)
        if not waiting:
            self._terminal.dim(phrase("Nothing is awaiting confirmation."))
        self._ask(waiting)

    def _ask(self, memories: Sequence[Memory]) -> None:
        for memory in memories:
            self._offered.add(memory.id)
            self._terminal.strong(phrase("Is this right?"))
            show_pending([memory], words=self._mind.settings.vocabulary)
            keys = phrase("y yes, keep it · n no · l later · Enter: skip > ")
            answer = self._terminal.read(keys, MORE).strip()
            if answer.lower() in YES:
                self._terminal.dim(describe_decision(self._mind.confirm(memory.id)))
            elif answer.lower() in NO:
                self._mind.ignore(memory.id)
                self._terminal.dim(phrase("Not kept, and not asked again."))
            elif answer.lower() in LATER:
                self._mind.snooze(memory.id)
                self._terminal.dim(phrase("You will be asked again later."))
            elif answer:
                self.instead = answer
                return

    def forget(self, what: str, listed: Sequence[Hit]) -> None:
        """Show what would be removed, and remove it when confirmed."""
        target = _find_target(what, listed)
        if target is None:
            self._terminal.dim(
                phrase("Usage: /forget WORDS, or /forget #2 for number 2 of the last list.")
            )
            return
        preview = self._mind.forget(**target, dry_run=True)
        if not preview.items:
            self._terminal.dim(phrase("Nothing contains these words."))
            return
        self._terminal.strong(phrase("These would be removed permanently:"))
        show_preview(preview)
        reply = self._terminal.read(phrase("Forget them? y yes · Enter: no > ")).strip().lower()
        if reply not in YES:
            self._terminal.dim(phrase("Nothing was changed."))
            return
        receipt = self._mind.forget(**target)
        self._terminal.dim(phrase("Forgotten: {counts}.", counts=counts_of(receipt)))


def _find_target(what: str, listed: Sequence[Hit]) -> dict[str, Any] | None:
    """A phrase, or a number of the last list; None when it is neither."""
    number = what.removeprefix("#")
    if what.startswith("#") and number.isdecimal():
        place = int(number) - 1
        return {"id": listed[place].id} if 0 <= place < len(listed) else None
    return {"query": what} if what else None
