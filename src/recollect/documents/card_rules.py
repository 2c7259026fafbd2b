"""Identity sources as short cards, by rule: statements without markup.

Comments (also halves of them), front matter, code, pictures and placeholders leave nothing behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from recollect.language.tokens import count_tokens
from recollect.language.truncation import cut_to_tokens

Card = Literal["soul", "core", "tooling", "user"]
CARDS: tuple[Card, ...] = ("soul", "core", "tooling", "user")

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_STRAY = re.compile(r"<!--|-->")
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_CODE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,}).*?(?:^ {0,3}(?P=mark)[`~]*\s*$|\Z)", re.M | re.S)
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_TAG = re.compile(r"</?[a-zA-Z][^>\n]*>")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)、])\s+(.*)$")
_RULER = re.compile(r"^\s*(?:[-*_=]\s*){3,}$|^\s*\|?[\s:|-]+\|?\s*$")
_PLACEHOLDER = re.compile(
    r"^(?:[^:：]{0,40}[:：]\s*)?"
    r"[\[(（【<]?\s*(?:待学习|待补充|待定|待填写|未知|暂无|无"
    r"|to be learn(?:ed|t)|to be filled(?: in)?"
    r"|unknown|tbd|todo|none|n/?a|\.{3}|…)?\s*[\])）】>]?\s*[.。]?$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[。！？!?])\s*|(?<=[.;；])\s+")
_FIRM = re.compile(
    r"\b(?:must|never|always|do not|don't|only|first|before|priority)\b"
    r"|必须|禁止|不要|不得|绝不|永远|始终|一律|优先|首先|核心",
    re.IGNORECASE,
)
_TOOLS = re.compile(r"\btools?\b|\btooling\b|工具", re.IGNORECASE)


class _Line(NamedTuple):
    heading: str
    text: str
    listed: bool


def plain_markdown(text: str) -> str:
    """The text without comments, front matter, code, pictures and tags."""
    text = text.replace("\r\n", "\n").replace("\ufeff", "")
    while (plainer := _plainer(text)) != text:  # what is taken out may have hidden something
        text = plainer
    return text


def _plainer(text: str) -> str:
    text = _STRAY.sub("", _COMMENT.sub("", _CODE.sub("", _FRONT.sub("", text))))
    text = _TAG.sub("", _LINK.sub(r"\1", _PICTURE.sub("", text)))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def card_by_rules(source: str, card: Card, tokens: int) -> str:
    """The card of a source in at most ``tokens``: its firm statements first, in their order."""
    lines = [line for line in _lines(plain_markdown(source)) if _belongs(line, card)]
    statements = list(dict.fromkeys(line.text for line in lines))
    firm = {line.text for line in lines if line.listed or _FIRM.search(line.text)}
    chosen: set[str] = set()
    spent = 0
    for text in [*(t for t in statements if t in firm), *(t for t in statements if t not in firm)]:
        cost = count_tokens(f"- {text}\n")
        if spent + cost <= tokens:
            chosen.add(text)
            spent += cost
    if not chosen and statements:
        return cut_to_tokens(f"- {statements[0]}", tokens, count_tokens)
    return cut_to_tokens(
        "\n".join(f"- {text}" for text in statements if text in chosen), tokens, count_tokens
    )


def _belongs(line: _Line, card: Card) -> bool:
    about_tools = bool(_TOOLS.search(line.heading) or _TOOLS.search(line.text))
    if card == "tooling":
        return about_tools
    return card != "core" or not _TOOLS.search(line.heading)


def _lines(text: str) -> Iterator[_Line]:
    """Bullets whole, and of paragraphs the sentences."""
    heading, kind = "", ""
    pending: list[str] = []

    def flush() -> Iterator[_Line]:
        joined = _tidy(" ".join(pending))
        pending.clear()
        pieces = [joined] if kind == "bullet" else _SENTENCE.split(joined)
        for piece in map(str.strip, pieces):
            if piece and not _PLACEHOLDER.match(piece):
                yield _Line(heading, piece, kind == "bullet")

    for raw in text.split("\n"):
        title, bullet = _HEADING.match(raw), _BULLET.match(raw)
        if title or bullet or not raw.strip() or _RULER.match(raw):
            yield from flush()
            kind = ""
        if title:
            heading = title[1]
        elif bullet:
            kind = "bullet"
            pending.append(bullet[1])
        elif raw.strip() and not _RULER.match(raw):
            pending.append(raw.strip().strip("|>").strip())
    yield from flush()


def _tidy(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\*\*|__|`", "", text)).strip()
