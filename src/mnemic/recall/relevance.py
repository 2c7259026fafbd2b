"""How relevant each candidate is: by its conversation, or by the ranks its routes gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from mnemic.days import in_zone
from mnemic.index.forms import numbers, times
from mnemic.index.segment import STOP_WEIGHT, query_terms
from mnemic.language.dates.query_dates import date_fit
from mnemic.language.names import find_named
from mnemic.language.no_evidence import is_for_questions, statement_share
from mnemic.language.query_intent import QueryIntent
from mnemic.language.requests import LONGEST_WISH, is_standing_wish
from mnemic.language.voice import own_voice
from mnemic.late import dataclass, np
from mnemic.recall.candidates import CandidateLists
from mnemic.recall.features import (
    ABSENT,
    CandidateTable,
    Flags,
    Floats,
    Places,
    VectorScores,
    features,
    leading,
)
from mnemic.recall.request import Request
from mnemic.rules.bm25 import TermMatches, TermSet, no_matches
from mnemic.rules.ranking import rank_share
from mnemic.settings.recall import RankingSettings
from mnemic.store import codec
from mnemic.store.contract import Unit
from mnemic.store.rows import SHORT_TEXT, Place, are_of, type_of
from mnemic.store.sql.ledger import SqlLedger
from mnemic.types import Kind

RRF_K = 60  # the usual constant of reciprocal rank fusion
_NEARLY_ALL = 0.8  # of the weight of the words of a query, some of which may be of turns before it
# Shares of the weight of the words of a query: of one that says little beside them, and of none.
_EVERY_WORD, NO_WORD = 0.9, 0.05
_LEAST_LATE = 0.36  # what the best text of 99 in 100 questions that are answered reaches
# The routes by what a query names; the last answers alone, where every other has failed.
_NAMING = ("time", "exact", "latest")
_NEAR_IN_MEANING = 0.3  # cosine beyond that of any text: letters that are no word stay below
_NEAR = 3
_PROMISING = 6  # of a route's list: the turns around these are looked at too


@dataclass(frozen=True, slots=True)
class Relevance:
    """Candidates, best first; the arrays hold one entry for each, in that order."""

    docs: list[int]
    moments: list[int | None]
    relevance: Floats
    keyword: Floats
    semantic: Floats
    cover: Floats  # the share of the query's words that each has, by weight


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """Every candidate with the features that it is ranked by."""

    around: Surroundings
    session: Places
    features: Mapping[str, Floats]
    read: bool  # whether the reader has read some of them
    exact_order: Floats  # what an exact question asks for by its order, from 0 to 1
    held: Flags  # which have what is searched for: its words, its time or, where no text has any
    # of its words, its meaning
    unknown: bool  # whether neither words nor the reader know what is meant


def candidate_pool(unit: Unit, request: Request, lists: CandidateLists) -> CandidatePool:
    """The candidates and the turns around the promising ones, with their features."""
    around = with_neighbors(unit.ledger, lists.docs, _promising(lists))
    words = _term_matches(unit, lists, around.docs)
    echoes = [] if is_for_questions(request.query) else _echoes(around.turns, words)
    if len(echoes) < len(around.docs):
        around, words, echoes = _without_unanswered(around, words, echoes)
    vectors = _vector_scores(unit, lists, around.docs)
    if echoes and len(echoes) < len(around.docs):
        _cap(words.scores, echoes)
        if vectors is not None:
            _cap(vectors.similarity, echoes)
            if vectors.late is not None:
                _cap(vectors.late, echoes)
    table = candidate_table(unit, request, lists, around, (words, vectors))
    columns = features(table, vectors, request.asking)
    return CandidatePool(
        around,
        table.session,
        columns,
        vectors is not None and vectors.read is not None,
        _exact_order(around.docs, request, lists),
        _find_held(around.docs, lists, columns["cover"], vectors),
        _is_unknown(request.query, vectors, columns["cover"]),
    )


def _is_unknown(query: str, vectors: VectorScores | None, cover: Floats) -> bool:
    if vectors is None:  # stop words, which some text has, say nothing
        return all(term.weight <= STOP_WEIGHT for term in query_terms(query))
    late = vectors.read
    if late is None or cover.max() > NO_WORD:
        return False
    return float(np.nanmax(late)) < _LEAST_LATE


def _vector_scores(unit: Unit, lists: CandidateLists, docs: Sequence[int]) -> VectorScores | None:
    if lists.vector is None:
        return None
    return replace(lists.vector.scores(docs), late=lists.vector.late_scores(unit.vectors, docs))


def _find_held(
    docs: Sequence[int], lists: CandidateLists, cover: Floats, vectors: VectorScores | None
) -> Flags:
    named = {doc for route in _NAMING for doc in lists.lists.get(route, ())}
    held = np.array([doc in named for doc in docs], bool)
    # The ranker itself knows what the reader says.
    if vectors is None or vectors.late is not None or cover.max(initial=0.0) > NO_WORD:
        return np.asarray(held | (cover >= _EVERY_WORD))
    return np.asarray(held | (vectors.similarity - vectors.mean >= _NEAR_IN_MEANING))


def _term_matches(unit: Unit, lists: CandidateLists, docs: Sequence[int]) -> TermMatches:
    if lists.text is None:
        return no_matches(len(docs))
    return unit.text.term_matches(lists.text, docs)


def _echoes(turns: Sequence[Place], words: TermMatches) -> list[int]:
    """The places of questions in nearly the words of the query that state nothing beside them."""
    if not words.present.size:
        return []
    cover = words.present[: len(turns)] @ words.heft
    full = np.flatnonzero(cover >= _NEARLY_ALL * words.heft.sum()).tolist()
    return [n for n in full if turns[n].asks and states_nothing(turns[n])]


def states_nothing(turn: Place) -> bool:
    """Whether a turn only asks, greets or thanks; one without a text has a tool's result."""
    return turn.whole and 0 < len(turn.text) <= SHORT_TEXT and not statement_share(turn.text)


