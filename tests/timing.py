"""Whether work is quick: what else a machine does only adds to its time, so the best counts."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time


def seconds_of(work: Callable[[], object]) -> float:
    """The processor time of one occasion, in all threads."""
    begun = process_time()
    work()
    return process_time() - begun


def takes_less_than(seconds: float, work: Callable[[], object], occasions: int = 8) -> bool:
    """Whether one of a few occasions is quick: what is slow by itself is slow each time. The work
    must be the same each time, whatever was kept of the last.
    """
    return any(seconds_of(work) < seconds for _ in range(occasions))
