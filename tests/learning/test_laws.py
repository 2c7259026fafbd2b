"""The laws of learning: what small talk cannot change, what a denial ends, what a memory says."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mnemic import Mind, NewTurn
from tests.conftest import OpenMind

INTRODUCTIONS = {
    "en": ["My name is Farida and I live in Utrecht.", "I'm a pharmacist. I'm vegetarian."],
    "zh": ["我叫周敏，住在长沙。", "我是药剂师，我吃素。"],
}
SMALL_TALK = {
    "en": [
        "Ditto here",
        "We're here all week",
        "I live in hope",
        "I practically live in my car",
        "My kids call me ancient",
        "I never have enough socks",
        "I'm a terrible driver",
        "Always lovely chatting with you",
        "No more rainy weekends!",
        "Don't skip your breakfast",
        "Never say never",
        "Whenever I smell rain, I think of the porch we had",
        "Marrying my partner was the best day of all",
    ],
    "zh": [
        "我叫了一份炒饭",
        "我住得离地铁挺近的",
        "我在排队",
        "我是个急性子",
        "说真话，我有点饿",
        "别着急，慢慢来",
        "永远支持你",
        "你必须多休息",
        "我小时候常和我爸爸妈妈去赶集",
        "我周末都和我爸爸妈妈一起爬山",
    ],
}


def tell(mind: Mind, session: str, *lines: str) -> None:
    with mind.session(session) as talk:
        for line in lines:
            talk.user(line)
    mind.drain()


def known(mind: Mind) -> set[str]:
    return {f"{m.subject}/{m.predicate}={m.value}" for m in mind.memories() if m.predicate}


def texts(mind: Mind) -> list[str]:
    return sorted(memory.text for memory in mind.memories())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_small_talk_changes_nothing_of_who_the_user_is(open_mind: OpenMind, language: str) -> None:
    mind = open_mind(worker="none")
    tell(mind, "a", *INTRODUCTIONS[language])
    before = {m.id for m in mind.memories() if m.kind in ("identity", "rule")}
    assert len(before) == 4
    tell(mind, "b", *SMALL_TALK[language])
    assert {m.id for m in mind.memories() if m.kind in ("identity", "rule")} == before


def test_another_answer_without_a_sign_of_change_waits_until_another_session_repeats_it(
    open_mind: OpenMind,
) -> None:
    mind = open_mind(worker="none")
    tell(mind, "a", "I live in Utrecht")
    tell(mind, "b", "I live in Delft")
    assert known(mind) == {"user/lives_in=Utrecht"}
    (waiting,) = mind.pending()
    assert waiting.value == "Delft"
    tell(mind, "c", "I live in Delft")
    assert known(mind) == {"user/lives_in=Delft"}
    assert mind.pending() == []


@pytest.mark.parametrize(
    ("first", "then", "left"),
    [
        ("I live in Utrecht", "These days I live in Delft", {"user/lives_in=Delft"}),
        ("I'm allergic to kiwis", "It's fine, I'm not allergic to kiwis", set()),
        ("I play the oboe", "I no longer play the oboe", set()),
        (
            "My cousin Pia works at Philips",
            "Pia doesn't work at Philips any more",
            {"user/cousin=Pia"},
        ),
        ("我对芒果过敏", "其实我对芒果并不过敏", set()),
        ("我弟弟小龙住在南昌", "小龙已经不住南昌了", {"user/brother=小龙"}),
        ("我会拉小提琴", "我不会拉小提琴", set()),
    ],
)
def test_a_correction_or_denial_ends_what_it_denies(
    open_mind: OpenMind, first: str, then: str, left: set[str]
) -> None:
    mind = open_mind(worker="none")
    tell(mind, "a", first)
    assert known(mind) - left
    tell(mind, "b", then)
    assert known(mind) == left


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I'm allergic to walnuts", "I don't like walnuts"),
        ("I work at Philips", "I don't work at Philips on Fridays"),
        ("我对榴莲过敏", "我不喜欢榴莲"),
    ],
)
def test_a_denial_of_something_else_ends_nothing(
    open_mind: OpenMind, first: str, then: str
) -> None:
    mind = open_mind(worker="none")
    tell(mind, "a", first)
    before = known(mind)
    tell(mind, "b", then)
    assert known(mind) >= before


@pytest.mark.parametrize(
    ("plan", "change", "days"),
    [
        ("I have a vet appointment on Monday", "The vet appointment got moved to Thursday", 1),
        ("I have a choir rehearsal on Tuesday", "Rehearsal is called off", 0),
        ("下周三我要去看牙医", "看牙医改到下周五了", 1),
        ("周六上午有家长会", "家长会取消了", 0),
    ],
)
def test_a_moved_plan_has_only_its_new_day_and_a_canceled_one_is_over(
    open_mind: OpenMind, plan: str, change: str, days: int
) -> None:
    mind = open_mind(worker="none")
    tell(mind, "a", plan)
    (planned,) = [m for m in mind.memories() if m.kind == "event"]
    tell(mind, "b", change)
    now = [m for m in mind.memories() if m.subject == planned.subject]
    assert len(now) == days
    assert planned.id not in {m.id for m in now}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("My cousin Pia lives in Ghent", ["Pia is my cousin", "Pia lives in Ghent"]),
        ("我表妹小雅住在贵阳", ["小雅住在贵阳", "小雅是我表妹"]),
        (
            "I'm a welder at Thyssen",
            ["My job: welder", "I work at Thyssen"],
        ),
    ],
)
def test_a_sentence_that_says_two_things_gives_two_memories_with_their_own_words(
    open_mind: OpenMind, said: str, words: list[str]
) -> None:
    mind = open_mind(worker="none")
    tell(mind, "a", said)
    assert texts(mind) == sorted(words)


def test_a_rule_beside_an_upgrade_outlives_it_in_its_own_words(open_mind: OpenMind) -> None:
    mind = open_mind(worker="none")
    tell(mind, "a", "我升级到 Node 20 了，以后都用 pnpm")
    tell(mind, "b", "我升级到 Node 22 了")
    (rule,) = mind.memories(kind="rule")
    assert rule.text == "以后都用 pnpm"


@pytest.mark.parametrize(
    ("said", "rule", "fact"),
    [
        (
            "Always answer in plain words, I live in Tulsa.",
            "Always answer in plain words",
            "I live in Tulsa",
        ),
        (
            "Never suggest prawns, I'm allergic to shellfish too",
            "Never suggest prawns",
            "shellfish",
        ),
        ("以后都用繁体回答，我对芒果也过敏", "以后都用繁体回答", "我对芒果也过敏"),
        ("以后回答简短一点，我住在嘉兴", "以后回答简短一点", "我住在嘉兴"),
    ],
)
def test_what_is_told_behind_a_rule_is_a_memory_of_its_own(
    open_mind: OpenMind, said: str, rule: str, fact: str
) -> None:
    mind = open_mind(worker="none")
    tell(mind, "a", said)
    kinds = {memory.kind: memory.text for memory in mind.memories()}
    assert kinds["rule"] == rule
    assert fact in kinds["identity"]


@pytest.mark.parametrize(
    "said",
    [
        "Answer in short sentences, I'm in Prague until Friday",
        "Keep it formal, unless I ask for a joke",
        "以后用英文回答，我在准备下周的面试",
    ],
)
def test_a_rule_never_loses_a_limit_that_is_told_behind_it(open_mind: OpenMind, said: str) -> None:
    mind = open_mind(worker="none")
    tell(mind, "a", said)
    rules = [memory.text for memory in mind.memories() if memory.kind == "rule"]
    assert all("," in rule or "，" in rule for rule in rules), rules


def test_statements_that_differ_in_a_letter_are_two(open_mind: OpenMind) -> None:
    mind = open_mind(worker="none")
    for room in ("会议室 A", "会议室 B"):
        tell(mind, room, f"记住：{room}的投影仪坏了")
    assert len(mind.memories()) == 2


@pytest.mark.parametrize(
    ("said", "whose"),
    [
        ("Send the slides to my boss at olga@firm.example", "boss"),
        ("把照片发给我姐姐，邮箱 jie@example.cn", "sister"),
        ("Email me at me@firm.example", "user"),
    ],
)
def test_a_contact_in_a_request_belongs_to_whom_it_names(
    open_mind: OpenMind, said: str, whose: str
) -> None:
    mind = open_mind(worker="none")
    tell(mind, "a", said)
    (memory,) = mind.memories(predicate="email", status="all")
    assert memory.subject == whose


def test_another_speakers_relatives_are_theirs(open_mind: OpenMind) -> None:
    mind = open_mind(worker="none")
    said: Sequence[tuple[str, str]] = [("Ann", "I like rum"), ("Bob", "My wife is a vet.")]
    mind.record_many([NewTurn("g", "user", text, sender=who) for who, text in said])
    mind.end_session("g")
    mind.drain()
    (wife,) = [m for m in mind.memories(status="all") if m.predicate == "job"]
    assert (wife.subject, wife.text) == ("Bob's wife", "Bob: My wife is a vet")


class TestByHand:
    def test_a_statement_without_a_kind_is_of_the_kind_it_reads_like(
        self, open_mind: OpenMind
    ) -> None:
        mind = open_mind(worker="none")
        for text, kind in (
            ("I live in Ghent", "identity"),
            ("以后都用英文写注释", "rule"),
            ("The kettle is blue", "fact"),
        ):
            memory = mind.remember(text).memory
            assert memory is not None
            assert memory.kind == kind

    def test_another_value_of_an_unlisted_predicate_takes_the_place_of_the_first(
        self, open_mind: OpenMind
    ) -> None:
        mind = open_mind(worker="none")
        old = mind.remember("Filter type 3", subject="coffee maker", predicate="filter", value="3")
        new = mind.remember("Filter type 4", subject="coffee maker", predicate="filter", value="4")
        assert new.outcome == "update"
        assert new.replaced == (old.id,)

    def test_an_edit_keeps_kind_and_slot_where_another_memory_has_the_same_words(
        self, open_mind: OpenMind
    ) -> None:
        mind = open_mind(worker="none")
        mind.remember("The archive is in Ghent", kind="fact")
        told = mind.remember(
            "The archive is in Delft", kind="config", subject="archive", predicate="city",
            value="Delft",
        )  # fmt: skip
        edited = mind.edit(told.id, text="The archive is in Ghent", value="Ghent")
        assert (edited.kind, edited.subject, edited.predicate) == ("config", "archive", "city")


def test_audit_counts_misread_memories_and_repair_archives_them(open_mind: OpenMind) -> None:
    mind = open_mind(worker="none")
    mind.remember(
        "Ditto here", kind="identity", subject="user", predicate="name", value="Ditto Same",
        origin="extraction",
    )  # fmt: skip
    mind.remember("Always happy to help", kind="rule", origin="extraction")
    mind.remember("I live in Ghent", subject="user", predicate="lives_in", value="Ghent")
    misread = next(check for check in mind.audit().checks if check.name == "misread")
    assert misread.found == 2
    mind.repair()
    assert texts(mind) == ["I live in Ghent"]
    (back, _) = mind.memories(status="archived")
    assert mind.restore(back.id).status == "active"


@pytest.mark.parametrize(
    ("said", "waits"),
    [
        ("Use metric units.", True),
        ("请用中文回答。", True),
        ("From here on use metric units.", False),
        ("以后请用中文回答。", False),
    ],
)
def test_a_rule_that_does_not_say_it_lasts_is_put_to_the_user(
    open_mind: OpenMind, said: str, waits: bool
) -> None:
    mind = open_mind()
    tell(mind, "a", said)
    rules = [memory.text for memory in mind.memories(kind="rule")]
    offered = [candidate.text for candidate in mind.pending()]
    assert (len(rules), len(offered)) == ((0, 1) if waits else (1, 0))


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("My cousin Aoife lives in Cork and she's a welder.", "Aoife is a welder"),
        ("mom's moving in with us here next month.", "mom's moving in with us here next month"),
    ],
)
def test_a_statement_reads_as_it_was_said(open_mind: OpenMind, said: str, text: str) -> None:
    mind = open_mind()
    tell(mind, "a", said)
    assert any(memory.text.startswith(text) for memory in mind.memories())
