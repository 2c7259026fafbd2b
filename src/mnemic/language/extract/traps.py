"""What must not be learned: questions, hypotheses, play, examples, orders about a given text."""

from __future__ import annotations

import re

from mnemic.language.extract.sentences import Phrases, Sentence
from mnemic.late import dataclass

_ASK_MARK = re.compile(r"[?？]")


@dataclass(frozen=True, slots=True)
class Traps:
    """Judges sentences and clauses by the phrases of the languages."""

    phrases: Phrases

    def opens_play(self, sentence: str) -> bool:
        """Whether what follows is a given text or make-believe, to the end of the message."""
        opening = self.phrases("given_text").match(sentence)
        payload = opening is not None and opening.group().endswith((":", "："))
        return payload or bool(self.phrases("play").search(sentence))

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
        return bool(self.phrases("not_meant").search(sentence))

    def conditional(self, clause: str) -> bool:
        """Whether a clause sets a condition, on which what follows it depends."""
        return bool(self.phrases("condition").search(clause))

    def unsure(self, clause: str) -> bool:
        return bool(self.phrases("unsure").search(clause))

    def past(self, clause: str) -> bool:
        return bool(self.phrases("past").search(clause))

    def orders(self, clause: str) -> bool:
        """Whether a clause asks for one piece of work, so that how to do it is no lasting wish."""
        return bool(self.phrases("orders").match(clause))

    def asks(self, clause: str) -> bool:
        return bool(self.phrases("questions").match(clause) or self.phrases("asks").search(clause))

    def keep_stated(self, text: str, clauses: tuple[str, ...]) -> tuple[str, ...]:
        """The clauses of a sentence that state something.

        In "I live in Rome, where can I eat?" the first one does; in "I live in Rome, right?" none.
        """
        marked = bool(_ASK_MARK.search(text[-3:]))
        last = clauses[-1] if clauses else ""
        if marked and self.phrases("agree").fullmatch(last) and len(clauses) > 1:
            return clauses[:-1]
        if self.phrases("tags").fullmatch(last) and (marked or not last.isascii()):
            return ()
        stated = tuple(
            clause
            for clause in clauses
            if not self.asks(clause)
            or not (marked or clause is last or not self.phrases("subordinate").match(clause))
        )
        if not marked or not stated or stated[-1] != last:
            return stated
        # The mark makes the last clause a question, however it is worded.
        alone = len(clauses) == 1 or self.phrases("doubted").search(last)
        return () if alone else stated[:-1]


@dataclass(frozen=True, slots=True)
class Instructions:
    """Judges whether words tell the assistant how to go about its work, and are no advice to
    somebody else, no exclamation and no report.
    """

    phrases: Phrases

    def asks(self, text: str) -> bool:
        if self.phrases("instruction_not").search(text):
            return False
        return bool(
            self.phrases("instruction_about").search(text)
            or self.phrases("instruction_standing").search(text)
        )

    def may_be(self, text: str) -> bool:
        """The same of a rule in words that nobody may have said: what speaks against it counts."""
        return self.phrases("instruction_not").search(text) is None
