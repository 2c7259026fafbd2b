"""Whether a statement is in the owner's wording: the same words in the same order, each with the
same polarity.

A bag of words cannot tell "never pay by card, ask me first" from "pay by card, never ask first".
So the words of a clause carry a sign, which each negation in the clause turns around, and a
statement is aligned with one sentence of the owner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mnemic.index.segment import STOP_WEIGHT, index_text, term_weight
from mnemic.language.code import compiled

_ALIKE = 0.75  # of a statement's words are the owner's, in order
_COVERED = 0.6  # of each clause of the owner that it takes words from: no condition is left out
_LONGEST = 80  # words of a sentence that are aligned
_MOST = 400  # sentences of the owner
_SENTENCE = r"[.!?](?=\s|$)|[。！？；;\n]"
_CLAUSE = (
    r"[,，:：、()（）]|\s[-–—]+\s|——|\b(?:but|instead(?! of)|always|and then)\b"
    r"|但是?|而是|改为|总是|始终|一定要|必须"
)
_WORD = (
    r"[\u3400-\u4dbf\u4e00-\u9fff]|[A-Za-z0-9_][\w.@/+#-]*[\w+#]|[A-Za-z0-9_]"
    r"|[^\W\u3400-\u9fff]+"
)
# Words with a negative character in them that deny nothing.
_HARMLESS = (
    r"不错|不过|不同|不断|不仅|不但|不只|差不多|不管|不论|不得不|特别|别人|区别|分别|级别"
    r"|性别|个别|别名|告别|没关系|无论"
    r"|无锡|非常|除非常|并非常|不好意思|\bnot only\b|\bno problem\b|\bno\.\s?\d"
)
_NEGATION = (
    r"(?i)\b(?:no longer|not|never|no|none|nobody|nothing|neither|nor|without|cannot"
    r"|avoid(?:s|ed|ing)?|stop(?:s|ped|ping)?|quit(?:s|ting)?|refus(?:e|es|ed|ing)"
    r"|forbid(?:s|den)?|forbade|ban(?:s|ned)?|prohibit(?:s|ed)?|dislik(?:e|es|ed)|hat(?:e|es|ed)|detests?|allergic|allergy|intolerant"
    r"|skip(?:s|ped)?|omit(?:s|ted)?|exclud(?:e|es|ing)|except|unless|forget(?:s|ting)?"
    r"|g[ai]ven? up"
    r"|instead of|rather than|dont|doesnt|wont|cant|shouldnt|isnt|free of|against)\b|n't\b"
    r"|禁止|避免|讨厌|拒绝|停止|而非|严禁|杜绝|过敏|不再|不要|不能|不可以?|不许|不准|不用|不必|不想|不喜欢|没有?|无需|无须"
    r"|除非|忘记|忘|戒|[不别勿莫免非无]"
)
_CONTRAST = r"(?i)instead of|rather than|without|except|unless|free of|against|nor|而非|除非"
_AUXILIARIES = frozenset(
    "do does did is are was were am be been have has had can could will would shall should must may"
    " might need ought to or and please user i we you".split()
)
_CONDITIONS = frozenset(
    "befor after unless until if when onli except first then 先 才 前 后 若 果 只 仅".split()
)
# Words a statement about somebody has, whoever said it.
_LIGHT = frozenset(
    "user owner want wish prefer like need should must pleas alway ensur make sure everi time now"
    " futur name call known live home resid base work job employ go by day rule"
    " say tell let get keep thing way also just would".split()
) | frozenset(
    "用户想要请让使以后都每次会应该需得的了是在和与叫名字住工作更偏好喜欢希望今把被给您你我他她它们"
)
_FEWEST_HAN = 2


class _Signed(NamedTuple):
    text: str
    positive: bool


@dataclass(frozen=True, slots=True)
class _Sentence:
    words: tuple[_Signed, ...]
    clauses: tuple[int, ...]  # the clause of each word


@dataclass(frozen=True, slots=True)
class Wording:
    """What the owner said, for comparing statements with it."""

    sentences: tuple[_Sentence, ...]
    words: frozenset[str]  # all of its index terms

    def is_own(self, text: str, *, whole: bool) -> bool:
        """Whether every sentence of a statement is one of the owner's in order and polarity, or
        with ``whole`` also says all that the owner's clause says.
        """
        sentences = _sentences([text])
        return bool(sentences) and all(
            any(_aligned(one, own, whole) for own in self.sentences) for one in sentences
        )

    def contradicts(self, text: str) -> bool:
        """Whether a statement has words of the owner's only with the other polarity."""
        signs: dict[str, set[bool]] = {}
        for sentence in self.sentences:
            for word in sentence.words:
                signs.setdefault(word.text, set()).add(word.positive)
        turned = {
            word.text
            for sentence in _sentences([text])
            for word in sentence.words
            if signs.get(word.text) == {not word.positive} and word.text not in _CONDITIONS
        }
        han = sum(1 for word in turned if "\u3400" <= word[0] <= "\u9fff")
        return len(turned) > han or han >= _FEWEST_HAN


