"""The same banks in a file and on a server: how far the two agree in what they find.

    python -m bench.two_stores postgresql://… ../shared/bench/data/locomo.jsonl --limit 10

Each bank is built twice, in SQLite and in a space of its own on the server, and asked the same.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import click

from bench.banks import Bank, read_banks
from bench.retrievers import Mnemic
from bench.timing import MILLI, percentile
from mnemic.types import Hit

_DEPTH = 10


@dataclass(slots=True)
class Agreement:
    """What was found in common, over all questions."""

    questions: int = 0
    same: int = 0  # questions with the same ten in the same order
    shared: float = 0.0
    apart: float = 0.0  # the largest difference of two scores of one item
    built: list[float] = field(default_factory=lambda: [0.0, 0.0])
    asked: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))

    def add(self, one: list[Hit], other: list[Hit], ids: tuple[list[str], list[str]]) -> None:
        mine, theirs = ids
        self.questions += 1
        self.same += mine == theirs
        most = max(len(mine), len(theirs))
        self.shared += len(set(mine) & set(theirs)) / most if most else 1.0
        scores = dict(zip(theirs, (hit.score for hit in other), strict=True))
        gaps = [
            abs(hit.score - scores[id_])
            for hit, id_ in zip(one, mine, strict=True)
            if id_ in scores
        ]
        self.apart = max([self.apart, *gaps])


def compare(bank: Bank, address: str, agreement: Agreement) -> None:
    """Build and ask one bank on both."""
    memories = (Mnemic(), Mnemic(target=address, space=f"bank-{secrets.token_hex(8)}"))
    try:
        for n, memory in enumerate(memories):
            begun = perf_counter()
            memory.add(bank.items)
            agreement.built[n] += perf_counter() - begun
        for question in bank.questions:
            found: list[list[Hit]] = []
            for n, memory in enumerate(memories):
                begun = perf_counter()
                found.append(memory.mind.recall(question.query, limit=_DEPTH, of=["turn"]))
                agreement.asked[n].append(perf_counter() - begun)
            one, other = found
            agreement.add(one, other, (memories[0].ids(one), memories[1].ids(other)))
    finally:
        for memory in memories:
            memory.close()


@click.command()
@click.argument("address")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--limit", type=int, help="Banks of each file.")
def main(address: str, files: tuple[Path, ...], limit: int | None) -> None:
    """Compare recall in a file and on the server at ADDRESS."""
    for file in files:
        agreement = Agreement()
        for bank in read_banks(file, limit):
            compare(bank, address, agreement)
        count = agreement.questions or 1
        times = " · ".join(
            f"{name} built in {agreement.built[n]:.0f} s, asked p50"
            f" {percentile(agreement.asked[n], 50) * MILLI:.1f} ms, p95"
            f" {percentile(agreement.asked[n], 95) * MILLI:.1f} ms"
            for n, name in enumerate(("SQLite", "PostgreSQL"))
        )
        click.echo(
            f"{file.stem}: {agreement.questions} questions, overlap@{_DEPTH}"
            f" {agreement.shared / count:.4f}, same order {agreement.same / count:.4f},"
            f" scores at most {agreement.apart:.2g} apart · {times}"
        )


if __name__ == "__main__":
    main()
