"""Duplicates: how the time to find them grows, and how well they are found, by rule alone.

``python -m bench.dedup [--sizes 1000 10000 100000]``
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from math import log
from typing import NamedTuple

from mnemic.providers.embedding.choose import embedder_for
from mnemic.rules.clusters import absorb, components
from mnemic.settings import Settings, load
from mnemic.types import EMPTY, GENERAL_TOPIC, GLOBAL_PROJECT, Memory, constant
from mnemic.upkeep.clusters import near_pairs

_NOW = datetime(2026, 2, 12, tzinfo=UTC)
_PEOPLE = "Ana Bo Chen Dara Emre Fay Goro Hana Ines Jun Kofi Lena Milo Nadia Omar Pia".split()
_FORMS = (
    ("{who}'s {thing} runs on {where}", "{where} is what {who}'s {thing} runs on"),
    ("The {thing} of {who} is deployed to {where}.", "the {thing} of {who} is deployed to {where}"),
    ("{who} keeps the {thing} in {where}", "In {where}, {who} keeps the {thing}!"),
    ("{who}把{thing}放在{where}", "{who}把{thing}放在{where}。"),
)
_START = (
    "ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro".split()
)


class Figures(NamedTuple):
    """One size: seconds of the processor, and how many of the true pairs were found and rightly."""

    memories: int
    seconds: float
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def labeled(count: int, seed: int = 1) -> tuple[list[Memory], set[tuple[int, int]]]:
    """Statements, and the pairs of places that say the same. A third of them are said twice, and
    most have near misses that differ in one name.
    """
    chance = random.Random(seed)
    texts: list[str] = []
    pairs: set[tuple[int, int]] = set()
    while len(texts) < count:
        told = {
            "who": chance.choice(_PEOPLE) + _name(chance, 2),
            "thing": _name(chance, 3),
            "where": _name(chance, 3).title(),
        }
        plain, other = chance.choice(_FORMS)
        texts.append(plain.format(**told))
        if chance.random() < 1 / 3:
            pairs.add((len(texts) - 1, len(texts)))
            texts.append(other.format(**told))
        if chance.random() < 1 / 2:
            texts.append(plain.format(**told | {"where": _name(chance, 3).title()}))
    pairs = {pair for pair in pairs if max(pair) < count}
    return [_memory(n, text) for n, text in enumerate(texts[:count])], pairs


def measure(count: int, settings: Settings, seed: int = 1) -> Figures:
    """Cluster and merge so many memories; making their vectors is not counted."""
    memories, truth = labeled(count, seed)
    embedder = embedder_for(settings)
    vectors = None if embedder is None else embedder.embed([memory.text for memory in memories])
    begun = time.process_time()
    found = near_pairs(memories, vectors, settings.upkeep.cluster_distance)
    pairs = {(pair.one, pair.other): pair for pair in found}
    merged = {
        (min(place, other), max(place, other))
        for group in components(found)
        for other, place in absorb(memories, group, pairs, settings.reconcile)
    }
    seconds = time.process_time() - begun
    right = len(merged & truth)
    return Figures(count, seconds, right / len(merged or truth), right / len(truth))


def main(sizes: Sequence[int] = (1_000, 10_000, 100_000)) -> Iterator[str]:
    """A line for each size."""
    settings = load("default", env={})
    for size in sizes:
        found = measure(size, settings)
        per = found.seconds / (size * log(size, 2)) * 1e6
        yield (
            f"{size:>8,} memories: {found.seconds:7.2f} s, {per:.2f} µs per n log2 n,"
            f" precision {found.precision:.3f}, recall {found.recall:.3f}, F1 {found.f1:.3f}"
        )


def _name(chance: random.Random, syllables: int) -> str:
    return "".join(chance.choice(_START) for _ in range(syllables))


def _memory(number: int, text: str) -> Memory:
    return Memory(
        id=constant(f"{number:08}"),
        kind="fact",
        text=constant(text),
        subject=EMPTY,
        predicate=EMPTY,
        project=GLOBAL_PROJECT,
        topic=GENERAL_TOPIC,
        tags=(),
        importance=0.5,
        confidence=1.0,
        trust="owner",
        status="active",
        created_at=_NOW,
        updated_at=_NOW,
        last_accessed_at=_NOW,
        valid_from=_NOW,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    for line in main(parser.parse_args().sizes):
        print(line, flush=True)
