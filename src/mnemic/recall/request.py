"""A recall request: the query, the scope of records that may answer, and how many hits."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple, Unpack

from mnemic.days import LocalSpan, Zone, in_zone
from mnemic.errors import InvalidInput
from mnemic.language.dates.moments import maybe_moment
from mnemic.language.dates.reader import find_times
from mnemic.language.exact import ExactQuestion, asks_for_all, exact_question
from mnemic.language.guard import Guard, word_filters
from mnemic.language.query_intent import QueryIntent, read_intent
from mnemic.language.truncation import two_ends
from mnemic.late import dataclass
from mnemic.rules import checks
from mnemic.settings.recall import RecallSettings
from mnemic.store.rows import Scope
from mnemic.types import RECORD_TYPES, STATUSES, TRUSTS, RecallQuery, RecordType

MAX_HITS = 1_000
MAX_QUERY = 100_000
READ_QUERY = 8_000  # characters that are searched for: the beginning and the end of a longer query
_USUAL = RecallSettings()
_MOST_TIMES = 6  # each is a search of its own


class NamedTime(NamedTuple):
    """A time that a query names, and its words for it."""

    span: LocalSpan
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """A checked query."""

    query: str
    limit: int
    min_score: float
    scope: Scope
    asking: QueryIntent
    exact: ExactQuestion | None
    times: tuple[NamedTime, ...]
    of_time: bool  # asks for what happened then, whatever it was
    persona: str | None
    around: tuple[str, ...]
    without: frozenset[str]  # ids of records that the prompt has already
    now: datetime  # by the clocks of the zone
    zone: Zone
    depth: int = 1  # times as many candidates as usual
    explained: bool = True  # whether each hit says why
    sure: float = 0.0  # the probability of what fits, where a formula orders it; 0: all


def read_request(
    query: str,
    *,
    within: str | None = None,
    without: Collection[str] = (),
    now: datetime,
    zone: Zone = UTC,
    guard: Guard,
    usual: RecallSettings = _USUAL,
    **narrowed: Unpack[RecallQuery],
) -> Request:
    """Check the arguments of a recall; ``usual`` says how many hits of what records and score are
    wanted where the caller does not. ``zone`` is that of the days it names.
    """
    limit, min_score, of = narrowed.get("limit"), narrowed.get("min_score"), narrowed.get("of")
    min_importance, persona = narrowed.get("min_importance"), narrowed.get("persona")
    trust, status = narrowed.get("trust"), narrowed.get("status")
    metadata = narrowed.get("metadata")
    query = shorten(checks.check_text(query, "query", MAX_QUERY))
    limit = checks.check_count(usual.limit if limit is None else limit, "limit", MAX_HITS)
    min_score = checks.check_share(usual.min_score if min_score is None else min_score, "min_score")
    if min_importance is not None:
        checks.check_share(min_importance, "min_importance")
    if persona is not None:
        checks.check_text(persona, "persona", checks.MAX_NAME)
    if trust is not None:
        checks.check_choice(trust, TRUSTS, "trust")
    if status is not None:
        checks.check_choice(status, STATUSES, "status")
    records = Scope(
        types=_types(choose_types(usual) if of is None else of),
        session=guard.filter(narrowed.get("session"), "session"),
        project=guard.filter(narrowed.get("project"), "project"),
        within=guard.filter(within, "within"),
        topic=guard.filter(narrowed.get("topic"), "topic"),
        words=word_filters(guard, narrowed.get("kind"), narrowed.get("scope")),
        min_importance=min_importance,
        speaker=guard.filter(narrowed.get("speaker"), "speaker"),
        trust=trust,
        status=status,
        since=maybe_moment(narrowed.get("since"), "since", zone),
        until=maybe_moment(narrowed.get("until"), "until", zone),
        as_of=maybe_moment(narrowed.get("as_of"), "as_of", zone),
        known_at=maybe_moment(narrowed.get("known_at"), "known_at", zone),
        now=now,
        having={} if metadata is None else guard.metadata_texts(metadata),
    )
    local = in_zone(now, zone)
    times = _times(query, local, zone)
    return Request(
        query=query,
        limit=limit,
        min_score=min_score,
        scope=records,
        asking=read_intent(query, local),
        exact=exact_question(query),
        times=times,
        of_time=bool(times) and asks_for_all(query, [time.text for time in times]),
        persona=persona,
        around=tuple(
            shorten(checks.check_text(text, "one of around", checks.MAX_INDEX))
            for text in narrowed.get("around", ())
        ),
        without=frozenset(without),
        now=local,
        zone=zone,
    )


def with_query(request: Request, query: str) -> Request:
    """The same request in other words."""
    asking = read_intent(query, request.now)
    return replace(request, query=query, asking=asking, exact=exact_question(query))


def choose_types(settings: RecallSettings) -> tuple[RecordType, ...]:
    """The records that are searched where the caller names none; all, where no route names any."""
    return tuple(type_ for type_ in RECORD_TYPES if type_ in settings.routes) or RECORD_TYPES


def shorten(text: str) -> str:
    """The two ends of a long text, which usually say what it is about."""
    return "\n".join(two_ends(text, READ_QUERY // 2))


def _times(query: str, now: datetime, zone: Zone) -> tuple[NamedTime, ...]:
    """The first few different times that a query names."""
    distinct: dict[LocalSpan, NamedTime] = {}
    for time in find_times(query, now):
        start, end = time.start.replace(tzinfo=None), time.end.replace(tzinfo=None)
        span = LocalSpan.between(start, end, zone)
        distinct.setdefault(span, NamedTime(span, time.text))
    return tuple(distinct.values())[:_MOST_TIMES]


def _types(of: Iterable[RecordType] | RecordType) -> tuple[RecordType, ...]:
    types: tuple[RecordType, ...] = (of,) if isinstance(of, str) else tuple(of)
    if not types:
        raise InvalidInput("of is empty", remedy=f"Use some of {', '.join(RECORD_TYPES)}")
    checked = [checks.check_choice(type_, RECORD_TYPES, "of") for type_ in types]
    return tuple(dict.fromkeys(checked))
