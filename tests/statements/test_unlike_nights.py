"""Nights, weeks and figures that are nothing like the documents' examples: other trades, judges
that err, models that are away for days, talks that go on.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pytest

import mnemic
from mnemic import Candidate
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.planting import plant_many
from tests.providers.scripted import Scripted, status
from tests.remote import meaning, remote, server
from tests.statements.model_server import answering, numbered, settings
from tests.statements.playing import fact, reading

__all__ = ["server"]


# --- openakita ------------------------------------------------------------------------------------


@pytest.mark.statement("A103")
@pytest.mark.parametrize(
    ("twins", "others"),
    [
        (("The north bed is watered every second day", "The north bed is watered each second day"),
         ("The north bed is never watered every second day",
          "The north bed is watered with 9 cans every second day")),
        (("管家每天早上给苗床浇水", "管家每天早晨都给苗床浇水"),
         ("管家每天早上不给苗床浇水", "管家每天早上给苗床浇 9 壶水")),
    ],
    ids=["beds", "苗床"],
)  # fmt: skip
def test_a_judge_that_takes_everything_for_the_same(
    open_mind: OpenMind, server: Scripted, twins: tuple[str, str], others: tuple[str, ...]
) -> None:
    def careless(text: str) -> object:
        everything = numbered(text, (*twins, *others))
        return {"same": [everything, []]}

    server.always(answering(careless))
    mind = open_mind(preset="openakita", **settings(server, upkeep={"daily": ("dedup",)}))
    for text in (twins[0], *others, twins[1]):
        mind.remember(text, kind="fact")
    elsewhere = mind.remember(f"{twins[1]}!", kind="fact", project="allotment")
    mind.upkeep("daily")
    assert mind.get(elsewhere.id).status == "active", "it is of another project"
    left = {memory.text for memory in mind.memories()}
    assert server.asked
    assert len({*twins} & left) == 1
    assert left >= {*others}, "a negation and a figure make another statement"


@dataclass(frozen=True, slots=True)
class Change:
    """What somebody says on one day and on another, and what a model makes of it."""

    before: str
    after: str
    old: str
    new: str
    subject: str
    predicate: str


CHANGES = pytest.mark.parametrize(
    "change",
    [
        Change("Our bakery gets its rye flour from the Hinze mill, since my father's days",
               "The Hinze mill has closed, so the rye flour now comes from the Lang mill",
               "Hinze", "Lang", "rye flour", "supplier"),
        Change("我们店的黑麦粉一直是从老徐家的磨坊进的，从我爸那会儿就是这样了",
               "老徐家的磨坊关门了，所以黑麦粉现在改从小唐家的磨坊进，价钱差不多",
               "老徐家", "小唐家", "黑麦粉", "供应商"),
    ],
    ids=["flour", "黑麦粉"],
)  # fmt: skip


@CHANGES
@pytest.mark.statement("A32", "A50", "A113")
def test_a_model_that_was_away_for_two_days_still_judges_the_change(
    server: Scripted, clock: ManualClock, change: Change
) -> None:
    """A host that awaits everything; the session of the first day goes on on the third."""

    def learned(said: str, value: str) -> tuple[str, dict[str, Any]]:
        slot = {"subject": change.subject, "predicate": change.predicate, "value": value}
        return said, fact(f"{change.subject}: {value}", **slot)

    async def live() -> None:
        given = thinking.settings(server)
        async with await mnemic.open_async(
            ":memory:", preset="openakita", clock=clock, worker="none", **given
        ) as mind:
            server.always(status(503))
            await mind.record(session="counter", role="user", text=change.before)
            for _ in range(8):
                await mind.drain()
                clock.advance(hours=6)
            assert await mind.memories() == []
            server.always(
                reading(learned(change.before, change.old), learned(change.after, change.new),
                        verdict="update")
            )  # fmt: skip
            await mind.upkeep("daily")
            assert [one.value for one in await mind.memories()] == [change.old]
            await mind.record(session="counter", role="user", text=change.after)
            await mind.drain()
            (memory,) = await mind.memories()
            old, new = (await mind.history(memory.id)).versions
            assert (old.value, new.value) == (change.old, change.new)
            assert (old.status, old.superseded_by) == ("superseded", new.id)
            hits, text = await asyncio.gather(
                mind.recall(change.subject, of=["memory"]), mind.retrieve(change.subject)
            )
            assert hits[0].id == new.id
            assert change.new in text

    asyncio.run(live())


# --- shiyi ----------------------------------------------------------------------------------------


@pytest.mark.statement("C44", "C54")
@pytest.mark.parametrize(
    ("line", "said", "asked", "reply"),
    [
        ("likes cut {}", "The kiln is fired on Fridays", "Do you remember when the kiln is fired?",
         "On Fridays"),
        ("喜欢第{}种釉", "窑每逢周五烧", "还记得窑什么时候烧吗？", "周五"),
    ],
    ids=["kiln", "窑"],
)  # fmt: skip
def test_a_user_who_hesitates_is_counted_and_asked_again(
    open_mind: OpenMind, clock: ManualClock, *, line: str, said: str, asked: str, reply: str
) -> None:
    mind = open_mind(preset="shiyi", documents__onboarding=False)
    empty = mind.metrics()
    rates = (empty.confirmed_of_pending, empty.refused_of_confirmed, empty.useful_evidence)
    assert rates == (None, None, None), "nothing is no rate"
    for n in range(5):
        offer = Candidate("preference", line.format(n), f"cut {n}", "likes", str(n), confidence=0.7)
        assert mind.propose(offer).outcome == "pending"
    first = mind.context(asked, session="s").pending
    assert len(first) == 3
    mind.snooze(first[0].id)
    mind.ignore(first[1].id)
    mind.confirm(first[2].id)
    second = mind.context(asked, session="s").pending
    assert len(second) == 2
    assert not {one.id for one in second} & {one.id for one in first}
    clock.advance(days=30)
    session = mind.session("much later")
    again = mind.context(asked, session=session.id).pending
    assert first[0].id in {one.id for one in again}, "the one that was put off"
    mind.confirm(first[0].id)
    mind.remember(said, kind="fact")
    session.user(asked)
    shown = mind.context(asked, session=session.id)
    session.assistant(reply)
    mind.drain()
    metrics = mind.metrics()
    assert (metrics.put_to_user, metrics.confirmed, metrics.refused) == (5, 2, 1)
    assert metrics.confirmed_of_pending == pytest.approx(2 / 5)
    assert metrics.refused_of_confirmed == pytest.approx(1 / 2)
    assert metrics.evidence_used >= 1
    assert metrics.evidence_shown >= sum(
        len(use.ids) for use in shown.sections if use.name == "evidence"
    )
    assert metrics.context_share is not None
    assert 0 < metrics.context_share <= 1
    assert mind.metrics(days=7).put_to_user < metrics.put_to_user


# --- myclaw ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Week:
    """A workshop's week: what is said, what a careless model makes of it, and what is private."""

    said: str
    made: str
    private: str
    entry: str
    fewer: str
    summary: str


