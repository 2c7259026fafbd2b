"""Requests that point at a text: everything above, everything below, or "this"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from mnemic.language.code import compiled
from mnemic.language.voice.blocks import Block, Line, MessageLayout
from mnemic.language.voice.words import (
    FIRST_PERSON,
    JUDGE,
    OWN_HEAD,
    SELF_SPEECH,
    TEXT_NOUN,
    WORK,
)

Direction = Literal["up", "down", "this"]
_SENTENCE = r"[^.!?。！？\n]+(?:[.!?。！？]+|$|(?=\n))|[.!?。！？\n]"
_UP = r"(?i)\b(?:above|preceding)\b|上面|以上|上述|前面|^\^"
_DOWN = r"(?i)\b(?:below|following)\b|以下|下面|如下|下方|接下来"
_HERE = (
    r"(?i)\b(?:here(?:'s| is| are)|attached (?:is|are)|i(?:'ve)? attached)\b"
    rf"[^.!?\n]{{0,60}}{TEXT_NOUN}"
)
_THE_ABOVE = r"(?i)\bthe above\b|^\W*(?:\(|（)?(?:以上|上面|上述)(?:是|为|内容|文字|摘自|来自|这)"
_THE_FOLLOWING = r"(?i)\bthe following (?:is|are|comes)\b|^\W*(?:以下|下面)(?:是|为|内容)"
_THAT_WAS = (
    rf"(?i)\b(?:that|this|it) (?:was|is|came|comes) [^.!?\n]{{0,40}}{TEXT_NOUN}|\bcopied from\b"
)
_THIS_TEXT = (
    rf"(?i)\b(?:this|that|these|those)(?: \w+)? {TEXT_NOUN}"
    rf"|[这那](?:一)?(?:段|封|篇|句|条|份|首|则|页|张|个(?=邮件|文件|文档|文章|网页|帖子|通知))"
)
_WORK_ON_IT = (
    rf"(?i){WORK}(?:\W{{1,3}}\w+){{0,2}}?\W{{1,3}}(?:this|that|it|these|those|them)\b"
    rf"|{WORK}(?:一下)?(?:它|这个|这些|这)|把(?:它|这)"
)
_BARE_WORK = (
    r"(?i)\W{0,8}(?:(?:please|pls|can you|could you|would you|now|then|and|请|帮我|麻烦|帮忙|再|你"
    r"|给我|能不能)[\s,，]*+)*+"
    rf"{WORK}(?:一下|下)?(?: it| this| that)?"
    r"(?:(?: (?:in)?to| in| as| for| the (?:grammar|spelling|typos|errors?|tone))\b[^.!?\n,]{0,40}"
    r"|成.{1,8}|为.{1,8}|语法|错别字| please)?\W{0,8}$"
)
# Without one of these words a sentence points nowhere, unless it is a bare request.
_CUE = (
    r"(?i)\b(?:above|preceding|below|following|here|attached|this|that|these|those|it|them|copied)\b"
    r"|[上前]面|[以如][上下]|上述|下[面方]|接下来|[这那它]|^\^"
)
_DIRECTED: tuple[tuple[Direction, str, str], ...] = (
    ("up", _UP, _THE_ABOVE),
    ("down", _DOWN, _THE_FOLLOWING),
)
_LONGEST = 300  # characters of a sentence that points at a text
_LONGEST_BARE = 100


def pointed_at(layout: MessageLayout) -> Iterator[Block]:
    """What the requests of a message point at, unless a block stands there for it already."""
    lines = [line for line in layout.lines if line.text]
    above = below = None  # the last request that points up, the first that points down
    for line in lines:
        for sentence, start, end in _sentences(layout.text, line):
            direction = points(sentence)
            # "This" is on other lines: after a request that comes first, else before it.
            this = direction == "this"
            first = line is lines[0]
            if direction == "up" or (this and not first):
                above = (0, line.start if this else start)
            elif direction is not None and below is None:
                below = (line.end if this else end, len(layout.text))
    for stretch in filter(None, (above, below)):
        if layout.text[slice(*stretch)].strip() and not _is_there(layout, lines, stretch):
            yield Block(*stretch, "pointed")


def is_pointing(sentence: str) -> bool:
    """Whether a sentence makes sense only of a text that stands elsewhere."""
    return points(sentence) is not None


def points(sentence: str) -> Direction | None:
    """Where a sentence points, if it does."""
    if len(sentence) > _LONGEST:
        return None
    if compiled(_CUE).search(sentence) is None:
        return "this" if _is_bare(sentence) else None
    if compiled(rf"(?i){SELF_SPEECH}").search(sentence):
        return None
    noun = compiled(rf"(?i){TEXT_NOUN}").search(sentence)
    if not noun and compiled(rf"(?i){OWN_HEAD}").search(sentence):
        return None
    about = noun or compiled(rf"(?i){WORK}|{JUDGE}").search(sentence)
    for direction, where, alone in _DIRECTED:
        if compiled(where).search(sentence) and (about or compiled(alone).search(sentence)):
            return direction
    if compiled(_HERE).search(sentence):
        return "down"
    if any(compiled(pattern).search(sentence) for pattern in (_THAT_WAS, _THIS_TEXT, _WORK_ON_IT)):
        return "this"
    return "this" if _is_bare(sentence) else None


def _is_bare(sentence: str) -> bool:
    """A request or a question that makes no sense by itself: "translate to German", "thoughts?"."""
    if len(sentence) > _LONGEST_BARE:
        return False
    return bool(compiled(_BARE_WORK).match(sentence) or compiled(rf"(?i){JUDGE}").search(sentence))


def introduces_block(layout: MessageLayout, lines: list[Line], n: int) -> bool:
    """Whether a block stands right behind a line, and what is left after it is the person's."""
    following = next((b for b in layout.blocks if b.end > lines[n].end), None)
    if following is None or layout.text[lines[n].end : following.start].strip():
        return False
    return all(_is_plainly_own(layout, line.text) for line in lines[n + 1 :])


def _is_there(layout: MessageLayout, lines: list[Line], stretch: tuple[int, int]) -> bool:
    """Whether a block stands where a request points, and all else there is the person's."""
    if not layout.blocks_between(*stretch):
        return False
    rest = (one for one in lines if one.start >= stretch[0] and one.end <= stretch[1])
    return all(_is_plainly_own(layout, line.text) for line in rest)


def _is_plainly_own(layout: MessageLayout, line: str) -> bool:
    """Whether a line says "I", asks for something, or says nothing."""
    own = layout.plainly_own.get(line)
    if own is None:
        own = (
            not any(map(str.isalnum, line))
            or compiled(rf"(?i){FIRST_PERSON}").search(line) is not None
            or is_pointing(line)
        )
        layout.plainly_own[line] = own
    return own


def _sentences(text: str, line: Line) -> Iterator[tuple[str, int, int]]:
    for match in compiled(_SENTENCE).finditer(text, line.start, line.end):
        sentence = match.group().strip()
        if len(sentence) > 1 or sentence == "^":
            yield sentence, match.start(), match.end()
