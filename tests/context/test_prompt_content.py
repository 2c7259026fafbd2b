"""What a prompt says once, in one zone, in one order, and what it does not say at all."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.types import Context
from tests.conftest import NOON, OpenMind

CONTAINED = "contained in another line of evidence"
STANDS_FOR = "a memory in the prompt was learned from it"
IN_HOST_PROMPT = "already in the host's prompt"


ALL = {"evidence_score": 0.0}  # what is left out here is not left out for its score


@pytest.fixture
def mind(open_mind: OpenMind) -> mnemic.Mind:
    return open_mind(recall=ALL)


def evidence_of(built: Context) -> list[str]:
    """The lines of the evidence part, without their heads."""
    part = next((m.content for m in built.messages if m.content.find("Recalled for") >= 0), "")
    if not part:
        part = next((m.content for m in built.messages if "为这条消息想起的" in m.content), "")
    return [line.split(") ", 1)[1] for line in part.split("\n") if line.startswith("- (")]


def reasons(built: Context) -> dict[str, str]:
    return {left.id: left.reason for left in built.dropped if left.section == "evidence"}


def system_of(built: Context) -> str:
    return "\n".join(message.content for message in built.messages if message.role == "system")


# --- no line contained in another -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("short", "long", "query"),
    [
        ("The falcon ships", "Good news: the falcon ships on Tuesday!", "When does falcon ship?"),
        ("猎鹰项目发布", "告诉大家：猎鹰项目发布定在周二。", "猎鹰项目什么时候发布？"),
    ],
)
def test_a_line_that_stands_in_another_is_left_out(
    mind: mnemic.Mind, short: str, long: str, query: str
) -> None:
    turns = [
        mind.record(session=f"s{n}", role="user", text=text)
        for n, text in enumerate((short, long, f"{short}."))
    ]
    built = mind.context(query)
    assert evidence_of(built) == [long]
    assert {reasons(built)[turns[n].id] for n in (0, 2)} == {CONTAINED}


def test_a_story_that_repeats_a_memory_does_not_take_its_place(mind: mnemic.Mind) -> None:
    """The memory says who told it, and where; the story is the agent's."""
    mind.record(session="one", role="user", text="Remember that we deploy on Fridays.")
    mind.end_session("one")
    mind.drain()
    assert "we deploy on Fridays" in evidence_of(mind.context("When do we deploy?"))


def test_a_sentence_that_taught_two_memories_is_told_in_the_words_of_each(
    mind: mnemic.Mind,
) -> None:
    mind.record(session="one", role="user", text="记住：我妹妹小美对花生过敏。")
    mind.end_session("one")
    mind.drain()
    assert {one.text for one in mind.memories()} == {"小美是我妹妹", "小美对花生过敏"}
    built = mind.context("你好")
    assert built.text.count("identity, owner") == 2


def test_only_whole_words_that_are_not_denied_count(mind: mnemic.Mind) -> None:
    texts = [
        "falcon is written in C",
        "falcon is written in C++",
        "falcon is at version 3",
        "falcon is at version 3.12",
        "我喜欢猎鹰项目",
        "说实话不我喜欢猎鹰项目",
    ]
    for n, text in enumerate(texts):
        mind.record(session=f"s{n}", role="user", text=text)
    shown = [*evidence_of(mind.context("falcon")), *evidence_of(mind.context("猎鹰项目"))]
    assert sorted(set(shown)) == sorted(texts)


def test_the_story_of_a_short_session_does_not_repeat_its_turns(mind: mnemic.Mind) -> None:
    with mind.session("short") as session:
        session.user("The walrus tank needs salt.")
        session.user("The walrus eats at nine.")
    mind.drain()
    (episode,) = mind.episodes()
    assert " · " in episode.summary
    built = mind.context("What about the walrus?")
    lines = evidence_of(built)
    assert sum("walrus tank needs salt" in line for line in lines) == 1
    assert sum("walrus eats at nine" in line for line in lines) == 1