WEEKS = pytest.mark.parametrize(
    "week",
    [
        Week("We decided to varnish the Haydn cello with spirit varnish, Mrs. Okafor is divorcing",
             "The Haydn cello gets spirit varnish", "Okafor",
             "Peg {} of the Haydn cello was shaved",
             "Pegs 1 to 9 of the Haydn cello were shaved", "Decided on spirit varnish"),
        Week("我们决定海顿那把琴上酒精漆，顺便说一句，欧老师在办离婚",
             "海顿琴上酒精漆", "欧老师", "海顿琴的第 {} 个弦轴修过了",
             "海顿琴的第 1 到 9 个弦轴修过了", "定了用酒精漆"),
    ],
    ids=["cello", "海顿琴"],
)  # fmt: skip


@WEEKS
@pytest.mark.statement("D59", "D70", "D73", "D95", "D97")
def test_a_week_in_a_workshop_with_a_careless_model(
    open_mind: OpenMind,
    server: Scripted,
    clock: ManualClock,
    caplog: pytest.LogCaptureFixture,
    week: Week,
) -> None:
    """Its zone is Lima's; categories are written anyhow, and of ten entries it forgets one."""
    entries = [week.entry.format(n) for n in range(1, 11)]

    def answer(text: str) -> object:
        if week.said in text:
            learned = {"content": week.made, "category": "DECISION ", "importance": "0.8",
                       "turns": [1]}  # fmt: skip
            return {"summary": week.summary, "facts": [learned, {"category": "wisdom"}]}
        if entries[0] in text:
            merged = {"content": week.fewer, "category": "solution",
                      "from": numbered(text, entries[:9])}  # fmt: skip
            return {"facts": [merged]}
        return {"facts": []}

    server.always(answering(answer))
    clock.set(datetime(2026, 7, 2, 15, tzinfo=UTC))  # a Thursday
    mind = open_mind(preset="myclaw", **settings(server, schedule={"zone": "America/Lima"}))
    session = mind.session("bench", project="haydn")
    with caplog.at_level(logging.INFO, "mnemic"):
        session.user(week.said, channel="signal", sender="Ngozi")
        clock.advance(minutes=4)
        mind.drain()
        (decision,) = mind.memories(kind="decision")
        assert (decision.text, mind.words(decision)["category"]) == (week.made, "decision")
        (event,) = mind.daily_events()
        assert (event.summary, event.day, event.channel) == (
            week.summary,
            date(2026, 7, 2),
            "signal",
        )
        for text in entries:
            mind.remember(text, kind="solution", project="haydn", topic="pegs")
        clock.set(datetime(2026, 7, 6, 8, 59, tzinfo=UTC))  # Monday, 03:59 in Lima
        mind.drain()
        assert {memory.text for memory in mind.memories(topic="pegs")} == {*entries}
        session.user("...")  # it goes on
        clock.set(datetime(2026, 7, 6, 9, 1, tzinfo=UTC))
        mind.drain()
        mind.forget(session="bench")
    left = {memory.text for memory in mind.memories(topic="pegs")}
    assert left == {week.fewer, entries[9]}, "what no new entry stands for stays"
    lines = [one.getMessage() for one in caplog.records if one.name == "mnemic"]
    assert all(line.startswith("[memory] ") for line in lines)
    for word in ("extracted 1 facts from 1 messages", "daily upkeep", "weekly upkeep", "forgot"):
        assert any(word in line for line in lines), word
    assert not any(word in line for line in lines for word in (week.private, week.made, "Ngozi"))


