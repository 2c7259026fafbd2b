"""What a context shows: precision, calibration, and nothing where nothing fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import plots
from bench.calibration import auc, calibration
from bench.evidence import EvidenceReport, foreign_questions, measure_evidence
from bench.metrics import mean, ratio
from mnemic.errors import InvalidInput
from tests.bench.conftest import Shell
from tests.bench.published import LOCOMO, write

pytestmark = pytest.mark.feature("N10")


@pytest.fixture(scope="module")
def locomo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("evidence") / "locomo.json", LOCOMO)


@pytest.fixture(scope="module")
def report(locomo: Path) -> EvidenceReport:
    return measure_evidence([locomo])


def test_calibration_by_hand() -> None:
    fit = calibration([0.05, 0.95, 0.95, 1.7], [False, True, False, True])
    assert fit is not None
    low, high = fit.bins[0], fit.bins[9]
    assert [one.count for one in fit.bins] == [1, 0, 0, 0, 0, 0, 0, 0, 0, 3]
    assert (low.score, low.right) == (0.05, 0)
    assert [high.score, high.right] == pytest.approx([2.9 / 3, 2 / 3])
    assert fit.error == pytest.approx((0.05 + 3 * (2.9 / 3 - 2 / 3)) / 4)
    assert fit.brier == pytest.approx((0.05**2 + 0.05**2 + 0.95**2) / 4)
    assert calibration([], []) is None


def test_auc_by_hand() -> None:
    assert auc([3, 4], [1, 2]) == 1
    assert auc([1, 2], [3, 4]) == 0
    assert auc([2, 2], [2, 2]) == 0.5
    assert auc([1, 3], [2, 0]) == 0.75
    assert auc([1], []) is None


def test_a_ratio_is_of_sums() -> None:
    told = ratio([1, 0, 1], [1, 5, 4])
    assert told.value == pytest.approx(0.2)
    assert told.low <= told.value <= told.high
    assert ratio([0, 0], [0, 0]).value == 0
    assert ratio([1, 0, 0, 1], [1, 1, 1, 1]) == mean([1, 0, 0, 1])


def test_foreign_questions_are_as_many_and_never_own() -> None:
    own = [["a", "b"], ["c", "d", "a"], ["e"]]
    drawn = foreign_questions(own)
    assert drawn == foreign_questions(own)
    assert [len(queries) for queries in drawn] == [2, 2, 1]  # of two foreign ones only two
    assert all(not set(mine) & set(theirs) for mine, theirs in zip(own, drawn, strict=True))
    assert foreign_questions([["a"]]) == [[]]


def test_the_figures_of_a_file(report: EvidenceReport) -> None:
    (result,) = report.results
    assert (result.file, result.banks, result.questions) == ("locomo", 2, 5)
    assert result.recall.value > 0.8
    assert 0 < result.precision.value < 1
    assert result.lines.value <= 8
    assert result.tokens.value > 10 * result.lines.value
    gold_lines = result.precision.value * result.lines.value
    assert result.tokens_per_gold_line == pytest.approx(result.tokens.value / gold_lines)
    assert result.calibration is not None
    shares = [one for one in result.calibration.bins if one.count]
    assert sum(one.count * one.right for one in shares) >= 5
    assert result.nothing_fits is not None
    assert result.nothing_fits.questions == 2
    assert 0 <= result.nothing_fits.auc <= 1
    assert result.nothing_fits.empty_own < result.nothing_fits.empty_foreign


def test_a_context_without_evidence_counts_as_empty(shell: Shell, locomo: Path) -> None:
    told = shell.json("evidence", str(locomo), "--set", "recall.evidence=0")
    (result,) = told["results"]
    assert result["nothing_fits"]["empty_own"] == result["nothing_fits"]["empty_foreign"] == 1
    assert (result["tokens"]["value"], result["tokens_per_gold_line"]) == (0, None)
    assert result["precision"]["value"] == 0


def test_the_command(shell: Shell, bank_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    shown = shell("evidence", str(bank_file), "--bins", "--out", str(out))
    assert "2 of 2 banks, 5 of 5 questions" in shown.stderr
    assert all(head in shown.stdout for head in ("precision", "tokens/gold line", "AUC", "0.9-1.0"))
    assert out.stat().st_size > 1000
    told = shell.json("evidence", str(bank_file), "--limit", "1")
    assert told["results"][0]["nothing_fits"] is None
    assert told["results"][0]["recall"]["value"] == 1
    assert "one bank" in shell("evidence", str(bank_file), "--limit", "1").stdout
    shell("evidence", code=2)


def test_a_file_without_gold_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", {"bank": "x", "items": [], "questions": []}, indent=None)
    with pytest.raises(InvalidInput, match="no question with gold"):
        measure_evidence([path])


def test_a_plot(report: EvidenceReport, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plots.plot_calibration(report, tmp_path / "fit.png")
    assert (tmp_path / "fit.png").read_bytes().startswith(b"\x89PNG")
