"""Files of a memory are its own: no two names share one, none leads out, no link is followed."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

import mnemic
from mnemic import ConfigError, StoreError, StoreUnavailable
from tests.conftest import OpenMind

COPIES = {"jsonl": True}
WORDS = {"provider": "none"}
SPACES = ("default", "s1", "s1.jsonl", "S1", "a b", "..", "con", ".hidden", "茶")
NAMES = [
    "s1", "S1", "s1.jsonl", "s1.jsonl.jsonl", "S1.JSONL", "a b", "a_b", "..", ".", "...", "../x",
    "a/b", "a\\b", "con", "nul", "com1.txt", "aux.", "end.", ".hidden", "-rf", "~", "~root",
    "x" * 80, "x" * 81, "x" * 500, "é", "e\u0301", "茶", "tab\there", "line\u2028here", "%2e%2e",
]  # fmt: skip


def lookalike(name: str) -> str:
    """A plain name that could be taken for the file of this one."""
    plain = re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII)[:80]
    return f"{plain.strip('.')}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def test_no_two_names_of_sessions_and_spaces_want_one_file(tmp_path: Path) -> None:
    names = [*NAMES, lookalike("a b")]
    expected = set()
    for space in SPACES:
        with mnemic.open(
            tmp_path / "memory.db", space=space, worker="none", ledger=COPIES, embedding=WORDS
        ) as mind:
            chosen = names if space == "default" else ["s1", "a b"]
            for name in chosen:
                mind.session(name).user(f"{space}: {name}")
                expected.add((space, name))
            mind.drain()
    found = set()
    folder = tmp_path / "conversation_history"
    for path in folder.rglob("*.jsonl"):
        assert path.is_file()
        assert re.fullmatch(r"[\w.~-]+", path.name, re.ASCII)
        assert len(path.name) < 150
        said = {json.loads(line)["text"] for line in path.read_bytes().splitlines()}
        assert len(said) == 1, path
        found.add(tuple(said.pop().split(": ", 1)))
    assert found == expected
    lowered = [str(path.relative_to(folder)).lower() for path in folder.rglob("*")]
    assert len(lowered) == len(set(lowered)), "some disks do not tell capitals apart"
    assert {path.name for path in tmp_path.iterdir()} <= {
        "conversation_history", "memory.db", "memory.db-wal", "memory.db-shm",
    }  # fmt: skip


@pytest.mark.parametrize("where", ["file", "folder"])
def test_a_planted_link_is_not_written_through(
    open_mind: OpenMind, tmp_path: Path, where: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    victim = outside / "s.jsonl"
    victim.write_text("precious\n")
    (outside / "MEMORY.md").write_text("- likes nothing\n")
    home = tmp_path / "home"
    history, documents = home / "conversation_history", home / "documents"
    if where == "folder":
        home.mkdir()
        history.symlink_to(outside, target_is_directory=True)
        documents.symlink_to(outside, target_is_directory=True)
    else:
        history.mkdir(parents=True)
        documents.mkdir()
        (history / "s.jsonl").symlink_to(victim)
        (documents / "MEMORY.md").symlink_to(outside / "MEMORY.md")
    mind = open_mind(home / "memory.db", ledger=COPIES)
    mind.session("s").user("I like tea")
    mind.remember("plays chess on Fridays", kind="preference")
    mind.drain()
    (job,) = (job for job in mind.jobs() if job.kind == "transcript")
    assert "symbolic link" in job.error
    if where == "folder":
        with pytest.raises(StoreUnavailable, match="symbolic link") as caught:
            mind.sync()
        assert caught.value.remedy
    else:
        report = next(one for one in mind.sync().documents if one.name == "memory")
        assert "symbolic link" in report.problem
    assert victim.read_text() == "precious\n"
    assert (outside / "MEMORY.md").read_text() == "- likes nothing\n"
    assert sorted(path.name for path in outside.iterdir()) == ["MEMORY.md", "s.jsonl"]
    assert {memory.text for memory in mind.memories()} == {
        "plays chess on Fridays",
        "I like tea",
    }


def test_a_link_loop_is_one_of_our_errors(open_mind: OpenMind, tmp_path: Path) -> None:
    documents, reports = tmp_path / "documents", tmp_path / "conversation_history"
    for folder in (documents, reports):
        folder.symlink_to(folder, target_is_directory=True)
    mind = open_mind(ledger=COPIES)
    mind.session("s").user("I like tea")
    assert mind.drain().dead == 0
    with pytest.raises(StoreError, match="symbolic link"):
        mind.sync()
    with pytest.raises(StoreError, match="symbolic link"):
        mind.context("tea")
    documents.unlink()
    documents.mkdir()
    page = documents / "MEMORY.md"
    page.symlink_to(page)
    assert "symbolic link" in next(one.problem for one in mind.sync().documents)
    off = tmp_path / "memory"
    off.symlink_to(off, target_is_directory=True)
    with pytest.raises(StoreError, match="symbolic link"):
        open_mind(memory={"enabled": False}).session("s").user("hello")


@pytest.mark.parametrize("key", ["memory_file", "user_file", "project_file", "persona_file"])
@pytest.mark.parametrize(
    "name", ["../x.md", "..", "a/../../x.md", "/etc/x.md", "a\\..\\x.md", "C:\\x.md", "~/x.md"]
)
def test_a_document_stays_in_its_folder(open_mind: OpenMind, key: str, name: str) -> None:
    with pytest.raises(ConfigError, match="leads out of its folder"):
        open_mind(documents={key: name})


def test_a_document_may_lie_in_a_folder_of_its_own(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind(documents={"memory_file": "shared/v1.2/记忆.md", "write": ["memory"]})
    mind.remember("likes tea", kind="preference")
    mind.sync()
    assert "likes tea" in (tmp_path / "documents/shared/v1.2/记忆.md").read_text("utf-8")
