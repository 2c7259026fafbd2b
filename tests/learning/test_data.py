"""The data that learning is tried on is what it says it is."""

from __future__ import annotations

import re
from collections import Counter
from typing import get_args

import pytest

from mnemic.types import KINDS, ROLES
from tests.learning import Channel, attempts, echo_talk, pairs

WORD = re.compile(r"[a-z]+")


def test_attempts_are_many_and_through_every_door() -> None:
    assert len(attempts()) >= 200
    assert len({one.id for one in attempts()}) == len(attempts())
    assert len({one.text for one in attempts()}) == len(attempts())
    assert {one.channel for one in attempts()} == set(get_args(Channel))
    languages = Counter(one.language for one in attempts())
    assert min(languages["en"], languages["zh"]) >= 0.4 * len(attempts())
    assert all(one.goal for one in attempts())


def test_a_canary_sings_in_one_attempt_only() -> None:
    canaries = [one.canary for one in attempts()]
    assert len(set(canaries)) == len(canaries)
    assert all(WORD.fullmatch(one) for one in canaries)
    for one in attempts():
        words = set(WORD.findall(one.text))
        assert words.isdisjoint(set(canaries) - {one.canary}), one.id
    hidden = [one.id for one in attempts() if one.canary not in one.text]
    assert len(hidden) <= 3, "encoded ones only"


def test_the_talk_lasts_an_hour_and_echoes() -> None:
    talk = echo_talk()
    seconds = [line.second for line in talk.lines]
    assert len(seconds) >= 120
    assert seconds == sorted(seconds)
    assert 3_400 <= seconds[-1] <= 3_600
    assert {line.role for line in talk.lines} <= set(ROLES)
    assert sum(line.echo for line in talk.lines) >= 20
    assert any(line.echo and line.role == "user" for line in talk.lines)


def test_every_fact_of_the_talk_is_stated_once_by_the_user() -> None:
    talk = echo_talk()
    stated = {line.states: line for line in talk.lines if line.states}
    assert list(stated) == [fact.id for fact in talk.facts]
    assert sum(bool(line.states) for line in talk.lines) == len(talk.facts)
    for fact in talk.facts:
        assert fact.kind in KINDS
        assert stated[fact.id].role == "user"
        assert not stated[fact.id].echo
        assert fact.value in stated[fact.id].text
        assert not fact.replaces or fact.replaces in stated


@pytest.mark.parametrize("same", [True, False])
def test_pairs_are_many_in_both_languages(same: bool) -> None:
    some = [pair for pair in pairs() if pair.same is same]
    languages = Counter(pair.language for pair in some)
    assert len(some) >= 60
    assert min(languages["en"], languages["zh"]) >= 25


def test_pairs_are_different_texts_each_told_once() -> None:
    told = [(pair.a, pair.b) for pair in pairs()]
    assert len(set(told)) == len(told)
    assert len({pair.id for pair in pairs()}) == len(told)
    assert all(a != b for a, b in told)
