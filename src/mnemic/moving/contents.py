"""Everything in a memory that a person may want to read, gathered through the Mind alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TypeVar

from mnemic.days import Zone, home_zone, local_time
from mnemic.documents.report import Question
from mnemic.engine.mind import Mind
from mnemic.errors import InvalidInput
from mnemic.language.guard import bounds_of
from mnemic.language.secrets.randomness import Bounds
from mnemic.types import (
    KINDS,
    Attachment,
    DailyEvent,
    Episode,
    Memory,
    Scratchpad,
    SessionInfo,
    Source,
    Stats,
    Turn,
)

_T = TypeVar("_T")
_PAGE = 5_000  # records of one query
_ALL = 1_000_000
_NEVER_HELD = ("pending", "rejected", "item")
Progress = Callable[[int, int], None]
"""Takes how many turns were read, and how many there are."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory with the versions before it, oldest first, and the turns that it came from."""

    memory: Memory
    before: tuple[Memory, ...] = ()
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A conversation, whole, with its episodes."""

    info: SessionInfo
    turns: tuple[Turn, ...]
    episodes: tuple[Episode, ...]


@dataclass(frozen=True, slots=True)
class RecordedDay:
    """The conversations that began on a day, in order, and those events of that day that no
    episode of them tells.
    """

    day: date
    sessions: tuple[RecordedSession, ...]
    events: tuple[DailyEvent, ...]


@dataclass(frozen=True, slots=True)
class MemoryContents:
    """A memory for reading.

    ``known`` is what holds now, in the order of kinds; ``past`` what held once and has no current
    version; ``days`` the latest first. ``masked`` bounds what counts as a secret, None where
    secrets were asked for; ``secrets`` are then those of credentials, by the id of the memory.
    ``off`` says that plain files answered.
    """

    space: str
    at: datetime
    stats: Stats
    masked: Bounds | None
    known: tuple[Statement, ...]
    past: tuple[Statement, ...]
    pending: tuple[Statement, ...]
    questions: tuple[Question, ...]
    pad: Scratchpad
    days: tuple[RecordedDay, ...]
    attachments: tuple[Attachment, ...]
    versions: tuple[Memory, ...]
    secrets: Mapping[str, str]
    zone: Zone
    off: bool

    @property
    def turns(self) -> Iterator[Turn]:
        """Every turn, conversation by conversation."""
        return (turn for day in self.days for one in day.sessions for turn in one.turns)

    def local(self, moment: datetime) -> datetime:
        """A moment by the clocks of the memory's zone."""
        return _local(moment, self.zone)


def read_contents(
    mind: Mind, *, at: datetime, secrets: bool = False, progress: Progress | None = None
) -> MemoryContents:
    """Read a memory whole; ``at`` is the time of the export."""
    stats = mind.stats()
    turns = list(_all_turns(mind, stats.turns, progress))
    by_id: dict[str, Turn] = {turn.id: turn for turn in turns}
    versions = list(_read_pages(lambda offset: mind.memories(
        status="all", order="oldest", limit=_PAGE, offset=offset)))  # fmt: skip
    holding = {memory.id for memory in _read_pages(lambda offset: mind.memories(
        limit=_PAGE, offset=offset))}  # fmt: skip
    replaced = _group_replaced(versions)

    def statements(chosen: Iterable[Memory]) -> tuple[Statement, ...]:
        return tuple(
            Statement(memory, _before(memory, replaced), _sources(memory.sources, by_id))
            for memory in chosen
        )

    ids = {memory.id for memory in versions}
    ends = [memory for memory in versions if memory.superseded_by not in ids]
    past = [m for m in ends if m.id not in holding and m.status not in _NEVER_HELD]
    waiting = _read_pages(lambda offset: mind.pending(limit=_PAGE, offset=offset))
    known = sorted((m for m in versions if m.id in holding), key=_place)
    off = not mind.settings.memory.enabled  # plain files hold turns and statements only
    latest = max((turn.at for turn in turns if turn.role == "user"), default=None)
    zone = home_zone(latest, mind.settings.schedule.zone)
    return MemoryContents(
        space=mind.space,
        at=at,
        stats=stats,
        masked=None if secrets else bounds_of(mind.settings),
        known=statements(known),
        past=statements(sorted(past, key=lambda m: (m.updated_at, m.id), reverse=True)),
        pending=statements(waiting),
        questions=() if off else tuple(_questions(mind)),
        pad=Scratchpad() if off else mind.scratchpad(),
        days=tuple(_days(mind, turns, zone, off=off)),
        attachments=() if off else tuple(mind.attachments(limit=_ALL)),
        versions=tuple(versions),
        secrets={m.id: mind.reveal(m.id) for m in known if secrets and m.kind == "credential"},
        zone=zone,
        off=off,
    )


