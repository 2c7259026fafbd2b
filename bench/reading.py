"""What recall costs with the reader as a memory grows: `python -m bench.reading --texts FOLDER`.

Real texts of bank files are told again and again until there are enough turns. The first of them
are read by the reader; the rest are given the token vectors of one of those and a pooled vector
beside its, since reading a hundred thousand turns takes half an hour. Questions are asked in a
process of their own, whose first question is told apart.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import click
import numpy as np

from bench.hybrid import SPACE, wait_for_vectors
from bench.minds import bench_mind
from bench.processes import output_of
from bench.texts import Sampled
from bench.timing import MILLI, percentile
from mnemic.store.rows import EmbedText, VectorRow
from mnemic.store.sqlite.store import SqliteStore

_READ = 1_000  # turns that the reader itself reads
_BATCH = 10_000
_APART = 0.5  # how far a given pooled vector is from the one that it was made of
# Nothing is learned from these turns.
_QUIET: dict[str, Any] = {"triggers.quiet_gap": "never", "triggers.buffer_tokens": 0}
_WARM = 5


def grow(path: Path, corpus: Sampled, size: int) -> dict[str, float]:
    """Bring a memory to ``size`` turns, all with vectors; what reading and storing them took."""
    figures: dict[str, float] = {}
    with bench_mind(path, _QUIET) as mind:
        there = mind.stats().turns
        for first in range(there, min(size, _READ), _BATCH):
            count = min(size, _READ) - first
            mind.record_many(corpus.turns(first, count))
            begun = process_time()
            mind.drain()
            figures["turns read per processor second"] = count / (process_time() - begun)
        for first in range(max(there, _READ), size, _BATCH):
            mind.record_many(corpus.turns(first, min(_BATCH, size - first)))
    _give_vectors(path)
    return figures


def _give_vectors(path: Path) -> None:
    """Vectors for the turns that were not read."""
    rng = np.random.default_rng(7)
    opened = SqliteStore(str(path), busy_timeout=60, now=lambda: datetime.now(UTC))
    with closing(opened) as store:
        with store.read(SPACE) as unit:
            ((_, number),) = unit.vectors.list_embedders().items()
            read = unit.vectors.load(number, "turn", None, _READ)
            tokens = unit.vectors.tokens(number, read.docs)
        whole = np.frombuffer(read.vectors, np.float32).reshape(len(read.docs), -1)
        while True:
            with store.write(SPACE) as unit:
                waiting = unit.vectors.list_unembedded(number, _BATCH)
                if not waiting:
                    return
                drawn = rng.integers(0, len(read.docs), len(waiting))
                noise = rng.standard_normal((len(waiting), whole.shape[1])).astype(np.float32)
                given = whole[drawn] + _APART * noise / np.sqrt(whole.shape[1])
                given /= np.linalg.norm(given, axis=1, keepdims=True)
                rows = list(_rows(waiting, given.astype(np.float32)))
                kept = {text.doc: tokens[read.docs[place]] for text, place
                        in zip(waiting, drawn.tolist(), strict=True)}  # fmt: skip
                unit.vectors.put(number, waiting, rows, kept)


def _rows(texts: list[EmbedText], vectors: Any) -> Iterator[VectorRow]:
    for text, vector in zip(texts, vectors, strict=True):
        yield VectorRow(text.doc, 0, vector.tobytes())


def ask(path: Path, questions: list[str]) -> dict[str, float]:
    """Milliseconds of the processor for a question, and what this process holds."""
    with bench_mind(path, {}) as mind:
        wall, begun = perf_counter(), process_time()
        mind.recall(questions[0], limit=10, of=["turn"])
        first, waited = process_time() - begun, perf_counter() - wall
        wait_for_vectors()
        spent: list[float] = []
        for number, query in enumerate(questions):
            begun = process_time()
            mind.recall(query, limit=10, of=["turn"])
            if number >= _WARM:
                spent.append(process_time() - begun)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "recall p50, processor ms": median(spent) * MILLI,
        "recall p95, processor ms": percentile(spent, 95) * MILLI,
        "first recall, processor ms": first * MILLI,
        "first recall, ms": waited * MILLI,
        "resident, MB at most": peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6,
    }


def weigh(path: Path) -> dict[str, float]:
    """Bytes of a turn."""
    opened = SqliteStore(str(path), busy_timeout=60, now=lambda: datetime.now(UTC), read_only=True)
    with closing(opened) as store, store.read(SPACE) as unit:
        ((_, number),) = unit.vectors.list_embedders().items()
        read = unit.vectors.load(number, "turn", None, _READ)
        tokens = unit.vectors.tokens(number, read.docs)
        kept = (sum(map(len, tokens.values())) + len(read.vectors)) / max(1, len(set(read.docs)))
    return {"vectors, bytes a turn": kept}


@click.command()
@click.option("--texts", type=click.Path(exists=True, path_type=Path), help="A folder of banks.")
@click.option("--tongue", type=click.Choice(["en", "zh"]), default="en", show_default=True)
@click.option("--sizes", default="1000,10000,100000", show_default=True)
@click.option("--questions", default=100, show_default=True)
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep it here.")
@click.option("--ask", "asked", type=click.Path(exists=True, path_type=Path), hidden=True)
def main(
    *, texts: Path | None, tongue: Any, sizes: str, questions: int, keep: Path | None,
    asked: Path | None,
) -> None:  # fmt: skip
    """Measure recall with the reader at each of SIZES."""
    if asked is not None:
        click.echo(json.dumps(ask(asked, json.load(sys.stdin))))
        return
    if texts is None:
        raise click.UsageError("Name a folder of banks: --texts FOLDER")
    corpus = Sampled(texts, tongue)
    with tempfile.TemporaryDirectory() as made:
        folder = keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"reading-{tongue}.db"
        for size in sorted(map(int, sizes.split(","))):
            figures = grow(path, corpus, size)
            queries = [one.text for one in corpus.questions(size, questions)]
            command = [sys.executable, "-m", "bench.reading", "--ask", str(path)]
            figures |= json.loads(output_of(command, given=json.dumps(queries)))
            figures |= weigh(path)
            figures["file, bytes a turn"] = path.stat().st_size / size
            click.echo(f"{tongue}, {size:,} turns")
            for name, value in figures.items():
                click.echo(f"  {name}: {value:,.1f}")


if __name__ == "__main__":
    main()
