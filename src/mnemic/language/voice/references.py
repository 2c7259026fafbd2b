"""Requests that point at a text: everything above, everything below, or "this"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from mnemic.language.voice.blocks import Block, Line, MessageLayout
from mnemic.language.voice.words import pattern
from mnemic.patterns import defer

Direction = Literal["up", "down", "this"]
_SENTENCE = defer(r"[^.!?。！？\n]+(?:[.!?。！？]+|$|(?=\n))|[.!?。！？\n]")
_DIRECTED: tuple[tuple[Direction, str, str], ...] = (
    ("up", "up", "the_above"),
    ("down", "down", "the_following"),
)
_LONGEST = 300  # characters of a sentence that points at a text
_LONGEST_BARE = 100


def find_pointed(layout: MessageLayout) -> Iterator[Block]:
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
    if pattern("cue").search(sentence) is None:
        return "this" if _is_bare(sentence) else None
    if pattern("self_speech").search(sentence):
        return None
    noun = pattern("text_noun").search(sentence)
    if not noun and pattern("own_head").search(sentence):
        return None
    about = noun or pattern("work_or_judge").search(sentence)
    for direction, where, alone in _DIRECTED:
        if pattern(where).search(sentence) and (about or pattern(alone).search(sentence)):
            return direction
    if pattern("here").search(sentence):
        return "down"
    if pattern("points_at_text").search(sentence):
        return "this"
    return "this" if _is_bare(sentence) else None


def _is_bare(sentence: str) -> bool:
    """A request or a question that makes no sense by itself: "translate to German", "thoughts?"."""
    if len(sentence) > _LONGEST_BARE:
        return False
    return bool(pattern("bare_work").match(sentence) or pattern("judge").search(sentence))


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
    rest = (line for line in lines if line.start >= stretch[0] and line.end <= stretch[1])
    return all(_is_plainly_own(layout, line.text) for line in rest)


def _is_plainly_own(layout: MessageLayout, line: str) -> bool:
    """Whether a line says "I", asks for something, or says nothing."""
    if line not in layout.plainly_own:
        personal = not any(map(str.isalnum, line)) or pattern("first_person").search(line)
        layout.plainly_own[line] = bool(personal) or is_pointing(line)
    return layout.plainly_own[line]


def _sentences(text: str, line: Line) -> Iterator[tuple[str, int, int]]:
    for match in _SENTENCE.finditer(text, line.start, line.end):
        sentence = match.group().strip()
        if len(sentence) > 1 or sentence == "^":
            yield sentence, match.start(), match.end()
