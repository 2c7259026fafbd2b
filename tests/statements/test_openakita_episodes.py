"""OpenAkita, documents A §4.2, §5.6, §7: episodes, by whom, when, and what they are linked with."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from mnemic import Episode, ToolCall, ToolResult
from mnemic.clock import ManualClock
from mnemic.errors import InvalidInput
from tests.conftest import OpenMind
from tests.providers.scripted import Scripted, status
from tests.statements.memory_model import STORY, answering, fact, model, purpose, server

__all__ = ["server"]
LONG = "我平时写代码最喜欢用的语言是 Python，其他语言我都不太习惯用，比如 Go 和 Rust。"
LIKES_PYTHON = fact("用户喜欢用 Python", kind="preference", subject="user", predicate="likes")


HOSTS: dict[str, list[dict[str, Any]]] = {
    "Anthropic": [
        {"role": "user", "content": "我住在成都", "_session_id": "s", "_turn_index": 0},
        {"role": "assistant", "content": [
            {"type": "text", "text": "写好了。"},
            {"type": "tool_use", "id": "c", "name": "write_file", "input": {"path": "a.md"}},
        ]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "ok"}]},
    ],
    "OpenAI": [
        {"role": "user", "content": "I live in Chengdu"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function",
             "function": {"name": "write_file", "arguments": '{"path": "a.md"}'}},
        ]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ],
}  # fmt: skip


@pytest.mark.statement("A4")
@pytest.mark.parametrize("host", HOSTS)
def test_the_hook_takes_the_hosts_own_messages(open_mind: OpenMind, host: str) -> None:
    mind = open_mind(preset="openakita")
    messages = HOSTS[host]
    episode = mind.before_compression("s", messages)
    assert [turn.role for turn in mind.turns(session="s")] == ["user", "assistant", "tool"]
    assert [memory.value for memory in mind.memories()] in (["成都"], ["Chengdu"])
    assert [node.tool for node in episode.actions] == ["write_file"]
    assert mind.before_compression("s", messages).id == episode.id, "nothing is recorded twice"
    assert len(mind.turns(session="s")) == 3
    for wrong in ("x", {"content": "no role"}, {"role": "user"}, {"role": "user", "content": 5}):
        with pytest.raises(InvalidInput, match="messages"):
            mind.before_compression("s", [wrong])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="session"):
        mind.before_compression("s", [{"role": "user", "content": "x", "_session_id": "other"}])


@pytest.mark.statement("A7")
def test_a_summary_has_about_200_characters(open_mind: OpenMind, server: Scripted) -> None:
    """Better: a model that writes more is cut after a whole sentence, and not asked again."""
    server.always(answering(story={**STORY, "summary": "他们讨论了记忆系统的设计。" * 70}))
    mind = open_mind(preset="openakita", **model(server))
    with mind.session("s") as session:
        session.user("讨论一下记忆系统")
        session.assistant("好的，谈完了。")
    mind.drain()
    (episode,) = mind.episodes()
    assert 150 < len(episode.summary) <= 200
    assert episode.summary.rstrip("…").endswith("。")


@pytest.mark.statement("A8")
def test_the_outcome_without_a_model(open_mind: OpenMind) -> None:
    mind = open_mind(preset="openakita")
    talks = {
        "写周报": ("需要你提供本周内容。", "ongoing"),
        "write the weekly report": ("Please send me this week's notes first.", "ongoing"),
        "翻译这段话": ("翻译好了：hello。如有问题请告诉我。", "success"),
        "fix the login": ("I could not fix it.", "failed"),
    }
    for request, (answer, _) in talks.items():
        with mind.session(request) as session:
            session.user(request)
            session.assistant(answer)
    mind.drain()
    assert {one.session: one.outcome for one in mind.episodes()} == {
        request: outcome for request, (_, outcome) in talks.items()
    }
    done = mind.scratchpad().text
    assert "翻译这段话" in done
    assert "写周报" not in done.partition("近期完成")[2]


@pytest.mark.statement("A11")
def test_an_action_keeps_the_parameters_that_say_something(open_mind: OpenMind) -> None:
    mind = open_mind(preset="openakita")
    edit = {"path": "auth.py", "limit": None, "verbose": False, "old": "a = 1", "new": "a = 2"}
    search = {"query": "登录", "tags": [], "note": "", "top": 3}
    calls = (ToolCall("edit_file", edit, "1"), ToolCall("search", search, "2"))
    with mind.session("s") as session:
        session.user("把登录改好")
        results = (ToolResult("ok", "1"), ToolResult("3 hits", "2"))
        session.assistant("改好了。", tool_calls=calls, tool_results=results)
    mind.drain()
    edited, searched = mind.episodes()[0].actions
    assert dict(edited.params) == {"path": "auth.py"}
    assert dict(searched.params) == {"query": "登录", "top": 3}


ENGLISH = "The language I like best for writing code is Python; I am not used to Go or to Rust."
LIKES_IT = fact("The user likes Python", kind="preference", subject="user", predicate="likes")


@pytest.mark.statement("A13", "A14", "A16", "A17")
@pytest.mark.parametrize(
    ("told", "short", "learned"),
    [(LONG, "修登录", LIKES_PYTHON), (ENGLISH, "fix the login", LIKES_IT)],
    ids=["zh", "en"],
)
def test_each_session_without_an_episode_gets_one_at_night(
    open_mind: OpenMind,
    clock: ManualClock,
    server: Scripted,
    *,
    told: str,
    short: str,
    learned: dict[str, Any],
) -> None:
    server.always(answering([learned]))
    mind = open_mind(preset="openakita", **model(server))
    for name in ("learned", "short"):  # nobody ends either; of one every turn was read by day
        session = mind.session(name)
        session.user(told if name == "learned" else short)
        session.assistant("好的。")
    mind.drain()
    assert (mind.episodes(), [m.episode for m in mind.memories()]) == ([], [""])
    clock.advance(days=1)
    mind.upkeep("daily")
    mind.upkeep("daily")
    stories: dict[str, Episode] = {one.session: one for one in mind.episodes()}
    assert stories.keys() == {"learned", "short"}
    assert {one.summary for one in stories.values()} == {STORY["summary"]}, "the model tells them"
    assert [purpose(asked) for asked in server.asked].count("episode") == 2
    (memory,) = mind.memories()
    assert stories["learned"].memories == (memory.id,)
    assert memory.episode == stories["learned"].id
    assert {turn.episode for turn in mind.turns(session="learned")} == {memory.episode}

    clock.advance(hours=1)
    mind.record(session="learned", role="user", text="再看看日志")
    assert mind.turns(session="learned")[-1].episode == ""
    clock.advance(days=1)
    mind.upkeep("daily")
    later = mind.episodes(session="learned")[0]
    assert mind.turns(session="learned")[-1].episode == later.id != memory.episode
    mind.forget(id=memory.episode)
    assert mind.get(memory.id).episode == ""
    assert mind.turns(session="learned")[0].episode == ""


@pytest.mark.statement("A13")
def test_a_model_that_is_away_is_waited_for_and_one_that_cannot_tell_is_not(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    server.always(answering())
    mind = open_mind(preset="openakita", **model(server))
    mind.session("s").user(LONG)
    mind.drain()
    clock.advance(days=1)
    server.always(status(503))
    (turns,) = [one for one in mind.upkeep("daily").steps if one.name == "turns"]
    assert (turns.state, mind.episodes()) == ("waiting", [])
    clock.advance(days=1)
    server.always(answering(story={"summary": ""}))
    mind.upkeep("daily")
    (episode,) = mind.episodes()
    assert "Python" in episode.summary, "by the rules"


@pytest.mark.statement("A15")
@pytest.mark.parametrize(
    ("zone", "said", "nights"),
    [
        ("America/Los_Angeles", datetime(2026, 2, 13, 4, tzinfo=UTC), [1, 1]),  # at 20:00
        ("Asia/Shanghai", datetime(2026, 2, 12, 18, 50, tzinfo=UTC), [0, 1]),  # at 02:50
    ],
)
def test_the_night_is_the_users(
    open_mind: OpenMind, clock: ManualClock, zone: str, said: datetime, nights: list[int]
) -> None:
    clock.set(said)
    mind = open_mind(preset="openakita", schedule={"zone": zone})
    mind.session("s").user("修登录")
    clock.set(said.replace(hour=11 if zone.startswith("America") else 19, minute=0))  # 03:00 there
    told = []
    for _ in nights:
        mind.upkeep("daily")
        told.append(len(mind.episodes()))
        clock.advance(days=1)
    assert told == nights


@pytest.mark.statement("A26")
@pytest.mark.parametrize("again", [False, True], ids=["ends once", "goes on and ends again"])
def test_the_end_of_a_session_cleans_what_is_transient(
    open_mind: OpenMind, server: Scripted, *, again: bool
) -> None:
    facts = [
        fact("用户今天在调试登录", kind="temp"),
        fact("这次只改 auth.py", kind="rule", duration="24h"),
        fact("会议室是 302", duration="session"),
        fact("用户住在成都", duration="permanent"),
        fact("部署脚本坏了", duration="7d"),
    ]
    server.always(answering(facts))
    mind = open_mind(preset="openakita", **model(server))
    session = mind.session("s")
    session.user("我住在成都，今天在调试登录。这次只改 auth.py。会议室是 302，部署脚本坏了。")
    mind.remember("一件临时的事", kind="temp")
    mind.drain()
    assert len(mind.memories()) == 6
    session.end()
    mind.drain()
    if again:
        server.always(answering([fact("The user is on the second floor", kind="temp")]))
        session.user("I am on the second floor now, looking for the meeting room, one moment")
        mind.drain()
        assert len(mind.memories()) == 4
        session.end()
        mind.drain()
    assert {memory.text for memory in mind.memories()} == {
        "用户住在成都",
        "部署脚本坏了",
        "一件临时的事",  # of no session
    }