def wording_of(texts: Iterable[str]) -> Wording:
    """The wording of what the owner said in these texts."""
    own = list(texts)
    return Wording(tuple(_sentences(own)), frozenset(index_text("\n".join(own)).split()))


def _sentences(texts: Iterable[str]) -> list[_Sentence]:
    unique: dict[_Sentence, None] = {}
    for text in texts:
        for part in compiled(_SENTENCE).split(text.replace("\u2019", "'")):
            if len(unique) >= _MOST:
                return list(unique)
            sentence = _read(part)
            if sentence.words:
                unique[sentence] = None
    return list(unique)


def _read(text: str) -> _Sentence:
    words: list[_Signed] = []
    clauses: list[int] = []
    for number, clause in enumerate(compiled(_CLAUSE).split(text)):
        for word in _signed(compiled(_HARMLESS).sub(" ", clause)):
            words.append(word)
            clauses.append(number)
        if len(words) >= _LONGEST:
            break
    return _Sentence(tuple(words[:_LONGEST]), tuple(clauses[:_LONGEST]))


def _signed(clause: str) -> list[_Signed]:
    """The words of a clause. What denies a verb denies the clause, wherever its object stands; what
    sets one thing against another ("tabs, not spaces", "without asking") only what follows.
    """
    negations = list(compiled(_NEGATION).finditer(clause))
    contrasts = [one for one in negations if _is_contrast(clause, one.group(), one.start())]
    positive = (len(negations) - len(contrasts)) % 2 == 0
    words: list[_Signed] = []
    place = 0
    for negation in [*negations, None]:
        end = len(clause) if negation is None else negation.start()
        words += (_Signed(word, positive) for word in _content(clause[place:end]))
        if negation is not None:
            place = negation.end()
            positive = positive != (negation in contrasts)
    return words


def _is_contrast(clause: str, negation: str, start: int) -> bool:
    if compiled(_CONTRAST).fullmatch(negation):
        return True
    before = clause[:start].split()
    return negation.lower() == "not" and bool(before) and before[-1].lower() not in _AUXILIARIES


def _content(text: str) -> list[str]:
    terms: list[str] = []
    for chunk in compiled(_WORD).findall(text):
        term = next(iter(index_text(chunk).split()), "")
        if term in _CONDITIONS or (term and term not in _LIGHT and term_weight(term) > STOP_WEIGHT):
            terms.append(term)
    return terms


def _aligned(one: _Sentence, own: _Sentence, whole: bool) -> bool:
    matched = _common(one.words, own.words)
    if len(matched) < _ALIKE * len(one.words):
        return False
    if not whole:
        return True
    touched = [own.clauses[place] for place in matched]
    return all(
        touched.count(clause) >= _COVERED * own.clauses.count(clause) for clause in set(touched)
    )


def _common(one: Sequence[_Signed], own: Sequence[_Signed]) -> list[int]:
    """The places in ``own`` of the longest sequence of words that both have in order."""
    if not set(one) & set(own):
        return []
    rows = [[0] * (len(own) + 1)]
    for word in one:
        last, row = rows[-1], [0]
        for place, other in enumerate(own):
            row.append(last[place] + 1 if word == other else max(last[place + 1], row[place]))
        rows.append(row)
    places: list[int] = []
    at, place = len(one), len(own)
    while at and place:
        if one[at - 1] == own[place - 1]:
            places.append(place - 1)
            at, place = at - 1, place - 1
        elif rows[at - 1][place] >= rows[at][place - 1]:
            at -= 1
        else:
            place -= 1
    return places
