"""Ageing: faded or expired memories, lapsed questions and old files are archived."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from mnemic.days import day_of
from mnemic.rules.decay import Fate, class_of, fade, judge
from mnemic.rules.kinds import kinds_of
from mnemic.rules.lifetimes import counts_from, sooner
from mnemic.rules.tiers import priority_of
from mnemic.settings import Settings
from mnemic.types import Kind, Memory
from mnemic.upkeep.report import Change, Reason
from mnemic.upkeep.work import PORTION, Step


def decay(step: Step) -> None:
    """Judge every memory of a kind whose decay class has thresholds."""
    law = step.settings.decay
    kinds = tuple(
        kind
        for kind in kinds_of(step.settings)
        if (cls := class_of(kind, law)).delete_below or cls.archive_below or cls.demote_below
    )
    if not kinds:
        return
    for memories in active_memories(step, kinds):
        step.apply([change for memory in memories if (change := _fate(step, memory))])


def active_memories(step: Step, kinds: tuple[Kind, ...] | None = None) -> Iterator[list[Memory]]:
    """Active memories in portions, each from a snapshot of its own."""
    after = -1
    while True:
        with step.store.read(step.space) as unit:
            rows = unit.tiers.walk(after, PORTION, kinds)
        if not rows:
            return
        after = rows[-1].doc
        yield [shelved.memory for shelved in rows]


def is_current(step: Step, memory: Memory) -> bool:
    return memory.expires_at is None or memory.expires_at > step.now


def judge_age(memory: Memory, settings: Settings, now: datetime) -> tuple[Fate, float, timedelta]:
    """What becomes of a memory, its faded importance, and for how long nobody used it."""
    law = class_of(memory.kind, settings.decay)
    since = counts_from(memory.last_accessed_at, memory.valid_from, memory.valid_to)
    idle = max(now - since, timedelta())
    score = fade(memory.importance, idle, law)
    judged = priority_of(memory, settings.lifetimes) in settings.decay.priorities
    return judge(score, memory.access_count, law) if judged else "keep", score, idle


def _fate(step: Step, memory: Memory) -> Change | None:
    fate, score, idle = judge_age(memory, step.settings, step.now)
    if fate == "keep" or (fate == "demote" and _is_short(step, memory)):
        return None
    why = Reason(
        f"{memory.importance:g} has faded to {score:.3f} in {idle.days} days without use",
        f"{idle.days} 天未用，{memory.importance:g} 已衰减到 {score:.3f}",
    )
    return Change.of(fate, memory, why)


def _is_short(step: Step, memory: Memory) -> bool:
    """Already as short-lived as a demotion would make it."""
    life = step.settings.lifetimes.transient
    if life is None:
        return memory.expires_at is None
    return memory.expires_at is not None and memory.expires_at <= step.now + life


def expire(step: Step) -> None:
    """Archive expired memories, which no search returns since their expiry."""
    while True:
        with step.store.read(step.space) as unit:
            memories = unit.tiers.list_expired(step.now, PORTION)
        step.apply(
            [
                Change.of(
                    "expire", memory, Reason(f"its time ended on {until}", f"已于 {until} 到期")
                )
                for memory in memories
                if (ended := sooner(memory.expires_at, memory.valid_to))
                and (until := str(day_of(ended, step.zone)))
            ]
        )
        if len(memories) < PORTION or step.dry_run:
            break
    if not step.dry_run:
        lapsed = step.tools.lapse(step.space)
        step.did(**({"lapsed": lapsed} if lapsed else {}))


def forget_files(step: Step) -> None:
    """Old attachments of which nothing is known, and JSONL copies; the files stay."""
    keep = step.settings.attachments
    if keep.keep is not None:
        oldest = step.now - keep.keep
        while True:
            with step.store.read(step.space) as unit:
                files = unit.attachments.unknown(oldest, PORTION)
            step.apply(
                [
                    Change("forget_file", file.id, file.filename, Reason(f"from {day}", day))
                    for file in files
                    if (day := f"{day_of(file.created_at, step.zone)}")
                ]
            )
            if len(files) < PORTION or step.dry_run:
                break
    if not step.dry_run:
        removed = step.tools.forget_old_files(step.space)
        step.did(**({"transcripts": removed} if removed else {}))
