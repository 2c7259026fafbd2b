"""How a store grows: the rate of recording, bytes a record, and the time to find something.

    python -m bench.store_growth postgresql://… --sizes 10k,100k,1m
    python -m bench.store_growth memory.db --sizes 10k,100k

Turns are made-up talk in two languages; each has a vector of made-up meaning. Nothing is learned
from them, so what grows is what is searched. A store that is grown already is gone on with.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from time import perf_counter

import click
import numpy as np
from numpy.typing import NDArray

from bench.command import _sizes
from bench.corpus import Synthetic
from bench.minds import NO_VECTORS, bench_mind
from bench.timing import MILLI, percentile
from mnemic.index.engine import VectorEngine
from mnemic.index.live_tables import LiveTables, VectorSet
from mnemic.store.contract import Store
from mnemic.store.rows import VectorRow, place_of

QUIET = {**NO_VECTORS, "triggers.quiet_gap": "never", "triggers.buffer_tokens": 0}
_BATCH = 2_000
_BLOCK = 1_000
_WIDE = 256
_TOPICS = 300
_SPACE = "default"
_EMBEDDER = "made-up"
_QUERIES = 60
Floats = NDArray[np.float32]


@cache
def _topics() -> NDArray[np.float64]:
    return np.random.default_rng(0).standard_normal((_TOPICS, _WIDE))


@lru_cache(maxsize=8)
def _block(number: int) -> Floats:
    """Vectors gathered around topics, as those of texts are."""
    rng = np.random.default_rng((1, number))
    around = _topics()[rng.integers(0, _TOPICS, _BLOCK)]
    drawn = around + 0.9 * rng.standard_normal((_BLOCK, _WIDE))
    vectors: Floats = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
    return vectors


def meaning(number: int) -> Floats:
    """The vector of a record."""
    row: Floats = _block(number // _BLOCK)[number % _BLOCK]
    return row


def embed(store: Store) -> tuple[int, int]:
    """Give every record its vector; the number of the embedder, and how many there are."""
    with store.write(_SPACE) as unit:
        number = unit.vectors.embedder(_EMBEDDER, _WIDE)
    done = 0
    while True:
        with store.write(_SPACE) as unit:
            waiting = unit.vectors.list_unembedded(number, _BATCH)
            rows = [
                VectorRow(text.doc, 0, meaning(place_of(text.doc)).tobytes()) for text in waiting
            ]
            unit.vectors.put(number, waiting, rows)
        if not waiting:
            return number, done
        done += len(waiting)


def timed(work: Callable[[int], object], count: int) -> str:
    seconds = []
    for n in range(count):
        begun = perf_counter()
        work(n)
        seconds.append(perf_counter() - begun)
    return f"p50 {percentile(seconds, 50) * MILLI:.1f} p95 {percentile(seconds, 95) * MILLI:.1f} ms"


@click.command()
@click.argument("target")
@click.option("--sizes", default="10k,100k", callback=lambda ctx, option, text: _sizes(text))
@click.option("--vectors/--no-vectors", default=True)
def main(target: str, sizes: tuple[int, ...], *, vectors: bool) -> None:
    """Grow the memory at TARGET from size to size, and ask it at each."""
    corpus = Synthetic("mixed")
    for size in sizes:
        with bench_mind(target, QUIET) as mind:
            had = mind.stats().turns
            begun = perf_counter()
            for first in range(had, size, _BATCH):
                mind.record_many(corpus.turns(first, min(_BATCH, size - first)))
            rate = (size - had) / (perf_counter() - begun)
            said = f"{size:,} turns: recorded {rate:,.0f}/s"
            one = timed(lambda n: mind.record(session="now", role="user", text="ok then"), 30)
            said += f", one turn {one}, {mind.stats().file_bytes / size:,.0f} bytes each"
            asked = [question.text for question in corpus.questions(size, _QUERIES, 0)]
            mind.recall(asked[0])
            words = timed(lambda n, asked=asked: mind.recall(asked[n]), _QUERIES)  # type: ignore[misc]
            said += f", recall by words {words}"
            click.echo(said)
            if vectors:
                click.echo(f"{size:,} vectors: {_ask_vectors(mind._store, size)}")


def _ask_vectors(store: Store, size: int) -> str:
    begun = perf_counter()
    number, done = embed(store)
    said = f"written {done / (perf_counter() - begun):,.0f}/s"
    begun = perf_counter()
    store.index_vectors(_SPACE, number)
    built = perf_counter() - begun
    live = LiveTables(VectorEngine(), store, _SPACE)
    queries = _block(1 << 40)[:_QUERIES]
    chosen = VectorSet(number, _EMBEDDER, _WIDE)
    with store.read(_SPACE) as unit:
        indexed = unit.vectors.has_index(number)
        live.tables(unit.vectors, chosen)
    live.settle()

    def ask(n: int) -> list[int]:
        with store.read(_SPACE) as unit:
            near = live.tables(unit.vectors, chosen)["turn"].search(queries[n], 100)
        return [place_of(one.doc) for one in near]

    whole = np.concatenate([_block(n) for n in range(-(-size // _BLOCK))])[:size]
    shared = [
        len(set(ask(n)[:10]) & set(np.argsort(-(whole @ queries[n]))[:10].tolist()))
        for n in range(_QUERIES)
    ]
    how = f"by an index, built in {built:.0f} s" if indexed else "in memory"
    return f"{said}, nearest {how}: {timed(ask, _QUERIES)}, recall@10 {np.mean(shared) / 10:.3f}"


if __name__ == "__main__":
    main()
