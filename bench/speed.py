"""Every speed measurement in one run, in a folder that is removed at the end."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from bench.bulk import measure_bulk
from bench.contexts import measure_contexts
from bench.corpus import TONGUES, Corpus, Synthetic, Tongue
from bench.figures import Figure, surroundings
from bench.grown import Grown
from bench.hybrid import measure_hybrid
from bench.import_speed import measure_import
from bench.install_size import measure_installed
from bench.presets import measure_hook, measure_presets
from bench.record_speed import measure_recording
from bench.search_speed import measure_search
from bench.startup import measure_start
from bench.texts import Sampled

Measure = Literal[
    "record", "bulk", "import", "recall", "hybrid", "context", "presets", "start", "installed"
]
MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and how much of it."""

    measures: tuple[Measure, ...] = MEASURES
    tongues: tuple[Tongue, ...] = TONGUES
    sizes: tuple[int, ...] = (1_000, 10_000, 100_000)
    preset_size: int = 5_000
    queries: int = 200
    recorded: int = 1_000
    bulk: int = 100_000
    conversations: int = 2_000
    starts: int = 10
    texts: Path | None = None
    keep: Path | None = None


@dataclass(frozen=True, slots=True)
class SpeedReport:
    """All figures of one run."""

    surroundings: dict[str, str | int]
    plan: Plan
    figures: tuple[Figure, ...]

    @property
    def missed(self) -> tuple[Figure, ...]:
        return tuple(figure for figure in self.figures if figure.ok is False)


def measure_speed(plan: Plan, tell: Callable[[str], None]) -> SpeedReport:
    """Run the plan; ``tell`` hears how it goes."""
    figures: list[Figure] = []
    corpora: dict[Tongue, Corpus] = {
        tongue: Sampled(plan.texts, tongue) if plan.texts else Synthetic(tongue)
        for tongue in plan.tongues
    }
    with _room(plan.keep) as (scratch, kept):
        for tongue, corpus in corpora.items():
            if "record" in plan.measures:
                tell(f"{tongue}: recording {plan.recorded:,} turns one by one")
                with _fresh(scratch) as folder:
                    figures += measure_recording(folder, corpus, plan.recorded)
            if "bulk" in plan.measures:
                tell(f"{tongue}: taking in {plan.bulk:,} turns at once")
                with _fresh(scratch) as folder:
                    figures += measure_bulk(folder, corpus, plan.bulk)
            if "import" in plan.measures:
                tell(f"{tongue}: importing {plan.conversations:,} conversations")
                with _fresh(scratch) as folder:
                    figures += measure_import(folder, corpus, plan.conversations)
        largest: Grown | None = None
        for corpus in corpora.values():
            if "recall" in plan.measures:
                with Grown(kept, corpus) as grown:
                    figures += measure_search(grown, list(plan.sizes), plan.queries, tell)
                largest = grown if largest is None or grown.turns > largest.turns else largest
            # The default vectors take no part in Chinese questions.
            if "hybrid" in plan.measures and corpus.tongue == "en":
                with Grown(kept, corpus, "hybrid") as grown:
                    figures += measure_hybrid(kept, grown, list(plan.sizes), plan.queries, tell)
            if "context" in plan.measures:
                figures += measure_contexts(kept, corpus, list(plan.sizes), plan.queries, tell)
        if "presets" in plan.measures:
            for corpus in corpora.values():
                with _fresh(scratch) as folder:
                    figures += measure_presets(folder, corpus, plan.preset_size, plan.queries, tell)
            figures.append(measure_hook())
        if "start" in plan.measures:
            figures += _start(plan, kept, largest, corpora, tell)
    if "installed" in plan.measures:
        figures += measure_installed()
    order = {name: place for place, name in enumerate(dict.fromkeys(f.measure for f in figures))}
    figures.sort(key=lambda figure: order[figure.measure])
    return SpeedReport(surroundings(), plan, tuple(figures))


def _start(
    plan: Plan,
    folder: Path,
    largest: Grown | None,
    corpora: dict[Tongue, Corpus],
    tell: Callable[[str], None],
) -> list[Figure]:
    """On the largest database, made first where recall was not measured."""
    if largest is None:
        with Grown(folder, next(iter(corpora.values()))) as made:
            made.grow(max(plan.sizes), tell)
        largest = made
    tell(f"starting {plan.starts} times")
    return measure_start(largest.path, largest.turns, plan.starts)


@contextmanager
def _room(keep: Path | None) -> Iterator[tuple[Path, Path]]:
    """A folder for what is thrown away, and one for what may be kept."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="mnemic-bench-", dir=keep))
    try:
        yield scratch, keep or scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def _fresh(scratch: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(dir=scratch))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
