"""What a person asks to be forgotten, and the records that this names directly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from unicodedata import is_normalized

from recollect.errors import InvalidInput, NotFound
from recollect.forget.traces import tokens
from recollect.language.dates.moments import maybe_moment
from recollect.language.guard import Guard
from recollect.learn.rollback import origin_of
from recollect.learn.rollback_plan import RollbackSource
from recollect.rules import checks
from recollect.store.contract import Unit
from recollect.store.erasure import StoredTextKind
from recollect.store.rows import MemoryFilter
from recollect.types import TRUSTS

_LONGEST_QUERY = 1_000
# What people said or wrote: nothing else chooses what is forgotten.
_SEARCHED: tuple[StoredTextKind, ...] = ("turn", "memory", "episode", "attachment")


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """One request, checked. ``query`` is a phrase: whatever has it in these words goes."""

    id: str | None = None
    query: str | None = None
    origin: RollbackSource | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def timed(self) -> bool:
        return self.since is not None or self.until is not None

    @property
    def told(self) -> str:
        """How it was asked, without what for."""
        if self.id is not None:
            return "id"
        if self.query is not None:
            return "query"
        return "time range" if self.origin is None else self.origin.what


@dataclass(slots=True)
class Selection:
    """Records by id, each with the reason; ``evidence`` are turns that only memories lead to.

    ``sessions`` are those without a turn, ``found`` the texts in which the words were found.
    """

    turns: dict[str, str] = field(default_factory=dict)
    memories: dict[str, str] = field(default_factory=dict)
    episodes: dict[str, str] = field(default_factory=dict)
    attachments: dict[str, str] = field(default_factory=dict)
    daily_events: dict[str, str] = field(default_factory=dict)
    evidence: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)


def read_asked(
    *,
    id: str | None,
    query: str | None,
    session: str | None,
    source: str | None,
    since: datetime | str | None,
    until: datetime | str | None,
    guard: Guard,
) -> ForgetRequest:
    """Check a request; a time range may stand alone or narrow a query, a session or a source."""
    named = [name for name in (id, query, session, source) if name is not None]
    start, end = maybe_moment(since, "since"), maybe_moment(until, "until")
    timed = start is not None or end is not None
    if len(named) > 1 or not (named or timed) or (id is not None and timed):
        raise InvalidInput(
            "What to forget is not clear",
            remedy="Give one of id=, query=, session=, source= or a time range; since= and until="
            " may narrow a query, a session or a source",
        )
    if start is not None and end is not None and start >= end:
        raise InvalidInput("The time range is empty", remedy="Give since= before until=")
    if id is not None:
        return ForgetRequest(id=checks.check_name(id, "id"))
    if query is not None:
        return ForgetRequest(query=_checked(query), since=start, until=end)
    if session is not None:
        return ForgetRequest(origin=RollbackSource("session", guard.name(session, "session")),
                     since=start, until=end)  # fmt: skip
    origin = None if source is None else origin_of(source, guard)
    return ForgetRequest(origin=origin, since=start, until=end)


def _checked(query: str) -> str:
    checks.check_text(query, "query", _LONGEST_QUERY)
    if not tokens(query):
        raise InvalidInput(
            "There are no words in the query", remedy="Give the words that are to be forgotten"
        )
    return query


def choose(unit: Unit, asked: ForgetRequest) -> Selection:
    """The records that a request names."""
    if asked.id is not None:
        return _by_id(unit, asked.id)
    if asked.query is not None:
        return _by_words(unit, asked, asked.query)
    if asked.origin is None:
        return _by_time(unit, asked)
    return _by_origin(unit, asked, asked.origin)


def _by_id(unit: Unit, id_: str) -> Selection:
    chosen, why = Selection(), "it was named"
    if unit.ledger.turns_by_id([id_]):
        chosen.turns[id_] = why
    elif unit.memories.get(id_) is not None:
        versions = unit.memories.chain(id_)
        chosen.memories = {m.id: why if m.id == id_ else "a version of it" for m in versions}
        for version in versions:
            turns = (source.turn_id for source in version.sources)
            chosen.evidence |= dict.fromkeys(turns, "the memory was learnt from it")
    elif unit.episodes.by_id([id_]):
        chosen.episodes[id_] = why
    elif unit.attachments.by_id([id_]):
        chosen.attachments[id_] = why
    elif any(event.id == id_ for event in unit.journal.daily_events(None, checks.MAX_ROWS)):
        chosen.daily_events[id_] = why
    return chosen


def _by_words(unit: Unit, asked: ForgetRequest, query: str) -> Selection:
    chosen, why = Selection(), "it has the words"
    places = {
        "turn": chosen.turns,
        "memory": chosen.memories,
        "episode": chosen.episodes,
        "attachment": chosen.attachments,
    }
    said = tokens(query)
    for held in unit.eraser.stored_texts(_SEARCHED):
        if not _within(held.at, asked):
            continue
        text = next((text for text in held.texts if has_phrase(text, said)), None)
        if text is not None:
            places[held.kind][held.id] = why
            chosen.found[held.id] = text
    return chosen


def has_phrase(text: str, said: list[str]) -> bool:
    """Whether the words stand in a text, in a row."""
    # Most texts do not even have the letters of the first one: look for those first.
    if said[0] not in text.casefold() and is_normalized("NFKC", text):
        return False
    found, size = tokens(text), len(said)
    return any(found[n : n + size] == said for n in range(len(found) - size + 1))


def _by_time(unit: Unit, asked: ForgetRequest) -> Selection:
    since, until = asked.since, asked.until
    why = "it is of that time"
    days: dict[str, str] = {
        event.id: why
        for event in unit.journal.daily_events(None, checks.MAX_ROWS)
        if _within(event.created_at, asked)
    }
    # What was learnt from turns goes with them; what was told by hand has none.
    told = unit.memories.by_id(unit.eraser.records_of("memory", since=since, until=until))
    # One that goes on after that time is told anew of what is left.
    tales = unit.episodes.latest(session=None, since=since, until=until, limit=checks.MAX_ROWS)
    return Selection(
        turns=dict.fromkeys(unit.eraser.turns_of(since=since, until=until), why),
        memories={memory.id: why for memory in told if not memory.sources},
        episodes={e.id: why for e in tales if _within(e.ended_at, asked)},
        attachments=dict.fromkeys(
            unit.eraser.records_of("attachment", since=since, until=until), why
        ),
        daily_events=days,
    )


def _by_origin(unit: Unit, asked: ForgetRequest, origin: RollbackSource) -> Selection:
    since, until, name = asked.since, asked.until, origin.name
    if origin.what == "turn":
        if not unit.ledger.turns_by_id([name]):
            raise NotFound(f"No turn {name}", remedy="See turns()")
        return Selection(turns={name: "it is the source"})
    why = f"it came from this {origin.what}"
    if origin.what == "sender":
        return Selection(
            turns=_noted(unit.eraser.turns_of(sender=name, since=since, until=until), why)
        )
    if origin.what == "trust":
        tier = next(known for known in TRUSTS if known == name)
        told = unit.memories.find(MemoryFilter(trust=tier, limit=checks.MAX_ROWS))
        return Selection(
            turns=_noted(unit.eraser.turns_of(trust=tier, since=since, until=until), why),
            memories=_noted(
                (m.id for m in told if not m.sources and _within(m.created_at, asked)), why
            ),
        )
    eraser = unit.eraser
    info = unit.ledger.session(name)
    empty = [name] if info is not None and not info.turns and not asked.timed else []
    return Selection(
        sessions=_noted(empty, "it was named"),
        turns=_noted(eraser.turns_of(session=name, since=since, until=until), why),
        memories=_noted(eraser.records_of("memory", session=name, since=since, until=until), why),
        episodes=_noted(eraser.records_of("episode", session=name, since=since, until=until), why),
        attachments=_noted(
            eraser.records_of("attachment", session=name, since=since, until=until), why
        ),
    )


def _noted(ids: Iterable[str], why: str) -> dict[str, str]:
    return dict.fromkeys(ids, why)


def _within(at: datetime, asked: ForgetRequest) -> bool:
    return (asked.since is None or at >= asked.since) and (asked.until is None or at < asked.until)
