"""Conversations to measure on: the same ones every time, made in blocks as they are needed.

Each block of turns comes from a seed of its own, so the ten thousandth question needs no memory of
the million turns before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bench.languages import Language, chinese, content_words, english
from mnemic.types import NewTurn

Tongue = Literal["en", "zh", "mixed"]
TONGUES: tuple[Tongue, ...] = ("en", "zh", "mixed")

BLOCK = 1_000
_SESSIONS = 20  # of a block
_SPREAD = 0.8  # of the logarithm of a turn's length
_SHORTEST, _LONGEST = 3, 400
_COMMA, _STOP = 0.06, 0.10  # how often a word ends a clause, a sentence
_START = datetime(2024, 1, 1, tzinfo=UTC)
_PACE = timedelta(seconds=40)


@dataclass(frozen=True, slots=True)
class Question:
    """A query; ``target`` is the number of the turn it is aimed at, if it is aimed at one."""

    text: str
    target: int | None = None


class Corpus(Protocol):
    """Turns by number and questions about them."""

    @property
    def tongue(self) -> Tongue: ...
    def texts(self, first: int, count: int) -> list[str]: ...
    def turns(self, first: int, count: int) -> list[NewTurn]: ...
    def questions(self, among: int, count: int, seed: int) -> list[Question]: ...


def turn(number: int, session: int, text: str) -> NewTurn:
    """A turn as it would come from a chat."""
    return NewTurn(
        session=f"session-{session}",
        role="assistant" if number % 2 else "user",
        text=text,
        at=_START + number * _PACE,
    )


class Synthetic:
    """Made-up conversations with the word frequencies and lengths of real ones."""

    def __init__(self, tongue: Tongue, seed: int = 1) -> None:
        self._tongue = tongue
        self._seed = seed
        self._block = lru_cache(maxsize=4)(self._make_block)
        made = {"en": (english,), "zh": (chinese,), "mixed": (english, chinese)}[tongue]
        self._voices = [_Voice(language()) for language in made]

    @property
    def tongue(self) -> Tongue:
        return self._tongue

    def texts(self, first: int, count: int) -> list[str]:
        return [text for block, a, b in _pieces(first, count) for text in self._block(block)[a:b]]

    def turns(self, first: int, count: int) -> list[NewTurn]:
        made: list[NewTurn] = []
        for block, a, b in _pieces(first, count):
            sessions = self._sessions(block)
            texts = self._block(block)
            made += [turn(block * BLOCK + n, sessions[n], texts[n]) for n in range(a, b)]
        return made

    def questions(self, among: int, count: int, seed: int = 0) -> list[Question]:
        """Questions about turns with enough to ask for, in 3 to 6 of their content words."""
        rng = self._rng(2, seed, among)
        asked: list[Question] = []
        while len(asked) < count:
            for number in rng.integers(0, among, count).tolist():
                voice, places = self._voice_and_words(number)
                known = content_words(voice.language, places)
                if len(known) < 3:
                    continue
                some = rng.permutation(len(known))[: int(rng.integers(3, 7))]
                words = [known[place] for place in sorted(some.tolist())]
                form = voice.language.asked[int(rng.integers(0, len(voice.language.asked)))]
                asked.append(Question(form.format(voice.language.joint.join(words)), number))
        return asked[:count]

    def _rng(self, *path: int) -> np.random.Generator:
        return np.random.default_rng((self._seed, TONGUES.index(self._tongue), *path))

    def _sessions(self, block: int) -> list[int]:
        """The session of each turn of a block: about fifty turns each, some much longer."""
        cuts = np.sort(self._rng(1, block).integers(1, BLOCK, _SESSIONS - 1))
        numbers = np.searchsorted(cuts, np.arange(BLOCK), side="right") + block * _SESSIONS
        sessions: list[int] = numbers.tolist()
        return sessions

    def _make_block(self, block: int) -> list[str]:
        parts = self._parts(block)
        spoken = [
            iter(voice.speak(self._rng(0, block, n), parts.count(n)).texts)
            for n, voice in enumerate(self._voices)
        ]
        return [next(spoken[voice]) for voice in parts]

    def _parts(self, block: int) -> list[int]:
        """Which voice says each turn of a block."""
        drawn: list[int] = self._rng(3, block).integers(0, len(self._voices), BLOCK).tolist()
        return drawn

    def _voice_and_words(self, number: int) -> tuple[_Voice, list[int]]:
        block, place = divmod(number, BLOCK)
        parts = self._parts(block)
        who = parts[place]
        nth = parts[:place].count(who)
        spoken = self._voices[who].speak(self._rng(0, block, who), parts.count(who), texts=False)
        words: list[int] = spoken.words[spoken.bounds[nth] : spoken.bounds[nth + 1]].tolist()
        return self._voices[who], words


@dataclass(frozen=True, slots=True)
class _Spoken:
    words: NDArray[np.int64]
    bounds: NDArray[np.int64]
    texts: list[str]


class _Voice:
    """Speaks blocks of one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        # One law from the commonest function word to the rarest content word.
        self._law = np.cumsum(1 / np.arange(1.0, len(language.words) + 1))

    @cached_property
    def _forms(self) -> NDArray[Any]:
        """Each word plain, before a comma and before a full stop, and these with a capital."""
        words = self.language.words
        rows = [[word + mark for word in words] for mark in ("", *self.language.marks)]
        forms = [*rows, *([word.capitalize() for word in row] for row in rows)]
        return np.array(forms, dtype=object)

    def speak(self, rng: np.random.Generator, turns: int, *, texts: bool = True) -> _Spoken:
        drawn = self.language.usual * np.exp(_SPREAD * rng.standard_normal(turns))
        lengths = np.clip(np.rint(drawn), _SHORTEST, _LONGEST).astype(np.int64)
        bounds = np.concatenate(([0], np.cumsum(lengths)))
        total = int(bounds[-1])
        words = np.searchsorted(self._law, rng.random(total) * self._law[-1])
        if not texts:
            return _Spoken(words, bounds, [])
        chance = rng.random(total)
        marks = (chance < _COMMA + _STOP).astype(np.int64) + (chance < _STOP)
        marks[bounds[1:] - 1] = 2  # a turn ends its sentence
        capital = np.concatenate(([True], marks[:-1] == 2))
        said = self._forms[marks + 3 * capital, words].tolist()
        joint, ends = self.language.joint, bounds.tolist()
        return _Spoken(
            words,
            bounds,
            [joint.join(said[a:b]) for a, b in pairwise(ends)],
        )


def _pieces(first: int, count: int) -> Iterator[tuple[int, int, int]]:
    """The blocks that hold a range of turns, each with the part of it that is wanted."""
    while count > 0:
        block, start = divmod(first, BLOCK)
        end = min(BLOCK, start + count)
        yield block, start, end
        first, count = first + end - start, count - (end - start)
