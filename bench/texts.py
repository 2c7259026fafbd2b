"""Texts and questions of bank files as a corpus, drawn again and again until there are enough."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.banks import find_files, read_banks
from bench.corpus import Question, Tongue, turn
from bench.words import holds_han
from mnemic.errors import NotFound
from mnemic.types import NewTurn

_SESSION = 50


class Sampled:
    """Real texts in one tongue; ``mixed`` takes them all."""

    def __init__(self, folder: Path, tongue: Tongue) -> None:
        self._tongue = tongue
        texts: dict[str, None] = {}
        queries: dict[str, None] = {}
        for path in find_files([folder]):
            for bank in read_banks(path):
                texts.update((item.text, None) for item in bank.items if self._takes(item.text))
                queries.update((q.query, None) for q in bank.questions if self._takes(q.query))
        if not texts or not queries:
            raise NotFound(
                f"{folder} holds no texts and questions in {tongue!r}",
                remedy="Choose other --languages, or leave --texts out",
            )
        self._texts = list(texts)
        self._queries = list(queries)
        self._orders: dict[int, list[int]] = {}

    @property
    def tongue(self) -> Tongue:
        return self._tongue

    def texts(self, first: int, count: int) -> list[str]:
        size = len(self._texts)
        # Whole rounds through all texts, each in an order of its own.
        return [self._texts[self._order(n // size)[n % size]] for n in range(first, first + count)]

    def turns(self, first: int, count: int) -> list[NewTurn]:
        return [
            turn(number, number // _SESSION, text)
            for number, text in enumerate(self.texts(first, count), first)
        ]

    def questions(self, among: int, count: int, seed: int = 0) -> list[Question]:
        drawn = np.random.default_rng((seed, among)).integers(0, len(self._queries), count)
        return [Question(self._queries[number]) for number in drawn.tolist()]

    def _takes(self, text: str) -> bool:
        return self._tongue == "mixed" or holds_han(text) == (self._tongue == "zh")

    def _order(self, round_: int) -> list[int]:
        if round_ not in self._orders:
            self._orders = {round_: _shuffled(len(self._texts), round_)}
        return self._orders[round_]


def _shuffled(size: int, seed: int) -> list[int]:
    order: list[int] = np.random.default_rng(seed).permutation(size).tolist()
    return order
