"""Recall through the front door: what is found, in which order, and why."""

from __future__ import annotations

import math
from datetime import timedelta
from pathlib import Path

import pytest

import mnemic
from mnemic import Hit, Mind, NewTurn
from mnemic.clock import ManualClock
from mnemic.recall.features import GROUPS
from mnemic.rules.decay import class_of, fade
from tests.conftest import NOON, OpenMind

FILLER = [
    "今天天气不错，我们去公园散步吧",
    "The meeting was moved to Thursday afternoon",
    "周末想看电影，有什么推荐？",
    "Please water the plants while I am away",
    "昨天的会议记录发给我一下",
    "Our train leaves at half past nine",
]


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    """Words only, so that every figure is known."""
    return open_mind(embedding__provider="none")


def fill(mind: Mind, session: str = "filler") -> None:
    mind.record_many(NewTurn(session, "user", content) for content in FILLER)


def texts(hits: list[Hit]) -> list[str]:
    return [hit.text for hit in hits]


@pytest.mark.feature("R10")
class TestReasons:
    def test_a_turn(self, mind: Mind) -> None:
        fill(mind)
        told = mind.record(session="s", role="user", text="green tea from Hangzhou", sender="Ann")
        (hit, *_) = mind.recall("green tea, Ann?")
        assert (hit.type, hit.id, hit.session, hit.index) == ("turn", told.id, "s", 0)
        assert [(s.session, s.index, s.turn_id) for s in hit.sources] == [("s", 0, told.id)]
        assert hit.why.routes == ("text",)
        assert set(hit.why.terms) >= {"green", "tea"}
        parts = hit.why.parts
        assert parts["words"] > 0
        assert parts["speaker"] > 0
        assert set(parts) <= set(GROUPS)
        assert 0.5 < hit.score < 1

    def test_a_memory_leads_to_the_turns_it_came_from(self, mind: Mind) -> None:
        fill(mind)
        one = mind.record(session="a", role="user", text="I moved")
        two = mind.record(session="b", role="user", text="to Lisbon")
        known = mind.remember("lives in Lisbon", kind="fact", sources=[one.id, two.id])
        (hit,) = mind.recall("Lisbon", of=["memory"])
        assert (hit.id, hit.text, hit.at) == (known.id, "lives in Lisbon", NOON)
        assert {(s.session, s.index, s.turn_id) for s in hit.sources} == {
            ("a", 0, one.id),
            ("b", 0, two.id),
        }

    def test_an_attachment(self, mind: Mind) -> None:
        kept = mind.attach("/photos/1.jpg", session="s", description="an orange cat")
        (hit,) = mind.recall("orange cat", of=["attachment"])
        assert (hit.id, hit.session) == (kept.id, "s")
        assert hit.text == "/photos/1.jpg: an orange cat"
        assert set(hit.why.terms) == {"orang", "cat"}, "as they stand in the index"

    def test_the_score_is_comparable_between_queries(self, mind: Mind) -> None:
        fill(mind)
        mind.remember("green tea is best", kind="preference", importance=0.9)
        sure = mind.recall("which tea is best?", limit=20)
        unsure = mind.recall("quantum chromodynamics on the lattice", limit=20)
        assert sure[0].score > 0.3
        assert all(hit.score < 0.15 for hit in unsure)
        assert [hit.score for hit in sure] == sorted((hit.score for hit in sure), reverse=True)

    def test_every_route_that_found_it_is_named(self, mind: Mind) -> None:
        fill(mind)
        mind.record(session="s", role="user", text="tea with Ann")
        (hit, *_) = mind.recall("when did I last have tea with Ann today?", of=["turn"])
        assert set(hit.why.routes) >= {"text", "time"}


