"""OpenAkita in its own words: types, priorities, sources, tools, look-ups (A §4, §5, B §3, §4)."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from mnemic import Candidate, InvalidInput, Memory, Mind, ToolCall, ToolResult
from mnemic.clock import ManualClock
from mnemic.tools import ToolAnswer, call_tool, tool_specs
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Behavior, Scripted, reply
from tests.providers.speaking import says
from tests.remote import server  # noqa: F401  a fixture

EXAMPLES = {  # B §4
    "FACT": "用户的代码目录在 D:\\code",
    "PREFERENCE": "用户喜欢用 Python",
    "SKILL": "用 pytest 测试更可靠",
    "ERROR": "直接删除文件会导致数据丢失",
    "RULE": "禁止虚报执行结果",
    "PERSONA_TRAIT": "说话简短",
}


@pytest.fixture
def akita(open_mind: OpenMind) -> Mind:
    return open_mind(preset="openakita")


def kept(mind: Mind, text: str, **given: Any) -> Memory:
    memory = mind.remember(text, **given).memory
    assert memory is not None
    return memory


def called(mind: Mind, tool: str, **arguments: Any) -> ToolAnswer:
    answer = call_tool(mind, tool, arguments)
    assert not answer.is_error, answer.text
    return answer


def listed(answer: ToolAnswer) -> list[dict[str, Any]]:
    results = answer.data["results"]
    assert isinstance(results, list)
    return [one for one in results if isinstance(one, dict)]


def _play(server: Scripted, **behaviors: Behavior) -> None:  # noqa: F811
    """The model answers so; what is not given it answers as usual."""
    usual = dict.fromkeys(("extract", "episode", "reconcile"), thinking.proposing(lambda _: []))
    server.always(thinking.by_purpose(**{**usual, **behaviors}))


@pytest.mark.statement("A20")
@pytest.mark.feature("M2", preset="openakita")
def test_its_types_go_in_and_come_out_at_every_interface(akita: Mind) -> None:
    for word, text in EXAMPLES.items():
        memory = kept(akita, text, kind=word.lower() if word != "FACT" else "Fact")
        assert akita.words(memory)["type"] == word
    for word, text in EXAMPLES.items():
        assert [one.text for one in akita.memories(kind=word)] == [text]
        assert [hit.text for hit in akita.recall(text, of="memory", kind=word.lower())] == [text]
        (found,) = listed(called(akita, "search_memory", query=text, type=word))
        assert (found["type"], found["text"]) == (word, text)
    lesson = akita.memories(kind="ERROR")[0]
    rule = akita.edit(lesson.id, kind="RULE")
    assert akita.words(rule)["type"] == "RULE"
    assert akita.memories(kind="ERROR") == []
    home = kept(akita, "用户叫小明", kind="identity")
    assert akita.words(home)["type"] == "FACT", "FACT is every kind of fact there"
    assert akita.edit(home.id, kind="FACT", importance=0.9).kind == "identity"
    with pytest.raises(InvalidInput, match="FACT, PREFERENCE, RULE, SKILL, ERROR, PERSONA_TRAIT"):
        akita.remember("x", kind="THOUGHT")


BARE = (
    '[{"type": "ERROR", "content": "直接删除文件会导致数据丢失", "turns": [1]},'
    ' {"type": "PERSONA_TRAIT", "content": "说话简短", "priority": "LONG_TERM", "turns": [1]}]'
)


@pytest.mark.statement("A20", "A56")
@pytest.mark.parametrize(
    ("listed", "nothing"),
    [(BARE, "NONE"), (f"Here are the facts:\n```json\n{BARE}\n```", "None.\n")],
    ids=["bare", "in a fence"],
)
def test_the_model_may_answer_in_the_words_of_the_document(
    open_mind: OpenMind,
    server: Scripted,  # noqa: F811
    listed: str,
    nothing: str,
) -> None:
    """A bare array with its types and priorities is read, and NONE means that there is nothing."""
    answers = [listed, nothing]
    _play(server, extract=reply(lambda _: says("openai", answers.pop(0), tokens=9)))
    mind = open_mind(preset="openakita", **thinking.settings(server))
    mind.record(
        session="s",
        role="user",
        text="直接删除文件会导致数据丢失，你说话简短一点，谢谢，以后都这样",
    )
    mind.drain()
    words = {str(memory.text): mind.words(memory) for memory in mind.memories(status="all")}
    assert words["直接删除文件会导致数据丢失"]["type"] == "ERROR"
    assert words["直接删除文件会导致数据丢失"]["source"] == "turn_ai"
    assert words["说话简短"] == {
        "type": "PERSONA_TRAIT",
        "priority": "LONG_TERM",
        "source": "turn_ai",
    }
    mind.record(
        session="s",
        role="user",
        text="今天天气怎么样？外面好像在下雨，要不要带伞出门呢，你觉得怎么样",
    )
    mind.drain()
    assert [turn.state for turn in mind.turns(session="s")] == ["extracted", "empty"]
    assert answers == []


@pytest.mark.statement("A21", "A24")
@pytest.mark.parametrize("write", [str.upper, str.title], ids=["as written", "Short_Term"])
def test_every_memory_has_a_priority(
    akita: Mind, clock: ManualClock, write: Callable[[str], str]
) -> None:
    lives = {"TRANSIENT": 1, "SHORT_TERM": 3, "LONG_TERM": 30, "PERMANENT": None}
    for word, days in lives.items():
        memory = kept(akita, f"端口 {word}", kind="FACT", duration=write(word))
        ends = None if days is None else clock.now() + timedelta(days=days)
        assert (memory.expires_at, akita.words(memory)["priority"]) == (ends, word)
        assert [one.id for one in akita.memories(priority=word.lower())] == [memory.id]
        proposed = akita.propose(Candidate("FACT", f"目录 {word}", duration=write(word))).memory
        assert proposed is not None
        assert proposed.expires_at == ends
        akita.delete(proposed.id)
        told = called(akita, "add_memory", text=f"文件 {word}", type="FACT", priority=write(word))
        assert told.data["priority"] == word
        akita.delete(str(told.data["id"]))
    longer = akita.edit(akita.memories(priority="TRANSIENT")[0].id, duration="LONG_TERM")
    assert longer.expires_at == clock.now() + timedelta(days=30)
    with pytest.raises(InvalidInput, match="transient, short_term, long_term, permanent"):
        akita.remember("x", kind="FACT", duration="SOMETIMES")
    # Where nobody says how long, the type does.
    usual = {"PREFERENCE": None, "SKILL": None, "ERROR": 7, "RULE": None}
    for word, days in usual.items():
        memory = kept(akita, EXAMPLES[word], kind=word)
        ends = None if days is None else clock.now() + timedelta(days=days)
        assert memory.expires_at == ends, word
    task = akita.propose(Candidate("RULE", "这次任务别动数据库", duration="task")).memory
    assert task is not None
    assert task.expires_at == clock.now() + timedelta(hours=24)


@pytest.mark.statement("A33")
def test_what_is_added_by_hand_is_updated_not_appended(akita: Mind) -> None:
    slot: dict[str, Any] = {"kind": "FACT", "subject": "Python", "predicate": "版本"}
    first = akita.remember("Python 是 3.10", value="3.10", **slot)
    assert akita.remember("Python 是 3.10", value="3.10", **slot).outcome == "same"
    second = akita.remember("Python 是 3.12", value="3.12", **slot)
    assert second.replaced == (first.id,)
    assert [memory.value for memory in akita.memories()] == ["3.12"]
    assert [one.value for one in akita.history(second.id).versions] == ["3.10", "3.12"]


@pytest.mark.statement("A79", "A77", "A80")
@pytest.mark.parametrize(
    ("fix", "failed"),
    [
        ("把 D:\\code\\app.py 里的错误修一下", "搜索失败了"),
        ("Fix the bug in D:\\code\\app.py", "The search failed"),
    ],
    ids=["zh", "en"],
)
def test_memories_and_episodes_are_looked_up(
    akita: Mind, clock: ManualClock, fix: str, failed: str
) -> None:
    """get_episodes_by_entity, get_recent_episodes(days=7), find_similar_semantic(subject,
    predicate), update_semantic and delete_semantic."""
    with akita.session("old") as old:
        old.user(fix)
        old.assistant("修好了", tool_calls=[ToolCall("edit_file", {"path": "D:\\code\\app.py"})],
                      tool_results=[ToolResult("ok")])  # fmt: skip
    akita.drain()
    clock.advance(days=10)
    with akita.session("new") as new:
        new.user("搜索一下 OpenAkita 的文档")
        new.assistant(failed, tool_calls=[ToolCall("web_search", {"q": "OpenAkita"})],
                      tool_results=[ToolResult("timeout", is_error=True)])  # fmt: skip
    akita.drain()
    week = clock.now() - timedelta(days=7)
    assert {one.session for one in akita.episodes(since=week)} == {"new"}
    assert {one.session for one in akita.episodes()} == {"old", "new"}
    entity = next(name for one in akita.episodes(session="old") for name in one.entities)
    assert {one.session for one in akita.episodes(entity=entity.upper())} == {"old"}
    assert {one.session for one in akita.episodes(tool="web_search")} == {"new"}
    assert {one.session for one in akita.episodes(outcome="failed", tool="Web_Search")} == {"new"}
    assert akita.episodes(entity="nothing like it") == []
    memory = kept(akita, "编辑器是 vim", kind="FACT", subject="用户", predicate="编辑器")
    assert akita.memories(subject="user", predicate="编辑器") == [memory]
    edited = akita.edit(memory.id, text="编辑器是 helix")
    assert [one.text for one in akita.memories(subject="用户")] == ["编辑器是 helix"]
    akita.delete(edited.id)
    assert akita.memories(subject="用户") == []
    assert len(akita.turns(session="new")) == 2, "what was said stays"


@pytest.mark.statement("A76", "A85")
@pytest.mark.parametrize(
    ("step", "talk", "topic", "label"),
    [
        (
            "部署流程第 {0} 步：先构建镜像，再推送到仓库，最后重启服务 {0}",
            ("帮我走一遍部署流程，把镜像推送到仓库", "部署流程走完了，镜像已经推送到仓库。"),
            "部署流程 镜像 推送 仓库",
            "历史操作记录",
        ),
        (
            "Release step {0}: build the image, push it to the registry, restart service {0}",
            ("Walk me through the release, push the image", "The release is done, image pushed."),
            "release image push registry",
            "past operations",
        ),
    ],
    ids=["zh", "en"],
)
def test_retrieval_gives_text_within_its_tokens(
    akita: Mind, step: str, talk: tuple[str, str], topic: str, label: str
) -> None:
    """`retrieve(query, recent_messages, active_persona, max_tokens=700)`, with episodes under the
    label of the document."""
    for n in range(40):
        kept(akita, step.format(n), kind="SKILL")
    with akita.session("deploy") as session:
        session.user(talk[0])
        session.assistant(talk[1])
    akita.drain()
    text = akita.retrieve(topic, around=["镜像"], persona="tech_expert", limit=30)
    assert "SKILL" in text
    assert step.partition("{")[0] in text
    short = akita.retrieve(topic, max_tokens=150, limit=30)
    assert 0 < len(short) < len(text)
    longest = 5 if label.isascii() else 3  # characters of a token
    assert len(text) < longest * 700
    assert akita.retrieve(topic, max_tokens=1) == ""
    told = akita.retrieve(topic, of="episode")
    assert label in told
    assert label in called(akita, "search_memory", query=topic).text


@pytest.mark.statement("A82", "A83")
@pytest.mark.parametrize(
    ("path", "keyword"),
    [("D:\\code\\setup.cfg", "setup.cfg"), ("/srv/花园/播种表.csv", "播种表")],
)
def test_its_tools_take_its_arguments(akita: Mind, path: str, keyword: str) -> None:
    specs = {
        spec["function"]["name"]: spec["function"]["parameters"]["properties"]
        for spec in tool_specs("openai", "zh", mind=akita)
    }
    assert set(specs["add_memory"]["type"]["enum"]) == set(EXAMPLES)
    assert "content" in specs["add_memory"]
    assert "keyword" in specs["search_conversation_traces"]
    called(akita, "add_memory", content=EXAMPLES["SKILL"], type="SKILL")
    called(akita, "add_memory", text=EXAMPLES["FACT"], type="FACT")
    called(akita, "add_memory", text=EXAMPLES["ERROR"], kind="lesson")
    session = akita.session("s")
    session.assistant("", tool_calls=[ToolCall("read_file", {"path": path})])
    traces = listed(called(akita, "search_conversation_traces", keyword=keyword))
    assert traces[0]["tool_calls"][0]["name"] == "read_file"
    stats = called(akita, "get_memory_stats")
    assert stats.data["by_kind"] == {"FACT": 1, "ERROR": 1, "SKILL": 1}
    assert all(f"{word} 1" in stats.text for word in ("FACT", "ERROR", "SKILL"))
    wrong = call_tool(akita, "add_memory", {"text": "x", "type": "THOUGHT"})
    assert wrong.is_error
    assert "PERSONA_TRAIT" in wrong.text


@pytest.mark.statement("A84")
def test_add_memory_stores(akita: Mind) -> None:
    """Better: what a model wants kept as a rule is put to the user first, since a tool's output
    could have told it to; the user's answer, in a turn of theirs, passes through the model's own
    tool."""
    answer = called(akita, "add_memory", text=EXAMPLES["SKILL"], type="SKILL")
    assert answer.data["decision"] == "new"
    fact = called(akita, "add_memory", text=EXAMPLES["FACT"], type="FACT", importance=0.95)
    assert fact.data["decision"] == "new", "important, and no rule"
    rule = called(akita, "add_memory", text=EXAMPLES["RULE"], type="RULE")
    assert rule.data["decision"] == "pending"
    session = akita.session("s")
    session.assistant(f"要记住这条规则吗？{EXAMPLES['RULE']}")
    session.user("好的，记下来")
    called(akita, "confirm_memory", id=rule.data["id"])
    assert [one.text for one in akita.memories(kind="RULE")] == [EXAMPLES["RULE"]]


@pytest.mark.statement("A9")
@pytest.mark.parametrize("outcome", ["completed", " Completed "])
def test_completed_is_an_outcome(
    open_mind: OpenMind,
    server: Scripted,  # noqa: F811
    outcome: str,
) -> None:
    told = json.dumps({**thinking.STORY, "outcome": outcome})
    mind = open_mind(preset="openakita", **thinking.settings(server))
    _play(server, episode=reply(lambda _: says("openai", told, tokens=9)))
    with mind.session("s") as session:
        session.user("把周报写好，发给小王")
        session.assistant("写好了，也发给小王了。")
    mind.drain()
    (episode,) = mind.episodes(session="s")
    assert (episode.outcome, episode.summary) == ("success", thinking.STORY["summary"])
