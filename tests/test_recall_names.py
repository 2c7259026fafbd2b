"""People and words in a query, written as people write them, find what was said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import mnemic
from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import NOON

pytestmark = pytest.mark.feature("R5")

SPEAKERS = (
    "Maria Keller",
    "José Ortega",
    "Jonathan Pryce",
    "Tomas Lind",
    "李小明",
    "王建国",
    "陈静",
)
TALK = "tea in the garden is nice, 在花园里喝茶很好"


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mind]:
    file = tmp_path_factory.mktemp("names") / "memory.db"
    with mnemic.open(
        file, clock=ManualClock(NOON), worker="none", embedding__provider="none"
    ) as mind:
        fill(mind)
        yield mind


def fill(mind: Mind) -> None:
    for name in SPEAKERS:
        for n in range(3):
            mind.record(session=f"{name}{n}", role="user", text=f"{TALK} {n}", sender=name)
    lines = (
        "I bought a bicycle",
        "the children were loud",
        "She taught chemistry for years",
        "we went to Lisbon and ate clams",
        "I will buy a kettle",
        "the person at the counter",
        "a rose from the market",
        "prices rise every spring",
    )
    for n, line in enumerate(lines):
        mind.record(session=f"line {n}", role="user", text=line)


@pytest.mark.parametrize(
    ("query", "speakers"),
    [
        ("What does Maria say about tea?", {"Maria Keller"}),
        ("what does maria say about tea", {"Maria Keller"}),
        ("Maria Keller and tea", {"Maria Keller"}),
        ("maria's tea", {"Maria Keller"}),
        ("Does Keller like tea?", {"Maria Keller"}),
        ("Is tea nice, Mr Pryce?", {"Jonathan Pryce"}),
        ("does jose like tea", {"José Ortega"}),
        ("does Mraia like tea", {"Maria Keller"}),
        ("does Marria like tea", {"Maria Keller"}),
        ("does Jonahtan like tea", {"Jonathan Pryce"}),
        ("does johnatan like tea", {"Jonathan Pryce"}),
        ("does Kellar like tea", {"Maria Keller"}),
        ("Maria and Tomas on tea", {"Maria Keller", "Tomas Lind"}),
        ("小明喜欢喝茶吗", {"李小明"}),
        ("李小明喜欢喝茶吗", {"李小明"}),
        ("老王喜欢喝茶吗", {"王建国"}),
        ("建国喜欢喝茶吗", {"王建国"}),
        ("陈老师喜欢喝茶吗", {"陈静"}),
        ("Which garden is nice for tea?", set()),
        ("is there a marina near the garden for tea", set()),
        ("张小明喜欢喝茶吗", set()),
    ],
)
def test_a_speaker_is_named_as_people_do(mind: Mind, query: str, speakers: set[str]) -> None:
    hits = mind.recall(query, limit=30, of=["turn"])
    assert {hit.sender for hit in hits if "speaker" in hit.why.parts} == speakers
    if speakers:
        assert {hit.sender for hit in hits[: 3 * len(speakers)]} == speakers


def test_a_misspelled_name_finds_what_others_said_of_that_person(mind: Mind) -> None:
    text = "Jonathan moved to Oslo"
    mind.record(session="news", role="user", text=text, sender="Tomas Lind")
    found = {hit.text: hit.why.terms for hit in mind.recall("Where is Jonathn now?", limit=4)}
    assert found[text] == ("jonathan",)


def test_a_misspelled_name_of_somebody_whom_a_memory_is_about(mind: Mind) -> None:
    mind.remember("Wilhelmina lives in Kiel", kind="fact", subject="Wilhelmina")
    (hit, *_) = mind.recall("What about Wilhelmnia?", of=["memory"])
    assert hit.text == "Wilhelmina lives in Kiel"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Which bicycle did I buy?", "I bought a bicycle"),
        ("buy kettle", "I will buy a kettle"),
        ("bought kettle", "I will buy a kettle"),
        ("what does she teach", "She taught chemistry for years"),
        ("teaching", "She taught chemistry for years"),
        ("one child", "the children were loud"),
        ("where have I gone", "we went to Lisbon and ate clams"),
        ("eating", "we went to Lisbon and ate clams"),
        ("people", "the person at the counter"),
        ("a rose", "a rose from the market"),
        ("how many times did I buy a bicycle", "I bought a bicycle"),
    ],
)
def test_irregular_forms_find_each_other(mind: Mind, query: str, text: str) -> None:
    assert mind.recall(query, limit=1, of=["turn"])[0].text == text


def test_a_form_that_is_mostly_another_word_does_not_bring_its_verb(mind: Mind) -> None:
    assert [hit.text for hit in mind.recall("rose", of=["turn"])] == ["a rose from the market"]
    assert {"a rose from the market", "prices rise every spring"} <= {
        hit.text for hit in mind.recall("rise", of=["turn"])
    }
