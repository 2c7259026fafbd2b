"""Whether words can be the value of a slot: the name of a person, a place, a date, a food …

A name is told by its shape and by what it is not. An English one has a capital letter or is well
known, and is no ordinary word; a Chinese one begins with a surname or a form of address, or is
written by its sound, and holds nothing that only a sentence has. The lists are data (``lexicon/``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from mnemic.language.word_file import WordFile
from mnemic.late import data_of

_shape = WordFile("mnemic.language", "lexicon/shapes.toml").pattern

_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")
_DASHES = "----"
_ENDINGS = ("ies", "es", "s", "ed", "d", "ing", "ly", "er", "est")
_SHORTENED = frozenset({"s", "re", "m", "ve", "ll", "d", "t"})
_PARTICLES = frozenset("de da di del della van von der den bin al el la le ben ibn st y e".split())
_TITLES = frozenset("mr mrs ms miss dr prof sir madam lady lord captain coach".split())
_PLACE_LEADS = frozenset(
    "a an the near outside north south east west northern southern eastern western central"
    " upstate downtown suburban rural greater inner just".split()
)


@cache
def _lexicon(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a list before the line of dashes, and those after it."""
    lines = data_of("mnemic.language").joinpath("lexicon", name).read_text("utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#"))
    split = re.compile(r"[|\n]" if "|" in text else r"\s+")
    before, _, after = text.partition(_DASHES)
    return frozenset(filter(None, split.split(before))), frozenset(filter(None, split.split(after)))


def is_ordinary(word: str) -> bool:
    """Whether an English word is one of the dictionary, whatever its ending."""
    word, _, rest = word.lower().replace("’", "'").rstrip(".").partition("'")
    common = _lexicon("common.txt")[0]
    if word in common or rest in _SHORTENED:
        return True
    stems = (word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))
    return any(
        not common.isdisjoint({stem, f"{stem}e", f"{stem}y"})
        or (stem[-1] == stem[-2] and stem[:-1] in common)
        for stem in stems
        if len(stem) > 2
    )


def is_known_name(word: str) -> bool:
    """Whether a word is a common given name, perhaps besides an ordinary word."""
    return any(word.lower() in names for names in _lexicon("names.txt"))


def is_known_place(text: str) -> bool:
    """Whether a text names a country, a province or a large city."""
    english, chinese = _lexicon("places.txt")
    if _HAN.search(text):
        return any(text.startswith(place) for place in chinese)
    folded = text.lower().replace(".", "").removeprefix("the ")
    parts = (folded, *folded.split(","), *folded.split(" and "))
    return any(name.strip() in english for name in parts)


def is_person(value: str) -> bool:
    """A name of a person."""
    if _HAN.search(value):
        return _is_chinese_person(value)
    words = [word for word in _WORD.findall(value) if word not in _PARTICLES]
    titled = bool(words) and words[0].lower().rstrip(".") in _TITLES
    words = words[titled:]
    if not words or len(words) > 5 or value[0].isdigit():
        return False
    if len(words) > 1 and is_known_name(words[0]):  # any word may be a surname: Ford, Brown
        return all(word[0].isupper() or is_known_name(word) for word in words[1:])
    if titled and len(words) == 1:
        return bool(words[0][0].isupper())
    if len(words) == 1 and is_known_place(value):
        return is_known_name(value)
    return all(map(_may_be_name, words))


def _may_be_name(word: str) -> bool:
    return is_known_name(word) or (word[0].isupper() and not is_ordinary(word))


def _is_chinese_person(value: str) -> bool:
    name = _shape("han_titled").sub("", value)
    if not name or (_shape("han_sentence").search(name) and len(name) != 1):
        return False
    if re.search("[A-Za-z]", name) or _shape("han_called").fullmatch(name):
        return len(name) <= 20
    surname = _shape("han_surname").match(name)
    if "·" in name or (2 <= len(name) <= 6 and _shape("han_sounds").fullmatch(name)):
        return surname is not None or not is_known_place(name)
    named = surname is not None and len(name) <= 4 and not is_known_place(name)
    return named and not _shape("han_no_person").search(name)


