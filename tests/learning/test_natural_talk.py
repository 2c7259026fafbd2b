"""What is learned from ordinary talk without a model: whose it is, when it holds, and what ends."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.types import Memory
from tests.conftest import OpenMind

pytestmark = pytest.mark.feature("X5")

LIGHT: dict[str, Any] = {"index": {"vectors": "none"}}
SAID = datetime(2026, 3, 4, 9, 0, tzinfo=timezone(timedelta(hours=1)))  # a Wednesday


def talk(
    mind: Mind, session: str, *texts: str, at: datetime | None = None, project: str = ""
) -> None:
    """A conversation in which every message is answered, to its end."""
    mind.session(session, project=project or None)
    for minute, text in enumerate(texts):
        said_at = None if at is None else at + timedelta(minutes=minute)
        mind.record(session=session, role="user", text=text, at=said_at)
        mind.record(session=session, role="assistant", text="I see.", at=said_at)
    mind.record(session=session, role="user", text="thanks", at=at)
    mind.end_session(session)
    mind.drain()


def known(mind: Mind) -> set[str]:
    return {f"{m.subject}/{m.predicate}={m.value}" for m in mind.memories(limit=500)}


def memory_of(mind: Mind, predicate: str) -> Memory:
    (memory,) = [one for one in mind.memories(limit=500) if one.predicate == predicate]
    return memory


class TestProjects:
    def test_what_is_learned_in_a_project_stays_in_it(self, open_mind: OpenMind) -> None:
        mind = open_mind(worker="none", **LIGHT)
        talk(mind, "a", "We use Postgres for everything", project="shop")
        talk(mind, "b", "We use MySQL here", "我住在杭州", project="blog")
        found = {(m.project, m.value) for m in mind.memories()}
        assert found == {("shop", "PostgreSQL"), ("blog", "MySQL"), ("_global", "杭州")}
        assert sorted(mind.projects()) == ["blog", "shop"]

    def test_the_context_of_a_project_says_nothing_of_another(self, open_mind: OpenMind) -> None:
        mind = open_mind(worker="none", **LIGHT)
        talk(mind, "a", "We use Postgres for everything", project="shop")
        talk(mind, "b", "We use MySQL here", project="blog")
        mind.session("c", project="shop")
        shown = mind.context("Which database do we use?", session="c")
        evidence = shown.text.partition("## Always known")[2]
        assert "Postgres" in evidence
        assert "MySQL" not in evidence.replace("- 20", "\0- 20").partition("## In hand")[0]
        asked = mind.context("Which database does blog use?", session="c")
        assert "MySQL" in asked.text.rpartition("## Recalled")[2]

    def test_topics_of_a_project_do_not_contradict_each_other(self, open_mind: OpenMind) -> None:
        mind = open_mind(worker="none", **LIGHT)
        for topic, text in (
            ("web", "The API runs on port 8080"),
            ("jobs", "The API runs on port 9090"),
        ):
            mind.session(topic, project="shop", topic=topic)
            talk(mind, topic, text)
        assert {m.value for m in mind.memories()} == {"8080", "9090"}


class TestLists:
    @pytest.mark.parametrize(
        ("texts", "values"),
        [
            (("My son Ben is 4", "My son Kofi is 7"), {"Ben", "Kofi", "4", "7"}),
            (("My email is ann@example.org", "My email is a@work.example"),
             {"ann@example.org", "a@work.example"}),
            (("We have two cats, Miso and Tofu", "we got a dog called Rex"),
             {"Miso", "Tofu", "Rex"}),
            (("In production we use Postgres", "In staging we use SQLite"),
             {"PostgreSQL", "SQLite"}),
            (("I'm allergic to nuts and shellfish", "I'm allergic to pollen"),
             {"nuts", "shellfish", "pollen"}),
        ],
    )  # fmt: skip
    def test_a_later_one_does_not_end_an_earlier_one(
        self, open_mind: OpenMind, texts: Sequence[str], values: set[str]
    ) -> None:
        mind = open_mind(worker="none", **LIGHT)
        for number, text in enumerate(texts):
            talk(mind, f"s{number}", text)
        assert {m.value for m in mind.memories()} == values

    def test_a_stated_change_ends_the_one_that_it_is_about(self, open_mind: OpenMind) -> None:
        mind = open_mind(worker="none", **LIGHT)
        talk(mind, "a", "The shop phone is 03 5550 1182 and my mobile's 0491 570 333")
        talk(mind, "b", "New mobile number: 0491 570 808")
        assert {m.value for m in mind.memories()} == {"03 5550 1182", "0491 570 808"}

    def test_a_corrected_answer_is_evidence_no_more(self, open_mind: OpenMind) -> None:
        mind = open_mind(worker="none", **LIGHT)
        talk(mind, "a", "I live in Trondheim")
        talk(mind, "b", "Actually I live in Bergen")
        assert known(mind) == {"user/lives_in=Bergen"}
        assert "I live in Trondheim" not in mind.context("Where do I live, Trondheim?").text
        talk(mind, "c", "I moved to Oslo")
        assert "Bergen" not in mind.context("Where do I live?").text.partition("## In hand")[0]


class TestDates:
    def test_what_is_said_of_the_past_counts_from_then(
        self, open_mind: OpenMind, clock: ManualClock
    ) -> None:
        clock.set(SAID + timedelta(days=200))  # imported much later
        mind = open_mind(worker="none", **LIGHT)
        talk(mind, "a", "I moved to Osaka last month", at=SAID)
        memory = memory_of(mind, "lives_in")
        assert memory.valid_from == datetime(2026, 2, 1, tzinfo=SAID.tzinfo)
        assert memory.text == "I moved to Osaka last month (2026-02)"
        talk(mind, "b", "My sister Ines works at Philips", at=SAID)
        assert memory_of(mind, "employer").valid_from == SAID

    @pytest.mark.parametrize(
        ("text", "content", "day"),
        [
            ("The report is due next Monday", "The report is due next Monday (2026-03-09)", 9),
            ("We fly to Lisbon tomorrow", "We fly to Lisbon tomorrow (2026-03-05)", 5),
            ("周报周五前要交", "周报周五前要交 (2026-03-06)", 6),
        ],
    )
    def test_what_lies_ahead_is_current_until_it_is_over(
        self, open_mind: OpenMind, clock: ManualClock, text: str, content: str, day: int
    ) -> None:
        clock.set(SAID)
        mind = open_mind(worker="none", **LIGHT)
        talk(mind, "a", text, at=SAID)
        (memory,) = mind.memories()
        assert memory.text == content
        assert memory.valid_to == datetime(2026, 3, day + 1, tzinfo=SAID.tzinfo)
        clock.set(SAID + timedelta(days=10))
        assert mind.memories() == []

    def test_a_tomorrow_of_years_ago_is_not_current(
        self, open_mind: OpenMind, clock: ManualClock
    ) -> None:
        clock.set(SAID)
        mind = open_mind(worker="none", **LIGHT)
        talk(mind, "a", "The report is due tomorrow", at=SAID - timedelta(days=900))
        assert mind.memories() == []

    def test_tomorrow_is_that_of_the_speaker(self, open_mind: OpenMind, clock: ManualClock) -> None:
        late = datetime(2026, 3, 4, 23, 30, tzinfo=timezone(timedelta(hours=8)))
        clock.set(late)
        mind = open_mind(worker="none", **LIGHT)
        talk(mind, "a", "明天要交周报", at=late)
        assert "2026-03-05" in memory_of(mind, "deadline").text


SAYS = [
    ("We live in Otley now", {"user/lives_in=Otley"}),
    ("I left Acme, now I'm at Globex", {"user/employer=Globex"}),
    ("My brother Dawit lives in Addis Ababa, he is an engineer there",
     {"user/brother=Dawit", "Dawit/lives_in=Addis Ababa", "Dawit/job=engineer"}),
    ("my sister's birthday is May 3", {"sister/birthday=May 3"}),
    ("My boss is Fiona Aldous", {"user/boss=Fiona Aldous"}),
    ("My mobile's 0491 570 333", {"user/phone=0491 570 333"}),
    ("Please keep answers short", {"user/rule=keep answers short"}),
    ("I drive an old Volvo V70", {"user/vehicle=old Volvo V70"}),
    ("I play the cello and a bit of banjo", {"user/instrument=cello", "user/instrument=banjo"}),
    ("I go swimming every Tuesday at 7", {"user/habit=go swimming every Tuesday at 7"}),
    ("I take amlodipine each morning", {"user/medication=amlodipine"}),
    ("I'm studying economics at Marlowe", {"user/studies=economics", "user/school=Marlowe"}),
    ("My address is 14 Tanner's Row, Flat 3, Otley",
     {"user/address=14 Tanner's Row, Flat 3, Otley"}),
    ("We have two cats, Miso and Tofu", {"user/pet=Miso", "user/pet=Tofu"}),
    ("We deploy on Fridays", {"user/habit=deploy on Fridays"}),
    ("what can I cook for my husband Owen?", {"user/husband=Owen"}),
    ("I'm allergic to penicillin, is amoxicillin the same thing?", {"user/allergy=penicillin"}),
]  # fmt: skip
NOTHING = [
    "Remind me of it on 2026-12-24",
    "it starts at something like 6:30",
    "我在那边住三天",
    "In my dreams I'd speak five languages and live in Kyoto",
    "My neighbour hates slugs",
    "make this one shorter please",
]


@pytest.fixture(scope="module")
def learned() -> Any:
    """Each message in a memory of its own, all read once."""
    from mnemic.language.extract import extract

    def read(text: str) -> set[str]:
        found = extract(text, said_at=SAID)
        return {f"{one.subject}/{one.predicate}={one.value}" for one in found if not one.withdraws}

    return read


@pytest.mark.parametrize(("text", "wanted"), SAYS)
def test_ordinary_talk_is_read(learned: Any, text: str, wanted: set[str]) -> None:
    assert learned(text) == wanted


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_read_into_talk(learned: Any, text: str) -> None:
    assert learned(text) == set()


@pytest.mark.parametrize(
    ("first", "then", "left"),
    [
        ("My dog Biscuit is lovely", "We lost Biscuit", set()),
        ("My girlfriend Kayla is from Albany", "Kayla and I broke up", {"Kayla/from=Albany"}),
        ("I drive a Ford Transit", "We sold the Transit", set()),
        ("I'm vegan", "I'm eating meat again", {"user/diet=eats meat"}),
        ("I take amlodipine", "The doctor has taken me off amlodipine", set()),
        ("I sing in a choir", "I no longer sing in a choir", set()),
    ],
)
def test_an_end_ends_it(open_mind: OpenMind, first: str, then: str, left: set[str]) -> None:
    mind = open_mind(worker="none", **LIGHT)
    talk(mind, "a", first)
    assert known(mind)
    talk(mind, "b", then)
    assert known(mind) == left


def test_somebody_named_before_is_known_later(open_mind: OpenMind) -> None:
    mind = open_mind(worker="none", **LIGHT)
    talk(mind, "a", "My daughter Peggy set this up for me, she's in Duluth")
    assert "Peggy/lives_in=Duluth" in known(mind)
    talk(mind, "b", "Peggy moved to Bemidji last month")
    assert "Peggy/lives_in=Bemidji" in known(mind)
    assert "Peggy/lives_in=Duluth" not in known(mind)
