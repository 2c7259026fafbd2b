"""The contract every store keeps: what the rest of the house may ask of SQLite or PostgreSQL.

A unit of work belongs to one space from the moment it is opened, so no call can reach another
owner's rows. ``write`` is one durable transaction; ``read`` is one consistent snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple, Protocol

from recollect.store.document_states import DocumentStates
from recollect.store.erasing import Counters, Erasing, Tidying
from recollect.store.upkeep import Cards, Onboardings, Runs, Shelf
from recollect.types import (
    ActionNode,
    Attachment,
    DailyEvent,
    Direction,
    Episode,
    Event,
    Finding,
    Job,
    JobState,
    Json,
    Kind,
    Memory,
    MemoryStatus,
    Outcome,
    RecordType,
    Role,
    SessionInfo,
    Stats,
    ToolCall,
    ToolResult,
    Trust,
    Turn,
    TurnState,
    UsageTotal,
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


class Ledger(Protocol):
    """What happened: append-only."""

    def open_session(self, session: str, project: str, topic: str, at: datetime) -> None: ...
    def end_session(self, session: str, at: datetime) -> None: ...
    def session(self, session: str) -> SessionInfo | None: ...
    def sessions(self, limit: int, offset: int) -> list[SessionInfo]: ...
    def append(self, rows: Sequence[TurnRow]) -> list[Placed]: ...
    def turns(self, wanted: TurnFilter) -> list[Turn]: ...
    def turn_at(self, session: str, index: int) -> Turn: ...
    def turns_by_id(self, ids: Sequence[str]) -> list[Turn]: ...
    def turns_by_doc(self, docs: Sequence[int]) -> dict[int, Turn]: ...
    def places_around(self, docs: Sequence[int], reach: int) -> list[Place]: ...
    def spans(self, sessions: Sequence[int]) -> list[SessionSpan]: ...
    def latest_docs(self, limit: int) -> list[int]: ...
    def in_order(self, docs: Sequence[int], *, newest_first: bool) -> list[int]: ...
    def set_state(self, ids: Sequence[str], state: TurnState, reason: str) -> None: ...
    def undigested(self, session: str) -> list[Turn]: ...
    def unextracted(self, session: str, limit: int) -> list[Turn]: ...
    def mark_extracted(self, session: str) -> None: ...
    def revive(self, session: str, reason: str) -> int: ...
    def turns_before(self, session: str, index: int, limit: int) -> list[Turn]: ...
    def waiting_tokens(self, session: str) -> int: ...
    def count_prompt(self, session: str) -> int: ...
    def sessions_to_extract(self, limit: int) -> list[str]: ...
    def mark_digested(self, session: str) -> None: ...
    def transcript(self, session: str) -> Transcript | None: ...
    def untranscribed(self, session: str) -> list[Turn]: ...
    def mark_transcribed(self, transcript: Transcript) -> None: ...
    def old_transcripts(self, before: datetime) -> list[Transcript]: ...
    def drop_transcript(self, session: str) -> None: ...


class Memories(Protocol):
    """What is known: revisable, with every version kept."""

    def add(self, row: MemoryRow) -> Memory: ...
    def get(self, id_: str) -> Memory | None: ...
    def by_id(self, ids: Sequence[str]) -> list[Memory]: ...
    def current(
        self,
        *,
        kind: Kind | None,
        project: str | None,
        now: datetime,
        limit: int,
        as_of: datetime | None = None,
    ) -> list[Memory]: ...
    def find(self, wanted: MemoryFilter) -> list[Memory]: ...
    def in_slot(
        self, subject: str, predicate: str, *, project: str, status: MemoryStatus, now: datetime
    ) -> list[Memory]: ...
    def most_important(self, *, least: float, now: datetime, limit: int) -> list[Memory]: ...
    def nearest(
        self, embedder: int, vector: bytes, *, status: MemoryStatus, now: datetime, limit: int
    ) -> list[tuple[Memory, float]]: ...
    def revise(self, memory: Memory) -> None: ...
    def add_sources(self, id_: str, turns: Sequence[str]) -> None: ...
    def drop_sources(self, id_: str, turns: Sequence[str]) -> None: ...
    def to_offer(self, *, now: datetime, since: datetime | None, limit: int) -> list[Memory]: ...
    def count_offer(self, ids: Sequence[str]) -> None: ...
    def lapsed(self, before: datetime, limit: int) -> list[Memory]: ...
    def supersede(self, old: str, new: str, at: datetime) -> None: ...
    def chain(self, id_: str) -> list[Memory]: ...
    def touch(self, id_: str, uses: int, at: datetime) -> None: ...
    def projects(self) -> list[str]: ...
    def partition(self, project: str | None, limit: int) -> list[int]: ...


class Episodes(Protocol):
    """The stories of sessions and of compressed stretches."""

    def add(self, row: EpisodeRow) -> Episode: ...
    def revise(self, episode: Episode, terms: str) -> Episode: ...
    def link(self, id_: str, memories: Sequence[str]) -> None: ...
    def touch(self, id_: str, uses: int) -> None: ...
    def by_id(self, ids: Sequence[str]) -> list[Episode]: ...
    def of_stretch(self, session: str, source: str, last_turn: str) -> Episode | None: ...
    def told(self, session: str, source: str | None) -> list[int]: ...
    def latest(
        self,
        *,
        session: str | None,
        since: datetime | None,
        until: datetime | None,
        limit: int,
    ) -> list[Episode]: ...


class Scratchpads(Protocol):
    """What the agent is working on: one text for a space."""

    def get(self) -> PadRow | None: ...
    def put(self, text: str, at: datetime) -> None: ...


class Echoes(Protocol):
    """Fingerprints of what memory put into prompts, by session and for a time."""

    def note(
        self, session: str, lines: Mapping[int, Sequence[int]], at: datetime, most: int
    ) -> None: ...
    def marks(self, session: str, since: datetime) -> frozenset[int]: ...
    def drop(self, before: datetime | None) -> None: ...


class Attachments(Protocol):
    """Files that were sent or made."""

    def add(self, row: AttachmentRow) -> Attachment: ...
    def replace(self, row: AttachmentRow) -> Attachment: ...
    def by_id(self, ids: Sequence[str]) -> list[Attachment]: ...
    def by_path(self, session: str, path: str) -> Attachment | None: ...
    def latest(
        self, *, session: str | None, direction: Direction | None, limit: int
    ) -> list[Attachment]: ...


class Journal(Protocol):
    """The change history of memory, the daily events, and what models cost."""

    def add_event(
        self,
        type_: str,
        *,
        operation_id: str,
        subject: str,
        payload: Mapping[str, Json],
        at: datetime,
    ) -> Event: ...
    def operation(self, operation_id: str) -> list[Event]: ...
    def events(
        self, *, subject: str | None = None, type_: str | None = None, limit: int = 100
    ) -> list[Event]: ...
    def add_daily_event(self, event: DailyEvent) -> None: ...
    def daily_events(self, day: date | None, limit: int) -> list[DailyEvent]: ...
    def add_usage(
        self,
        *,
        purpose: str,
        model: str,
        input_tokens: int,
        output_tokens: int,
        cost: float | None,
        at: datetime,
    ) -> None: ...
    def usage(self, since: datetime | None) -> list[UsageTotal]: ...


class TextIndex(Protocol):
    """One full-text index over everything recallable."""

    def search(self, terms: Sequence[QueryTerm], scope: Scope, limit: int) -> TextFound: ...
    def score(self, found: TextFound, docs: Sequence[int]) -> list[float]: ...
    def matched(self, found: TextFound, docs: Sequence[int]) -> dict[int, tuple[str, ...]]: ...
    def holding(
        self, terms: Sequence[str], scope: Scope, limit: int
    ) -> tuple[list[int], int]: ...
    def in_scope(self, docs: Sequence[int], scope: Scope) -> list[int]: ...
    def latest(self, scope: Scope, limit: int) -> list[int]: ...
    def records(self, docs: Sequence[int]) -> dict[int, tuple[RecordType, str]]: ...
    def unindexed(self, type_: RecordType, limit: int) -> list[str]: ...
    def put(self, type_: RecordType, id_: str, terms: str) -> None: ...


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


class VectorState(NamedTuple):
    """By type: how often vectors were changed rather than added, how far embedding has come."""

    rewrites: Mapping[RecordType, int]
    reached: Mapping[RecordType, int]


class LoadedVectors(NamedTuple):
    """Documents in order, and their vectors one after another."""

    docs: list[int]
    vectors: bytes


class Vectors(Protocol):
    """Vectors of recallable records, per embedder."""

    def embedder(self, name: str, dimensions: int) -> int: ...
    def known_embedders(self) -> dict[str, int]: ...
    def unembedded(self, embedder: int, limit: int) -> list[EmbedText]: ...
    def waiting(self, embedder: int) -> int: ...
    def put(self, embedder: int, done: Sequence[EmbedText], rows: Sequence[VectorRow]) -> None: ...
    def retire_others(self, embedder: int) -> None: ...
    def state(self, embedder: int) -> VectorState: ...
    def coverage(self) -> dict[int, int]: ...
    def dimensions(self, embedder: int) -> int: ...
    def load(
        self, embedder: int, type_: RecordType, after: int | None, most: int | None = None
    ) -> LoadedVectors: ...
    def count(self, embedder: int, most: int) -> int: ...
    def scan(
        self, embedder: int, query: bytes, most: int | None = None
    ) -> list[tuple[int, float]]: ...
    def sample(self, embedder: int, query: bytes, count: int) -> list[tuple[int, float]]: ...
    def cached(self, embedder: int, hashes: Sequence[bytes]) -> dict[bytes, bytes]: ...
    def cache(self, embedder: int, vectors: Mapping[bytes, bytes]) -> None: ...


class Tasks(Protocol):
    """The space's side of the job queue: work is queued in the transaction that needs it."""

    def enqueue(
        self,
        kind: str,
        *,
        key: str,
        payload: Mapping[str, Json],
        run_at: datetime,
        now: datetime,
        max_attempts: int,
    ) -> None: ...
    def unfinished(self, state: JobState | None, limit: int) -> list[Job]: ...
    def redrive(self, ids: Sequence[str] | None, now: datetime) -> int: ...
    def discard(self, ids: Sequence[str]) -> int: ...