def test_a_memory_stands_for_its_turn_unless_that_says_more(mind: mnemic.Mind) -> None:
    plain = mind.record(session="a", role="user", text="I live in Brelm")
    rich = mind.record(
        session="b",
        role="user",
        text="I work at Ostrava Mills because my sister Ann runs the dye shop on the second"
        " floor and they needed somebody for the autumn fair",
    )
    mind.remember("Lives in Brelm", kind="identity", sources=[plain.id])
    mind.remember("Works at Ostrava Mills", kind="identity", sources=[rich.id])
    built = mind.context("Where do I live?")
    assert "Lives in Brelm" in built.text
    assert "I live in Brelm" not in built.text
    assert reasons(built)[plain.id] == STANDS_FOR
    assert "dye shop" in mind.context("Where do I work, and why?").text


@pytest.mark.parametrize(
    ("told", "learned", "query"),
    [
        ("kiln 用 Zig 写，存储定了用 LMDB", "kiln 存储定了用 LMDB", "kiln 是用哪个 Zig 写的？"),
        ("The loom runs Forth, and logs to tape", "The loom logs to tape", "Who wrote the Forth?"),
    ],
)
def test_a_memory_whose_every_word_its_turn_has_is_not_said_beside_it(
    mind: mnemic.Mind, told: str, learned: str, query: str
) -> None:
    turn = mind.record(session="s", role="user", text=told)
    memory = mind.remember(learned, kind="event", sources=[turn.id])
    built = mind.context(query)
    assert evidence_of(built) == [told]
    assert reasons(built)[memory.id] == CONTAINED


def test_what_is_core_or_said_in_the_conversation_is_no_evidence(mind: mnemic.Mind) -> None:
    mind.record(session="old", role="user", text="Never deploy on Fridays!")
    mind.remember("Never deploy on Fridays", kind="rule", importance=1.0)
    with mind.session("now") as session:
        session.user("The walrus tank is empty")
    mind.record(session="older", role="user", text="the walrus tank is empty")
    built = mind.context("Do we deploy on Fridays?", session="now")
    assert built.text.count("eploy on Fridays") == 1
    assert evidence_of(mind.context("Is the walrus tank empty?", session="now")) == []


# --- R3: what already stands in the host's prompt -------------------------------------------------


@pytest.mark.parametrize("by_id", [False, True], ids=["text", "id"])
def test_nothing_of_the_hosts_prompt_comes_back(mind: mnemic.Mind, by_id: bool) -> None:
    said = mind.record(session="now", role="user", text="My parrot Rio eats walnuts")
    reply = mind.record(session="now", role="assistant", text="Rio the parrot likes walnuts!")
    other = mind.record(session="old", role="user", text="The parrot was bought in Porto, 2019")
    mind.remember("The parrot Rio is fed with walnuts", kind="fact", sources=[said.id])
    mind.end_session("now")
    mind.drain()
    query = "What does my parrot Rio eat?"
    before = mind.context(query)
    assert any("walnuts" in line for line in evidence_of(before))
    shown = [said.id, reply.id] if by_id else ["  my parrot rio eats walnuts.", reply.text]
    built = mind.context(query, session="now", shown=[*shown, query])
    lines = evidence_of(built)
    assert lines == [other.text], "no turn, memory or story of what the host shows"
    assert IN_HOST_PROMPT in reasons(built).values()
    assert "recent" not in {use.name for use in built.sections}


def test_what_the_host_shows_has_to_be_texts(mind: mnemic.Mind) -> None:
    with pytest.raises(mnemic.InvalidInput, match="a text in shown"):
        mind.context("hello", shown=[b"bytes"])  # type: ignore[list-item]


