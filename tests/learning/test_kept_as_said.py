"""Sentences that no pattern reads are kept as they were said, where the reader finds them worth
it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import mnemic
from mnemic import Mind
from mnemic.providers.reader import model
from tests.conftest import OpenMind

TOLD = [
    "Signed the lease for the flat above the old cinema, keys on the 3rd.",
    "Working nights at the bakery on Elm Street till Christmas.",
    "The knee surgeon put me down for the 14th of June.",
    "闺女上个月考进了省实验中学的重点班",
    "膝盖做了微创，医生让停跑三个月",
]
SMALL_TALK = [
    "haha yes, that would be something",
    "Great, thanks a lot for looking into it.",
    "make the second paragraph shorter",
    "What is the tallest building in Warsaw?",
    "哈哈哈太好笑了",
    "帮我把第二段缩短一点",
]
NOT_THEIRS = [
    "If I ever win the lottery I'll buy a vineyard in Tuscany.",
    'Translate this: "I am allergic to penicillin and live in Porto."',
    "要是哪天中了彩票，我就去大理开客栈",
]


def learn(mind: Mind, *told: str) -> list[mnemic.Memory]:
    with mind.session("talk") as session:
        for text in told:
            session.user(text)
            session.assistant("I see.")
    assert mind.drain().dead == 0
    return mind.memories()


@pytest.mark.parametrize("said", TOLD)
def test_what_is_worth_keeping_is_kept_as_it_was_said(open_mind: OpenMind, said: str) -> None:
    mind = open_mind()
    kept = [memory for memory in learn(mind, said) if memory.predicate == "other"]
    assert [memory.text.partition(" (")[0] for memory in kept] == [said.rstrip(".")]
    (memory,) = kept
    assert (memory.kind, memory.subject, memory.trust) == ("fact", "user", "owner")
    assert [source.turn_id for source in memory.sources] == [mind.turns(session="talk")[0].id]


@pytest.mark.parametrize("said", [*SMALL_TALK, *NOT_THEIRS])
def test_small_talk_orders_and_what_is_not_meant_are_not_kept(
    open_mind: OpenMind, said: str
) -> None:
    assert learn(open_mind(), said) == []


def test_a_statement_replaces_nothing_and_stays_out_of_the_core(open_mind: OpenMind) -> None:
    mind = open_mind()
    known = learn(mind, "My name is Maya. I live in Lisbon.", *TOLD)
    said = {(one.predicate, one.value) for one in known}
    assert said >= {("name", "Maya"), ("lives_in", "Lisbon")}
    assert len([one for one in known if one.predicate == "other"]) == len(TOLD)
    assert not any(text.rstrip(".") in mind.context("hello").text for text in TOLD)


@pytest.mark.setting("extraction.keep")
def test_nothing_is_kept_so_where_the_settings_say_so(open_mind: OpenMind) -> None:
    assert learn(open_mind(extraction__keep=1.0), *TOLD) == []


def test_without_the_network_patterns_learn_and_nothing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mnemic_reader"
    shutil.copytree(model.find_folder(), folder)
    (folder / "latin.npz").write_bytes(b"no arrays")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert model.find_folder() == folder
    with mnemic.open(tmp_path / "me.db", worker="none") as mind:
        known = learn(mind, "My name is Maya.", TOLD[0])
        assert [memory.value for memory in known] == ["Maya"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I quit sugar in my tea.", "I quit sugar in my tea"),
        ("I no longer play the bassoon.", "I no longer play the bassoon"),
        ("我不再订牛奶了。", "我不再订牛奶了"),
    ],
)
def test_the_end_of_what_nobody_had_told_is_news(open_mind: OpenMind, said: str, kept: str) -> None:
    assert [memory.text.partition(" (")[0] for memory in learn(open_mind(), said)] == [kept]


def test_marks_that_are_typed_another_way_do_not_matter(open_mind: OpenMind) -> None:
    plain = "My sister's been deaf in one ear since she was six, so I always sit on her left."
    for said in (plain, plain.replace("'", "\u2019")):
        mind = open_mind(space=said[:40].replace(" ", "-"))
        (memory,) = learn(mind, said)
        assert memory.text == plain.rstrip(".")


def test_what_stands_beside_something_known_is_kept_in_one_piece(open_mind: OpenMind) -> None:
    said = (
        "My name is Odile, my grandmother left me her house in Roscoff, three rooms and a garden, "
        "by the sea."
    )
    texts = [memory.text for memory in learn(open_mind(extraction__keep=0.2), said)]
    assert "My name is Odile" in texts
    assert any("her house in Roscoff, three rooms and a garden, by the sea" in t for t in texts)