class TestConversation:
    def test_an_answer_without_the_words_comes_up_beside_its_question(self, mind: Mind) -> None:
        fill(mind)
        mind.record(session="s", role="user", text="hello there", sender="Ann")
        mind.record(session="s", role="user", text="What is your sister's name?", sender="Ann")
        answer = mind.record(session="s", role="user", text="Marguerite", sender="Bob")
        hits = mind.recall("what is the name of the sister", limit=3)
        assert hits[0].id == answer.id
        assert hits[0].why.routes == ("neighbor",)
        assert hits[0].why.terms == ()
        assert {"neighbors", "answered question", "session"} <= set(hits[0].why.parts)

    def test_a_session_that_is_about_it_is_preferred(self, mind: Mind) -> None:
        fill(mind)
        mind.record(session="plants", role="user", text="tomato seedlings need light and water")
        mind.record(session="plants", role="user", text="light is the problem here")
        mind.record(session="work", role="user", text="light is the problem here")
        found = mind.recall("tomato seedlings light", limit=3)
        assert [hit.session for hit in found] == ["plants", "plants", "work"]
        assert found[0].index == 0

    @pytest.mark.parametrize(
        ("first", "second", "other", "query"),
        [
            (
                "My phone is an OPPO Reno7.",
                "With the Reno7 one can phone for hours.",
                "A Pixel is a phone that lasts all day.",
                "Which phone is mine?",
            ),
            (
                "我用的手机是小米14。",
                "小米14作为手机续航有点弱。",
                "荣耀这个手机拍照不错。",
                "我用的是什么手机？",
            ),
        ],
    )
    def test_what_shares_a_name_with_the_best_hit_gains_by_it(
        self, mind: Mind, first: str, second: str, other: str, query: str
    ) -> None:
        for line in (other, first, second, "The bus was late again.", "花园每天都要浇水。"):
            mind.record(session=line, role="user", text=line)
        parts = {hit.text: hit.why.parts for hit in mind.recall(query, limit=20, of=["turn"])}
        name = "shared with best"
        assert parts[second][name] > parts[other].get(name, 0.0)

    def test_a_named_speaker_is_preferred(self, mind: Mind) -> None:
        fill(mind)
        for name in ("Ann", "Bob", "小明"):
            mind.record(session=name, role="user", text="tea is nice", sender=name)
        for name, query in (("Ann", "does Ann like tea"), ("小明", "小明喜欢 tea 吗")):
            (hit, *others) = mind.recall(query, of=["turn"], limit=3)
            assert hit.sender == name
            assert hit.why.parts["speaker"] > 0
            assert all("speaker" not in other.why.parts for other in others)

    def test_what_the_agent_said_counts_less_unless_asked_for(self, mind: Mind) -> None:
        fill(mind)
        mind.record(session="a", role="user", text="the pasta place near the river")
        mind.record(session="b", role="assistant", text="pasta place, try the one uphill")
        assert mind.recall("pasta place near the river")[0].session == "a"
        (hit, *_) = mind.recall("which pasta place did you recommend uphill?")
        assert hit.session == "b"
        assert "assistant" not in hit.why.parts


class TestTimes:
    def record_days(self, mind: Mind, clock: ManualClock, *days: int) -> None:
        for day in days:
            clock.set(NOON - timedelta(days=day))
            mind.record(session=f"-{day}", role="user", text="had tea with a friend")
        clock.set(NOON)

    @pytest.mark.parametrize(
        "query", ["tea with a friend on January 13", "1月13日 had tea friend", "tea on 2026-01-13"]
    )
    def test_a_date_prefers_its_day(self, mind: Mind, clock: ManualClock, query: str) -> None:
        self.record_days(mind, clock, 150, 100, 60, 30, 1)
        (hit, *others) = mind.recall(query)
        assert hit.session == "-30"
        assert hit.why.parts["date"] > 0
        assert all(other.why.parts.get("date", 0) < hit.why.parts["date"] for other in others)

    @pytest.mark.parametrize(
        ("query", "day"),
        [
            ("上周三跟朋友喝了什么", 8),  # noon of the 12th is a Thursday
            ("last Wednesday, with whom did I have tea", 8),
            ("昨天喝了什么", 1),
            ("what did I drink yesterday", 1),
            ("三天前做了什么", 3),
            ("what did I do three days ago", 3),
        ],
    )
    def test_a_spoken_time_is_searched_itself(
        self, mind: Mind, clock: ManualClock, query: str, day: int
    ) -> None:
        self.record_days(mind, clock, 40, 20, 12, 8, 3, 1)
        timed = {hit.session for hit in mind.recall(query) if "time" in hit.why.routes}
        assert f"-{day}" in timed
        assert timed <= {f"-{day}", "-1"}, "last Wednesday may also be yesterday"

    def test_a_time_finds_what_shares_no_word_with_the_query(
        self, mind: Mind, clock: ManualClock
    ) -> None:
        clock.set(NOON - timedelta(days=8))
        mind.record(session="w", role="user", text="牙医说要拔智齿")
        clock.set(NOON)
        fill(mind)
        (hit, *_) = [hit for hit in mind.recall("上周三发生了什么") if "time" in hit.why.routes]
        assert hit.session == "w"


