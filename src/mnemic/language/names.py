"""People whom a query names, as people name each other.

A full name, a first name, a surname, 小明 for 李小明, 老李 and 李老师; in any case, with or without
accents. A misspelled name is read as the known one it is nearest to. What can be several people is
all of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator

from mnemic.language.entities import pattern, words
from mnemic.patterns import defer

_MARKS = defer("[\u0300-\u036f]")
_WORD = defer("[^\\W\\d_\u3040-\u30ff\u4e00-\u9fff]+")
_LATIN = defer("[a-z]")
_HAN_NAME = defer("[\u4e00-\u9fff]{2,4}")
_ENDINGS = ("ing", "ed", "ly", "tion", "ness", "ment", "able", "ful", "less", "ous", "ive")
_QUOTES = " \t\"'“‘(（["
_SEPARATOR = "\0"
_HONORIFICS = frozenset("dr mr mrs ms prof sir".split())
_SHORTEST, _SHORTEST_LOWER = 4, 5  # letters of a word that can be a misspelled name
_LONG = 8  # letters of a name in which two may be wrong


def find_named(query: str, speakers: Iterable[str]) -> frozenset[str]:
    """Those of the speakers whom a query names."""
    rest = fold(query)
    by_name: dict[str, list[str]] = {}
    for speaker in speakers:
        by_name.setdefault(fold(speaker), []).append(speaker)
    by_name.pop("", None)
    named: set[str] = set()
    present = [name for name in by_name if name in rest]
    for name in sorted(present, key=len, reverse=True):
        if name not in words("common") or name in _find_capitals(query):
            without = _without(rest, name)
            if without != rest:
                named.add(name)
                rest = without
    listed = _SEPARATOR.join(by_name)
    parts = {word for word in _WORD.findall(rest) if word in listed}
    if parts:
        raised = _find_capitals(query)
        first_names = {word for word in parts if word not in words("common") or word in raised}
        surnames = parts & {fold(word) for word in _WORD.findall(query) if word[0].isupper()}
        for name in by_name:
            if any(word in name for word in parts):
                first, last = _ends(name)
                if first in first_names or last in surnames:
                    named.add(name)
    if not rest.isascii():
        named.update(
            name for name in by_name if _HAN_NAME.fullmatch(name) and _is_called(name, rest)
        )
    return frozenset(speaker for name in named for speaker in by_name[name])


def respell(query: str, unknown: Collection[str], names: Callable[[], Iterable[str]]) -> str:
    """A query with its misspelled names as they are spelled.

    ``unknown`` are its words, folded, that no text holds: nothing else can be a slip. A word in
    lower case has to be no ordinary one. ``names`` are read only where a word may be one.
    """
    slips = [
        match
        for match in _WORD.finditer(query)
        if fold(match.group()) in unknown and _may_be_name(query, match)
    ]
    if not slips:
        return query
    parts = set(_WORD.findall(fold(_SEPARATOR.join(names())))) - words("common")
    for match in reversed(slips):
        word = fold(match.group())
        near = [] if word in parts else _nearest(word, parts)
        if near:
            meant = " ".join(name.capitalize() for name in near)
            query = query[: match.start()] + meant + query[match.end() :]
    return query


def fold(text: str) -> str:
    """Lower case without accents."""
    folded = text.lower()
    if folded.isascii():
        return folded
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFKD", folded)))


def _find_capitals(query: str) -> frozenset[str]:
    """Words with a capital that is not the one of a sentence's beginning, folded."""
    return frozenset(
        fold(match.group())
        for match in _WORD.finditer(query)
        if match.group()[0].isupper() and not _opens(query, match.start())
    )


def _opens(text: str, place: int) -> bool:
    """Whether a sentence begins there."""
    before = text[max(0, place - 20) : place].rstrip(_QUOTES)
    return not before or before[-1] in ".!?。！？\n"


def _without(text: str, name: str) -> str:
    """The text without a name, where that stands by itself."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if _LATIN.match(text, start - 1, start) or _LATIN.match(text, end):
            start = text.find(name, start + 1)
        else:
            text = f"{text[:start]}\n{text[end:]}"
            start = text.find(name, start)
    return text


def _ends(name: str) -> tuple[str, str]:
    """The first name and the surname; empty where a name has but one word."""
    parts = [word for word in _WORD.findall(name.partition("@")[0]) if word not in _HONORIFICS]
    if not parts or parts == [name]:
        return "", ""
    last = parts[-1] if 2 <= len(parts) <= 4 and len(parts[-1]) > 2 else ""
    return (parts[0] if len(parts[0]) > 1 else ""), ("" if last in words("particles") else last)


def _is_called(name: str, text: str) -> bool:
    """Whether a Chinese full name is meant: 小明, 阿明, 小李, 老李, 李老师 for 李小明."""
    if not any(character in text for character in name):
        return False
    size = 2 if name[:2] in words("compound_surnames") and len(name) > 2 else 1
    surname, given = name[:size], name[size:]
    if size == 1 and not pattern("surname").match(surname):
        return False
    if any(short in text for short in (f"老{surname}", f"小{surname}", f"阿{given[-1]}")):
        return True
    if len(given) == 1 and f"小{given}" in text:
        return True
    place = text.find(surname)
    while place >= 0:
        if pattern("titles").match(text, place + size):
            return True
        place = text.find(surname, place + 1)
    place = text.find(given) if len(given) > 1 else -1
    return place >= 0 and (place == 0 or not pattern("surname").match(text, place - 1))


def _may_be_name(query: str, match: re.Match[str]) -> bool:
    word = match.group()
    if word[0].isupper() and not _opens(query, match.start()):
        return len(word) >= _SHORTEST
    folded = fold(word)
    ordinary = folded in words("ordinary") or folded in words("common") or folded.endswith(_ENDINGS)
    return len(word) >= _SHORTEST_LOWER and not ordinary


def _nearest(word: str, names: Iterable[str]) -> list[str]:
    """The names that differ least from a word, by a slip or two; they begin alike."""
    best: dict[str, int] = {}
    for name in names:
        if name[0] in word[:2] and word[0] in name[:2] and len(name) >= _SHORTEST - 1:
            most = 2 if min(len(name), len(word)) >= _LONG else 1
            if (
                abs(len(name) - len(word)) <= most
                and (apart := _distance(word, name, most)) <= most
            ):
                best[name] = apart
    least = min(best.values(), default=0)
    return sorted(name for name, apart in best.items() if apart == least)


def _distance(first: str, second: str, most: int) -> int:
    """Letters to add, drop, change, or swap with the next, counted up to one above ``most``."""
    while first and second and first[0] == second[0]:
        first, second = first[1:], second[1:]
    while first and second and first[-1] == second[-1]:
        first, second = first[:-1], second[:-1]
    if most == 1 and max(len(first), len(second)) > 2:
        return 2
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        earlier, before, row = before, row, [i]
        for j, other in enumerate(second, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]


def words_of(query: str) -> Iterator[str]:
    """The words of a query that are long enough to be misspelled names, folded."""
    return (fold(word) for word in _WORD.findall(query) if len(word) >= _SHORTEST)
