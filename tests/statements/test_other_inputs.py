"""Statements whose tests stand with the engine's own, once more with inputs unlike those."""

from __future__ import annotations

import math
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Mind, ToolCall, ToolResult
from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind
from tests.providers.scripted import Scripted
from tests.statements.memory_model import server
from tests.statements.model_server import answer, settings
from tests.timing import takes_less_than

__all__ = ["server"]


def learned(mind: Mind) -> set[tuple[str, str]]:
    return {(memory.predicate, memory.value) for memory in mind.memories()}


# --- openakita ------------------------------------------------------------------------------------


@pytest.mark.statement("A1", "A3", "A117")
@pytest.mark.parametrize(
    ("said", "known", "summary", "asked"),
    [
        ("我搬到厦门了，电脑换成了 Mac", ("lives_in", "厦门"), "搬家后重装了环境", "重装环境"),
        ("I moved to Bergen last week", ("lives_in", "Bergen"), "Set up the flat", "the flat"),
    ],
)
def test_nothing_is_lost_when_messages_are_dropped(
    open_mind: OpenMind, said: str, known: tuple[str, str], summary: str, asked: str
) -> None:
    mind = open_mind(preset="openakita")
    session = mind.session("s")
    session.user(said)
    session.assistant("ok", tool_calls=[ToolCall("run", {"cmd": "brew install uv"}, "1")],
                      tool_results=[ToolResult("installed", "1")])  # fmt: skip
    episode = mind.before_compression("s")
    assert (episode.source, episode.tools) == ("context_compress", ("run",))
    assert known in learned(mind)
    assert {turn.state for turn in mind.turns()} == {"new"}
    session.user("One more thing: the window faces north.")  # the session goes on
    assert mind.after_compression(episode.id, summary).summary == summary
    assert episode.id in [hit.id for hit in mind.recall(asked, of=["episode"])]
    session.end()
    mind.drain()
    assert "new" not in {turn.state for turn in mind.turns()}
    assert len(mind.turns(session="s")) == 3


@pytest.mark.statement("A39", "A41")
@pytest.mark.parametrize(
    ("name", "mime", "described", "asked"),
    [
        ("合同.pdf", "application/pdf", "租房时签的，押一付三", "押一付三"),
        ("memo.wav", "audio/x-wav", "a voice memo about the boiler", "boiler"),
        ("https://example.org/plan.jpg", "image/jpeg", "where the sofa will stand", "sofa"),
    ],
)
def test_any_file_is_kept_and_described_later(
    open_mind: OpenMind, name: str, mime: str, described: str, asked: str
) -> None:
    mind = open_mind(preset="openakita")
    kept = mind.attach(name, session="s")
    assert kept.mime == mime
    assert bool(kept.url) == name.startswith("https")
    assert mind.recall(asked, of=["attachment"]) == []
    mind.describe_attachment(kept.id, description=described)
    assert [hit.id for hit in mind.recall(asked, of=["attachment"])] == [kept.id]


@pytest.mark.statement("A44")
@pytest.mark.parametrize(("days", "left"), [(29, 2), (45, 1)])
def test_a_file_of_which_nothing_is_known_goes_in_time(
    open_mind: OpenMind, clock: ManualClock, days: int, left: int
) -> None:
    """Better: a file that somebody described stays."""
    mind = open_mind(preset="openakita")
    mind.attach("截图.png")
    mind.attach("听写.wav", transcription="下周三交水费")
    clock.advance(days=days)
    mind.upkeep("daily")
    assert len(mind.attachments()) == left
    assert "听写.wav" in [file.filename for file in mind.attachments()]


@pytest.mark.statement("A46")
@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"session": "夜班"}, ["值班表呢？", "查到了"]),
        ({"tool": "查表"}, ["查到了"]),
        ({"role": "user", "until": NOON + timedelta(minutes=30)}, ["值班表呢？"]),
        ({"role": "user", "since": NOON + timedelta(minutes=30)}, ["and tomorrow?"]),
    ],
)
def test_turns_are_found(
    open_mind: OpenMind, clock: ManualClock, wanted: dict[str, Any], found: list[str]
) -> None:
    mind = open_mind(preset="openakita")
    mind.record(session="夜班", role="user", text="值班表呢？")
    mind.record(session="夜班", role="assistant", text="查到了",
                tool_calls=[ToolCall("查表", {"日": "周一"})])  # fmt: skip
    clock.advance(hours=1)
    mind.record(session="day", role="user", text="and tomorrow?")
    assert [turn.text for turn in mind.turns(**wanted)] == found


