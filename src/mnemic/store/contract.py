"""The contract every store keeps: what the rest of the house may ask of SQLite or PostgreSQL.

A unit of work belongs to one space from the moment it is opened, so no call can reach another
owner's rows. ``write`` is one durable transaction; ``read`` is one consistent snapshot.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mnemic.rules.bm25 import TermMatches, TermSet
from mnemic.store.document_states import DocumentStates
from mnemic.store.erasure import Cleanup, Counters, Eraser, NameStore
from mnemic.store.rows import (
    Coverage,
    EchoAbout,
    EmbedText,
    EpisodeSpan,
    KeptReply,
    LoadedVectors,
    MemoryFilter,
    PadRow,
    Place,
    Placed,
    QueryTerm,
    Scheduled,
    Scope,
    SlotEntry,
    TextMatches,
    Transcript,
    TurnFilter,
    TurnRow,
    VectorRow,
    VectorState,
)
from mnemic.store.transfer import Transfer
from mnemic.store.upkeep import Cards, Onboardings, Runs, Tiers
from mnemic.types import (
    Attachment,
    Backup,
    DailyEvent,
    Direction,
    Episode,
    Event,
    Fact,
    Finding,
    Job,
    JobState,
    Kind,
    Memory,
    MemoryStatus,
    Outcome,
    PageProgress,
    RecordType,
    SafeName,
    SafeText,
    SessionInfo,
    Stats,
    Trust,
    Turn,
    TurnState,
    UsageTotal,
)


class LedgerStore(Protocol):
    """What happened: append-only."""

    def open_session(
        self, session: SafeName, project: SafeName, topic: SafeName, at: datetime
    ) -> None: ...
    def end_session(self, session: SafeName, at: datetime) -> None: ...
    def session(self, session: SafeName) -> SessionInfo | None: ...
    def sessions(self, limit: int, offset: int) -> list[SessionInfo]: ...
    def append(self, rows: Sequence[TurnRow]) -> list[Placed]: ...
    def claimants(self, session: SafeName) -> list[str]:
        """The senders whose user turns are the owner's because nobody else spoke."""

    def disown(self, session: SafeName, senders: Sequence[str]) -> list[str]:
        """Make such turns of these senders external; says which turns."""

    def least_trust(self, session: SafeName) -> Trust | None:
        """The least trust of what was said in a session, tools included."""

    def turns(self, wanted: TurnFilter) -> list[Turn]: ...
    def turn_at(self, session: SafeName, index: int) -> Turn: ...
    def turns_by_id(self, ids: Sequence[str]) -> list[Turn]: ...
    def turns_by_doc(self, docs: Sequence[int]) -> dict[int, Turn]: ...
    def said_by_owner(self, docs: Sequence[int], most: int) -> dict[int, str]: ...
    def places(self, docs: Sequence[int]) -> list[Place]: ...
    def places_around(self, docs: Sequence[int], reach: int) -> list[Place]: ...
    def latest_docs(self, limit: int) -> list[int]: ...
    def in_order(self, docs: Sequence[int], *, newest_first: bool) -> list[int]: ...
    def set_state(self, ids: Sequence[SafeName], state: TurnState, reason: SafeText) -> None: ...
    def undigested(self, session: SafeName) -> list[Turn]: ...
    def unextracted(self, session: SafeName, limit: int) -> list[Turn]: ...
    def mark_extracted(self, session: SafeName) -> None: ...
    def revive(self, session: SafeName, reason: SafeText) -> int: ...
    def turns_before(self, session: SafeName, index: int, limit: int) -> list[Turn]: ...
    def waiting_tokens(self, sessions: Sequence[SafeName]) -> dict[SafeName, int]: ...
    def count_waiting(self, sessions: Sequence[SafeName]) -> int: ...
    def count_prompt(self, session: SafeName) -> int: ...
    def sessions_to_extract(self, limit: int) -> list[SafeName]: ...
    def sessions_untold(self, before: datetime, limit: int) -> list[SafeName]:
        """Sessions whose last turn is older and in no episode, the latest first."""

    def mark_digested(self, session: SafeName, turn: SafeName | None = None) -> None:
        """Every turn of the session, or every one up to this, has its daily event."""

    def transcript(self, session: SafeName) -> Transcript | None: ...
    def untranscribed(self, session: SafeName) -> list[Turn]: ...
    def mark_transcribed(self, transcript: Transcript) -> None: ...
    def old_transcripts(self, before: datetime) -> list[Transcript]: ...
    def drop_transcript(self, session: SafeName) -> None: ...


