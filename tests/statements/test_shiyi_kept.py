"""Shiyi, what was true from the start: three layers, events, candidates, documents, the queue."""

from __future__ import annotations

import os
import shutil
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mnemic import Candidate, Mind, ToolCall, ToolResult
from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted, reply, status
from tests.remote import asked_for, meaning, remote, server
from tests.statements.playing import calls, fact, reading

__all__ = ["server"]

FOLDER = Path("data/memory")
OLD = Path(__file__).parents[1] / "fixtures" / "schema-0001.db"
TEA = {"茶": (1.0, 0.0, 0.0), "饮料": (0.9, 0.1, 0.0)}

CHINESE: dict[str, Any] = {"memory": {"language": "zh"}, "embedding": {"provider": "none"}}


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    return open_mind(preset="shiyi", embedding={"provider": "none"})


def likes(value: str, confidence: float = 0.7, **fields: Any) -> Candidate:
    return Candidate("preference", f"用户喜欢{value}", "用户", "喜欢", value,
                     confidence=confidence, **fields)  # fmt: skip


@pytest.mark.statement("C1", "C8", "C9")
def test_three_layers_and_every_fact_leads_to_its_message(
    open_mind: OpenMind, server: Scripted, tmp_path: Path
) -> None:
    server.always(meaning(TEA))
    mind = open_mind(preset="shiyi", **remote(server))
    said = mind.record(session="s", role="user", text="我喜欢喝茶")
    mind.drain()
    (memory,) = mind.memories()
    assert [(source.turn_id, source.session) for source in memory.sources] == [(said.id, "s")]
    (hit, *_) = [hit for hit in mind.recall("我喝什么饮料") if hit.type == "memory"]
    assert "vector" in hit.why.routes
    assert any("text" in hit.why.routes for hit in mind.recall("喝茶"))
    mind.remember("十一说话温和", kind="trait", confidence=0.95)
    mind.remember("完成了数据底座", kind="event", project="shiyi")
    mind.remember("先接 FTS5 再接向量", kind="lesson")
    mind.sync()
    made = {
        str(path.relative_to(tmp_path / FOLDER)) for path in tmp_path.glob("data/memory/**/*.md")
    }
    names = ("system/ShiYi.md", "shared/User.md", "shared/Project.md", "shared/Insights.md")
    assert set(names) <= made
    assert "喝茶" in (tmp_path / FOLDER / "shared/User.md").read_text(encoding="utf-8")
    mind.edit(memory.id, text="用户喜欢喝红茶")
    assert mind.turns() == [mind.turns()[0]]
    assert mind.turns()[0].text == "我喜欢喝茶", "the ledger only grows"
    assert [one.text for one in mind.history(memory.id).versions][-1] == "用户喜欢喝红茶"


LIN = ("搭档", "温和", "不越界", "不编造", "先测试", "小林", "工程师", "Go", "小步走")
ADA = (
    "partner",
    "dry",
    "no flattery",
    "no guessing",
    "tests first",
    "Ada",
    "welder",
    "Zig",
    "slow",
)


@pytest.mark.statement("C2", "C3", "C18")
@pytest.mark.parametrize(
    ("language", "answers", "confirm", "likes"),
    [("zh", LIN, "确认", "我喜欢喝茶"), ("en", ADA, "yes", "I like to drink 茶")],
    ids=["zh", "en"],
)
def test_one_user_shares_one_card_and_others_stay_possible(
    open_mind: OpenMind,
    tmp_path: Path,
    *,
    language: str,
    answers: tuple[str, ...],
    confirm: str,
    likes: str,
) -> None:
    given: dict[str, Any] = {**CHINESE, "memory": {"language": language}}
    mind = open_mind(preset="shiyi", **given)
    name = answers[5]
    for answer in answers:
        assert not mind.onboarding().done
        mind.onboard(answer)
    assert mind.onboard(confirm).done
    for session, said in (("早上", likes), ("晚上", "我养了一只猫")):
        mind.record(session=session, role="user", text=said)
    mind.drain()
    mind.sync()
    card = (tmp_path / FOLDER / "shared/User.md").read_text(encoding="utf-8")
    assert all(word in card for word in (name, "茶"))
    for session in ("早上", "晚上", "第三个"):
        assert name in mind.context("你好呀，今天怎么样", session=session).text
    other = open_mind(preset="shiyi", space="another", **given)
    assert not other.onboarding().done
    assert name not in other.context("你好呀，今天怎么样").text


@pytest.mark.statement("C5")
def test_tool_calls_and_results_are_kept_and_found(mind: Mind) -> None:
    mind.record(
        session="s", role="assistant", text="查好了",
        tool_calls=[ToolCall("query_db", {"sql": "SELECT count(*) FROM orders"}, "a")],
        tool_results=[ToolResult("1742 行", "a")],
    )  # fmt: skip
    (turn,) = mind.turns(tool="query_db")
    assert turn.tool_calls[0].input == {"sql": "SELECT count(*) FROM orders"}
    assert turn.tool_results[0].content == "1742 行"
    assert [hit.id for hit in mind.recall("1742")] == [turn.id]


