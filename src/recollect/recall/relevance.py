"""How relevant each candidate is: by its conversation, or by the ranks its routes gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from recollect.index.segment import STOP_WEIGHT, query_terms
from recollect.language.dates.query_dates import date_fit
from recollect.language.names import named_speakers
from recollect.language.query_intent import QueryIntent
from recollect.language.requests import LONGEST_WISH, is_standing_wish
from recollect.language.voice import own_voice
from recollect.recall.candidates import CandidateLists
from recollect.recall.fusion import (
    ABSENT,
    WEIGHTS,
    CandidateTable,
    Flags,
    Floats,
    FusedScores,
    Places,
    fuse,
)
from recollect.recall.request import Request
from recollect.rules.ranking import rank_share
from recollect.settings.recall import RankingSettings
from recollect.store import codec
from recollect.store.contract import LedgerStore, Unit
from recollect.store.rows import Place, SessionSpan, type_of
from recollect.types import Kind

RRF_K = 60  # the usual constant of reciprocal rank fusion
_SAME = 1e-9
_STOP_WORDS_ONLY = 0.2
_PROMISING = 12  # of a route's list: the turns around these are looked at too


@dataclass(frozen=True, slots=True)
class Relevance:
    """Candidates, best first; the arrays hold one entry for each, in that order."""

    docs: list[int]
    moments: list[int | None]
    relevance: Floats
    keyword: Floats
    semantic: Floats
    parts: Mapping[str, Floats]


def by_conversation(unit: Unit, request: Request, lists: CandidateLists) -> Relevance:
    """Words, meaning, neighbours, session, speaker and date together; neighbours join in."""
    around = with_neighbours(unit.ledger, lists.docs, _promising(lists))
    docs = around.docs
    text = _text_scores(unit, lists, docs)
    vectors = lists.vector.scores(docs, lists.trust) if lists.vector else None
    fused = fuse(
        candidate_table(unit, around, text, lists.query or request.query, request.asking),
        vectors,
        request.asking,
    )
    fused = _with_exact(fused, docs, request, lists)
    return _ordered(
        around,
        relevance=_share_of_range(fused.total) * _strength(lists),
        keyword=text,
        semantic=np.zeros(len(docs)) if vectors is None else vectors.similarity,
        parts=fused.parts,
    )


def _promising(candidates: CandidateLists) -> list[int]:
    """Turns that may stand beside the answer. One that is only near in meaning seldom does, so
    its neighbours are looked at only where no other route has candidates.
    """
    lists = {route: docs for route, docs in candidates.lists.items() if route != "vector"}
    return [doc for docs in (lists or candidates.lists).values() for doc in docs[:_PROMISING]]


def _with_exact(
    fused: FusedScores,
    docs: Sequence[int],
    request: Request,
    lists: CandidateLists,
) -> FusedScores:
    """The latest or the first of a kind, when that is what was asked for."""
    ordered = lists.lists.get("exact", [])
    if not ordered or request.exact is None or request.exact.kind not in ("latest", "earliest"):
        return fused
    places = {doc: place for place, doc in enumerate(ordered)}
    share = np.array([1 / (1 + places[doc]) if doc in places else 0.0 for doc in docs])
    part = WEIGHTS.exact_order * share
    return FusedScores(fused.total + part, {**fused.parts, request.exact.kind: part})


def by_ranks(unit: Unit, candidates: CandidateLists, ranking: RankingSettings) -> Relevance:
    """Reciprocal ranks over the routes, or the best score that any of them gave."""
    around = with_neighbours(unit.ledger, candidates.docs)
    docs = around.docs
    text = _text_scores(unit, candidates, docs)
    vectors = candidates.vector.scores(docs, candidates.trust) if candidates.vector else None
    likeness = np.zeros(len(docs)) if vectors is None else np.maximum(vectors.similarity, 0.0)
    words = text / max(float(text.max(initial=0.0)), 1e-9)
    if ranking.fusion == "rrf":
        lists = len(candidates.lists)
        joined = np.array([rank_share(candidates.ranks(doc), RRF_K, lists) for doc in docs])
    else:
        joined = np.maximum(words, likeness)
    return _ordered(
        around,
        relevance=joined,
        keyword=text,
        semantic=likeness,
        parts={"text": words, "vector": likeness},
    )


def _strength(lists: CandidateLists) -> float:
    """Less than 1 where candidates share only stop words with the query."""
    if lists.text is None or set(lists.lists) - {"text"}:
        return 1.0
    terms = query_terms(" ".join(lists.text.words.values()))
    telling = any(term.weight > STOP_WEIGHT for term in terms)
    return 1.0 if telling or not lists.text.matches else _STOP_WORDS_ONLY


def _share_of_range(total: Floats) -> Floats:
    """From 0 for the lowest to 1 for the highest; all are the best when none is better."""
    lowest, spread = float(total.min()), float(np.ptp(total))
    shares: Floats = (total - lowest) / spread if spread > _SAME else np.ones(len(total))
    return shares


def _text_scores(unit: Unit, lists: CandidateLists, docs: Sequence[int]) -> Floats:
    if lists.text is None:
        return np.zeros(len(docs))
    return np.array(unit.text.score(lists.text, docs))


def _ordered(
    around: Surroundings,
    *,
    relevance: Floats,
    keyword: Floats,
    semantic: Floats,
    parts: Mapping[str, Floats],
) -> Relevance:
    """By relevance, newer first among equals; the text score as a share of the best."""
    order = np.lexsort((np.array(around.docs), relevance))[::-1]
    return Relevance(
        docs=[around.docs[n] for n in order],
        moments=[around.moment(n) for n in order],
        relevance=relevance[order],
        keyword=keyword[order] / max(float(keyword.max(initial=0.0)), 1e-9),
        semantic=semantic[order],
        parts={name: values[order] for name, values in parts.items()},
    )


_by_conversation = attrgetter("session", "idx")
REACH = 2  # turns on either side that can lend support
_DAY = 86_400_000_000
_WISHES: tuple[Kind, ...] = ("preference", "rule")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Candidates with the turns around them: turns first, in the order of their conversation."""

    docs: list[int]
    turns: list[Place]

    def moment(self, n: int) -> int | None:
        """When the n-th was said, in microseconds; None for what is no turn."""
        return self.turns[n].at if n < len(self.turns) else None