class MemoryStore(Protocol):
    """What is known: revisable, with every version kept."""

    def add(self, memory: Memory, terms: SafeText) -> Memory:
        """Store a new memory with the words it is found by; given back as it is read."""

    def get(self, id_: str) -> Memory | None: ...
    def by_id(self, ids: Sequence[str]) -> list[Memory]: ...
    def of_kinds(self, docs: Sequence[int], kinds: Sequence[Kind]) -> list[int]: ...
    def find(self, wanted: MemoryFilter) -> list[Memory]: ...
    def any(self, status: MemoryStatus, project: SafeName) -> bool: ...
    def worded_alike(
        self, content: SafeText, *, project: SafeName, status: MemoryStatus, now: datetime
    ) -> list[Memory]:
        """What has not expired and is worded as ``content``, the oldest first."""

    def in_slot(
        self,
        subject: str,
        predicate: str,
        *,
        project: SafeName,
        status: MemoryStatus,
        now: datetime,
    ) -> list[Memory]: ...
    def stated(
        self, slots: Sequence[str], subjects: Sequence[str], *, each: int
    ) -> list[SlotEntry]:
        """What holds now, or did until another took its place, in one of the slots or of one of
        the subjects in any slot, the newest first; of each slot and subject at most so many.
        """

    def most_important(self, *, least: float, now: datetime, limit: int) -> list[Memory]: ...
    def nearest(
        self, embedder: int, vector: bytes, *, status: MemoryStatus, now: datetime, limit: int
    ) -> list[tuple[Memory, float]]: ...
    def revise(self, memory: Memory) -> None: ...
    def add_sources(self, id_: SafeName, turns: Sequence[SafeName]) -> None: ...
    def drop_sources(self, id_: str, turns: Sequence[str]) -> None: ...
    def outdated(self, turns: Sequence[str]) -> set[str]:
        """Those of the turns of which everything that was learnt no longer holds."""

    def outdated_in(self, sessions: Collection[str]) -> dict[str, list[str]]:
        """What such turns of these sessions say."""

    def to_offer(self, *, now: datetime, since: datetime | None, limit: int) -> list[Memory]: ...
    def count_offer(self, ids: Sequence[str]) -> None: ...
    def lapsed(self, before: datetime, limit: int) -> list[Memory]: ...
    def supersede(
        self, old: SafeName, new: SafeName, at: datetime, *, ended: bool = True
    ) -> None: ...
    def release(self, id_: str) -> None: ...
    def chain(self, id_: str) -> list[Memory]: ...
    def touch(self, id_: str, uses: int, at: datetime) -> None: ...
    def projects(self, status: MemoryStatus = "active") -> list[SafeName]: ...
    def count_noted(self, key: str) -> dict[tuple[Kind, str], int]: ...
    def partition(
        self, project: SafeName | None, limit: int, without: Sequence[Kind] = ()
    ) -> list[int]: ...


