"""Texts and queries as the local embedder sums them: bags of pieces with weights.

A vector is the bag times the table of pieces, made one long. That is what can be trained.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.banks import Bank
from mnemic.index.segment import has_dense_script, index_text, term_weight
from mnemic.language.passages import passages
from mnemic.providers.embedding import glosses
from mnemic.providers.embedding.lexicon import Lexicon
from mnemic.providers.embedding.word_pieces import WordPieces
from mnemic.recall.vectors import WORD, word_weights
from mnemic.rules.bm25 import number_of, rarity

Weighed = Iterable[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Bags:
    """Many bags in three arrays: bag ``n`` is what lies between places ``n`` and ``n + 1``."""

    pieces: NDArray[np.intp]
    weights: NDArray[np.float32]
    places: NDArray[np.intp]

    def part(self, numbers: NDArray[np.intp]) -> Bags:
        """Some of the bags."""
        lengths = self.places[numbers + 1] - self.places[numbers]
        places = np.concatenate(([0], np.cumsum(lengths)))
        at = np.arange(places[-1]) + np.repeat(self.places[numbers] - places[:-1], lengths)
        return Bags(self.pieces[at], self.weights[at], places)


@dataclass(frozen=True, slots=True)
class BaggedBank:
    """The passages of a bank's items and its questions.

    ``items``: the item of each passage; ``gold``: for each question, which items answer it.
    """

    source: str
    passages: Bags
    items: NDArray[np.intp]
    questions: Bags
    gold: NDArray[np.bool_]


class Bagger:
    """Makes bags of texts."""

    def __init__(self, pieces: WordPieces, words: Lexicon) -> None:
        self._pieces = pieces
        self._lexicon = words

    def bank(self, bank: Bank, source: str) -> BaggedBank:
        """Questions that nothing answers are left out."""
        terms = Counter(term for item in bank.items for term in set(index_text(item.text).split()))
        place = {item.id: at for at, item in enumerate(bank.items)}
        parts = [(at, part) for at, item in enumerate(bank.items) for part in passages(item.text)]
        asked = [one for one in bank.questions if any(id_ in place for id_ in one.gold)]
        gold = np.zeros((len(asked), len(bank.items)), np.bool_)
        for row, one in enumerate(asked):
            gold[row, [place[id_] for id_ in one.gold if id_ in place]] = True
        return BaggedBank(
            source,
            _joined([self.text(part) for _, part in parts]),
            np.array([at for at, _ in parts], np.intp),
            _joined([self.query(one.query, terms, len(bank.items)) for one in asked]),
            gold,
        )

    def text(self, text: str) -> dict[int, float]:
        """A text, whose words all count the same."""
        if glosses.has_han(text):
            words = list(glosses.cut(text, self._lexicon))
            telling = [word for word in words if not glosses.is_common(word)]
            for chosen in (telling, words):
                if bag := self._words((word, 1.0) for word in chosen):
                    return bag
        return dict(Counter(self._pieces.of(text))) if text.strip() else {}

    def query(self, query: str, terms: Mapping[str, int], texts: int) -> dict[int, float]:
        """A query, whose words count by how rare they are among these texts."""
        weights = {
            number_of(term): term_weight(term) * rarity(texts, terms[term])
            for term in index_text(query).split()
            if terms.get(term)
        }
        if has_dense_script(query):
            return self._words(word_weights([*glosses.cut(query, self._lexicon)], weights))
        return self._sum(word_weights(WORD.findall(query), weights))

    def _words(self, words: Weighed) -> dict[int, float]:
        return self._sum(
            (english, share * weight)
            for word, weight in words
            for english, share in glosses.meaning(word, self._lexicon)
        )

    def _sum(self, words: Weighed) -> dict[int, float]:
        bag: dict[int, float] = {}
        for word, weight in words:
            for piece in self._pieces.of_word(word) if weight else ():
                bag[piece] = bag.get(piece, 0.0) + weight
        return bag


def _joined(bags: Sequence[Mapping[int, float]]) -> Bags:
    return Bags(
        np.array([piece for bag in bags for piece in bag], np.intp),
        np.array([weight for bag in bags for weight in bag.values()], np.float32),
        np.cumsum([0, *map(len, bags)]),
    )
