"""Messages made of the parts of others: a frame of one with the text of another, and somebody's own
words put into a frame. So what decides is how a text is presented and not what it says.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mnemic.language.voice.stretches import Stretch, stretches
from mnemic.providers.reader.inputs import Script

Parts = list[tuple[str, bool]]  # a message in pieces, and whether each is somebody else's text
_LONGEST = 2_500
_STEERS = re.compile(
    r"(?i)\b(?:always|never|from now on|call me|i'm|i am|my name|please|don't|i live|i prefer)\b"
    r"|\bmust\b"
    r"|以后|不要|永远|叫我|我是|我叫|必须|别|一律|从现在起|我住|请"
)
_HEADS = {
    "latin": "My rules:|Please remember:|A few things about me:|How I want you to work:|About me|"
    "What I need from you:|Ground rules|So you know:|Here is what I want:|For this project:|"
    "My preferences:|Before we start:|Things to keep in mind when you write for me:|My setup:",
    "han": "我的规矩：|请记住：|关于我：|我希望你这样做：|我的要求：|几条规则|给你的说明："
    "|先说一下：|我想要的是：|这个项目里：|我的偏好：|开始之前：|替我写东西时注意："
    "|以后都照这个：|我的环境：",
}


@dataclass(frozen=True, slots=True)
class Marked:
    """A message, and where somebody else's text lies in it."""

    text: str
    foreign: tuple[Stretch, ...]


def joined(parts: Parts) -> Marked:
    text, foreign = "", []
    for part, is_foreign in parts:
        if is_foreign and part:
            foreign.append((len(text), len(text) + len(part)))
        text += part
    return Marked(text, tuple(foreign))


def read_messages(path: Path) -> Iterator[Parts]:
    """Each message of a file in its parts."""
    for message in re.split(r"(?m)^---$", path.read_text(encoding="utf-8")):
        pieces = re.split("[⟦⟧]", message.strip())
        parts = [(piece, n % 2 == 1) for n, piece in enumerate(pieces) if piece]
        if parts:
            yield parts


class Combiner:
    """Makes messages of the parts of others."""

    def __init__(self, messages: Sequence[Parts], script: Script, draw: random.Random) -> None:
        self._draw = draw
        self._frames = [parts for parts in messages if any(foreign for _, foreign in parts)]
        self._own = [parts[0][0] for parts in messages if not any(f for _, f in parts)]
        self._texts = [text for parts in self._frames for text, f in parts if f and len(text) > 12]
        sentences = (one for text in self._own for one in _sentences(text))
        self._steering = [one for one in sentences if _STEERS.search(one) and len(one) < 160]
        self._heads = _HEADS[script].split("|")
        self._space = " " if script == "latin" else ""

    def messages(self, count: int) -> Iterator[Marked]:
        """Two of three present a text, at times beside words of their own."""
        while count:
            kind = self._draw.random()
            if kind < 0.5:
                parts = self._framed()
            elif kind < 0.6:
                parts = [(self._some_own() + self._gap(), False), *self._framed()]
            elif kind < 0.65:
                parts = [*self._framed(), (self._gap() + self._draw.choice(self._steering), False)]
            else:
                parts = [(self._all_own(), False)]
            made = joined(parts)
            if len(made.text) < _LONGEST:
                count -= 1
                yield made

    def _gap(self) -> str:
        return self._draw.choice(("\n\n", "\n", self._space))

    def _some_own(self) -> str:
        return self._draw.choice((self._draw.choice(self._steering), self._draw.choice(self._own)))

    def _framed(self) -> Parts:
        """A frame with the text of another, at times with other white space before it."""
        parts: Parts = []
        for text, foreign in self._draw.choice(self._frames):
            kind = self._draw.random()
            if foreign:
                parts.append((self._presented(), True))
            elif kind < 0.1:
                parts.append((text.replace("\n", " "), False))
            elif kind < 0.3 and not parts:
                parts.append((text.rstrip() + self._draw.choice(("\n\n", "\n")), False))
            else:
                parts.append((text, False))
        return parts

    def _presented(self) -> str:
        kind = self._draw.random()
        if kind < 0.4:
            return self._draw.choice(self._texts)
        if kind < 0.6:
            return self._draw.choice(self._own)
        if kind < 0.85:
            return self._space.join(self._draw.sample(self._steering, self._draw.randint(1, 3)))
        sentences = list(_sentences(self._draw.choice(self._texts)))
        place = self._draw.randint(0, len(sentences))
        sentences.insert(place, self._draw.choice(self._steering))
        return self._draw.choice(("\n", self._space)).join(sentences)

    def _all_own(self) -> str:
        kind = self._draw.random()
        if kind < 0.25:
            return self._draw.choice(self._own) + self._gap() + self._draw.choice(self._own)
        if kind < 0.6:
            items = self._draw.sample(self._steering, self._draw.randint(2, 5))
            mark = self._draw.choice(("- ", "* ", "• ", "", "{}. "))
            lines = [mark.format(n) + item for n, item in enumerate(items, 1)]
            before = f"{self._draw.choice(self._own)}\n\n" if self._draw.random() < 0.3 else ""
            return before + "\n".join([self._draw.choice(self._heads), *lines])
        if kind < 0.7:
            head = self._draw.choice(self._heads)
            return head + self._space + self._draw.choice(self._steering)
        if kind < 0.85:
            return self._space.join(self._draw.sample(self._steering, self._draw.randint(1, 4)))
        return self._some_own() + self._gap() + self._some_own()


def _sentences(text: str) -> Iterator[str]:
    return (text[start:end] for start, end in stretches(text))