class EpisodeStore(Protocol):
    """The stories of sessions and of compressed stretches."""

    def add(self, episode: Episode, terms: SafeText, *, last_turn: SafeName) -> Episode:
        """``last_turn`` is the id of the last turn that the episode covers."""

    def revise(self, episode: Episode, terms: SafeText) -> Episode: ...
    def link(self, id_: SafeName, memories: Sequence[SafeName]) -> None:
        """Note memories that came from an episode, and the episode with those that have none."""

    def touch(self, id_: str, uses: int) -> None: ...
    def by_id(self, ids: Sequence[str]) -> list[Episode]: ...
    def of_stretch(self, session: SafeName, source: str, last_turn: str) -> Episode | None: ...
    def covered(self, session: SafeName, source: str | None) -> list[int]: ...
    def spans(self, session: SafeName) -> list[EpisodeSpan]:
        """What each episode of a session tells of, in the order they were written."""

    def latest(
        self,
        *,
        session: SafeName | None,
        since: datetime | None,
        until: datetime | None,
        limit: int,
        entity: SafeName | None = None,
        tool: SafeName | None = None,
        outcome: Outcome | None = None,
    ) -> list[Episode]: ...


class ScratchpadStore(Protocol):
    """What the agent is working on: one text for a space."""

    def get(self) -> PadRow | None: ...
    def put(self, text: SafeText, at: datetime) -> None: ...


class Echoes(Protocol):
    """Fingerprints of what memory put into prompts, by session and for a time."""

    def note(
        self,
        session: SafeName,
        lines: Mapping[int, Sequence[int]],
        at: datetime,
        most: int,
        about: Mapping[int, EchoAbout] | None = None,
    ) -> None: ...
    def marks(self, session: SafeName, since: datetime) -> dict[int, int]:
        """Each mark with the order of ids when it was first shown."""

    def untrusted(self, since: datetime) -> list[tuple[Trust, frozenset[int]]]:
        """The words of lines that tools and outsiders said, in any session."""

    def drop(self, before: datetime | None) -> None: ...


class ReplyStore(Protocol):
    """Answers to requests under a key, for a time."""

    def find(self, key: bytes) -> KeptReply | None: ...
    def keep(self, key: bytes, reply: KeptReply, at: datetime) -> None: ...


class AttachmentStore(Protocol):
    """Files that were sent or made."""

    def add(self, attachment: Attachment, terms: SafeText) -> Attachment: ...
    def replace(self, attachment: Attachment, terms: SafeText) -> Attachment: ...
    def by_id(self, ids: Sequence[str]) -> list[Attachment]: ...
    def by_path(self, session: SafeName, path: SafeText) -> Attachment | None: ...
    def latest(
        self, *, session: SafeName | None, direction: Direction | None, limit: int
    ) -> list[Attachment]: ...


class Journal(Protocol):
    """The change history of memory, the daily events, and what models cost."""

    def add_event(
        self,
        type_: str,
        *,
        operation_id: SafeName,
        subject: SafeName,
        payload: Mapping[str, Fact],
        at: datetime,
    ) -> Event: ...
    def operation(self, operation_id: SafeName) -> list[Event]: ...
    def events(
        self, *, subject: SafeName | None = None, type_: str | None = None, limit: int = 100
    ) -> list[Event]: ...
    def add_daily_event(self, event: DailyEvent) -> None: ...
    def daily_events(
        self, day: date | None, limit: int, *, words: Sequence[str] = ()
    ) -> list[DailyEvent]: ...
    def add_usage(
        self,
        *,
        purpose: SafeName,
        model: SafeName,
        input_tokens: int,
        output_tokens: int,
        cost: float | None,
        at: datetime,
    ) -> None: ...
    def usage(self, since: datetime | None) -> list[UsageTotal]: ...


