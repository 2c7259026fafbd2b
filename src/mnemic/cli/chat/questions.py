"""Questions to the person: pending statements, and confirmation of forgetting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mnemic.cli.chat.lists import show_forgotten, show_memories
from mnemic.cli.chat.terminal import Terminal
from mnemic.cli.phrases import phrase, sentence
from mnemic.cli.removal import counts_of
from mnemic.engine.mind import Mind
from mnemic.types import Decision, Hit, Memory

MORE = "...> "  # before a further line of a message
_MAX_PENDING = 100  # pending statements
YES = {"1", "y", "yes", "是", "好"}
NO = {"2", "n", "no", "否", "不"}
LATER = {"3", "l", "later", "稍后"}
SKIP = "skip"  # an empty answer to a question of onboarding


class _ForgetTarget(NamedTuple):
    """What to forget: one record, or records with a phrase."""

    id: str | None = None
    query: str | None = None


class TerminalQuestions:
    """Asks at the terminal. Input that is no answer is the next message, in ``instead``."""

    def __init__(self, mind: Mind, terminal: Terminal) -> None:
        self._mind = mind
        self._kinds = mind.settings.vocabulary.kinds
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
            show_memories(self._terminal, [memory], self._kinds)
            keys = phrase("y yes, keep it · n no · l later · Enter: skip > ")
            answer = self._terminal.read(keys, MORE).strip()
            if answer.lower() in YES:
                self._terminal.dim(self._confirmation(self._mind.confirm(memory.id)))
            elif answer.lower() in NO:
                self._mind.ignore(memory.id)
                self._terminal.dim(phrase("Not kept, and not asked again."))
            elif answer.lower() in LATER:
                self._mind.snooze(memory.id)
                self._terminal.dim(phrase("You will be asked again later."))
            elif answer:
                self.instead = answer
                return

    def _confirmation(self, settled: Decision) -> str:
        if settled.memory is None:
            return phrase("Not kept: {reason}", reason=sentence(settled.reason))
        template = "Already known: {text}" if settled.outcome == "same" else "Kept: {text}"
        return phrase(template, text=settled.memory.text)

    def forget(self, what: str, listed: Sequence[Hit]) -> None:
        """Show what would be removed, and remove it when confirmed."""
        target = _forget_target(what, listed)
        if target is None:
            self._terminal.dim(
                phrase("Usage: /forget WORDS, or /forget #2 for number 2 of the last list.")
            )
            return
        preview = self._mind.forget(id=target.id, query=target.query, dry_run=True)
        if not preview.items:
            self._terminal.dim(phrase("Nothing contains these words."))
            return
        self._terminal.strong(phrase("These would be removed permanently:"))
        show_forgotten(self._terminal, preview.items)
        reply = self._terminal.read(phrase("Forget them? y yes · Enter: no > ")).strip().lower()
        if reply not in YES:
            self._terminal.dim(phrase("Nothing was changed."))
            return
        receipt = self._mind.forget(id=target.id, query=target.query)
        self._terminal.dim(phrase("Forgotten: {counts}.", counts=counts_of(receipt)))


def _forget_target(what: str, listed: Sequence[Hit]) -> _ForgetTarget | None:
    """A phrase, or a number of the last list; None when it is neither."""
    if not what:
        return None
    number = what.removeprefix("#")
    if what.startswith("#") and number.isdecimal():
        place = int(number) - 1
        return _ForgetTarget(id=listed[place].id) if 0 <= place < len(listed) else None
    return _ForgetTarget(query=what)