class Queue(Protocol):
    """The worker's side of the job queue, over all spaces."""

    def claim(self, owner: str, now: datetime, lease_until: datetime) -> Job | None: ...
    def finish(self, job: Job, owner: str) -> None: ...
    def retry(
        self,
        job: Job,
        owner: str,
        *,
        run_at: datetime,
        now: datetime,
        error: str,
        counted: bool = True,
    ) -> None: ...
    def bury(self, job: Job, owner: str, *, now: datetime, error: str) -> None: ...
    def next_due(self, now: datetime) -> datetime | None: ...
    def running(self, now: datetime) -> int: ...
    def schedule(self, space: str, kind: str, cron: str, zone: str, next_at: datetime) -> bool: ...
    def overdue(self, now: datetime) -> list[Scheduled]: ...
    def advance(
        self,
        due: Scheduled,
        *,
        next_at: datetime,
        now: datetime,
        max_attempts: int,
        run: bool,
    ) -> bool: ...


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A recurring job and when it is next due."""

    space: str
    kind: str
    cron: str
    zone: str
    next_at: datetime
    last_at: datetime | None


class Unit(Protocol):
    """All rooms of one space inside one transaction."""

    @property
    def ledger(self) -> Ledger: ...
    @property
    def memories(self) -> Memories: ...
    @property
    def episodes(self) -> Episodes: ...
    @property
    def scratchpads(self) -> Scratchpads: ...
    @property
    def echoes(self) -> Echoes: ...
    @property
    def document_states(self) -> DocumentStates: ...
    @property
    def attachments(self) -> Attachments: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def text(self) -> TextIndex: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def shelf(self) -> Shelf: ...
    @property
    def runs(self) -> Runs: ...
    @property
    def cards(self) -> Cards: ...
    @property
    def onboarding(self) -> Onboardings: ...
    @property
    def erasing(self) -> Erasing: ...
    @property
    def tidying(self) -> Tidying: ...
    @property
    def counters(self) -> Counters: ...


class Store(Protocol):
    """One database."""

    @property
    def queue(self) -> Queue: ...
    def read(self, space: str) -> AbstractContextManager[Unit]: ...
    def write(self, space: str) -> AbstractContextManager[Unit]: ...
    def stats(self, space: str) -> Stats: ...
    def check(self, space: str, *, deep: bool) -> list[Finding]: ...
    def spaces(self) -> list[str]: ...
    def clear_text_index(self) -> None: ...
    def compact(self) -> None: ...
    def settle(self) -> None: ...
    def vocabulary(self) -> Iterator[str]: ...
    def names(self) -> list[str]: ...
    def close(self) -> None: ...
