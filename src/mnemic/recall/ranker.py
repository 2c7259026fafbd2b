"""The order of evidence: by the learned probability, or by the formula of a preset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import accumulate
from typing import NamedTuple, Protocol

from mnemic.index.segment import ASKING_WEIGHT, WORD_WEIGHT, query_terms, term_weight
from mnemic.language.exact import asks
from mnemic.language.no_evidence import is_for_questions, statement_share
from mnemic.language.query_intent import asks_recent
from mnemic.late import dataclass, np
from mnemic.recall.candidates import CandidateLists, find_project
from mnemic.recall.evidence_model import evidence_model, probability
from mnemic.recall.features import Floats, Places, crowding
from mnemic.recall.relevance import (
    NO_WORD,
    CandidatePool,
    Relevance,
    by_ranks,
    candidate_pool,
    states_nothing,
)
from mnemic.recall.request import Request
from mnemic.rules import ranking as rules
from mnemic.rules.decay import class_of, fade, fading
from mnemic.settings import Settings
from mnemic.settings.recall import RankingSettings
from mnemic.store import codec
from mnemic.store.contract import Unit
from mnemic.store.rows import type_of
from mnemic.types import EXACT_TOTAL, Attachment, Episode, Memory, RecordType, Why

StoredRecord = Memory | Episode | Attachment

_READERS: dict[RecordType, Callable[[Unit, Sequence[str]], Sequence[StoredRecord]]] = {
    "memory": lambda unit, ids: unit.memories.by_id(ids),
    "episode": lambda unit, ids: unit.episodes.by_id(ids),
    "attachment": lambda unit, ids: unit.attachments.by_id(ids),
}


def load_records(unit: Unit, docs: Sequence[int]) -> dict[int, StoredRecord]:
    """The records among the documents that are no turns."""
    others = [doc for doc in docs if type_of(doc) != "turn"]
    ids: dict[RecordType, dict[str, int]] = {}
    for doc, (type_, id_) in unit.text.records(others).items() if others else ():
        ids.setdefault(type_, {})[id_] = doc
    return {
        mine[record.id]: record
        for type_, mine in ids.items()
        for record in _READERS[type_](unit, list(mine))
    }


_ACCESS_SATURATION = 10  # uses at which the access part is full

_MOSTLY = 0.5  # of the weight of the words of a query
_TOGETHER = 3  # pieces that may fit together what none fits alone
_POOL = 2  # candidates for each usual result that a preset's formula weighs to the end
_LEAST_POOL = 20
_PLAIN_IMPORTANCE = 0.5
# Taken from the log odds of each further turn of a session, for a question about a whole course.
SPREAD = 0.6
# Added to those of the latest or the first of its kind, for a question that asks for it.
_EXACT = 4.0
_HELD = -3.0  # log odds of a text that has what is searched for and little else: about .05
_SLOPE_BELOW = 0.05
_STATES_NOTHING = 3.0  # taken from those of a turn that only asks, greets or thanks
_UNKNOWN = 3.0  # taken from those of all, where neither words nor the reader know what is meant
_SURE = 0.98  # the probability of a memory that answers by its slot
_BEFORE_ALL = 100.0  # of the log odds, for the records of the time that was asked about
_OF_TIME = 0.9  # their least probability
_AHEAD = 2  # times as many as are wanted are looked at closely


@dataclass(frozen=True, slots=True)
class RankedRecord:
    """One piece of evidence with its score; ``record`` is None for a turn."""

    doc: int
    score: float
    why: Why
    record: StoredRecord | None = None


class Ranker(Protocol):
    """Puts candidates in order."""

    def rank(self, unit: Unit, request: Request, lists: CandidateLists) -> list[RankedRecord]:
        """The best ``limit``, best first."""


def ranker_for(settings: Settings) -> Ranker:
    """The learned ranker, or the formula of a preset."""
    learned = settings.ranking.fusion == "learned"
    return LearnedRanker(settings.ranking) if learned else FormulaRanker(settings)


class LearnedRanker:
    """Ranks by the probability that a candidate is evidence for the query."""

    def __init__(self, ranking: RankingSettings, *, alike_once: bool = False) -> None:
        self._personas = ranking.personas
        self._alike_once = alike_once

    def rank(self, unit: Unit, request: Request, lists: CandidateLists) -> list[RankedRecord]:
        pool = candidate_pool(unit, request, lists)
        model = evidence_model(reads=pool.read)
        docs = pool.around.docs
        rows = model.rows(pool.features)
        odds = model.log_odds(pool.features, model.scores(rows), alike_once=self._alike_once)
        odds += _EXACT * pool.exact_order
        if pool.unknown:
            odds -= _UNKNOWN
        # Whoever searches for a word wants the texts that have it, however little it says.
        odds[pool.held] = _raise(odds[pool.held])
        if request.asking.of_whole:
            odds -= SPREAD * crowding(odds, pool.session)
        dated = np.isin(docs, list(lists.first))
        odds += _BEFORE_ALL * dated
        # Newer first among equals.
        order = _best(unit, request, pool, odds, np.lexsort((np.array(docs), odds))[::-1])
        odds -= _BEFORE_ALL * dated
        score = probability(odds)
        if request.persona:
            score = self._by_persona(unit, request.persona, docs, order, score)
        # An answer may be a version that no longer holds, which the scope has not.
        answers = {doc: place for place, doc in enumerate(lists.lists.get("slot", ()))}
        first = sorted((n for n in range(len(docs)) if docs[n] in answers),
                       key=lambda n: answers[docs[n]]) if answers else []  # fmt: skip
        score[first] = _SURE
        score[dated] = _OF_TIME + (_SURE - _OF_TIME) * score[dated]
        rest = sorted((n for n in order if n not in first), key=lambda n: (not dated[n], -score[n]))
        best = [*first, *rest][: request.limit]
        shares = model.shares(rows[best]) if request.explained else [{} for _ in best]
        chosen = [docs[n] for n in best]
        records = load_records(unit, chosen)
        words = unit.text.match(lists.text, chosen) if request.explained and lists.text else {}
        return [
            RankedRecord(
                doc,
                float(score[n]),
                Why(
                    lists.routes(doc) or ("neighbor",),
                    share | ({"slot": 1.0} if doc in answers else {}) | exact_total(lists, doc),
                    words.get(doc, ()),
                ),
                records.get(doc),
            )
            for n, doc, share in zip(best, chosen, shares, strict=True)
        ]

    def _by_persona(
        self, unit: Unit, persona: str, docs: Sequence[int], order: Sequence[int], score: Floats
    ) -> Floats:
        """Probabilities, times what the persona cares about."""
        records = load_records(unit, [docs[n] for n in order])
        kinds = [getattr(records.get(doc), "kind", None) for doc in docs]
        boosts = [rules.persona_boost(kind, self._personas, persona) for kind in kinds]
        boosted: Floats = np.minimum(1.0, score * np.array(boosts))
        return boosted


def _best(
    unit: Unit, request: Request, pool: CandidatePool, odds: Floats, order: Places
) -> list[int]:
    """At least the best ``limit`` of the scope, best first; all for a persona, which may put
    a later one first.

    Only as many are looked at as it takes until no other can be among them: looking closely
    lowers some and raises none.
    """
    docs = pool.around.docs
    wanted = len(docs) if request.persona else request.limit
    best: list[int] = []
    rest = order.tolist()
    while rest and (len(best) < wanted or odds[best[wanted - 1]] <= odds[rest[0]]):
        batch, rest = _in_scope(unit, request, docs, rest, _AHEAD * wanted)
        _lower_what_states_nothing(request, pool, odds, batch)
        best = sorted([*best, *batch], key=lambda n: -odds[n])
    return best


def _in_scope(
    unit: Unit, request: Request, docs: Sequence[int], order: Sequence[int], size: int
) -> tuple[list[int], list[int]]:
    """The first places whose documents the scope allows, up to ``size``, and those after them:
    neighbors and near vectors may lie outside of it.
    """
    places: list[int] = []
    looked = 0
    while looked < len(order) and len(places) < size:
        batch = order[looked : looked + size - len(places)]
        looked += len(batch)
        allowed = frozenset(unit.text.in_scope([docs[n] for n in batch], request.scope))
        places += [n for n in batch if docs[n] in allowed]
    return places, list(order[looked:])


def _lower_what_states_nothing(
    request: Request, pool: CandidatePool, odds: Floats, order: Sequence[int]
) -> None:
    """Earlier questions, greetings and thanks are no evidence, unless the query is after them."""
    if is_for_questions(request.query):
        return
    turns = pool.around.turns
    keywords = statement_share(request.query) > 0  # no question, whose words an earlier one has
    for n in order:
        if n < len(turns) and states_nothing(turns[n]):
            lower = odds[n] - _STATES_NOTHING
            odds[n] = _raise(lower) if keywords and pool.held[n] else lower


def _raise(odds: Floats) -> Floats:
    """Log odds of what has what is searched for: hardly below the least, in the same order."""
    raised: Floats = np.maximum(odds, _HELD + _SLOPE_BELOW * (odds - _HELD))
    return raised


class _Weighed(NamedTuple):
    """A candidate by its place among the relevant ones, with what its score is made of."""

    score: float
    place: int
    parts: rules.ScoreParts
    boost: float
    record: StoredRecord | None


class FormulaRanker:
    """Ranks by the weighted sum of a preset."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._learned = LearnedRanker(settings.ranking, alike_once=True)

    def rank(self, unit: Unit, request: Request, lists: CandidateLists) -> list[RankedRecord]:
        relevant = by_ranks(unit, lists, self._settings.ranking)
        asked_for = precise(lists)
        worded = lists.text is None or relevant.cover.max(initial=0.0) > NO_WORD
        if not (worded or asked_for or may_fit(unit, request, lists)):
            request = replace(request, sure=request.sure or self._settings.recall.evidence_score)
        order = sorted(range(len(relevant.docs)), key=lambda n: relevant.docs[n] not in asked_for)
        if request.sure:
            fitting = {*asked_for, *lists.lists.get("latest", ())}  # the last where nothing is read
            fitting |= self._find_fitting(unit, request, lists, relevant)
            order = [n for n in order if relevant.docs[n] in fitting]
        best: list[_Weighed] = []
        # What is beyond the usual pool is only weighed where more is wanted, and comes after it:
        # so the first hits are the same however many are wanted.
        size = max(_LEAST_POOL, _POOL * self._settings.recall.limit) + len(request.without)
        while order and len(best) < request.limit:
            pool, order = _in_scope(unit, request, relevant.docs, order, size)
            weighed = self._weigh(unit, request, relevant, pool, asked_for)
            best += sorted(weighed, key=lambda candidate: -candidate.score)
            size = len(order)
        best = best[: request.limit]
        docs = [relevant.docs[candidate.place] for candidate in best]
        words = unit.text.match(lists.text, docs) if lists.text else {}
        falling = accumulate((candidate.score for candidate in best), min)
        return [
            RankedRecord(
                doc,
                score,
                Why(
                    lists.routes(doc) or ("neighbor",),
                    _score_parts(relevant, candidate.place, candidate.parts, lists)
                    | ({"persona": candidate.boost} if candidate.boost != 1 else {}),
                    words.get(doc, ()),
                ),
                candidate.record,
            )
            for doc, score, candidate in zip(docs, falling, best, strict=True)
        ]

    def _find_fitting(
        self, unit: Unit, request: Request, lists: CandidateLists, relevant: Relevance
    ) -> set[int]:
        """Where the best together are evidence, those that are so alone or half as likely as the
        first. What only words judge needs as much as a word of the query, or most of it: a single
        character (用) that many texts have is not enough.
        """
        wide = replace(request, limit=len(lists.docs), persona=None, explained=False)
        ranked = self._learned.rank(unit, wide, lists)
        if lists.vector is None:
            words = unit.text.match(lists.text, lists.docs) if lists.text else {}
            matching = {
                doc
                for doc, cover in zip(relevant.docs, relevant.cover, strict=True)
                if cover >= _MOSTLY or sum(map(term_weight, words.get(doc, ()))) >= WORD_WEIGHT
            }
            ranked = [candidate for candidate in ranked if candidate.doc in matching]
        if not ranked or sum(candidate.score for candidate in ranked[:_TOGETHER]) < request.sure:
            return set()
        least = min(request.sure, ranked[0].score / 2)
        return {candidate.doc for candidate in ranked if candidate.score >= least}

    def _weigh(
        self,
        unit: Unit,
        request: Request,
        relevant: Relevance,
        pool: Sequence[int],
        asked_for: Mapping[int, int],
    ) -> list[_Weighed]:
        ranking = self._settings.ranking
        records = load_records(unit, [relevant.docs[n] for n in pool])
        weighed = []
        for n in pool:
            doc = relevant.docs[n]
            record = records.get(doc)
            if record is not None and record.id in request.without:
                continue
            parts = self._parts(relevant, n, record, request.now)
            kind = record.kind if isinstance(record, Memory) else None
            boost = rules.persona_boost(kind, ranking.personas, request.persona)
            score = rules.combine(parts, ranking.weights) * boost
            if asked_for:
                place = asked_for.get(doc)
                score = min(score, _SURE) if place is None else _SURE + (1 - _SURE) / (1 + place)
            weighed.append(_Weighed(score, n, parts, boost, record))
        return weighed

    def _parts(
        self, relevant: Relevance, n: int, record: StoredRecord | None, now: datetime
    ) -> rules.ScoreParts:
        ranking = self._settings.ranking
        importance, uses = _PLAIN_IMPORTANCE, 0
        at = codec.maybe_from_micros(relevant.moments[n])
        if isinstance(record, Attachment):
            at = record.created_at
        elif isinstance(record, Episode):
            importance, uses, at = record.importance, record.access_count, record.ended_at
        elif record is not None:
            importance, uses = record.importance, record.access_count
            at = {
                "created": record.created_at,
                "updated": record.updated_at,
                "accessed": record.last_accessed_at,
            }[ranking.recency_clock]
            if ranking.importance_decays:
                law = class_of(record.kind, self._settings.decay)
                importance = fade(importance, now - record.last_accessed_at, law)
        return rules.ScoreParts(
            relevance=float(relevant.relevance[n]),
            semantic=float(relevant.semantic[n]),
            keyword=float(relevant.keyword[n]),
            recency=fading(now - at, ranking.recency_half_life) if at else 0.0,
            importance=importance,
            access=rules.access(uses, _ACCESS_SATURATION),
        )


