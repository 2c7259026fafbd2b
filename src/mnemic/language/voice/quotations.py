"""Quotation marks in somebody's own talk: a word or a name stays theirs, a text does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mnemic.language.voice.blocks import Block, MessageLayout
from mnemic.language.voice.words import pattern

_ENDS = tuple("。.!?！？")
_FEW_WORDS, _SHORT, _SHORT_HAN = 4, 32, 10


def quotations(layout: MessageLayout) -> Iterator[Block]:
    """The quotations outside the blocks that are more than a name, a title or a word."""
    for line_start, line_end in _stretches(layout):
        for match in pattern("quotation_quoted").finditer(layout.text, line_start, line_end):
            if not _is_name(match):
                yield Block(match.start(), match.end(), "inline")


def _stretches(layout: MessageLayout) -> Iterator[tuple[int, int]]:
    place = 0
    for block in layout.blocks:
        if block.start > place:
            yield place, block.start
        place = block.end
    if place < len(layout.text):
        yield place, len(layout.text)


def _is_name(quotation: re.Match[str]) -> bool:
    inner = next(filter(None, quotation.groups()), "")
    short = len(inner.split()) <= _FEW_WORDS and len(inner) <= (
        _SHORT if inner.isascii() else _SHORT_HAN
    )
    return short and not pattern("quotation_spoken").search(inner) and not inner.endswith(_ENDS)
