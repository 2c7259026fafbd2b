"""Questions to the person: pending statements, and confirmation of forgetting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.cli.chat.lists import show_forgotten, show_memories
from recollect.cli.chat.messages import ChatMessages
from recollect.cli.chat.terminal import Terminal
from recollect.cli.chat.terms import Terms
from recollect.mind import Mind
from recollect.types import Decision, Hit, Memory

_MAX_PENDING = 100  # pending statements
YES, NO, LATER = "1", "2", "3"
SKIP = "skip"  # an empty answer to a question of onboarding


class _ForgetTarget(NamedTuple):
    """What to forget: one record, or records with a phrase."""

    id: str | None = None
    query: str | None = None


class TerminalQuestions:
    """Asks at the terminal. Input that is no answer is the next message, in ``instead``."""

    def __init__(self, mind: Mind, terminal: Terminal, words: ChatMessages, terms: Terms) -> None:
        self._mind = mind
        self._terms = terms
        self._terminal = terminal
        self._words = words
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
            self._terminal.dim(self._words.introduce)
        while not state.done:
            self._terminal.strong(state.text)
            answer = self._terminal.read(self._words.you, self._words.more).strip()
            if answer.startswith("/"):
                self.instead = answer
                return
            state = self._mind.onboard(answer or SKIP)
            if state.done:
                self._terminal.dim(self._words.introduced)

    def all_pending(self) -> None:
        """Ask about every pending statement."""
        waiting = self._mind.pending(limit=_MAX_PENDING)
        if not waiting:
            self._terminal.dim(self._words.nothing_pending)
        self._ask(waiting)

    def _ask(self, memories: Sequence[Memory]) -> None:
        for memory in memories:
            self._offered.add(memory.id)
            self._terminal.strong(self._words.offer)
            show_memories(self._terminal, [memory], self._terms)
            answer = self._terminal.read(self._words.offer_keys, self._words.more).strip()
            if answer == YES:
                self._terminal.dim(self._confirmation(self._mind.confirm(memory.id)))
            elif answer == NO:
                self._mind.ignore(memory.id)
                self._terminal.dim(self._words.ignored)
            elif answer == LATER:
                self._mind.snooze(memory.id)
                self._terminal.dim(self._words.put_off)
            elif answer:
                self.instead = answer
                return

    def _confirmation(self, settled: Decision) -> str:
        if settled.memory is None:
            return self._words.not_taken.format(reason=self._terms.of(settled.reason))
        template = self._words.known_already if settled.outcome == "same" else self._words.confirmed
        return template.format(text=settled.memory.content)

    def forget(self, what: str, listed: Sequence[Hit]) -> None:
        """Show what would be removed, and remove it when confirmed."""
        words = self._words
        target = _forget_target(what, listed)
        if target is None:
            self._terminal.dim(words.forget_what)
            return
        preview = self._mind.forget(id=target.id, query=target.query, dry_run=True)
        if not preview.items:
            self._terminal.dim(words.forget_nothing)
            return
        self._terminal.strong(words.forget_these)
        show_forgotten(self._terminal, preview.items, self._terms)
        if self._terminal.read(words.forget_sure).strip() != YES:
            self._terminal.dim(words.left_as_is)
            return
        counts = self._mind.forget(id=target.id, query=target.query).counts
        summary = self._terms.counted(counts)
        self._terminal.dim(words.forgotten.format(counts=summary))


def _forget_target(what: str, listed: Sequence[Hit]) -> _ForgetTarget | None:
    """A phrase, or a number of the last list; None when it is neither."""
    if not what:
        return None
    number = what.removeprefix("#")
    if what.startswith("#") and number.isdecimal():
        place = int(number) - 1
        return _ForgetTarget(id=listed[place].id) if 0 <= place < len(listed) else None
    return _ForgetTarget(query=what)
