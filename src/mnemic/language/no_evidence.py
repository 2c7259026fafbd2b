"""How much a text states: earlier questions, greetings and thanks are no evidence for a fact.

A text is read sentence by sentence. Courtesy at the beginning of one is taken away, and of a
question the clause that asks. What remains is what it states: "Since I moved to Kiel, where can I
buy bread?" asks, and tells where somebody lives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from mnemic.language import gate_words as words
from mnemic.patterns import defer

_FEW = 2  # words, or Chinese characters
_END = 300  # characters at each end of a long text

_COURTESY = """
that helps|that helped|this helps|that is great|that's great|that's helpful|very helpful|really
i appreciate it|appreciate it|appreciated|much appreciated|see you|see you later|talk to you later
have a nice day|have a good day|have a good one|take care|no rush|my pleasure|sorry|oops|hmm|well
dear|everyone|all|again|for your help|for the help|for that|for this|so|by the way|btw|anyway
帮大忙了|帮了大忙|麻烦你了|麻烦了|打扰了|回头见|明天见|下次见|抱歉|不好意思|对不起|客气了|大家好|嗨|哈喽
在吗|那|呢|你的帮助|您的帮助|对了|哎|唉|诶
""".replace("\n", "|").strip("|")
_GAP = r"[\s,，.。!！~～…、;；:：\-–—\"'\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]*+"
_LEADING_GAP = defer(_GAP)


def _by_first_letter() -> dict[str, re.Pattern[str]]:
    """For each letter the greetings, thanks and nods that begin with it, with what parts them."""
    phrases: dict[str, set[str]] = {first: set(some) for first, some in words.NODS.items()}
    for phrase in _COURTESY.split("|"):
        phrases.setdefault(phrase[0], set()).add(phrase)
    return {
        first: defer(
            f"(?:{'|'.join(map(re.escape, sorted(some, key=len, reverse=True)))})"
            f"(?:(?<![a-z])|(?![a-z0-9'])){_GAP}"
        )
        for first, some in phrases.items()
    }


_PHRASES = cache(_by_first_letter)
_SENTENCE = defer(r"[^.!?。！？\n]++(?:[.!?。！？]++|\n|$)|[.!?。！？\n]++")
_CLAUSE = defer(r"[,，;；:：]\s*|\s[-–—]+\s|——")
_HAN = defer(r"[\u3400-\u9fff]")
_LEAD = r"(?:(?:and|so|but|then|or|also|now|hey|please|just|actually|again)\b[\s,]*)*"
_OF_WHOM = r"(?:i|you|we|they|he|she|it|there|my|our|your|this|that|the|any\w*|these|those|people)"
_VERBS = (
    r"(?:do|does|did|is|are|was|were|am|can|could|should|would|will|shall|have|has|had|may|might"
    r"|\w{2,6}n't)"
)
_INVERTED = defer(rf"{_LEAD}{_VERBS} ")
# A clause that begins so asks, mark or no mark; "when I was ten" begins a statement.
_ASKS = defer(
    rf"{_LEAD}(?:(?:what|when|where|who|whom|whose|which|why|how)(?:'s|'re|'d|'ll)?\b"
    r"(?! (?:i|you|we|they|he|she|it|my|our|your|his|her|their|this|that|these|those|the)\b)"
    rf"|{_VERBS} {_OF_WHOM}\b|(?:tell|remind|ask|show) me (?!to\b)|let me know\b"
    rf"|(?:do you |i )?wonder|any (?:idea|suggestion|recommendation|tip|thought)s?\b)"
)
_ASKS_IN_CHINESE = defer(
    r"[吗呢么]\W*$|什么(?!都|也|的)|(?<!没)啥(?!都|也|的)|怎么(?!都|也|说)|咋|为何|谁(?!都|也)|多少(?!有)"
    r"|多[久大远高](?!的)|[几哪](?!乎|怕|都|经|度)|是否|有没有|是不是|能不能|会不会|要不要|对不对|好不好"
    r"|如何|何时|请问|可不可以|行不行|告诉我|提醒我(?!去|要|明)|来着|记不记得|知不知道"
)
_KNOWS = defer(r"不?知道(?!吗)|不管|无论|不论|随便")
_SUBJECT = defer(
    r"\b(?:i|i'm|i've|we|we're|we've|my|our|he|she|they|his|her|their|it|it's|there|the|this|that)\b"
)
_FOR_QUESTIONS = defer(
    r"\b(?:i|we)(?:'ve| have| had)? (?:ever |already |once )?ask(?:ed)?\b"
    r"|\bmy (?:\w+ ){0,2}questions?\b|\bquestions? (?:did|have|had) (?:i|we)\b|\bgreet"
    r"|我们?[^，。？！]{0,6}问(?:过|了|的|你|起|到)|我[^，。？！]{0,6}(?:问题|提问)",
    re.I,
)


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
    return _FOR_QUESTIONS.search(query) is not None


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
            stated += _stated(rest)
    return stated / total if stated else 0.0


def _without_courtesy(sentence: str) -> str:
    """What follows the greetings, thanks and nods that a sentence begins with."""
    gap = _LEADING_GAP.match(sentence)
    place = gap.end() if gap else 0
    phrases = _PHRASES()
    while place < len(sentence):
        pattern = phrases.get(sentence[place])
        match = pattern.match(sentence, place) if pattern else None
        if not match:
            break
        place = match.end()
    return sentence[place:]


def _stated(sentence: str) -> int:
    """Characters of a sentence that state something."""
    marked = "?" in sentence or "？" in sentence
    han = not sentence.isascii() and _HAN.search(sentence) is not None
    if not marked and not _asks(sentence, han=han):
        return len(sentence)
    clauses = [clause for clause in _CLAUSE.split(sentence) if clause.strip()]
    asking = [_asks(one, han=han) or (marked and _INVERTED.match(one)) for one in clauses]
    if marked and not any(asking):
        asking[-1] = True  # the mark makes it a question, however it is worded
    return sum(
        len(clause)
        for clause, asks in zip(clauses, asking, strict=True)
        if not asks and _tells(_without_courtesy(clause), han=han)
    )


def _asks(text: str, *, han: bool) -> bool:
    if _ASKS.match(text):
        return True
    return han and _ASKS_IN_CHINESE.search(text) is not None and not _KNOWS.search(text)


def _tells(clause: str, *, han: bool) -> bool:
    """Whether a clause beside a question says something: of somebody, in more than two words."""
    if han and len(_HAN.findall(clause)) > _FEW:
        return True
    return clause.count(" ") >= _FEW and _SUBJECT.search(clause) is not None
