"""The layout of help in Chinese, whose characters take two cells and are not parted by blanks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import east_asian_width

import click

# What is not torn apart: a word, with the punctuation that must not begin the next line.
_PIECE = re.compile(r"[（“《]*(?:[!-~–…]+|[^!-~])[，。；：、！？）”》…]*")


def cells(text: str) -> int:
    """How wide a text is on a terminal."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def wrap_cells(text: str, width: int) -> list[str]:
    """One paragraph in lines of at most this many cells."""
    lines = [""]
    # Words with the blank after them, Chinese characters one by one.
    for word in _PIECE.findall(" ".join(text.split())):
        if lines[-1].strip() and cells(lines[-1] + word.rstrip()) > width:
            lines.append("")
        lines[-1] += word if lines[-1] else word.lstrip()
    return [line.rstrip() for line in lines]


class ChineseHelp(click.HelpFormatter):
    """Wraps by cells."""

    def write_text(self, text: str) -> None:
        indent = " " * self.current_indent
        room = max(10, self.width - self.current_indent)
        paragraphs = (
            "\n".join(indent + line for line in wrap_cells(paragraph, room))
            for paragraph in text.split("\n\n")
        )
        self.write("\n\n".join(paragraphs) + "\n")

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        listed = list(rows)
        column = min(max((cells(first) for first, _ in listed), default=0), col_max) + col_spacing
        room = max(10, self.width - column - self.current_indent)
        for first, second in listed:
            lead = " " * self.current_indent + first
            below = " " * (self.current_indent + column)
            lines = wrap_cells(second, room) if second else []
            if lines and cells(first) <= column - col_spacing:
                lead += " " * (column - cells(first)) + lines.pop(0)
            self.write("\n".join([lead, *(below + line for line in lines)]) + "\n")

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{heading}：\n")
