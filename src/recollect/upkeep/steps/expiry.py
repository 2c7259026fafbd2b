"""Ageing: memories past their time, questions nobody answered, files nobody needs."""

from __future__ import annotations

from recollect.upkeep.report import Change
from recollect.upkeep.steps.decay import short
from recollect.upkeep.work import PORTION, Step


def expire(step: Step) -> None:
    """What has outlived its time is put away; no search has found it since then anyway."""
    while True:
        with step.store.read(step.space) as unit:
            found = unit.tiers.expired(step.now, PORTION)
        step.apply(
            [
                Change("expire", memory.id, short(memory.content), f"its time ended on {until}")
                for memory in found
                if (until := f"{memory.expires_at:%Y-%m-%d}")
            ]
        )
        if len(found) < PORTION or step.dry_run:
            break
    if not step.dry_run:
        lapsed = step.tools.lapse(step.space)
        step.did(**({"lapsed": lapsed} if lapsed else {}))


def forget_files(step: Step) -> None:
    """Attachments and JSONL copies that are too old; the attached files are never touched."""
    keep = step.settings.attachments
    if keep.keep is not None:
        oldest = step.now - keep.keep
        while True:
            with step.store.read(step.space) as unit:
                found = unit.tiers.old_attachments(oldest, keep_linked=True, limit=PORTION)
            step.apply(
                [
                    Change(
                        "forget_file", file.id, file.filename, f"from {file.created_at:%Y-%m-%d}"
                    )
                    for file in found
                ]
            )
            if len(found) < PORTION or step.dry_run:
                break
    if not step.dry_run:
        removed = step.tools.forget_old_files(step.space)
        step.did(**({"transcripts": removed} if removed else {}))