@pytest.mark.statement("A75")
@pytest.mark.parametrize(
    ("kind", "boost"), [("skill", 1.2), ("lesson", 1.2), ("fact", 1.0), ("preference", 1.0)]
)
def test_the_expert_weighs_skills_and_errors(open_mind: OpenMind, kind: str, boost: float) -> None:
    mind = open_mind(preset="openakita", recall__touch=False)
    mind.remember("容器时区要在镜像里设好", kind=kind, importance=0.6)
    (plain,) = mind.recall("容器时区", of=["memory"])
    (weighed,) = mind.recall("容器时区", of=["memory"], persona="tech_expert")
    assert weighed.score == pytest.approx(min(1.0, plain.score * boost))


@pytest.mark.statement("A2")
@pytest.mark.parametrize("said", ["好的，继续看日志", "Go on with the second file please"])
def test_the_hook_takes_about_ten_milliseconds(open_mind: OpenMind, said: str) -> None:
    mind = open_mind(preset="openakita")
    sessions = [mind.session(f"s{n}") for n in range(8)]
    for session in sessions:
        for _ in range(10):
            session.user(said)
            session.assistant("ok")
    assert takes_less_than(0.02, lambda: mind.before_compression(sessions.pop().id))


# --- shiyi ----------------------------------------------------------------------------------------


@pytest.mark.statement("C6")
@pytest.mark.parametrize("said", ["我对花生过敏", "I am allergic to peanuts"])
def test_tokens_are_counted(open_mind: OpenMind, server: Scripted, said: str) -> None:
    server.always(answer({"facts": []}))
    mind = open_mind(preset="shiyi", **settings(server))
    for n in range(3):
        mind.record(session=f"s{n}", role="user", text=said)
        mind.drain()
    total = next(one for one in mind.usage() if one.purpose == "extract")
    assert (total.calls, total.input_tokens, total.output_tokens) == (3, 27, 9)


@pytest.mark.statement("C11", "C29")
@pytest.mark.parametrize("days", [7, 60])
def test_freshness_fades_beside_meaning_and_words(
    open_mind: OpenMind, clock: ManualClock, days: int
) -> None:
    mind = open_mind(preset="shiyi", recall__touch=False)
    mind.remember("阳台的番茄要三天浇一次水", kind="fact")
    mind.drain()
    clock.advance(days=days)
    (hit,) = mind.recall("番茄多久浇水", of=["memory"], min_score=0.0)
    parts = hit.why.parts
    fresh = 0.5 ** (days / 30)
    assert parts["recency"] == pytest.approx(fresh, abs=0.01)
    whole = 0.55 * parts["vector"] + 0.30 * parts["text"] + 0.15 * parts["recency"]
    assert hit.score == pytest.approx(whole, abs=0.01)


_CHINESE = ("沉稳的搭档", "简短直接", "删除前先问我", "不许编造", "测试优先",
            "林夏", "全栈工程师", "Go 和 TypeScript", "小步提交")  # fmt: skip
_ENGLISH = ("a patient tutor", "warm", "no calls at night", "no gossip", "health first",
            "Ada", "botanist", "R and QGIS", "notes before lunch")  # fmt: skip


@pytest.mark.statement("C12", "C15", "C16")
@pytest.mark.parametrize(
    ("answers", "yes"), [(_CHINESE, "确认"), (_ENGLISH, "Yes, save it")], ids=["zh", "en"]
)
def test_the_first_talk(open_mind: OpenMind, answers: tuple[str, ...], yes: str) -> None:
    mind = open_mind(preset="shiyi")
    for text in answers:
        assert not mind.onboarding().done
        mind.onboard(text)
    assert all(text in mind.onboarding().text for text in answers)
    assert mind.onboard(yes).done
    folder = Path(str(mind.documents_folder))
    files = {path.name: path.read_text() for path in folder.rglob("*.md")}
    assert answers[1] in files["ShiYi.md"]
    assert all(text in files["User.md"] for text in answers[5:8])
    assert mind.onboarding(begin=True).done, "never again"


