"""Structural delimiters: tags of any name, fenced code, triple quotes, comments, BBCode; and
quotation marks in somebody's own talk, where a word or a name stays theirs and a text does not.

One pass over the tokens of the whole message. What is opened and never closed reaches to the end;
what is closed and was never opened began before the message, or after the last block of its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mnemic.language.voice.blocks import Block, MessageLayout, Reason
from mnemic.language.voice.words import pattern
from mnemic.patterns import defer

_STOPS = tuple("。.!?！？")
_FEW_WORDS, _SHORT, _SHORT_HAN = 4, 32, 10
_TOKEN = defer(
    r"(?m)(?P<fence>`{3,}+)|(?P<tilde>^[ \t]*+~{3,}+)|"
    r"(?P<triple>\"{3,}+|'{3,}+|“{3,}+|”{3,}+|＂{3,}+)"
    r"|(?P<comment><!--)|(?P<uncomment>-->)"
    r"|(?P<tag>(?:(?<![\w<])<|</)(?P<name>[A-Za-z_\u4e00-\u9fff][\w:.-]*+)(?P<more>\s[^<>]*+|/)?>)"
    r"|(?P<bb>\[/?(?P<bbname>[A-Za-z]{2,20})(?:=[^\]\n]{0,200})?\])"
)
_ENDING = r"^[ \t]*+(?:[-=*_~—–─═━#＝－]{3,}+|[\[【]?(?:END|End|end|结束)\b)[^\n]*+$"
_DELIMITER = defer(rf"{_TOKEN.pattern}|{_ENDING}")
# Marks of emphasis in somebody's own words, and what hosts put around these.
_PLAIN = frozenset("b i u s em strong mark small sub sup kbd br hr del ins wbr font".split())
_OWN = re.compile(
    r"(?:user|human|customer)[_:.-]?(?:query|message|input|request|prompt|question|text|turn|said)",
    re.I,
)
_LITERAL: dict[str, Reason] = {
    "fence": "code", "tilde": "code", "triple": "quotation", "comment": "tag",
}  # fmt: skip
_PAIRS = {"“": "”", "”": "“"}


def last_delimiter(text: str, start: int) -> int | None:
    """Where the last delimiter at or after ``start`` begins: a token, a ruler, or a line that ends
    something.
    """
    last = None
    for match in _DELIMITER.finditer(text, start):
        last = match.start()
    return last


def find_delimited(text: str) -> Iterator[Block]:
    """Blocks between delimiters, in any order."""
    return _Reader(text).blocks()


class _Reader:
    """One pass: a literal block hides what is in it; tags nest."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: dict[str, list[tuple[int, bool]]] = {}
        self._closed: dict[str, int] = {}
        self._literal: tuple[str, str, int] | None = None

    def blocks(self) -> Iterator[Block]:
        for token in _TOKEN.finditer(self._text):
            kind = token.lastgroup or ""
            if self._literal is not None:
                if self._closes_literal(token, kind):
                    opener, _, start = self._literal
                    yield Block(start, token.end(), _LITERAL[opener])
                    self._literal = None
            elif kind in _LITERAL:
                self._literal = (kind, token.group().strip(), token.start())
            elif kind == "tag":
                yield from self._tag(token)
            elif kind == "bb":
                yield from self._bracket(token)
        yield from self._close_rest()

    def _closes_literal(self, token: re.Match[str], kind: str) -> bool:
        assert self._literal is not None
        opener, mark, _ = self._literal
        if opener == "comment":
            return kind == "uncomment"
        if kind != opener:
            return False
        delimiter = token.group().strip()
        least = 3 if opener == "triple" else len(mark)
        return delimiter[0] in (mark[0], _PAIRS.get(mark[0])) and len(delimiter) >= least

    def _tag(self, token: re.Match[str]) -> Iterator[Block]:
        name = token["name"].lower()
        if name in _PLAIN or _OWN.fullmatch(name) or token.group().endswith("/>"):
            return
        if token.group().startswith("</"):
            yield self._close(f"<{name}", token)
            return
        before = self._text[max(0, token.start() - 200) : token.start()]
        at_start = not before.rpartition("\n")[2].strip()
        is_block = at_start or token["more"] is not None
        self._open.setdefault(f"<{name}", []).append((token.start(), is_block))

    def _bracket(self, token: re.Match[str]) -> Iterator[Block]:
        name = f"[{token['bbname'].lower()}"
        if token.group().startswith("[/"):
            yield self._close(name, token)
        else:
            self._open.setdefault(name, []).append((token.start(), False))

    def _close(self, name: str, token: re.Match[str]) -> Block:
        opened = self._open.get(name)
        start = opened.pop()[0] if opened else self._closed.get(name, 0)
        if not opened:
            self._closed[name] = token.end()
        return Block(start, token.end(), "tag")

    def _close_rest(self) -> Iterator[Block]:
        end = len(self._text)
        if self._literal is not None:
            opener, _, start = self._literal
            yield Block(start, end, _LITERAL[opener])
        for opened in self._open.values():
            blocks = [at for at, is_block in opened if is_block]
            if blocks:
                yield Block(blocks[0], end, "tag")


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
    longest = _SHORT if inner.isascii() else _SHORT_HAN
    short = len(inner.split()) <= _FEW_WORDS and len(inner) <= longest
    return short and not pattern("quotation_spoken").search(inner) and not inner.endswith(_STOPS)