def _without_unanswered(
    around: Surroundings, words: TermMatches, echoes: Sequence[int]
) -> tuple[Surroundings, TermMatches, list[int]]:
    """The candidates but for those echoes that nobody has answered, and where the others are: one
    is the query itself, which the host may have recorded before it asks.
    """
    dropped = {n for n in echoes if not _is_answered(around.turns, n)}
    if not dropped:
        return around, words, list(echoes)
    places = [n for n in range(len(around.docs)) if n not in dropped]
    turns = [turn for n, turn in enumerate(around.turns) if n not in dropped]
    matches = TermMatches(words.scores[places], words.present[places], words.heft)
    remaining = [places.index(n) for n in echoes if n not in dropped]
    return Surroundings([around.docs[n] for n in places], turns), matches, remaining


def _cap(values: Floats, echoes: Sequence[int]) -> None:
    """No more for an echo than for the best of the others: nothing fits a query as well as its own
    words, and the others are measured by the best.
    """
    values[echoes] = np.minimum(values[echoes], np.delete(values, echoes).max())


def _is_answered(turns: Sequence[Place], n: int) -> bool:
    if n + 1 == len(turns):
        return False
    mine, following = turns[n], turns[n + 1]
    return (following.session, following.idx) == (mine.session, mine.idx + 1)


def _find_shared(
    unit: Unit, lists: CandidateLists, docs: Sequence[int], best: Sequence[int]
) -> tuple[Floats, Floats]:
    """How much each candidate shares with the best other one beside the words of the query: what
    belongs to one answer often has a name in common that the question does not say.
    """
    if lists.text is None:
        return np.zeros(len(docs)), np.zeros(len(docs))
    return unit.text.find_shared(lists.text, docs, best)


def _promising(candidates: CandidateLists) -> list[int]:
    """Turns that may stand beside the answer. One that is only near in meaning seldom does, so
    its neighbors are looked at only where no other route has candidates.
    """
    return [
        doc
        for route, docs in candidates.lists.items()
        for doc in docs[: _NEAR if route == "vector" else _PROMISING]
    ]


