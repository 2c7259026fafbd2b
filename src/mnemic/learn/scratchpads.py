"""The scratchpad of a space: read, overwritten by a person, kept up by the task at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from mnemic.days import in_zone, local_time
from mnemic.errors import InvalidInput
from mnemic.ids import new_id
from mnemic.language.guard import DEFAULT, Guard
from mnemic.language.scratchpad import advance, assign, conclude, fit, open_part, parse, render
from mnemic.language.voice import own_voice
from mnemic.rules import checks
from mnemic.settings import Settings
from mnemic.settings.learning import ScratchpadSettings
from mnemic.space import Space, user_zone
from mnemic.store.contract import Unit
from mnemic.store.rows import PadRow, TurnFilter
from mnemic.types import Episode, Event, Fact, SafeName, SafeText, Scratchpad, constant, join_key
from mnemic.types.literals import PAD_WRITERS, PadWriter

EVENT = constant("scratchpad")
BY_HOST = "host"  # the host hands over the task, so no message is read for one
_FOLLOWED = 50  # messages that are taken in on reading, the latest
_CHANGES = 50  # latest changes in which the origin of a task is looked for
_STALE = timedelta(days=14)  # a task that nobody has stated since is not shown any more
_Stamp = tuple[PadRow | None, list[int]]


@dataclass(frozen=True, slots=True)
class _Origin:
    """When and in which project a task was stated; a person's own words have no project."""

    at: datetime
    project: str = ""
    by_person: bool = False

    def is_open(self, project: str | None, now: datetime) -> bool:
        """Whether the task is shown in a session of ``project``; None shows those of all."""
        return self.by_person or (now - self.at < _STALE and project in (None, self.project))


@dataclass(frozen=True, slots=True)
class _Pad:
    """A scratchpad with the origin of its tasks by their text; ``as_written`` while nothing was
    added to what a person or the agent wrote.
    """

    pad: Scratchpad
    origins: dict[str, _Origin]
    as_written: bool


@dataclass(slots=True, eq=False)
class Scratchpads:
    """Reads and writes the scratchpad of one space."""

    space: Space
    _cached: tuple[_Stamp, _Pad] | None = None

    def get(self) -> Scratchpad:
        """What is on it, with the latest messages of the user taken in."""
        return self._current().pad

    def open_tasks(
        self, project: SafeName | None, is_shown: Callable[[str], bool] = lambda task: False
    ) -> str:
        """What of it belongs into a prompt: the tasks that are open in a project, or with None in
        all, unless they are shown there already, and what a person or the agent wrote. Empty where
        nothing is to be done.
        """
        current, now = self._current(), self.space.now()
        if current.as_written or not current.pad.text.strip():
            return current.pad.text
        tasks = {
            task
            for task, origin in current.origins.items()
            if origin.is_open(project, now) and (origin.by_person or not is_shown(task))
        }
        pad = current.pad
        shown = open_part(pad, focus=pad.focus in tasks, questions=tasks)
        if self.space.settings.scratchpad.progress:
            done = tuple(
                replace(completion, at=completion.at and completion.at.replace(tzinfo=None))
                for completion in pad.completions
                if now - (completion.at or now) < _STALE
            )
            shown = replace(shown, projects=pad.projects, completions=done)
        return render(shown)

    def _current(self) -> _Pad:
        """It is asked for with every message, so it is worked out again only when they are
        others.
        """
        with self.space.read() as unit:
            stamp = (unit.scratchpads.get(), unit.ledger.latest_docs(_FOLLOWED))
            cached = self._cached
            if cached is not None and cached[0] == stamp:
                return cached[1]
            pad = _follow(unit, self.space.settings.scratchpad, self.space.settings.schedule.zone)
        self._cached = (stamp, pad)
        return pad

    def clear(self) -> None:
        """Let go of what is held; the store is not touched."""
        self._cached = None

    def put(self, markdown: str, by: PadWriter = "user") -> Scratchpad:
        """Somebody's own text in place of what was there, which stays in the history."""
        checks.check_choice(by, PAD_WRITERS, "by")
        limit = self.space.settings.scratchpad.max_chars
        text = self.space.guard.text(markdown, "scratchpad", limit)
        size = len(render(parse(text)))
        if size > limit:
            raise InvalidInput(
                f"The scratchpad would have {size:,} characters once written as lists",
                remedy=f"Shorten it to {limit:,}, or raise scratchpad.max_chars",
            )
        now = self.space.now()
        with self.space.write() as unit:
            old = read_pad(unit)
            if old.text != text:
                before = self.space.guard.error(old.text, limit)
                _write(unit, text, now, {"by": constant(by), "before": before})
            return read_pad(unit)

    def assign(self, task: str, project: SafeName) -> Scratchpad:
        """The task at hand as the host's own compiler or planner states it; the one before it is
        archived when the topic changes.
        """
        safe = self.space.guard.text(task, "task", self.space.settings.scratchpad.max_chars)
        now = self.space.now()
        with self.space.write() as unit:
            old = read_pad(unit)
            local = in_zone(now, self.space.zone(unit))
            new = assign(old, safe, local, self.space.settings.scratchpad)
            origin = _Origin(now, project)
            if new == old and _by_host(unit):
                return old
            pad = replace(new, updated_at=now) if new == old else new
            return _save(unit, old, pad, now, by=BY_HOST, origin=origin, guard=self.space.guard)


