"""Timing contenders side by side: blocks of each in turn, so that noise strikes all alike."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from time import perf_counter, thread_time

MILLI = 1000.0


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds by the number of the piece of work; a slow contender may have done only the first.

    ``busy`` is how long the processor worked: where a disk is waited for, only that tells two
    contenders apart.
    """

    seconds: tuple[float, ...]
    busy: tuple[float, ...] = ()

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def p95(self) -> float:
        return percentile(self.seconds, 95)

    def ratio(self, other: Timed, *, p: float = 50) -> float:
        """How much longer than the other, over the work that both did."""
        both = min(len(self.seconds), len(other.seconds))
        mine, theirs = self.seconds[:both], other.seconds[:both]
        return percentile(mine, p) / max(percentile(theirs, p), 1e-9)


def percentile(values: Sequence[float], q: float) -> float:
    """The nearest-rank percentile; the 50th is the usual median."""
    if q == 50:
        return median(values)
    return sorted(values)[max(0, math.ceil(q / 100 * len(values)) - 1)]


def side_by_side(
    contenders: Mapping[str, Callable[[int], object]],
    count: int,
    *,
    block: int,
    warm_up: Callable[[], object] | None = None,
    patience: float = math.inf,
) -> dict[str, Timed]:
    """Time ``contender(n)`` for each n below ``count``, a block of one after a block of another.

    The order turns round with every block. A contender that has used ``patience`` seconds sits out
    the later blocks; ratios then look only at the work that both did.
    """
    if warm_up is not None:
        warm_up()
    spent: dict[str, list[float]] = {name: [] for name in contenders}
    worked: dict[str, list[float]] = {name: [] for name in contenders}
    order = list(contenders)
    with no_collector():
        for start in range(0, count, block):
            for name in order:
                if start and sum(spent[name]) > patience:
                    continue
                work, times, busy = contenders[name], spent[name], worked[name]
                for number in range(start, min(count, start + block)):
                    working, begun = thread_time(), perf_counter()
                    work(number)
                    times.append(perf_counter() - begun)
                    busy.append(thread_time() - working)
            order.reverse()
            gc.collect(0)
    return {name: Timed(tuple(spent[name]), tuple(worked[name])) for name in contenders}


@contextmanager
def no_collector() -> Iterator[None]:
    """The garbage collector off, as far as it was on."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