class TextIndex(Protocol):
    """One full-text index over everything recallable."""

    def search(self, terms: Sequence[QueryTerm], scope: Scope, limit: int) -> TextMatches: ...
    def score(self, matches: TextMatches, docs: Sequence[int]) -> list[float]: ...
    def term_matches(self, matches: TextMatches, docs: Sequence[int]) -> TermMatches: ...
    def having(
        self, matches: TextMatches, docs: Sequence[int], terms: TermSet
    ) -> NDArray[np.bool_]: ...
    def shared_terms(
        self, matches: TextMatches, docs: Sequence[int], best: Sequence[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def matched(self, matches: TextMatches, docs: Sequence[int]) -> dict[int, tuple[str, ...]]: ...
    def holding(
        self, terms: Sequence[QueryTerm], scope: Scope, limit: int
    ) -> tuple[list[int], int]: ...
    def in_scope(self, docs: Sequence[int], scope: Scope) -> list[int]: ...
    def few(self, scope: Scope) -> list[int] | None: ...
    def latest(self, scope: Scope, limit: int) -> list[int]: ...
    def records(self, docs: Sequence[int]) -> dict[int, tuple[RecordType, str]]: ...
    def names(self) -> Collection[str]:
        """Who speaks here and whom memories are about; of very many records, some."""

    def unindexed(self, type_: RecordType, limit: int) -> list[str]: ...
    def put(
        self, type_: RecordType, terms: Mapping[str, SafeText], *, changed: bool = True
    ) -> None:
        """Index records anew, by their ids; where texts have ``changed``, vectors follow."""


class Vectors(Protocol):
    """Vectors of recallable records, per embedder."""

    def embedder(self, name: str, dimensions: int) -> int: ...
    def known_embedders(self) -> dict[str, int]: ...
    def unembedded(self, embedder: int, limit: int) -> list[EmbedText]: ...
    def texts(self, ids: Collection[str]) -> list[EmbedText]:
        """What is embedded of these records; ``change`` is -1 for one that has not changed."""

    def waiting(self, embedder: int) -> int: ...
    def put(
        self,
        embedder: int,
        done: Sequence[EmbedText],
        rows: Sequence[VectorRow],
        tokens: Mapping[int, bytes] | None = None,
    ) -> None: ...
    def tokens(self, embedder: int, docs: Sequence[int]) -> dict[int, bytes]:
        """The token vectors of each document that has some."""

    def retire_others(self, embedder: int) -> None: ...
    def state(self, embedder: int) -> VectorState: ...
    def coverage(self) -> dict[int, Coverage]: ...
    def dimensions(self, embedder: int) -> int: ...
    def load(
        self, embedder: int, type_: RecordType, after: int | None, most: int | None = None
    ) -> LoadedVectors: ...
    def count(self, embedder: int, most: int) -> int: ...
    def scan(
        self, embedder: int, query: bytes, most: int | None = None
    ) -> list[tuple[int, float]]: ...
    def sample(self, embedder: int, query: bytes, count: int) -> list[tuple[int, float]]: ...
    def indexed(self, embedder: int) -> bool:
        """Whether the database itself finds the nearest without comparing all."""

    def nearest(
        self, embedder: int, type_: RecordType, query: bytes, limit: int
    ) -> list[tuple[int, float]]:
        """The nearest documents of a type by such an index, best first, with their cosines."""

    def cosines(self, embedder: int, query: bytes, docs: Sequence[int]) -> dict[int, float]:
        """The cosine of the best passage of each document that has one."""

    def cached(self, embedder: int, hashes: Sequence[bytes]) -> dict[bytes, bytes]: ...
    def cache(self, embedder: int, vectors: Mapping[bytes, bytes]) -> None: ...


class Tasks(Protocol):
    """The space's side of the job queue: work is queued in the transaction that needs it."""

    def enqueue(
        self,
        kind: str,
        *,
        key: SafeName,
        payload: Mapping[str, Fact],
        run_at: datetime,
        now: datetime,
        max_attempts: int,
    ) -> None: ...
    def enqueue_many(
        self,
        kind: str,
        payloads: Mapping[SafeName, Mapping[str, Fact]],
        *,
        run_at: datetime,
        now: datetime,
        max_attempts: int,
    ) -> None: ...
    def unfinished(self, state: JobState | None, limit: int) -> list[Job]: ...
    def waiting_for_model(self, limit: int) -> list[Job]: ...
    def model_away_until(self, now: datetime) -> datetime | None: ...
    def redrive(self, ids: Sequence[str] | None, now: datetime) -> int: ...
    def discard(self, ids: Sequence[str]) -> int: ...


class Queue(Protocol):
    """The worker's side of the job queue, over all spaces."""

    def claim(
        self, owner: str, now: datetime, lease_until: datetime, space: str | None = None
    ) -> Job | None:
        """The next due job, or that of one space. Spaces take turns, so that one with very many
        jobs keeps no other waiting.
        """

    def finish(self, job: Job, owner: str) -> None: ...
    def retry(
        self,
        job: Job,
        owner: str,
        *,
        run_at: datetime,
        now: datetime,
        error: SafeText,
        counted: bool = True,
        waiting_since: datetime | None = None,
    ) -> None: ...
    def resume(self, space: str, now: datetime) -> None: ...
    def bury(self, job: Job, owner: str, *, now: datetime, error: SafeText) -> None: ...
    def next_due(self, now: datetime) -> datetime | None: ...
    def running(self, now: datetime, space: str | None = None) -> int: ...
    def schedule(self, space: str, kind: str, cron: str, zone: str, next_at: datetime) -> bool: ...
    def overdue(self, now: datetime, limit: int = 100) -> list[Scheduled]: ...
    def advance(
        self,
        due: Scheduled,
        *,
        next_at: datetime,
        now: datetime,
        max_attempts: int,
        run: bool,
    ) -> bool: ...


class Unit(Protocol):
    """All rooms of one space inside one transaction."""

    @property
    def ledger(self) -> LedgerStore: ...
    @property
    def memories(self) -> MemoryStore: ...
    @property
    def episodes(self) -> EpisodeStore: ...
    @property
    def scratchpads(self) -> ScratchpadStore: ...
    @property
    def echoes(self) -> Echoes: ...
    @property
    def document_states(self) -> DocumentStates: ...
    @property
    def attachments(self) -> AttachmentStore: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def text(self) -> TextIndex: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def tiers(self) -> Tiers: ...
    @property
    def runs(self) -> Runs: ...
    @property
    def cards(self) -> Cards: ...
    @property
    def onboarding(self) -> Onboardings: ...
    @property
    def eraser(self) -> Eraser: ...
    @property
    def names(self) -> NameStore: ...
    @property
    def cleanup(self) -> Cleanup: ...
    @property
    def counters(self) -> Counters: ...
    @property
    def transfer(self) -> Transfer: ...
    @property
    def replies(self) -> ReplyStore: ...


class Store(Protocol):
    """One database."""

    @property
    def queue(self) -> Queue: ...
    @property
    def read_only(self) -> bool: ...
    def read(self, space: str) -> AbstractContextManager[Unit]: ...
    def write(self, space: str) -> AbstractContextManager[Unit]: ...
    def together(self, space: str) -> AbstractContextManager[Unit]:
        """A transaction that everything joins which this thread reads and writes meanwhile."""

    def stats(self, space: str) -> Stats: ...
    def check(self, space: str, *, deep: bool) -> list[Finding]: ...
    def spaces(self) -> list[str]: ...
    def clear_text_index(self) -> None: ...
    def index_vectors(self, space: str, embedder: int) -> None:
        """Build what ``Vectors.nearest`` needs where a space has grown large; nobody waits."""

    def compact(self) -> None: ...
    def settle(self) -> None: ...
    def vocabulary(self, space: str) -> Iterator[str]:
        """Every term that the files of a space may hold: of a shared file, those of all spaces."""

    def names(self, space: str) -> list[str]:
        """Likewise every name beside what people said."""

    def backup(
        self, target: Path, *, replace: bool, patience: float, progress: PageProgress
    ) -> Backup:
        """A checked copy of all spaces as a file that is whole or not there, made while others
        write; another one for the same file is waited for as long as ``patience`` seconds.
        """

    def made_at(self) -> int:
        """The microsecond in which its first schema was made, which its backups bear, too."""

    def is_backup(self, file: Path) -> bool:
        """Whether a file is a backup of this database."""

    def close(self) -> None: ...
