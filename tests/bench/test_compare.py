"""Mnemic beside a trivial peer on a tiny file, and peers that cannot run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.banks import read_banks
from bench.compare.__main__ import table
from bench.compare.environments import Environments
from bench.compare.foreign import Asked, draw_foreign, exchange_names, speakers
from bench.compare.measure import Row, Sample, compare, score_sessions
from bench.compare.peers import OURS, PEERS, Peer
from tests.bench.published import LONGMEMEVAL

pytestmark = pytest.mark.feature("N10")
LAST = Peer("last", "Last", "tests.bench.last_peer")


def run(folder: Path, data: Path, *peers: Peer) -> list[Row]:
    return compare([data], peers, Environments(folder / "envs", lambda _: None), Sample())


def test_mnemic_and_a_trivial_peer_answer_the_same_questions(
    bank_file: Path, tmp_path: Path
) -> None:
    ours, last = run(tmp_path, bank_file, OURS, LAST)
    for row in (ours, last):
        assert (row.failure, row.banks, row.items, row.questions) == ("", 2, 5, 3)
        assert row.ingest_ms > 0
        assert row.search_ms > 0
    assert ours.metrics["recall@5"].value == 1
    assert ours.metrics["mrr"].value > last.metrics["mrr"].value == pytest.approx(2 / 3)
    assert last.auc == 0.5, "it scores everything alike"
    shown = "\n".join(table([ours, last]))
    assert "| Last 1 | 1.000 | 1.000 | 0.667 | 0.500 |" in shown


def test_peer_that_cannot_run_is_listed_with_its_reason(tmp_path: Path) -> None:
    data = tmp_path / "one.jsonl"
    item = {"id": "a", "text": "The break is at ten"}
    question = {"id": "1", "query": "When is the break?", "gold": ["a"]}
    bank = {"bank": "x", "items": [item], "questions": [question]}
    data.write_text(json.dumps(bank), encoding="utf-8")
    gone = Peer("gone", "Gone", "tests.bench.no_such_peer")
    unpinned = Peer("unpinned", "Unpinned", "x", tmp_path / "missing.txt")
    rows = run(tmp_path, data, LAST, gone, unpinned)
    assert [row.peer for row in rows] == ["Last", "Gone", "Unpinned"]
    assert rows[0].failure == "asked to break"
    assert "no_such_peer" in rows[1].failure
    assert "missing.txt" in rows[2].failure
    assert "| Gone | not measured: " in "\n".join(table(rows))


def test_every_peer_has_a_runner_and_whole_pins() -> None:
    root = Path(__file__).parents[2]
    for peer in PEERS.values():
        assert root.joinpath(*peer.module.split(".")).with_suffix(".py").is_file()
        if peer.requirements is not None:
            lines = peer.requirements.read_text(encoding="utf-8").split()
            assert lines
            assert all("==" in line for line in lines), peer.name


def test_names_of_other_peoples_questions_are_exchanged(bank_file: Path) -> None:
    trip, home = read_banks(bank_file)
    assert speakers(trip) == ("Ann", "Ben")
    assert speakers(home) == (), "a role is no name"
    assert exchange_names("Did Ann meet Ben's Annie?", ["Ann", "Ben"], ["Ben", "Eve"]) == (
        "Did Ben meet Eve's Annie?"
    )
    assert exchange_names("Ann说了什么？", ["Ann"], ["Eve"]) == "Eve说了什么？"
    both = [
        Asked(("Ann",), ("Where is Ann?", "Who?")),
        Asked(("Eve",), ("Why did Eve go?", "Who?")),
    ]
    assert draw_foreign(both) == [["Why did Ann go?"], ["Where is Eve?"]]


def test_longmemeval_ranks_sessions_by_the_turns_of_users(tmp_path: Path) -> None:
    data = tmp_path / "longmemeval_s.json"
    data.write_text(json.dumps(LONGMEMEVAL), encoding="utf-8")
    (row,) = run(tmp_path, data, LAST)
    assert row.questions == 1, "an unanswerable question is left out"
    users = [turn for bank in LONGMEMEVAL for session in bank["haystack_sessions"]
             for turn in session if turn["role"] == "user"]  # fmt: skip
    assert row.items == len(users)
    assert row.metrics["session any@5"].value == 1
    sessions = {"a": "s1", "b": "s1", "c": "s2", "d": "s3"}
    ranked = ["c", "a", "b", "d"]
    assert score_sessions(ranked, ["b", "d"], sessions)["session all@5"] == 1
    seven = {str(n): f"s{n}" for n in range(7)}
    late = score_sessions([str(n) for n in range(7)], ["0", "6"], seven)
    assert (late["session any@5"], late["session all@5"]) == (1, 0)
    assert late["session all@10"] == 1