def is_nickname(value: str) -> bool:
    """What somebody wants to be called."""
    if _HAN.search(value):
        odd = _shape("han_sentence").search(value) or _shape("han_no_person").search(value)
        return len(value) <= 6 and not odd
    words = value.split()
    titled = bool(words) and words[0].lower().rstrip(".") in _TITLES
    named = value[:1].isupper() and len(words) <= 3 and not is_ordinary(words[0])
    return titled or named or is_person(value)


def is_pet(value: str) -> bool:
    """The name of an animal, which may be any word, or what it is."""
    if _HAN.search(value):
        return len(value) <= 6 and not _shape("han_pet_sentence").search(value)
    return len(value.split()) <= 3 and not _shape("pronoun").search(value)


def is_place(value: str) -> bool:
    """Somewhere to live or to come from."""
    if _shape("nowhere").fullmatch(value):
        return False
    if is_known_place(value):
        return len(value) <= 60
    if _HAN.search(value):
        return _is_chinese_place(value)
    words = _WORD.findall(value)
    named = [word for word in words if word[0].isupper()]
    if not named or _shape("pronoun").search(value):
        return False
    if words[0].islower() and words[0] not in _PLACE_LEADS:
        return False  # "up in Altadena", "at Room 222"
    return len(named) > 1 or not is_ordinary(named[0]) or any(c.isdigit() for c in value)


def _is_chinese_place(value: str) -> bool:
    if _shape("han_place_sentence").search(value) or _shape("han_no_place").search(value):
        return False
    short = len(value) <= 6 and not _shape("han_sentence").search(value)
    named = short or _shape("han_place_end").search(value) or re.search("[A-Za-z0-9]", value)
    return bool(named) and len(value) <= 20


def is_organization(value: str) -> bool:
    """Somebody's employer or school."""
    if _HAN.search(value):
        return not _shape("han_organization_sentence").search(value)
    return not _shape("pronoun").search(value) and len(value.split()) <= 8


def is_job(value: str) -> bool:
    """What somebody does for a living."""
    return not _shape("no_job").search(value) and len(value.split()) <= 14


def is_food(value: str) -> bool:
    """A diet, or food that somebody leaves out."""
    if _shape("no_food").search(value):
        return False
    if _shape("diet").search(value):
        return True
    english, chinese = _lexicon("foods.txt")
    if _HAN.search(value):
        return any(food in value for food in chinese)
    words = _shape("article").sub("", value.lower())
    food = re.search(rf"\b(?:{'|'.join(english)})\b", words)
    return food is not None and not _shape("pronoun").search(words)


def is_condition(value: str) -> bool:
    """What somebody suffers from or reacts to."""
    if _shape("joked").search(value):
        return False
    if _HAN.search(value):
        return len(value) <= 20 and not _shape("han_condition_sentence").search(value)
    return not _shape("pronoun").search(value) and len(value.split()) <= 8


def is_contact(value: str) -> bool:
    """An address of mail, a telephone number, or a handle."""
    if "@" in value:
        return value.startswith("@") or _shape("email").search(value) is not None
    if _shape("phone").fullmatch(value.strip()):
        return sum(c.isdigit() for c in value) >= 5
    return not _HAN.search(value) and _shape("handle").fullmatch(value) is not None


def is_language(value: str) -> bool:
    """A language, perhaps with how well somebody speaks it."""
    is_named = _shape("language").fullmatch(value) is not None
    return is_named and not _shape("no_language").search(value)


_CHECKS: Mapping[str, Callable[[str], bool]] = {
    "person": is_person,
    "nickname": is_nickname,
    "place": is_place,
    "organization": is_organization,
    "job": is_job,
    "date": lambda value: _shape("date").search(value) is not None,
    "quantity": lambda value: _shape("quantity").search(value) is not None,
    "contact": is_contact,
    "zone": lambda value: _shape("zone").search(value) is not None or is_place(value),
    "language": is_language,
    "food": is_food,
    "condition": is_condition,
}


def fits(type_: str, value: str) -> bool:
    """Whether a value is of a type of ``rules/slots.py``; any value is of one without a check."""
    check = _CHECKS.get(type_)
    return check is None or check(value.strip())