def with_neighbours(
    ledger: LedgerStore, docs: Sequence[int], promising: Sequence[int] = ()
) -> Surroundings:
    """Add the neighbours of the ``promising`` among the documents, each document once."""
    wide = {doc for doc in promising if type_of(doc) == "turn"}
    alone = [doc for doc in docs if type_of(doc) == "turn" and doc not in wide]
    places = ledger.places_around(sorted(wide), REACH) if wide else []
    if alone:
        places += ledger.places(alone)
    turns = sorted({place.doc: place for place in places}.values(), key=_by_conversation)
    others = [doc for doc in docs if type_of(doc) != "turn"]
    return Surroundings([*(place.doc for place in turns), *others], turns)


def candidate_table(
    unit: Unit, around: Surroundings, text_score: Floats, query: str, asking: QueryIntent
) -> CandidateTable:
    """One array entry per document, in the order of ``around.docs``."""
    turns, others = around.turns, len(around.docs) - len(around.turns)
    columns = np.array([(p.session, p.idx, p.assistant, p.asks) for p in turns], np.int64)
    session, idx, assistant, asks = columns.reshape(-1, 4).T
    numbers, which = np.unique(session, return_inverse=True)
    sizes, days = _spans(unit.ledger, numbers.tolist())
    follows = np.zeros(len(turns), bool)
    follows[1:] = (session[1:] == session[:-1]) & (idx[1:] == idx[:-1] + 1)
    at = np.arange(len(turns))
    senders = [place.sender for place in turns]
    speakers = named_speakers(query, set(senders))
    named = [sender in speakers for sender in senders]
    return CandidateTable(
        text_score=text_score,
        # A record that is no turn is a session of its own.
        session=np.concatenate([session, -1 - np.arange(others)]),
        session_size=_padded(sizes[which], others, 1),
        session_days=_padded(days[which], others, 0.0),
        previous=_padded(np.where(follows, at - 1, ABSENT), others, ABSENT),
        following=_padded(np.where(np.append(follows[1:], False), at + 1, ABSENT), others, ABSENT),
        in_conversation=_padded(_in_conversation(which, _codes(assistant, senders)), others, False),
        ends_with_question=_padded(asks.astype(bool), others, False),
        by_assistant=_padded(assistant.astype(bool), others, False),
        by_named_speaker=_padded(np.array(named, bool), others, False),
        date_fit=_padded(_fits(turns, asking), others, 0.0),
        standing_wish=_wishes(unit, around.docs, asking),
    )


def _wishes(unit: Unit, docs: Sequence[int], asking: QueryIntent) -> Flags:
    """Which documents state a lasting wish of the user, for a query that asks for help."""
    if not asking.for_help:
        return np.zeros(len(docs), bool)
    texts = unit.ledger.said_by_owner([doc for doc in docs if type_of(doc) == "turn"], LONGEST_WISH)
    wishes = {
        doc
        for doc, text in texts.items()
        if is_standing_wish(text) and is_standing_wish(own_voice(text))
    }
    memories = [doc for doc in docs if type_of(doc) == "memory"]
    wishes |= set(unit.memories.of_kinds(memories, _WISHES) if memories else ())
    return np.array([doc in wishes for doc in docs], bool)


def _spans(ledger: LedgerStore, sessions: Sequence[int]) -> tuple[Places, Floats]:
    """The turns and the days of each session."""
    spans = {span.session: span for span in ledger.spans(sessions)}
    sizes = [spans[number].turns for number in sessions]
    days = [_days(spans[number]) for number in sessions]
    return np.array(sizes, np.int64), np.array(days, np.float64)


def _codes(assistant: Places, senders: Sequence[str]) -> Places:
    """A number for each speaker."""
    codes = {sender: 2 * n for n, sender in enumerate(dict.fromkeys(senders))}
    return assistant + np.array([codes[sender] for sender in senders], np.int64)


def _in_conversation(which: Places, speaking: Places) -> Flags:
    """Whether a turn's session has at least two speakers."""
    if not len(which):
        return np.zeros(0, bool)
    lowest = np.full(which.max() + 1, speaking.max() + 1)
    highest = np.full(which.max() + 1, -1)
    np.minimum.at(lowest, which, speaking)
    np.maximum.at(highest, which, speaking)
    result: Flags = (lowest < highest)[which]
    return result


def _padded(values: np.ndarray, others: int, filler: float) -> np.ndarray:
    return np.append(values, np.full(others, filler, values.dtype)) if others else values


def _days(span: SessionSpan) -> float:
    return max(0, span.last_at - span.started_at) / _DAY


def _fits(turns: Sequence[Place], asking: QueryIntent) -> Floats:
    date = asking.date
    if date is None:
        return np.zeros(len(turns))
    return np.array([date_fit(date, codec.from_micros(place.at)) for place in turns])
