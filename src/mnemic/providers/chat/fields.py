"""Fields of a model's answer: clear variants of what was asked for are read, all else is refused.

Models write "0.8", "80%" or "high" for 0.8, "Fact" for "fact", "turn 1" or 1 for [1]. Each reader
gives the value in its one form, or raises WrongShape with the place and what belongs there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from mnemic.providers.chat.base import WrongShape
from mnemic.types import Json

C = TypeVar("C", bound=str)
LONGEST = 2_000  # characters of one text
_NOTHING = frozenset({"", "none", "null", "nil", "n/a", "na", "nothing", "无", "没有", "空"})
_YES = frozenset({"true", "yes", "y", "1", "是", "真", "对"})
_NO = frozenset({"false", "no", "n", "0", "否", "假", "不是"})
_SHARES: Mapping[str, float] = {
    "very low": 0.1, "low": 0.3, "medium": 0.5, "moderate": 0.5, "high": 0.8, "very high": 0.9,
    "certain": 0.95, "critical": 0.95, "很低": 0.1, "低": 0.3, "中": 0.5, "中等": 0.5, "高": 0.8,
    "很高": 0.9, "确定": 0.95,
}  # fmt: skip
_FIGURE = re.compile(r"(\d{1,3}(?:\.\d{0,15})?|\.\d{1,15})\s*(?:([%％])|/\s*(5|10|100))?")
_RANGE = re.compile(r"(\d{1,6})\s*(?:-|–|—|~|to|到|至)\s*(\d{1,6})")
_AROUND_NUMBERS = re.compile(
    r"(?:\b(?:turns?|messages?|no|and)\b|\bt(?=\d)|[\s\[\]()#.,;:，、；第轮次条和及])+",
    re.IGNORECASE,
)
_WIDEST = 200  # turns between the ends of a range


def is_nothing(value: Json) -> bool:
    """Whether a value is a word or a sign for "there is none"."""
    if value is None or (isinstance(value, list | dict) and not value):
        return True
    return isinstance(value, str) and value.strip().strip("。.!").casefold() in _NOTHING


def text_in(value: Json, place: str, most: int = LONGEST) -> str:
    """One line of text; of several, all."""
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        value = ", ".join(str(entry) for entry in value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise WrongShape(f"{place} has to be text")
    text = " ".join(value.split())
    if len(text) > most:
        raise WrongShape(f"{place} is longer than {most} characters")
    return text


def share_in(value: Json, place: str, beside: Sequence[Json] = ()) -> float | None:
    """A number from 0 to 1: also as text, as "80%" or "4/5", or as a word such as "high".

    One above 1 is out of ten or a hundred, as the largest ``beside`` it in the answer tells: where
    a fact has 8, another's 1 is little.
    """
    if is_nothing(value):
        return None
    number, scale = _figure(value)
    if number < 0:
        raise WrongShape(f"{place} has to be a number from 0 to 1")
    largest = max(
        [number, *(other for other, other_scale in map(_figure, beside) if not other_scale)]
    )
    return number / (scale or next(n for n in (1, 10, 100) if number < 1 or largest <= n))


def _figure(value: Json) -> tuple[float, int]:
    """A number and what it is out of, 0 where that is left open; -1 for what is none."""
    scale = 0
    if isinstance(value, str):
        figure = _FIGURE.fullmatch(word := value.strip().casefold())
        if figure is None:
            return _SHARES.get(word, -1.0), 1
        value, scale = float(figure[1]), 100 if figure[2] else int(figure[3] or 0)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return -1.0, 1
    return (float(value), scale) if 0 <= value <= (scale or 100) else (-1.0, 1)


def flag_in(value: Json, place: str) -> bool:
    """True or false, in a word or a figure."""
    if isinstance(value, bool):
        return value
    if is_nothing(value):
        return False
    word = str(value).strip().casefold() if isinstance(value, str | int) else ""
    if word in _YES or word in _NO:
        return word in _YES
    raise WrongShape(f"{place} has to be true or false")


def numbers_in(value: Json) -> list[int]:
    """Whole numbers of a list, a number, or text such as "turn 1", "1, 3" or "2-4"."""
    if isinstance(value, list):
        return [number for entry in value for number in numbers_in(entry)]
    if isinstance(value, bool):
        return []
    if isinstance(value, int | float):
        return [int(value)] if math.isfinite(value) and value == int(value) else []
    if not isinstance(value, str):
        return []
    span = _RANGE.search(value)
    if span is not None and int(span[1]) <= int(span[2]) <= int(span[1]) + _WIDEST:
        return list(range(int(span[1]), int(span[2]) + 1))
    words = _AROUND_NUMBERS.sub(" ", value[:200]).split()
    plain = all(word.isascii() and word.isdigit() for word in words)
    return [int(word) for word in words] if plain else []


def choice_in(
    value: Json, choices: Sequence[C], place: str, aliases: Mapping[str, C] | None = None
) -> C:
    """One of the words, whatever its case, or the one that another word stands for."""
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    word = "_".join(value.casefold().replace("-", " ").split()) if isinstance(value, str) else ""
    choice = next((choice for choice in choices if choice == word), None) or (aliases or {}).get(
        word
    )
    if choice is None:
        raise WrongShape(f"{place} has to be one of {', '.join(choices)}")
    return choice
