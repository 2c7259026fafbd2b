"""A table of settings: what is seen through the public interface with one value, and with another.

Every case opens a mind for each of its values and says what it expects to see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind

QUIET: Mapping[str, Any] = {"embedding.provider": "none"}


@dataclass(frozen=True)
class Scene:
    """A mind with the setting turned, its clock and the folder of its database."""

    mind: Mind
    clock: ManualClock
    folder: Path


@dataclass(frozen=True)
class Case:
    """``outcomes`` are values of the setting, each with what ``see`` gives for it."""

    key: str
    outcomes: tuple[tuple[Any, object], ...]
    see: Callable[[Scene], object]
    given: Mapping[str, Any] = field(default_factory=dict)
    preset: str = "default"
    on_disk: bool = False

    def settings(self, value: object) -> dict[str, Any]:
        """A key of a table stands for the whole table; weights are filled up to 1."""
        key = self.key.partition(".<name>")[0]
        settings = {**QUIET, **self.given, key: value}
        if key.startswith("ranking.weights."):
            name, weight = key.rpartition(".")[2], float(str(value))
            rest = "semantic" if name == "relevance" else "relevance"
            weights = dict.fromkeys(
                ("relevance", "semantic", "keyword", "recency", "importance", "access"), 0.0
            )
            del settings[key]
            settings["ranking.weights"] = {**weights, rest: 1 - weight, name: weight}
        return settings


def check(case: Case, open_mind: OpenMind, folder: Path) -> None:
    """Each value leads to what the table says, and not all to the same."""
    seen = [expected for _, expected in case.outcomes]
    assert any(one != seen[0] for one in seen), "a case that shows no difference proves nothing"
    for number, (value, expected) in enumerate(case.outcomes):
        clock = ManualClock(NOON)
        place = folder / str(number)
        place.mkdir()
        target = place / "memory.db" if case.on_disk else ":memory:"
        mind = open_mind(target, preset=case.preset, clock=clock, **case.settings(value))
        assert case.see(Scene(mind, clock, place)) == expected, (case.key, value)
        mind.close()
