"""BM25 with figures worked out by hand."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.rules.bm25 import (
    K1,
    SHORT,
    measure_shared,
    number_of,
    pack,
    rarity,
    term_matches,
)

pytestmark = pytest.mark.feature("R2")

TEA, GREEN = number_of("tea"), number_of("green")


def score(text: str, weights: dict[int, float], length: float = SHORT) -> float:
    return float(term_matches([pack(text)], weights, length).scores[0])


def test_the_figures_are_the_usual_ones() -> None:
    assert (K1, SHORT) == (1.1, 40)


@pytest.mark.parametrize(
    ("total", "rows", "wanted"),
    [
        (10, 1, math.log(1 + 9.5 / 1.5)),
        (10, 5, math.log(2)),
        (10, 10, math.log(1 + 0.5 / 10.5)),
        (0, 0, math.log(2)),
        (5, 10, math.log(1 + 0.5 / 10.5)),  # the total is an estimate and may lag behind
    ],
)
def test_rarity(total: int, rows: int, wanted: float) -> None:
    assert rarity(total, rows) == pytest.approx(wanted)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_rarer_word_never_counts_less(total: int, rows: int) -> None:
    assert rarity(total, rows) > 0
    assert rarity(total, rows) >= rarity(total, rows + 1)


@pytest.mark.parametrize(
    ("text", "weights", "wanted"),
    [
        # 2.1 x n / (n + 1.1 x 40 / 40) x weight
        ("tea", {TEA: 1.0}, 2.1 * 1 / 2.1),
        ("tea tea", {TEA: 1.0}, 2.1 * 2 / 3.1),
        ("green tea", {TEA: 2.0, GREEN: 0.5}, 2.0 + 0.5),
        ("green tea tea", {TEA: 2.0, GREEN: 0.5}, 2.1 * 2 / 3.1 * 2 + 0.5),
        ("coffee", {TEA: 1.0}, 0.0),
        ("", {TEA: 1.0}, 0.0),
    ],
)
def test_a_short_text(text: str, weights: dict[int, float], wanted: float) -> None:
    assert score(text, weights) == pytest.approx(wanted)


def test_short_texts_count_as_equally_long() -> None:
    assert score("tea", {TEA: 1.0}) == score("tea" + " x" * 39, {TEA: 1.0})
    # 80 terms where 40 are usual: 2.1 / (1 + 1.1 x 2)
    assert score("tea" + " x" * 79, {TEA: 1.0}) == pytest.approx(2.1 / 3.2)
    # ... and where 80 are usual
    assert score("tea" + " x" * 79, {TEA: 1.0}, 80) == pytest.approx(1.0)
    assert score("tea", {TEA: 1.0}, 80) == pytest.approx(2.1 / 1.55)


def test_a_long_text_is_as_good_as_its_best_passage() -> None:
    padding = " ".join(["x"] * 300)
    together = score(f"{padding} green tea {padding}", {TEA: 1.0, GREEN: 1.0})
    apart = score(f"green {padding} tea {padding}", {TEA: 1.0, GREEN: 1.0})
    # A passage has 120 terms: 2.1 / (1 + 1.1 x 3) for each word.
    assert together == pytest.approx(2 * 2.1 / 4.3)
    assert apart == pytest.approx(2.1 / 4.3)


@pytest.mark.parametrize("place", [0, 1, 59, 60, 119, 120, 150, 179, 181, 299, 300])
def test_a_word_is_found_wherever_it_stands(place: int) -> None:
    words = ["x"] * 301
    words[place] = "tea"
    assert score(" ".join(words), {TEA: 1.0}) > 0


def test_several_texts_at_once_are_scored_like_each_alone() -> None:
    texts = ["tea", "green tea", "", "x " * 500 + "tea", "coffee", "tea " * 200]
    weights = {TEA: 1.5, GREEN: 0.7}
    together = term_matches([pack(text) for text in texts], weights, 55.0).scores
    assert together.tolist() == pytest.approx([score(text, weights, 55.0) for text in texts])


def test_nothing_to_score() -> None:
    assert term_matches([], {TEA: 1.0}, 40).scores.tolist() == []
    assert term_matches([pack("tea")], {}, 40).scores.tolist() == [0.0]


@given(st.lists(st.sampled_from(["tea", "green", "x", "茶"]), max_size=60), st.integers(1, 500))
def test_a_score_is_bounded_by_the_weights(words: list[str], length: int) -> None:
    found = score(" ".join(words), {TEA: 1.0, GREEN: 2.0}, float(length))
    assert 0 <= found < (K1 + 1) * 3
    more = score(" ".join([*words[:39], "tea"]), {TEA: 1.0, GREEN: 2.0}, float(length))
    assert more >= score(" ".join(words[:39]), {TEA: 1.0, GREEN: 2.0}, float(length))


def test_numbers_are_the_same_in_every_process() -> None:
    words = "tea 绿茶 \ud800 node.js"
    code = f"from mnemic.rules.bm25 import pack; print(pack({words!r}).hex())"
    said = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    assert said.stdout.strip() == pack(words).hex()
    assert len(pack(words)) == 16


def test_of_the_forms_of_a_word_the_best_counts() -> None:
    bought, weights = number_of("bought"), {TEA: 1.0, GREEN: 3.0}
    weights[bought] = 2.0
    form_of = {bought: GREEN}
    texts = [pack(text) for text in ("green", "bought", "green bought", "tea bought", "tea")]
    plain = term_matches(texts, weights, SHORT).scores
    joined = term_matches(texts, weights, SHORT, form_of).scores
    assert joined.tolist() == pytest.approx([plain[0], plain[1], plain[0], plain[3], plain[4]])
    assert plain[2] == pytest.approx(plain[0] + plain[1])
    absent = term_matches(
        texts, {TEA: 1.0, bought: 2.0}, SHORT, form_of
    ).scores  # no text has the word itself
    assert absent.tolist() == pytest.approx([0, plain[1], plain[1], plain[3], plain[4]])


WORDS = st.lists(st.sampled_from([f"w{n}" for n in range(30)]), max_size=400)


@given(st.lists(WORDS, min_size=1, max_size=8))
def test_many_texts_at_once_have_the_terms_each_has_alone(texts: list[list[str]]) -> None:
    packed = [pack(" ".join(words)) for words in texts]
    weights = {number_of("w1"): 2.0, number_of("w2"): 1.0, number_of("w3"): 0.5}
    together = term_matches(packed, weights, 60.0, {number_of("w3"): number_of("w2")})
    for n, one in enumerate(packed):
        alone = term_matches([one], weights, 60.0, {number_of("w3"): number_of("w2")})
        assert together.scores[n] == pytest.approx(alone.scores[0])
        assert together.present[n].tolist() == alone.present[0].tolist()


def test_what_texts_share_with_the_best() -> None:
    texts = ["my phone oppo", "oppo battery lasts", "my bus was late", "pears and bread"]
    share, rarest = measure_shared([pack(text) for text in texts], [0], [number_of("phone")])
    half = math.log(4 / 2) / math.log(4)  # a term of two of the four
    assert rarest.tolist() == pytest.approx([0.0, half, half, 0.0])
    assert share.tolist() == pytest.approx([0.0, 0.5, 0.5, 0.0])


def test_a_term_that_two_of_the_best_have_counts_for_both() -> None:
    packed = [pack("oppo oppo"), pack("oppo night"), pack("rain")]
    share, rarest = measure_shared(packed, [0, 1], [])
    weight = math.log(3 / 2) / math.log(3)
    assert rarest.tolist() == pytest.approx([weight, weight, 0.0])
    assert share.tolist() == pytest.approx([weight, weight, 0.0])


def test_nothing_to_share() -> None:
    share, rarest = measure_shared([b"", pack("tea")], [0], [])
    assert share.tolist() == rarest.tolist() == [0.0, 0.0]
