"""The conversation around what was found: neighbours, sessions and speakers for the ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from recollect.language.dates.query_dates import date_fit
from recollect.language.query_intent import QueryIntent, named_speaker
from recollect.language.voice import own_voice
from recollect.language.wishes import LONGEST, is_standing_wish
from recollect.recall.fusion import (
    ABSENT,
    CandidateTable,
    Flags,
    Floats,
    Places,
)
from recollect.store import codec
from recollect.store.contract import LedgerStore, Unit
from recollect.store.documents import type_of
from recollect.store.rows import Place, SessionSpan
from recollect.types import Kind

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


def look_around(
    ledger: LedgerStore, docs: Sequence[int], promising: Sequence[int] = ()
) -> Surroundings:
    """Add the neighbours of the ``promising`` among the documents, each document once."""
    wide = {doc for doc in promising if type_of(doc) == "turn"}
    alone = [doc for doc in docs if type_of(doc) == "turn" and doc not in wide]
    found = ledger.places_around(sorted(wide), REACH) if wide else []
    if alone:
        found += ledger.places(alone)
    turns = sorted({place.doc: place for place in found}.values(), key=_by_conversation)
    others = [doc for doc in docs if type_of(doc) != "turn"]
    return Surroundings([*(place.doc for place in turns), *others], turns)


def as_candidates(
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
    speaker = named_speaker(query, set(senders))
    named = [sender.lower() == speaker for sender in senders] if speaker else [False] * len(turns)
    return CandidateTable(
        text_score=text_score,
        # A record that is no turn is a session of its own.
        session=np.concatenate([session, -1 - np.arange(others)]),
        session_size=_padded(sizes[which], others, 1),
        session_days=_padded(days[which], others, 0.0),
        previous=_padded(np.where(follows, at - 1, ABSENT), others, ABSENT),
        following=_padded(np.where(np.append(follows[1:], False), at + 1, ABSENT), others, ABSENT),
        in_conversation=_padded(_is_talk(which, _codes(assistant, senders)), others, False),
        ends_with_question=_padded(asks.astype(bool), others, False),
        by_assistant=_padded(assistant.astype(bool), others, False),
        by_named_speaker=_padded(np.array(named, bool), others, False),
        date_fit=_padded(_fits(turns, asking), others, 0.0),
        standing_wish=_wishes(unit, around.docs, asking),
    )


def _wishes(unit: Unit, docs: Sequence[int], asking: QueryIntent) -> Flags:
    """Where the user says how they want things done, if that is of use."""
    if not asking.for_help:
        return np.zeros(len(docs), bool)
    said = unit.ledger.said_by_owner([doc for doc in docs if type_of(doc) == "turn"], LONGEST)
    wishes = {
        doc
        for doc, text in said.items()
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
    """A number for whoever speaks."""
    known = {sender: 2 * n for n, sender in enumerate(dict.fromkeys(senders))}
    return assistant + np.array([known[sender] for sender in senders], np.int64)


def _is_talk(which: Places, speaking: Places) -> Flags:
    """Whether a turn's session has at least two who speak."""
    if not len(which):
        return np.zeros(0, bool)
    lowest = np.full(which.max() + 1, speaking.max() + 1)
    highest = np.full(which.max() + 1, -1)
    np.minimum.at(lowest, which, speaking)
    np.maximum.at(highest, which, speaking)
    talk: Flags = (lowest < highest)[which]
    return talk


def _padded(values: np.ndarray, others: int, filler: float) -> np.ndarray:
    return np.append(values, np.full(others, filler, values.dtype)) if others else values


def _days(span: SessionSpan) -> float:
    return max(0, span.last_at - span.started_at) / _DAY


def _fits(turns: Sequence[Place], asking: QueryIntent) -> Floats:
    wanted = asking.date
    if wanted is None:
        return np.zeros(len(turns))
    return np.array([date_fit(wanted, codec.from_micros(place.at)) for place in turns])
