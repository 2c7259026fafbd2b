"""What Shiyi asks its user: who is who on a new memory, and this turn's candidates."""

from __future__ import annotations

from typing import Any

import anyio
import openai
import pytest
from mcp import Client, types

import mnemic
from mnemic import Candidate
from mnemic.clock import ManualClock
from mnemic.integrations import wrap
from mnemic.serve.mcp import mcp_server
from tests.cli.conftest import Shell, db, shell
from tests.integrations.server import model, prompt
from tests.providers.scripted import Scripted
from tests.remote import server

__all__ = ["db", "server", "shell"]

ROLE = "你希望我是什么样的身份？"
ANSWERS = ("十一，一个可靠的搭档", "简洁", "涉及删除时先问", "不泄露隐私", "先给结论",
           "阿青", "后端工程师", "Python 和 SQLite", "先讨论方案再写代码")  # fmt: skip


def asking(**more: Any) -> mnemic.Mind:
    return mnemic.open(":memory:", preset="shiyi", worker="none", memory__language="zh", **more)


def candidate(n: int) -> Candidate:
    return Candidate(
        kind="preference", text=f"用户偏好第 {n} 种编辑器", subject=f"editor {n}",
        predicate="prefers", value=str(n), confidence=0.6, trust="owner",
    )  # fmt: skip


@pytest.mark.statement("C13")
def test_the_first_chat_begins_with_who_is_who(shell: Shell) -> None:
    options = ("--preset", "shiyi", "--set", "memory.language=zh")
    lines = "\n".join([*ANSWERS, "确认", "/quit", ""])
    first = shell(*options, "chat", input=lines)
    assert ROLE in first.stdout
    assert first.stdout.index(ROLE) < first.stdout.index("我该怎么称呼你？")
    assert "- 称呼: 阿青" in first.stdout
    again = shell(*options, "chat", input="/quit\n")
    assert ROLE not in again.stdout  # once ever
    with mnemic.open(shell.db, preset="shiyi", worker="none") as mind:
        assert any("阿青" in memory.text for memory in mind.memories())


@pytest.mark.statement("C13")
def test_mcp_asks_on_a_new_memory_by_a_prompt_the_person_picks() -> None:
    """Better: the answers come from a prompt that the person picks, so that no model can answer in
    their name."""
    with asking() as mind:

        async def picked(client: Client, answer: str) -> str:
            result = await client.get_prompt("introduce", {"answer": answer})
            content = result.messages[0].content
            assert isinstance(content, types.TextContent)
            return content.text

        async def run() -> None:
            with anyio.fail_after(60):
                async with Client(mcp_server(mind)) as client:
                    assert ROLE in (client.instructions or "")
                    assert ROLE in await picked(client, "")
                    replies = [await picked(client, answer) for answer in ANSWERS]
                    assert "阿青" in replies[-1]
                    assert "完成" in await picked(client, "确认")
                async with Client(mcp_server(mind)) as client:
                    assert ROLE not in (client.instructions or "")

        anyio.run(run)
        assert mind.onboarding().done
    with mnemic.open(":memory:", worker="none") as plain:

        async def unasked() -> None:
            async with Client(mcp_server(plain)) as client:
                assert "introduce`" not in (client.instructions or "")

        anyio.run(unasked)


@pytest.mark.statement("C13")
def test_an_adapter_asks_and_hears_the_answers(server: Scripted) -> None:
    with asking() as mind:
        client = wrap(
            openai.OpenAI(base_url=server.url, api_key="test", max_retries=0), mind, session="s"
        )

        def ask(message: str, reply: str) -> str:
            model(server, reply)
            client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": message}]
            )
            return prompt(server.asked[-1])

        assert ROLE in ask("你好，帮我看看日程", f"今天没有安排。{ROLE}")
        assert ROLE in ask("明天呢？", "明天有会。")  # a question is no answer
        assert ROLE in ask("知道了", f"好的。{ROLE}")
        second = ask(ANSWERS[0], "记下了。我该用什么语气说话？")
        assert ROLE not in second
        assert "我该用什么语气说话？" in second
        questions = [mind.onboarding().text]
        for answer in ANSWERS[1:]:
            mind.onboard(answer)
            questions.append(mind.onboarding().text)
        assert "十一，一个可靠的搭档" in questions[-1]  # the summary
        mind.onboard("确认")
        assert "身份" not in ask("你好", "你好")


@pytest.mark.statement("C44")
def test_this_turns_candidates_come_with_the_context_once(clock: ManualClock) -> None:
    with asking(clock=clock) as mind:
        session = mind.session("s")
        session.user("我可能更喜欢第一种编辑器")
        assert mind.context("在吗", session="s").pending == ()
        for n in range(4):
            assert mind.propose(candidate(n)).outcome == "pending"
        first = mind.context("在吗", session="s").pending
        assert len(first) == 3
        second = mind.context("在吗", session="s").pending
        assert len(second) == 1
        assert not {one.id for one in first} & {one.id for one in second}
        assert mind.context("在吗", session="s").pending == ()  # not the same at every call
        mind.drain()
        assert {one.offered for one in mind.pending()} == {1}
        mind.propose(candidate(9))
        (newest,) = mind.context("在吗", session="s").pending
        assert "第 9 种" in newest.text


@pytest.mark.statement("C44")
def test_an_adapter_puts_them_to_the_user_and_hears_the_word(
    server: Scripted,
) -> None:
    with asking(documents__onboarding=False) as mind:
        client = wrap(
            openai.OpenAI(base_url=server.url, api_key="test", max_retries=0), mind, session="s"
        )

        def ask(message: str, reply: str) -> str:
            model(server, reply)
            client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": message}]
            )
            return prompt(server.asked[-1])

        decisions = {"确认": "active", "忽略": "rejected", "稍后": "pending"}
        for n, (word, status) in enumerate(decisions.items()):
            waiting = mind.propose(candidate(n)).memory
            assert waiting is not None
            asked = ask(f"第 {n} 个问题", f"好的。另外：{waiting.text}，对吗？")
            assert waiting.text in asked
            ask(word, "好的")
            assert mind.get(waiting.id).status == status
            assert (mind.get(waiting.id).snoozed_until is not None) == (word == "稍后")
        unheard = mind.propose(candidate(7)).memory
        assert unheard is not None
        ask("又一个问题", "我忘了问")  # the reply did not ask, so the next word decides nothing
        ask("确认", "确认什么？")
        assert mind.get(unheard.id).status == "pending"
