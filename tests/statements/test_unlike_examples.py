"""The documents once more, with talk that is nothing like their examples: other people, trades and
languages, sessions that go on, models that answer carelessly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mnemic import ToolCall, ToolResult
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted
from tests.statements.memory_model import server
from tests.statements.playing import calls, fact, reading

__all__ = ["server"]


@dataclass(frozen=True, slots=True)
class Talk:
    """What somebody says, and a word by which it is found."""

    rule: str
    liked: str
    made: str
    question: str
    word: str
    again: str


GARDEN = Talk(
    rule="Never use Latin names in your answers",
    liked="I prefer clay pots over plastic ones",
    made="We decided to heat the greenhouse with pellets",
    question="Do you remember what we heat the greenhouse with?",
    word="pellets",
    again="By the way, the greenhouse leaks",
)
KITCHEN = Talk(
    rule="以后菜谱都要写克数",
    liked="我喜欢用铸铁锅",
    made="我们决定甜品单只留四道",
    question="还记得甜品单留几道吗？",
    word="四道",
    again="对了，烤箱明天来人修",
)
TALKS = pytest.mark.parametrize("talk", [GARDEN, KITCHEN], ids=["garden", "厨房"])


# --- openakita ------------------------------------------------------------------------------------


@TALKS
@pytest.mark.statement("A6", "A7", "A10", "A11", "A13", "A16", "A17", "A24")
def test_a_long_day_of_work_becomes_a_story_with_its_actions(
    open_mind: OpenMind, clock: ManualClock, talk: Talk
) -> None:
    mind = open_mind(preset="openakita")
    session = mind.session("day", project="greenhouse")
    session.user(f"{talk.rule}. {talk.made}, and note the plan in the log book please.")
    session.assistant(
        "Noted.",
        tool_calls=[ToolCall("write_file", {"path": "log/plan.md", "content": "x" * 900}, "c1"),
                    ToolCall("run", {"cmd": "print labels"}, "c2")],
        tool_results=[ToolResult("saved " + "line " * 80, "c1"),
                      ToolResult("printer is out of paper", "c2", is_error=True)],
    )  # fmt: skip
    clock.advance(minutes=9)
    session.user(talk.again * 12)  # nobody ends it, and it goes on
    clock.advance(hours=20)
    mind.upkeep("daily")
    mind.drain()
    (episode,) = mind.episodes()
    assert episode.session == "day"
    assert 0 < len(episode.summary) <= 240
    assert episode.started_at < episode.ended_at
    assert set(episode.tools) == {"write_file", "run"}
    written, printed = sorted(episode.actions, key=lambda action: action.tool, reverse=True)
    assert (written.success, printed.success) == (True, False)
    assert "out of paper" in printed.error
    assert len(written.result) <= 120
    assert "log/plan.md" in str(written.params)
    assert "xxxxxxxx" * 20 not in str(written.params), "only what says something"
    (rule, *_) = mind.memories(kind="RULE")
    assert rule.expires_at is None
    assert rule.id in episode.memories
    assert {turn.episode for turn in mind.turns(session="day")} == {episode.id}


@TALKS
@pytest.mark.statement("A28", "A29", "A64", "A65", "A76", "A79", "A80")
def test_what_is_said_again_is_surer_and_what_is_found_is_used(
    open_mind: OpenMind, clock: ManualClock, talk: Talk
) -> None:
    mind = open_mind(preset="openakita")
    first = mind.remember(talk.made, kind="decision", confidence=0.6, subject="plan")
    clock.advance(hours=3)
    mind.remember(talk.made, kind="decision", confidence=0.6, subject="plan")
    (memory,) = mind.memories()
    assert memory.id == first.id
    assert memory.confidence > 0.6
    used = memory.access_count
    clock.advance(hours=3)
    assert mind.recall(talk.word)[0].id == first.id, "by words, at once"
    mind.drain()
    found = mind.get(first.id)
    assert (found.access_count, found.last_accessed_at > memory.last_accessed_at) == (
        used + 1,
        True,
    )
    text = mind.retrieve(talk.question, max_tokens=700)
    assert talk.word in text
    assert [m.id for m in mind.memories(subject="plan")] == [first.id]
    changed = mind.edit(first.id, text=f"{talk.made} (2027)")
    assert talk.word in changed.text
    mind.delete(changed.id)
    assert mind.recall(talk.word, of=["memory"]) == []


@pytest.mark.statement("A34", "A35", "A116")
@pytest.mark.parametrize(
    ("page", "task", "project"),
    [
        ("## Current task\n- Graft the pear trees\n\n## Current projects\n- orchard\n",
         "Graft the pear trees", "orchard"),
        ("## 当前任务\n- 给老面续种\n\n## 当前项目\n- 面包房\n", "给老面续种", "面包房"),
    ],
)  # fmt: skip
def test_a_scratchpad_that_somebody_wrote_is_read_and_stays_small(
    open_mind: OpenMind, page: str, task: str, project: str
) -> None:
    mind = open_mind(preset="openakita")
    pad = mind.write_scratchpad(page)
    assert (pad.focus, pad.projects) == (task, (project,))
    session = mind.session("s")
    session.set_variables({"bed": 7})
    for number in range(60):
        session.user(f"Please prune row {number} and then water the beds along wall {number}")
    assert len(mind.scratchpad().text) <= 2_000
    assert mind.session("s").variables() == {"bed": 7}


@pytest.mark.statement("A96", "A97", "A101")
@pytest.mark.parametrize(
    ("line", "empty"),
    [("- I keep bees behind the barn", "[to be learned]"), ("- 我在后院养蜂", "[待学习]")],
)
def test_a_line_written_by_hand_is_known_and_a_placeholder_is_not(
    open_mind: OpenMind, line: str, empty: str
) -> None:
    mind = open_mind(preset="openakita")
    mind.sync()
    page = Path(str(mind.documents_folder), "USER.md")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"# User\n\n## Basics\n\n- {empty}\n", encoding="utf-8")
    mind.sync()
    assert mind.memories() == []
    assert empty not in mind.context("hello there", session="s").text
    page.write_text(f"# User\n\n## Basics\n\n{line}\n", encoding="utf-8")
    mind.sync()
    mind.drain()
    assert [memory.text for memory in mind.memories()] == [line.removeprefix("- ")]
    assert line.removeprefix("- ") in mind.context("hello there", session="s").text


# --- shiyi ----------------------------------------------------------------------------------------


@TALKS
@pytest.mark.statement("C1", "C2", "C7", "C8", "C10", "C19", "C20", "C35", "C56")
def test_every_session_shares_a_page_that_a_person_may_rewrite(
    open_mind: OpenMind, talk: Talk
) -> None:
    mind = open_mind(preset="shiyi")
    for name, said in (("one", talk.rule), ("two", talk.liked)):
        session = mind.session(name)
        session.user(said)
        session.assistant("OK")
        mind.drain()
    (user,) = list(Path(str(mind.documents_folder)).rglob("User.md"))
    page = user.read_text(encoding="utf-8")
    known = {str(memory.text): memory for memory in mind.memories()}
    assert known.keys() >= {talk.rule, talk.liked}
    assert all(text in page for text in (talk.rule, talk.liked))
    sources = {source.session for memory in known.values() for source in memory.sources}
    assert sources == {"one", "two"}
    assert talk.rule in {memory.text for memory in mind.memories(kind="constraint")}
    user.write_text(page.replace(talk.liked, talk.made), encoding="utf-8")
    mind.sync()
    now = {memory.text for memory in mind.memories()}
    assert talk.made in now
    assert talk.liked not in now
    assert mind.get(known[talk.liked].id).status in ("superseded", "rejected")
    assert len(mind.turns()) == 4, "the record only grows"
    assert {"write", "update"} & {event.type for event in mind.events()}


@TALKS
@pytest.mark.statement("C26", "C27", "C32", "C33")
def test_the_long_term_is_searched_when_the_past_is_meant(
    open_mind: OpenMind, clock: ManualClock, talk: Talk
) -> None:
    mind = open_mind(preset="shiyi")
    old = mind.session("old")
    old.user(talk.made)
    old.assistant("OK")
    old.end()
    mind.drain()
    clock.advance(days=3)
    session = mind.session("new")
    for number in range(30):
        session.user(f"Tray {number} is sown " + "with basil " * 12)
        session.assistant(f"Tray {number} noted")
    plain = mind.context("Tray 31 is sown too", session="new")
    asked = mind.context(talk.question, session="new")
    assert not plain.memories
    assert talk.word in asked.text
    assert asked.tokens <= asked.budget <= 4_000
    assert "Tray 29 noted" in asked.text
    assert "Tray 2 noted" not in asked.text, "only the latest rounds"
    tight = mind.context(talk.question, session="new", budget=900)
    assert not any(talk.word in text for text in tight.memories)
    assert "Tray 29 noted" in tight.text


# --- myclaw ---------------------------------------------------------------------------------------


@pytest.mark.statement("D60", "D66", "D79", "D81", "D82", "D84", "D99")
@pytest.mark.parametrize(
    ("project", "other", "question", "fitting"),
    [
        ("orangery", "cellar", "My orangery, how is it heated?", "The orangery is heated by steam"),
        ("陶艺班", "木工坊", "我的陶艺班用什么釉？", "陶艺班用青釉"),
    ],
)
def test_the_question_names_the_partition_and_only_memories_are_found(
    open_mind: OpenMind, project: str, other: str, question: str, fitting: str
) -> None:
    mind = open_mind(preset="myclaw")
    mind.record(session="s", role="user", text=f"{fitting}!")
    mine = mind.remember(fitting, kind="event", project=project, importance=0.9)
    theirs = mind.remember(f"{other} 2026", kind="event", project=other, importance=0.9)
    shared = mind.remember("Wednesday is closed", kind="event", importance=0.5)
    assert (mind.get(shared.id).project, mind.get(shared.id).topic) == ("_global", "_general")
    built = mind.context(question, session="now")
    assert fitting in built.memories
    assert not any(other in text for text in built.memories)
    hits = mind.recall(question)
    assert {hit.type for hit in hits} == {"memory"}
    assert hits[0].id == mine.id
    mind.drain()
    assert mind.get(mine.id).access_count > 0
    assert mind.get(theirs.id).access_count == 0


@pytest.mark.statement("D75", "D76", "D77")
@pytest.mark.parametrize(
    ("message", "wants"),
    [
        ("What did my landlord say last Tuesday about the boiler?", True),
        ("上次那家修表的店叫什么来着？", True),
        ("我之前说过窗帘要多宽", True),
        ("/restart now", False),
        ("okay, thanks!", False),
        ("好的，辛苦啦", False),
        ("```\nfor x in range(3): print(x)\n```", False),
        ("hm", False),
    ],
)
def test_the_gate_in_everyday_words(open_mind: OpenMind, message: str, wants: bool) -> None:
    mind = open_mind(preset="myclaw")
    assert mind.gate(message).wants == wants


# --- semibot --------------------------------------------------------------------------------------


@TALKS
@pytest.mark.statement("E122", "E131", "E132", "E136", "E138")
def test_a_careless_model_at_the_end_of_a_session_that_goes_on(
    open_mind: OpenMind, server: Scripted, talk: Talk
) -> None:
    learned = (talk.rule, fact(talk.rule, kind="rule", importance=0.9, confidence="very"))
    server.always(reading(learned, (talk.made, fact(talk.made, kind="project", extra={"a": [1]}))))
    mind = open_mind(preset="semibot", **thinking.settings(server))
    with mind.session("brief") as brief:
        brief.user(talk.rule)
    mind.drain()
    assert calls(server, "extract") == [], "one message is too few"
    session = mind.session("long")
    for text in (talk.again, talk.rule, talk.made):
        session.user(text)
    session.end()
    mind.drain()
    texts = {memory.text for memory in mind.memories()}
    assert talk.made in texts
    (project,) = mind.memories(kind="project")
    assert [source.session for source in project.sources] == ["long"]
    session.user(talk.question)  # the same session, taken up again
    built = mind.context(talk.question, session="long")
    assert built.reply > 0
    assert len(built.recent) <= 1, "its messages were cleared"
    assert re.search(re.escape(talk.made), built.text)


@TALKS
@pytest.mark.statement("E116", "E119", "E124", "E125", "E126", "E128", "E129")
def test_five_of_many_and_a_window_of_tokens(
    open_mind: OpenMind, clock: ManualClock, talk: Talk
) -> None:
    mind = open_mind(preset="semibot")
    for number in range(12):
        mind.remember(f"{talk.made} {number}", kind="project", importance=number / 20)
    plain = mind.remember(f"{talk.liked} ({talk.word})", kind="preference")
    assert mind.get(plain.id).importance == 0.5
    clock.advance(days=40)
    hits = mind.recall(talk.word)
    assert len(hits) == 5
    assert {hit.type for hit in hits} == {"memory"}
    assert {hit.id for hit in mind.recall(talk.word, kind="preference")} == {plain.id}
    strong = mind.recall(talk.word, min_importance=0.5)
    assert strong
    assert all(mind.get(hit.id).importance >= 0.5 for hit in strong)
    before = mind.get(hits[0].id).last_accessed_at
    clock.advance(days=2)
    mind.recall(talk.word)
    mind.drain()
    assert mind.get(hits[0].id).last_accessed_at > before
    session = mind.session("s")
    for number in range(80):
        session.user(f"{number} {talk.again}")
    window = session.window(200)
    assert 0 < window.tokens <= 200
    assert window.turns[-1].text.startswith("79 ")
    sizes = {use.name: use.size for use in mind.context(talk.question, session="s").sections}
    assert (sizes["recent"], sizes["evidence"]) == (4096, 1228)


# --- evidence -------------------------------------------------------------------------------------

AROUND = (
    "The tomatoes were watered on Monday",
    "Ines wants a bench under the pear tree",
    "我们决定番茄改种在南墙",
    "苗床的膜是周三换的",
    "The compost heap stays by the fence",
    "工具房的锁坏了",
)


@TALKS
@pytest.mark.parametrize("preset", ["openakita", "shiyi", "myclaw", "semibot"])
@pytest.mark.statement("A118", "A123", "C30", "D83", "D118", "E138")
def test_the_prompt_holds_what_fits_the_question_and_nothing_to_fill_it(
    open_mind: OpenMind, preset: str, talk: Talk
) -> None:
    mind = open_mind(preset=preset, embedding={"provider": "none"}, context__disclosure="injected")
    ids: dict[str, str] = {
        mind.remember(text, kind="decision", importance=0.5 if text == talk.made else 0.9).id: text
        for text in (talk.made, *AROUND)
    }
    built = mind.context(talk.question, session="s")
    (shown,) = [use.ids for use in built.sections if use.name == "evidence"]
    assert [ids[one] for one in shown] == [talk.made]
    assert talk.made in built.text
    for unknown in ("还记得我的护照号码吗？", "Do you remember my passport number?"):
        sections = mind.context(unknown, session="s").sections
        assert "evidence" not in {use.name for use in sections}


@pytest.mark.parametrize(
    ("known", "question"),
    [("The user is allergic to kiwis", "What am I allergic to?"),
     ("用户对荞麦过敏", "我对什么过敏？")],
)  # fmt: skip
@pytest.mark.statement("D79", "D106", "D115")
def test_what_the_core_answers_is_not_followed_by_the_rest_of_the_partition(
    open_mind: OpenMind, known: str, question: str
) -> None:
    mind = open_mind(preset="myclaw")
    mind.remember(known, kind="identity", importance=1.0)
    for text in AROUND:
        mind.remember(text, kind="decision", importance=0.9)
    prompt = mind.context(question).text
    assert known in prompt
    assert [text for text in AROUND if text in prompt] == []


# --- rules ----------------------------------------------------------------------------------------

RULES = {
    "en": ("Never mail the suppliers without asking me", "Write every date as day and month"),
    "zh": ("给供应商发邮件之前先问我", "日期一律写成日和月"),
}


@pytest.mark.parametrize("language", list(RULES))
@pytest.mark.parametrize("preset", ["openakita", "shiyi", "myclaw", "semibot"])
@pytest.mark.statement("A87", "A91", "C25", "C34", "D63", "D116", "E119", "E138")
def test_rules_reach_every_prompt_that_can_hold_them(
    open_mind: OpenMind, clock: ManualClock, preset: str, language: str
) -> None:
    mind = open_mind(preset=preset)
    session = mind.session("s", project="greenhouse")
    for rule in RULES[language]:
        mind.remember(rule, kind="rule", importance=0.2)
    for number in range(30):
        mind.remember(f"Bed {number} has {number} kinds of beans", kind="decision", importance=0.9)
    mind.drain()
    clock.advance(days=8)
    mind.upkeep("daily")
    for number in range(40):
        session.user(f"Tray {number} of the beans is watered and stands by the window")
        session.assistant(f"Tray {number} is noted")
    for budget in (100_000, 4_000, 1_500, 900):
        prompt = mind.context("Which beds have beans?", session="s", budget=budget)
        assert prompt.tokens <= prompt.budget <= budget
        assert [rule for rule in RULES[language] if rule not in prompt.text] == [], budget


@pytest.mark.parametrize(
    ("texts", "question"),
    [
        ("The kiln runs on three phases. ", "How is the kiln wired?"),
        ("窑炉用三相电，换线之前先断闸。", "窑炉的线怎么接？"),
    ],
)
@pytest.mark.statement("A88", "A89", "A91")
def test_the_parts_of_a_potter_keep_their_sizes(
    open_mind: OpenMind, texts: str, question: str
) -> None:
    mind = open_mind(preset="openakita")
    mind.write_scratchpad("## 当前任务\n" + texts * 60)
    prompt = mind.context(
        question, host={"runtime": texts * 90, "rules": texts * 90, "catalogs": texts * 200}
    )
    used = {use.name: use for use in prompt.sections}
    sizes = {"runtime": 150, "rules": 300, "scratchpad": 500, "catalogs": 800}
    assert {name: used[name].size for name in sizes} == sizes
    assert all(used[name].tokens <= size + 40 for name, size in sizes.items())
    assert {one.section for one in prompt.dropped} >= sizes.keys() - {"scratchpad"}


# --- nights and windows ---------------------------------------------------------------------------


@TALKS
@pytest.mark.statement("D88")
def test_a_talk_that_never_falls_silent_is_swept_at_three_in_the_morning(
    open_mind: OpenMind, clock: ManualClock, talk: Talk
) -> None:
    mind = open_mind(
        preset="myclaw", schedule={"zone": "America/Lima"}, triggers={"quiet_gap": "9h"}
    )
    session = mind.session("night shift")
    for hour in range(3, 8):  # from ten in the evening
        clock.set(datetime(2026, 5, 9, hour, 59, tzinfo=UTC))
        session.user(f"{talk.made}. {talk.again}" if hour == 3 else f"{hour}: {talk.again}")
        mind.drain()
        assert {turn.state for turn in mind.turns()} == {"new"}
    clock.set(datetime(2026, 5, 9, 8, 1, tzinfo=UTC))
    mind.drain()
    assert "new" not in {turn.state for turn in mind.turns()}
    session.user(talk.liked)  # the session goes on
    mind.drain()
    assert mind.turns()[-1].state == "new"


@TALKS
@pytest.mark.statement("E120")
def test_a_window_of_ones_own_shares_itself_out(open_mind: OpenMind, talk: Talk) -> None:
    mind = open_mind(preset="semibot", context={"windows": {"greenhouse-7b": 40_000}})
    mind.remember(talk.made, kind="decision")
    session = mind.session("s")
    session.user(talk.again)
    for model, window in (("greenhouse-7b", 40_000), ("greenhouse-9b", 8_192)):
        built = mind.context(talk.question, session="s", model=model)
        sizes = {use.name: use.size for use in built.sections}
        assert built.reply == int(window * 0.2)
        assert sizes["evidence"] == int(window * 0.15)
        assert built.budget == window - built.reply
        assert talk.made in built.memories
