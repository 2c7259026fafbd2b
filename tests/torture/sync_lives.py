"""Random lives of one memory on three devices, by the thousand."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.sync.lives import Life
from tests.torture.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """How many histories there were, and what was wrong after them."""

    histories: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(folder: Path, *, histories: int, seed: int = 1) -> Report:
    losses: list[str] = []
    for number in range(histories):
        home = folder / str(number)
        wrong = Life(home, seed * 1_000_000 + number).run()
        losses += [f"history {number}: {what}" for what in wrong]
        shutil.rmtree(home)
    return Report(histories, tuple(losses), ())