@pytest.mark.feature("R6", preset="shiyi")
@pytest.mark.parametrize("preset", ["shiyi", "default"])
class TestExactQuestions:
    def open(self, open_mind: OpenMind, clock: ManualClock, preset: str) -> Mind:
        mind = open_mind(preset=preset, embedding__provider="none")
        for day in (30, 20, 10):
            clock.set(NOON - timedelta(days=day))
            mind.record(session=f"-{day}", role="user", text="I go to the dentist, 去看牙医")
        clock.set(NOON)
        fill(mind)
        return mind

    @pytest.mark.parametrize(
        "query", ["When did I last go to the dentist?", "我最后一次看牙医是什么时候？"]
    )
    def test_the_latest(
        self, open_mind: OpenMind, clock: ManualClock, preset: str, query: str
    ) -> None:
        (hit, *_) = self.open(open_mind, clock, preset).recall(query, of=["turn"])
        assert hit.session == "-10"
        assert "exact" in hit.why.routes
        assert hit.at == NOON - timedelta(days=10), "its date is the answer"

    @pytest.mark.parametrize(
        "query", ["When did I first go to the dentist?", "我第一次看牙医是什么时候？"]
    )
    def test_the_earliest(
        self, open_mind: OpenMind, clock: ManualClock, preset: str, query: str
    ) -> None:
        hits = self.open(open_mind, clock, preset).recall(query, of=["turn"])
        exact = [hit for hit in hits if "exact" in hit.why.routes]
        assert {hit.session for hit in exact} == {"-30", "-20", "-10"}
        if preset == "default":
            assert hits[0].session == "-30"

    @pytest.mark.parametrize(
        "query", ["How many times did I go to the dentist?", "我一共看了多少次牙医？"]
    )
    def test_a_count(
        self, open_mind: OpenMind, clock: ManualClock, preset: str, query: str
    ) -> None:
        hits = self.open(open_mind, clock, preset).recall(query, of=["turn"])
        exact = [hit for hit in hits if "exact" in hit.why.routes]
        assert len(exact) == 3
        assert {hit.why.parts["of exactly"] for hit in exact} == {3.0}

    def test_a_date(self, open_mind: OpenMind, clock: ManualClock, preset: str) -> None:
        mind = self.open(open_mind, clock, preset)
        clock.set(NOON - timedelta(days=5))
        told = mind.record(session="w", role="user", text="the wedding of 小红 and Tom")
        clock.set(NOON)
        for query in ("When was the wedding?", "小红的 wedding 是什么时候？"):
            (hit, *_) = mind.recall(query, of=["turn"])
            assert hit.id == told.id
            assert "exact" in hit.why.routes
            assert hit.at == NOON - timedelta(days=5)

    @pytest.mark.parametrize(
        ("query", "name"),
        [
            ("那张猫的照片", "cat.jpg"),
            ("find the picture of the cat", "cat.jpg"),
            ("the PDF I sent", "offer.pdf"),
            ("我发给你的合同", "offer.pdf"),
        ],
    )
    def test_a_file(
        self, open_mind: OpenMind, clock: ManualClock, preset: str, query: str, name: str
    ) -> None:
        mind = self.open(open_mind, clock, preset)
        mind.attach("/in/cat.jpg", description="一只猫的照片, a cat on a mat")
        mind.attach("/in/offer.pdf", description="租房合同 pdf, the contract I sent")
        (hit, *_) = mind.recall(query, of=["attachment"])
        assert name in hit.text
        assert "exact" in hit.why.routes
        everything = mind.recall(query)
        assert name in next(hit for hit in everything if hit.type == "attachment").text


