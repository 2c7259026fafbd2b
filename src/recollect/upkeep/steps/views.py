"""What people read: documents, identity cards, and the report of the run."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.upkeep.report import StepReport
from recollect.upkeep.work import Step


def write_documents(step: Step) -> None:
    """People's edits are taken in, then the documents are written."""
    if not step.dry_run:
        _count(step, step.tools.sync(step.space))


def compile_identity(step: Step) -> None:
    """Cards of sources that changed."""
    if not step.dry_run:
        _count(step, step.tools.cards(step.space))


def write_report(step: Step) -> None:
    """A dated file that says what each step did."""
    if not step.dry_run and step.tools.write_report(step.space, step.day, _sections(step)):
        step.did(written=1)


def _count(step: Step, done: Sequence[str]) -> None:
    if done:
        step.did(written=len(done))


def _sections(step: Step) -> list[tuple[str, list[str]]]:
    return [(report.name, _lines(report)) for report in step.reports]


def _lines(report: StepReport) -> list[str]:
    """Counts first, then a line for each change that was noted."""
    counts = [f"{name}: {number}" for name, number in sorted(report.counts.items())]
    changes = [f"{c.action}: {c.text} ({c.reason})" for c in report.changes]
    return [*([report.error] if report.error else []), *counts, *changes]
