"""The scratchpad of a space: read, overwritten by a person, kept up by the task at hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Literal, get_args

from recollect.clock import Clock
from recollect.errors import InvalidInput
from recollect.ids import new_id
from recollect.language.guard import DEFAULT, Guard
from recollect.language.scratchpad import advance, conclude, parse, render
from recollect.language.voice import own_voice
from recollect.rules import checks
from recollect.settings.learning import ScratchpadSettings
from recollect.store.contract import Store, Unit
from recollect.store.rows import PadRow, TurnFilter
from recollect.types import Episode, Fact, SafeText, Scratchpad, constant, joined

EVENT = constant("scratchpad")
Writer = Literal["user", "agent"]
WRITERS: tuple[Writer, ...] = get_args(Writer)
_FOLLOWED = 50  # messages that are taken in on reading, the latest
_Stamp = tuple[PadRow | None, list[int]]


class Scratchpads:
    """Reads and writes the scratchpad of one space."""

    def __init__(
        self,
        store: Store,
        space: str,
        clock: Clock,
        settings: ScratchpadSettings,
        guard: Guard = DEFAULT,
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._settings = settings
        self._guard = guard
        self._cached: tuple[_Stamp, Scratchpad] | None = None

    def get(self) -> Scratchpad:
        """What is on it, with the latest messages of the user taken in.

        It is asked for with every message, so it is worked out again only when they are others.
        """
        with self._store.read(self._space) as unit:
            stamp = (unit.scratchpads.get(), unit.ledger.latest_docs(_FOLLOWED))
            cached = self._cached
            if cached is not None and cached[0] == stamp:
                return cached[1]
            pad = current_pad(unit, self._settings)
        self._cached = (stamp, pad)
        return pad

    def clear(self) -> None:
        """Let go of what is held; the store is not touched."""
        self._cached = None

    def put(self, markdown: str, by: Writer = "user") -> Scratchpad:
        """Somebody's own text in place of what was there, which stays in the history."""
        checks.check_choice(by, WRITERS, "by")
        text = self._guard.text(markdown, "scratchpad", self._settings.max_chars)
        size, limit = len(render(parse(text))), self._settings.max_chars
        if size > limit:
            raise InvalidInput(
                f"The scratchpad would have {size:,} characters once written as lists",
                remedy=f"Shorten it to {limit:,}, or raise scratchpad.max_chars",
            )
        now = self._clock.now()
        with self._store.write(self._space) as unit:
            old = read_pad(unit)
            if old.text != text:
                before = self._guard.error(old.text, self._settings.max_chars)
                _write(unit, text, now, {"by": constant(by), "before": before})
            return read_pad(unit)


def read_pad(unit: Unit) -> Scratchpad:
    """The scratchpad as it is stored."""
    row = unit.scratchpads.get()
    return Scratchpad() if row is None else replace(parse(row.text), updated_at=row.updated_at)


def current_pad(unit: Unit, settings: ScratchpadSettings) -> Scratchpad:
    """The scratchpad as of the last message: what was said since it was written is added on
    reading, so that recording a turn does not wait for it.
    """
    pad = read_pad(unit)
    if settings.driver != "task":
        return pad
    turns = unit.ledger.turns(
        TurnFilter(role="user", since=pad.updated_at, newest_first=True, limit=_FOLLOWED)
    )
    for turn in reversed(turns):
        if turn.trust == "owner" and (pad.updated_at is None or turn.at > pad.updated_at):
            pad = replace(
                advance(pad, own_voice(turn.content), turn.at, settings), updated_at=turn.at
            )
    return pad


def catch_up_pad(
    unit: Unit, now: datetime, settings: ScratchpadSettings, guard: Guard = DEFAULT
) -> Scratchpad:
    """Write down what ``current_pad`` says."""
    return _changed(unit, read_pad(unit), current_pad(unit, settings), now, by="task", guard=guard)


def conclude_pad(
    unit: Unit,
    episode: Episode,
    project: str,
    at: datetime,
    settings: ScratchpadSettings,
    *,
    guard: Guard = DEFAULT,
) -> Scratchpad:
    """What a session left: done, going on, or open."""
    old = read_pad(unit)
    new = conclude(old, episode, project, at, settings)
    return _changed(unit, old, new, at, by="session_end", guard=guard)


def _changed(
    unit: Unit, old: Scratchpad, new: Scratchpad, at: datetime, *, by: str, guard: Guard
) -> Scratchpad:
    if new == old:
        return old
    kept = frozenset(new.completions)
    dropped = [done.task for done in old.completions if done not in kept]
    change = {"by": by, "focus": new.focus, "before": old.focus, "gone": dropped}
    text = guard.text(new.text, "scratchpad")
    _write(unit, text, at, guard.json(change, "scratchpad"))
    return replace(new, updated_at=at)


def _write(unit: Unit, text: SafeText, at: datetime, change: dict[str, Fact]) -> None:
    unit.scratchpads.put(text, at)
    unit.journal.add_event(
        EVENT, operation_id=joined(EVENT, new_id(at)), subject=EVENT, payload=change, at=at
    )
