"""Evidence (hits), and the prompt context built from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import TypedDict

from mnemic.late import dataclass
from mnemic.types.ledger import Source, Turn
from mnemic.types.literals import Json, Kind, MemoryStatus, RecordType, Role, Trust
from mnemic.types.memory import Memory

EXACT_TOTAL = "of exactly"  # the part of a score that says how many an exact question is about


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
    is true; ``ended`` is until when it was, where it no longer is. ``at`` is when it was learned or
    said. ``metadata`` is what the host keeps with a memory or a turn.
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
    importance: float | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A hit as it may stand in a prompt.

    ``head`` says when it was said, its kind, who said it and where. ``text`` is that with the words
    of the hit, fenced as data.
    """

    hit: Hit
    head: str
    text: str


class RecallQuery(TypedDict, total=False):
    """What narrows a recall.

    ``limit`` is the most hits, ``min_score`` and ``min_importance`` what they have to reach;
    only memories and episodes have an importance. ``kind`` and ``scope`` take the words of the
    preset's document, too. ``around`` is what was said just before the query, which helps one that
    says little by itself. ``status`` is that of the memories: "active" unless said otherwise.
    ``as_of`` asks for what was true at that time, ``known_at`` for what was believed then.
    ``metadata`` are keys with the value each must have; only memories and turns have any.
    """

    limit: int | None
    min_score: float | None
    of: Iterable[RecordType] | RecordType | None
    session: str | None
    project: str | None
    topic: str | None
    kind: Iterable[Kind | str] | Kind | str | None
    scope: str | None
    min_importance: float | None
    speaker: str | None
    trust: Trust | None
    status: MemoryStatus | None
    since: datetime | str | None
    until: datetime | str | None
    as_of: datetime | str | None
    known_at: datetime | str | None
    metadata: Mapping[str, str | float | bool | None] | None
    persona: str | None
    around: Sequence[str]


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
    ``tokens`` is the dearer of the two and at most ``budget``, which leaves the reply its room:
    ``reply`` tokens. ``recent`` are the turns that are shown whole or in part, ``summary`` is of
    what was said before them, ``memories`` are the pieces of evidence. ``pending`` are statements
    that wait for the user's word and were not put to them yet, for the end of the reply; they are
    no part of the text.
    """

    text: str
    messages: tuple[Message, ...]
    tokens: int
    budget: int
    sections: tuple[SectionUse, ...]
    dropped: tuple[Omission, ...]
    recent: tuple[Turn, ...] = ()
    summary: str = ""
    memories: tuple[str, ...] = ()
    reply: int = 0
    pending: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationWindow:
    """The latest turns of a session that fit, oldest first, and a summary of what was before."""

    summary: str
    turns: tuple[Turn, ...]
    tokens: int
