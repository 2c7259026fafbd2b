"""Blocks of a message that are not the person's own voice, and the lines between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

Reason = Literal[
    "tag", "code", "quotation", "ruler", "marker", "mail", "speech", "transcript", "data", "label",
    "pointed", "inline", "long", "doubt",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch that is not the person's own, and why."""

    start: int
    end: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Line:
    """A line outside every block; ``text`` is without white space around it."""

    start: int
    end: int
    text: str
    indent: int = 0


@dataclass(frozen=True)
class MessageLayout:
    """A message with the blocks that were found so far, in order and apart."""

    text: str
    blocks: list[Block] = field(default_factory=list)
    plainly_own: dict[str, bool] = field(default_factory=dict)  # of lines that were looked at

    @cached_property
    def lines(self) -> list[Line]:
        """The lines, or what of them is left, outside the blocks; empty ones too."""
        lines: list[Line] = []
        place = 0
        for block in [*self.blocks, Block(len(self.text), len(self.text), "long")]:
            at = place
            for line in self.text[place : block.start].splitlines(keepends=True):
                stripped = line.strip()
                indent = len(line) - len(line.lstrip())
                lines.append(Line(at, at + len(line), stripped, indent))
                at += len(line)
            place = block.end
        return lines

    def blocks_between(self, start: int, end: int) -> list[Block]:
        return [block for block in self.blocks if block.start < end and block.end > start]


def merge(blocks: Iterable[Block], text: str) -> list[Block]:
    """In order and apart; of those that overlap the first gives the reason. Blocks with nothing
    but white space between them stay two.
    """
    apart: list[Block] = []
    for block in sorted(blocks, key=lambda block: (block.start, -block.end)):
        end = min(block.end, len(text))
        if end <= block.start:
            continue
        if apart and block.start < apart[-1].end:
            last = apart[-1]
            if end > last.end:
                apart[-1] = Block(last.start, end, last.reason)
            continue
        apart.append(Block(block.start, end, block.reason))
    return apart
