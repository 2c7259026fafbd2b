"""Everything in a memory that a person may want to read, gathered through the Mind alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from typing import TypeVar

from mnemic.days import home_zone, local_time
from mnemic.documents.report import Question
from mnemic.engine.mind import Mind
from mnemic.errors import InvalidInput
from mnemic.language.guard import bounds_of
from mnemic.late import dataclass
from mnemic.types import KINDS, DailyEvent, Episode, Memory, Scratchpad, SessionInfo, Turn

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
    """A day's conversations by their beginning, and its events that no episode tells."""

    day: date
    sessions: tuple[RecordedSession, ...]
    events: tuple[DailyEvent, ...]


class MemoryContents:
    """A memory for reading, as it is when it is made; ``at`` is the time of the export.

    ``known`` is what holds now, in the order of kinds; ``past`` what held once and has no current
    version; ``days`` the latest first. ``masked`` bounds what counts as a secret, None where
    secrets were asked for; ``secrets`` are then those of credentials, by the id of the memory.
    ``off`` says that plain files answered, which hold turns and statements only.
    """

    def __init__(
        self, mind: Mind, *, at: datetime, secrets: bool = False, progress: Progress | None = None
    ) -> None:
        self.space, self.at, self.stats = mind.space, at, mind.stats()
        self.off = not mind.settings.memory.enabled
        self.masked = None if secrets else bounds_of(mind.settings)
        turns = list(_read_turns(mind, self.stats.turns, progress))
        latest = max((turn.at for turn in turns if turn.role == "user"), default=None)
        self.zone = home_zone(latest, mind.settings.schedule.zone)
        self._read_statements(mind, {turn.id: turn for turn in turns})
        memories = (statement.memory for statement in self.known if secrets)
        credentials = [memory.id for memory in memories if memory.kind == "credential"]
        self.secrets = {id_: mind.reveal(id_) for id_ in credentials}
        self.questions = [] if self.off else _read_questions(mind)
        self.pad = Scratchpad() if self.off else mind.scratchpad()
        self.attachments = [] if self.off else mind.attachments(limit=_ALL)
        episodes = [] if self.off else mind.episodes(limit=_ALL)
        events = [] if self.off else mind.daily_events(limit=_ALL)
        self.days = list(self._read_days(mind, turns, episodes, events))

    @property
    def turns(self) -> Iterator[Turn]:
        """Every turn, conversation by conversation."""
        return (turn for day in self.days for session in day.sessions for turn in session.turns)

    def local(self, moment: datetime) -> datetime:
        """A moment by the clocks of the memory's zone."""
        try:
            return local_time(moment, self.zone)
        except OverflowError:  # the first and the last day of the calendar
            return moment

    def _read_statements(self, mind: Mind, turns: dict[str, Turn]) -> None:
        every = _read_pages(
            lambda at: mind.memories(status="all", order="oldest", limit=_PAGE, offset=at)
        )
        held = _read_pages(lambda at: mind.memories(limit=_PAGE, offset=at))
        self.versions, current_ids = list(every), {memory.id for memory in held}
        ids = {memory.id for memory in self.versions}
        replaced: dict[str, list[Memory]] = defaultdict(list)  # by the id of what replaced them
        for memory in self.versions:
            if memory.superseded_by and memory.status not in _NEVER_HELD:
                replaced[memory.superseded_by].append(memory)

        def state(memory: Memory) -> Statement:
            sources = {source.turn_id for source in memory.sources} & turns.keys()
            evidence = sorted(map(turns.__getitem__, sources), key=lambda turn: (turn.at, turn.id))
            return Statement(memory, _read_before(memory, replaced), tuple(evidence))

        current = [memory for memory in self.versions if memory.id in current_ids]
        past = [
            memory
            for memory in self.versions
            if not (memory.superseded_by in ids or memory.id in current_ids)
            and memory.status not in _NEVER_HELD
        ]
        past.sort(key=lambda memory: (memory.updated_at, memory.id), reverse=True)
        self.known = [*map(state, sorted(current, key=_rank))]
        self.past = [*map(state, past)]
        self.pending = [*map(state, _read_pages(lambda at: mind.pending(limit=_PAGE, offset=at)))]

    def _read_days(
        self, mind: Mind, turns: list[Turn], episodes: list[Episode], events: list[DailyEvent]
    ) -> Iterator[RecordedDay]:
        """Sessions by their first day, the latest first; empty ones only if they tell of it."""
        turns_of = _group(sorted(turns, key=lambda turn: turn.index), lambda turn: turn.session)
        stories = _group(sorted(episodes, key=lambda e: (e.started_at, e.id)), lambda e: e.session)
        days: dict[date, list[RecordedSession]] = defaultdict(list)
        infos = _read_pages(lambda at: mind.sessions(limit=_PAGE, offset=at))
        for info in sorted(infos, key=lambda info: (info.started_at, info.id)):
            session = RecordedSession(info, (*turns_of[info.id],), (*stories[info.id],))
            if session.turns or session.episodes:
                began = session.turns[0].at if session.turns else info.started_at
                days[self.local(began).date()].append(session)
        by_day = _group(sorted(events, key=lambda e: (e.created_at, e.id)), lambda e: e.day)
        for day in sorted({*days, *by_day}, reverse=True):
            summaries = [story.summary for session in days[day] for story in session.episodes]
            untold = (e for e in by_day[day] if not any(e.summary in s for s in summaries))
            yield RecordedDay(day, (*days[day],), (*untold,))


_Key = TypeVar("_Key")


def _group(records: Iterable[_T], key: Callable[[_T], _Key]) -> defaultdict[_Key, list[_T]]:
    groups = defaultdict[_Key, list[_T]](list)
    for record in records:
        groups[key(record)].append(record)
    return groups


def _read_pages(page_from: Callable[[int], list[_T]]) -> Iterator[_T]:
    offset = 0
    while page := page_from(offset):
        yield from page
        offset += len(page)


def _read_turns(mind: Mind, total: int, progress: Progress | None) -> Iterator[Turn]:
    pages = _read_pages(lambda offset: mind.turns(limit=_PAGE, offset=offset))
    for count, turn in enumerate(pages, start=1):
        yield turn
        if progress and (count % _PAGE == 0 or count == total):
            progress(count, total)


def _read_questions(mind: Mind) -> list[Question]:
    try:
        return mind.questions()
    except InvalidInput:  # a memory in RAM has no documents
        return []


def _read_before(memory: Memory, replaced: dict[str, list[Memory]]) -> tuple[Memory, ...]:
    """The earlier versions of a memory, oldest first."""
    versions: dict[str, Memory] = {}
    ahead = [*replaced.get(memory.id, ())]
    while ahead:
        version = ahead.pop()
        if version.id not in versions and version.id != memory.id:
            versions[version.id] = version
            ahead += replaced.get(version.id, ())
    return tuple(sorted(versions.values(), key=lambda m: (m.created_at, m.id)))


def _rank(memory: Memory) -> tuple[object, ...]:
    """By kind, then the owner first and others by name, then what matters most."""
    kind = KINDS.index(memory.kind) if memory.kind in KINDS else len(KINDS)
    subject = memory.subject.casefold()
    return (kind, memory.kind, subject != "user", subject, -memory.importance, memory.id)
