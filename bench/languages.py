"""The words of made-up English and Chinese, the commonest first.

Real function words and pseudo-words share one frequency law (Zipf), so that about half of the words
of a text are function words and every content word is as rare as its rank says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

_ENGLISH = """
the I to you and a it that of is in was for have my on so we be me but with not this do they at what
are just your like all know can if up or as out how about there he when one had an were get really
then no from some her she would will more did been has him by time could their them now who us our
think want go its see too here because going well over back only into where than also any other way
very much which even his after before these most should off those down every does being both each
while again through own between under same such few why
""".split()
_CHINESE = (
    "的了是我在不有你这就也都个那说和要他么去吗会好到看还没吧很人什对能来想把给她呢们上过得多自己时候"
    "可以因为所但怎样做啊又让"
)
_ENGLISH_ASKED = (
    "what did you say about {}?",
    "when did we talk about {}?",
    "do you remember the {}?",
    "which {} was it that I told you about?",
    "how was the {} again?",
    "why did I want {}?",
)
_CHINESE_ASKED = (
    "我说过的{}是什么？",
    "我们什么时候聊过{}？",
    "你还记得{}吗？",
    "关于{}，我当时怎么说的？",
    "为什么我想要{}？",
)
_CONTENT_ENGLISH = 50_000
_CONTENT_CHINESE = 20_000
_CHARACTERS = 3_000
_GROWTH = 0.6  # how much longer rare words are


@dataclass(frozen=True, slots=True)
class Language:
    """A vocabulary in order of frequency; the first ``function`` words are function words."""

    name: str
    words: tuple[str, ...]
    function: int
    joint: str  # between two words
    marks: tuple[str, str]  # inside a sentence and at its end
    usual: int  # words of a usual turn
    asked: tuple[str, ...]

    @property
    def stop(self) -> frozenset[str]:
        return frozenset(word.lower() for word in self.words[: self.function])


@cache
def english() -> Language:
    """Function words of English and pseudo-words of syllables."""
    made = _distinct(_CONTENT_ENGLISH, _english_words, set(_ENGLISH))
    words = (*_ENGLISH, *made)
    return Language("en", words, len(_ENGLISH), " ", (",", "."), 20, _ENGLISH_ASKED)


@cache
def chinese() -> Language:
    """Function characters of Chinese and pairs of its common characters."""
    made = _distinct(_CONTENT_CHINESE, _chinese_words, set(_CHINESE))
    words = (*_CHINESE, *made)
    return Language("zh", words, len(_CHINESE), "", ("，", "。"), 19, _CHINESE_ASKED)


Maker = Callable[[np.random.Generator, int], list[str]]


def _distinct(count: int, make: Maker, taken: set[str]) -> list[str]:
    """That many different words, made in rounds, longer ones later."""
    rng = np.random.default_rng(20260212)
    found: dict[str, None] = {}
    round_ = 0
    while len(found) < count:
        found.update((word, None) for word in make(rng, round_) if word not in taken)
        round_ += 1
    return list(found)[:count]


def _english_words(rng: np.random.Generator, round_: int) -> list[str]:
    heads = _english_heads()
    tails = ("", "", "n", "r", "s", "l", "t", "m", "ck", "nd")
    many = 2_000
    syllables = 2 + (rng.random(many) < _GROWTH * min(1.0, round_ / 10)).astype(int)
    picks = iter(rng.integers(0, len(heads), int(syllables.sum())).tolist())
    ends = rng.integers(0, len(tails), many).tolist()
    counts = syllables.tolist()
    return [
        "".join(heads[next(picks)] for _ in range(count)) + tails[end]
        for count, end in zip(counts, ends, strict=True)
    ]


@cache
def _english_heads() -> tuple[str, ...]:
    onsets = "b c d f g h j k l m n p r s t v w z br ch cl dr fl gr pl pr sh st th tr".split()
    return tuple(onset + vowel for onset in onsets for vowel in "a e i o u ai ea ou".split())


def _chinese_words(rng: np.random.Generator, _round: int) -> list[str]:
    characters = _common_characters()
    law = np.cumsum(1 / (np.arange(len(characters)) + 30.0))
    picks = np.searchsorted(law, rng.random((2_000, 2)) * law[-1])
    return [characters[first] + characters[second] for first, second in picks.tolist()]


@cache
def _common_characters() -> tuple[str, ...]:
    """The common characters of GB 2312, in an order that does not follow their sound."""
    known = [character for character in _level_one() if character not in _CHINESE]
    order = np.random.default_rng(2312).permutation(len(known))[:_CHARACTERS]
    return tuple(known[place] for place in order.tolist())


def _level_one() -> Iterator[str]:
    for row in range(0xB0, 0xD8):
        for cell in range(0xA1, 0xFF):
            if (row, cell) < (0xD7, 0xFA):
                yield bytes((row, cell)).decode("gb2312")


def content_words(language: Language, places: Sequence[int]) -> list[str]:
    """The content words among words given by their places, each once."""
    return list(dict.fromkeys(language.words[p] for p in places if p >= language.function))
