"""Recall by words: Chinese and English, tools included, nothing a user types is an error."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mnemic
from mnemic import Mind, NewTurn, ToolCall, ToolResult
from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind
from tests.evidence import by_words

FILLER = [
    "今天天气不错，我们去公园散步吧",
    "The meeting was moved to Thursday afternoon",
    "周末想看电影，有什么推荐？",
    "Please water the plants while I am away",
    "昨天的会议记录发给我一下",
    "Our train leaves at half past nine",
]


def say(mind: Mind, *contents: str, session: str = "s") -> None:
    for content in [*FILLER, *contents]:
        mind.record(session=session, role="user", text=content)


@pytest.mark.feature("R2", preset=["openakita", "myclaw"])
@pytest.mark.parametrize("preset", ["openakita", "myclaw"])
@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("我升级到 Python 3.12 了，以后都用 uv", "我用哪个 Python 版本？"),
        ("我升级到 Python 3.12 了，以后都用 uv", "uv"),
        ("我家的猫叫做汤圆，今年三岁", "猫叫什么名字"),
        ("我家的猫叫做汤圆，今年三岁", "汤圆"),
        ("上个月搬到了杭州滨江区", "我住在杭州哪里"),
        ("My sister Alice studies marine biology in Lisbon", "What does Alice study?"),
        ("My sister Alice studies marine biology in Lisbon", "sister biology"),
        ("I deployed node.js 20 behind nginx", "which node.js do I run"),
        ("把 user-id 改成 userId 吧", "userId"),
        ("call foo_bar() before exit", "foo_bar"),
        ("the logs are in D:\\code\\logs", "D:\\code"),
        ("错误码是 E1042", "E1042"),
        ("联系 ops@example.com 就行", "ops@example.com"),
    ],
)
def test_a_question_finds_its_answer_among_others(
    open_mind: OpenMind, preset: str, content: str, query: str
) -> None:
    mind = open_mind(preset=preset)
    say(mind, content)
    hits = mind.recall(query, of=["turn"])
    assert hits
    assert hits[0].text == content


@pytest.mark.feature("R2")
def test_more_matching_words_and_rarer_ones_rank_higher(mind: Mind) -> None:
    say(mind, "tea tea tea", "green tea from Hangzhou", "tea")
    hits = mind.recall("green tea from Hangzhou")
    assert hits[0].text == "green tea from Hangzhou"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


AWKWARD = [
    "",
    " \t\n",
    '"',
    "'",
    "*",
    "tea*",
    '"unclosed',
    "NEAR(tea",
    "tea AND",
    "OR OR OR",
    "NOT",
    "terms:tea",
    "{tea}",
    "^tea",
    "-tea",
    "tea) OR (1=1",
    "'; DROP TABLE turns; --",
    "%_",
    "\x00",
    "a\x00b",
    "\ufeff",
    "\U0001f600",
    "。，！？",
    "的了吗",
    "the of and",
    "tea " * 5_000,
    "茶" * 20_000,
    "a" * 100_000,
]


@pytest.mark.feature("R2")
def test_nothing_a_user_types_is_an_error(mind: Mind) -> None:
    say(mind, "green tea", "绿茶")
    for query in AWKWARD:
        for hit in mind.recall(query):
            assert hit.type == "turn"
    assert mind.stats().turns == len(FILLER) + 2, "and nothing was harmed"


@pytest.mark.feature("R2")
def test_no_text_at_all_is_an_error_in_a_query() -> None:
    with mnemic.open(":memory:", worker="none") as mind:
        say(mind, "green tea", "绿茶")

        @given(st.text(max_size=60))
        @settings(max_examples=150)
        def holds(query: str) -> None:
            mind.recall(query)

        holds()


@pytest.mark.feature("R2")
def test_what_was_said_is_found_by_its_own_words() -> None:
    """Whatever has a letter, digit or ideograph in it, and is no password, finds itself."""
    alphabet = st.sampled_from("abcXYZ019 _-./\\'茶壶喝北京éüß，。:@+#")

    with mnemic.open(":memory:", worker="none") as mind:

        @given(st.text(alphabet, min_size=1, max_size=20))
        @settings(max_examples=100)
        def holds(text: str) -> None:
            told = mind.record(session="s", role="user", text=text)
            found = {hit.id for hit in mind.recall(text, limit=1000)}
            kept = told.text if "[secret:" not in told.text else ""
            assert told.id in found or not any(character.isalnum() for character in kept)

        holds()


@pytest.mark.feature("L2")
def test_tool_calls_and_results_are_found(mind: Mind) -> None:
    say(mind)
    mind.record(
        session="s",
        role="assistant",
        text="",
        tool_calls=[ToolCall("search_flights", {"to": "Lisbon", "dates": ["2026-05-01"]})],
        tool_results=[ToolResult("TP123 每天一班")],
        sender="planner",
    )
    for query in ("search_flights", "Lisbon", "2026-05-01", "TP123", "每天一班", "planner"):
        found = {hit.index: hit for hit in by_words(mind, query)}[len(FILLER)]
        assert "Lisbon" in found.text, "a turn without words is shown by its tool traffic"


class TestEvidence:
    def test_a_hit_says_what_it_is_and_why(self, mind: Mind) -> None:
        say(mind)
        told = mind.record(session="s", role="user", text="green tea", sender="小明")
        (hit,) = by_words(mind, "tea")
        assert (hit.type, hit.id, hit.text) == ("turn", told.id, "green tea")
        assert (hit.session, hit.index, hit.role) == ("s", told.index, "user")
        assert (hit.sender, hit.at) == ("小明", NOON)
        assert [(s.session, s.index, s.turn_id) for s in hit.sources] == [("s", 6, told.id)]
        assert hit.score > 0
        assert hit.why.routes
        assert hit.why.parts

    def test_k_and_types(self, mind: Mind) -> None:
        say(mind, *(f"tea {n}" for n in range(20)))
        mind.remember("likes tea", kind="preference")
        mind.attach("/tmp/tea.png")
        assert len(mind.recall("tea")) == 10
        assert len(mind.recall("tea", limit=3)) == 3
        assert len(by_words(mind, "tea", limit=100)) == 22
        for type_ in ("memory", "attachment"):
            (hit,) = by_words(mind, "tea", of=[type_])
            assert hit.type == type_
        mixed = mind.recall("tea", of=["turn", "memory"], limit=100)
        assert {hit.type for hit in mixed} == {"turn", "memory"}
        assert mind.recall("tea", of=["episode"]) == []

    def test_by_session_project_and_time(self, mind: Mind, clock: ManualClock) -> None:
        mind.session("a", project="myclaw").user("tea one")
        clock.advance(days=1)
        mind.session("b").user("tea two")

        def texts(**wanted: object) -> set[str]:
            return {hit.text for hit in by_words(mind, "tea", **wanted)}

        assert texts() == {"tea one", "tea two"}
        assert texts(session="a") == {"tea one"}
        assert texts(project="myclaw") == {"tea one"}
        assert texts(since=NOON + timedelta(hours=1)) == {"tea two"}
        assert texts(until="2026-02-13") == {"tea one"}
        assert texts(as_of=NOON + timedelta(hours=1)) == {"tea one"}
        assert texts(session="nobody") == set()

    def test_a_space_that_was_never_written_to_knows_nothing(self, open_mind: OpenMind) -> None:
        open_mind(space="ann").record(session="s", role="user", text="tea")
        assert open_mind(space="bob").recall("tea") == []


def test_a_recall_keeps_to_one_core(open_mind: OpenMind) -> None:
    """Many recalls at once, or other work on the machine, must not make each of them slower."""
    mind = open_mind()
    words = "tea garden river piano bicycle mountain kitchen doctor budget holiday train".split()
    pairs = [f"{one} and {other}" for one in words for other in words]
    mind.record_many(
        NewTurn(f"s{n // 20}", "assistant", f"{pair}, number {n}")
        for n, pair in enumerate([*pairs, *pairs, *pairs])
    )
    mind.drain()
    mind.recall("tea")

    def keeps_to_one(some: list[str]) -> bool:
        everywhere, here = time.process_time(), time.thread_time()
        for pair in some:
            assert len(mind.recall(f"what about {pair}?")) == 10
        here, everywhere = time.thread_time() - here, time.process_time() - everywhere
        return everywhere < 1.25 * here

    assert any(keeps_to_one(some) for some in (pairs[:40], pairs[40:80], pairs[60:]))
