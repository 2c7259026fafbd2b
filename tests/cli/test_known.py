"""What is known is listed, shown with its sources, searched, and put into a prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import AT_ONCE, Shell
from tests.cli.terminal import on_a_terminal

pytestmark = pytest.mark.feature("O4")


@pytest.fixture
def learned(shell: Shell) -> Shell:
    """A database whose facts the engine has learned from two conversations."""
    shell("record", "-s", "old", "我用的是 Python 3.10。", "--sender", "李雷", *AT_ONCE)
    shell("worker", "--once", *AT_ONCE)
    shell("record", "-s", "new", "I upgraded to Python 3.12", *AT_ONCE)
    shell("record", "-s", "new", "--role", "assistant", "Noted.", *AT_ONCE)
    shell("worker", "--once", *AT_ONCE)
    return shell


@pytest.mark.feature("N4")
def test_a_memory_is_shown_with_the_words_it_came_from(learned: Shell) -> None:
    (memory,) = learned.json("memories", "--kind", "config")
    found = learned.json("show", memory["id"])
    assert found["memory"] == memory
    assert [turn["text"] for turn in found["sources"]] == ["I upgraded to Python 3.12"]
    assert [version["value"] for version in found["versions"]] == ["3.10", "3.12"]
    shown = learned("show", memory["id"]).stdout
    for said in ("Python · version = 3.12", "said by      owner", "confidence   0.90", "to now"):
        assert said in shown
    assert "Where it was said" in shown
    assert "我用的是" in shown
    assert "superseded by" in learned("show", found["versions"][0]["id"]).stdout


def test_a_statement_is_of_the_kind_that_it_reads_like(shell: Shell) -> None:
    told = ("I'm allergic to cashews", "我对芒果过敏", "The boiler was serviced in May")
    kinds = [shell.json("add", text)["kind"] for text in told]
    assert kinds == ["identity", "identity", "fact"]
    prompt = shell("context", "ideas for dinner").stdout
    assert "cashews" in prompt
    assert "芒果" in prompt


def test_a_memory_of_many_turns_finds_them_all(shell: Shell) -> None:
    ids = [shell.json("record", "-s", s, f"{s} says tea")["id"] for s in ("a", "b")]
    sources = [option for id_ in ids for option in ("--source", id_)]
    memory = shell.json("add", "likes tea", "--value", "tea", *sources)
    assert memory["value"] == "tea"
    assert [turn["id"] for turn in shell.json("show", memory["id"])["sources"]] == ids
    assert "b #0 and 1 more" in shell("memories").stdout


@pytest.mark.feature("N4")
def test_a_history_reads_like_one(learned: Shell) -> None:
    (memory,) = learned.json("memories")
    shown = learned("history", memory["id"]).stdout
    assert shown.index("3.10") < shown.index("3.12")
    assert "v1 was written as config" in shown
    assert "v1 was replaced by v2" in shown
    assert "v2 was written as config, after v1" in shown
    found = learned.json("history", memory["id"])
    assert [version["value"] for version in found["versions"]] == ["3.10", "3.12"]
    assert {event["type"] for event in found["events"]} >= {"write", "supersede"}
    for command in ("show", "history", "reveal"):
        assert "No memory nope" in learned(command, "nope", code=1).stderr


@pytest.mark.feature("N4")
def test_memories_of_a_past_time(shell: Shell) -> None:
    old = shell.json("add", "uses Python 3.10", "--kind", "config")
    shell("add", "uses Python 3.12", "--kind", "config", "--supersedes", old["id"])
    assert [m["text"] for m in shell.json("memories")] == ["uses Python 3.12"]
    then = shell.json("memories", "--as-of", old["created_at"])
    assert [m["text"] for m in then] == ["uses Python 3.10"]
    assert shell.json("memories", "--as-of", "7d") == []


def test_search_tells_what_is_known_before_what_was_said(learned: Shell) -> None:
    found = learned.json("search", "Python", "版本", "-n", "2")
    assert [hit["type"] for hit in found["memories"]] == ["memory"]
    assert {hit["type"] for hit in found["evidence"]} == {"turn"}
    shown = learned("search", "Python").stdout
    assert shown.index("Known") < shown.index(found["memories"][0]["id"]) < shown.index("Said")
    assert "Said" not in learned("search", "Python", "--kind", "config").stdout
    assert learned("search", "Python", "--until", "2001-01-01").stderr == "Nothing was found.\n"


@pytest.mark.feature("O4")
def test_a_context_with_its_account(learned: Shell) -> None:
    found = learned.json("context", "which", "Python", "do", "I", "use?", "--budget", "2000")
    assert found["tokens"] <= found["budget"] <= 2000
    assert "3.12" in found["text"]
    shown = learned("context", "which Python do I use?", "--budget", "80", "-s", "talk").stdout
    assert " tokens\n" in shown
    assert "core" in shown
    assert "Left out" in shown
    learned("context", "x", "--budget", "0", code=2)


@pytest.mark.feature("O4", "M11", "M12")
def test_an_ended_session_leaves_its_story(shell: Shell) -> None:
    call = '{"name": "search_hotels", "input": {"city": "Kyoto"}, "id": "c"}'
    shell("record", "-s", "trip", "Find me a hotel in Kyoto", *AT_ONCE)
    shell("record", "-s", "trip", "--role", "assistant", "Looking", "--tool-call", call, *AT_ONCE)
    answer = '{"content": "Shiraume", "call_id": "c"}'
    shell("record", "-s", "trip", "--role", "tool", "", "--tool-result", answer, *AT_ONCE)
    assert "There are no episodes" in shell("episodes").stderr
    assert "writes its episode" in shell("end", "trip", *AT_ONCE).stdout
    shell("worker", "--once", *AT_ONCE)
    (episode,) = shell.json("episodes", "-s", "trip", "--since", "1d")
    assert [action["tool"] for action in episode["actions"]] == ["search_hotels"]
    shown = shell("episodes", "--full").stdout
    assert "hotel in Kyoto" in shown
    assert '→ search_hotels {"city": "Kyoto"} ← Shiraume' in shown
    assert "No session" in shell("end", "nowhere", code=1).stderr


class TestScratchpad:
    def test_is_written_from_a_pipe_and_from_a_file(self, shell: Shell, tmp_path: Path) -> None:
        shell("scratchpad", "edit", input="## 当前任务\n写文档\n")
        assert shell.json("scratchpad")["focus"] == "写文档"
        assert "## 当前任务\n写文档" in shell("scratchpad").stdout
        (tmp_path / "pad.md").write_text("## Current Focus\nship it\n", encoding="utf-8")
        assert shell.json("scratchpad", "edit", "pad.md")["focus"] == "ship it"
        assert "No such file" in shell("scratchpad", "edit", "missing.md", code=1).stderr
        (tmp_path / "pad.md").write_bytes("中文".encode("gb18030"))
        assert "not UTF-8" in shell("scratchpad", "edit", "pad.md", code=2).stderr

    def test_is_empty_at_first(self, shell: Shell) -> None:
        shell("scratchpad", "edit", input="")
        assert shell("scratchpad").stderr == "The scratchpad is empty.\n"

    def test_opens_in_an_editor_on_a_terminal(self, shell: Shell, tmp_path: Path) -> None:
        editor = tmp_path / "editor"
        editor.write_text('#!/bin/sh\nprintf "## Current Focus\\nedited\\n" > "$1"\n')
        editor.chmod(0o755)
        shown = on_a_terminal(80, "scratchpad", "edit", EDITOR=str(editor))
        assert "is written" in shown
        assert shell.json("scratchpad")["focus"] == "edited"
        assert "Nothing was changed" in on_a_terminal(80, "scratchpad", "edit", EDITOR="true")


@pytest.mark.feature("O4", "N8")
class TestCredentials:
    SECRET = "correct horse battery staple"

    @pytest.fixture
    def kept(self, shell: Shell) -> str:
        memory = shell.json("add", "--kind", "credential", "--subject", "wifi", input=self.SECRET)
        return str(memory["id"])

    def test_a_credential_is_shown_by_its_label_only(self, shell: Shell, kept: str) -> None:
        for command in (["memories"], ["show", kept], ["history", kept], ["search", "wifi"]):
            assert self.SECRET not in shell(*command).output
            assert self.SECRET not in shell(*command, "--json").output

    def test_it_is_revealed_when_somebody_says_yes(self, shell: Shell, kept: str) -> None:
        for refused in ([], ["--json"]):
            said = shell("reveal", kept, *refused, code=2)
            assert "Pass --yes to show it" in said.stderr
            assert self.SECRET not in said.output
        assert shell("reveal", kept, "--yes").stdout == f"{self.SECRET}\n"
        assert shell.json("reveal", kept, "--yes") == {"id": kept, "secret": self.SECRET}
        assert self.SECRET in on_a_terminal(80, "reveal", kept, typed="y\n")
        assert self.SECRET not in on_a_terminal(80, "reveal", kept, typed="n\n", code=130)

    def test_it_is_typed_unseen(self, shell: Shell) -> None:
        args = ("add", "--kind", "credential", "--subject", "door")
        assert "1234-5678" not in on_a_terminal(80, *args, typed="1234-5678\n", NO_COLOR="1")
        (memory,) = shell.json("memories", "--kind", "credential")
        assert shell("reveal", memory["id"], "--yes").stdout == "1234-5678\n"

    def test_what_is_no_credential_has_nothing_to_reveal(self, told: Shell) -> None:
        (memory,) = told.json("memories")
        assert "error:" in told("reveal", memory["id"], "--yes", code=2).stderr


def test_an_empty_list_says_why(shell: Shell) -> None:
    shell("record", "-s", "a", "what do you think of this?")
    assert "1 turn waits to be read. To learn now: mnemic worker --once" in shell("memories").stderr
    shell("worker", "--once")
    assert "nothing in 1 turn was worth keeping" in shell("memories").stderr
    shell("record", "-s", "a", "I live in Porto")
    shell("worker", "--once")
    assert shell("memories").stderr == ""
    assert shell("memories", "--kind", "rule").stderr == "No memories match.\n"
