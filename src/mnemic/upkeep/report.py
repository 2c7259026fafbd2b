"""The report of an upkeep run, or of a dry run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Literal

from mnemic.late import dataclass
from mnemic.prompts import ByLanguage
from mnemic.types import Memory

Work = Literal["daily", "weekly"]
WORKS: tuple[Work, ...] = ("daily", "weekly")
Action = Literal[
    "archive", "delete", "demote", "expire", "merge", "core", "leave_core", "forget_file"
]
_EXCERPT = 120  # characters of a statement in a report
StepState = Literal["done", "done before", "running elsewhere", "failed", "planned", "waiting"]


class Reason(str):
    """Why something was changed, for logs and programs in English, for a report in Chinese too."""

    texts: ByLanguage[str]

    def __new__(cls, en: str, zh: str) -> Reason:
        reason = super().__new__(cls, en)
        reason.texts = ByLanguage(en=en, zh=zh)
        return reason


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a record, and why; ``into`` is the survivor of a merge."""

    action: Action
    subject: str
    text: str
    reason: Reason
    into: str = ""

    @classmethod
    def of(cls, action: Action, memory: Memory, reason: Reason, into: str = "") -> Change:
        """A change of a memory."""
        return cls(action, memory.id, short(memory.text), reason, into)


def short(text: str) -> str:
    """A statement shortened for a report."""
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"


@dataclass(frozen=True, slots=True)
class StepReport:
    """The result of one step; ``operation`` undoes it, ``error`` says what it waits for."""

    name: str
    state: StepState
    counts: Mapping[str, int]
    changes: tuple[Change, ...] = ()
    operation: str = ""
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """One run. With ``dry_run`` nothing was changed, and each step was planned by itself."""

    work: Work
    day: date
    run: str
    started_at: datetime
    steps: tuple[StepReport, ...]
    dry_run: bool = False

    @property
    def finished(self) -> bool:
        """Whether every step of this run is finished."""
        ended = ("done", "done before", "planned", "waiting")
        return all(step.state in ended for step in self.steps)


@dataclass(frozen=True, slots=True)
class Undone:
    """The result of undoing a step: ids restored, and ids left because they changed since."""

    operation: str
    restored: tuple[str, ...]
    left: tuple[str, ...]
