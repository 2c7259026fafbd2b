"""Whether a model's wording still says what the owner said: with the same polarity, with every
limit, without a word that makes it hold always, and as something that was meant.

A bag of words cannot tell "never pay by card, ask me first" from "pay by card, never ask first",
nor "until Friday" from ever. So the words of a clause carry a sign, which each negation in the
clause turns around, and the sentences that a statement was made of are read for what they limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from mnemic.index.segment import STOP_WEIGHT, index_text, term_weight
from mnemic.language.extract.languages import load_patterns
from mnemic.language.extract.traps import Traps
from mnemic.language.word_file import WordFile
from mnemic.late import dataclass

_MOST = 400  # sentences of the owner
_LONGEST = 600  # characters of one
_FEWEST_HAN = 2
_FEWEST_OWN = 4  # words of a sentence that says something besides a limit
_LIMITS = ("time", "count", "these", "condition")
_FILE = WordFile("mnemic.learn", "wording.toml")
pattern, words = _FILE.pattern, _FILE.words


class _Signed(NamedTuple):
    text: str
    positive: bool


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    clauses: tuple[str, ...]
    words: frozenset[_Signed]

    @property
    def terms(self) -> frozenset[str]:
        return frozenset(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class Wording:
    """What the owner said, for comparing statements with it."""

    sentences: tuple[_Sentence, ...]

    def contradicts(self, text: str) -> bool:
        """Whether a statement has words of the owner's only with the other polarity, or sends
        to somebody what was to come from them.
        """
        signs: dict[str, set[bool]] = {}
        for sentence in self.sentences:
            for word in sentence.words:
                signs.setdefault(word.text, set()).add(word.positive)
        turned = {
            word.text
            for sentence in _sentences([text])
            for word in sentence.words
            if signs.get(word.text) == {not word.positive}
        }
        han = sum(1 for word in turned if "\u3400" <= word[0] <= "\u9fff")
        return len(turned) > han or han >= _FEWEST_HAN or self._turns_round(text)

    def keeps_conditions(self, text: str) -> bool:
        """Whether a statement keeps each condition of the clauses it was made of, and those that
        clauses beside them open or end with: "if it rains, …", "下雨的话，…".
        """
        terms = _terms(text)
        return all(
            _keeps("condition", clause, text)
            for sentence in self.supports(text)
            for clause in sentence.clauses
            if _terms(clause) & terms or _is_condition(clause.strip())
        )

    def keeps_limits(self, text: str, *, ends: bool) -> bool:
        """Whether a rule keeps every limit of the sentences it was made of and does not make them
        hold always; ``ends``: the rule has an end of its own.
        """
        supports, near = self.supports(text), self._around(text)
        always = any(pattern("always").search(sentence.text) for sentence in supports)
        for claimed, needed in (("always", "lasting"), ("each", "each_or_lasting")):
            if pattern(claimed).search(text) and not _any_has(needed, near):
                return False
        kept = all(
            _keeps(sort, sentence.text, text) or (ends and sort == "time")
            for sentence in (supports if always else near)
            for sort in _LIMITS
        )
        return kept and (always or all(_keeps_scope(sentence, text) for sentence in supports))

    def is_meant(self, text: str) -> bool:
        """Whether one of the sentences that a statement was made of says it in earnest, of now."""
        supports = self.supports(text)
        return not supports or any(self._is_earnest(sentence, text) for sentence in supports)

    def is_own_will(self, text: str, *, rule: bool) -> bool:
        """The same of what the owner wants or is: not what others say or want, and of a ``rule``
        neither refused nor what somebody does.
        """
        return all(
            self._is_earnest(sentence, text, in_full=rule) and not _is_others(sentence, text, rule)
            for sentence in self.supports(text)
        )

    def _is_earnest(self, sentence: _Sentence, text: str, *, in_full: bool = True) -> bool:
        """Whether it is not asked, only thought of, long past, or taken back in the next breath;
        unless it is judged ``in_full``, what follows the words of the statement does not count.
        """
        place = self.sentences.index(sentence)
        after = self.sentences[place + 1].text if place + 1 < len(self.sentences) else ""
        if pattern("taken_back").search(f"{sentence.text}\n{after}"):
            return False
        span = sentence.text if in_full else _up_to(sentence, text)
        if not pattern("asked_of_agent").match(span) and pattern("asks").search(span):
            return False
        if pattern("supposed").search(span) or pattern("thinks").search(span):
            return False
        return not pattern("past").search(span) or bool(pattern("was").search(text))

    def supports(self, text: str) -> list[_Sentence]:
        """The sentences that each clause of a statement has most words of."""
        places: set[int] = set()
        for clause in pattern("clause").split(text):
            terms = _terms(clause)
            shares = [len(terms & sentence.terms) for sentence in self.sentences]
            most = max(shares, default=0)
            places |= {place for place, share in enumerate(shares) if most and share == most}
        return [self.sentences[place] for place in sorted(places)]

    def _around(self, text: str) -> list[_Sentence]:
        """The same, with short ones before and behind them: "Only today." may stand apart."""
        places = {self.sentences.index(sentence) for sentence in self.supports(text)}
        return [
            sentence
            for place, sentence in enumerate(self.sentences)
            if place in places
            or (places & {place - 1, place + 1} and len(sentence.words) <= _FEWEST_OWN)
        ]

    def _turns_round(self, text: str) -> bool:
        ways: dict[str, set[bool]] = {}
        for sentence in self.sentences:
            for way, term in _find_directions(sentence.text):
                ways.setdefault(term, set()).add(way)
        return any(way not in ways.get(term, {way}) for way, term in _find_directions(text))


def wording_of(texts: Iterable[str]) -> Wording:
    """The wording of what the owner said in these texts."""
    return Wording(tuple(_sentences(texts)))


def contents(text: str) -> list[str]:
    """The terms of a text that say something, in order."""
    terms: list[str] = []
    for chunk in pattern("word").findall(text):
        term = next(iter(index_text(chunk).split()), "")
        if term and not is_light(term) and term_weight(term) > STOP_WEIGHT:
            terms.append(term)
    return terms


def _is_others(sentence: _Sentence, text: str, rule: bool) -> bool:
    """Whether a sentence says what others say or want, or what the owner would not."""
    if rule and (pattern("refused").search(sentence.text) or _is_habit(sentence.text, text)):
        return True
    clause = max(sentence.clauses, key=lambda clause: len(_terms(clause) & _terms(text)))
    if pattern("resumed").search(clause) or pattern("i_said").search(sentence.text):
        return False
    span = sentence.text if rule else _up_to(sentence, text)
    is_reported = pattern("told").search(span) and not pattern("told").search(text)
    return bool(is_reported) or _traps().not_meant(pattern("passive").sub(" ", span))


def _up_to(sentence: _Sentence, text: str) -> str:
    """A sentence as far as it has words of a statement, and who is named as saying it after that:
    what comes later asks or tells of something else.
    """
    terms, clauses = _terms(text), [clause.strip() for clause in sentence.clauses]
    places = [place for place, clause in enumerate(clauses) if _terms(clause) & terms]
    last = places[-1] if places else len(clauses) - 1
    span = sentence.text[: sentence.text.rfind(clauses[last]) + len(clauses[last])]
    after = clauses[last + 1] if last + 1 < len(clauses) else ""
    teller = pattern("told").search(after)
    return f"{span}, {after}" if teller and teller.end() == len(after) else span  # "my boss says"


def _is_condition(clause: str) -> bool:
    """Whether a clause opens or ends with a word for a condition."""
    return any(
        match.start() == 0 or match.end() == len(clause)
        for match in pattern("condition").finditer(clause)
    )


def _is_habit(sentence: str, text: str) -> bool:
    """Whether a sentence tells what somebody does rather than what is to be done: the part of it
    that a rule was made of, or what leads up to that with a colon.
    """
    before, phrase = _split_phrase(sentence, text)
    phrases = [phrase] if not before.rstrip().endswith((":", "：")) else [before, phrase]
    return any(pattern("habit").search(phrase) for phrase in phrases)


def _split_phrase(sentence: str, text: str) -> tuple[str, str]:
    """The part of a sentence that a statement has most words of, after what comes before it."""
    phrases = pattern("part").split(sentence)
    phrase = max(phrases, key=lambda phrase: len(_terms(phrase) & _terms(text)))
    return sentence.partition(phrase)[0], phrase


def is_light(term: str) -> bool:
    """Whether a word is in statements about anybody and says nothing of its own."""
    return term in words("light") or term in next(iter(words("light_zh")))


@cache
def _traps() -> Traps:
    return Traps(load_patterns().phrases)


def _terms(text: str) -> frozenset[str]:
    return frozenset(contents(text))


def _keeps(sort: str, sentence: str, text: str) -> bool:
    """Whether a text has the limits of a sort that were said: their words, or as many others."""
    limits = [match.group() for match in pattern(sort).finditer(sentence)]
    kept = [match.group() for match in pattern(sort).finditer(text)]
    return len(kept) >= len(set(limits)) or not limits


def _any_has(name: str, sentences: Iterable[_Sentence]) -> bool:
    return any(pattern(name).search(sentence.text) for sentence in sentences)


def _keeps_scope(sentence: _Sentence, text: str) -> bool:
    """Whether "for the Tokyo trip" is in a text, a word of it or another scope in its place, and
    the names in the part it was made of.
    """
    terms, (_, phrase) = _terms(text), _split_phrase(sentence.text, text)
    if any(not _terms(name) <= terms for name in pattern("hard").findall(phrase)):
        return False
    dropped = [scope for scope in _scopes(sentence.text) if not scope & terms]
    spoken = sentence.terms
    return len(dropped) <= sum(not scope <= spoken for scope in _scopes(text))


def _scopes(text: str) -> list[frozenset[str]]:
    scopes = (_terms(" ".join(filter(None, m.groups()))) for m in pattern("scope").finditer(text))
    return list(filter(None, scopes))


def _find_directions(text: str) -> list[tuple[bool, str]]:
    """What goes somewhere, and what comes from there: whether it goes, and the word."""
    return [
        (way.lower() in ("to", "给", "向"), term)
        for english, name, chinese, other in pattern("direction").findall(text)
        for way, words_after in ((english, name), (chinese, other))
        for term in contents(words_after)[:1]
    ]


def _sentences(texts: Iterable[str]) -> list[_Sentence]:
    unique: dict[_Sentence, None] = {}
    for text in texts:
        for sentence in pattern("sentence").split(text.replace("\u2019", "'")):
            if len(unique) >= _MOST:
                return list(unique)
            clauses = tuple(pattern("clause").split(sentence[:_LONGEST]))
            signed = frozenset(word for clause in clauses for word in _sign_words(clause))
            if sentence.strip():
                unique[_Sentence(sentence[:_LONGEST].strip(), clauses, signed)] = None
    return list(unique)


def _sign_words(clause: str) -> list[_Signed]:
    """The words of a clause. What denies a verb denies the clause, wherever its object stands; what
    sets one thing against another ("tabs, not spaces", "without asking") only what follows.
    """
    clause = pattern("harmless").sub(" ", clause)
    negations = list(pattern("negation").finditer(clause))
    contrasts = [negation for negation in negations if _is_contrast(clause, negation)]
    positive = (len(negations) - len(contrasts)) % 2 == 0
    signed: list[_Signed] = []
    place = 0
    for negation in [*negations, None]:
        end = len(clause) if negation is None else negation.start()
        signed += (_Signed(word, positive) for word in contents(clause[place:end]))
        if negation is not None:
            place = negation.end()
            positive = positive != (negation in contrasts)
    return signed


def _is_contrast(clause: str, negation: re.Match[str]) -> bool:
    if pattern("contrast").fullmatch(negation[0]):
        return True
    before = clause[: negation.start()].lower().split()
    return negation[0].lower() == "not" and bool(before) and before[-1] not in words("auxiliaries")