@pytest.mark.statement("C23", "C48")
@pytest.mark.parametrize("text", ["周五不发版", "The cellar key hangs by the door"])
def test_a_repeated_write_writes_nothing_and_a_failed_one_leaves_nothing(
    open_mind: OpenMind, clock: ManualClock, text: str
) -> None:
    mind = open_mind(preset="shiyi")
    with pytest.raises(mnemic.MnemicError):
        mind.remember(text, kind="fact", supersedes="nobody", operation_id="op")
    assert mind.events() == []
    first = mind.remember(text, kind="fact", operation_id="op")
    events = mind.events()
    clock.advance(days=2)
    assert mind.remember("something else", kind="event", operation_id="op").id == first.id
    mind.close()
    again = open_mind(preset="shiyi")
    assert again.remember(text, kind="fact", operation_id="op").id == first.id
    assert again.events() == events


# --- myclaw ---------------------------------------------------------------------------------------


@pytest.mark.statement("D86")
@pytest.mark.parametrize(("seconds", "state"), [(179, "new"), (180, "extracted")])
def test_silence_sets_off_extraction(
    open_mind: OpenMind, clock: ManualClock, seconds: int, state: str
) -> None:
    mind = open_mind(preset="myclaw")
    mind.record(session="s", role="user", text="快递放门口就行，我住在厦门")
    clock.advance(seconds=seconds)
    mind.drain()
    assert [turn.state for turn in mind.turns(session="s")] == [state]
    mind.record(session="s", role="user", text="I moved to Tampere")  # the session goes on
    mind.drain()
    assert mind.turns(session="s")[-1].state == "new"


@pytest.mark.statement("D98")
@pytest.mark.parametrize("days", [1, 365])
@pytest.mark.parametrize(
    ("kind", "law"), [("decision", (0.004, 0.3)), ("event", (0.023, 0.1)), ("temp", (0.099, 0.0))]
)
def test_each_class_fades_by_its_law(
    open_mind: OpenMind, clock: ManualClock, days: int, kind: str, law: tuple[float, float]
) -> None:
    mind = open_mind(preset="myclaw", recall__touch=False)
    mind.remember("阁楼的窗户要换", kind=kind, importance=1.0)
    clock.advance(days=days)
    (hit,) = mind.recall("阁楼的窗户", of=["memory"])
    rate, floor = law
    assert hit.score == pytest.approx(floor + (1 - floor) * math.exp(-rate * days), rel=1e-3)


@pytest.mark.statement("D100")
@pytest.mark.parametrize(
    ("kind", "days", "left"), [("debug", 60, 0), ("temp", 3, 1), ("event", 60, 1)]
)
def test_only_what_has_faded_is_archived(
    open_mind: OpenMind, clock: ManualClock, kind: str, days: int, left: int
) -> None:
    mind = open_mind(preset="myclaw")
    mind.remember("端口 8080 被占用了", kind=kind, importance=0.2)
    clock.advance(days=days)
    mind.upkeep("weekly")
    assert len(mind.memories()) == left


@pytest.mark.statement("D110")
@pytest.mark.sqlite_file("its bytes are compared")
@pytest.mark.parametrize("said", ["鹦鹉叫里约", "My parrot is called Rio"])
def test_off_the_files_are_used_and_the_database_stays(
    open_mind: OpenMind, tmp_path: Path, said: str
) -> None:
    with open_mind(preset="myclaw") as mind:
        mind.remember("before it was off", kind="fact")
    before = (tmp_path / "memory.db").read_bytes()
    with open_mind(preset="myclaw", memory__enabled=False) as off:
        off.session("s").user(said)
        assert said in off.context("?", session="t").text
    assert (tmp_path / "memory.db").read_bytes() == before
    written = [path.read_text() for path in (tmp_path / "memory").glob("*.md")]
    assert any(said in text for text in written)


# --- semibot --------------------------------------------------------------------------------------


@pytest.mark.statement("E147", "E149")
@pytest.mark.parametrize(
    ("text", "importance", "notices"),
    [("发版前必须跑完整测试", 1.0, 1), ("The vet's number is on the fridge", 0.8, 1),
     ("阳台朝南", 0.79, 0), ("The kettle is blue", 0.2, 0)],
)  # fmt: skip
def test_the_important_is_announced(
    open_mind: OpenMind, text: str, importance: float, notices: int
) -> None:
    mind = open_mind(preset="semibot")
    memory = mind.remember(text, kind="knowledge", importance=importance)
    mind.drain()
    assert [event.subject for event in mind.events(type="notice")] == [memory.id] * notices
