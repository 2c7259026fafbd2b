"""What a source of another program holds, piece by piece."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from mnemic.learn.bulk_writer import NewRecord
from mnemic.types import AttachmentDetails, NewTurn


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that was sent or made, by its path or address."""

    path: str
    details: AttachmentDetails


@dataclass(frozen=True, slots=True)
class WorkingNotes:
    """What an agent was working on, in markdown."""

    text: str


Item: TypeAlias = NewTurn | NewRecord | SentFile | WorkingNotes


@dataclass(frozen=True, slots=True)
class Piece:
    """One record of a source, or the reason why it cannot be read.

    ``place`` is where it stands, for a person to find it. ``key`` tells the record from every other
    one of the source, however often it is read; a turn has its session and index for that, and a
    record without a key is known by its content. ``topic`` is what the session of a turn is about.
    """

    place: str
    item: Item | None
    reason: str = ""
    key: str = ""
    topic: str = ""

    @property
    def turn(self) -> NewTurn | None:
        """What was said, where it is that."""
        return self.item if isinstance(self.item, NewTurn) else None

    def within(self, name: str) -> Piece:
        """The piece as one of a file among several."""
        return replace(self, place=f"{name}, {self.place}")
