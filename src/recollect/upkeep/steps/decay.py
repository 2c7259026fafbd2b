"""Decay: memories that have faded are put away or given little time, as the preset's law says."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.rules.decay import class_of, faded, judge
from recollect.rules.tiers import priority_of
from recollect.types import KINDS, Kind, Memory
from recollect.upkeep.report import Change
from recollect.upkeep.work import PORTION, Step

_SHOWN = 120  # characters of a statement in a report


def decay(step: Step) -> None:
    """Judge every memory whose class says that faded ones go."""
    kinds = _judged_kinds(step)
    if not kinds:
        return
    for memories in walk(step, kinds):
        step.apply([change for memory in memories if (change := _fate(step, memory))])


def walk(step: Step, kinds: tuple[Kind, ...] | None = None) -> Iterator[list[Memory]]:
    """Active memories in portions, each from a snapshot of its own."""
    after = -1
    while True:
        with step.store.read(step.space) as unit:
            found = unit.tiers.walk(after, PORTION, kinds)
        if not found:
            return
        after = found[-1].doc
        yield [shelved.memory for shelved in found]


def short(text: str) -> str:
    """A statement as a report shows it."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def _judged_kinds(step: Step) -> tuple[Kind, ...]:
    law = step.settings.decay
    return tuple(
        kind
        for kind in KINDS
        if (cls := class_of(kind, law)).delete_below or cls.archive_below or cls.demote_below
    )


def _fate(step: Step, memory: Memory) -> Change | None:
    settings = step.settings
    if priority_of(memory, settings.lifetimes) not in settings.decay.priorities:
        return None
    law = class_of(memory.kind, settings.decay)
    idle = step.now - memory.last_accessed_at
    score = faded(memory.importance, idle, law)
    fate = judge(score, memory.access_count, law)
    if fate == "keep" or (fate == "demote" and _is_short(step, memory)):
        return None
    why = f"{memory.importance:g} has faded to {score:.3f} in {idle.days} days without use"
    return Change(fate, memory.id, short(memory.content), why)


def _is_short(step: Step, memory: Memory) -> bool:
    """Already as short-lived as a demotion would make it."""
    life = step.settings.lifetimes.transient
    if life is None:
        return memory.expires_at is None
    return memory.expires_at is not None and memory.expires_at <= step.now + life
