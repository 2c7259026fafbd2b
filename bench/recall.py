"""Evidence recall on bank files: each bank a fresh memory, every retriever asked every question."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench.banks import Bank, read_banks
from bench.figures import surroundings
from bench.metrics import DEPTH, Mean, means, score
from bench.retrievers import RETRIEVERS, Retriever
from bench.timing import MILLI, no_collector, percentile
from mnemic.errors import InvalidInput

Factories = Mapping[str, Callable[[], Retriever]]


@dataclass(frozen=True, slots=True)
class Result:
    """How one retriever did on one file."""

    file: str
    retriever: str
    banks: int
    items: int
    questions: int
    metrics: dict[str, Mean]
    categories: dict[str, dict[str, Mean]]
    p50_ms: float
    p95_ms: float
    items_per_second: float


@dataclass(frozen=True, slots=True)
class RecallReport:
    """Every retriever on every file. Memory is that of the whole process at its highest."""

    surroundings: dict[str, str | int]
    results: tuple[Result, ...]
    peak_memory_mb: float


class _Tally:
    """What one retriever has done on a file so far."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, dict[str, float]]] = []
        self.searched: list[float] = []
        self.added = 0.0


def measure_recall(
    files: Sequence[Path],
    *,
    names: Sequence[str] = tuple(RETRIEVERS),
    limit: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
    factories: Factories = RETRIEVERS,
) -> RecallReport:
    """Run the named retrievers over the files, at most ``limit`` banks of each."""
    chosen = {name: factories[name] for name in dict.fromkeys(names)}
    results: list[Result] = []
    for path in files:
        results += _measure_file(path.stem, read_banks(path, limit), chosen, tell)
    return RecallReport(surroundings(), tuple(results), peak_memory())


def _measure_file(
    name: str, banks: Iterable[Bank], factories: Factories, tell: Callable[[str], None]
) -> list[Result]:
    tallies = {retriever: _Tally() for retriever in factories}
    count = items = 0
    for bank in banks:
        _measure_bank(bank, factories, tallies)
        count, items = count + 1, items + len(bank.items)
        if count == 1 or count % 50 == 0:
            tell(f"{name}: {count} banks, {items:,} items")
    if not any(tally.rows for tally in tallies.values()):
        raise InvalidInput(f"{name} asks no question with an answer", remedy="See bench/banks.py")
    return [_result(name, retriever, count, items, t) for retriever, t in tallies.items()]


def _measure_bank(bank: Bank, factories: Factories, tallies: Mapping[str, _Tally]) -> None:
    opened = {name: make() for name, make in factories.items()}
    asked = [question for question in bank.questions if question.gold]
    try:
        with no_collector():
            for name, retriever in opened.items():
                begun = perf_counter()
                retriever.add(bank.items)
                tallies[name].added += perf_counter() - begun
            for question in asked:  # one after the other, so that noise strikes all alike
                for name, retriever in opened.items():
                    begun = perf_counter()
                    ranked = retriever.search(question.query, DEPTH)
                    tallies[name].searched.append(perf_counter() - begun)
                    told = score(ranked, question.gold, question.avoid)
                    tallies[name].rows.append((question.category, told))
    finally:
        for retriever in opened.values():
            retriever.close()


def _result(file: str, retriever: str, banks: int, items: int, tally: _Tally) -> Result:
    categories = sorted({category for category, _ in tally.rows})
    return Result(
        file=file,
        retriever=retriever,
        banks=banks,
        items=items,
        questions=len(tally.rows),
        metrics=means([row for _, row in tally.rows]),
        categories={
            name: means([row for category, row in tally.rows if category == name])
            for name in categories
        },
        p50_ms=percentile(tally.searched, 50) * MILLI,
        p95_ms=percentile(tally.searched, 95) * MILLI,
        items_per_second=items / max(tally.added, 1e-9),
    )


def peak_memory() -> float:
    """Megabytes this process held at most."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
