"""The scratchpad of a space, through its doors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.learn.scratchpads import Scratchpads, catch_up_pad, conclude_pad
from mnemic.settings import load
from mnemic.space import Space
from mnemic.store.contract import Store
from mnemic.store.sqlite.store import SqliteStore
from mnemic.types import Completion, Event, Scratchpad
from tests.conftest import NOON, OpenMind
from tests.contract.rows import turn
from tests.rules.test_scratchpad import episode

pytestmark = pytest.mark.feature("M13", preset="openakita")

SETTINGS = load("openakita", overrides={"schedule.zone": "UTC"})


@pytest.fixture
def store(tmp_path: Path, clock: ManualClock) -> Iterator[Store]:
    opened = SqliteStore(str(tmp_path / "memory.db"), busy_timeout=30, now=clock.now)
    yield opened
    opened.close()


@pytest.fixture
def pads(store: Store, clock: ManualClock) -> Scratchpads:
    return Scratchpads(Space.of(store, "default", clock, SETTINGS))


def say(store: Store, clock: ManualClock, message: str) -> Scratchpad:
    """A message is recorded, and the worker writes down what it means for the task at hand."""
    clock.advance(minutes=1)
    with store.write("default") as unit:
        unit.ledger.append([turn(message, at=clock.now())])
        return catch_up_pad(unit, clock.now(), SETTINGS)


def history(store: Store) -> list[Event]:
    with store.read("default") as unit:
        return unit.journal.events(type_="scratchpad")


def test_it_begins_empty(pads: Scratchpads) -> None:
    assert pads.get() == Scratchpad()
    assert (pads.get().text, pads.get().updated_at) == ("", None)


def test_a_person_writes_over_it(pads: Scratchpads, store: Store, clock: ManualClock) -> None:
    say(store, clock, "Fix the login bug")
    clock.advance(hours=1)
    text = "## 当前任务\n\n先喝茶\n\n## 我的笔记\n* 随便写\n"
    pad = pads.put(text)
    assert pad.text == text, "as it was written"
    assert (pad.focus, pad.updated_at) == ("先喝茶", clock.now())
    assert pads.get() == pad
    latest, first = history(store)
    assert latest.payload == {"by": "user", "before": "## Current task\nFix the login bug\n"}
    assert first.payload["by"] == "task"
    pads.put(text)
    assert len(history(store)) == 2, "the same again is no change"


def test_messages_move_it_on(pads: Scratchpads, store: Store, clock: ManualClock) -> None:
    pads.put("## 我的笔记\n别动\n")
    say(store, clock, "帮我修复登录接口的 401")
    clock.advance(minutes=5)
    pad = say(store, clock, "帮我规划五月去里斯本的行程")
    assert pad.focus == "帮我规划五月去里斯本的行程"
    assert pad.completions == (Completion("帮我修复登录接口的 401", clock.now()),)
    assert pad.text.endswith("## 我的笔记\n别动\n")
    assert pads.get() == pad
    before = history(store)
    assert before[0].payload["before"] == "帮我修复登录接口的 401"
    say(store, clock, "谢谢")
    assert pads.get().updated_at == clock.now()
    assert history(store) == before


def test_what_falls_off_is_in_the_history(
    pads: Scratchpads, store: Store, clock: ManualClock
) -> None:
    topics = ["parser", "scheduler", "database", "network", "renderer", "compiler", "debugger"]
    for name in topics:
        say(store, clock, f"Rewrite the {name}")
    assert len(pads.get().completions) == 5
    assert history(store)[0].payload["gone"] == ["Rewrite the parser"]


def test_too_long_is_refused_and_nothing_is_cut(
    pads: Scratchpads, store: Store, clock: ManualClock
) -> None:
    pads.put("x" * 1_900)
    with pytest.raises(mnemic.InvalidInput, match="2,001"):
        pads.put("x" * 2_001)
    with pytest.raises(mnemic.InvalidInput, match=r"scratchpad\.max_chars"):
        pads.put("## Next steps\n" + "a\n" * 900)
    assert pads.get().text == "x" * 1_900
    pad = say(store, clock, "Rewrite the " + "parser " * 100)
    assert len(pad.text) <= 2_000
    assert pad.other[0].text == "x" * 1_900


def test_spaces_have_their_own(pads: Scratchpads, store: Store, clock: ManualClock) -> None:
    pads.put("mine")
    assert Scratchpads(Space.of(store, "bob", clock, SETTINGS)).get() == Scratchpad()


@pytest.mark.feature("X7", preset="openakita")
def test_the_end_of_a_session_in_one_transaction(store: Store) -> None:
    with store.write("default") as unit:
        unit.ledger.append([turn("Fix the login bug")])
        catch_up_pad(unit, NOON, SETTINGS)
        done = episode("Fix the login bug", "success")
        pad = conclude_pad(unit, done, "lantern", NOON, SETTINGS)
        assert conclude_pad(unit, done, "lantern", NOON, SETTINGS) == pad
    assert pad.text == (
        "## Active projects\n- lantern\n\n"
        "## Recently done\n- 2026-02-12 12:00 UTC · Fix the login bug\n"
    )
    assert len(history(store)) == 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Please tidy the tern build files", "Please write a release script for tern"),
        ("帮我整理 tern 的构建文件", "帮我写一个 tern 的发布脚本"),
    ],
)
def test_a_story_that_is_told_late_ends_no_task_stated_after_it(
    open_mind: OpenMind, clock: ManualClock, before: str, after: str
) -> None:
    mind = open_mind(preset="openakita")
    with mind.session("one", project="tern") as session:
        session.user(before)
        session.assistant("Done, all tests pass. 整理好了，测试通过。")
        session.user("Thanks! 谢谢")
    clock.advance(hours=9)
    mind.record(session="two", role="user", text=after)
    clock.advance(minutes=1)
    mind.drain()
    assert len(mind.episodes()) == 1
    pad = mind.scratchpad()
    assert pad.focus == after
    assert pad.projects == ("tern",)
