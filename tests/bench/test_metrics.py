"""Scores by hand."""

from __future__ import annotations

from math import log2

import pytest

from bench.metrics import CUTS, mean, means, score
from bench.timing import Timed, percentile, side_by_side


def test_a_ranked_list_by_hand() -> None:
    told = score(["x", "a", "x", "b"], ["a", "b", "c"], ["x", "a"])
    assert told["recall@1"] == 0
    assert told["recall@5"] == pytest.approx(2 / 3)
    assert (told["hit@1"], told["hit@5"], told["all@20"]) == (0, 1, 0)
    assert told["mrr"] == 0.5
    best = 1 + 1 / log2(3) + 1 / 2
    assert told["ndcg@10"] == pytest.approx((1 / log2(3) + 1 / 2) / best)
    assert told["stale@10"] == pytest.approx(1 / 3)  # "a" is wanted, so it is not stale


def test_nothing_found_and_everything_found() -> None:
    nothing = score([], ["a"])
    assert set(nothing.values()) == {0.0}
    assert "stale@10" not in nothing
    everything = score(["a", "b"], ["b", "a"])
    assert everything["ndcg@10"] == pytest.approx(1)
    assert everything["all@5"] == 1


def test_gold_beyond_a_cut_counts_at_the_next_one() -> None:
    ranked = [str(n) for n in range(30)]
    told = score(ranked, ["4", "9", "19", "25"])
    assert [told[f"recall@{k}"] for k in CUTS] == [0, 0.25, 0.5, 0.75]


def test_intervals_hold_the_mean_and_shrink_with_more_questions() -> None:
    few, many = mean([0.0, 1.0] * 10), mean([0.0, 1.0] * 1000)
    assert few.low < few.value == 0.5 < few.high
    assert many.high - many.low < few.high - few.low
    assert mean([1.0, 1.0]).low == mean([1.0, 1.0]).high == 1
    assert mean([0.0, 1.0] * 10) == few


def test_a_metric_counts_only_questions_that_have_it() -> None:
    found = means([score(["a"], ["a"], ["b"]), score(["a"], ["b"])])
    assert found["stale@10"].count == 1
    assert found["recall@1"].count == 2


def test_contenders_take_turns_and_the_slow_one_sits_out() -> None:
    seen: list[str] = []
    timed = side_by_side(
        {"a": lambda n: seen.append(f"a{n}"), "b": lambda n: seen.append(f"b{n}")}, 4, block=2
    )
    assert seen == ["a0", "a1", "b0", "b1", "b2", "b3", "a2", "a3"]
    assert {name: len(t.seconds) for name, t in timed.items()} == {"a": 4, "b": 4}
    short = side_by_side({"a": lambda n: n}, 4, block=2, patience=-1.0)
    assert len(short["a"].seconds) == 2


def test_ratios_compare_the_work_that_both_did() -> None:
    assert Timed((1.0, 1.0, 9.0, 9.0)).ratio(Timed((2.0, 2.0))) == 0.5
    assert percentile([3.0, 1.0, 2.0, 4.0], 95) == 4.0
    assert percentile([3.0, 1.0, 2.0, 4.0], 50) == 2.5
