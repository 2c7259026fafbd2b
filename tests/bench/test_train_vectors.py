"""Training the vectors of pieces: bags are what the embedder sums, and training finds more."""

from __future__ import annotations

import numpy as np
import pytest

from bench.banks import Bank, Item, Question
from bench.train_vectors import Recipe, piece_table, recall_at_10, train
from bench.vector_bags import BaggedBank, Bagger, Bags
from mnemic.providers.embedding import cedict, lexicon
from mnemic.providers.embedding.base import unit_vector
from mnemic.providers.embedding.glosses import GlossedEmbedder
from mnemic.providers.embedding.local import TOKENIZER, installed
from mnemic.providers.embedding.word_pieces import WordPieces


@pytest.fixture(scope="module")
def bagger() -> Bagger:
    dictionary = cedict.installed()
    assert dictionary is not None
    return Bagger(WordPieces(installed() / TOKENIZER), lexicon.opened(dictionary))


def summed(bag: dict[int, float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    weights = np.array([*bag.values()], np.float32)
    return unit_vector(weights @ piece_table()[[*bag]])


@pytest.mark.parametrize(
    "text", ["I have a dog and two cats.", "我养了一只小狗，叫 Pickle。", "的", "", "12:30 ok?"]
)
def test_a_bag_is_what_the_embedder_sums(bagger: Bagger, text: str) -> None:
    made = GlossedEmbedder(cedict.installed()).embed([text])[0]
    bag = bagger.text(text)
    assert np.allclose(summed(bag) if bag else 0.0, made, atol=1e-5)


@pytest.mark.parametrize(
    ("query", "rare", "common"), [("my dog Pickle", "pickle", "dog"), ("我的小狗", "小狗", "我的")]
)
def test_rare_words_of_a_query_count_most(
    bagger: Bagger, query: str, rare: str, common: str
) -> None:
    bag = bagger.query(query, {rare: 1, common: 90}, 100)
    near = {word: float(summed(bag) @ summed(bagger.text(word))) for word in (rare, common)}
    assert near[rare] > near[common]


def test_a_bank_is_its_passages_and_the_questions_that_something_answers(bagger: Bagger) -> None:
    items = (Item("a", "I have a dog"), Item("b", "我养了一只猫"))
    asked = (
        Question("1", "Which pets?", ("b", "a")),
        Question("2", "Who?", ()),
        Question("3", "?", ("z",)),
    )
    bank = bagger.bank(Bank("x", items, asked), "own")
    assert bank.gold.tolist() == [[True, True]]
    assert bank.items.tolist() == [0, 1]
    assert (len(bank.passages.places), len(bank.questions.places)) == (3, 2)


def bags(*pieces: int) -> Bags:
    """One piece a bag."""
    return Bags(np.array(pieces), np.ones(len(pieces), np.float32), np.arange(len(pieces) + 1))


def test_training_finds_what_shares_no_piece_and_leaves_the_rest_alone() -> None:
    many = 40
    start = np.random.default_rng(3).normal(size=(3 * many, 16)).astype(np.float32)
    # Every other item has two passages, the first of which says nothing about it.
    extra = [piece for at in range(many) for piece in ([0, at] if at % 2 else [at])]
    items = np.array([at for at in range(many) for _ in range(2 if at % 2 else 1)])
    bank = BaggedBank(
        "one", bags(*extra), items, bags(*range(many, 2 * many)), np.eye(many, dtype=np.bool_)
    )
    before = recall_at_10(start, [bank])
    table = train(start, [bank], Recipe(rate=0.1, steps=60, banks=1))
    assert recall_at_10(table, [bank]) > before + 0.4
    assert np.array_equal(table[2 * many :], start[2 * many :]), "what no bank has stays"
    held = train(start, [bank], Recipe(rate=0.1, steps=60, banks=1, hold=1e4))
    assert np.abs(held - start).max() < np.abs(table - start).max() / 2
