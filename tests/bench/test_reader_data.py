"""The labeled conversations that the reader is trained on."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.reader.banks import bank_of_talk
from bench.reader.check import find_faults
from bench.reader.data import is_held_out, read_talks, talk_labels
from bench.reader.plain import plain_pairs

FOLDER = Path(__file__).parents[2] / "bench" / "reader" / "conversations"
TALKS = list(read_talks([FOLDER]))


def test_every_conversation_is_well_formed_and_about_a_fifth_is_held_out() -> None:
    assert {talk["id"]: list(find_faults(talk)) for talk in TALKS if list(find_faults(talk))} == {}
    assert len({talk["id"] for talk in TALKS}) == len(TALKS) >= 400
    assert sum(len(talk["questions"]) for talk in TALKS) >= 6_000
    held_out = sum(is_held_out(talk["id"]) for talk in TALKS) / len(TALKS)
    assert 0.15 < held_out < 0.25


def spoil_evidence(talk: dict[str, Any]) -> None:
    talk["questions"][0]["evidence"] = ["s1#999"]


def spoil_value(talk: dict[str, Any]) -> None:
    talk["facts"][0]["value"] = "words that nobody said"


def spoil_order(talk: dict[str, Any]) -> None:
    talk["sessions"].reverse()


def spoil_none(talk: dict[str, Any]) -> None:
    next(q for q in talk["questions"] if q["evidence"])["type"] = "none"


def spoil_trap(talk: dict[str, Any]) -> None:
    talk["traps"][0]["kind"] = "hope"


@pytest.mark.parametrize(
    "spoil", [spoil_evidence, spoil_value, spoil_order, spoil_none, spoil_trap]
)
def test_fault_in_a_conversation_is_named(spoil: Callable[[dict[str, Any]], None]) -> None:
    talk: dict[str, Any] = copy.deepcopy(dict(TALKS[7]))
    spoil(talk)
    assert list(find_faults(talk))


def test_bank_of_a_conversation_keeps_turns_and_evidence() -> None:
    talk = TALKS[3]
    bank = bank_of_talk(talk)
    texts = {item["id"]: item["text"] for item in bank["items"]}
    assert len(texts) == sum(len(session["turns"]) for session in talk["sessions"])
    for asked, question in zip(bank["questions"], talk["questions"], strict=True):
        assert asked["gold"] == question["evidence"]
        assert all(place in texts for place in asked["gold"])


def test_label_of_a_fact_lies_where_its_value_was_said() -> None:
    talk = TALKS[11]
    texts = {
        f"{session['id']}#{n}": turn["text"]
        for session in talk["sessions"]
        for n, turn in enumerate(session["turns"])
    }
    labels = talk_labels(talk)
    values = {fact["value"] for fact in talk["facts"]}
    spans = {texts[place][one.start : one.end] for place, some in labels.items() for one in some}
    assert spans == values


@pytest.mark.parametrize("language", ["en", "zh"])
def test_plain_pairs_have_no_blank_left_and_as_many_ends_as_asked_for(language: str) -> None:
    pairs = list(plain_pairs(language, 300, random.Random(7)))
    assert [pair for pair in pairs if "{" in pair.known + pair.said] == []
    assert sum(pair.ends for pair in pairs) == 300 < len(pairs) / 2
    assert len({(pair.known, pair.said) for pair in pairs}) > 0.9 * len(pairs)
    assert list(plain_pairs(language, 300, random.Random(7))) == pairs, "the same for a seed"
