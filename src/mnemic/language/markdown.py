"""Markdown that people and the engine share: headings, bullets that carry an id, and the rest.

A bullet of ours ends its first line with a comment that no reader shows, ``<!--m:ID-->``. What is
neither a heading nor a bullet is a person's own text, and is kept as it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field

from mnemic.ids import is_id
from mnemic.late import dataclass

GENERATED = "r"  # the mark of a bullet of ours that stands for no memory
# Closed, or broken off: what is left of one that was cut must not end up in a memory.
_MARK = re.compile(
    r"<!--\s{0,9}m:\s{0,9}(?P<id>r|[0-9a-f-]{0,99}?)\s{0,9}(?:-->|--?(?=\s|$)|(?=\s|$))", re.I
)
_SHOWN_MARK = re.compile(rf"[ \t]?{_MARK.pattern}", re.I)
_BULLET = re.compile(r" {0,3}[-*+•](?:[ \t]+(?P<text>.*))?$", re.S)
_INDENTED = re.compile(r"(?: {2}|\t)[ \t]*\S")
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<title>\S.{0,300})$")
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})")
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1b\x7f\ufeff]")


@dataclass(frozen=True, slots=True)
class Free:
    """Lines of a person."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bullet:
    """One bullet with the indented lines below it; ``mark`` is the id in its comment, or empty."""

    text: str
    mark: str = ""
    lines: tuple[str, ...] = field(default=(), compare=False)  # as a person wrote them


Item = Free | Bullet


@dataclass(frozen=True, slots=True)
class MarkdownSection:
    """A heading and what stands below it; what comes before the first heading has none."""

    heading: str
    items: tuple[Item, ...]

    @property
    def title(self) -> str:
        match = _HEADING.match(self.heading)
        return _MARK.sub("", match["title"]).strip("# \t\r") if match else ""


def parse(text: str) -> tuple[MarkdownSection, ...]:
    """The parts of a document, in order; joined again they lose nothing but layout."""
    sections: list[MarkdownSection] = []
    heading, items = "", list[Item]()
    for block in _pieces(text.removesuffix("\n").split("\n")):
        if isinstance(block, str):
            sections.append(MarkdownSection(heading, tuple(items)))
            heading, items = block, []
        elif isinstance(block, Free) and items and isinstance(items[-1], Free):
            items[-1] = Free((*items[-1].lines, *block.lines))
        else:
            items.append(block)
    sections.append(MarkdownSection(heading, tuple(items)))
    return tuple(
        section for section in sections if section.heading or any(map(_says, section.items))
    )


def marks_in(text: str) -> frozenset[str]:
    """Every id that is written in a text, in a bullet or not."""
    return frozenset(match["id"].lower() for match in _MARK.finditer(text) if is_id(_id(match)))


def visible(text: str) -> str:
    """The text as a reader shows it, without the ids of bullets."""
    return _SHOWN_MARK.sub("", text)


def without(text: str, ids: frozenset[str]) -> str:
    """The text without the bullets of these ids, and without their marks elsewhere."""
    lines: list[str] = []
    for block in _pieces(text.split("\n")):
        if isinstance(block, str):
            lines.append(block)
        elif isinstance(block, Free) or block.mark not in ids:
            lines += block.lines
    return _MARK.sub(lambda m: "" if _id(m) in ids else m[0], "\n".join(lines))


def tidy(text: str) -> str:
    """A statement as bullets show it: no control characters, single spaces, no empty lines."""
    lines = (" ".join(line.split()) for line in _UNSEEN.sub("", text).splitlines())
    return "\n".join(filter(None, lines))


def harmless(text: str) -> str:
    """A statement in which no comment can be taken for one of ours, or swallow what follows."""
    tidied = tidy(text)
    if _MARK.search(tidied) or not _closes_comments(tidied):
        tidied = tidied.replace("<!--", "<! --").replace("-->", "-- >")
    return tidied


def bullet_lines(bullet: Bullet) -> list[str]:
    """The bullet as it is written."""
    first, *rest = bullet.text.split("\n")
    mark = f" <!--m:{bullet.mark}-->" if bullet.mark else ""
    return [f"- {first}{mark}", *(f"  {line}" for line in rest)]


def strip_blank(lines: Sequence[str]) -> list[str]:
    """Without empty lines at either end."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return list(lines[filled[0] : filled[-1] + 1]) if filled else []


def _says(item: Item) -> bool:
    return isinstance(item, Bullet) or any(line.strip() for line in item.lines)


def _closes_comments(text: str) -> bool:
    """Whether every comment that opens in a text ends in it."""
    place = 0
    while (start := text.find("<!--", place)) >= 0:
        if "-->" in text[place:start]:
            return False
        place = text.find("-->", start)
        if place < 0:
            return False
        place += len("-->")
    return "-->" not in text[place:]


def _pieces(lines: list[str]) -> Iterator[Item | str]:
    """Headings as text, the rest as items."""
    blocks = _Blocks(lines)
    place = 0
    while place < len(lines):
        line, end = lines[place], blocks.end(place)
        if end > place:
            yield Free(tuple(lines[place:end]))
        elif _HEADING.match(line):
            end = place + 1
            yield line
        elif (match := _BULLET.match(line)) is not None:
            end = place + 1
            while end < len(lines) and _continues(lines[end]):
                end += 1
            yield _bullet(match["text"] or "", tuple(lines[place:end]))
        else:
            end = place + 1
            yield Free((line,))
        place = end


class _Blocks:
    """Fences and comments over several lines, in which nothing is a heading or a bullet."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._fences = [n for n, line in enumerate(lines) if _FENCE.match(line)]
        self._closings = [n for n, line in enumerate(lines) if "-->" in line]
        # One that seems to hold bullets of ours was never closed.
        self._marked = [n for n, line in enumerate(lines) if _MARK.search(line)]

    def end(self, place: int) -> int:
        """The line after a block that opens here; the line itself when none does."""
        line = self._lines[place]
        fence = _FENCE.match(line)
        if fence is not None:
            return self._end_at(place, self._fence_end(place, fence["fence"]))
        if line.lstrip().startswith("<!--") and "-->" not in line:
            return self._end_at(place, _next(self._closings, place))
        return place

    def _fence_end(self, place: int, fence: str) -> int | None:
        for number in self._fences[bisect_right(self._fences, place) :]:
            closing = self._lines[number].strip()
            if closing.startswith(fence) and not closing.strip(fence[0]):
                return number
        return None

    def _end_at(self, place: int, closing: int | None) -> int:
        marked = _next(self._marked, place)
        if closing is None or (marked is not None and marked <= closing):
            return place
        return closing + 1


def _next(numbers: list[int], place: int) -> int | None:
    at = bisect_right(numbers, place)
    return numbers[at] if at < len(numbers) else None


def _continues(line: str) -> bool:
    """A line below a bullet that belongs to it; a bullet of ours is one of its own."""
    return _INDENTED.match(line) is not None and not _MARK.search(line)


def _bullet(first: str, lines: tuple[str, ...]) -> Bullet:
    ids = [_id(match) for match in _MARK.finditer(first)]
    mark = next((id_ for id_ in ids if id_ == GENERATED or is_id(id_)), "")
    return Bullet(tidy("\n".join([_MARK.sub(" ", first), *lines[1:]])), mark, lines)


def _id(match: re.Match[str]) -> str:
    return match["id"].lower()
