"""Records, figures and first talks that are nothing like the documents' examples: a harbor, a
bindery, tools that answer out of order, people who break off and come back.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import mnemic
from mnemic import Candidate, ToolCall, ToolResult
from mnemic.clock import ManualClock
from tests.cli.conftest import Shell, db, shell
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted, reply, status
from tests.remote import meaning, remote, server
from tests.serve.inspector.browsers import browser
from tests.statements import memory_model
from tests.statements.panel import check_panel
from tests.statements.playing import calls

__all__ = ["browser", "db", "server", "shell"]
WORDS: dict[str, Any] = {"embedding": {"provider": "none"}}


# --- turns ----------------------------------------------------------------------------------------


@pytest.mark.statement("A45", "A47", "C4")
@pytest.mark.parametrize("preset", ["openakita", "shiyi"])
@pytest.mark.parametrize(
    ("said", "tool", "found"),
    [
        ("Moor the Heron at pier 4 ⚓ before the tide", "tide_table", "high water 05:12"),
        ("把“白鹭”停到四号码头\n潮水之前", "查潮汐", "高潮 05:12"),
    ],
    ids=["Heron", "白鹭"],
)
def test_a_morning_at_the_harbor_is_kept_as_it_was(
    open_mind: OpenMind, clock: ManualClock, preset: str, *, said: str, tool: str, found: str
) -> None:
    """Tools that answer out of order, a turn of a tool, a gap that is filled later."""
    mind = open_mind(preset=preset, **WORDS)
    first = mind.record(session="pier", role="user", text=said, at="2026-02-12T23:30:00-05:00")
    asked = [ToolCall(tool, {"at": {"pier": 4, "δ": [1.5, None]}}, "b"), ToolCall(tool, {}, "a")]
    late = mind.record(session="pier", role="assistant", text="", tool_calls=asked, index=2)
    answers = [ToolResult(found, "a"), ToolResult("", "b", is_error=True)]
    between = mind.record(session="pier", role="tool", text="", tool_results=answers, index=1)
    mind.record(session="pier", role="user", text="thanks", index=3)
    with pytest.raises(mnemic.Conflict):
        mind.record(session="pier", role="user", text="another thing", index=3)
    mind.drain()
    mind.close()
    again = open_mind(preset=preset, **WORDS)
    turns = again.turns(session="pier")
    assert [turn.index for turn in turns] == [0, 1, 2, 3]
    assert (turns[0].text, turns[1].tool_results) == (first.text, tuple(answers))
    assert (turns[2].tool_calls, turns[1].id, turns[2].id) == (tuple(asked), between.id, late.id)
    assert turns[0].at.utcoffset() == timedelta(hours=-5)
    assert again.recall(found, of=["turn"])[0].id == between.id
    copied = preset == "openakita"
    if copied:
        assert again.transcripts is not None
        (copy,) = again.transcripts.rglob("*.jsonl")
        lines = [json.loads(line) for line in copy.read_text(encoding="utf-8").splitlines()]
        assert {line["id"] for line in lines} == {turn.id for turn in turns}
        assert found in copy.read_text(encoding="utf-8")
        clock.advance(days=31)
        again.drain()
        assert not copy.exists()
        again.record(session="pier", role="user", text="It goes on")
        again.drain()
        assert "It goes on" in copy.read_text(encoding="utf-8")
    assert len(again.turns(session="pier")) == 4 + copied


@pytest.mark.statement("A52", "A55", "A61")
@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("We decided to bind the atlas in half leather", "The atlas is bound in half leather"),
        ("我们决定地图册用半皮装", "地图册用半皮装"),
    ],
    ids=["atlas", "地图册"],
)
def test_a_bindery_whose_model_comes_back_as_the_session_ends(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, said: str, fact: str
) -> None:
    """Careless fields: figures as text, nothing as null, a kind in capitals, a place of its own."""
    learned = {"turns": ["1"], "kind": "DECISION", "content": fact, "importance": "0.7",
               "confidence": 0.9, "subject": "atlas", "predicate": "binding", "value": None,
               "is_update": "false", "project": "bindery", "mood": "glad"}  # fmt: skip
    server.always(status(500))
    mind = open_mind(preset="openakita", **thinking.settings(server))
    session = mind.session("bench")
    turn = session.user(f"{said}, and tell the printer about it.")
    session.assistant(
        "Told.",
        tool_calls=[
            ToolCall(
                "mail",
                {"to": "printer@example.org", "token": "ghp_16C7e42F292c6912E7710c838347Ae178B4a"},
            )
        ],
        tool_results=[ToolResult("queued\n" * 9_000 + "mailbox full", is_error=True)],
    )
    for _ in range(3):
        mind.drain()
        clock.advance(minutes=1)
    assert mind.memories() == []
    server.always(thinking.proposing(lambda text: [learned] if said in text else []))
    session.end()
    clock.advance(hours=1)
    mind.drain()
    (memory,) = mind.memories(status="all")
    assert (memory.text, memory.kind, memory.importance) == (fact, "decision", 0.7)
    assert (memory.subject, memory.predicate, memory.project) == ("atlas", "binding", "bindery")
    assert turn.id in {source.turn_id for source in memory.sources}
    shown = "\n".join(thinking.shown(asked) for asked in calls(server, "extract"))
    assert "mail" in shown
    assert "mailbox full" in shown
    assert "ghp_16C7" not in json.dumps([asked.json for asked in server.asked])


@pytest.mark.statement("A8")
@pytest.mark.parametrize(
    ("asked", "closing", "outcome"),
    [
        ("Wash the windows", "I washed six of the ten windows.", "partial"),
        ("Wash the windows", "I washed ten of ten windows.", "success"),
        ("Mend the fence and the gate", "Fence mended, the gate remains to be hung.", "partial"),
        ("寄四份合同", "寄了三份，第四份地址不对", "partial"),
        ("把图片压缩一下", "压缩好了，第二张最小", "success"),
        ("Fetch the boat", "That one was not at the pier.", "failed"),
        ("订餐厅", "周五满座，没订上", "failed"),
    ],
)
def test_work_that_was_left_undone_is_no_success(
    open_mind: OpenMind, asked: str, closing: str, outcome: str
) -> None:
    mind = open_mind(preset="openakita", **WORDS)
    with mind.session("s") as session:
        session.user(asked)
        session.assistant(closing)
    mind.drain()
    (episode,) = mind.episodes()
    assert episode.outcome == outcome


@pytest.mark.statement("E133", "E151")
@pytest.mark.parametrize(
    "answer",
    [
        '[{"content": "The user sews in silk", "category": "preference",},\n'
        ' {"content": "用户住在格拉茨", "category": "knowledge"},]',
        "Here you are:\n```json\n[{'content': 'The user sews in silk', 'category': 'preference'},"
        " {'content': '用户住在格拉茨', 'category': 'knowledge'}]\n```",
    ],
    ids=["commas", "quotes"],
)
def test_a_list_with_careless_punctuation_loses_no_fact(
    open_mind: OpenMind, server: Scripted, answer: str
) -> None:
    server.always(reply(memory_model.said(answer)))
    mind = open_mind(preset="semibot", **thinking.settings(server))
    with mind.session("bench") as session:
        session.user("I prefer to sew in silk")
        session.user("我住在格拉茨")
        session.user("That is all")
    mind.drain()
    assert {memory.text for memory in mind.memories()} == {
        "The user sews in silk",
        "用户住在格拉茨",
    }
    assert len(calls(server, "extract")) == 1, "it is not asked again"


# --- search and ranking ---------------------------------------------------------------------------


@pytest.mark.statement("A68", "E150")
@pytest.mark.parametrize("preset", ["openakita", "semibot"])
@pytest.mark.parametrize(
    ("meant", "other", "question", "near"),
    [
        ("Paste the spine with wheat starch", "Rent is due on the ninth", "glue for books",
         ("starch", "glue")),
        ("书脊用小麦淀粉糊", "九号交房租", "装书拿什么粘", ("淀粉", "粘")),
    ],
    ids=["starch", "淀粉"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what ChromaDB stands on
def test_chromadb_in_a_bindery_that_forgets_and_goes_on(
    open_mind: OpenMind,
    server: Scripted,
    preset: str,
    *,
    meant: str,
    other: str,
    question: str,
    near: tuple[str, str],
) -> None:
    pytest.importorskip("chromadb", reason='pip install "mnemic[chroma]"')
    server.always(meaning(dict.fromkeys(near, (1.0, 0.0, 0.0))))
    given = {"preset": preset, "index": {"vectors": "chromadb"}, **remote(server)}
    mind = open_mind(**given)
    ids = [mind.remember(text, kind="fact").id for text in (other, meant)]
    mind.drain()
    assert mind.recall(question)[0].id == ids[1]
    mind.close()
    again = open_mind(**given)
    again.drain()
    hit = again.recall(question)[0]
    assert (hit.id, "vector" in hit.why.routes) == (ids[1], True)
    again.forget(id=ids[1])
    assert ids[1] not in {hit.id for hit in again.recall(question)}
    last = again.remember(f"{meant} (2027)", kind="fact").id
    again.drain()
    assert again.recall(question)[0].id == last


@pytest.mark.statement("A74", "E127")
@pytest.mark.parametrize(
    ("old", "new", "word"),
    [("starch paste keeps three days", "starch paste from the mill", "starch"),
     ("淀粉糊放三天", "磨坊的淀粉糊", "淀粉糊")],
    ids=["starch", "淀粉糊"],
)  # fmt: skip
def test_the_weights_of_both_documents_on_a_shelf_of_old_and_new(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path, *, old: str, new: str, word: str
) -> None:
    start = clock.now()
    for preset, days in (("openakita", 12), ("semibot", 45)):
        clock.set(start)
        mind = open_mind(tmp_path / f"{preset}.db", preset=preset, recall__touch=False, **WORDS)
        mind.remember(old, kind="fact", importance=0.75)
        clock.advance(days=days)
        mind.remember(new, kind="fact", importance=0.15)
        hits = {hit.text: hit for hit in mind.recall(word, of=["memory"], min_score=0.0)}
        assert hits.keys() == {old, new}
        for text, weight, age in ((old, 0.75, days), (new, 0.15, 0)):
            parts = hits[text].why.parts
            if preset == "openakita":
                expected = 0.40 * parts["relevance"] + 0.25 * parts["recency"] + 0.20 * weight
            else:
                expected = 0.25 * weight + 0.15 * 0.5 ** (age / 30)
            assert hits[text].score == pytest.approx(expected, abs=1e-3), (preset, text)
        if preset == "openakita":
            assert hits[old].why.parts["recency"] < hits[new].why.parts["recency"]


@pytest.mark.statement("A77")
@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Lima"])
def test_the_stories_of_a_week_in_the_bindery(
    open_mind: OpenMind, clock: ManualClock, zone: str
) -> None:
    mind = open_mind(preset="openakita", schedule={"zone": zone}, **WORDS)
    start = clock.now()
    for day, said in enumerate(("Sew the Talmud", "糊书脊", "Trim the atlas", "烫金")):
        clock.set(start + timedelta(days=3 * day))
        with mind.session(f"day {day}") as session:
            session.user(f"{said} (part {day})")
            session.assistant("OK", tool_calls=[ToolCall("press", {"part": day})],
                              tool_results=[ToolResult("pressed")])  # fmt: skip
        mind.drain()
    clock.set(start + timedelta(days=10, seconds=1))
    week = mind.episodes(since=clock.now() - timedelta(days=7))
    assert {episode.session for episode in week} == {"day 2", "day 3"}
    assert len(mind.episodes()) == 4


@pytest.mark.statement("C31", "C57")
@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("上周一共来过哪些船？", {2, 4}),
        ("上周一直来的是哪些船？", {2, 4}),
        ("上周日志里有哪些船？", {2, 4}),
        ("上周一来过哪些船？", {2}),
        ("上周三起床时来了哪些船？", {4}),
        ("Which boats came last week?", {2, 4}),
        ("Which boats came last Monday?", {2}),
    ],
)
def test_last_week_in_all_is_not_last_monday(
    open_mind: OpenMind, clock: ManualClock, question: str, days: set[int]
) -> None:
    mind = open_mind(preset="shiyi", **WORDS)
    for day, said in (
        (2, "来了船 boats 白鹭"),
        (4, "来了船 boats 海鸥"),
        (10, "来了船 boats 潜鸟"),
    ):
        clock.set(datetime(2026, 3, day, 10, tzinfo=UTC))
        mind.record(session=f"day {day}", role="user", text=said)
        mind.drain()
    clock.set(datetime(2026, 3, 11, 9, tzinfo=UTC))
    hits = mind.recall(question, of=["turn"], min_score=0.0)
    assert {hit.at.day for hit in hits if "time" in hit.why.routes} == days


# --- the first talk, and the panel ----------------------------------------------------------------


@pytest.mark.statement("C13")
@pytest.mark.parametrize(
    ("language", "answers", "confirm"),
    [
        ("en", ("a calm first mate", "dry", "never on Sundays", "no flattery", "weather first",
                "Nkechi", "harbor pilot", "charts and radio", "two coffees"), "yes"),
        ("zh", ("沉得住气的大副", "冷淡一点", "周日别找我", "不许奉承", "先说天气",
                "阿浪", "引航员", "海图和电台", "先喝两杯咖啡"), "确认"),
    ],
    ids=["pilot", "引航员"],
)  # fmt: skip
def test_a_first_chat_that_is_broken_off_goes_on_the_next_day(
    shell: Shell, language: str, answers: tuple[str, ...], confirm: str
) -> None:
    options = ("--preset", "shiyi", "--set", f"memory.language={language}")
    shell(*options, "chat", input="\n".join([*answers[:3], "/quit", ""]))
    with mnemic.open(shell.db, preset="shiyi", worker="none") as mind:
        assert not mind.onboarding().done
    second = shell(*options, "chat", input="\n".join([*answers[3:], confirm, "/quit", ""]))
    assert answers[5] in second.stdout
    with mnemic.open(shell.db, preset="shiyi", worker="none") as mind:
        assert mind.onboarding().done
        folder = Path(str(mind.documents_folder))
        files = {path.name: path.read_text(encoding="utf-8") for path in folder.rglob("*.md")}
        assert answers[0] in files["ShiYi.md"]
        assert all(text in files["User.md"] for text in answers[5:8])
    third = shell(*options, "chat", input="/quit\n")
    assert not any(text in third.stdout for text in answers)


@pytest.mark.statement("C55")
@pytest.mark.parametrize(
    ("locale", "shown"),
    [
        ("zh-CN", ("待确认陈述的确认率", "被撤回的记忆", "提示中记忆的占比", "(1 / 2)")),
        ("en-NZ", ("Pending statements confirmed", "Memories taken back",
                   "Share of memory in prompts", "(1 / 2)")),
    ],
    ids=["中文", "en-NZ"],
)  # fmt: skip
def test_the_panel_in_the_language_of_whoever_looks(
    open_mind: OpenMind, tmp_path: Path, browser: Browser, locale: str, shown: tuple[str, ...]
) -> None:
    mind = open_mind(tmp_path / "memory.db", preset="shiyi")
    for n, answer in enumerate((mind.confirm, mind.ignore, mind.snooze)):
        offer = Candidate("preference", f"likes knot {n}", f"knot {n}", "likes", confidence=0.7)
        answer(str(mind.propose(offer).id))
    mind.close()
    check_panel(browser, tmp_path / "memory.db", locale, *shown)
