"""The command of the measurements, and a tiny bank file, made up here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.command import bench
from tests.cli.conftest import Shell, db

__all__ = ["Shell", "db"]

BANKS: list[dict[str, Any]] = [
    {
        "bank": "trip",
        "items": [
            {"id": "a", "text": "We fly to Lisbon on Friday", "timestamp": "2026-02-12T09:30:00",
             "speaker": "Ann", "session": "one"},
            {"id": "b", "text": "The hotel is near the river", "timestamp": "2026-02-12T09:31:00",
             "speaker": "Ben", "session": "one"},
            {"id": "c", "text": "Now we fly on Sunday instead", "timestamp": "2026-02-13T10:00:00",
             "speaker": "Ann", "session": "two"},
        ],
        "questions": [
            {"id": "1", "query": "Where is the hotel?", "gold": ["b"], "category": "place"},
            {"id": "2", "query": "When do we fly?", "gold": ["c"], "category": "time",
             "avoid": ["a"]},
        ],
    },
    {
        "bank": "住处",
        "items": [
            {"id": "甲", "text": "我上个月搬到了杭州西湖区", "speaker": "用户"},
            {"id": "乙", "text": "周末打算去爬山", "speaker": "用户"},
        ],
        "questions": [{"id": "1", "query": "我现在住在杭州哪里？", "gold": ["甲"]}],
    },
]  # fmt: skip


@pytest.fixture
def shell(db: Path) -> Shell:
    return Shell(db, bench)


@pytest.fixture
def bank_file(tmp_path: Path) -> Path:
    path = tmp_path / "banks" / "tiny.jsonl"
    path.parent.mkdir()
    lines = [json.dumps(bank, ensure_ascii=False) for bank in BANKS]
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return path