# --- R4: the stable part --------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["default", "openakita"])
def test_the_stable_part_changes_only_with_memory(
    open_mind: OpenMind, clock: ManualClock, preset: str
) -> None:
    mind = open_mind(preset=preset)
    facts = [
        mind.remember(f"Walrus {n} eats {n} herrings", kind="fact", importance=0.8)
        for n in range(12)
    ]
    session = mind.session("now")
    stable = set()
    for n, text in enumerate(("walrus 3 herrings?", "海象吃什么？", "Fix the walrus page", "谢谢")):
        session.user(text)
        stable.add(system_of(mind.context(text, session="now")))
        mind.recall(f"walrus {n} herrings")
        clock.advance(minutes=7)
        mind.drain()
    assert len(stable) == 1
    assert mind.get(facts[3].id).access_count > 0, "the recalls counted"
    mind.remember("Walrus 13 is new", kind="rule", importance=1.0)
    assert system_of(mind.context("walrus?", session="now")) not in stable


def test_without_memories_the_language_is_that_of_the_conversation(open_mind: OpenMind) -> None:
    mind = open_mind(preset="openakita")
    session = mind.session("now")
    session.user("你好，今天我们聊聊海象")
    guides = {system_of(mind.context(text, session="now")) for text in ("why?", "为什么？")}
    assert len(guides) == 1
    assert "记忆" in guides.pop()


# --- R5: one zone ---------------------------------------------------------------------------------

EARLY = datetime(2026, 2, 12, 1, 30, tzinfo=timezone(timedelta(hours=8)))  # the 11th in UTC


@pytest.mark.parametrize("zone", ["local", "Asia/Shanghai", "America/New_York"])
def test_one_message_has_one_date(open_mind: OpenMind, clock: ManualClock, zone: str) -> None:
    mind = open_mind(schedule={"zone": zone}, recall=ALL)
    clock.set(EARLY)
    turn = mind.record(
        session="s",
        role="user",
        at=EARLY,
        text="Remember that I am allergic to walnuts. My parrot ate the walnut cake"
        " in the kitchen while the neighbours were singing loudly about the harbour",
    )
    mind.end_session("s")
    mind.drain()
    assert [m.sources[0].turn_id for m in mind.memories()] == [turn.id]
    assert mind.episodes()
    shown = mind.context("What am I allergic to, and what about the parrot and the cake?").text
    inside = mind.context("And what else?", session="s").text
    assert "2026-02-12" in shown, "the turn states its own zone"
    assert "2026-02-12" in inside
    assert "2026-02-11" not in shown + inside


# --- R6: the scratchpad ---------------------------------------------------------------------------


def in_hand(mind: mnemic.Mind, session: str | None = None) -> str:
    """The scratchpad in the prompt for a message that has nothing to do with it."""
    built = mind.context("What time is it?", session=session)
    text = "\n".join(m.content for m in built.messages if "## In hand" in m.content)
    return text + "\n".join(m.content for m in built.messages if "## 手头的事" in m.content)


@pytest.mark.parametrize(
    "text", ["What a lovely day!", "今天天气真好", "部署流程是什么？", "I had pizza with Ann"]
)
def test_talk_is_no_task(mind: mnemic.Mind, clock: ManualClock, text: str) -> None:
    mind.record(session="chat", role="user", text=text)
    assert in_hand(mind) == ""
    clock.advance(hours=1)
    mind.end_session("chat")
    mind.drain()
    assert in_hand(mind) == ""


@pytest.mark.parametrize(
    ("task", "end"),
    [
        ("Fix the login bug in auth.py", "It works now, thanks"),
        ("帮我修复登录接口的 401", "搞定了，谢谢"),
        ("Write the release notes", "Never mind"),
        ("帮我写周报", "算了，不用了"),
        ("Rewrite the parser", ""),
    ],
)
def test_a_task_is_shown_until_it_ends(
    mind: mnemic.Mind, clock: ManualClock, task: str, end: str
) -> None:
    session = mind.session("work", project="lantern")
    session.user(task)
    mind.session("more", project="lantern").user("hello")
    mind.session("elsewhere", project="tunnel").user("hello")
    clock.advance(minutes=1)
    assert task in in_hand(mind, "more")
    assert "lantern" not in in_hand(mind, "more")
    assert in_hand(mind, "elsewhere") == "", "another project has other tasks"
    assert in_hand(mind, "work") == "", "the conversation shows it already"
    if end:
        session.user(end)
        clock.advance(minutes=1)
    else:
        clock.advance(days=20)
    assert in_hand(mind, "more") == ""
    assert "UTC" not in in_hand(mind)