@pytest.mark.statement("D65")
def test_what_weighs_least_leaves_a_full_tier_and_the_core_stays(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(preset="myclaw")
    for project, kind, importance, count in (
        ("orangery", "event", 0.3, 700),
        ("cellar", "decision", 0.8, 2_500),
        ("cellar", "skill", 0.6, 2_000),
    ):
        texts = [f"{project} {kind} {n}" for n in range(count)]
        plant_many(mind, texts, kind=kind, importance=importance, project=project)
    core = [mind.remember("用户叫 Ngozi", kind="identity", importance=0.1).id]
    core.append(mind.remember("Answer in short sentences", kind="rule", importance=0.1).id)
    mind.upkeep("daily")
    counts = {kind: mind.stats().by_kind.get(kind, 0) for kind in ("event", "decision", "solution")}
    assert sum(counts.values()) <= 5_000
    assert (counts["decision"], counts["solution"]) == (2_500, 2_000)
    assert all(mind.get(id).status == "active" for id in core)
    clock.advance(days=1)
    late = mind.remember("The cellar floods in March", kind="decision", importance=0.9)
    plant_many(mind, [f"orangery late {n}" for n in range(300)], kind="event", importance=0.1)
    mind.upkeep("daily")
    assert mind.get(late.id).status == "active"
    assert mind.recall("Does the cellar flood?")[0].id == late.id


@pytest.mark.statement("D67")
@pytest.mark.parametrize(
    ("project", "line", "meant", "question", "near"),
    [
        ("orangery", "Pot {} was paid for", "Citrus hates chalk",
         "In the orangery, which water for the lemons?", ("Citrus", "lemons")),
        ("陶艺班", "第 {} 袋泥已付款", "青釉怕铁", "陶艺班里什么会弄坏颜色？", ("青釉", "颜色")),
    ],
    ids=["orangery", "陶艺班"],
)  # fmt: skip
def test_a_partition_past_five_hundred_is_searched_by_meaning(
    open_mind: OpenMind,
    server: Scripted,
    *,
    project: str,
    line: str,
    meant: str,
    question: str,
    near: tuple[str, ...],
) -> None:
    server.always(meaning(dict.fromkeys(near, (1.0, 0.0, 0.0))))
    mind = open_mind(preset="myclaw", **remote(server, batch=600))
    place: dict[str, Any] = {"kind": "decision", "project": project}
    plant_many(mind, [line.format(n) for n in range(499)], importance=0.9, **place)
    mind.remember(meant, importance=0.4, **place)
    plant_many(mind, [f"other {n}" for n in range(600)], kind="decision", importance=0.9,
               project="elsewhere")  # fmt: skip
    mind.drain()
    assert meant not in {hit.text for hit in mind.recall(question)}, "500 are not past it"
    plant_many(mind, [line.format(n) for n in range(600, 605)], importance=0.9, **place)
    mind.drain()
    assert meant in {hit.text for hit in mind.recall(question)}


# --- semibot --------------------------------------------------------------------------------------


@pytest.mark.statement("E121", "E132")
@pytest.mark.parametrize(
    ("said", "learned", "value"),
    [
        (
            "I prefer beeswax over paraffin",
            "preference",
            {"bench": "№ 3", "tools": ["knife", None]},
        ),
        ("我更喜欢用蜂蜡", "preference", {"工作台": "三号", "工具": ["刀", 2.5]}),
    ],
    ids=["beeswax", "蜂蜡"],
)
def test_a_session_that_ends_too_soon_and_then_goes_on(
    open_mind: OpenMind, clock: ManualClock, said: str, learned: str, value: dict[str, Any]
) -> None:
    mind = open_mind(preset="semibot")
    with mind.session("bench") as session:
        turn = session.user(said, metadata=value)
        session.assistant("OK")
    mind.drain()
    clock.advance(days=2)
    mind.upkeep("daily")
    (name, first), *_ = value.items()
    assert (mind.memories(), mind.turns(metadata={name: first})) == ([], [turn])
    with mind.session("bench") as session:  # the same session, two days later
        session.user("...", metadata={**value, "late": True})
    mind.drain()
    (memory,) = mind.memories()
    assert mind.words(memory)["category"] == learned
    assert [source.turn_id for source in memory.sources] == [turn.id]
    assert [one.metadata for one in mind.turns(metadata={"late": True})] == [
        {**value, "late": True}
    ]