@pytest.mark.feature("L6", preset="openakita")
@pytest.mark.parametrize("preset", ["openakita", "default"])
class TestFiles:
    @pytest.mark.parametrize("query", ["that cat picture I sent", "我发的那张猫的图片"])
    def test_found_by_what_is_on_it(
        self, open_mind: OpenMind, preset: str, query: str, tmp_path: Path
    ) -> None:
        mind = open_mind(preset=preset)
        fill(mind)
        file = tmp_path / "IMG_0001.jpg"
        file.write_bytes(b"12345")
        kept = mind.attach(file, session="s", description="一只橘猫, an orange cat")
        mind.attach("/in/IMG_0002.jpg", session="s", description="a receipt for shoes")
        mind.drain()
        (hit, *_) = [hit for hit in mind.recall(query) if hit.type == "attachment"]
        assert hit.id == kept.id

    def test_found_once_it_is_described(self, open_mind: OpenMind, preset: str) -> None:
        mind = open_mind(preset=preset)
        fill(mind)
        other = mind.attach("/in/IMG_0002.jpg", description="a receipt for shoes")
        kept = mind.attach("/in/IMG_0001.jpg")
        mind.describe_attachment(kept.id, description="an orange cat asleep")
        mind.drain()
        found = mind.recall("that cat picture I sent", of=["attachment"])
        assert found[0].id == kept.id
        mind.describe_attachment(kept.id, description="a dog")
        mind.describe_attachment(other.id, description="a cat on a tree")
        mind.drain()
        found = mind.recall("that cat picture I sent", of=["attachment"])
        assert found[0].id == other.id


@pytest.mark.feature("R1", preset=["shiyi", "myclaw"])
@pytest.mark.parametrize("preset", ["shiyi", "myclaw"])
def test_the_gate_knows_the_projects_of_this_memory(open_mind: OpenMind, preset: str) -> None:
    mind = open_mind(preset=preset, embedding__provider="none")
    for message in ("好的", "thanks!", "ok", "ls -la", "嗯"):
        assert not mind.gate(message).wants, message
    for message in ("我上次说的那个方案是什么？", "which editor do I prefer?"):
        assert mind.gate(message).wants, message
    assert not mind.gate("zephyr deploy done").wants
    mind.remember("runs on port 8080", kind="config", project="zephyr")
    verdict = mind.gate("zephyr deploy done")
    assert verdict.wants
    assert "zephyr" in verdict.reason or "project" in verdict.reason


