"""Small numbers as people write them: digits, Chinese numerals, English words."""

from __future__ import annotations

_DIGITS = {character: value for value, character in enumerate("〇一二三四五六七八九")}
_DIGITS |= {"零": 0, "两": 2, "俩": 2, "半": 0}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: value for value, word in enumerate(_ONES)}
_WORDS |= {word: 20 + 10 * place for place, word in enumerate(_TENS)}
_WORDS |= {"a": 1, "an": 1, "couple": 2, "fortnight": 2}
_SILENT = frozenset({"of", "the"})


def number(text: str) -> float | None:
    """The value of a numeral, or None: 15, 十五, 二〇二六, 两, 半, twenty-one."""
    text = text.strip().lower()
    if text.isdecimal():
        return int(text)
    if text == "半" or text.startswith("half"):
        return 0.5
    return _english(text) if text.isascii() else _chinese(text)


def _english(text: str) -> float | None:
    values = [_WORDS.get(word) for word in text.replace("-", " ").split() if word not in _SILENT]
    if not values or None in values:
        return None
    if values[0] == 1 and len(values) > 1:  # a couple
        values = values[1:]
    return sum(value for value in values if value is not None)


def _chinese(text: str) -> float | None:
    if not text or any(character not in _DIGITS and character not in _UNITS for character in text):
        return None
    if not any(character in _UNITS for character in text):
        if len(text) in (2, 3):  # 两三 is "two or three", not a number
            return None
        return int("".join(str(_DIGITS[character]) for character in text))
    total, digit = 0, 0
    for character in text:
        if character in _UNITS:
            total += (digit or 1) * _UNITS[character]
            digit = 0
        else:
            digit = _DIGITS[character]
    return total + digit
