"""The report of a synchronization of documents and memory, and the state of onboarding."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from mnemic.late import dataclass
from mnemic.types import Memory

How = Literal["edited", "added", "archived"]
Stage = Literal["agent", "user", "summary", "done"]
State = Literal["written", "unchanged", "left alone"]


@dataclass(frozen=True, slots=True)
class ImportedEdit:
    """An edit that was imported; ``before`` is the version it superseded."""

    how: How
    memory: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A question that waits for a person: ``memory`` is the one to forget, or to confirm."""

    memory: str
    reason: Literal["removed", "conflict"]


@dataclass(frozen=True, slots=True)
class RejectedText:
    """Text of a person that stays in the file only, and why."""

    text: str
    reason: str


EditReport = ImportedEdit | PendingQuestion | RejectedText


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """What happened to one document.

    ``left_out`` are current memories that were in it, or came from it, and do not fit; ``over`` is
    by how much a person's own text alone is beyond the limit. ``archive`` is the file that the old
    part went to. ``problem`` says why a file was left alone.
    """

    name: str
    path: str
    state: State = "unchanged"
    taken: tuple[ImportedEdit, ...] = ()
    asked: tuple[PendingQuestion, ...] = ()
    kept: tuple[RejectedText, ...] = ()
    left_out: tuple[str, ...] = ()
    over: int = 0
    archive: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What happened to each document."""

    at: datetime
    documents: tuple[DocumentReport, ...]

    @property
    def changed(self) -> bool:
        """Whether a file was written, or an edit imported."""
        return any(d.taken or d.asked or d.state == "written" for d in self.documents)


@dataclass(frozen=True, slots=True)
class Question:
    """A memory that a person took out of these documents: is it to be forgotten?"""

    memory: Memory
    documents: tuple[str, ...]
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class OnboardingState:
    """The stage of onboarding, and the next text to show; empty when it is done."""

    stage: Stage
    text: str = ""
    key: str = ""

    @property
    def done(self) -> bool:
        return self.stage == "done"
