"""Documents A and B, lived through under the preset openakita: search, core, persona, speed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mnemic.tools import call_tool
from tests.conftest import OpenMind

WORDS: dict[str, Any] = {"preset": "openakita", "embedding__provider": "none"}


@pytest.mark.statement("A43")
@pytest.mark.parametrize("tool", ["search_memory", "search_conversation_traces"])
def test_the_photo_of_the_cat_is_found_by_the_models_tools(open_mind: OpenMind, tool: str) -> None:
    mind = open_mind(**WORDS)
    with mind.session("s") as session:
        session.user("今天天气真好")
    mind.attach("/in/cat.jpg", session="s", description="一只橘猫趴在沙发上")
    mind.attach("/in/plan.pdf", description="年度计划")
    for query in ("上次我发给你的那张猫的照片给我一下", "the picture of 橘猫 I sent"):
        answer = call_tool(mind, tool, {"query": query})
        assert "/in/cat.jpg" in answer.text
        assert '"type": "attachment"' in json.dumps(answer.data, default=str)


@pytest.mark.statement("A73")
@pytest.mark.parametrize(
    ("other", "meant", "talk", "asked"),
    [
        (
            "面馆在城北，老板姓吴",
            "茶馆在城南，老板姓周",
            ("我想聊聊城南那家茶馆", "好的，茶馆怎么了？"),
            "老板姓什么",
        ),
        (
            "The noodle bar up north: the owner is Mr Vogt",
            "The tea house down south: the owner is Mr Zander",
            ("Let's talk about the tea house in the south", "Sure, what about the tea house?"),
            "Who is the owner?",
        ),
    ],
    ids=["zh", "en"],
)
def test_the_last_turns_make_a_short_query_clearer(
    open_mind: OpenMind, other: str, meant: str, talk: tuple[str, str], asked: str
) -> None:
    mind = open_mind(**WORDS, context__disclosure="injected", gate__mode="always")
    mind.remember(other, kind="fact", importance=0.55)
    mind.remember(meant, kind="fact", importance=0.5)
    session = mind.session("s")
    session.user(talk[0])
    session.assistant(talk[1])
    first = call_tool(mind, "search_memory", {"query": asked}, session="s")
    assert first.text.index(meant) < first.text.index(other)
    alone = call_tool(mind, "search_memory", {"query": asked})
    assert alone.text.index(other) < alone.text.index(meant)
    text = mind.context(asked, session="s").text
    assert text.index(meant) < text.index(other)


@pytest.mark.statement("A87")
def test_the_core_of_the_prompt_is_memory_md(open_mind: OpenMind) -> None:
    mind = open_mind(**WORDS)
    mind.remember("所有脚本必须加中文注释", kind="rule", importance=0.5)
    mind.remember("用户叫小明", kind="identity", importance=0.9)
    for n in range(20):
        mind.remember(f"第 {n} 个偏好：喜欢第 {n} 种缩进", kind="preference", importance=0.6)
    mind.sync()
    assert mind.documents_folder is not None
    document = (Path(mind.documents_folder) / "MEMORY.md").read_text()
    memories = mind.memories(limit=100)
    listed = {memory.id for memory in memories if memory.text in document}
    prompt = mind.context("你好", session="s")
    shown = {memory.id: prompt.text.count(memory.text) for memory in memories}
    assert {id_ for id_, times in shown.items() if times} == listed
    assert set(shown.values()) <= {0, 1}, "nothing is said twice"
    assert len(listed) < len(memories)
    assert "所有脚本必须加中文注释" in prompt.text


@pytest.mark.statement("A87")
def test_a_line_of_memory_md_that_was_superseded_shows_its_present_version(
    open_mind: OpenMind,
) -> None:
    mind = open_mind(**WORDS)
    old = mind.remember("项目用 Python 3.10", kind="fact", importance=0.5)
    mind.sync()
    mind.edit(old.id, text="项目用 Python 3.12")
    text = mind.context("你好", session="s").text
    assert "3.12" in text
    assert "3.10" not in text


@pytest.mark.statement("A90")
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["plain", "as Windows writes"])
def test_the_persona_overlay_is_the_preset_file_and_the_users_own(
    open_mind: OpenMind, ends: str
) -> None:
    mind = open_mind(**WORDS)
    assert mind.documents_folder is not None
    personas = Path(mind.documents_folder) / "personas"
    personas.mkdir(parents=True)
    (personas / "jarvis.md").write_text("# Jarvis\n\n你是管家，称呼用户为先生。\n", newline=ends)
    (personas / "user_custom.md").write_text("# 人设\n\n", newline=ends)
    assert "人设" not in mind.context("你好").text, "an empty file means nothing"
    assert "先生" not in mind.context("你好").text
    assert "称呼用户为先生" in mind.context("你好", persona="jarvis").text
    (personas / "user_custom.md").write_text("# 人设\n\n- 回答要简短\n", newline=ends)
    overlay = mind.context("你好", persona="jarvis").text
    assert overlay.index("先生") < overlay.index("回答要简短")
    (Path(mind.documents_folder) / "secret.md").write_text("外面的文件")
    assert "外面的文件" not in mind.context("你好", persona="../secret").text


@pytest.mark.statement("A118")
def test_injected_memories_do_not_repeat_the_running_conversation(open_mind: OpenMind) -> None:
    mind = open_mind(**WORDS, context__disclosure="injected", gate__mode="always")
    mind.remember("上海的网关在三月升级过", kind="fact")
    session = mind.session("s")
    said = session.user("网关今天又升级了，用了两个小时")
    mind.remember("网关今天又升级了，用了两个小时", kind="event", sources=[said.id])
    text = mind.context("网关升级过几次？", session="s").text
    assert "三月升级过" in text
    assert "两个小时" not in text, "the host has it in its own prompt"
    assert "两个小时" in mind.context("网关升级过几次？", session="another").text
