"""Every format goes in with what it holds: counted, once, with its own time, origin and trust."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

import mnemic
from mnemic.moving.importer import import_source
from mnemic.types import NewMemory
from tests.cli.conftest import Shell, db, shell
from tests.conftest import OpenMind
from tests.moving import sources
from tests.moving.sources import CASES, Case, by_text
from tests.waiting import wait_for

__all__ = ["db", "shell"]
pytestmark = pytest.mark.feature("O2")
ALL = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


@ALL
def test_what_a_source_holds_is_known_afterwards(
    case: Case, open_mind: OpenMind, tmp_path: Path
) -> None:
    place = case.make(tmp_path)
    before = sources.prints(place)
    mind = open_mind()
    done, refused = import_source(mind, str(place))
    assert (done.format, dict(done.kinds)) == (case.format, case.read)
    assert done.added == sum(case.read.values())
    assert (done.known, done.dropped, done.rejected) == (0, 0, case.rejected)
    assert len(refused) == case.rejected

    known = mind.memories(limit=100)
    assert len(known) == case.current
    waiting = mind.pending()
    assert len(waiting) == done.pending == case.pending
    assert {memory.kind for memory in waiting} <= {"rule", "identity", "trait"}
    if case.read.get("memory"):
        assert {memory.metadata["imported_from"] for memory in known} == {case.format}
        assert {memory.origin for memory in known} == {"migration"}
        assert case.trust in {memory.trust for memory in known}
    question, answer = case.recalled
    assert any(answer in hit.text for hit in mind.recall(question))

    again, _ = import_source(mind, str(place))
    assert (again.added, again.known) == (0, sum(case.read.values()))
    assert len(mind.memories(limit=100)) == case.current
    assert sources.prints(place) == before, "the source is only read, nothing is put beside it"


@ALL
def test_the_command_previews_and_imports(case: Case, shell: Shell, tmp_path: Path) -> None:
    place = str(case.make(tmp_path))
    code = 1 if case.rejected else 0
    seen = shell.json("import", place, "--preview", code=code)
    assert (seen["format"], seen["read"], seen["rejected"]) == (
        case.format,
        case.read,
        case.rejected,
    )
    assert not shell.db.exists(), "nothing was written"
    done = shell.json("import", place, code=code)
    assert {key: done[key] for key in ("format", "read", "first", "last", "rejected")} == {
        key: seen[key] for key in ("format", "read", "first", "last", "rejected")
    }
    assert done["added"] == sum(case.read.values())
    named = shell.json("import", place, "--format", case.format, code=code)
    assert (named["added"], named["known"]) == (0, done["added"])


def test_counts_are_written_in_words(shell: Shell, tmp_path: Path) -> None:
    shown = shell("import", str(sources.openakita_db(tmp_path)), "--preview").stdout
    assert shown.startswith("openakita: 1 scratchpad, 1 attachment, 2 turns, 1 episode, 6 memories")


@pytest.mark.parametrize("preset", ["default", "openakita", "shiyi", "myclaw", "semibot"])
def test_words_and_times_of_openakita_hold_under_any_preset(
    preset: str, open_mind: OpenMind, tmp_path: Path
) -> None:
    mind = open_mind(preset=preset)
    import_source(mind, str(sources.openakita_folder(tmp_path)))
    known = by_text([*mind.memories(), *mind.pending()])
    assert {memory.kind for memory in known.values()} == {"preference", "fact", "rule", "lesson"}
    liked = known["用户喜欢用 uv 管理 Python 环境"]
    assert liked.created_at == datetime(2025, 3, 1, 9, 30, tzinfo=UTC)
    assert (liked.importance, liked.confidence, liked.tags) == (0.6, 0.8, ("python",))
    assert liked.expires_at is None
    # What is still there has not ended: a priority's life begins when it comes in.
    assert known["commit 前必须先跑测试"].expires_at is not None
    # The database has superseded it, whatever the older file says; it is past, not gone.
    assert "用户住在北京" not in known
    (home,) = mind.memories(as_of="2025-04-01", text="北京")
    assert home.valid_to == datetime(2025, 6, 1, 9, 30, tzinfo=UTC)
    (story,) = mind.episodes()
    assert (story.session, story.outcome, story.tools) == ("s1", "success", ("write_file",))
    turns = mind.turns(session="s1")
    assert [turn.text for turn in turns] == ["帮我写月报", "写好了"], "not those of the history"
    assert turns[1].tool_calls[0].name == "write_file"
    assert len(mind.turns(session="s0")) == 2
    assert "月报" in mind.scratchpad().text
    (file,) = mind.attachments()
    assert (file.path, file.direction, file.description) == ("/tmp/r.pdf", "outbound", "三月的月报")


def test_what_has_ended_there_does_not_overrule_what_holds_here(mind: mnemic.Mind) -> None:
    """Whatever the order: the past neither contradicts nor confirms."""
    mind.remember(
        "User lives in Shanghai", kind="identity", subject="user", predicate="lives_in",
        value="Shanghai",
    )  # fmt: skip
    before = mind.memories()
    old = NewMemory(
        "User lives in Beijing", "identity", subject="user", predicate="lives_in",
        value="Beijing", learned_at="2020-01-01", valid_to="2024-01-01",
    )  # fmt: skip
    assert mind.add_many({"old": old}).added == 1
    assert mind.memories() == before
    assert [memory.value for memory in mind.memories(as_of="2022-01-01")] == ["Beijing"]
    assert not mind.pending()


def test_a_log_of_changes_beside_the_database_is_read(open_mind: OpenMind, tmp_path: Path) -> None:
    """A crashed OpenAkita leaves its last changes in the -wal; reading leaves no -shm."""
    place = sources.openakita_db(tmp_path, wal=True)
    crash = (
        "import os, sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1])\n"
        "db.execute(\"UPDATE memories SET content = '用户住在深圳' WHERE id = 'm3'\")\n"
        "db.commit()\n"
        "os._exit(1)\n"
    )
    subprocess.run([sys.executable, "-c", crash, str(place)], check=False, timeout=60)
    (tmp_path / "openakita.db-shm").unlink()
    assert (tmp_path / "openakita.db-wal").stat().st_size > 0
    before = sources.prints(tmp_path)
    mind = open_mind(tmp_path / "elsewhere" / "memory.db")
    import_source(mind, str(place))
    assert mind.memories(text="深圳")
    after = {name: one for name, one in sources.prints(tmp_path).items() if "elsewhere" not in name}
    assert after == before


def test_a_collection_is_read_as_the_library_reads_it(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind()
    _, refused = import_source(mind, str(sources.chroma(tmp_path)))
    assert [(one.place, one.reason) for one in refused] == [("notes, n2", "it has no text")]
    known = by_text([*mind.memories(), *mind.pending()])
    assert set(known) == {"用户对花生过敏", "回答要简短，不用表格", "the cat is Rio"}
    allergy = known["用户对花生过敏"]
    assert (allergy.kind, allergy.importance, allergy.tags) == ("fact", 0.9, ("健康", "饮食"))
    assert allergy.created_at == datetime(2025, 3, 1, 9, 30, tzinfo=UTC)
    assert allergy.metadata == {"collection": "memories", "page": 3, "imported_from": "chroma"}
    assert known["回答要简短，不用表格"].kind == "rule"
    # Without a time of its own it was learned when the library stored it.
    assert known["the cat is Rio"].created_at <= mind.memories()[0].updated_at


def test_what_the_library_has_only_logged_is_read(open_mind: OpenMind, tmp_path: Path) -> None:
    """A client that is killed leaves changes in the log that its tables do not have yet."""
    place = sources.chroma(tmp_path)
    with closing(sqlite3.connect(place / "chroma.sqlite3")) as db:
        for table in ("embedding_metadata", "embeddings", "max_seq_id"):
            db.execute(f"DELETE FROM {table}")
        db.commit()
    mind = open_mind()
    done, _ = import_source(mind, str(place))
    assert (done.added, done.rejected) == (3, 1)
    known = by_text([*mind.memories(), *mind.pending()])
    assert set(known) == {"用户对花生过敏", "回答要简短，不用表格", "the cat is Rio"}
    assert known["用户对花生过敏"].importance == 0.9


def test_what_a_person_wrote_is_theirs(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind()
    import_source(mind, str(sources.vault(tmp_path)))
    known = by_text(mind.memories())
    assert set(known) == {
        "住在杭州市，喜欢喝茶。",
        "开会前先发议程 #会议",
        "在乙公司上班\n做后端",
        "dark themes",
        "renew the passport",
    }
    rule = known["开会前先发议程 #会议"]
    assert (rule.kind, rule.topic, rule.trust) == ("rule", "工作", "owner")
    assert set(rule.tags) == {"people", "朋友", "同事", "李雷", "会议"}
    assert rule.created_at == datetime(2025, 3, 1, tzinfo=UTC), "by the front matter"
    assert known["dark themes"].kind == "preference"
    assert known["dark themes"].created_at == datetime(2025, 4, 1, tzinfo=UTC), "by its name"
    assert known["在乙公司上班\n做后端"].kind == "fact"
    struck = [one.text for one in mind.memories(status="all") if "甲公司" in one.text]
    assert struck == ["在甲公司上班"], "kept as past"


def test_a_secret_in_a_note_is_masked(mind: mnemic.Mind, tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    key = "ghp_" + "q8Zr2LwK5xT9mB3vN7cJ1hF6dS4gY0pAeUiO"
    file.write_text(f"- the key of the shop is {key}\n- [credential] {key}\n", "utf-8")
    done, refused = import_source(mind, str(file))
    assert (done.added, done.rejected) == (1, 1)
    assert "kept only on request" in refused[0].reason
    (memory,) = mind.memories()
    assert key not in memory.text
    assert memory.text.startswith("the key of the shop is [")


def test_memories_and_turns_are_told_apart_by_their_keys(shell: Shell, tmp_path: Path) -> None:
    turn = '{"session": "s", "role": "user", "content": "hello"}'
    memory = '{"content": "likes tea", "created_at": "2025-03-01"}'
    for line, format in ((turn, "turns"), (memory, "memories")):
        file = sources.lines(tmp_path / "a.jsonl", [line])
        assert shell.json("import", str(file), "--preview")["format"] == format
        assert shell.json("import", "-", "--preview", input=line)["format"] == format
    mixed = sources.lines(tmp_path / "mixed.jsonl", [memory, turn])
    done = shell.json("import", str(mixed), code=1)
    assert (done["added"], done["problems"][0]["reason"]) == (1, "it is a message, not a memory")


def test_whatever_a_turn_carries_comes_in_with_it(mind: mnemic.Mind, tmp_path: Path) -> None:
    carried = {"raw": "x" * 20_000, "deep": {"of": ["the", "host"]}}
    said = {"session": "s", "role": "user", "content": "in Porto", "metadata": carried}
    (tmp_path / "chat.jsonl").write_text(json.dumps(said), encoding="utf-8")
    done, _ = import_source(mind, str(tmp_path / "chat.jsonl"))
    assert done.added == 1
    assert mind.turns()[0].metadata == carried


def test_killed_in_the_middle_the_rest_follows(shell: Shell, tmp_path: Path) -> None:
    count = 600
    said = [f"- Fact {number} about shelf {number % 17}" for number in range(count)]
    file = sources.lines(tmp_path / "notes.md", said)
    command = [sys.executable, "-m", "mnemic", "import", str(file)]
    with subprocess.Popen(command, env=os.environ.copy(), stdout=subprocess.DEVNULL) as process:
        wait_for(lambda: _has_memories(shell.db))  # by SQL: a command may outlast the import
        process.send_signal(signal.SIGKILL)
        process.wait()
    before = shell.json("stats")["memories"]
    assert 0 < before < count
    again = shell.json("import", str(file))
    assert (again["added"], again["known"]) == (count - before, before)
    assert shell.json("stats")["memories"] == count


def _has_memories(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT 1 FROM memories LIMIT 1").fetchone() is not None
    except sqlite3.OperationalError:
        return False  # not there yet
