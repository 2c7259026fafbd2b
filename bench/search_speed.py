"""Text recall as the memory grows, beside a bare FTS5 query of the same words."""

from __future__ import annotations

from collections.abc import Callable

from bench.corpus import Question
from bench.exact import measure_exact
from bench.figures import Figure, at_most, figure, ratio_at_most
from bench.grown import Grown
from bench.timing import MILLI, Timed, side_by_side
from mnemic.types import Hit

K = 10
_BLOCK = 10
_WARM = 20
_PATIENCE = 60.0  # seconds that a contender may take at one size
_P95_SIZE, _P95_LIMIT = 100_000, 5.0
_EXACT_SIZE, _EXACT_QUERIES = 100_000, 50
_TEXT, _WHOLE = "text search", "whole recall"
_STOP, _NO_STOP = "OR query", "OR query, no stop words"


def measure_search(
    grown: Grown, sizes: list[int], queries: int, tell: Callable[[str], None]
) -> list[Figure]:
    """Latency at each size, what an exhaustive search would have found, and bytes a turn."""
    figures: list[Figure] = []
    for size in sorted(sizes):
        if grown.turns > size:
            tell(f"{grown.corpus.tongue}: more than {size:,} turns are there, size left out")
            continue
        grown.grow(size, tell)
        tell(f"{grown.corpus.tongue}: {queries} questions to {size:,} turns")
        figures += _latency(grown, queries)
        if size <= _EXACT_SIZE:
            asked = grown.corpus.questions(size, min(queries, _EXACT_QUERIES), seed=2)
            figures += measure_exact(grown, asked, K)
    return [*figures, *_bytes(grown)]


def recall(grown: Grown, query: str) -> list[Hit]:
    """What a caller gets; which routes take part is said in minds.py."""
    return grown.mind.recall(query, limit=K, of=["turn"])


def _latency(grown: Grown, queries: int) -> list[Figure]:
    asked = grown.corpus.questions(grown.turns, queries, seed=0)
    warm = grown.corpus.questions(grown.turns, min(_WARM, queries), seed=1)
    bare = grown.bare

    def contenders(questions: list[Question]) -> dict[str, Callable[[int], object]]:
        # Both start from the text of the question.
        def ask_bare(number: int, stop: bool) -> object:
            return bare.search(bare.match(questions[number].text, stop=stop), K)

        return {
            _TEXT: lambda number: grown.search_text(questions[number].text, K),
            _WHOLE: lambda number: recall(grown, questions[number].text),
            _STOP: lambda number: ask_bare(number, True),
            _NO_STOP: lambda number: ask_bare(number, False),
        }

    timed = side_by_side(
        contenders(asked),
        len(asked),
        block=_BLOCK,
        warm_up=lambda: side_by_side(
            contenders(warm), len(warm), block=_BLOCK, patience=_PATIENCE / 6
        ),
        patience=_PATIENCE,
    )
    return [
        row
        for ours in (_TEXT, _WHOLE)
        for rival in (_STOP, _NO_STOP)
        for row in _rows(grown, ours, timed[ours], rival, timed[rival])
    ]


def _rows(grown: Grown, part: str, ours: Timed, rival: str, theirs: Timed) -> list[Figure]:
    """The targets are the text search's: the whole also ranks by the conversation around a turn."""
    tongue, size = grown.corpus.tongue, grown.turns
    beside = f"{grown.tokenizer} {rival}"
    name = f"{part}, {tongue}, {size:,} turns"
    details: dict[str, float | str] = {
        "part": part, "language": tongue, "size": size, "rival": rival, "asked": len(theirs.seconds)
    }  # fmt: skip
    aimed = part == _TEXT and rival == _STOP
    limit = at_most(_P95_LIMIT) if size == _P95_SIZE and aimed else None
    return [
        figure(
            "recall", f"{name}, p50", "ms", ours.median * MILLI,
            beside=beside, baseline=theirs.median * MILLI, ratio=ours.ratio(theirs),
            target=ratio_at_most(1) if aimed else None, details={**details, "p": 50},
        ),
        figure(
            "recall", f"{name}, p95", "ms", ours.p95 * MILLI,
            beside=beside, baseline=theirs.p95 * MILLI, ratio=ours.ratio(theirs, p=95),
            target=limit, details={**details, "p": 95},
        ),
    ]  # fmt: skip


def _bytes(grown: Grown) -> list[Figure]:
    ours, theirs = grown.sizes()
    turns = max(1, grown.turns)
    return [
        figure(
            "size", f"bytes a turn, {grown.corpus.tongue}, {turns:,} turns", "B", ours / turns,
            beside=f"FTS5 {grown.tokenizer}", baseline=theirs / turns,
        )
    ]  # fmt: skip
