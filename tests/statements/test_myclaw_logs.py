"""Log lines of key operations: the document's prefix and words, and nobody's private text."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Message
from mnemic.clock import ManualClock

SECRET = "我决定离职去大理开咖啡馆"
FACT = "用户决定离职去大理开咖啡馆"


class Model:
    name = "m"
    fails = False

    def complete(self, messages: Sequence[Message], *, schema: Any = None) -> str:
        if self.fails:
            raise mnemic.BadAnswer(f"it repeats {SECRET}")
        return json.dumps(
            {"facts": [{"content": FACT, "kind": "decision", "confidence": 0.9, "turns": [1]}]}
        )


class Embedder:
    name, dimensions, fails = "e", 16, False

    def embed(self, texts: Sequence[str]) -> Any:
        if self.fails:
            raise OSError(SECRET)
        return [[float(n == len(text) % 16) for n in range(16)] for text in texts]


def lines(caplog: pytest.LogCaptureFixture, level: int = logging.INFO) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.name == "mnemic" and record.levelno >= level
    ]


def live(preset: str, folder: Path, clock: ManualClock) -> None:
    """A talk, its extraction, a failing search, a night, an error, and what is forgotten."""
    model, embedder = Model(), Embedder()
    with mnemic.open(
        folder / "m.db",
        preset=preset,
        clock=clock,
        worker="none",
        model=model,
        embedder=embedder,
        triggers__quiet_gap="3m",
        recall__supplement_below=0,  # so that vectors are asked, which fail
    ) as mind:
        session = mind.session("s")
        session.user(SECRET + "，下个月就走。")
        session.assistant("听起来不错。")
        clock.advance(minutes=4)
        mind.drain()
        embedder.fails = True
        mind.recall("我的计划是什么")
        mind.upkeep("daily")
        model.fails = True
        session.user("还有，" + SECRET + "，明年就去。")
        clock.advance(minutes=4)
        mind.drain()
        mind.forget(session="s")


@pytest.mark.statement("D59")
def test_the_lines_of_the_document(
    tmp_path: Path, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Better: an error is named by its type; its words, which may repeat what a person said, come
    at DEBUG only, with secrets masked."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_text("- 用户叫阿青\n", encoding="utf-8")
    with caplog.at_level(logging.INFO, "mnemic"):
        live("myclaw", tmp_path, clock)
    shown = lines(caplog)
    assert "[memory] migration complete: 1 files" in shown
    assert "[memory] extracted 1 facts from 2 messages" in shown
    assert "[memory] extraction error: BadAnswer" in shown
    assert any(line.startswith("[memory] retrieve error: ") for line in shown)
    assert any(line.startswith("[memory] daily upkeep: ") for line in shown)
    assert any(line.startswith("[memory] forgot ") for line in shown)
    assert all(line.startswith("[memory] ") for line in shown)
    assert not any("大理" in line or "阿青" in line for line in shown)
    (extracted,) = [one for one in caplog.records if "extracted" in one.getMessage()]
    assert vars(extracted)["mnemic"] == {"facts": 1, "messages": 2}


def test_other_presets_log_without_a_prefix_and_quietly(
    tmp_path: Path,
    clock: ManualClock,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with caplog.at_level(logging.DEBUG, "mnemic"):
        live("default", tmp_path, clock)
    assert "extracted 1 facts from 2 messages" in lines(caplog)
    assert not any("大理" in line for line in lines(caplog))
    assert any("BadAnswer" in line for line in lines(caplog, logging.WARNING))
    everything = lines(caplog, logging.DEBUG)
    assert any("it repeats" in line for line in everything)  # for whoever asks for all of it
    assert capfd.readouterr().err == ""
