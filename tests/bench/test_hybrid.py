"""Recall with vectors is measured part by part at a tiny size. No time is judged here."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from bench import plots
from bench.barevec import BareVec
from bench.speed import Plan, SpeedReport, measure_speed
from tests.bench.conftest import Shell

PLAN = Plan(measures=("recall", "hybrid"), tongues=("en", "zh"), sizes=(16, 40), queries=4)
PARTS = ("whole", "query embedding", "vector part", "text part", "without vectors")


@pytest.fixture(scope="module")
def report() -> SpeedReport:
    return measure_speed(PLAN, lambda _: None)


def test_every_part_is_there_at_every_size(report: SpeedReport) -> None:
    names = [one.name for one in report.figures]
    for size in PLAN.sizes:
        for part in PARTS:
            assert f"en, {size} turns, {part}, p50" in names
            assert f"en, {size} turns, {part}, p95" in names
        for state in ("first question after opening", "memory of a million vectors"):
            assert f"en, {size} turns, {state}" in names
    assert all(math.isfinite(one.value) and one.value >= 0 for one in report.figures)
    there = [one.name for one in report.figures if one.measure == "hybrid"]
    assert not any(name.startswith("zh") for name in there), "no vectors there"


def test_nothing_near_is_lost(report: SpeedReport) -> None:
    overlap = [one for one in report.figures if "overlap" in one.name]
    assert [one.value for one in overlap] == [1, 1]
    assert all(one.ok for one in overlap)


def test_a_plot_has_a_line_for_each_part(report: SpeedReport, tmp_path: Path) -> None:
    lines = plots.latency_lines(report)
    assert {tongue for tongue, _, _ in lines} == {"en", "zh", "en, with vectors"}
    drawn = {name for _, name, _ in lines}
    assert {f"mnemic, {part}" for part in PARTS} <= drawn
    assert {"sqlite-vec", "FTS5 OR query"} <= drawn
    plots.plot_speed(report, tmp_path / "hybrid.png")
    assert (tmp_path / "hybrid.png").read_bytes().startswith(b"\x89PNG")


def test_kept_files_are_gone_on_with(shell: Shell, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    asked = ["speed", "--only", "hybrid", "--language", "en", "--queries", "2"]
    shell.json(*asked, "--sizes", "10", "--keep", str(kept))
    told = shell.json(*asked, "--sizes", "20", "--keep", str(kept))
    assert any(one["name"].startswith("en, 20 turns, whole") for one in told["figures"])


def test_a_bare_scan_is_exact(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).standard_normal((50, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    with BareVec(tmp_path / "bare.db", 8) as bare:
        lasts = [bare.last]
        bare.add(range(100, 150), rows.tobytes())
        lasts.append(bare.last)
        found = bare.search(rows[7].tobytes(), 3)
    assert lasts == [None, 149]
    exact = np.argsort(-(rows @ rows[7]))[:3]
    assert [doc - 100 for doc, _ in found] == exact.tolist()
    assert found[0][1] == pytest.approx(0, abs=1e-5)
