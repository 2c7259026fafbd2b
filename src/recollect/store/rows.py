"""What goes into a store and comes out of it, as values: rows, filters, answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from recollect.types import (
    ActionNode,
    Direction,
    Kind,
    MemoryStatus,
    Outcome,
    RecordType,
    Role,
    ToolCall,
    ToolResult,
    Trust,
    TurnState,
)


class TurnRow(NamedTuple):
    """A checked turn with its index terms, ready to be written.

    A tuple, because bulk writes make one per turn and frozen dataclasses are slow to build.
    """

    id: str
    session: str
    idx: int | None
    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...]
    tool_results: tuple[ToolResult, ...]
    at: datetime
    tokens: int
    channel: str
    sender: str
    trust: Trust
    terms: str
    packed: bytes


class Placed(NamedTuple):
    """Where a turn stands after an append, and whether this append put it there."""

    idx: int
    added: bool


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """Which turns to read; every field narrows the choice."""

    session: str | None = None
    project: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    role: Role | None = None
    tool: str | None = None
    state: TurnState | None = None
    newest_first: bool = False
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A checked memory with its index terms, ready to be written."""

    id: str
    kind: Kind
    content: str
    subject: str
    predicate: str
    project: str
    topic: str
    tags: tuple[str, ...]
    importance: float
    confidence: float
    trust: Trust
    status: MemoryStatus
    at: datetime
    valid_from: datetime
    expires_at: datetime | None
    sources: tuple[str, ...]
    episode: str
    terms: str
    value: str = ""
    confirmations: int = 0
    session: str = ""


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories to read, of whatever status; every field narrows the choice.

    ``from_session``, ``from_turn`` and ``from_sender`` are about the turns it came from;
    ``session`` is the one it ends with. ``holds_at`` leaves out what has expired by then.
    """

    status: MemoryStatus | None = None
    kind: Kind | None = None
    project: str | None = None
    trust: Trust | None = None
    session: str | None = None
    from_session: str | None = None
    from_turn: str | None = None
    from_sender: str | None = None
    holds_at: datetime | None = None
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """A told episode with its index terms, ready to be written.

    ``last_turn`` is the id of the last turn it tells of.
    """

    id: str
    session: str
    summary: str
    goal: str
    outcome: Outcome
    started_at: datetime
    ended_at: datetime
    actions: tuple[ActionNode, ...]
    entities: tuple[str, ...]
    tools: tuple[str, ...]
    memories: tuple[str, ...]
    tags: tuple[str, ...]
    importance: float
    source: str
    last_turn: str
    terms: str


@dataclass(frozen=True, slots=True)
class PadRow:
    """The text of the scratchpad, and when it was last changed."""

    text: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class AttachmentRow:
    """A checked attachment with its index terms, ready to be written."""

    id: str
    session: str
    filename: str
    mime: str
    size: int
    path: str
    url: str
    direction: Direction
    description: str
    transcription: str
    extracted_text: str
    tags: tuple[str, ...]
    memories: tuple[str, ...]
    at: datetime
    terms: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What a search may find."""

    types: tuple[RecordType, ...]
    session: str | None = None
    project: str | None = None
    topic: str | None = None
    kind: Kind | None = None
    speaker: str | None = None
    trust: Trust | None = None
    status: MemoryStatus | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    now: datetime | None = None

    @property
    def narrow(self) -> bool:
        """Whether it leaves out records of its types by anything but the state they are in."""
        return (
            any((self.session, self.project, self.topic, self.kind, self.speaker, self.trust))
            or self.status is not None
            or (self.since or self.until) is not None
        )


class QueryTerm(NamedTuple):
    """A term to look for, and how much a match counts before its rarity is known."""

    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class TextMatch:
    """One record found by its words; ``doc`` is the store's number for it."""

    doc: int
    score: float


@dataclass(frozen=True, slots=True)
class TextFound:
    """The answer of a text search, with the weights that score further records for its query."""

    matches: tuple[TextMatch, ...]
    words: Mapping[int, str]
    weights: Mapping[int, float]
    length: float


class Place(NamedTuple):
    """Where a turn stands: what ranking needs to know of it. ``at`` is in microseconds."""

    doc: int
    session: int
    idx: int
    at: int
    sender: str
    assistant: bool
    asks: bool


class SessionSpan(NamedTuple):
    """How large a session is; times in microseconds."""

    session: int
    turns: int
    started_at: int
    last_at: int


@dataclass(frozen=True, slots=True)
class Transcript:
    """How much of a session's JSONL copy is known to be good."""

    session: str
    bytes: int
    last_at: datetime


class EmbedText(NamedTuple):
    """A record that wants vectors: who said it, and what."""

    doc: int
    speaker: str
    text: str
    change: int


class VectorRow(NamedTuple):
    """One passage of a record as 32-bit floats."""

    doc: int
    part: int
    vector: bytes


class Coverage(NamedTuple):
    """An embedder, and how many records it has worked through."""

    embedder: str
    dimensions: int
    records: int


class VectorState(NamedTuple):
    """By type: how often vectors were changed rather than added, how far embedding has come."""

    rewrites: Mapping[RecordType, int]
    reached: Mapping[RecordType, int]


class LoadedVectors(NamedTuple):
    """Documents in order, and their vectors one after another."""

    docs: list[int]
    vectors: bytes


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A recurring job and when it is next due."""

    space: str
    kind: str
    cron: str
    zone: str
    next_at: datetime
    last_at: datetime | None