class TestQueries:
    @pytest.mark.parametrize("query", ["", "  \n", "?!", "。，！", "\U0001f600", "((*", '"'])
    def test_a_query_without_words_finds_nothing(self, mind: Mind, query: str) -> None:
        fill(mind)
        mind.remember("likes tea", kind="fact")
        assert mind.recall(query) == []
        assert mind.events(type="retrieval_fail") == []

    @pytest.mark.parametrize("query", ["the of and", "is it", "的了吗", "是不是"])
    def test_stop_words_alone_are_no_error(self, mind: Mind, query: str) -> None:
        fill(mind)
        assert len(mind.recall(query)) <= 10
        assert mind.events(type="retrieval_fail") == []

    @pytest.mark.parametrize("k", [1, 3, 100])
    def test_k(self, mind: Mind, k: int) -> None:
        mind.record_many(NewTurn("s", "user", f"tea number {n}") for n in range(30))
        assert len(mind.recall("tea", limit=k)) == min(k, 30)

    @pytest.mark.parametrize("k", [0, -1, 1001, 1.5, True])
    def test_a_wrong_k_is_refused(self, mind: Mind, k: int) -> None:
        with pytest.raises(mnemic.InvalidInput):
            mind.recall("tea", limit=k)

    @pytest.mark.parametrize(
        ("preset", "limit"),
        [("default", 10), ("openakita", 10), ("shiyi", 10), ("myclaw", 5), ("semibot", 5)],
    )
    def test_the_preset_says_how_many(self, open_mind: OpenMind, preset: str, limit: int) -> None:
        mind = open_mind(preset=preset, embedding__provider="none")
        for n in range(30):
            mind.remember(f"tea number {n}", kind="fact")
        assert len(mind.recall("tea")) == limit

    @pytest.mark.parametrize(
        ("query", "wanted"),
        [
            ("which tea does he like", "喜欢龙井, likes green tea"),
            ("他喜欢喝什么茶？龙井", "喜欢龙井, likes green tea"),
            ("住在哪里 杭州", "住在杭州, lives in Hangzhou"),
            ("where does she live, Hangzhou", "住在杭州, lives in Hangzhou"),
        ],
    )
    def test_both_languages(self, mind: Mind, query: str, wanted: str) -> None:
        fill(mind)
        for content in ("喜欢龙井, likes green tea", "住在杭州, lives in Hangzhou"):
            mind.remember(content, kind="fact")
            mind.record(session=content, role="user", text=content)
        hits = mind.recall(query, limit=2)
        assert texts(hits) == [wanted, wanted]
        assert {hit.type for hit in hits} == {"turn", "memory"}


@pytest.mark.feature("R9", preset=["myclaw", "semibot"])
@pytest.mark.parametrize("preset", ["myclaw", "semibot", "default"])
class TestUse:
    def test_use_is_counted_and_slows_decay(
        self, open_mind: OpenMind, clock: ManualClock, preset: str
    ) -> None:
        mind = open_mind(preset=preset, embedding__provider="none")
        used = mind.remember("likes green tea", kind="event", importance=0.8)
        idle = mind.remember("went to Lisbon by train", kind="event", importance=0.8)
        clock.advance(days=20)
        mind.recall("green tea", limit=1)
        mind.recall("green tea", limit=1)
        before = {memory.id: memory for memory in mind.memories()}
        assert before[used.id].access_count == 0, "recall does not wait for the disk"
        mind.drain()
        after = {memory.id: memory for memory in mind.memories()}
        assert (after[used.id].access_count, after[used.id].last_accessed_at) == (2, clock.now())
        assert (after[idle.id].access_count, after[idle.id].last_accessed_at) == (0, NOON)
        clock.advance(days=10)
        law = class_of("event", open_mind(preset="myclaw").settings.decay)
        left = {
            memory.id: fade(memory.importance, clock.now() - memory.last_accessed_at, law)
            for memory in after.values()
        }
        # 0.8 x (0.1 + 0.9 x e^(-0.023 x days)), 10 days after the last use and 30 after the first.
        assert left[used.id] == pytest.approx(0.8 * (0.1 + 0.9 * math.exp(-0.23)), abs=1e-6)
        assert left[idle.id] == pytest.approx(0.8 * (0.1 + 0.9 * math.exp(-0.69)), abs=1e-6)

    def test_use_is_written_when_the_mind_closes(
        self, open_mind: OpenMind, clock: ManualClock, preset: str
    ) -> None:
        mind = open_mind(preset=preset, embedding__provider="none")
        mind.remember("likes green tea", kind="event")
        clock.advance(days=1)
        assert mind.recall("green tea")
        mind.close()
        (memory,) = open_mind(preset=preset, embedding__provider="none").memories()
        assert (memory.access_count, memory.last_accessed_at) == (1, clock.now())

    @pytest.mark.setting("recall.touch")
    def test_it_can_be_left_uncounted(self, open_mind: OpenMind, preset: str) -> None:
        mind = open_mind(preset=preset, embedding__provider="none", recall__touch=False)
        mind.remember("likes green tea", kind="event")
        assert mind.recall("green tea")
        mind.drain()
        assert mind.memories()[0].access_count == 0
