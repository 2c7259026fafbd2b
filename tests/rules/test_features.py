"""The features of candidates, with figures worked out by hand, and the model that reads them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.query_intent import QueryIntent
from mnemic.recall.evidence_model import evidence_model, probability
from mnemic.recall.features import (
    ABSENT,
    GROUPS,
    CandidateTable,
    VectorScores,
    crowding,
    features,
)

PLAIN = QueryIntent(of_assistant=False, for_help=False, of_whole=False, date=None)
OF_ASSISTANT = replace(PLAIN, of_assistant=True)


def talk(scores: list[float], present: list[list[int]] | None = None, **changed: Any) -> Any:
    """One conversation of these text scores, each turn following the one before."""
    size = len(scores)
    places = np.arange(size)
    rows = present or [[int(score > 0)] for score in scores]
    has = np.array(rows, bool).reshape(size, -1)
    arrays: dict[str, Any] = {
        "text_score": np.array(scores, float),
        "shared": np.zeros(size),
        "rarest_shared": np.zeros(size),
        "present": has,
        "heft": np.ones(has.shape[1]),
        "tells_time": np.zeros(size, bool),
        "tells_number": np.zeros(size, bool),
        "session": np.zeros(size, np.int64),
        "previous": np.where(places == 0, ABSENT, places - 1),
        "following": np.where(places == size - 1, ABSENT, places + 1),
        "in_conversation": np.ones(size, bool),
        "asks": np.zeros(size, bool),
        "by_assistant": np.zeros(size, bool),
        "by_named_speaker": np.zeros(size, bool),
        "date_fit": np.zeros(size),
        "standing_wish": np.zeros(size, bool),
        "recency": np.zeros(size),
    }
    arrays |= {name: np.array(value) for name, value in changed.items() if name in arrays}
    routes = {name: np.zeros(size, bool) for name in ("time", "exact", "entity")}
    types = {name: np.zeros(size, bool) for name in ("memory", "episode")}
    absent = changed.get("absent", 0.0)
    return CandidateTable(**arrays, absent=absent, in_routes=routes, of_type=types)


def of(name: str, table: CandidateTable, asking: QueryIntent = PLAIN, **more: Any) -> list[float]:
    return [round(float(v), 4) for v in features(table, more.get("vectors"), asking)[name]]


class TestWords:
    def test_scores_are_shares_of_the_best(self) -> None:
        assert of("text", talk([2, 4, 0])) == [0.5, 1, 0]
        assert of("text", talk([0, 0])) == [0, 0]

    def test_cover_counts_the_weight_of_the_terms_a_text_has_and_what_no_text_has(self) -> None:
        table = talk([2, 1], [[1, 1, 0], [0, 1, 0]], heft=[1.0, 2.0, 3.0], absent=4.0)
        assert of("cover", table) == [0.3, 0.2]
        assert of("query absent", table) == [0.4, 0.4]
        assert of("best term", table) == [round(2 / 3, 4)] * 2

    def test_a_reply_is_covered_with_the_question_it_answers(self) -> None:
        table = talk([2, 1, 0], [[1, 1], [0, 1], [0, 0]], asks=[True, False, False])
        assert of("cover with previous", table) == [0, 0.5, 0.5]
        assert of("cover of window", table) == [0, 0.5, 0.5]
        assert of("answered text", table) == [0, 1, 0]

    def test_notes_of_one_person_lend_each_other_nothing(self) -> None:
        alone = talk([1, 0, 0], in_conversation=[False] * 3)
        assert of("previous text", alone) == [0, 0, 0]
        assert of("previous own", alone) == [0, 0, 0]
        assert of("cover with previous", alone) == [0, 0, 0]

    def test_a_session_lends_its_best_other_turn(self) -> None:
        table = talk([4, 2, 1], session=[7, 7, -1])
        assert of("session text", table) == [0.5, 1, 0]
        assert of("session sum", table) == [0.5, 0.5, round(0.25 / 3, 4)]


class TestMeaning:
    def test_vectors_count_in_deviations_from_chance(self) -> None:
        vectors = VectorScores(np.array([0.5, 0.3, 0.1]), mean=0.3, deviation=0.1)
        assert of("vector", talk([0, 0, 0]), vectors=vectors) == [2, 0, -2]
        assert of("vector behind best", talk([0, 0, 0]), vectors=vectors) == [0, 2, 4]

    def test_vectors_that_are_all_alike_decide_nothing(self) -> None:
        vectors = VectorScores(np.array([0.3, 0.3]), mean=0.3, deviation=0.0)
        assert of("vector", talk([1, 0]), vectors=vectors) == [0, 0]


class TestStanding:
    def test_the_agent_is_one_thing_where_it_is_asked_for_and_another_where_not(self) -> None:
        table = talk([1, 1], by_assistant=[False, True])
        assert of("agent", table) == [0, 1]
        assert of("agent", table, OF_ASSISTANT) == [0, 0]
        assert of("agent asked for", table, OF_ASSISTANT) == [0, 1]

    def test_who_is_not_named_where_somebody_is(self) -> None:
        table = talk([1, 1], by_named_speaker=[True, False])
        assert of("other speaker", table) == [0, 1]
        assert of("other speaker", talk([1, 1])) == [0, 0]


def test_how_many_better_ones_a_session_has() -> None:
    scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    assert crowding(scores, np.array([1, 1, 2, 1, 2])).tolist() == [0, 1, 0, 2, 1]
    assert crowding(np.arange(9.0), np.zeros(9, np.int64)).max() == 4


class TestModel:
    def test_it_reads_every_feature_and_each_belongs_to_one_part_of_an_explanation(self) -> None:
        named = [name for names in GROUPS.values() for name in names]
        made = list(features(talk([1, 0]), None, PLAIN))
        assert sorted(evidence_model(reads=True).names) == sorted(made) == sorted(named)

    @given(
        st.lists(
            st.tuples(st.floats(0, 50), st.booleans(), st.booleans()), min_size=1, max_size=12
        ),
        st.floats(0, 100),
    )
    def test_it_gives_a_probability_whatever_it_is_given(
        self, turns: list[tuple[float, bool, bool]], absent: float
    ) -> None:
        table = talk(
            [score for score, _, _ in turns],
            absent=absent,
            asks=[asks for _, asks, _ in turns],
            by_assistant=[agent for _, _, agent in turns],
        )
        found = features(table, None, PLAIN)
        model = evidence_model(reads=True)
        rows = model.rows(found)
        chance = probability(model.log_odds(found, model.scores(rows)))
        assert len(chance) == len(turns)
        assert ((chance >= 0) & (chance <= 1)).all()
        assert all(set(share) <= set(GROUPS) for share in model.shares(rows))

    def test_the_text_with_the_words_comes_before_one_without(self) -> None:
        found = features(talk([3, 0], [[1, 1], [0, 0]], session=[1, 2]), None, PLAIN)
        model = evidence_model(reads=True)
        score = model.scores(model.rows(found))
        assert score[0] > score[1]

    @pytest.mark.parametrize("absent", [0.0, 20.0])
    def test_the_less_of_a_query_is_known_the_less_is_believed(self, absent: float) -> None:
        found = features(talk([3, 1, 0], [[1, 1], [0, 1], [0, 0]], absent=absent), None, PLAIN)
        model = evidence_model(reads=True)
        best = model.log_odds(found, model.scores(model.rows(found))).max()
        known = features(talk([3, 1, 0], [[1, 1], [0, 1], [0, 0]]), None, PLAIN)
        sure = model.log_odds(known, model.scores(model.rows(known))).max()
        assert best < sure or not absent