def by_ranks(unit: Unit, candidates: CandidateLists, ranking: RankingSettings) -> Relevance:
    """Reciprocal ranks over the routes, or the best score that any of them gave."""
    around = with_neighbors(unit.ledger, candidates.docs)
    docs = around.docs
    matches = _term_matches(unit, candidates, docs)
    every = matches.heft.sum() + (candidates.text.absent if candidates.text else 0.0)
    cover = matches.present @ matches.heft / max(float(every), 1e-9)
    vectors = candidates.vector.scores(docs) if candidates.vector else None
    likeness = np.zeros(len(docs)) if vectors is None else np.maximum(vectors.similarity, 0.0)
    words = matches.scores / max(float(matches.scores.max(initial=0.0)), 1e-9)
    if ranking.fusion == "rrf":
        lists = len(candidates.lists)
        joined = np.array([rank_share(candidates.ranks(doc), RRF_K, lists) for doc in docs])
    else:
        joined = np.maximum(words, likeness)
    order = np.lexsort((np.array(docs), joined))[::-1]  # newer first among equals
    return Relevance(
        docs=[docs[n] for n in order],
        moments=[around.moment(n) for n in order],
        relevance=joined[order],
        keyword=words[order],
        semantic=likeness[order],
        cover=cover[order],
    )


