"""Memories, candidates and decisions, episodes, the scratchpad."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Literal, NewType, TypedDict

from mnemic.late import dataclass
from mnemic.types.ledger import Event, Source
from mnemic.types.literals import (
    DecisionOutcome,
    Kind,
    MemoryOrder,
    MemoryOrigin,
    MemoryStatus,
    Outcome,
    Trust,
)
from mnemic.types.safe import EMPTY, SafeMetadata, SafeName, SafeText, constant, no_metadata

DEFAULT_SPACE = constant("default")
GLOBAL_PROJECT = constant("_global")
GENERAL_TOPIC = constant("_general")


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A statement to be remembered; without a project or a topic it is of the general one, without
    a kind it is of the kind that it reads like, else a fact.

    With ``supersedes`` it is the next version of that memory, and has its subject, predicate,
    project, topic, tags, metadata and importance unless others are given. ``duration`` is a
    priority such as "short_term", or a life such as "7d"; ``scope`` a word of the preset's
    document. ``learned_at`` is when another memory learned what comes from there.
    """

    text: str
    kind: Kind | str = ""
    subject: str = ""
    predicate: str = ""
    value: str = ""
    project: str | None = None
    topic: str | None = None
    tags: Iterable[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    importance: float | None = None
    confidence: float = 1.0
    trust: Trust = "owner"
    valid_from: datetime | str | None = None
    valid_to: datetime | str | None = None
    expires_at: datetime | str | None = None
    sources: tuple[str, ...] = ()
    supersedes: str | None = None
    scope: str = ""
    duration: str = ""
    origin: MemoryOrigin | str = "manual"
    learned_at: datetime | str | None = None


class MemoryDetails(TypedDict, total=False):
    """What a statement may come with, beside its text and kind; see ``NewMemory``."""

    subject: str
    predicate: str
    value: str
    project: str
    topic: str
    tags: Iterable[str]
    metadata: Mapping[str, Any]
    importance: float | None
    confidence: float
    trust: Trust
    valid_from: datetime | str | None
    valid_to: datetime | str | None
    expires_at: datetime | str | None
    scope: str
    duration: str
    origin: MemoryOrigin | str


class MemoryChanges(MemoryDetails, total=False):
    """What ``edit`` changes of a memory; what is left out, or None, stays.

    A new text without a value keeps the old value only where the text still says it.
    ``expires_at`` and ``valid_to`` take "never", too.
    """

    text: str
    kind: Kind | str


class MemoryQuery(TypedDict, total=False):
    """Which memories ``memories`` lists; every field narrows the choice.

    Without a ``status`` it is what holds now, with ``as_of`` what was true then, with ``known_at``
    what was believed then; "all" is every status. ``text`` is a part of the statement in any case
    of its letters. ``subject`` and ``predicate`` are compared as slots are: the common ones have
    one name in either language.
    ``metadata`` are keys with the value each must have. ``since`` and ``until`` are about when it
    was learned. ``kind``, ``scope``, ``priority`` and ``origin`` take the words of the preset's
    document, too.
    """

    kind: Iterable[Kind | str] | Kind | str | None
    scope: str | None
    priority: str | None
    origin: MemoryOrigin | str | None
    min_importance: float | None
    project: str | None
    topic: str | None
    subject: str | None
    predicate: str | None
    tag: str | None
    trust: Trust | None
    status: MemoryStatus | Literal["all"] | None
    text: str | None
    metadata: Mapping[str, str | float | bool | None] | None
    since: datetime | str | None
    until: datetime | str | None
    as_of: datetime | str | None
    known_at: datetime | str | None
    order: MemoryOrder
    limit: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One revisable statement, as it is stored and as it is read.

    ``value`` is what it says of its subject and predicate, where that can be told.
    ``confirmations`` counts how often it was said again or confirmed. ``session`` is set when it
    ends with that session. A pending one is not offered again before ``snoozed_until``.
    ``metadata`` is the host's own, and no part of what is searched. ``origin`` is how it came to
    be: out of turns, by upkeep, by a model's own idea, by somebody's word, out of other files.
    ``tier`` is 1 in the core that every prompt has, else 2.
    """

    id: SafeName
    kind: Kind
    text: SafeText
    subject: SafeName
    predicate: SafeName
    project: SafeName
    topic: SafeName
    tags: tuple[SafeName, ...]
    importance: float
    confidence: float
    trust: Trust
    status: MemoryStatus
    access_count: int = 0
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime
    valid_from: datetime
    valid_to: datetime | None = None
    superseded_at: datetime | None = None
    superseded_by: SafeName = EMPTY
    expires_at: datetime | None = None
    sources: tuple[Source, ...] = ()
    episode: SafeName = EMPTY
    value: SafeText = EMPTY
    confirmations: int = 0
    session: SafeName = EMPTY
    snoozed_until: datetime | None = None
    offered: int = 0
    metadata: SafeMetadata = field(default_factory=no_metadata, hash=False)
    origin: MemoryOrigin = "extraction"
    tier: int = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that is proposed to be remembered; reconciling decides what becomes of it.

    ``value`` is what the statement says of its subject and predicate ("3.12" for "Python version"),
    where that can be told. A withdrawal ("I no longer use it") ends what is known and adds nothing.
    ``duration`` is a word of ``DURATIONS`` (rules/lifetimes.py) or a priority, or empty for the
    kind's own life. ``kind`` may be a word of the preset's document.
    ``valid_from`` and ``valid_to`` are the time it speaks of, where it names one: it counts as true
    from when it was said otherwise, and is no longer current after ``valid_to``.
    """

    kind: Kind | str
    text: str
    subject: str = ""
    predicate: str = ""
    value: str = ""
    importance: float | None = None
    confidence: float | None = None
    duration: str = ""
    project: str = ""
    topic: str = ""
    tags: tuple[str, ...] = ()
    is_update: bool = False
    withdraws: bool = False
    asked: bool = False
    trust: Trust = "owner"
    sources: tuple[str, ...] = ()
    valid_from: datetime | str | None = None
    valid_to: datetime | str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    origin: MemoryOrigin = "extraction"


@dataclass(frozen=True, slots=True)
class SafeCandidate(Candidate):
    """A candidate whose strings passed the guard, with its partition named."""

    kind: Kind
    text: SafeText
    subject: SafeName = EMPTY
    predicate: SafeName = EMPTY
    value: SafeText = EMPTY
    project: SafeName = EMPTY
    topic: SafeName = EMPTY
    tags: tuple[SafeName, ...] = ()
    sources: tuple[SafeName, ...] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: SafeMetadata = field(default_factory=no_metadata, hash=False)


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a candidate, and why.

    ``memory`` is the one that holds its slot: the one it repeats or, once it is settled, the one it
    was written as. ``replaced`` are the ids of memories that it ends.
    """

    outcome: DecisionOutcome
    memory: Memory | None = None
    replaced: tuple[SafeName, ...] = ()
    reason: str = ""

    @property
    def id(self) -> SafeName:
        """The id of ``memory``; empty when nothing was kept."""
        return EMPTY if self.memory is None else self.memory.id


@dataclass(frozen=True, slots=True)
class NewEpisode:
    """The story of a conversation, as another memory tells it."""

    session: str
    summary: str
    started_at: datetime | str
    ended_at: datetime | str | None = None
    goal: str = ""
    outcome: Outcome = "success"
    entities: Iterable[str] = ()
    tools: Iterable[str] = ()
    tags: Iterable[str] = ()
    importance: float = 0.5


@dataclass(frozen=True, slots=True)
class AddedRecords:
    """How many records were added, were here before, or say nothing that would be kept.

    ``pending`` of those added wait for a person's word.
    """

    added: int = 0
    known: int = 0
    dropped: int = 0
    pending: int = 0


@dataclass(frozen=True, slots=True)
class RolledBack:
    """What undoing one source changed, or would change; ids of memories.

    ``removed`` came from that source alone; ``restored`` are current again; ``revised`` also stand
    on other sources and lost only what this one added.
    """

    source: str
    removed: tuple[SafeName, ...]
    restored: tuple[SafeName, ...]
    revised: tuple[SafeName, ...]
    operation_id: str = ""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class ActionNode:
    """One tool call in the story of an episode."""

    tool: str
    params: Mapping[str, Any]
    result: str
    success: bool
    error: str
    decision: str
    at: datetime


SafeAction = NewType("SafeAction", ActionNode)
"""One whose texts passed the guard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The story of one session or of one compressed stretch, as it is stored and as it is read."""

    id: SafeName
    session: SafeName
    summary: SafeText
    goal: SafeText
    outcome: Outcome
    started_at: datetime
    ended_at: datetime
    actions: tuple[SafeAction, ...]
    entities: tuple[SafeName, ...]
    tools: tuple[SafeName, ...]
    memories: tuple[SafeName, ...] = ()
    tags: tuple[SafeName, ...]
    importance: float
    access_count: int = 0
    source: str


class EpisodeQuery(TypedDict, total=False):
    """Which episodes ``episodes`` lists; every field narrows the choice.

    ``entity`` is a person, project or path it is about, and ``tool`` one that was used, both in any
    case of their letters. ``since`` and ``until`` are about when it began.
    """

    session: str | None
    entity: str | None
    tool: str | None
    outcome: Outcome | None
    since: datetime | str | None
    until: datetime | str | None
    limit: int


@dataclass(frozen=True, slots=True)
class Completion:
    """A finished task on the scratchpad; ``at`` is None where a person wrote no time."""

    task: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PadSection:
    """A part of the scratchpad with a heading of its own, kept as it was written."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Scratchpad:
    """What the agent is working on: ``text`` is the markdown, the other fields what it says."""

    focus: str = ""
    projects: tuple[str, ...] = ()
    completions: tuple[Completion, ...] = ()
    questions: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    other: tuple[PadSection, ...] = ()
    language: str = "en"
    text: str = field(default="", compare=False)
    updated_at: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class History:
    """Every version of a memory, oldest first, and what happened to them."""

    versions: tuple[Memory, ...]
    events: tuple[Event, ...]
