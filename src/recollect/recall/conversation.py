"""The conversation around what was found: neighbours, sessions and speakers for the ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recollect.rules.asking import Asking, date_fit, ends_with_question, named_speaker
from recollect.rules.fusion import ABSENT, Candidates, Floats
from recollect.store import codec
from recollect.store.base import Around, Ledger, Place, SessionSpan

REACH = 2  # turns on either side that can lend support
_DAY = 86_400_000_000
_TWO_SPEAKERS = 2


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The candidates with the turns around them, and the sessions they belong to."""

    docs: list[int]
    places: dict[int, Place]
    spans: dict[int, SessionSpan]


def look_around(ledger: Ledger, docs: Sequence[int]) -> Surroundings:
    """Add the neighbours of the turns among ``docs``, each document once, found ones first."""
    found = ledger.places(docs)
    around = ledger.places_around(_stretches(found))
    places = {place.doc: place for place in (*found, *around)}
    spans = ledger.spans(sorted({place.session for place in places.values()}))
    everything = list(dict.fromkeys((*docs, *(place.doc for place in around))))
    return Surroundings(everything, places, {span.session: span for span in spans})


def _stretches(places: Sequence[Place]) -> list[Around]:
    """The indexes within reach of each place, overlapping stretches joined."""
    merged: list[Around] = []
    for place in sorted(places, key=lambda place: (place.session, place.idx)):
        first, last = place.idx - REACH, place.idx + REACH
        if merged and merged[-1].session == place.session and first <= merged[-1].last + 1:
            merged[-1] = merged[-1]._replace(last=last)
        else:
            merged.append(Around(place.session, first, last))
    return merged


def as_candidates(
    around: Surroundings, text_score: Floats, query: str, asking: Asking
) -> Candidates:
    """One array entry per document, in the order of ``around.docs``."""
    places = [around.places.get(doc) for doc in around.docs]
    index = {(p.session, p.idx): n for n, p in enumerate(places) if p is not None}
    speaker = named_speaker(query, {p.sender for p in around.places.values()})
    talking = _conversations(around)
    spans = around.spans

    def beside(place: Place | None, step: int) -> int:
        return ABSENT if place is None else index.get((place.session, place.idx + step), ABSENT)

    return Candidates(
        text_score=text_score,
        # A record that is no turn is a session of its own.
        session=np.array([-n - 1 if p is None else p.session for n, p in enumerate(places)]),
        session_size=np.array([1 if p is None else spans[p.session].turns for p in places]),
        session_days=np.array([0.0 if p is None else _days(spans[p.session]) for p in places]),
        previous=np.array([beside(p, -1) for p in places]),
        following=np.array([beside(p, 1) for p in places]),
        in_conversation=np.array([p is not None and p.session in talking for p in places]),
        ends_with_question=np.array([p is not None and ends_with_question(p.tail) for p in places]),
        by_assistant=np.array([p is not None and p.role == "assistant" for p in places]),
        by_named_speaker=np.array(
            [p is not None and bool(speaker) and p.sender.lower() == speaker for p in places]
        ),
        date_fit=np.array([_fit(p, asking) for p in places]),
    )


def _conversations(around: Surroundings) -> set[int]:
    """Sessions in which at least two speak."""
    speakers: dict[int, set[tuple[str, str]]] = {}
    for place in around.places.values():
        speakers.setdefault(place.session, set()).add((place.role, place.sender))
    return {session for session, who in speakers.items() if len(who) >= _TWO_SPEAKERS}


def _days(span: SessionSpan) -> float:
    return max(0, span.last_at - span.started_at) / _DAY


def _fit(place: Place | None, asking: Asking) -> float:
    if place is None or asking.date is None:
        return 0.0
    return date_fit(asking.date, codec.from_micros(place.at))
