"""Evidence (hits), and the prompt context built from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from recollect.types.ledger import Source
from recollect.types.literals import (
    Kind,
    RecordType,
    Role,
    Trust,
)


@dataclass(frozen=True, slots=True)
class Why:
    """The reasons of one hit: the routes that found it, and each part of its score."""

    routes: tuple[str, ...]
    parts: Mapping[str, float]
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """One piece of evidence.

    ``trust`` is whose words it is. Only a memory has a ``kind`` and ``valid_from``, since when it
    is true; ``ended`` is until when it was, where it no longer is. ``at`` is when it was learnt or
    said.
    """

    type: RecordType
    id: str
    text: str
    score: float
    why: Why
    sources: tuple[Source, ...]
    at: datetime
    session: str = ""
    index: int | None = None
    role: str = ""
    sender: str = ""
    kind: Kind | None = None
    trust: Trust | None = None
    valid_from: datetime | None = None
    ended: datetime | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message as a model's chat interface takes it."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class SectionUse:
    """What one part of a context cost: ``size`` is its allotment, ``ids`` the records it shows."""

    name: str
    tokens: int
    size: int
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that is not in a context, or only in part, and the reason."""

    section: str
    reason: str
    text: str
    tokens: int
    id: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """Evidence, cards and conversation fitted to a budget.

    ``messages`` and ``text`` say the same; the message that is being answered is in neither.
    ``tokens`` is the dearer of the two and at most ``budget``, which leaves the reply its room.
    """

    text: str
    messages: tuple[Message, ...]
    tokens: int
    budget: int
    sections: tuple[SectionUse, ...]
    dropped: tuple[Omission, ...]