def may_fit(unit: Unit, request: Request, lists: CandidateLists) -> bool:
    """Whether a query whose words no text has may mean one all the same: it asks in words of a
    language, or names a project, or vectors were compared of which nobody knows how near is near.
    """
    has_words = any(term.weight <= ASKING_WEIGHT for term in query_terms(request.query))
    asking = asks_recent(request.query) or (has_words and asks(request.query))
    unread = lists.vector is not None and lists.vector.late_scores(unit.vectors, ()) is None
    return asking or unread or find_project(unit, request.query) is not None


def precise(lists: CandidateLists) -> dict[int, int]:
    """The records that an exact or dated question is about, by their place: those that answer by
    their slot, then those of both its words and its time, then of one of them; each in the order
    of its route, which for the latest or the first of a kind is that of time.
    """
    exact, dated = lists.lists.get("exact", []), lists.lists.get("time", [])
    both = [doc for doc in exact if doc in frozenset(dated)]
    ordered = dict.fromkeys([*lists.lists.get("slot", ()), *both, *dated, *exact])
    return {doc: place for place, doc in enumerate(ordered)}


def _score_parts(
    relevant: Relevance, n: int, parts: rules.ScoreParts, lists: CandidateLists
) -> dict[str, float]:
    """Every part of a score that is not zero."""
    all_parts = {
        "text": float(relevant.keyword[n]),
        "vector": float(relevant.semantic[n]),
        "relevance": parts.relevance,
        "recency": parts.recency,
        "importance": parts.importance,
        "access": parts.access,
        **exact_total(lists, relevant.docs[n]),
    }
    return {name: value for name, value in all_parts.items() if value}


def exact_total(lists: CandidateLists, doc: int) -> dict[str, float]:
    """How many records there are of what an exact question is about, for each that is one."""
    if not lists.total or doc not in lists.lists.get("exact", ()):
        return {}
    return {EXACT_TOTAL: float(lists.total)}