@pytest.mark.statement("C7")
def test_every_kind_of_change_is_an_event(
    open_mind: OpenMind, server: Scripted, clock: ManualClock
) -> None:
    server.always(meaning(TEA))
    mind = open_mind(preset="shiyi", **remote(server))

    def version(value: str, **fields: Any) -> None:
        mind.propose(Candidate("config", f"Python 是 {value}", "Python", "版本", value,
                               confidence=0.9, **fields))  # fmt: skip

    version("3.10")
    version("3.12", is_update=True)
    version("3.9")
    mind.record(session="s", role="user", text="喝茶")
    mind.drain()
    server.always(reply({"data": []}))
    mind.remember("新的一条", kind="fact")
    mind.drain()
    server.always(status(503))
    mind.recall("饮料")
    assert {"write", "supersede", "conflict", "retrieval_fail", "retry"} <= {
        event.type for event in mind.events(limit=1000)
    }


@pytest.mark.statement("C10", "C39")
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["plain", "as Windows writes"])
def test_a_person_revises_a_document_and_it_is_replaced_whole(
    mind: Mind, tmp_path: Path, ends: str
) -> None:
    mind.remember("用户喜欢绿茶", kind="preference", subject="用户")
    mind.sync()
    file = tmp_path / FOLDER / "shared/User.md"
    beside = tmp_path / "open elsewhere.md"
    os.link(file, beside)  # whoever has the old file open
    before = beside.read_text(encoding="utf-8")
    mind.remember("用户养了一只猫", kind="fact", subject="用户")
    mind.sync()
    assert beside.read_text(encoding="utf-8") == before, "a new file was renamed over it"
    assert "猫" in file.read_text(encoding="utf-8")
    assert [path.name for path in file.parent.iterdir() if "tmp" in path.name.lower()] == []
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("绿茶", "红茶"), encoding="utf-8", newline=ends)
    mind.sync()
    assert {memory.text for memory in mind.memories()} == {"用户喜欢红茶", "用户养了一只猫"}
    assert any("红茶" in hit.text for hit in mind.recall("茶"))


@pytest.mark.statement("C20", "C21", "C46", "C47")
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)], ids=["in order", "the last first"])
def test_the_states_of_a_fact_and_of_a_candidate(
    mind: Mind, clock: ManualClock, order: tuple[int, int, int]
) -> None:
    ids = [mind.propose(likes(value)).id for value in ("茶", "咖啡", "牛奶")]
    assert mind.memories() == []
    assert {memory.id for memory in mind.pending()} == set(ids)
    tea, coffee, milk = (ids[place] for place in order)
    mind.confirm(tea)
    assert mind.get(tea).status == "active"
    mind.ignore(coffee)
    assert mind.get(coffee).status == "rejected"
    until = mind.snooze(milk).snoozed_until
    assert until == NOON + timedelta(days=1)
    assert mind.pending(offer=True) == []
    assert mind.propose(likes("咖啡", 0.84)).outcome == "dropped", "not asked again"
    clock.advance(days=1)
    assert [memory.id for memory in mind.pending(offer=True)] == [milk]
    first = mind.remember("用户住在杭州", kind="identity")
    mind.remember("用户住在上海", kind="identity", supersedes=first.id)
    assert mind.get(first.id).status == "superseded"


@pytest.mark.statement("C22", "C40")
@pytest.mark.parametrize(
    ("liked", "learned", "said"),
    [
        ("茶要趁热喝", "泡茶先温杯", "茶已经泡好了"),
        ("Chai is best hot", "Warm the cup before the chai", "The chai is ready"),
    ],
    ids=["zh", "en"],
)
def test_facts_messages_and_insights_are_embedded_in_the_background(
    open_mind: OpenMind, server: Scripted, liked: str, learned: str, said: str
) -> None:
    near = {"茶": (1.0, 0.0, 0.0), "hai": (1.0, 0.0, 0.0), "饮料": (1.0, 0.1, 0.0)}
    server.always(meaning(near))
    mind = open_mind(preset="shiyi", **remote(server))
    mind.remember(liked, kind="preference")
    mind.remember(learned, kind="lesson")
    mind.record(session="s", role="assistant", text=said)
    assert server.asked == [], "writing waits for no vector"
    mind.drain()
    assert {liked, learned, said} <= set(asked_for(server))
    found = {hit.text for hit in mind.recall("饮料") if "vector" in hit.why.routes}
    assert found == {liked, learned, said}


@pytest.mark.statement("C24")
def test_a_database_of_the_first_schema_is_taken_over(open_mind: OpenMind, tmp_path: Path) -> None:
    old = Path(shutil.copy(OLD, tmp_path / "old.db"))
    mind = open_mind(old, preset="shiyi", embedding={"provider": "none"})
    assert mind.stats().turns > 0
    turn = next(one for one in mind.turns() if one.role == "user" and len(one.text) > 8)
    assert turn.id in {hit.id for hit in mind.recall(turn.text)}
    mind.record(session=turn.session, role="user", text="接着聊")
    assert mind.turns(session=turn.session)[-1].text == "接着聊"


