"""myclaw: days become knowledge, partitions fewer entries, and the profile is written anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mnemic import Candidate
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.planting import plant_many
from tests.providers.scripted import Scripted
from tests.statements.model_server import answer, answering, numbered, settings, shown

NGINX = tuple(f"nginx 在第 {n} 台服务器上监听 {8000 + n} 端口" for n in range(1, 10))
CERTIFICATES = ("nginx 的证书每 90 天更新", "nginx 的证书用 certbot 更新")


def contents(mind: Any, **query: Any) -> set[str]:
    return {memory.text for memory in mind.memories(limit=500, **query)}


@pytest.mark.statement("D94")
@pytest.mark.parametrize("write", [str.lower, str.title], ids=["as known", "Stellarlink"])
def test_compressed_facts_keep_project_and_topic_and_are_not_written_twice(
    open_mind: OpenMind, clock: ManualClock, write: Callable[[str], str]
) -> None:
    known = "myclaw 用 SQLite 存记忆"
    with Scripted() as server:
        mind = open_mind(preset="myclaw", **settings(server))
        mind.remember(known, kind="decision", project="myclaw", topic="storage", importance=0.8)
        with mind.session(id="s", project="myclaw") as session:
            session.user("我们定了：myclaw 用 SQLite 存记忆，接口先用 REST")
            session.user("stellarlink 的首页改用 React 19")
        server.always(answer({"facts": []}))
        clock.advance(hours=1)
        mind.drain()
        clock.advance(days=1)
        told = [
            {"kind": "decision", "content": known, "importance": 0.8},
            {"kind": "decision", "content": "接口先用 REST", "importance": 0.8,
             "project": write("myclaw"), "topic": "api"},
            {"kind": "decision", "content": "首页改用 React 19", "importance": 0.8,
             "project": write("stellarlink"), "topic": "frontend"},
        ]  # fmt: skip
        server.always(answer({"facts": told}))
        mind.upkeep("daily")
        places = {m.text: (m.project, m.topic) for m in mind.memories(limit=100)}
        assert places == {
            known: ("myclaw", "storage"),
            "接口先用 REST": ("myclaw", "api"),
            "首页改用 React 19": (write("stellarlink"), "frontend"),
        }
        asked = server.asked[-1].json
        assert "projects: myclaw" in shown(server.asked[-1])
    assert '"project"' in str(asked).replace("'", '"')


@pytest.mark.statement("D95")
def test_the_model_writes_a_partition_in_fewer_entries_and_it_can_be_undone(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    """Better: an entry that no new one stands for stays, so that nothing is lost in silence."""
    with Scripted() as server:
        mind = open_mind(preset="myclaw", **settings(server, upkeep={"weekly": ("rewrite",)}))
        place: dict[str, Any] = {"project": "myclaw", "topic": "deployment"}
        for text in (*NGINX, *CERTIFICATES):
            mind.remember(text, kind="config", importance=0.5, **place)
        for n in range(9):
            mind.remember(f"晚饭吃了第 {n} 家面馆", kind="event", topic="food")
        fewer = "nginx 在第 1 到 8 台服务器上监听 8001 到 8008 端口"

        def rewritten(text: str) -> object:
            fact = {"content": fewer, "kind": "config", "importance": 0.6}
            certificate = {"content": "nginx 的证书用 certbot 更新，每 90 天一次", "kind": "rule",
                           "importance": 0.4, "from": numbered(text, CERTIFICATES)}  # fmt: skip
            return {"facts": [{**fact, "from": numbered(text, ["监听"])[:-1]}, certificate]}

        server.always(answering(rewritten))
        clock.advance(days=1)
        report = mind.upkeep("weekly")
        assert len(server.asked) == 1, "a partition of nine is not worth it"
        assert "面馆" not in shown(server.asked[0])
        current = contents(mind, **place)
        assert len(current) == 3
        (stayed,) = current & {*NGINX}
        (new,) = [m for m in mind.memories(**place) if m.text == fewer]
        assert (new.kind, new.importance, new.project) == ("config", 0.5, "myclaw")
        versions = mind.history(new.id).versions
        assert {m.text for m in versions} == {fewer, *NGINX} - {stayed}
        assert {m.status for m in versions if m.id != new.id} == {"archived"}
        (certificate,) = [m for m in mind.memories(**place) if "certbot" in m.text]
        assert certificate.kind == "config", "rewriting makes no rule of a remark"
        mind.upkeep("weekly")
        assert len(server.asked) == 1, "nothing is new"
        undone = mind.undo_upkeep(report.steps[0].operation)
        assert undone.left == ()
    assert contents(mind, **place) == {*NGINX, *CERTIFICATES}


@pytest.mark.statement("D95")
def test_an_answer_that_saves_nothing_or_makes_something_up_changes_nothing(
    open_mind: OpenMind,
) -> None:
    """Better: a figure that no entry has is not believed."""
    with Scripted() as server:
        mind = open_mind(preset="myclaw", **settings(server, upkeep={"weekly": ("rewrite",)}))
        for text in (*NGINX, *CERTIFICATES):
            mind.remember(text, kind="config", topic="deployment")
        every = list(range(1, 12))
        server.then(answer({"facts": [{"content": "nginx 监听 9999 端口", "from": every}]}))
        mind.upkeep("weekly")
        assert len(server.asked) == 1
    assert contents(mind) == {*NGINX, *CERTIFICATES}


@pytest.mark.statement("D95")
def test_what_is_forgotten_leaves_the_rewritten_entry_and_the_others_hold_again(
    open_mind: OpenMind,
) -> None:
    with Scripted() as server:
        mind = open_mind(preset="myclaw", **settings(server, upkeep={"weekly": ("rewrite",)}))
        kept = [mind.remember(text, kind="config", topic="ops") for text in (*NGINX, *CERTIFICATES)]
        merged = "nginx 在 9 台服务器上监听，证书每 90 天更新"
        server.then(answer({"facts": [{"content": merged, "from": list(range(1, 12))}]}))
        mind.upkeep("weekly")
        assert contents(mind) == {merged}
        mind.forget(id=kept[0].id)
    left = {*NGINX, *CERTIFICATES} - {NGINX[0]}
    assert contents(mind) == left
    assert contents(mind, status="all") == left


@pytest.mark.statement("D96")
def test_the_profile_is_written_by_the_model_and_corrected_by_the_user(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    """Better: what the profile was made of stays knowledge, where the user's next words correct it;
    then the entry made of it goes at once, not in a week.
    """
    with Scripted() as server:
        mind = open_mind(preset="myclaw", **settings(server, upkeep={"weekly": ("profile",)}))
        home = mind.remember("用户住在杭州", kind="identity", subject="user", predicate="lives in",
                             value="杭州", importance=1.0)  # fmt: skip
        mind.remember("用户是全栈工程师", kind="identity", importance=0.9)
        mind.remember("回复用中文", kind="rule", importance=0.8)
        mind.remember("今天下雨", kind="event", importance=0.3)
        line = "用户住在杭州，是全栈工程师"

        def profile(text: str) -> object:
            entry = {"content": line, "kind": "identity"}
            return {"entries": [{**entry, "from": numbered(text, ["杭州", "工程师"])}]}

        server.always(answering(profile))
        clock.advance(days=1)
        report = mind.upkeep("weekly")
        assert "今天下雨" not in shown(server.asked[0]), "0.7 and more"
        (entry,) = mind.memories(topic="_profile")
        assert (entry.text, entry.importance, entry.project) == (line, 1.0, "_global")
        assert mind.get(home.id).status == "active"
        assert mind.words(entry)["source"] == "compression"
        prompt = mind.context("你好", session="s").text
        assert line in prompt
        assert "用户是全栈工程师" not in prompt.replace(line, ""), "the profile stands for it"
        mind.upkeep("weekly")
        assert len(server.asked) == 1, "nothing is new"
        clock.advance(days=1)
        mind.remember("用户住在上海", kind="identity", subject="user", predicate="lives in",
                      value="上海", importance=1.0, supersedes=home.id)  # fmt: skip
        assert mind.memories(topic="_profile") == []
        server.always(answering(lambda text: {"entries": [
            {"content": "用户住在上海，是全栈工程师", "kind": "identity",
             "from": numbered(text, ["上海", "工程师"])}]}))  # fmt: skip
        second = mind.upkeep("weekly")
        assert len(server.asked) == 2
        assert contents(mind, topic="_profile") == {"用户住在上海，是全栈工程师"}
        mind.undo_upkeep(second.steps[0].operation)
        assert mind.memories(topic="_profile") == []
    assert report.steps[0].counts["written"] == 1


@pytest.mark.statement("D95", "D96")
def test_without_a_model_rules_merge_and_choose(open_mind: OpenMind) -> None:
    mind = open_mind(preset="myclaw")
    for n in range(10):
        mind.remember(f"第 {n} 条经验", kind="skill", importance=0.9, topic="t")
    mind.remember("第 9 条经验。", kind="lesson", importance=0.5, topic="t")
    mind.upkeep("weekly")
    assert len(mind.memories(limit=50)) == 10


@pytest.mark.statement("D65")
def test_tier_2_is_kept_to_its_size(open_mind: OpenMind) -> None:
    mind = open_mind(preset="myclaw")
    plant_many(mind, [f"解决办法 {n}" for n in range(5_200)], kind="skill")
    mind.remember("用户叫小林", kind="identity", importance=1.0)
    report = mind.upkeep("daily")
    left = mind.stats().memories - 1  # without the core
    assert 4_990 <= left <= 5_000
    assert contents(mind, kind="identity") == {"用户叫小林"}
    capacity = next(step for step in report.steps if step.name == "capacity")
    mind.undo_upkeep(capacity.operation)
    assert mind.stats().memories == 5_201


@pytest.mark.statement("D95")
def test_a_source_that_is_rolled_back_leaves_the_rewritten_entry(open_mind: OpenMind) -> None:
    mind = open_mind(preset="myclaw")
    turns = {
        session: mind.record(session=session, role="user", text=f"{session} 说的话")
        for session in ("good", "bad")
    }
    for n, text in enumerate((*NGINX, *CERTIFICATES)):
        source = turns["bad" if n == 0 else "good"].id
        mind.propose(Candidate(kind="config", text=text, topic="ops", sources=(source,)))
    mind.close()
    merged = "nginx 在 9 台服务器上监听，证书每 90 天更新"
    with Scripted() as server:
        mind = open_mind(preset="myclaw", **settings(server, upkeep={"weekly": ("rewrite",)}))
        server.always(answer({"facts": [{"content": merged, "from": list(range(1, 12))}]}))
        mind.upkeep("weekly")
        assert contents(mind) == {merged}
        rolled = mind.rollback("session:bad")
    assert len(rolled.restored) == 10
    assert contents(mind) == {*NGINX[1:], *CERTIFICATES}
