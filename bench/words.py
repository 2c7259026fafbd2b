"""Words of a query as the plain baselines take them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from bench.languages import chinese, english

_WORD = re.compile(r"\w+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")


def holds_han(text: str) -> bool:
    return _HAN.search(text) is not None


def plain_words(text: str) -> list[str]:
    """Runs of letters and digits, in lower case, each once."""
    return _once(_WORD.findall(text.lower()))


def trigrams(text: str) -> list[str]:
    """What FTS5's trigram tokenizer can find: longer words, and every three Han characters."""
    return _once(piece for piece in _cut(text, 3) if len(piece) >= 3)


def pairs(text: str) -> list[str]:
    """What a person would look for: words, and every two Han characters."""
    return _once(_cut(text, 2))


def _cut(text: str, width: int) -> Iterable[str]:
    for word in _WORD.findall(text.lower()):
        runs = _HAN.findall(word)
        yield from (
            run[start : start + width]
            for run in runs
            for start in range(max(1, len(run) - width + 1))
        )
        yield from _HAN.sub(" ", word).split() if runs else (word,)


def without_stop(words: list[str]) -> list[str]:
    """Words that tell something; all of them when none does."""
    kept = [word for word in words if not is_stop(word)]
    return kept or words


def is_stop(word: str) -> bool:
    """A function word, or Han characters of which one is a function character."""
    return word in english().stop or (holds_han(word) and not _function().isdisjoint(word))


def match_any(words: Iterable[str]) -> str:
    """An FTS5 query for any of the words."""
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words)


@cache
def _function() -> frozenset[str]:
    return chinese().stop


def _once(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))