@pytest.mark.statement("C35", "C36")
def test_after_every_turn_and_by_confidence(open_mind: OpenMind, server: Scripted) -> None:
    facts = ((0.85, "active"), (0.84, "pending"), (0.60, "pending"), (0.59, ""))
    server.always(
        reading(*((f"我喜欢{n}号茶", fact(f"用户喜欢{n}号茶", confidence=sure))
                  for n, (sure, _) in enumerate(facts)))
    )  # fmt: skip
    mind = open_mind(preset="shiyi", **thinking.settings(server))
    for n, (_, kept) in enumerate(facts):
        mind.record(session="s", role="user", text=f"我喜欢{n}号茶")
        mind.drain()
        assert len(calls(server, "extract")) == n + 1
        found = [one.status for one in (*mind.memories(), *mind.pending()) if f"{n}号" in one.text]
        assert found == ([kept] if kept else [])


@pytest.mark.statement("C37")
@pytest.mark.parametrize(("often", "days", "wins"), [(1, 30, "上海"), (6, 1, "杭州")])
def test_a_conflict_is_settled_by_recency_and_repetition(
    mind: Mind, clock: ManualClock, often: int, days: int, wins: str
) -> None:
    def lives(city: str) -> None:
        mind.propose(
            Candidate("identity", f"用户住在{city}", "用户", "居住地", city, confidence=0.9)
        )

    for _ in range(often):
        lives("杭州")
    clock.advance(days=days)
    lives("上海")
    assert [memory.value for memory in mind.memories(subject="用户")] == [wins]


@pytest.mark.statement("C41")
@pytest.mark.parametrize(
    "line", ["用户的第{}个习惯是喝很多很多的茶", "Habit {}: strolls along the 🌊 before breakfast"]
)
def test_the_users_card_has_two_kilobytes(mind: Mind, tmp_path: Path, line: str) -> None:
    for n in range(45):
        mind.remember(line.format(n), kind="preference", subject="用户")
    mind.sync()
    assert 1500 < (tmp_path / FOLDER / "shared/User.md").stat().st_size <= 2048


@pytest.mark.statement("C42")
def test_the_project_is_rolled_up_beyond_a_hundred_lines(mind: Mind, tmp_path: Path) -> None:
    said = [f"第 {n:03} 步完成了" for n in range(130)]
    for text in said:
        mind.remember(text, kind="event", project="shiyi")
    mind.sync()
    folder = tmp_path / FOLDER / "shared"
    now = (folder / "Project.md").read_text(encoding="utf-8")
    assert now.count("\n") <= 100
    (archive,) = folder.glob("Project-*.md")
    whole = now + archive.read_text(encoding="utf-8")
    assert all(text in whole for text in said)
    assert len(mind.memories(limit=200)) == 130


@pytest.mark.statement("C43")
@pytest.mark.parametrize("names", ["甲乙丙丁戊己庚辛壬癸子丑", "丑子癸壬辛庚己戊丁丙乙甲"])
def test_insights_are_the_ten_hottest(mind: Mind, tmp_path: Path, names: str) -> None:
    for name in names:
        mind.remember(f"{name}类问题先看日志", kind="lesson")
    for name in names[2:]:
        mind.recall(f"{name}类", limit=1, of=["memory"])
        mind.drain()
    mind.sync()
    text = (tmp_path / FOLDER / "shared" / "Insights.md").read_text(encoding="utf-8")
    assert [name for name in names if f"{name}类" in text] == list(names[2:])
    assert len(mind.memories()) == 12, "the others stay in the database"


@pytest.mark.statement("C52", "C53")
@pytest.mark.parametrize(
    "wrong", [{"data": []}, {"error": "no such model"}], ids=["empty", "other"]
)
def test_the_queue_waits_longer_each_time_then_asks_for_a_person(
    open_mind: OpenMind, server: Scripted, clock: ManualClock, wrong: dict[str, Any]
) -> None:
    server.always(reply(wrong))
    mind = open_mind(preset="shiyi", **remote(server))
    mind.remember("茶要趁热喝", kind="preference")
    waits = []
    for _ in range(12):
        mind.drain()
        waiting = [job for job in mind.jobs(state="ready") if job.kind == "embed"]
        if not waiting:
            break
        waits.append(waiting[0].run_at - clock.now())
        clock.set(waiting[0].run_at)
    assert len(waits) >= 2
    assert all(later >= 2 * earlier for earlier, later in pairwise(waits))
    (dead,) = mind.jobs(state="dead")
    assert dead.error
    server.always(meaning(TEA))
    assert mind.redrive([dead.id]) == 1
    mind.drain()
    assert mind.jobs(state="dead") == []
    assert "vector" in mind.recall("饮料")[0].why.routes
