"""Pictures of the figures, for which matplotlib has to be installed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from bench.evidence import EvidenceReport
from bench.recall import RecallReport
from bench.speed import SpeedReport
from mnemic.errors import InvalidInput, MissingExtra

_OURS = "mnemic"
_DPI = 150


def require_matplotlib() -> Any:
    """The part of matplotlib that draws without a screen."""
    try:
        return import_module("matplotlib.figure").Figure
    except ImportError as error:
        raise MissingExtra(
            "Plots need matplotlib", remedy='Install it: pip install "mnemic[bench]"'
        ) from error


def plot_speed(report: SpeedReport, path: Path) -> None:
    """How recall latency grows with the number of turns, ours and the baselines', log-log."""
    drawn = require_matplotlib()(figsize=(12, 7), layout="constrained")
    lines = latency_lines(report)
    tongues = list(dict.fromkeys(tongue for tongue, _, _ in lines))
    if not tongues:
        raise InvalidInput("There is no recall latency to plot", remedy="Measure recall as well")
    axes = drawn.subplots(1, len(tongues), sharey=True, squeeze=False)[0]
    for axis, tongue in zip(axes, tongues, strict=True):
        for (of, name, p), points in lines.items():
            if of == tongue:
                style = {"linestyle": "-" if p == 50 else ":", "marker": "o", "markersize": 4}
                color = _color(name, [n for t, n, _ in lines if t == tongue])
                axis.plot(*zip(*sorted(points), strict=True), color=color,
                          label=f"{name}, p{p}", **style)  # fmt: skip
        axis.set(xscale="log", yscale="log", title=tongue, xlabel="turns")
        axis.grid(True, which="both", alpha=0.2)
        axis.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.12))
    axes[0].set_ylabel("milliseconds a query")
    drawn.savefig(path, dpi=_DPI)


def latency_lines(report: SpeedReport) -> dict[tuple[str, str, int], list[tuple[int, float]]]:
    """(language, contender, percentile) to points of turns and milliseconds."""
    lines: dict[tuple[str, str, int], dict[int, float]] = {}
    for one in report.figures:
        if one.measure in ("recall", "hybrid") and "p" in one.details:
            tongue, p, size = (
                str(one.details["language"]),
                int(one.details["p"]),
                one.details["size"],
            )
            ours = f"{_OURS}, {one.details['part']}"
            lines.setdefault((tongue, ours, p), {})[int(size)] = one.value
            if one.baseline is not None and one.details.get("part") != "whole":
                lines.setdefault((tongue, one.beside, p), {})[int(size)] = one.baseline
    return {key: list(points.items()) for key, points in lines.items()}


def plot_recall(report: RecallReport, path: Path, metric: str = "recall@10") -> None:
    """A bar for each retriever on each file, with its interval."""
    drawn = require_matplotlib()(figsize=(10, 5), layout="constrained")
    axis = drawn.subplots()
    files = list(dict.fromkeys(result.file for result in report.results))
    names = list(dict.fromkeys(result.retriever for result in report.results))
    width = 0.8 / len(names)
    for place, name in enumerate(names):
        found = [result for result in report.results if result.retriever == name]
        values = [result.metrics[metric] for result in found]
        spots = [files.index(result.file) + (place - (len(names) - 1) / 2) * width
                 for result in found]  # fmt: skip
        reach = [[max(0.0, v.value - v.low) for v in values],
                 [max(0.0, v.high - v.value) for v in values]]  # fmt: skip
        axis.bar(spots, [v.value for v in values], width, yerr=reach, capsize=2, label=name,
                 color=_color(name, names))  # fmt: skip
    axis.set_xticks(range(len(files)), files, rotation=20, ha="right")
    axis.set(ylabel=metric, ylim=(0, 1))
    axis.grid(True, axis="y", alpha=0.2)
    axis.legend(fontsize="small")
    drawn.savefig(path, dpi=_DPI)


def plot_calibration(report: EvidenceReport, path: Path) -> None:
    """The share of gold among the hits of a score, beside the score, for every file."""
    drawn = require_matplotlib()(figsize=(7, 7), layout="constrained")
    axis = drawn.subplots()
    axis.plot((0, 1), (0, 1), color="grey", linestyle=":", label="calibrated")
    for result in report.results:
        if result.calibration is not None:
            bins = [one for one in result.calibration.bins if one.count]
            label = f"{result.file}, ECE {result.calibration.error:.3f}"
            axis.plot([one.score for one in bins], [one.right for one in bins], marker="o",
                      markersize=4, label=label)  # fmt: skip
    axis.set(xlabel="mean score of a hit", ylabel="share that is gold", xlim=(0, 1), ylim=(0, 1))
    axis.grid(True, alpha=0.2)
    axis.legend(fontsize="small")
    drawn.savefig(path, dpi=_DPI)


def _color(name: str, names: list[str]) -> str:
    """Ours in one color wherever it is; the others in the order they come."""
    return f"C{list(dict.fromkeys(names)).index(name) % 10}"