def test_a_stored_task_keeps_its_project_and_its_age(mind: mnemic.Mind, clock: ManualClock) -> None:
    with mind.session("work", project="lantern") as session:
        session.user("Rewrite the parser")
        session.assistant("Shall I begin?")
    mind.drain()
    assert mind.scratchpad().focus == "Rewrite the parser"
    mind.session("more", project="lantern").user("hello")
    mind.session("elsewhere", project="tunnel").user("hello")
    assert "Rewrite the parser" in in_hand(mind, "more")
    assert in_hand(mind, "elsewhere") == ""
    clock.advance(days=20)
    assert in_hand(mind, "more") == ""
    mind.write_scratchpad("## Current task\nWater the plants\n")
    clock.advance(days=90)
    assert "Water the plants" in in_hand(mind, "elsewhere"), "a person's own words stay"


def test_a_task_that_was_done_has_the_time_it_was_done(
    mind: mnemic.Mind, clock: ManualClock
) -> None:
    with mind.session("work") as session:
        session.user("Rewrite the parser")
        session.assistant("Done: the parser is rewritten.")
    clock.advance(days=2)
    mind.drain()
    (done,) = mind.scratchpad().completions
    assert (done.task, done.at) == ("Rewrite the parser", NOON)


@pytest.mark.parametrize("preset", ["default", "openakita", "shiyi", "myclaw", "semibot"])
@pytest.mark.parametrize(
    ("opening", "heading"),
    [
        ("orchid 的 staging 改叫 eagle 了", "对话"),
        ("把 CI 从 Jenkins 换到 Woodpecker 吧", "对话"),
        ("Our staging is called 鹰 now, remind 小桐 of it", "conversation"),
    ],
)
def test_the_headings_are_in_the_language_of_the_conversation(
    open_mind: OpenMind, preset: str, opening: str, heading: str
) -> None:
    mind = open_mind(preset=preset, context={"disclosure": "injected"})
    other = "我对芝麻过敏" if heading == "conversation" else "I am allergic to sesame"
    for number in range(4):
        mind.remember(f"{other} {number}", kind="identity", importance=0.9)
    session = mind.session("now")
    session.user(opening)
    session.assistant("OK")
    prompt = mind.context("Which one, 哪个?", session="now")
    headings = [line for line in prompt.text.splitlines() if line.startswith("## ")]
    chinese = heading == "对话"
    assert all(any("一" <= sign <= "龥" for sign in line) == chinese for line in headings), headings
    assert preset == "openakita" or any(heading in line for line in headings)


@pytest.mark.parametrize("preset", ["default", "openakita", "shiyi", "myclaw", "semibot"])
@pytest.mark.parametrize(
    "rule", ["Never push to main without a review", "以后回答都先给结论", "回复时请不要用表格"]
)
def test_a_rule_reaches_the_next_prompt_whatever_is_asked(
    open_mind: OpenMind, preset: str, rule: str
) -> None:
    mind = open_mind(preset=preset)
    mind.remember(rule, kind="rule", importance=0.3)
    for number in range(8):
        mind.remember(f"Otter {number} lives in pond {number}", kind="fact", importance=0.9)
    mind.drain()
    session = mind.session("later")
    session.user("Where does otter 3 live?")
    prompt = mind.context("Where does otter 3 live?", session="later")
    assert prompt.text.count(rule) == 1
