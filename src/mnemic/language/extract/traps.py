"""What must not be learned: questions, hypotheses, play, examples, orders about a given text."""

from __future__ import annotations

import re
from collections.abc import Callable

from mnemic.language.extract.sentences import Sentence

_ASK_MARK = re.compile(r"[?？]")


class Traps:
    """Judges sentences and clauses by the phrases of the languages."""

    def __init__(self, phrases: Callable[[str], re.Pattern[str]]) -> None:
        self._payload = phrases("given_text")
        self._play = phrases("play")
        self._not_meant = phrases("not_meant")
        self._condition = phrases("condition")
        self._unsure = phrases("unsure")
        self._past = phrases("past")
        self._orders = phrases("orders")
        self._questions = phrases("questions")
        self._asks = phrases("asks")
        self._subordinate = phrases("subordinate")
        self._doubted = phrases("doubted")
        self._tags = phrases("tags")
        self._agree = phrases("agree")

    def opens_play(self, sentence: str) -> bool:
        """Whether what follows is a given text or make-believe, to the end of the message."""
        opening = self._payload.match(sentence)
        payload = opening is not None and opening.group().endswith((":", "："))
        return payload or bool(self._play.search(sentence))

    def before_order(self, sentence: Sentence) -> Sentence | None:
        """What is said before somebody asks for a text: "we play on Friday, write me a poster"."""
        for number, clause in enumerate(sentence.clauses):
            if number and self.orders(clause):
                return Sentence("，".join(sentence.clauses[:number]), sentence.clauses[:number])
            if self.opens_play(clause):
                return None
        return None

    def not_meant(self, sentence: str) -> bool:
        """Whether it is a hypothesis, a wish, a joke, an example, or says what others say."""
        return bool(self._not_meant.search(sentence))

    def conditional(self, clause: str) -> bool:
        """Whether a clause sets a condition, on which what follows it depends."""
        return bool(self._condition.search(clause))

    def unsure(self, clause: str) -> bool:
        return bool(self._unsure.search(clause))

    def past(self, clause: str) -> bool:
        return bool(self._past.search(clause))

    def orders(self, clause: str) -> bool:
        """Whether a clause asks for one piece of work, so that how to do it is no lasting wish."""
        return bool(self._orders.match(clause))

    def asks(self, clause: str) -> bool:
        return bool(self._questions.match(clause) or self._asks.search(clause))

    def stated(self, text: str, clauses: tuple[str, ...]) -> tuple[str, ...]:
        """The clauses of a sentence that state something.

        In "I live in Rome, where can I eat?" the first one does; in "I live in Rome, right?" none.
        """
        marked = bool(_ASK_MARK.search(text[-3:]))
        last = clauses[-1] if clauses else ""
        if marked and self._agree.fullmatch(last) and len(clauses) > 1:
            return clauses[:-1]
        if self._tags.fullmatch(last) and (marked or not last.isascii()):
            return ()
        stated = tuple(
            clause
            for clause in clauses
            if not self.asks(clause)
            or not (marked or clause is last or not self._subordinate.match(clause))
        )
        if not marked or not stated or stated[-1] != last:
            return stated
        # The mark makes the last clause a question, however it is worded.
        alone = len(clauses) == 1 or self._doubted.search(last)
        return () if alone else stated[:-1]


class Instructions:
    """Judges whether words tell the assistant how to go about its work, and are no advice to
    somebody else, no exclamation and no report.
    """

    def __init__(self, phrases: Callable[[str], re.Pattern[str]]) -> None:
        self._about = phrases("instruction_about")
        self._standing = phrases("instruction_standing")
        self._not = phrases("instruction_not")

    def asks(self, text: str) -> bool:
        if self._not.search(text):
            return False
        return bool(self._about.search(text) or self._standing.search(text))

    def may_be(self, text: str) -> bool:
        """The same of a rule in words that nobody may have said: what speaks against it counts."""
        return self._not.search(text) is None
