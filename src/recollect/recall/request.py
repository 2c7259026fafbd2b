"""A recall request: the query, the scope of records that may answer, and how many hits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.errors import InvalidInput
from recollect.language.dates.moments import maybe_moment
from recollect.language.dates.reader import TimeSpan, find_times
from recollect.language.exact import ExactQuestion, exact_question
from recollect.language.guard import Guard
from recollect.language.query_intent import QueryIntent, read_intent
from recollect.language.truncation import two_ends
from recollect.rules import checks
from recollect.store.rows import Scope
from recollect.types import RECORD_TYPES, TRUSTS, RecordType, Trust

MAX_HITS = 1_000
MAX_QUERY = 100_000
READ_QUERY = 8_000  # characters that are searched for: the beginning and the end of a longer query
_MOST_TIMES = 6  # each is a search of its own


@dataclass(frozen=True, slots=True)
class Request:
    """A checked query."""

    query: str
    k: int
    min_score: float
    scope: Scope
    asking: QueryIntent
    exact: ExactQuestion | None
    times: tuple[TimeSpan, ...]
    persona: str | None
    around: tuple[str, ...]
    now: datetime


def read_request(
    query: str,
    *,
    k: int,
    min_score: float,
    of: Iterable[RecordType] | RecordType,
    session: str | None = None,
    project: str | None = None,
    within: str | None = None,
    topic: str | None = None,
    kind: str | None = None,
    speaker: str | None = None,
    trust: Trust | None = None,
    since: datetime | str | None = None,
    until: datetime | str | None = None,
    as_of: datetime | str | None = None,
    persona: str | None = None,
    around: Sequence[str] = (),
    now: datetime,
    guard: Guard,
) -> Request:
    """Check the arguments of a recall; ``around`` are the texts just before the query."""
    query = shortened(checks.check_text(query, "query", MAX_QUERY))
    checks.check_count(k, "k", MAX_HITS)
    checks.check_share(min_score, "min_score")
    if persona is not None:
        checks.check_text(persona, "persona", checks.MAX_NAME)
    if trust is not None:
        checks.check_choice(trust, TRUSTS, "trust")
    scope = Scope(
        types=_types(of),
        session=guard.filter(session, "session"),
        project=guard.filter(project, "project"),
        within=guard.filter(within, "within"),
        topic=guard.filter(topic, "topic"),
        kind=None if kind is None else guard.kind(kind),
        speaker=guard.filter(speaker, "speaker"),
        trust=trust,
        since=maybe_moment(since, "since"),
        until=maybe_moment(until, "until"),
        as_of=maybe_moment(as_of, "as_of"),
        now=now,
    )
    return Request(
        query=query,
        k=k,
        min_score=min_score,
        scope=scope,
        asking=read_intent(query, now),
        exact=exact_question(query),
        times=_times(query, now),
        persona=persona,
        around=tuple(
            shortened(checks.check_text(text, "one of around", checks.MAX_INDEX)) for text in around
        ),
        now=now,
    )


def with_query(request: Request, query: str) -> Request:
    """The same request in other words."""
    asking = read_intent(query, request.now)
    return replace(request, query=query, asking=asking, exact=exact_question(query))


def shortened(text: str) -> str:
    """The two ends of a long text, which usually say what it is about."""
    return "\n".join(two_ends(text, READ_QUERY // 2))


def _times(query: str, now: datetime) -> tuple[TimeSpan, ...]:
    """The first few different times that a query names."""
    distinct = {(time.start, time.end): time for time in reversed(find_times(query, now))}
    return tuple(list(distinct.values())[: -_MOST_TIMES - 1 : -1])


def _types(of: Iterable[RecordType] | RecordType) -> tuple[RecordType, ...]:
    types: tuple[RecordType, ...] = (of,) if isinstance(of, str) else tuple(of)
    if not types:
        raise InvalidInput("of is empty", remedy=f"Use some of {', '.join(RECORD_TYPES)}")
    checked = [checks.check_choice(type_, RECORD_TYPES, "of") for type_ in types]
    return tuple(dict.fromkeys(checked))
