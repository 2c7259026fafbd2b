"""A memory with something on every page: conversations in two languages, corrections, what waits
for a person, work that died, documents.
"""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import mnemic
from mnemic.clock import ManualClock
from mnemic.types import Candidate, NewTurn, ToolCall, ToolResult


class Talk(NamedTuple):
    """A conversation of so many days ago."""

    days: int
    session: str
    project: str
    topic: str
    turns: tuple[tuple[str, str], ...]


_TALKS = (
    Talk(20, "python", "myclaw", "tools", (
        ("user", "我升级到 Python 3.12 了，以后都用 uv"),
        ("assistant", "好的，记住了：Python 3.12 和 uv。"),
        ("user", "Please always answer in short sentences."),
        ("assistant", "I will."),
    )),
    Talk(12, "berlin", "", "", (
        ("user", "I live in Berlin and I am a nurse at a children's hospital."),
        ("assistant", "Noted."),
        ("user", "My sister Anna visits me every spring. She is allergic to nuts."),
        ("assistant", "I will remember the nuts."),
    )),
    Talk(6, "food", "", "cooking", (
        ("user", "我喜欢四川菜，但是不能吃花生"),
        ("assistant", "好的，做菜时会避开花生。"),
        ("user", "上周末我在家里做了麻婆豆腐，朋友们都很喜欢"),
        ("assistant", "听起来很好吃！"),
    )),
    Talk(2, "trip", "travel", "Lisbon", (
        ("user", "We decided to travel to Lisbon in May, by train."),
        ("assistant", "A good choice. Shall I look for night trains?"),
        ("user", "Yes, and I prefer window seats."),
        ("assistant", "I found two night trains."),
    )),
)  # fmt: skip


def lived(folder: Path, clock: ManualClock, settings: dict[str, Any]) -> None:
    """Live a few weeks in the database of that folder, up to the moment of the clock."""
    now = clock.now()
    with mnemic.connect(folder / "memory.db", clock=clock, worker="none", **settings) as engine:
        mind = engine.mind("default")
        for talk in _TALKS:
            clock.set(now - timedelta(days=talk.days))
            _talk(mind, clock, talk)
        clock.set(now - timedelta(days=1))
        _corrections(mind)
        _questions(mind)
        mind.record_usage(
            purpose="extract", model="qwen-small", input_tokens=1800, output_tokens=240, cost=0.0031
        )
        mind.sync()
        mind.write_scratchpad("## Current focus\n- Book the night train to Lisbon\n")
        _dead_work(mind, folder, clock)
        engine.mind("work").remember("The release is on Friday", kind="event")
        clock.set(now)


def _talk(mind: mnemic.Mind, clock: ManualClock, talk: Talk) -> None:
    with mind.session(talk.session, project=talk.project, topic=talk.topic) as session:
        for role, content in talk.turns:
            clock.advance(minutes=2)
            if role == "user":
                session.user(content)
            else:
                session.assistant(content)
        if talk.session == "trip":
            mind.record_turn(_call(talk.session, clock.now()))
            mind.record_turn(_result(talk.session, clock.now()))
    mind.drain()


def _call(session: str, at: datetime) -> NewTurn:
    call = ToolCall("find_trains", {"from": "Berlin", "to": "Lisboa"}, "c1")
    return NewTurn(session, "assistant", "Let me look.", tool_calls=(call,), at=at)


def _result(session: str, at: datetime) -> NewTurn:
    result = ToolResult("2 night trains: 18:30 and 21:05", "c1")
    return NewTurn(session, "tool", "", tool_results=(result,), at=at)


def _corrections(mind: mnemic.Mind) -> None:
    fact = mind.remember("The cat is called Mina and is 3 years old", kind="fact", tags=["cat"])
    mind.edit(fact.id, text="The cat is called Minka and is 4 years old")
    mind.remember("The old office was in room 12", kind="temp")
    mind.archive(mind.remember("The printer is on the second floor", kind="config").id)


def _questions(mind: mnemic.Mind) -> None:
    for text in (
        "Always deploy on Fridays",
        "Never ask before deleting files",
        "总是用英文回复邮件",
    ):
        mind.propose(Candidate("rule", text, trust="external", confidence=0.6))


def _dead_work(mind: mnemic.Mind, folder: Path, clock: ManualClock) -> None:
    """The JSONL copies cannot be written: something is in the way of their folder."""
    place = mind.transcripts
    assert place is not None
    way = folder / "conversation_history"
    shutil.rmtree(way, ignore_errors=True)
    way.write_text("in the way")
    for session in ("lost", "lost too"):
        mind.record(session=session, role="user", text="Tea at five, please.")
    for _ in range(4):
        mind.drain(due_only=True)
        clock.advance(hours=1)
