"""The one entry: ``recollect.open(...)`` gives a Mind, which wires the rooms together.

A Mind holds no logic of its own: each door checks nothing and decides nothing, it leads to a room.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from recollect.documents.onboarding import OnboardingState
from recollect.documents.report import DocumentReport, Question
from recollect.doors.known import KnownDoors
from recollect.doors.living import LivingDoors
from recollect.doors.talk import TalkDoors
from recollect.ids import new_id
from recollect.session import Session
from recollect.upkeep.report import Report, Undone

__all__ = ["DocumentReport", "Mind", "OnboardingState", "Question", "Report", "Undone"]


class Mind(TalkDoors, KnownDoors, LivingDoors):
    """The memory of one space. Close it, or use it as a context manager."""

    @property
    def transcripts(self) -> Path | None:
        """The folder of this space's JSONL copies, beside the database; it may not exist."""
        return self._rooms.transcripts

    @property
    def documents_folder(self) -> Path | None:
        """The folder of this space's markdown documents, beside the database; it may not exist."""
        return self._rooms.documents

    def session(
        self, id: str | None = None, *, project: str | None = None, topic: str | None = None
    ) -> Session:
        """Open a conversation, or go on with one."""
        id_ = new_id(self._clock.now()) if id is None else id
        stored = self._rooms.book.open_session(id_, project or "", topic or "")
        return Session(self, stored)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Mind space={self.space!r} preset={self.settings.preset!r}>"
