"""The rules measured on the labeled messages, and the command that tells it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.extraction import PRECISION, RECALL, ExtractionReport, measure_extraction
from bench.utterances import LANGUAGES, POSITIVES, TRAPS
from tests.bench.conftest import Shell

pytestmark = pytest.mark.feature("X5")


@pytest.fixture(scope="module")
def report() -> ExtractionReport:
    return measure_extraction()


def test_the_targets_are_met(report: ExtractionReport) -> None:
    assert report.utterances >= 300
    assert report.all.precision.value >= PRECISION
    assert report.all.recall.value >= RECALL
    assert report.ok


def test_precision_holds_where_no_rule_was_tuned(report: ExtractionReport) -> None:
    assert report.held_out.precision.value >= PRECISION
    assert report.held_out.traps_sprung.value <= 1 - PRECISION


def test_every_language_and_category_is_told(report: ExtractionReport) -> None:
    assert set(report.languages) == set(LANGUAGES)
    assert set(report.categories) == set(POSITIVES)
    assert set(report.traps) == set(TRAPS)
    for figures in report.languages.values():
        assert figures.precision.value >= 0.9
    assert report.ms_per_message < 10


def test_nobody_is_shown_what_is_held_out(report: ExtractionReport) -> None:
    assert all(int(slip.id.rsplit("-", 1)[1]) % 2 == 1 for slip in report.slips)


def test_the_command(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "extraction.json"
    shown = shell("extraction", "--slips", "--out", str(out))
    assert shown.exit_code == 0
    assert "held out" in shown.stdout
    assert "Targets met on all" in shown.stdout
    written = json.loads(out.read_text(encoding="utf-8"))
    assert written["all"]["precision"]["value"] >= PRECISION
    assert json.loads(shell("extraction", "--json").stdout)["ok"] is True
