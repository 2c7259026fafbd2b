"""Taking in many turns, beside bare FTS5 tables that take in the same texts in the same batches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.bare import BareFts5, Tokenizer
from bench.corpus import Corpus, Tongue
from bench.figures import Figure, figure, ratio_at_least
from bench.minds import bench_mind
from bench.timing import Timed, side_by_side
from mnemic.record.recorder import BATCH
from mnemic.types import NewTurn

CALL = 25_000  # turns that are handed over at once
_LIMIT = 0.4
# unicode61 takes a run of Chinese for one word and so finds nothing in it: there it is shown
# beside trigram, and the target is of trigram.
_RIVALS: dict[Tongue, tuple[Tokenizer, ...]] = {
    "en": ("unicode61",),
    "zh": ("trigram", "unicode61"),
    "mixed": ("trigram", "unicode61"),
}


def measure_bulk(folder: Path, corpus: Corpus, count: int) -> list[Figure]:
    """``count`` turns, a call of each contender in turn."""
    tongue = corpus.tongue
    size = min(CALL, count)
    calls = [corpus.turns(start, size) for start in range(0, count - size + 1, size)]
    bares = {name: BareFts5(folder / f"{name}-{tongue}.db", name) for name in _RIVALS[tongue]}
    with bench_mind(folder / f"bulk-{tongue}.db") as mind:
        contenders: dict[str, Callable[[int], object]] = {
            "ours": lambda number: mind.record_many(calls[number]),
            **{name: partial(_add, bare, calls) for name, bare in bares.items()},
        }
        timed = side_by_side(contenders, len(calls), block=1)
    for bare in bares.values():
        bare.close()
    return [_figure(tongue, size, name, timed) for name in bares]


def _add(bare: BareFts5, calls: list[list[NewTurn]], number: int) -> None:
    turns = calls[number]
    for start in range(0, len(turns), BATCH):  # in transactions as large as ours
        bare.add([(turn.text,) for turn in turns[start : start + BATCH]])


def _figure(tongue: Tongue, size: int, rival: Tokenizer, timed: dict[str, Timed]) -> Figure:
    ours, theirs = timed["ours"], timed[rival]
    blind = rival == "unicode61" and tongue != "en"
    return figure(
        "bulk", f"many turns, {tongue}", "turns/s", size / ours.median,
        beside=f"FTS5 {rival}" + (" (finds no Chinese)" if blind else ""),
        baseline=size / theirs.median,
        ratio=1 / ours.ratio(theirs),
        target=None if blind else ratio_at_least(_LIMIT),
        details={"call": size, "calls": len(ours.seconds), "transaction": BATCH,
                 "slowest": size / ours.p95},
    )  # fmt: skip
