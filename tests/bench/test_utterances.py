"""The labeled utterances are what their README says, and the score means what it says."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.utterances import (
    LANGUAGES,
    POSITIVES,
    PREDICATES,
    TRAPS,
    Label,
    figures,
    says,
    score,
    utterances,
)
from mnemic.types import KINDS, ROLES, Candidate, Kind

UTTERANCES = utterances()


def test_they_are_many_in_both_languages_and_half_are_traps() -> None:
    languages = Counter(one.language for one in UTTERANCES)
    assert len(UTTERANCES) >= 420
    assert set(languages) == set(LANGUAGES)
    assert languages["en"] == languages["zh"] >= 200
    assert languages["mixed"] >= 40
    for language in LANGUAGES:
        traps = [one.is_trap for one in UTTERANCES if one.language == language]
        assert 0.45 <= sum(traps) / len(traps) <= 0.55


def test_every_category_is_in_every_big_language() -> None:
    found = {(one.language, one.category) for one in UTTERANCES}
    assert {category for _, category in found} == {*POSITIVES, *TRAPS}
    assert {(tongue, name) for tongue in ("en", "zh") for name in (*POSITIVES, *TRAPS)} <= found


def test_ids_and_texts_are_unique() -> None:
    assert len({one.id for one in UTTERANCES}) == len(UTTERANCES)
    assert len({(one.text, one.before) for one in UTTERANCES}) == len(UTTERANCES)


def test_words_of_the_labels_are_known() -> None:
    for one in UTTERANCES:
        assert one.role in ROLES
        for label in one.labels:
            assert {label.kind, *label.kinds} <= set(KINDS) - {"credential"}, one.id
            assert label.predicate in PREDICATES, one.id
            assert label.subject, one.id


def test_a_label_can_be_read_in_its_utterance() -> None:
    for one in UTTERANCES:
        for label in one.labels:
            # What is taken back may have been said before.
            before = [message.text for message in one.before if label.withdraws]
            assert says(label, "\n".join([*before, one.text])), (one.id, label.value)


def test_a_trap_asks_for_nothing_and_the_rest_for_something() -> None:
    for one in UTTERANCES:
        wanted = [label for label in one.labels if not label.optional]
        assert bool(wanted) is not one.is_trap, one.id
        if one.category == "withdrawal":
            assert all(label.withdraws for label in wanted), one.id
        if one.category == "correction":
            assert one.before, one.id
            assert all(label.update for label in wanted), one.id


def test_half_is_held_out() -> None:
    held = sum(one.held_out for one in UTTERANCES)
    assert 0.4 <= held / len(UTTERANCES) <= 0.6


CITY = Label("identity", "user", "lives_in", "Porto", kinds=("fact",))


def said(
    value: str,
    kind: Kind = "identity",
    subject: str = "user",
    predicate: str = "lives_in",
    withdraws: bool = False,
) -> Candidate:
    return Candidate(
        kind=kind,
        text=f"says {value}",
        subject=subject,
        predicate=predicate,
        value=value,
        withdraws=withdraws,
    )


@pytest.mark.parametrize(
    ("candidate", "right", "exact"),
    [
        pytest.param(said("Porto"), 1, 1, id="all of it"),
        pytest.param(said("Porto", kind="fact"), 1, 1, id="another kind that is accepted"),
        pytest.param(said("Porto", kind="preference"), 0, 0, id="a kind that is not"),
        pytest.param(said("porto", subject="home"), 1, 1, id="another subject"),
        pytest.param(said("Porto", predicate="other", subject=""), 1, 1, id="the value alone"),
        pytest.param(said("Lisbon"), 1, 0, id="the place alone"),
        pytest.param(said("Lisbon", subject="home"), 0, 0, id="the predicate alone"),
        pytest.param(said("Porto", withdraws=True), 0, 0, id="the opposite"),
    ],
)
def test_what_is_right(candidate: Candidate, right: int, exact: int) -> None:
    outcome = score([CITY], [candidate])
    assert (outcome.right, outcome.exact, outcome.matched) == (right, exact, right)
    assert (outcome.candidates, outcome.labels) == (1, 1)
    assert len(outcome.wrong) == len(outcome.missed) == 1 - right


def test_a_label_is_matched_once_and_by_the_best() -> None:
    outcome = score([CITY], [said("Lisbon"), said("Porto")])
    assert (outcome.candidates, outcome.right, outcome.exact) == (2, 1, 1)
    assert [one.value for one in outcome.wrong] == ["Lisbon"]


def test_what_is_withdrawn_may_be_of_any_kind() -> None:
    gone = Label("config", "user", "uses", "tmux", withdraws=True)
    assert score([gone], [said("tmux", kind="preference", withdraws=True)]).right == 1


def test_an_optional_label_neither_helps_nor_hurts() -> None:
    extra = Label("identity", "user", "job", "baker", optional=True)
    with_it = score([CITY, extra], [said("Porto"), said("baker", predicate="job")])
    without = score([CITY, extra], [said("Porto")])
    assert with_it == without
    assert (without.candidates, without.right, without.labels) == (1, 1, 1)


@pytest.mark.parametrize(
    ("value", "text", "holds"),
    [
        ("3.1", "Python 3.12", False),
        ("3.12", "python3.12", True),
        ("emoji", "no EMOJIS please", True),
        ("arch", "a search", False),
        ("9", "March 9th", True),
        ("成都", "我住在成都了", True),
        ("17", "ｊｄｋ１７", True),
        ("raw sql", "raw  SQL", True),
    ],
)
def test_a_value_is_a_word_or_number_of_its_own(value: str, text: str, holds: bool) -> None:
    assert says(Label("fact", "user", "other", value), text) is holds


def test_figures_are_over_everything() -> None:
    outcomes = [score([CITY], [said("Porto")])] * 30 + [score([CITY], [])] * 10
    outcomes += [score([], [said("Rome")])] * 10 + [score([], [])] * 30
    told = figures(outcomes)
    assert (told.precision.value, told.precision.count) == (0.75, 40)
    assert (told.recall.value, told.recall.count) == (0.75, 40)
    assert (told.traps_sprung.value, told.traps_sprung.count) == (0.25, 40)
    for share in (told.precision, told.recall, told.exact_precision, told.traps_sprung):
        assert 0 <= share.low < share.value < share.high <= 1
    assert figures(outcomes) == told, "the same every time"


def test_who_learns_nothing_is_precise_and_recalls_nothing() -> None:
    told = figures([score(one.labels, []) for one in UTTERANCES])
    assert (told.precision.value, told.precision.count) == (1.0, 0)
    assert told.recall.value == 0.0


def test_who_learns_every_label_scores_full_marks() -> None:
    told = figures(
        [
            score(
                one.labels,
                [
                    said(label.value, label.kind, label.subject, label.predicate, label.withdraws)
                    for label in one.labels
                ],
            )
            for one in UTTERANCES
        ]
    )
    for share in (told.precision, told.recall, told.exact_precision):
        assert share.value == 1.0
    assert told.traps_sprung.value == 0.0