_by_conversation = attrgetter("session", "idx")
REACH = 2  # turns on either side that can lend support
_WISHES: tuple[Kind, ...] = ("preference", "rule")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Candidates with the turns around them: turns first, in the order of their conversation."""

    docs: list[int]
    turns: list[Place]

    def moment(self, n: int) -> int | None:
        """When the n-th was said, in microseconds; None for what is no turn."""
        return self.turns[n].at if n < len(self.turns) else None


def with_neighbors(
    ledger: SqlLedger, docs: Sequence[int], promising: Sequence[int] = ()
) -> Surroundings:
    """Add the neighbors of the ``promising`` among the documents, each document once."""
    wide = {doc for doc in promising if type_of(doc) == "turn"}
    alone = [doc for doc in docs if type_of(doc) == "turn" and doc not in wide]
    places = ledger.places_around(sorted(wide), REACH) if wide else []
    if alone:
        places += ledger.places(alone)
    turns = sorted({place.doc: place for place in places}.values(), key=_by_conversation)
    others = [doc for doc in docs if type_of(doc) != "turn"]
    return Surroundings([*(place.doc for place in turns), *others], turns)


def candidate_table(
    unit: Unit,
    request: Request,
    lists: CandidateLists,
    around: Surroundings,
    matches: tuple[TermMatches, VectorScores | None],
) -> CandidateTable:
    """One array entry per document, in the order of ``around.docs``."""
    words, vectors = matches
    shared, rarest_shared = _find_shared(unit, lists, around.docs, leading(words.scores, vectors))
    turns, others = around.turns, len(around.docs) - len(around.turns)
    session = np.array([place.session for place in turns], np.int64)
    idx = np.array([place.idx for place in turns], np.int64)
    at = np.array([place.at for place in turns], np.int64)
    assistant = np.array([place.assistant for place in turns], bool)
    follows = np.zeros(len(turns), bool)
    follows[1:] = (session[1:] == session[:-1]) & (idx[1:] == idx[:-1] + 1)
    places = np.arange(len(turns))
    senders = [place.sender for place in turns]
    speakers = find_named(lists.query or request.query, set(senders))
    named = [sender in speakers for sender in senders]
    follows_next = np.append(follows[1:], False) if len(turns) else follows
    docs = np.array(around.docs, np.int64)
    none = np.zeros(len(docs), bool)
    return CandidateTable(
        text_score=words.scores,
        shared=shared,
        rarest_shared=rarest_shared,
        present=words.present,
        heft=words.heft,
        absent=lists.text.absent if lists.text else 0.0,
        tells_time=_match(unit, lists, around.docs, times() if request.asking.for_time else None),
        tells_number=_match(
            unit, lists, around.docs, numbers() if request.asking.for_number else None
        ),
        # A record that is no turn is a session of its own.
        session=np.concatenate([session, -1 - np.arange(others)]),
        previous=_pad(np.where(follows, places - 1, ABSENT), others, ABSENT),
        following=_pad(np.where(follows_next, places + 1, ABSENT), others, ABSENT),
        in_conversation=_pad(_in_conversation(session, _codes(assistant, senders)), others, False),
        asks=_pad(np.array([place.asks for place in turns], bool), others, False),
        by_assistant=_pad(assistant, others, False),
        by_named_speaker=_pad(np.array(named, bool), others, False),
        date_fit=_pad(_fits(turns, request), others, 0.0),
        standing_wish=_wishes(unit, around.docs, request.asking),
        recency=_pad(_recency(at), others, 0.5),
        in_routes={
            name: np.isin(docs, lists.lists[name]) if name in lists.lists else none
            for name in RANKED_ROUTES
        },
        of_type={"memory": are_of(docs, "memory"), "episode": are_of(docs, "episode")},
    )


def _match(unit: Unit, lists: CandidateLists, docs: Sequence[int], terms: TermSet | None) -> Flags:
    if terms is None or lists.text is None:
        return np.zeros(len(docs), bool)
    return unit.text.having(lists.text, docs, terms)


RANKED_ROUTES = ("time", "exact", "entity")


def _exact_order(docs: Sequence[int], request: Request, lists: CandidateLists) -> Floats:
    """Highest for the latest or the first of a kind, when that is what was asked for."""
    ordered = lists.lists.get("exact", [])
    if not ordered or request.exact is None or request.exact.kind not in ("latest", "earliest"):
        return np.zeros(len(docs))
    places = {doc: place for place, doc in enumerate(ordered)}
    return np.array([1 / (1 + places[doc]) if doc in places else 0.0 for doc in docs])


def _recency(at: Places) -> Floats:
    """From 0 for the oldest candidate to 1 for the newest, by their order."""
    moments = sorted(set(at.tolist()))  # np.unique would load the whole of np.ma
    places: Floats = np.searchsorted(moments, at) / max(1, len(moments) - 1)
    return places


def _wishes(unit: Unit, docs: Sequence[int], asking: QueryIntent) -> Flags:
    """Which documents state a lasting wish of the user, for a query that asks for help."""
    if not asking.for_help:
        return np.zeros(len(docs), bool)
    texts = unit.ledger.read_owned([doc for doc in docs if type_of(doc) == "turn"], LONGEST_WISH)
    wishes = {
        doc
        for doc, text in texts.items()
        if is_standing_wish(text) and is_standing_wish(own_voice(text))
    }
    memories = [doc for doc in docs if type_of(doc) == "memory"]
    wishes |= set(unit.memories.of_kinds(memories, _WISHES) if memories else ())
    return np.array([doc in wishes for doc in docs], bool)


def _codes(assistant: Flags, senders: Sequence[str]) -> Places:
    """A number for each speaker."""
    codes = {sender: 2 * n for n, sender in enumerate(dict.fromkeys(senders))}
    return np.array([codes[sender] for sender in senders], np.int64) + assistant


def _in_conversation(session: Places, speaking: Places) -> Flags:
    """Whether a turn's session has at least two speakers; turns of one session stand together."""
    is_next = session[1:] == session[:-1]
    which = np.cumsum(np.append(True, ~is_next))[: len(session)]
    several = np.zeros(len(session) + 1, bool)
    several[which[1:][is_next & (speaking[1:] != speaking[:-1])]] = True
    result: Flags = several[which]
    return result


def _pad(values: np.ndarray, others: int, filler: float) -> np.ndarray:
    return np.append(values, np.full(others, filler, values.dtype)) if others else values


def _fits(turns: Sequence[Place], request: Request) -> Floats:
    date = request.asking.date
    if date is None:
        return np.zeros(len(turns))
    moments = (in_zone(codec.from_micros(place.at), request.zone) for place in turns)
    return np.array([date_fit(date, moment) for moment in moments])
