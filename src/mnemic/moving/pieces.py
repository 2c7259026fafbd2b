"""What a source of another program holds, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from mnemic.record.messages import UnreadableMessage
from mnemic.types import AttachmentDetails, NewRecord, NewTurn


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
class Record:
    """One value of a JSON file or one row of a table, before it is understood.

    ``place`` is its position in the file, for a person to find it; ``reason`` says why it could not
    be read; ``key`` names its list or table.
    """

    place: str
    value: Any
    reason: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """One record of a source, or the reason why it cannot be read.

    ``place`` is its position in the source, for a person to find it. ``key`` tells the record from
    every other one of the source, however often it is read; a turn has its session and index for
    that, and a record without a key is known by its content. ``topic`` is the topic of the session
    of a turn.
    """

    place: str
    item: Item | None
    reason: str = ""
    key: str = ""
    topic: str = ""

    @property
    def turn(self) -> NewTurn | None:
        return self.item if isinstance(self.item, NewTurn) else None

    def within(self, name: str) -> Piece:
        """The piece as one of a file among several."""
        return replace(self, place=", ".join(filter(None, (name, self.place))))


def make_pieces(record: Record, read: Callable[[Record], Iterator[Piece]]) -> Iterator[Piece]:
    """The pieces that ``read`` makes of a record, or the reason why there are none."""
    if record.reason:
        yield Piece(record.place, None, record.reason)
        return
    try:
        yield from read(record)
    except UnreadableMessage as reason:
        yield Piece(record.place, None, str(reason))
