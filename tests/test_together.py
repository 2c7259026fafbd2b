"""What is done to many texts at once is what is done to each of them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemic.index import batches
from mnemic.index.batches import FEW, TermTable, forget_chunks, index_many
from mnemic.index.segment import IndexTerms, index_terms, index_text
from mnemic.rules.bm25 import number_of
from mnemic.types import SafeText, constant

WORDS = (
    "the Running studies don't I'M O'Neil's fooBar HTTPServer NASA iPhone node.js user-id C++ C#"
    " foo_bar() D:\\code\\app 3.12.4 1,000,000 ops@example.com ... !? ... a. (b) \"c\", x?! ''"
    " Supercalifragilisticexpialidocious https://example.com/a/very/long/path?x=1"
).split()
plain = st.text(st.characters(max_codepoint=127), max_size=60)
spoken = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
mixed = st.text(max_size=30)
texts = st.lists(plain | spoken | mixed, min_size=FEW, max_size=3 * FEW)


def assert_indexed(said: list[str]) -> None:
    told = list(map(constant, said))
    for many, one in zip(index_many(told), map(index_terms, told), strict=True):
        assert many.terms.split() == one.terms.split()
        assert many.packed == one.packed


@pytest.mark.feature("R2")
@settings(max_examples=150, deadline=None)
@given(texts)
def test_terms(told: list[str]) -> None:
    assert_indexed(told)
    assert_indexed(told)  # once more, now that every chunk is known


@pytest.mark.feature("R2")
@settings(max_examples=50, deadline=None)
@given(st.lists(plain | spoken | mixed, max_size=9), st.randoms())
def test_tables_of_terms(told: list[str], rng: random.Random) -> None:
    places = rng.sample(range(len(told)), rng.randint(0, len(told)))
    every = [set(map(number_of, index_text(text).split())) for text in told]
    table = TermTable.of(list(map(constant, told)))
    assert list(table.weighing(0)) == every
    assert list(table.select(places).weighing(0)) == [every[place] for place in places]


@pytest.mark.feature("R2")
def test_more_chunks_than_the_table_holds() -> None:
    rng = random.Random(5)
    forget_chunks()
    for _ in range(7):
        told = [" ".join(f"w{rng.getrandbits(40):x}" for _ in range(60)) for _ in range(200)]
        assert_indexed([*told, *told])


@pytest.mark.feature("R2")
def test_chunks_that_want_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were every chunk to have the same number, each would still be spelled as itself."""
    forget_chunks()
    monkeypatch.setattr(batches, "_MULTIPLIERS", (0, 0))
    assert_indexed([f"alpha{n} beta{n} gamma{n % 7}" for n in range(2 * FEW)])
    forget_chunks()


def test_a_lot_of_text_is_taken_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    index_plain = batches._index_plain

    def count(texts: Sequence[SafeText]) -> list[IndexTerms]:
        taken.append(sum(map(len, texts)))
        return index_plain(texts)

    most = 20_000
    monkeypatch.setattr(batches, "MOST", most)
    monkeypatch.setattr(batches, "_index_plain", count)
    assert_indexed([*["x y " * 50] * 150, "y " * most, *["z " * 50] * 200])
    assert len(taken) > 2
    assert max(taken) <= most
