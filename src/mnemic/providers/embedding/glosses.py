"""Chinese for the local embedder: a Chinese word has the vector of what it means in English.

The pieces of WordLlama know Han characters only one by one. A dictionary says what the words mean,
which puts Chinese and English texts into one space. Texts without Han characters have the vectors
of the local embedder, to the bit.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from mnemic.errors import ModelUnavailable
from mnemic.locks import ForkSafeLock
from mnemic.providers.embedding import cedict, lexicon
from mnemic.providers.embedding.base import Vector, Vectors, unit_vector
from mnemic.providers.embedding.lexicon import Lexicon
from mnemic.providers.embedding.local import LocalEmbedder, PieceVectors

MARK = "+cedict-"  # in the name, before the edition of the dictionary

_HAN = re.compile(f"[{cedict.HAN}]")
_TOKEN = re.compile(rf"[{cedict.HAN}]+|[^\W_{cedict.HAN}]+")
_FADING = 0.5  # what a sense counts beside the one before it
_OTHER_SCRIPT = 0.5  # what a word of another script counts in a text with Han
_STOP_CHARACTERS = frozenset(
    "的了是在我你他她它们这那哪什么怎吗呢吧啊呀哦嗯和与或也都就还又很个有没不到过着得地把被给对从为以及其之而但如果"
)
_MEMO_LIMIT = 20_000  # vectors of words: 20 MB
_MEMO_WORD = 40
_SLICE = 4096  # words summed at a time: 4 MB, whatever the length of the text


class GlossedEmbedder(LocalEmbedder):
    """The local embedder with a dictionary, which is opened when a text has Han characters.

    Where the dictionary turns out to be unreadable this says so once, and from then on is the
    local embedder without it, under that one's name.
    """

    def __init__(
        self, source: cedict.DictionaryFile | None, *, name: str = "", folder: Path | None = None
    ) -> None:
        """Without ``source``, for questions to vectors made before under ``name``: no Chinese."""
        super().__init__(folder)
        self.name = f"{LocalEmbedder.name}{MARK}{source.edition}" if source else name
        self.reads_han = source is not None
        self._source = source
        self._words: _WordVectors | None = None
        self._opening = ForkSafeLock()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        chinese = [at for at, text in enumerate(texts) if _HAN.search(text)]
        words = self._opened() if chinese else None
        if words is None:
            return super().embed(texts)
        others = list(texts)
        for at in chinese:
            others[at] = ""
        rows = super().embed(others)
        for at in chinese:
            rows[at] = unit_vector(words.of_text(texts[at]))
        return rows

    def embed_words(self, words: Sequence[tuple[str, float]]) -> Vector:
        meant = self._opened() if _HAN.search("".join(word for word, _ in words)) else None
        return super().embed_words(words) if meant is None else unit_vector(meant.of_words(words))

    def words(self, text: str) -> list[str]:
        """The words of a text, those of the dictionary where they are written without spaces."""
        words = self._opened()
        return [] if words is None else list(words.cut(text))

    def forget(self) -> None:
        super().forget()
        if self._words is not None:
            self._words.forget()

    def _opened(self) -> _WordVectors | None:
        if self._words is None and self.reads_han:
            with self._opening:
                self._words = self._open()
        return self._words

    def _open(self) -> _WordVectors | None:
        if self._words is not None or self._source is None:  # by another thread, meanwhile
            return self._words
        table = self._loaded()
        try:
            return _WordVectors(table, lexicon.opened(self._source))
        except (OSError, EOFError, ValueError, zlib.error) as error:
            self._source, self.reads_han, self.name = None, False, LocalEmbedder.name
            raise ModelUnavailable(
                "The Chinese dictionary cannot be read; words alone answer in Chinese",
                remedy='pip install --force-reinstall "mnemic[local]"',
            ) from error


class _WordVectors:
    """Sums over the words of texts. Safe to use from several threads."""

    def __init__(self, table: PieceVectors, words: Lexicon) -> None:
        self._table = table
        self._lexicon = words
        self._memo: dict[str, Vector] = {}

    def forget(self) -> None:
        self._memo.clear()

    def cut(self, text: str) -> Iterator[str]:
        """The words of a text."""
        return cut(text, self._lexicon)

    def of_text(self, text: str) -> Vector:
        """Without common words; with them if there are no others, and by its pieces at last."""
        total = self._sum((word, 1.0) for word in self.cut(text) if not is_common(word))
        if not total.any():
            total = self._sum((word, 1.0) for word in self.cut(text))
        return total if total.any() else self._table.of_text(text)

    def of_words(self, words: Sequence[tuple[str, float]]) -> Vector:
        return self._sum((part, weight) for word, weight in words for part in self.cut(word))

    def _sum(self, words: Iterator[tuple[str, float]]) -> Vector:
        total = np.zeros(self._table.dimensions, dtype=np.float32)
        while part := list(islice(words, _SLICE)):
            rows = np.concatenate([self._vector(word) for word, _ in part])
            weights = np.array([weight for _, weight in part], dtype=np.float32)
            total += weights @ rows.reshape(len(part), -1)
        return total

    def _vector(self, word: str) -> Vector:
        vector = self._memo.get(word)
        if vector is None:
            vector = self._new_vector(word)
            if len(word) <= _MEMO_WORD:
                if len(self._memo) >= _MEMO_LIMIT:
                    self._memo.clear()
                self._memo[word] = vector
        return vector

    def _new_vector(self, word: str) -> Vector:
        return self._table.of_words(meaning(word, self._lexicon))


def has_han(text: str) -> bool:
    return bool(_HAN.search(text))


def cut(text: str, words: Lexicon) -> Iterator[str]:
    """The words of a text, those of the dictionary where they are written without spaces."""
    for match in _TOKEN.finditer(text):
        run = match.group()
        if _HAN.match(run):
            yield from words.cut(run)
        else:
            yield run


def meaning(word: str, words: Lexicon) -> list[tuple[str, float]]:
    """What to sum for a word: the mean of its first senses, the first ones most.

    Nothing for a word of the dictionary without any.
    """
    if not _HAN.match(word):
        return [(word, _OTHER_SCRIPT)]
    gloss = words.gloss(word)
    if gloss is None:
        return [(word, 1.0)]
    senses = gloss.split(cedict.BETWEEN_SENSES)
    shares = [_FADING**at for at in range(len(senses))]
    return [
        (english, share / sum(shares))
        for sense, share in zip(senses, shares, strict=True)
        for english in sense.split()
    ]


def is_common(word: str) -> bool:
    return len(word) < 3 and _STOP_CHARACTERS.issuperset(word)
