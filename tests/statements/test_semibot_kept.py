"""semibot, what was true from the start: short term, long term, consolidation, maintenance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mnemic import Candidate, Mind, NewTurn, ToolCall
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Asked, Scripted, reply
from tests.remote import asked_for, meaning, remote, server
from tests.statements.playing import calls, fact, reading

__all__ = ["server"]

WORDS: dict[str, Any] = {"embedding": {"provider": "none"}}
RULES = "代码注释用中文，禁止使用 any 类型"
LEARNED = (
    ("我们用 PostgreSQL 16", fact("项目用 PostgreSQL 16", importance=0.6)),
    (RULES, fact("禁止使用 any 类型", kind="preference", importance=0.9)),
)


def talk(mind: Mind, session: str, *said: str) -> None:
    with mind.session(session) as talking:
        for text in said:
            talking.user(text)
            talking.assistant("好的")


@pytest.mark.statement("E114", "E118")
@pytest.mark.parametrize("line", ["第{:03}条消息", "Message no. {:03}"])
def test_two_hundred_messages_then_the_older_half_is_summed_up(
    open_mind: OpenMind, line: str
) -> None:
    wide: dict[str, Any] = {"context": {"recent_turns": 500}, "short_term": {"recent_limit": 500}}
    mind = open_mind(preset="semibot", **wide, **WORDS)

    def shown(count: int, session: str) -> tuple[str, list[int]]:
        roles = ("user", "assistant")
        mind.record_many(
            NewTurn(session, roles[n % 2], line.format(n)) for n in range(count)  # type: ignore[arg-type]
        )  # fmt: skip
        text = mind.context("请继续", session=session, budget=100_000).text
        earlier, _, rest = text.partition("[2026-")
        return earlier, [n for n in range(count) if line.format(n) in rest]

    earlier, whole = shown(200, "a")
    assert whole == list(range(200))
    assert line.partition("{")[0] not in earlier
    earlier, whole = shown(201, "b")
    assert whole == list(range(100, 201))
    assert line.format(0) in earlier
    earlier, whole = shown(301, "c")
    assert whole == list(range(200, 301))
    assert line.format(0) in earlier
    assert line.format(100) in earlier, "joined to the earlier summary"
    _, whole = shown(3, "d")
    assert whole == [0, 1, 2], "each session has its own"


@pytest.mark.statement("E119")
def test_the_window_is_shared_fifteen_fifteen_fifty_twenty(open_mind: OpenMind) -> None:
    mind = open_mind(preset="semibot", **WORDS)
    for n in range(40):
        mind.remember(f"部署第 {n} 步要先检查镜像的大小再决定是否继续", kind="skill")
    with mind.session("s") as session:
        for n in range(150):
            session.user(f"第 {n} 个问题：" + "部署为什么慢？" * 10)
            session.assistant(f"第 {n} 个回答：" + "因为镜像太大。" * 10)
        host = {"system": "你是 semibot。" * 400}
        context = mind.context("部署的步骤是什么？", session="s", host=host)  # type: ignore[arg-type]
    sizes = {use.name: use.size for use in context.sections}
    assert sizes == {"system": int(8192 * 0.15), "evidence": int(8192 * 0.15), "recent": 4096}
    assert all(use.tokens <= use.size for use in context.sections)
    assert context.budget == pytest.approx(8192 * 0.8, abs=2), "20 % are the reply's"


@pytest.mark.statement("E124", "E125")
def test_a_search_of_five(open_mind: OpenMind, server: Scripted) -> None:
    far = {f"远{n}": (0.5, 0.0, 0.86) for n in range(12)}
    near = {"近": (0.95, 0.31, 0.0), "查": (1.0, 0.0, 0.0)}
    server.always(meaning({**near, **far}))
    mind = open_mind(preset="semibot", **remote(server))
    for n in range(12):
        mind.remember(f"远{n}的一条", kind="skill", importance=0.9)
    for n in range(6):
        mind.remember(f"近处{n}", kind="preference")
    mind.drain()
    ids = [memory.id for memory in mind.memories()]
    assert len(set(ids)) == 18
    assert {m.importance for m in mind.memories() if m.text.startswith("近")} == {0.5}
    hits = mind.recall("查一下", of=["memory"])
    assert len(hits) == 5
    assert all(hit.text.startswith("近处") and "vector" in hit.why.routes for hit in hits)
    others = mind.recall("查一下", of=["memory"], kind="skill")
    assert len(others) == 5
    assert all(hit.text.startswith("远") for hit in others), "beyond the nearest five"


@pytest.mark.statement("E123")
@pytest.mark.parametrize("asked", ["查一下", "查：what is near?"])
@pytest.mark.sqlite_file("the statement is that there is one file")
def test_one_file_with_vectors(
    open_mind: OpenMind, server: Scripted, tmp_path: Path, asked: str
) -> None:
    server.always(meaning({"近": (0.95, 0.31, 0.0), "查": (1.0, 0.0, 0.0)}))
    mind = open_mind(preset="semibot", **remote(server))
    mind.remember("近处", kind="preference")
    mind.drain()
    mind.close()
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["memory.db"]
    again = open_mind(preset="semibot", **remote(server))
    before = len(server.asked)
    assert "vector" in again.recall(asked)[0].why.routes
    assert len(server.asked) == before + 1, "the vectors are in the file; only the query is new"


@pytest.mark.statement("E130")
def test_a_thousand_embeddings_are_kept_in_the_process(
    open_mind: OpenMind, server: Scripted
) -> None:
    server.always(meaning({"茶": (1.0, 0.0, 0.0)}))
    given = remote(server)
    del given["embedding"]["cache_entries"]
    mind = open_mind(preset="semibot", **given)
    mind.remember("茶要趁热喝", kind="preference")
    mind.drain()

    def asked_again(query: str) -> bool:
        before = len(asked_for(server))
        mind.recall(query)
        return query in asked_for(server)[before:]

    assert asked_again("喝什么茶")
    for others, let_go in ((range(990), False), (range(1000, 2010), True)):
        mind.record_many(NewTurn("s", "user", f"第{n}句话") for n in others)
        mind.drain()
        assert asked_again("喝什么茶") == let_go, "the longest unused of 1,000"


@pytest.mark.statement("E131", "E133", "E136", "E137")
def test_the_end_of_a_session_is_consolidated(open_mind: OpenMind, server: Scripted) -> None:
    server.always(reading(*LEARNED))
    mind = open_mind(preset="semibot", **thinking.settings(server))
    talk(mind, "短", RULES)
    mind.drain()
    assert calls(server, "extract") == [], "two messages are too few"
    talk(mind, "长", "我们用 PostgreSQL 16", RULES)
    assert calls(server, "extract") == [], "ending a session waits for nobody"
    mind.drain()
    (asked,) = calls(server, "extract")
    assert all(text in thinking.shown(asked) for text, _ in LEARNED), "the whole session at once"
    found = {memory.text: memory for memory in mind.memories()}
    assert {text: memory.importance for text, memory in found.items()} == {
        "项目用 PostgreSQL 16": 0.6,
        "禁止使用 any 类型": 0.9,
    }
    assert {source.session for memory in found.values() for source in memory.sources} == {"长"}
    assert len(mind.turns(session="长")) == 4, "the messages stay, to look back at"
    assert not any(
        message.role != "system" for message in mind.context("你好呀", session="新的").messages
    ), "another session begins with nothing"


@pytest.mark.statement("E134")
@pytest.mark.parametrize(("cosine", "merged"), [(0.93, True), (0.87, False)])
def test_what_is_alike_beyond_nine_tenths_is_one_with_the_larger_importance(
    open_mind: OpenMind, server: Scripted, cosine: float, merged: bool
) -> None:
    side = (1 - cosine**2) ** 0.5
    server.always(meaning({"FastAPI 框架": (1.0, 0.0, 0.0), "基于 FastAPI": (cosine, side, 0.0)}))
    mind = open_mind(preset="semibot", **remote(server))
    first, second = "项目用 FastAPI 框架", "这个项目基于 FastAPI"
    for text, importance in ((first, 0.5), (second, 0.6)):
        mind.propose(Candidate("fact", text, importance=importance, confidence=0.9))
        mind.drain()
    found = {memory.text: memory.importance for memory in mind.memories()}
    assert found == ({first: 0.6} if merged else {first: 0.5, second: 0.6})


@pytest.mark.statement("E139")
@pytest.mark.parametrize(
    ("known", "asked", "answer", "again"),
    [
        ("API 前缀是 /api/v2", "API 前缀是什么？", "是 /api/v2", "再说一遍？"),
        ("The API prefix is /api/v2", "What's the API prefix?", "It is /api/v2", "Once more?"),
    ],
    ids=["zh", "en"],
)
def test_a_start_node_and_a_respond_node(
    open_mind: OpenMind, known: str, asked: str, answer: str, again: str
) -> None:
    mind = open_mind(preset="semibot", **WORDS)
    mind.remember(known, kind="config")

    def start(state: dict[str, Any]) -> dict[str, Any]:
        message = state["messages"][-1]
        context = mind.context(message, session=state["session"], model=state["model"])
        mind.record(session=state["session"], role="user", text=message)
        return {**state, "context": context}

    def respond(state: dict[str, Any]) -> dict[str, Any]:
        mind.record(session=state["session"], role="assistant", text=state["response"],
                    tool_calls=state["tools"])  # fmt: skip
        return state

    state: dict[str, Any] = {"session": "s", "model": "gpt-4o", "messages": [asked]}
    state = start(state)
    assert "/api/v2" in state["context"].text
    respond({**state, "response": answer, "tools": [ToolCall("lookup", {"key": "prefix"})]})
    after = start({**state, "messages": [again]})
    said = [(message.role, message.content) for message in after["context"].messages]
    assert any(role == "assistant" and answer in text for role, text in said)
    assert mind.turns(tool="lookup")[0].role == "assistant"


@pytest.mark.statement("E141")
@pytest.mark.parametrize(
    ("provider", "model", "length"),
    [("openai", "text-embedding-3-small", 1536), ("ollama", "nomic-embed-text", 768)],
)
def test_the_models_of_the_document(
    open_mind: OpenMind, server: Scripted, provider: str, model: str, length: int
) -> None:
    def answer(asked: Asked) -> object:
        rows = [[1.0, *[0.0] * (length - 1)] for _ in asked.json["input"]]
        listed = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
        return {"data": listed, "embeddings": rows}

    server.always(reply(answer))
    given = {"provider": provider, "api_key": "sk-test", "base_url": server.url}
    mind = open_mind(preset="semibot", embedding=given)
    mind.remember("用 monorepo 结构", kind="decision")
    mind.drain()
    assert {asked.json["model"] for asked in server.asked} == {model}
    assert "vector" in mind.recall("仓库怎么组织")[0].why.routes
    assert mind.stats().unembedded == 0


@pytest.mark.statement("E142")
@pytest.mark.parametrize(
    ("given", "left"),
    [
        ((0.9, 0.1, 0.5, 0.5, 0.9, 0.5, 0.9, 0.5, 0.9), (0, 4, 5, 6, 7, 8)),
        ((0.1, 0.9, 0.9, 0.5, 0.1, 0.1, 0.9, 0.9, 0.1), (1, 2, 3, 6, 7, 8)),
    ],
)
def test_beyond_the_limit_the_least_important_and_oldest_go(
    open_mind: OpenMind, clock: ManualClock, given: tuple[float, ...], left: tuple[int, ...]
) -> None:
    """Better: they are archived, not deleted, and can be restored."""
    mind = open_mind(preset="semibot", capacity={"total": 6}, **WORDS)
    for n, importance in enumerate(given):
        mind.remember(f"第{n}条", kind="fact", importance=importance)
        clock.advance(hours=1)
    mind.upkeep("daily")
    assert {memory.text for memory in mind.memories()} == {f"第{n}条" for n in left}
    gone = mind.memories(status="archived")
    assert {memory.text for memory in gone} == {f"第{n}条" for n in {*range(9)} - {*left}}
    mind.restore(gone[0].id)
    assert mind.get(gone[0].id).status == "active"


@pytest.mark.statement("A68", "E150")
@pytest.mark.parametrize("preset", ["openakita", "semibot"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what ChromaDB stands on
def test_chromadb_is_an_option(
    open_mind: OpenMind, server: Scripted, tmp_path: Path, preset: str
) -> None:
    pytest.importorskip("chromadb", reason='pip install "mnemic[chroma]"')
    server.always(meaning({"茶": (1.0, 0.0, 0.0), "饮料": (0.9, 0.1, 0.0)}))
    mind = open_mind(preset=preset, index={"vectors": "chromadb"}, **remote(server))
    mind.remember("茶要趁热喝", kind="preference")
    mind.remember("周三开会", kind="event")
    mind.drain()
    assert (tmp_path / "memory.db.chroma").is_dir()
    (hit, *_) = mind.recall("饮料")
    assert (hit.text, "vector" in hit.why.routes) == ("茶要趁热喝", True)
