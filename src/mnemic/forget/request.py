"""Requests to forget, and the records they select directly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from unicodedata import is_normalized

from mnemic.days import Zone
from mnemic.errors import InvalidInput, NotFound
from mnemic.forget.traces import tokens
from mnemic.language.dates.moments import maybe_moment
from mnemic.language.guard import Guard
from mnemic.learn.rewrites import versions_of
from mnemic.learn.rollback import origin_of
from mnemic.learn.rollback_plan import RollbackSource
from mnemic.rules import checks
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter, Removal, StoredTextKind
from mnemic.types import RECORD_TYPES, TRUSTS, ForgetQuery

_LONGEST_QUERY = 1_000
_TABLES = ("turns", "memories", "episodes", "attachments", "daily_events")
# Texts that people wrote: only these select records.
_SEARCHED: tuple[StoredTextKind, ...] = ("turn", "memory", "episode", "attachment")


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """One checked request: a phrase as ``query``, or ``ids`` by table from another device."""

    id: str | None = None
    query: str | None = None
    origin: RollbackSource | None = None
    since: datetime | None = None
    until: datetime | None = None
    ids: Mapping[str, Sequence[str]] | None = None

    @property
    def timed(self) -> bool:
        return self.since is not None or self.until is not None

    @property
    def kind(self) -> str:
        """The kind of request, without its content."""
        if self.ids is not None:
            return "sync"
        if self.id is not None:
            return "id"
        if self.query is not None:
            return "query"
        return "time range" if self.origin is None else self.origin.what


@dataclass(slots=True)
class Selection:
    """Records by id with the reason; ``sessions`` have no turn, ``matches`` the phrase."""

    turns: dict[str, str] = field(default_factory=dict)
    memories: dict[str, str] = field(default_factory=dict)
    episodes: dict[str, str] = field(default_factory=dict)
    attachments: dict[str, str] = field(default_factory=dict)
    daily_events: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    matches: dict[str, str] = field(default_factory=dict)

    @property
    def by_kind(self) -> dict[str, dict[str, str]]:
        return {
            "turn": self.turns,
            "memory": self.memories,
            "episode": self.episodes,
            "attachment": self.attachments,
            "daily event": self.daily_events,
            "session": self.sessions,
        }

    @property
    def removal(self) -> Removal:
        return Removal(*map(list, self.by_kind.values()))


def read_request(query: ForgetQuery, zone: Zone, guard: Guard) -> ForgetRequest:
    """Check a request; a time range may be given alone or narrow a query, session or source."""
    chosen = {name for name in ("id", "query", "session", "source") if query.get(name) is not None}
    start = maybe_moment(query.get("since"), "since", zone)
    end = maybe_moment(query.get("until"), "until", zone)
    timed = start is not None or end is not None
    if len(chosen) > 1 or not (chosen or timed) or ("id" in chosen and timed):
        raise InvalidInput(
            "What to forget is not clear",
            remedy="Give one of id=, query=, session=, source= or a time range; since= and until="
            " may narrow a query, a session or a source",
        )
    if start is not None and end is not None and start >= end:
        raise InvalidInput("The time range is empty", remedy="Give since= before until=")
    origin: RollbackSource | None = None
    if (session := query.get("session")) is not None:
        origin = RollbackSource("session", guard.name(session, "session"))
    elif (source := query.get("source")) is not None:
        origin = origin_of(source, guard)
    id_, words = query.get("id"), query.get("query")
    if words is not None:
        checks.check_text(words, "query", _LONGEST_QUERY)
        if not tokens(words):
            raise InvalidInput(
                "There are no words in the query", remedy="Give the words that are to be forgotten"
            )
    return ForgetRequest(
        id=None if id_ is None else checks.check_name(id_, "id"),
        query=words,
        origin=origin,
        since=start,
        until=end,
    )


def choose(unit: Unit, request: ForgetRequest) -> Selection:
    """The records that a request selects."""
    if request.ids is not None:
        return _by_ids(unit, request.ids, "another device has forgotten it")
    if request.id is not None:
        return _by_id(unit, request.id)
    if request.query is not None:
        return _by_words(unit, request, request.query)
    if request.origin is None:
        return _by_time(unit, request)
    return _by_origin(unit, request, request.origin)


def _by_id(unit: Unit, id_: str) -> Selection:
    why = "it was named"
    chosen = _by_ids(unit, {table: [id_] for table in _TABLES}, why)
    if chosen.memories:
        versions = versions_of(unit, id_)
        chosen.memories = {m.id: why if m.id == id_ else "a version of it" for m in versions}
        for version in versions:
            turns = (source.turn_id for source in version.sources)
            chosen.turns |= dict.fromkeys(turns, "the memory was learned from it")
    return chosen


def _by_ids(unit: Unit, ids: Mapping[str, Sequence[str]], why: str) -> Selection:
    """Those of the records that are here."""
    wanted = {table: list(ids.get(table, ())) for table in _TABLES}
    days = {event.id for event in unit.journal.daily_events(None, checks.MAX_ROWS)}
    present: dict[str, list[str]] = {
        "turns": [turn.id for turn in unit.ledger.turns_by_id(wanted["turns"])],
        "memories": [memory.id for memory in unit.memories.by_id(wanted["memories"])],
        "episodes": [episode.id for episode in unit.episodes.by_id(wanted["episodes"])],
        "attachments": [file.id for file in unit.attachments.by_id(wanted["attachments"])],
        "daily_events": [id_ for id_ in wanted["daily_events"] if id_ in days],
    }
    return Selection(**{table: {str(id_): why for id_ in kept} for table, kept in present.items()})


def _by_words(unit: Unit, request: ForgetRequest, query: str) -> Selection:
    chosen, why = Selection(), "it has the words"
    phrase = tokens(query)
    for record in unit.eraser.read_texts(_SEARCHED):
        if not _within(record.at, request):
            continue
        text = next((text for text in record.texts if has_phrase(text, phrase)), None)
        if text is not None:
            chosen.by_kind[record.kind][record.id] = why
            chosen.matches[record.id] = text
    return chosen


def has_phrase(text: str, phrase: list[str]) -> bool:
    """Whether a text contains these words in a row."""
    # Most texts do not contain the letters of the first word, which is cheaper to test.
    if phrase[0] not in text.casefold() and is_normalized("NFKC", text):
        return False
    words, size = tokens(text), len(phrase)
    return any(words[n : n + size] == phrase for n in range(len(words) - size + 1))


def _by_time(unit: Unit, request: ForgetRequest) -> Selection:
    why = "it is of that time"
    span: dict[str, Any] = {"since": request.since, "until": request.until}
    # Memories with sources follow their turns; those added by hand have none.
    memories = unit.memories.by_id(unit.eraser.records_of("memory", **span))
    # An episode that ends later is rewritten from its remaining turns.
    episodes = unit.episodes.latest(session=None, limit=checks.MAX_ROWS, **span)
    days = unit.journal.daily_events(None, checks.MAX_ROWS)
    return Selection(
        turns=dict.fromkeys(unit.eraser.records_of("turn", **span), why),
        memories={memory.id: why for memory in memories if not memory.sources},
        episodes={e.id: why for e in episodes if _within(e.ended_at, request)},
        attachments=dict.fromkeys(unit.eraser.records_of("attachment", **span), why),
        daily_events={day.id: why for day in days if _within(day.created_at, request)},
    )


def _by_origin(unit: Unit, request: ForgetRequest, origin: RollbackSource) -> Selection:
    name, what, eraser = origin.name, origin.what, unit.eraser
    span: dict[str, Any] = {"since": request.since, "until": request.until}
    why = f"it came from this {what}"
    if what == "turn":
        if not unit.ledger.turns_by_id([name]):
            raise NotFound(f"No turn {name}", remedy="See turns()")
        return Selection(turns={name: "it is the source"})
    if what == "sender":
        turns = eraser.records_of("turn", sender=name, **span)
        return Selection(turns=dict.fromkeys(turns, why))
    if what == "trust":
        tier = next(trust for trust in TRUSTS if trust == name)
        memories = unit.memories.find(MemoryFilter(trust=tier, limit=checks.MAX_ROWS))
        added = [m.id for m in memories if not m.sources and _within(m.created_at, request)]
        turns = eraser.records_of("turn", trust=tier, **span)
        return Selection(turns=dict.fromkeys(turns, why), memories=dict.fromkeys(added, why))
    info = unit.ledger.session(name)
    chosen = Selection()
    if info is not None and not info.turns and not request.timed:
        chosen.sessions[name] = "it was named"
    for type_ in RECORD_TYPES:
        ids = eraser.records_of(type_, session=name, **span)
        chosen.by_kind[type_].update(dict.fromkeys(ids, why))
    return chosen


def _within(at: datetime, request: ForgetRequest) -> bool:
    return (request.since is None or at >= request.since) and (
        request.until is None or at < request.until
    )
