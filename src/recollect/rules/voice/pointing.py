"""Requests that point at a text: everything above, everything below, or "this"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from recollect.rules.gate_code import compiled
from recollect.rules.voice.blocks import Block, Layout, Line
from recollect.rules.voice.words import (
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
_HERE = rf"(?i)\b(?:here(?:'s| is| are)|attached (?:is|are)|i(?:'ve)? attached)\b[^.!?\n]{{0,60}}{TEXT_NOUN}"
_THE_ABOVE = r"(?i)\bthe above\b|^\W*(?:\(|（)?(?:以上|上面|上述)(?:是|为|内容|文字|摘自|来自|这)"
_THE_FOLLOWING = r"(?i)\bthe following (?:is|are|comes)\b|^\W*(?:以下|下面)(?:是|为|内容)"
_THAT_WAS = rf"(?i)\b(?:that|this|it) (?:was|is|came|comes) [^.!?\n]{{0,40}}{TEXT_NOUN}|\bcopied from\b"
_THIS_TEXT = (
    rf"(?i)\b(?:this|that|these|those)(?: \w+)? {TEXT_NOUN}"
    rf"|[这那](?:一)?(?:段|封|篇|句|条|份|首|则|页|张|个(?=邮件|文件|文档|文章|网页|帖子|通知))"
)
_WORK_ON_IT = rf"(?i){WORK}(?:\W+\w+){{0,2}}?\W+(?:this|that|it|these|those|them)\b|{WORK}(?:一下)?(?:它|这个|这些|这)|把(?:它|这)"
_BARE_WORK = (
    rf"(?i)^\W*(?:please|pls|can you|could you|would you|now|then|and|请|帮我|麻烦|帮忙|再|你|给我|能不能)*\W*"
    rf"{WORK}(?:一下|下)?(?: it| this| that)?"
    r"(?:(?: (?:in)?to| in| as| for| the (?:grammar|spelling|typos|errors?|tone))\b[^.!?\n,]{0,40}"
    r"|成.{1,8}|为.{1,8}|语法|错别字| please)?\W*$"
)


def pointed_at(layout: Layout) -> Iterator[Block]:
    """What the requests of a message point at, unless a block stands there for it already."""
    lines = [line for line in layout.lines if line.text]
    for line in lines:
        for sentence, start, end in _sentences(layout.text, line):
            direction = points(sentence)
            if direction is None:
                continue
            block = _block(layout, lines, line, (start, end), direction)
            if block is not None:
                yield block


def is_pointing(sentence: str) -> bool:
    """Whether a sentence makes sense only of a text that stands elsewhere."""
    return points(sentence) is not None


def points(sentence: str) -> Direction | None:
    """Where a sentence points, if it does."""
    if compiled(rf"(?i){SELF_SPEECH}").search(sentence):
        return None
    about = compiled(rf"(?i){TEXT_NOUN}|{WORK}|{JUDGE}").search(sentence)
    own = compiled(rf"(?i){OWN_HEAD}").search(sentence) and not compiled(
        rf"(?i){TEXT_NOUN}"
    ).search(sentence)
    if own:
        return None
    if compiled(_UP).search(sentence) and (about or compiled(_THE_ABOVE).search(sentence)):
        return "up"
    if compiled(_DOWN).search(sentence) and (about or compiled(_THE_FOLLOWING).search(sentence)):
        return "down"
    if compiled(_HERE).search(sentence):
        return "down"
    if compiled(_THAT_WAS).search(sentence):
        return "this"
    if compiled(_THIS_TEXT).search(sentence) or compiled(_WORK_ON_IT).search(sentence):
        return "this"
    if compiled(_BARE_WORK).search(sentence) or compiled(rf"(?i){JUDGE}").search(sentence):
        return "this"
    return None


def _block(
    layout: Layout,
    lines: list[Line],
    line: Line,
    sentence: tuple[int, int],
    direction: Direction,
) -> Block | None:
    start, end = sentence
    if direction == "this":
        # "This" is on other lines: after a request that comes first, else before it.
        if line is lines[0]:
            start, end, direction = line.start, line.end, "down"
        else:
            start, direction = line.start, "up"
    stretch = (0, start) if direction == "up" else (end, len(layout.text))
    rest = [one for one in lines if one.start >= stretch[0] and one.end <= stretch[1]]
    inside = layout.text[stretch[0] : stretch[1]].strip()
    if not inside or _is_there(layout, rest, stretch):
        return None
    return Block(*stretch, "pointed")


def introduces_block(layout: Layout, lines: list[Line], n: int) -> bool:
    """Whether a block stands right behind a line, and what is left after it is the person's."""
    following = next((b for b in layout.blocks if b.end > lines[n].end), None)
    if following is None or layout.text[lines[n].end : following.start].strip():
        return False
    return _is_plainly_own([line for line in lines[n + 1 :] if line.text])


def _is_there(layout: Layout, rest: list[Line], stretch: tuple[int, int]) -> bool:
    """Whether a block stands where a request points, and all else there is the person's."""
    return bool(layout.blocks_between(*stretch)) and _is_plainly_own(rest)


def _is_plainly_own(rest: list[Line]) -> bool:
    """Each line says "I" or asks for something."""
    return all(
        compiled(rf"(?i){FIRST_PERSON}").search(line.text)
        or is_pointing(line.text)
        or not any(letter.isalnum() for letter in line.text)
        for line in rest
    )


def _sentences(text: str, line: Line) -> Iterator[tuple[str, int, int]]:
    for found in compiled(_SENTENCE).finditer(text, line.start, line.end):
        sentence = found.group().strip()
        if len(sentence) > 1 or sentence == "^":
            yield sentence, found.start(), found.end()

