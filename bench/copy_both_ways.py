"""A large memory copied to a server and back: how long it takes, and whether all three agree.

python -m bench.copy_both_ways postgresql://… --turns 1m --folder /tmp/copies
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import click

from bench.command import _size
from bench.corpus import Synthetic
from bench.minds import bench_mind
from bench.store_growth import QUIET
from mnemic.moving.archive import export_jsonl
from mnemic.moving.copy import copy_space

_BATCH = 20_000


def _build(file: Path, turns: int) -> None:
    corpus = Synthetic("mixed")
    with bench_mind(file, QUIET) as mind:
        for first in range(mind.stats().turns, turns, _BATCH):
            mind.record_many(corpus.turns(first, min(_BATCH, turns - first)))


def _digest(target: str | Path, archive: Path) -> str:
    """Of an export without its first line, which has the time."""
    with bench_mind(target, QUIET) as mind:
        export_jsonl(mind, archive)
    digest = hashlib.sha256()
    with archive.open("rb") as lines:
        next(lines)
        for line in lines:
            digest.update(line)
    archive.unlink()
    return digest.hexdigest()


def _timed(what: str, turns: int, work: Callable[[], object]) -> None:
    begun = perf_counter()
    work()
    seconds = perf_counter() - begun
    click.echo(f"{what}: {seconds:,.0f} s, {turns / seconds:,.0f} turns/s")


@click.command()
@click.argument("address")
@click.option("--turns", default="100k", callback=lambda ctx, option, text: _size(text))
@click.option("--folder", required=True, type=click.Path(file_okay=False, path_type=Path))
def main(address: str, turns: int, folder: Path) -> None:
    """Copy a memory of so many turns to the empty database at ADDRESS, and back."""
    folder.mkdir(parents=True, exist_ok=True)
    source, back, archive = folder / "source.db", folder / "back.db", folder / "archive.jsonl"
    back.unlink(missing_ok=True)
    _timed("built in SQLite", turns, lambda: _build(source, turns))
    _timed("copied to PostgreSQL and verified", turns, lambda: _copy(source, address))
    _timed("copied back and verified", turns, lambda: _copy(address, back))
    digests = {_digest(target, archive) for target in (source, address, back)}
    click.echo("three identical exports" if len(digests) == 1 else "THE EXPORTS DIFFER")


def _copy(source: str | Path, target: str | Path) -> None:
    report = copy_space(source, target)
    if not report.verified or report.conflicts:
        raise click.ClickException(f"The copy differs: {report.conflicts[:3]}")


if __name__ == "__main__":
    main()
