"""Heads with a colon: they introduce somebody's words, a text, or the speaker's own list."""

from __future__ import annotations

import re
from typing import Literal

from mnemic.language.code import is_code
from mnemic.language.voice.blocks import Line, Reason
from mnemic.language.voice.words import pattern
from mnemic.late import dataclass

HeadKind = Literal["speech", "text", "template"]
HEAD_KINDS: dict[HeadKind, Reason] = {"speech": "speech", "text": "label", "template": "label"}
_LONGEST_HEAD = 160
_SHORT_VALUE = 80
_TAIL = 160
_LAST_SENTENCE = r"^.*[.!?。！？;；]\s*(?=\S)"


@dataclass(frozen=True, slots=True)
class Head:
    """``end``: where what it introduces begins; ``tail``: whether that is in the same line."""

    kind: HeadKind
    end: int
    tail: bool


def head_of(line: str) -> Head | None:
    """The head of a line whose colon introduces somebody else's words, if it has one."""
    has_colon = (":" in line or "：" in line) and not is_code(line)
    colon = pattern("head_colon").search(line, 0, _LONGEST_HEAD + 2) if has_colon else None
    if colon is None:
        return _file_head(line)
    before = line[: colon.start()]
    if len(before) > _LONGEST_HEAD:
        return None
    head = re.sub(_LAST_SENTENCE, "", before).strip(" *_#-•·>\t")
    tail = line[colon.end() :].strip()
    kind = _kind(head, tail)
    return None if kind is None else Head(kind, colon.end(), bool(tail))


def _kind(head: str, tail: str) -> HeadKind | None:
    shown = tail and pattern("attention").match(head) and pattern("first_person").match(tail)
    if not head or shown or pattern("own_lead").fullmatch(head):
        return None
    if pattern("self_speech").search(head) and not pattern("came").search(head):
        return None
    if pattern("template").fullmatch(head):
        return "template" if tail else "text"
    if pattern("file").search(head):
        return "text"
    noun = pattern("text_noun").search(head)
    mine = pattern("mine").match(head)
    if _is_speech(head, subject_matters=not noun and not mine):
        return "speech"
    came = pattern("came").search(head)
    if mine and (not noun or noun.end() < len(head) or (tail and len(tail) <= _SHORT_VALUE)):
        return "text" if came else None
    own_head = pattern("own_head").search(head)
    if noun or (came and not own_head):
        return "text"
    return None if own_head else _kind_of_rest(head, tail)


def _is_speech(head: str, *, subject_matters: bool) -> bool:
    """Whether a head says that somebody speaks; it may be the speaker himself."""
    speech = pattern("speech").search(head)
    if speech is None:
        return False
    first = pattern("first_person").search(head)
    return not (subject_matters and first and first.start() < speech.start())


def _kind_of_rest(head: str, tail: str) -> HeadKind | None:
    """Of a head without a noun of text: a request for work, a filler, or a line of its own."""
    if pattern("work").search(head):
        return "text"
    personal = pattern("first_person").search(head)
    filler = pattern("fillers").fullmatch(head)
    # A line that ends in a colon: what follows is given to be worked on.
    return None if personal or filler or tail else "text"


def _file_head(line: str) -> Head | None:
    """A bare file name, or the mark of an attachment, on a line of its own."""
    if "." in line and len(line) <= 120 and pattern("file").fullmatch(line.strip("#*[]() ")):
        return Head("text", len(line), False)
    return None


def is_own_title(title: str) -> bool:
    """Whether a title is of what the speaker says himself: "About me"."""
    if pattern("file").search(title) or pattern("text_noun").search(title):
        return False
    return bool(pattern("own_words").search(title))


def request_tail(lines: list[Line], n: int) -> int | None:
    """The line that begins the last paragraph after line ``n``, if it is plainly a request: short,
    apart, asking, and without a word that could be a claim or a standing order.
    """
    last = len(lines) - 1
    while last > n and not lines[last].text:
        last -= 1
    first = last
    while first - 1 > n and lines[first - 1].text:
        first -= 1
    if first <= n + 1 or lines[first - 1].text:
        return None
    paragraph = " ".join(line.text for line in lines[first : last + 1])
    if len(paragraph) > _TAIL or pattern("claims").search(paragraph):
        return None
    asks = paragraph.endswith(("?", "？")) or pattern("work").search(paragraph)
    return first if asks else None
