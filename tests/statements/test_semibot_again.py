"""semibot's statements once more, with inputs unlike the document's own."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic import ToolCall, ToolResult
from tests.cli.conftest import Shell, db, shell
from tests.conftest import OpenMind
from tests.providers.scripted import Scripted
from tests.statements.model_server import answering, settings

__all__ = ["db", "shell"]
RULE = "consolidate_on_session_end"
DOCUMENT_RULE: dict[str, Any] = {  # E §11.1
    "name": RULE,
    "event_type": "session.ended",
    "conditions": {"all": [{"field": "payload.message_count", "op": ">=", "value": 2}]},
    "action_mode": "auto",
    "actions": [{"action_type": "run_agent", "target": "memory_consolidator"}],
    "risk_level": "low",
}


@pytest.mark.statement("E133", "E151", "E152")
@pytest.mark.parametrize(
    ("said", "content", "category"),
    [
        ("我们用 PostgreSQL 16", "我们用 PostgreSQL 16", "knowledge"),
        ("Comments are in German here", "Comments are written in German", "preference"),
        ("这个项目的 API 前缀是 /api/v2", "API 前缀是 /api/v2", "project"),
        ("Deploy with make ship, then watch the logs", "Deploy with make ship, then watch logs",
         "skill"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("wrapped", [False, True])
def test_the_consolidators_answer_in_one_call(
    open_mind: OpenMind, said: str, content: str, category: str, wrapped: bool
) -> None:
    entry = {"content": content, "category": category, "importance": 0.7}
    with Scripted() as server:
        server.always(answering(lambda text: {"memories": [entry]} if wrapped else [entry]))
        mind = open_mind(preset="semibot", **settings(server))
        with mind.session("s") as session:
            session.user(said)
            session.assistant("ok")
            session.user("thanks")
        mind.drain()
        assert len(server.asked) == 1
    (memory,) = mind.memories()
    assert (memory.text, memory.importance) == (content, 0.7)
    assert mind.words(memory)["category"] == category


@pytest.mark.statement("E137", "E114", "E115")
@pytest.mark.parametrize("texts", [("第一句", "第二句", "又来了"), ("one", "two", "back again")])
def test_the_end_clears_the_window(open_mind: OpenMind, texts: tuple[str, ...]) -> None:
    mind = open_mind(preset="semibot")
    session = mind.session("s")
    session.user(texts[0])
    session.assistant(texts[1])
    session.end()
    assert session.recent() == []
    assert session.window().turns == ()
    assert texts[0] not in mind.context("x", session="s").text
    session.user(texts[2])  # the session goes on
    assert [turn.text for turn in session.recent()] == [texts[2]]
    assert [turn.text for turn in mind.turns(session="s")] == list(texts), "the ledger has all"
    again = open_mind(preset="semibot")
    assert [turn.text for turn in again.session("s").recent()] == [texts[2]]


@pytest.mark.statement("E143")
@pytest.mark.parametrize(("count", "shown"), [(12, 10), (3, 3)])
def test_the_command_lists_ten(shell: Shell, count: int, shown: int) -> None:
    for n in range(count):
        shell.json("add", f"茶叶第 {n} 种产地是第 {n} 座山", "--preset", "semibot")
    found = shell.json("search", "茶叶", "--preset", "semibot")
    assert len(found["memories"]) == shown


@pytest.mark.statement("E143")
@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("zh_CN.UTF-8", ("记忆", "会话", "回忆命中")),
        ("en_US.UTF-8", ("memories", "sessions", "recall hits")),
    ],
    ids=["zh", "en"],
)
def test_its_figures_are_labeled_in_one_language(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, language: str, labels: tuple[str, ...]
) -> None:
    """Better: more figures than the document's total and categories, all in the reader's words."""
    monkeypatch.setenv("LC_ALL", language)
    semibot = ("--preset", "semibot")
    kept = shell.json("add", "The report goes out on Fridays", *semibot)["id"]
    shell.json("add", "周报周五发", *semibot)
    shell("search", "report", *semibot)
    lines = shell("stats", *semibot).stdout.splitlines()
    assert all(any(line.startswith(label) for line in lines) for label in labels)
    assert any(line.split() == ["knowledge", "2"] for line in lines)
    own = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert all(word.isascii() != language.startswith("zh") for word in own if word != "token")
    columns = {
        len(label.encode("gb18030")) + len(line[len(label) :]) - len(line[len(label) :].lstrip())
        for label in labels
        for line in lines
        if line.startswith(f"{label} ")
    }
    assert len(columns) == 1, "one below the other"
    assert kept in shell("delete", kept, "--yes", *semibot).stdout
    assert shell.json("stats", *semibot)["by_kind"] == {"knowledge": 1}


@pytest.mark.statement("E153")
@pytest.mark.parametrize("text", ["我对花生过敏", "I am allergic to peanuts"])
def test_messages_of_a_session_can_be_removed(open_mind: OpenMind, text: str) -> None:
    """Better: they stay until somebody wants them gone, and then they are."""
    mind = open_mind(preset="semibot")
    session = mind.session("s")
    session.user(text)
    session.end()
    mind.drain()
    assert [turn.text for turn in mind.turns(session="s")] == [text]
    mind.forget(session="s")
    assert mind.turns(session="s") == []


@pytest.mark.statement("E154", "E144", "E145")
@pytest.mark.parametrize("messages", [1, 2, 3])
@pytest.mark.parametrize("listed", [False, True])
def test_a_rule_as_the_document_writes_it(open_mind: OpenMind, messages: int, listed: bool) -> None:
    rules: Any = [DOCUMENT_RULE] if listed else {RULE: DOCUMENT_RULE}
    mind = open_mind(preset="semibot", events={"rules": rules})
    session = mind.session("s")
    session.user("I use Helix as my editor.")
    for _ in range(messages - 1):
        session.assistant("ok")
    session.end()
    mind.drain()
    assert bool(mind.memories()) == (messages >= 2)


@pytest.mark.statement("E154", "E146")
@pytest.mark.parametrize(
    ("when", "heard"),
    [
        (["stage == 'deploy'"], 1),
        (["payload.stage == deploy"], 1),
        (['stage == "roll back"'], 1),
        (["stage == 'Deploy'"], 0),
    ],
)
def test_texts_in_a_test_may_be_quoted(open_mind: OpenMind, when: list[str], heard: int) -> None:
    seen: list[object] = []
    rule = {"event": "host.deploy", "when": when, "actions": ["call:note"]}
    mind = open_mind(
        preset="semibot", events={"rules": {"own": rule}}, actions={"note": seen.append}
    )
    for stage in ("deploy", "roll back"):
        mind.emit("host.deploy", payload={"stage": stage})
    mind.drain()
    assert len(seen) == heard


@pytest.mark.statement("E155")
@pytest.mark.parametrize(
    ("result", "skill"),
    [
        ("rule retry_on_timeout fixed the flaky import", "retry_on_timeout fixes the flaky import"),
        ("规则 nightly_vacuum 解决了磁盘占满的问题", "nightly_vacuum 规则解决了磁盘占满的问题"),
    ],
    ids=["en", "zh"],
)
def test_skills_from_the_results_of_events(open_mind: OpenMind, result: str, skill: str) -> None:
    """Better: the result is in the session of the event, where its source can be read."""
    with Scripted() as server:
        server.always(answering(lambda text: [
            {"content": skill, "category": "skill", "importance": 0.6, "turns": [2]}]))  # fmt: skip
        mind = open_mind(preset="semibot", **settings(server))
        with mind.session("s") as session:
            session.user("run the event rule")
            session.assistant("done", tool_calls=[ToolCall("run_rule", {"name": "r"}, "1")],
                              tool_results=[ToolResult(result, "1")])  # fmt: skip
            session.user("thanks")
        mind.drain()
        assert result in str(server.asked[0].json), "the model reads the result"
    (memory,) = mind.memories(status="all")
    assert mind.words(memory)["category"] == "skill"
    assert memory.sources
