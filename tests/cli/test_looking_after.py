"""mnemic forget, audit, doctor and stats on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mnemic
from tests.cli.conftest import Shell
from tests.planting import plant

pytestmark = pytest.mark.feature("O4")


def test_forget_shows_first_and_asks(told: Shell) -> None:
    shown = told("forget", "--query", "Lisbon", "--dry-run").stdout
    assert "We fly to «Lisbon» on Friday" in shown, "with the words marked"
    assert "\x1b" not in shown
    assert "it has the words" in shown
    assert "--yes" in told("forget", "--query", "Lisbon", code=2).stderr
    assert len(told.json("turns")) == 3


@pytest.mark.feature("N7")
def test_a_receipt_is_kept_and_checked(told: Shell, tmp_path: Path) -> None:
    receipt = tmp_path / "receipt.json"
    said = told("forget", "--query", "Lisbon", "--yes", "--receipt", str(receipt)).stdout
    assert "1 turn" in said
    assert f"--forgotten {receipt}" in said
    assert b"isbon" not in told.db.read_bytes()
    assert "isbon" not in receipt.read_text()
    assert receipt.stat().st_mode & 0o077 == 0
    findings = told.json("doctor", "--forgotten", str(receipt))["findings"]
    assert [f["ok"] for f in findings if f["check"].startswith("forgotten")]
    assert all(f["ok"] for f in findings)
    told("record", "-s", "trip", "Lisbon again")
    told("doctor", "--forgotten", str(receipt))


def test_what_is_forgotten_is_counted_in_words(shell: Shell) -> None:
    for text in ("The violin is in the attic", "The violin has a new bow"):
        shell("add", text)
    assert "2 memories in all." in shell("forget", "--query", "violin", "--dry-run").stdout


def test_forget_for_programs(told: Shell) -> None:
    (turn,) = told.json("turns", "--session", "trip")
    preview = told.json("forget", "--id", turn["id"], "--dry-run")
    assert (preview["dry_run"], preview["items"][0]["id"]) == (True, turn["id"])
    (item,) = told.json("forget", "--query", "Lisbon", "--dry-run")["items"]
    assert [item["text"][start:end] for start, end in item["highlights"]] == ["Lisbon"]
    told("forget", "--id", turn["id"], "--json", code=2)
    done = told.json("forget", "--id", turn["id"], "--yes")
    assert done["counts"] == {"turn": 1}
    assert told.json("turns", "--session", "trip") == []
    assert "Nothing matches" in told("forget", "--query", "Lisbon").stderr


def test_a_file_that_is_no_receipt(told: Shell, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    assert "not a receipt" in told("doctor", "--forgotten", str(bad), code=2).stderr
    told("doctor", "--forgotten", str(tmp_path / "missing"), code=2)


@pytest.mark.feature("N6")
def test_audit_tells_rates_and_remedies(told: Shell) -> None:
    with mnemic.open(told.db, worker="none") as mind:
        for text in ("uses Python 3.12", "Uses Python 3.12."):
            plant(mind, text, kind="config")
    said = told("audit").stdout
    assert "duplicate" in said
    assert "mnemic upkeep daily" in said
    found = told.json("audit")
    assert found["rates"]["duplicate"] > 0
    assert {check["name"] for check in found["checks"]} == set(found["rates"])


@pytest.mark.feature("U8")
def test_stats_as_table_json_and_prometheus(told: Shell) -> None:
    told("context", "which Python do I use?", "--session", "dev")
    assert "context share" in told("stats").stdout
    metrics = told.json("stats", "--days", "7")["metrics"]
    assert (metrics["contexts"], metrics["days"]) == (1, 7)
    text = told("stats", "--prometheus").stdout
    assert 'mnemic_contexts_total{space="default"} 1' in text
    assert json.dumps(metrics)
