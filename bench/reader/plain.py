"""Plain pairs of something known and a message that ends it or does not, made from words.

People who write by hand write what is hard; that "I moved to Porto" ends "I live in Lisbon" is what
they leave out. Each subject has sentences for what is known, for its end, and for what is only
about the same; the blanks are filled by chance. The end of another subject ends nothing here, nor
does that of another of the same kind: "I sold the Golf" after "I drive a Yaris".
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tomllib import loads
from typing import Any

_FILE = Path(__file__).with_name("plain.toml")
_OTHER = 0.6  # how often what ends another subject is said of this one
_BEFORE, _BEHIND = 0.2, 0.25  # how often a message says something else besides


@dataclass(frozen=True, slots=True)
class Pair:
    """What is known, what is said later, and whether that ends it."""

    known: str
    said: str
    ends: bool


@cache
def _words() -> dict[str, Any]:
    return loads(_FILE.read_text(encoding="utf-8"))


def plain_pairs(language: str, count: int, draw: random.Random) -> Iterator[Pair]:
    """So many pairs that end something, and more that do not."""
    subjects, asides = _words()[language], _words()["asides"][language]
    for _ in range(count):
        name, other = draw.sample(list(subjects), 2)
        x, y, who = _blanks(subjects[name], draw)
        known = _fill(draw.choice(subjects[name]["is"]), x, y, who)
        for said, ends in (("ends", True), ("stays", False)):
            text = _fill(draw.choice(subjects[name][said]), x, y, who)
            yield Pair(known, _put_beside(text, asides, draw), ends)
        named = [said for said in subjects[name]["ends"] if "{x}" in said and "{y}" not in said]
        if named:
            text = _fill(draw.choice(named), y, x, who)
            yield Pair(known, _put_beside(text, asides, draw), False)
        if draw.random() < _OTHER:
            text = _fill(draw.choice(subjects[other]["ends"]), *_blanks(subjects[other], draw))
            yield Pair(known, _put_beside(text, asides, draw), False)


def _blanks(subject: dict[str, list[str]], draw: random.Random) -> tuple[str, str, str]:
    x, y = draw.sample(subject["words"], 2)
    return x, y, draw.choice(subject.get("who", [""]))


def _fill(text: str, x: str, y: str, who: str) -> str:
    return text.replace("{x}", x).replace("{y}", y).replace("{who}", who)


def _put_beside(text: str, asides: Sequence[str], draw: random.Random) -> str:
    """A message as it is, or with an aside before or behind it."""
    aside, place = draw.choice(asides), draw.random()
    if place >= _BEFORE + _BEHIND:
        return text
    parts = [aside, text] if place < _BEFORE else [text, aside]
    return (". " if text.isascii() else "，").join(part.rstrip(".。") for part in parts)
