"""Whether what stands after the name of a secret reads as its value."""

from __future__ import annotations

import re
from typing import Literal

from mnemic.language.secrets.randomness import is_expression, is_placeholder, looked_up
from mnemic.language.secrets.words import (
    FUNCTION,
    OPENERS,
    SUBJECTS,
    TECHNICAL,
    VERBS,
    is_state,
)

# said: "the password is …"; beside: "user bob, password …"; assigned: "password: …";
# flagged: "--password …", where whatever follows is the value.
Kind = Literal["said", "beside", "assigned", "flagged"]
_MOST_WORDS = 6
_LONGEST = 64
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", "«": "»"}
_TOKEN = re.compile(r"""[^\s,;!?，。；、！？：“”‘’「」『』"`()（）<>\[\]{}\u4e00-\u9fff]{1,65}""")
_SPACES = re.compile(r"[ \t]{1,2}")
_STOPS = re.compile(
    r"[ \t]{0,4}(?:$|[\n\r,;.!?，。；、！？)）(（\"'`“”<|]|[-–—]{1,2}(?:\s|$)|[:;]-?[()DP]|/)"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_ACCEPTED_HAN = re.compile(
    r"[了哦啊呀吧哈呢，。、；]|没变|没改|不变|别|不要|记|请|帮|谢|你|登|就行|就好|这|进|和|账|用户"
)
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?$")
_CODE_BEFORE = re.compile(
    r"[({]|\b(?:def|const|let|var|return|function|private|public|if|select)\b", re.I
)


def value_end(text: str, at: int, kind: Kind, *, single: bool = False) -> tuple[int, int]:
    """The start and end of the value at this place; (0, 0) where something else stands."""
    closing = _QUOTES.get(text[at : at + 1])
    if closing:
        end = text.find(closing, at + 1, at + 2 + _LONGEST)
        if end > at + 1 and _is_quoted_value(text[at + 1 : end]):
            return at + 1, end
        return 0, 0
    tokens = _tokens(text, at)
    if not tokens:
        return 0, 0
    first_start, first_end = tokens[0]
    first = text[first_start:first_end]
    if kind == "flagged":
        good = len(first) > 2 and first.lower() not in SUBJECTS and _is_literal(first)
        good = good and not first.startswith(("-", "|", "&"))
        return (first_start, first_end) if good else (0, 0)
    if len(tokens) == 1 or single:
        return _single(text, first_start, first_end, kind)
    return _several(text, tokens, kind)


def _tokens(text: str, at: int) -> list[tuple[int, int]]:
    """The words up to the end of the clause, or to the first that is no part of a value."""
    tokens: list[tuple[int, int]] = []
    while len(tokens) <= _MOST_WORDS and (match := _TOKEN.match(text, at)):
        start, end = match.span()
        while end > start and text[end - 1] in ".:*_'’":
            end -= 1
        word = text[start:end].lower()
        if not word or len(word) > _LONGEST or word in FUNCTION or word in ("-", "–", "—"):
            break
        tokens.append((start, end))
        if end < match.end() or not (space := _SPACES.match(text, end)):
            break
        at = space.end()
    return tokens


def _single(text: str, start: int, end: int, kind: Kind) -> tuple[int, int]:
    value = text[start:end]
    word = value.lower().replace("’", "'")
    if not _could_be(word, kind) or not _is_literal(value):
        return 0, 0
    if not _ends_clause(text, end, kind):
        return 0, 0
    if kind == "assigned" and _is_code(text, start, end, value):
        return 0, 0
    return start, end


def _could_be(word: str, kind: Kind) -> bool:
    if len(word) < 3 or word in VERBS or word in TECHNICAL or "'" in word:
        return False
    if kind == "beside" and word in SUBJECTS:
        return False
    return not is_state(word) and not (kind == "said" and word in SUBJECTS)


def _is_literal(value: str) -> bool:
    return (
        any(map(str.isalpha, value))
        and not is_placeholder(value)
        and not looked_up(value)
        and value[0] not in "$<{[(%@!&?/\\~|*#"
        and "://" not in value
        and set(value.lower()) != {"x"}
    )


def _ends_clause(text: str, end: int, kind: Kind) -> bool:
    if _STOPS.match(text, end):
        return True
    rest = _SPACES.match(text, end)
    at = rest.end() if rest else end
    if _HAN.match(text, at):
        return _ACCEPTED_HAN.match(text, at) is not None
    if kind == "assigned":
        return False
    follower = _TOKEN.match(text, at)
    return bool(rest and follower) and follower.group().lower().rstrip(".:") in OPENERS  # type: ignore[union-attr]


def _is_code(text: str, start: int, end: int, value: str) -> bool:
    """A variable instead of a value, as far as the line tells."""
    if is_expression(value) or text[end : end + 1] in ("(", ")", "[", "]", "}"):
        return True
    line = text[text.rfind("\n", max(0, start - 120), start) + 1 if start else 0 : start]
    if re.search(r"[a-z][A-Z]", value) and "=" in line:
        return True
    return text[end : end + 1] in (",", ";") and _CODE_BEFORE.search(line[-120:]) is not None


def _several(text: str, tokens: list[tuple[int, int]], kind: Kind) -> tuple[int, int]:
    start, end = tokens[0][0], tokens[-1][1]
    words = [text[s:e].lower() for s, e in tokens]
    first = tokens[0]
    if words[-1] in OPENERS:
        tokens, words = tokens[:-1], words[:-1]
        end = tokens[-1][1]
    if len(tokens) == 1:
        return _single(text, *first, kind)
    if len(tokens) > _MOST_WORDS or not all(_WORD.match(text[s:e]) for s, e in tokens):
        # A value in digits and signs shows itself; only words need what stands around them.
        return 0, 0
    if any(word in SUBJECTS or word in VERBS or word in TECHNICAL or "'" in word for word in words):
        return 0, 0
    if is_state(words[-1]) or (is_state(words[0]) and len(words) > 2 and kind == "beside"):
        return 0, 0
    if kind == "beside" and len(words) > 3:
        return 0, 0
    cases = {text[s].isupper() for s, _ in tokens}
    if len(cases) > 1 or not (_STOPS.match(text, end) or _opens(text, end)):
        return 0, 0
    return start, end


def _opens(text: str, end: int) -> bool:
    rest = _SPACES.match(text, end)
    follower = _TOKEN.match(text, rest.end()) if rest else None
    return follower is not None and follower.group().lower() in (
        "so",
        "and",
        "but",
        "if",
        "when",
        "for",
    )


def _is_quoted_value(value: str) -> bool:
    """Inside quotation marks a value may be any word; a sentence is none."""
    words = value.lower().split()
    if not words or len(value) < 3 or not _is_literal(value):
        return False
    if len(words) == 1:
        return words[0] not in TECHNICAL and (words[0] not in STATES_IN_QUOTES)
    return len(words) <= _MOST_WORDS + 2 and not any(
        word in FUNCTION or word in SUBJECTS or word in TECHNICAL for word in words
    )


STATES_IN_QUOTES = frozenset(
    "required optional incorrect invalid expired missing wrong weak strong none null true false yes"
    " no n/a hidden encrypted masked".split()
)
