"""The score of a turn among its neighbours, with figures worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language.query_intent import QueryIntent
from recollect.recall.fusion import (
    ABSENT,
    WEIGHTS,
    CandidateTable,
    VectorScores,
    conversation_support,
    crowding,
    fuse,
    session_support,
    share_of_best,
)

NOTHING_ELSE = QueryIntent(of_assistant=False, for_help=False, of_whole=False, date=None)
OF_ASSISTANT = replace(NOTHING_ELSE, of_assistant=True)
FOR_HELP = replace(NOTHING_ELSE, for_help=True)
OF_WHOLE = replace(NOTHING_ELSE, of_whole=True)


def talk(scores: list[float], **changed: Any) -> CandidateTable:
    """One conversation of these text scores, each turn following the one before."""
    size = len(scores)
    places = np.arange(size)
    given: dict[str, Any] = {
        "text_score": np.array(scores),
        "session": np.zeros(size, np.int64),
        "session_size": np.full(size, size),
        "session_days": np.zeros(size),
        "previous": np.where(places == 0, ABSENT, places - 1),
        "following": np.where(places == size - 1, ABSENT, places + 1),
        "in_conversation": np.ones(size, bool),
        "ends_with_question": np.zeros(size, bool),
        "by_assistant": np.zeros(size, bool),
        "by_named_speaker": np.zeros(size, bool),
        "date_fit": np.zeros(size),
        "standing_wish": np.zeros(size, bool),
    }
    return CandidateTable(**{**given, **{name: np.array(value) for name, value in changed.items()}})


def test_the_weights_these_figures_are_for() -> None:
    w = WEIGHTS
    assert (w.adjacent_turn, w.second_turn, w.answered_question) == (0.25, 0.10, 0.20)
    assert (w.session, w.session_size_free, w.session_days_free) == (0.60, 20, 1.0)
    assert (w.session_days_scale, w.assistant_turn) == (7.0, 1.25)
    assert (w.named_speaker, w.matching_date) == (0.20, 0.80)
    assert (w.standing_wish, w.spread) == (0.60, 0.60)


def test_scores_are_shares_of_the_best() -> None:
    assert share_of_best(np.array([2.0, 4.0, 0.0])).tolist() == [0.5, 1.0, 0.0]
    assert share_of_best(np.zeros(3)).tolist() == [0, 0, 0]
    assert share_of_best(np.zeros(0)).tolist() == []


@pytest.mark.parametrize(
    ("scores", "questions", "wanted"),
    [
        ([1, 0, 0, 0], [], [0, 0.25, 0.10, 0]),
        ([0, 0, 0, 1], [], [0, 0.10, 0.25, 0]),
        ([1, 0, 0, 0], [0], [0, 0.45, 0.10, 0]),
        ([1, 0, 1, 0], [], [0.10, 0.50, 0.10, 0.25]),
        ([1, 0.5, 0, 0], [1], [0.125, 0.25, 0.225 + 0.10, 0.05]),
        ([0, 0, 1], [2], [0.10, 0.25, 0]),  # a question lends backwards like any turn
        ([-1, 0, 0], [], [0, 0, 0]),  # what is unlike lends nothing
        ([1], [], [0]),
    ],
)
def test_neighbours_lend_support(
    scores: list[float], questions: list[int], wanted: list[float]
) -> None:
    asked = np.isin(np.arange(len(scores)), questions)
    given_ = talk(scores, ends_with_question=asked)
    found = conversation_support(np.array(scores, float), given_)
    assert found.tolist() == pytest.approx(wanted)


def test_notes_of_one_speaker_lend_each_other_nothing() -> None:
    alone = talk([1, 0, 0], in_conversation=[False] * 3)
    assert conversation_support(np.array([1.0, 0, 0]), alone).tolist() == [0, 0, 0]


def test_a_gap_in_the_candidates_lends_nothing_across() -> None:
    broken = talk([1, 0], previous=[ABSENT, ABSENT], following=[ABSENT, ABSENT])
    assert conversation_support(np.array([1.0, 0]), broken).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("size", "days", "wanted"),
    [
        (1, 0.0, 0.6),
        (20, 1.0, 0.6),
        (40, 0.0, 0.6 / (1 + np.log(2))),
        (20, 8.0, 0.3),  # seven days beyond the free one halve it
        (40, 15.0, 0.6 / ((1 + np.log(2)) * 3)),
    ],
)
def test_a_session_lends_its_best(size: int, days: float, wanted: float) -> None:
    given_ = talk([1, 0.5], session_size=[size] * 2, session_days=[days] * 2)
    found = session_support(np.array([1.0, 0.5]), given_)
    assert found.tolist() == pytest.approx([wanted, wanted])


def test_sessions_do_not_lend_each_other() -> None:
    given_ = talk([1, 0.5, 0.25], session=[7, -1, 7])
    found = session_support(np.array([1.0, 0.5, 0.25]), given_)
    assert found.tolist() == pytest.approx([0.6, 0.3, 0.6])


def test_the_whole_of_a_small_talk() -> None:
    """A question (score 4), its answer (0), another turn (2): text 1, 0, 0.5."""
    given_ = talk(
        [4, 0, 2],
        ends_with_question=[True, False, False],
        by_assistant=[False, True, False],
        by_named_speaker=[False, False, True],
        date_fit=[1.0, 0.3, 0.0],
    )
    found = fuse(given_, None, NOTHING_ELSE)
    assert {name: part.tolist() for name, part in found.parts.items()} == {
        "text": [1, 0, 0.5],
        "neighbours": pytest.approx([0.05, 0.575, 0.10]),
        "session": pytest.approx([0.6, 0.6, 0.6]),
        "assistant": pytest.approx([0, -1.25, 0]),
        "speaker": pytest.approx([0, 0, 0.2]),
        "date": pytest.approx([0.8, 0.24, 0]),
    }
    assert found.total.tolist() == pytest.approx([2.45, 0.165, 1.4])
    asked = fuse(given_, None, OF_ASSISTANT)
    assert "assistant" not in asked.parts
    assert asked.total.tolist() == pytest.approx([2.45, 1.415, 1.4])


def test_the_agent_that_has_the_words_best_is_not_held_back() -> None:
    given_ = talk([4, 2], by_assistant=[True, True])
    found = fuse(given_, None, NOTHING_ELSE)
    assert found.parts["assistant"].tolist() == [0, -1.25]


def test_vectors_count_in_deviations_from_chance() -> None:
    vectors = VectorScores(np.array([0.5, 0.3, 0.1]), mean=0.3, deviation=0.1, trust=0.25)
    found = fuse(talk([0, 0, 0]), vectors, NOTHING_ELSE)
    assert found.parts["vector"].tolist() == pytest.approx([0.5, 0, -0.5])
    # 0.5 of its own, 0.6 x 0.5 of the session; beside it 0.25 x 0.5.
    assert found.total.tolist() == pytest.approx([0.8, 0.425, -0.5 + 0.05 + 0.3])


def test_vectors_that_are_all_alike_decide_nothing() -> None:
    vectors = VectorScores(np.array([0.3, 0.3]), mean=0.3, deviation=0.0, trust=0.25)
    found = fuse(talk([1, 0]), vectors, NOTHING_ELSE)
    assert found.parts["vector"].tolist() == [0, 0]
    assert np.isfinite(found.total).all()


def test_nothing_to_fuse() -> None:
    found = fuse(talk([]), None, NOTHING_ELSE)
    assert found.total.tolist() == []


@given(
    st.lists(st.tuples(st.floats(0, 50), st.booleans(), st.booleans()), min_size=1, max_size=12),
    st.booleans(),
)
def test_the_parts_add_up_and_more_words_never_hurt(
    turns: list[tuple[float, bool, bool]], asks: bool
) -> None:
    scores = [score for score, _, _ in turns]
    flags = {
        "ends_with_question": [question for _, question, _ in turns],
        "by_assistant": [assistant for _, _, assistant in turns],
    }
    found = fuse(talk(scores, **flags), None, OF_ASSISTANT if asks else NOTHING_ELSE)
    assert np.allclose(found.total, np.sum(list(found.parts.values()), axis=0))
    assert np.isfinite(found.total).all()
    best = max(scores)
    raised = [best if n == 0 else score for n, score in enumerate(scores)]
    better = fuse(talk(raised, **flags), None, OF_ASSISTANT if asks else NOTHING_ELSE)
    assert better.total[0] >= found.total[0] - 1e-9


def test_a_standing_wish_counts_where_help_is_asked_for() -> None:
    given_ = talk([1, 1], standing_wish=[False, True])
    plain, helped = fuse(given_, None, NOTHING_ELSE), fuse(given_, None, FOR_HELP)
    assert (helped.total - plain.total).tolist() == pytest.approx([0, 0.60])
    assert "wish" not in plain.parts


def test_how_many_better_ones_a_session_has() -> None:
    scores = np.array([3.0, 1.0, 2.0, 5.0, 2.0])
    session = np.array([7, 7, 7, -1, 7])
    assert crowding(scores, session).tolist() == [0, 3, 1, 0, 2]
    assert crowding(np.arange(9.0), np.zeros(9, np.int64)).tolist() == [4, 4, 4, 4, 4, 3, 2, 1, 0]
    assert crowding(np.zeros(0), np.zeros(0, np.int64)).tolist() == []


def test_a_whole_course_is_told_by_many_sessions() -> None:
    given_ = talk([1, 0.9, 0.8], session=[1, 1, 2], in_conversation=[False] * 3)
    plain, spread = fuse(given_, None, NOTHING_ELSE), fuse(given_, None, OF_WHOLE)
    assert plain.total[1] > plain.total[2]
    assert spread.total[1] < spread.total[2]
    assert spread.parts["spread"].tolist() == pytest.approx([0, -0.60, 0])
