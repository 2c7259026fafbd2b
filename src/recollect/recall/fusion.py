"""Rank a bounded set of records by words, meaning, conversation, speaker and date.

The caller gathers candidates (the best by words, the best by vectors, and the turns around them)
and gives one array entry for each. Scores are in units of the best text score of the query.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.language.query_intent import QueryIntent


@dataclass(frozen=True, slots=True)
class ConversationWeights:
    """What the conversation around a turn adds to its score, in units of the best text score.

    Tuned together on the recall figures of `bench recall`: none of them means anything alone.
    """

    adjacent_turn: float = 0.25  # share of the score of the turn before and after
    second_turn: float = 0.10  # share of the score of the turns two away
    answered_question: float = 0.20  # further share of the turn before when it asks
    session: float = 0.60  # share of the best score of the session
    session_size_free: int = 20  # turns above which a session's score counts less
    session_days_free: float = 1.0  # days above which a session's score counts less
    session_days_scale: float = 7.0  # further days that halve it
    # Taken from what the agent said, unless the query asks for that or matches it best.
    assistant_turn: float = 1.25
    named_speaker: float = 0.20  # added to the turns of a speaker whom the query names
    # A standard deviation of likeness by vectors of words, for queries in Latin script; of the
    # meanings of words, for queries in Chinese; and of sentences.
    word_vectors: float = 0.15
    gloss_vectors: float = 0.20
    sentence_vectors: float = 0.25
    exact_order: float = 0.40  # added to the latest or first mention, for a query that asks for it
    matching_date: float = 0.80  # added to turns of a date that the query names
    # Added to what the user wants done always, or prefers, for a query that asks for help.
    standing_wish: float = 0.60
    # Taken from each further turn of a session, for a query that asks for a whole course of things.
    spread: float = 0.60


WEIGHTS = ConversationWeights()

Floats = NDArray[np.floating]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]
ABSENT = -1
_TINY = 1e-6
_CROWD = 4  # turns of a session that make room for other sessions; more need not be told apart


@dataclass(frozen=True, slots=True)
class VectorScores:
    """Best-passage cosines of the candidates, and how those of any record spread for this query."""

    similarity: Floats
    mean: float
    deviation: float
    trust: float


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """One entry per candidate; ``previous`` and ``following`` are places here, or ``ABSENT``."""

    text_score: Floats
    session: Places
    session_size: Places
    session_days: Floats
    previous: Places
    following: Places
    in_conversation: Flags
    ends_with_question: Flags
    by_assistant: Flags
    by_named_speaker: Flags
    date_fit: Floats
    standing_wish: Flags


@dataclass(frozen=True, slots=True)
class FusedScores:
    """The score of each candidate and what it is made of."""

    total: Floats
    parts: dict[str, Floats]


def fuse(
    candidates: CandidateTable,
    vectors: VectorScores | None,
    asking: QueryIntent,
) -> FusedScores:
    """Score candidates; higher is better, comparable only within one query."""
    parts = {"text": share_of_best(candidates.text_score)}
    if vectors is not None:
        spread = max(vectors.deviation, _TINY)
        parts["vector"] = vectors.trust * (vectors.similarity - vectors.mean) / spread
    own = _sum(parts)
    parts["neighbours"] = conversation_support(own, candidates)
    parts["session"] = session_support(own, candidates)
    if not asking.of_assistant:
        # What the agent said counts less, unless nothing has the query's words better.
        lesser = candidates.by_assistant & (parts["text"] < 1)
        parts["assistant"] = -WEIGHTS.assistant_turn * lesser
    parts["speaker"] = WEIGHTS.named_speaker * candidates.by_named_speaker
    parts["date"] = WEIGHTS.matching_date * candidates.date_fit
    if asking.for_help:
        parts["wish"] = WEIGHTS.standing_wish * candidates.standing_wish
    if asking.of_whole:
        parts["spread"] = -WEIGHTS.spread * crowding(_sum(parts), candidates.session)
    return FusedScores(_sum(parts), parts)


def share_of_best(scores: Floats) -> Floats:
    """Scores as shares of the highest."""
    best: Floats = scores / max(float(scores.max(initial=0.0)), _TINY)
    return best


def conversation_support(own: Floats, candidates: CandidateTable) -> Floats:
    """What the turns around a turn lend it; a reply takes more from the question it answers.

    Only between speakers: notes written one after another do not answer each other.
    """
    lent = np.maximum(own, 0.0)
    before, after = candidates.previous, candidates.following
    answers = _at(candidates.ends_with_question.astype(np.float64), before)
    support = (WEIGHTS.adjacent_turn + WEIGHTS.answered_question * answers) * _at(lent, before)
    support += WEIGHTS.adjacent_turn * _at(lent, after)
    second = _at(lent, _step(before, before)) + _at(lent, _step(after, after))
    result: Floats = (support + WEIGHTS.second_turn * second) * candidates.in_conversation
    return result


def session_support(own: Floats, candidates: CandidateTable) -> Floats:
    """The session's best score, worth less where a session is so large or so long that a good score
    comes by chance.
    """
    _, place = np.unique(candidates.session, return_inverse=True)
    best = np.full(place.max(initial=-1) + 1, -np.inf)
    np.maximum.at(best, place, own)
    size = 1 + np.log(np.maximum(candidates.session_size / WEIGHTS.session_size_free, 1.0))
    excess = np.maximum(candidates.session_days - WEIGHTS.session_days_free, 0.0)
    length = 1 + excess / WEIGHTS.session_days_scale
    result: Floats = WEIGHTS.session * best[place] / (size * length)
    return result


def crowding(scores: Floats, session: Places) -> Places:
    """How many better ones of its own session each candidate has, up to a few."""
    order = np.lexsort((-scores, session))
    of = session[order]
    first = np.searchsorted(of, of)
    places = np.empty(len(scores), np.int64)
    places[order] = np.arange(len(scores)) - first
    return np.minimum(places, _CROWD)


def _sum(parts: dict[str, Floats]) -> Floats:
    total: Floats = np.sum(np.stack(list(parts.values())), axis=0)
    return total


def _at(values: Floats, places: Places) -> Floats:
    return np.where(places == ABSENT, 0.0, values[np.maximum(places, 0)])


def _step(places: Places, onward: Places) -> Places:
    return np.where(places == ABSENT, ABSENT, onward[np.maximum(places, 0)])
