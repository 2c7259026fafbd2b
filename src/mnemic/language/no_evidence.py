"""How much a text states: earlier questions, greetings and thanks are no evidence for a fact.

A text is read sentence by sentence. Courtesy at the beginning of one is taken away, and of a
question the clause that asks. What remains is what it states: "Since I moved to Kiel, where can I
buy bread?" asks, and tells where somebody lives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from mnemic.language.gate import nods
from mnemic.language.word_file import WordFile
from mnemic.patterns import defer

_FILE = WordFile("mnemic.language", "no_evidence.toml")
pattern = _FILE.pattern

_FEW = 2  # words, or Chinese characters
_END = 300  # characters at each end of a long text

_GAP = r"[\s,，.。!！~～…、;；:：\-–—\"'\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]*+"
_PARTED = rf"(?:(?<![a-z])|(?![a-z0-9'])){_GAP}"
_LEADING_GAP = defer(_GAP)


@cache
def _courtesies() -> dict[str, tuple[tuple[str, ...], re.Pattern[str]]]:
    """For each letter the courtesies that begin with it, and a pattern for one and its gap."""
    phrases: dict[str, set[str]] = {first: set(group) for first, group in nods().items()}
    for phrase in _FILE.phrases("courtesy"):
        phrases.setdefault(phrase[0], set()).add(phrase)
    groups = {first: sorted(group, key=len, reverse=True) for first, group in phrases.items()}
    return {
        first: (tuple(group), defer(f"(?:{'|'.join(map(re.escape, group))}){_PARTED}"))
        for first, group in groups.items()
    }


_SENTENCE = defer(r"[^.!?。！？\n]++(?:[.!?。！？]++|\n|$)|[.!?。！？\n]++")
_CLAUSE = defer(r"[,，;；:：]\s*|\s[-–—]+\s|——")
_HAN = defer(r"[\u3400-\u9fff]")


def statement_share(text: str) -> float:
    """The share of a text that states something, from 0 to 1; of a long one by its two ends.

    0 for a text that only asks, greets, thanks or nods; orders and everything else count in full.
    """
    if len(text) <= _END:
        return _short_share(text)
    # A sentence that is cut in two says nothing about its kind.
    head, tail = _sentences(text[:_END]), _sentences(text[-_END:])
    return _share(head[:-1] or head) or _share(tail[1:] or tail)


def is_for_questions(query: str) -> bool:
    """Whether a query asks what was asked or how somebody greeted: then questions are evidence."""
    return pattern("for_questions").search(query) is not None


def _sentences(text: str) -> list[str]:
    sentences: list[str] = _SENTENCE.findall(text.lower().replace("’", "'"))
    return sentences


@lru_cache(4_096)  # the same turns are candidates again and again
def _short_share(text: str) -> float:
    return _share(_sentences(text))


def _share(sentences: Sequence[str]) -> float:
    total = stated = 0
    for sentence in sentences:
        total += len(sentence)
        rest = _without_courtesy(sentence)
        if rest:
            stated += _count_stated(rest)
    return stated / total if stated else 0.0


def _without_courtesy(sentence: str) -> str:
    """What follows the greetings, thanks and nods that a sentence begins with."""
    gap = _LEADING_GAP.match(sentence)
    place = gap.end() if gap else 0
    phrases = _courtesies()
    while place < len(sentence):
        group, courtesy = phrases.get(sentence[place], ((), _LEADING_GAP))
        match = courtesy.match(sentence, place) if sentence.startswith(group, place) else None
        if not match:
            break
        place = match.end()
    return sentence[place:]


def _count_stated(sentence: str) -> int:
    """Characters of a sentence that state something."""
    marked = "?" in sentence or "？" in sentence
    han = not sentence.isascii() and _HAN.search(sentence) is not None
    if not marked and not _asks(sentence, han=han):
        return len(sentence)
    clauses = [clause for clause in _CLAUSE.split(sentence) if clause.strip()]
    asking = [_asks(clause, han=han, marked=marked) for clause in clauses]
    if marked and not any(asking):
        asking[-1] = True  # the mark makes it a question, however it is worded
    return sum(
        len(clause)
        for clause, asks in zip(clauses, asking, strict=True)
        if not asks and _tells(_without_courtesy(clause), han=han)
    )


def _asks(text: str, *, han: bool, marked: bool = False) -> bool:
    if pattern("asks").match(text) or (marked and pattern("inverted").match(text)):
        return True
    in_chinese = han and pattern("asks_in_chinese").search(text) is not None
    return in_chinese and not pattern("knows").search(text)


def _tells(clause: str, *, han: bool) -> bool:
    """Whether a clause beside a question says something: of somebody, in more than two words."""
    if han and len(_HAN.findall(clause)) > _FEW:
        return True
    return clause.count(" ") >= _FEW and pattern("subject").search(clause) is not None
