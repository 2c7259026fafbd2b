"""Recall on a bank file of a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench import plots
from bench.banks import Item, find_files, read_banks
from bench.recall import RecallReport, measure_recall
from bench.retrievers import BASELINES, RETRIEVERS, Retriever
from mnemic.errors import InvalidInput, NotFound
from tests.bench.conftest import Shell

pytestmark = pytest.mark.feature("N10")


@pytest.fixture
def report(bank_file: Path) -> RecallReport:
    return measure_recall([bank_file])


def test_every_retriever_answers_every_question(report: RecallReport) -> None:
    assert [result.retriever for result in report.results] == list(RETRIEVERS)
    for result in report.results:
        assert (result.banks, result.items, result.questions) == (2, 5, 3)
        assert result.metrics["recall@10"].count == 3
        assert result.metrics["stale@10"].count == 1
        assert set(result.categories) == {"", "place", "time"}
        assert all(0 <= m.low <= m.value <= m.high <= 1 for m in result.metrics.values())
        assert 0 < result.p50_ms <= result.p95_ms
    assert report.peak_memory_mb > 1


def test_ours_finds_both_languages(report: RecallReport) -> None:
    ours = report.results[0]
    assert ours.metrics["hit@5"].value == 1


def test_plain_fts5_finds_no_chinese(report: RecallReport) -> None:
    plain = next(result for result in report.results if result.retriever == "fts5")
    assert plain.categories[""]["hit@20"].value == 0


@pytest.mark.parametrize("name", RETRIEVERS)
def test_a_retriever_gives_ids_best_first(name: str) -> None:
    retriever: Retriever = RETRIEVERS[name]()
    retriever.add([Item("x", "nothing of the kind"), Item("y", "a walnut cake with walnut cream")])
    retriever.add([Item("z", "walnut trees", speaker="Ann", session="later")])
    assert retriever.search("walnut cream", 5)[0] == "y"
    if name not in ("mnemic", "dense"):  # which offer what is nearest in meaning
        assert retriever.search("zebra", 5) == []
    assert retriever.search("", 5) == []
    retriever.close()


def test_another_retriever_fits_in(bank_file: Path) -> None:
    class Last:
        def __init__(self) -> None:
            self.ids: list[str] = []

        def add(self, items: Sequence[Item]) -> None:
            self.ids += [item.id for item in items]

        def search(self, query: str, k: int) -> list[str]:
            return self.ids[::-1][:k]

        def close(self) -> None:
            self.ids.clear()

    found = measure_recall([bank_file], names=["last"], limit=1, factories={"last": Last})
    (result,) = found.results
    assert result.banks == 1
    assert result.metrics["hit@1"].value == 0.5
    assert result.metrics["stale@10"].value == pytest.approx(1 / 3)


def test_files_and_folders(bank_file: Path, tmp_path: Path) -> None:
    assert find_files([bank_file, bank_file.parent]) == [bank_file]
    with pytest.raises(NotFound):
        find_files([tmp_path / "missing.jsonl"])
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"bank": "x", "items": [{"id": 1}]}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match="Line 1"):
        list(read_banks(broken))
    broken.write_text('{"bank": "x", "items": [], "questions": []}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match="no question"):
        measure_recall([broken])


def test_the_command(shell: Shell, bank_file: Path) -> None:
    other = bank_file.with_name("other.jsonl")
    other.write_bytes(bank_file.read_bytes())
    both = ["recall", "--data", str(bank_file), str(other)]
    told = shell.json(*both, "--baseline", "grep", "--limit", "1")
    assert [(r["file"], r["retriever"]) for r in told["results"]] == [
        ("tiny", "mnemic"), ("tiny", "grep"), ("other", "mnemic"), ("other", "grep"),
    ]  # fmt: skip
    assert told["results"][0]["banks"] == 1
    shown = shell(*both, "--categories").stdout
    assert all(name in shown for name in (*BASELINES, "recall@10", "Peak memory", "place"))
    alone = shell.json(*both, "--baseline", "none")
    assert {r["retriever"] for r in alone["results"]} == {"mnemic"}
    shell("recall", code=2)
    blind = shell.json(*both, "--baseline", "none", "--set", "recall.min_score=1")
    assert blind["results"][0]["metrics"] != alone["results"][0]["metrics"], "settings count"


def test_a_plot(report: RecallReport, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plots.plot_recall(report, tmp_path / "recall.png")
    assert (tmp_path / "recall.png").read_bytes().startswith(b"\x89PNG")