def _by_host(unit: Unit) -> bool:
    latest = unit.journal.events(subject=EVENT, type_=EVENT, limit=1)
    return bool(latest) and latest[0].payload.get("by") == BY_HOST


def read_pad(unit: Unit) -> Scratchpad:
    """The scratchpad as it is stored."""
    row = unit.scratchpads.get()
    return Scratchpad() if row is None else replace(parse(row.text), updated_at=row.updated_at)


def _follow(unit: Unit, settings: ScratchpadSettings, zone: str) -> _Pad:
    """The scratchpad as of the last message: what was said since it was written is added on
    reading, so that recording a turn does not wait for it.
    """
    pad = stored = read_pad(unit)
    changes = unit.journal.events(subject=EVENT, type_=EVENT, limit=_CHANGES)
    origins = _origins(pad, changes)
    as_written = bool(changes) and changes[0].payload.get("by") in PAD_WRITERS
    by_host = bool(changes) and changes[0].payload.get("by") == BY_HOST
    if settings.driver != "task" or by_host:
        return _Pad(pad, origins, as_written)
    turns = unit.ledger.turns(
        TurnFilter(role="user", since=pad.updated_at, newest_first=True, limit=_FOLLOWED)
    )
    projects: dict[str, str] = {}
    home = user_zone(unit, zone) if turns else zone
    for turn in reversed(turns):
        if turn.trust == "owner" and (pad.updated_at is None or turn.at > pad.updated_at):
            before = pad.focus
            local = local_time(turn.at, home)
            pad = advance(pad, own_voice(turn.text), local, settings)
            pad = replace(pad, updated_at=turn.at)
            if pad.focus and pad.focus != before:
                if turn.session not in projects:
                    info = unit.ledger.session(turn.session)
                    projects[turn.session] = "" if info is None else info.project
                origins[pad.focus] = _Origin(turn.at, projects[turn.session])
    return _Pad(pad, origins, as_written and pad == stored)


def _origins(pad: Scratchpad, changes: Sequence[Event]) -> dict[str, _Origin]:
    """The origin of each task that is stored, by the latest changes, the newest first."""
    tasks = list(filter(None, (pad.focus, *pad.questions)))
    origins: dict[str, _Origin] = {}
    for event in reversed(changes):
        if event.payload.get("by") in PAD_WRITERS:
            origins = {task: _Origin(event.at, by_person=True) for task in tasks}
        else:
            origins |= {task: _read_origin(event) for task in _list_tasks(event)}
    return origins


def _read_origin(event: Event) -> _Origin:
    said_at = event.payload.get("said_at")
    at = datetime.fromisoformat(said_at) if isinstance(said_at, str) else event.at
    return _Origin(at, str(event.payload.get("project", "")))


def _list_tasks(event: Event) -> list[str]:
    """The tasks that a change put on the scratchpad."""
    change = event.payload
    opened = change.get("opened")
    focus = change.get("focus")
    tasks = [focus] if isinstance(focus, str) and focus != change.get("before") else []
    return [*tasks, *(opened if isinstance(opened, list) else ())]


def catch_up_pad(
    unit: Unit, now: datetime, settings: Settings, guard: Guard = DEFAULT
) -> Scratchpad:
    """Write down what was said since it was written."""
    followed = _follow(unit, settings.scratchpad, settings.schedule.zone)
    origin = followed.origins.get(followed.pad.focus, _Origin(now))
    return _save(unit, read_pad(unit), followed.pad, now, by="task", origin=origin, guard=guard)


def conclude_pad(
    unit: Unit,
    episode: Episode,
    project: str,
    at: datetime,
    settings: Settings,
    *,
    guard: Guard = DEFAULT,
) -> Scratchpad:
    """What a session left: done, going on, or open. Its story may be told late, and ends no task
    that was stated after it.
    """
    old = catch_up_pad(unit, at, settings, guard)
    if _by_host(unit):
        return old
    ended = local_time(episode.ended_at, user_zone(unit, settings.schedule.zone))
    origins = _origins(old, unit.journal.events(subject=EVENT, type_=EVENT, limit=_CHANGES))
    later = old.focus in origins and origins[old.focus].at > episode.ended_at
    pad = replace(old, focus="") if later else old
    new = conclude(pad, replace(episode, ended_at=ended), project, settings.scratchpad)
    if later:
        new = fit(replace(new, focus=old.focus), settings.scratchpad.max_chars)
    origin = _Origin(episode.ended_at, project)
    return _save(unit, old, new, at, by="session_end", origin=origin, guard=guard)


def _save(
    unit: Unit,
    old: Scratchpad,
    new: Scratchpad,
    at: datetime,
    *,
    by: str,
    origin: _Origin,
    guard: Guard,
) -> Scratchpad:
    if new == old:
        return old
    completions = frozenset(new.completions)
    dropped = [done.task for done in old.completions if done not in completions]
    opened = [question for question in new.questions if question not in old.questions]
    change = {
        "by": by,
        "focus": new.focus,
        "before": old.focus,
        "gone": dropped,
        "opened": opened,
        "said_at": origin.at.isoformat(),
        "project": origin.project,
    }
    text = guard.text(new.text, "scratchpad")
    _write(unit, text, at, guard.json(change, "scratchpad"))
    return replace(new, updated_at=at)


def _write(unit: Unit, text: SafeText, at: datetime, change: dict[str, Fact]) -> None:
    unit.scratchpads.put(text, at)
    unit.journal.begin(join_key(EVENT, new_id(at)), at).note(EVENT, EVENT, **change)
