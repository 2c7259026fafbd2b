"""What the documents promise to those who come with memory: A §9.1, D §12.2."""

from __future__ import annotations

import logging
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

import mnemic
from tests.cli.conftest import Shell, db, shell
from tests.moving import sources
from tests.statements.test_myclaw_logs import lines

__all__ = ["db", "shell"]
OPENAKITA = ("--preset", "openakita")
MYCLAW = ("--preset", "myclaw")


@pytest.mark.statement("A109")
def test_memories_json_is_imported(shell: Shell, tmp_path: Path) -> None:
    file = sources.openakita_json(tmp_path)
    before = file.read_bytes()
    done = shell.json("import", str(file), *OPENAKITA)
    assert (done["format"], done["added"]) == ("openakita", len(sources.MEMORIES))
    again = shell.json("import", str(file), *OPENAKITA)
    assert (again["added"], again["known"]) == (0, len(sources.MEMORIES))
    assert file.read_bytes() == before, "it stays as a backup (A §9.3)"
    with mnemic.open(shell.db, preset="openakita", worker="none") as mind:
        said = {
            str(memory.text): mind.words(memory) for memory in (*mind.memories(), *mind.pending())
        }
        assert {text: words["type"] for text, words in said.items()} == {
            "用户喜欢用 uv 管理 Python 环境": "PREFERENCE",
            "用户住在上海": "FACT",
            "commit 前必须先跑测试": "RULE",
            "pip 会装错 torch 的版本": "ERROR",
        }
        assert said["用户住在上海"]["priority"] == "PERMANENT"
        (liked,) = mind.memories(kind="PREFERENCE")
        assert liked.created_at == datetime(2025, 3, 1, 9, 30, tzinfo=UTC)
        assert (liked.importance, liked.confidence, liked.trust) == (0.6, 0.8, "agent")
        assert any("uv" in hit.text for hit in mind.recall("用户用什么管理 Python"))


@pytest.mark.statement("A110")
def test_a_chromadb_collection_is_imported(shell: Shell, tmp_path: Path) -> None:
    """Made by the real library, with the metadata that OpenAkita keeps."""
    place = sources.chroma(tmp_path)
    before = sources.prints(place)
    done = shell.json("import", str(place), *OPENAKITA, code=1)
    assert (done["format"], done["added"]) == ("chroma", 3)
    assert [one["reason"] for one in done["problems"]] == ["it has no text"]
    assert shell.json("import", str(place), *OPENAKITA, code=1)["added"] == 0
    assert sources.prints(place) == before
    with mnemic.open(shell.db, preset="openakita", worker="none") as mind:
        said = {
            str(memory.text): mind.words(memory)["type"]
            for memory in (*mind.memories(), *mind.pending())
        }
        assert [memory.kind for memory in mind.pending()] == ["rule"], "it waits for the user"
        assert (said["用户对花生过敏"], said["回答要简短，不用表格"]) == ("FACT", "RULE")
        assert any("花生" in hit.text for hit in mind.recall("用户对什么过敏"))


@pytest.mark.statement("D112", "D113")
@pytest.mark.parametrize("inner", ["", "memory"], ids=["workspace", "memory"])
def test_a_workspace_is_imported(
    inner: str, shell: Shell, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Lines of MEMORY.md are the profile, dated files the days; the log says when it is done."""
    place = sources.myclaw(tmp_path / "old") / inner
    before = sources.prints(place)
    with caplog.at_level(logging.INFO, "mnemic"):
        done = shell.json("import", str(place), *MYCLAW)
    assert (done["format"], done["added"]) == ("myclaw", 4)
    assert lines(caplog)[-1].startswith("[memory] migration complete")
    assert shell.json("import", str(place), *MYCLAW)["added"] == 0
    assert sources.prints(place) == before
    with mnemic.open(shell.db, preset="myclaw", worker="none") as mind:
        known = mind.memories()
        assert {memory.text for memory in known} == {
            "用户名 yangyang，全栈工程师",
            "活跃项目: myclaw (Go)",
        }
        for memory in known:
            said = (memory.kind, memory.importance, memory.project, memory.topic, memory.origin)
            assert said == ("identity", 1.0, "_global", "_profile", "migration")
        assert "yangyang" in mind.context("今天天气怎么样？").text
        days = {event.day: event for event in mind.daily_events()}
        assert set(days) == {date(2026, 2, 10), date(2026, 2, 12)}
        assert {event.channel for event in days.values()} == {"migration"}
        assert days[date(2026, 2, 10)].summary == "# 周二\n\n- 修好了网关\n- 部署到测试环境"


def test_a_file_that_is_no_day_is_named(shell: Shell, tmp_path: Path) -> None:
    place = sources.myclaw(tmp_path / "old")
    (place / "memory" / "ideas.md").write_text("an idea", "utf-8")
    (place / "memory" / "2026-13-45.md").write_text("no such day", "utf-8")
    done = shell.json("import", str(place), *MYCLAW, code=1)
    assert (done["added"], done["rejected"]) == (4, 2)
    named = {one["place"] for one in done["problems"]}
    assert named == {"memory/ideas.md", "memory/2026-13-45.md"}