def _local(moment: datetime, zone: Zone) -> datetime:
    try:
        return local_time(moment, zone)
    except OverflowError:  # the first and the last day of the calendar
        return moment


def _read_pages(page_from: Callable[[int], list[_T]]) -> Iterator[_T]:
    offset = 0
    while page := page_from(offset):
        yield from page
        offset += len(page)


def _all_turns(mind: Mind, total: int, progress: Progress | None) -> Iterator[Turn]:
    for count, turn in enumerate(
        _read_pages(lambda offset: mind.turns(limit=_PAGE, offset=offset)), start=1
    ):
        yield turn
        if progress and (count % _PAGE == 0 or count == total):
            progress(count, total)


def _questions(mind: Mind) -> list[Question]:
    try:
        return mind.questions()
    except InvalidInput:  # a memory in RAM has no documents
        return []


def _group_replaced(versions: Iterable[Memory]) -> dict[str, list[Memory]]:
    """By the id of a memory, those that it took the place of."""
    replaced: dict[str, list[Memory]] = defaultdict(list)
    for memory in versions:
        if memory.superseded_by and memory.status not in _NEVER_HELD:
            replaced[memory.superseded_by].append(memory)
    return replaced


def _before(memory: Memory, replaced: Mapping[str, list[Memory]]) -> tuple[Memory, ...]:
    """The earlier versions of a memory, oldest first."""
    found: dict[str, Memory] = {}
    ahead = list(replaced.get(memory.id, ()))
    while ahead:
        one = ahead.pop()
        if one.id not in found and one.id != memory.id:
            found[one.id] = one
            ahead += replaced.get(one.id, ())
    return tuple(sorted(found.values(), key=lambda m: (m.created_at, m.id)))


def _sources(sources: Iterable[Source], by_id: Mapping[str, Turn]) -> tuple[Turn, ...]:
    """The turns of sources that are still there, in order."""
    turns = {source.turn_id: by_id[source.turn_id] for source in sources if source.turn_id in by_id}
    return tuple(sorted(turns.values(), key=lambda turn: (turn.at, turn.id)))


def _place(memory: Memory) -> tuple[object, ...]:
    """By kind, then the owner first and others by name, then what matters most."""
    kind = KINDS.index(memory.kind) if memory.kind in KINDS else len(KINDS)
    subject = memory.subject.casefold()
    return (kind, memory.kind, subject != "user", subject, -memory.importance, memory.id)


def _days(mind: Mind, turns: list[Turn], zone: Zone, *, off: bool) -> Iterator[RecordedDay]:
    """Sessions by the day they began on, the latest first; one without a turn only if it tells
    something.
    """
    said: dict[str, list[Turn]] = defaultdict(list)
    for turn in turns:
        said[turn.session].append(turn)
    stories: dict[str, list[Episode]] = defaultdict(list)
    for episode in sorted(
        [] if off else mind.episodes(limit=_ALL), key=lambda e: (e.started_at, e.id)
    ):
        stories[episode.session].append(episode)
    days: dict[date, list[RecordedSession]] = defaultdict(list)
    for info in _read_pages(lambda offset: mind.sessions(limit=_PAGE, offset=offset)):
        own = sorted(said.get(info.id, ()), key=lambda turn: turn.index)
        began = _local(own[0].at if own else info.started_at, zone).date()
        if own or stories.get(info.id):
            days[began].append(RecordedSession(info, tuple(own), tuple(stories.get(info.id, ()))))
    events: dict[date, list[DailyEvent]] = defaultdict(list)
    for event in [] if off else mind.daily_events(limit=_ALL):
        events[event.day].append(event)
    for day in sorted({*days, *events}, reverse=True):
        began_first = sorted(days.get(day, ()), key=lambda one: (one.info.started_at, one.info.id))
        told = [story.summary for one in began_first for story in one.episodes]
        ordered = sorted(events.get(day, ()), key=lambda event: (event.created_at, event.id))
        untold = [event for event in ordered if not any(event.summary in one for one in told)]
        yield RecordedDay(day, tuple(began_first), tuple(untold))
