"""Recall by words and meaning as the memory grows, its parts apart, beside bare FTS5 and bare
sqlite-vec over the same texts and the same vectors.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from bench.barevec import BareVec
from bench.dense import same_embedder
from bench.figures import Figure, at_least, figure, ratio_at_most
from bench.grown import Grown
from bench.minds import NO_VECTORS, bench_mind
from bench.timing import MILLI, Timed, side_by_side
from mnemic.index.engine import VectorEngine
from mnemic.index.live_tables import THREAD, LiveTables, VectorSet
from mnemic.index.nearest import NearestIndex
from mnemic.store.contract import Store
from mnemic.store.sqlite.store import SqliteStore

K = 10
CANDIDATES = 40
SPACE = "default"
_FASTER_SIZE, _FASTER = 100_000, 7  # the vector part, times a bare scan
_OVERLAP = 0.98
_WHOLE = 1.5  # times the slower of its parts
_BLOCK = 5
_WARM = 5
_PATIENCE = 60.0
_PORTION = 20_000
_EXACT_QUERIES = 50
_MILLION = 1_000_000
Floats = NDArray[np.float32]


def measure_hybrid(
    folder: Path, grown: Grown, sizes: list[int], queries: int, tell: Callable[[str], None]
) -> list[Figure]:
    """Figures at each size; the vectors are those of the default embedder."""
    figures: list[Figure] = []
    dimensions = same_embedder().dimensions
    with BareVec(folder / f"hybrid-{grown.corpus.tongue}-vec.db", dimensions) as bare:
        for size in sorted(sizes):
            if grown.turns > size:
                tell(f"{grown.corpus.tongue}: more than {size:,} turns are there, size left out")
                continue
            grown.grow(size, tell)
            _embed(grown, bare, tell)
            tell(f"{grown.corpus.tongue}: {queries} questions to {size:,} turns with vectors")
            figures += _at(grown, bare, queries)
    return figures


def _embed(grown: Grown, bare: BareVec, tell: Callable[[str], None]) -> None:
    """Vectors for what has none yet, in our file and in the bare one."""
    with bench_mind(grown.path, {}) as mind:
        tell(f"{grown.corpus.tongue}: vectors of {grown.turns:,} turns")
        mind.drain()
    with ExitStack() as open_:
        store, made = _opened(open_, grown)
        while True:
            with store.read(SPACE) as unit:
                loaded = unit.vectors.load(made.number, "turn", bare.last, _PORTION)
            if not loaded.docs:
                return
            bare.add(loaded.docs, loaded.vectors)


def _opened(open_: ExitStack, grown: Grown) -> tuple[Store, VectorSet]:
    store: Store = SqliteStore(str(grown.path), busy_timeout=60, now=lambda: datetime.now(UTC))
    open_.callback(store.close)
    with store.read(SPACE) as unit:
        ((name, number),) = unit.vectors.list_embedders().items()
        return store, VectorSet(number, name, unit.vectors.dimensions(number))


class _Parts:
    """The vector part alone, as the vector route does it once it has the vector of the query."""

    def __init__(self, open_: ExitStack, grown: Grown) -> None:
        self._store, self._made = _opened(open_, grown)
        self._holder = LiveTables(VectorEngine(), self._store, SPACE)
        begun = perf_counter()
        self.table()
        self._holder.settle()
        self.loading = perf_counter() - begun

    def table(self) -> NearestIndex | None:
        with self._store.read(SPACE) as unit:
            found = self._holder.tables(unit.vectors, self._made).get("turn")
        assert found is None or isinstance(found, NearestIndex)
        return found

    def search(self, query: Floats, limit: int) -> list[int]:
        table = self.table()
        return [near.doc for near in table.search(query, limit)] if table else []


@dataclass(frozen=True, slots=True)
class _First:
    """Seconds of the first question to a memory that was just opened, and of the second."""

    first: float
    second: float


def _first_questions(grown: Grown, questions: list[str]) -> _First:
    with bench_mind(grown.path, {}) as mind:
        spent: list[float] = []
        for query in questions[:2]:
            begun = perf_counter()
            mind.recall(query, limit=K, of=["turn"])
            spent.append(perf_counter() - begun)
        wait_for_vectors()
    return _First(spent[0], spent[-1])


def wait_for_vectors() -> None:
    """Until no index is being made beside."""
    for thread in threading.enumerate():
        if thread.name == THREAD:
            thread.join()


def _at(grown: Grown, bare: BareVec, queries: int) -> list[Figure]:
    asked = [one.text for one in grown.corpus.questions(grown.turns, queries, seed=0)]
    first = _first_questions(grown, asked)
    embedder = same_embedder()
    vectors = list(embedder.embed(asked, query=True))
    with ExitStack() as open_:
        whole = open_.enter_context(bench_mind(grown.path, {}))
        words = open_.enter_context(bench_mind(grown.path, NO_VECTORS))
        parts = _Parts(open_, grown)
        whole.recall(asked[0], limit=K, of=["turn"])
        wait_for_vectors()
        contenders: dict[str, Callable[[int], object]] = {
            "whole": lambda n: whole.recall(asked[n], limit=K, of=["turn"]),
            "query embedding": lambda n: embedder.embed([asked[n]], query=True),
            "vector part": lambda n: parts.search(vectors[n], CANDIDATES),
            "without vectors": lambda n: words.recall(asked[n], limit=K, of=["turn"]),
            "text part": lambda n: grown.search_text(asked[n], K),
            "FTS5 OR query": lambda n: grown.bare.search(grown.bare.match(asked[n]), K),
            "sqlite-vec": lambda n: bare.search(vectors[n].tobytes(), K),
        }
        timed = side_by_side(
            contenders,
            len(asked),
            block=_BLOCK,
            warm_up=lambda: side_by_side(contenders, min(_WARM, len(asked)), block=1),
            patience=_PATIENCE,
        )
        exact = vectors[:_EXACT_QUERIES]
        overlap = fmean(_overlap(parts, bare, vector) for vector in exact)
        table = parts.table()
        held = table.memory / max(1, len(table)) if table else 0.0
        return [
            *_latency(grown, timed),
            *_state(grown, first, parts.loading, overlap, held),
        ]


def _overlap(parts: _Parts, bare: BareVec, vector: Floats) -> float:
    """The share of the exact nearest that is found; equal distances may stand for each other."""
    best: dict[int, float] = {}
    for doc, distance in bare.search(vector.tobytes(), 4 * K):
        best.setdefault(doc, distance)
    order = list(best)[:K]
    found = set(parts.search(vector, CANDIDATES)[:K])
    return len(found & set(order)) / max(1, len(order))


def _latency(grown: Grown, timed: dict[str, Timed]) -> list[Figure]:
    size = grown.turns
    faster = ratio_at_most(1 / _FASTER) if size == _FASTER_SIZE else None
    slower = max(("without vectors", "vector part"), key=lambda name: timed[name].median)
    beside = {
        "whole": (slower, ratio_at_most(_WHOLE)),
        "query embedding": ("", None),
        "vector part": ("sqlite-vec", faster),
        "text part": ("FTS5 OR query", None),
        "without vectors": ("FTS5 OR query", None),
    }
    rows: list[Figure] = []
    for name, (rival, target) in beside.items():
        for p in (50, 95):
            ours, theirs = timed[name], timed.get(rival)
            rows.append(
                figure(
                    "hybrid", f"{_named(grown)}, {name}, p{p}", "ms", _of(ours, p),
                    beside=rival,
                    baseline=None if theirs is None else _of(theirs, p),
                    ratio=None if theirs is None else ours.ratio(theirs, p=p),
                    target=target if p == 50 else None,
                    details={"language": f"{grown.corpus.tongue}, with vectors", "size": size,
                             "p": p, "part": name, "asked": len(ours.seconds)},
                )
            )  # fmt: skip
    return rows


def _of(timed: Timed, p: int) -> float:
    return (timed.median if p == 50 else timed.p95) * MILLI


def _state(
    grown: Grown, first: _First, loading: float, overlap: float, held: float
) -> list[Figure]:
    name = _named(grown)
    return [
        figure(
            "hybrid", f"{name}, overlap with exact search", "", overlap,
            beside="sqlite-vec", baseline=1.0, target=at_least(_OVERLAP),
        ),
        figure("hybrid", f"{name}, first question after opening", "ms", first.first * MILLI,
               details={"second": first.second * MILLI}),
        figure("hybrid", f"{name}, vectors brought into memory", "ms", loading * MILLI),
        figure("hybrid", f"{name}, memory of a million vectors", "MB", held * _MILLION / 1e6),
    ]  # fmt: skip


def _named(grown: Grown) -> str:
    return f"{grown.corpus.tongue}, {grown.turns:,} turns"
