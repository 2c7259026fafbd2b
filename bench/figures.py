"""One measured figure, beside its baseline and its target."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import apsw

from mnemic import __version__


@dataclass(frozen=True, slots=True)
class Target:
    """What a figure, or its ratio to the baseline, has to stay below or above."""

    of: Literal["value", "ratio"]
    sign: Literal["<=", ">="]
    limit: float

    def met(self, figure: float) -> bool:
        return figure <= self.limit if self.sign == "<=" else figure >= self.limit


@dataclass(frozen=True, slots=True)
class Figure:
    """``value`` and ``baseline`` are in ``unit``; the ratio is ours to theirs."""

    measure: str
    name: str
    unit: str
    value: float
    beside: str = ""
    baseline: float | None = None
    ratio: float | None = None
    target: Target | None = None
    ok: bool | None = None
    details: Mapping[str, float | str] = field(default_factory=dict)


def figure(
    measure: str,
    name: str,
    unit: str,
    value: float,
    *,
    beside: str = "",
    baseline: float | None = None,
    ratio: float | None = None,
    target: Target | None = None,
    details: Mapping[str, float | str] | None = None,
) -> Figure:
    """A figure judged by its target; without a ratio it is value to baseline."""
    if ratio is None and baseline:
        ratio = value / baseline
    judged = value if target is not None and target.of == "value" else ratio
    ok = target.met(judged) if target is not None and judged is not None else None
    return Figure(
        measure, name, unit, value, beside, baseline, ratio, target, ok, dict(details or {})
    )


def at_most(limit: float) -> Target:
    return Target("value", "<=", limit)


def at_least(limit: float) -> Target:
    return Target("value", ">=", limit)


def ratio_at_most(limit: float) -> Target:
    return Target("ratio", "<=", limit)


def ratio_at_least(limit: float) -> Target:
    return Target("ratio", ">=", limit)


def surroundings() -> dict[str, str | int]:
    """What the figures depend on, besides the code."""
    return {
        "mnemic": __version__,
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count() or 0,
    }
