"""The words of Recollect as values: what crosses a boundary is one of these frozen dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, get_args

Role = Literal["user", "assistant", "tool", "system"]
ROLES: tuple[Role, ...] = get_args(Role)

Trust = Literal["owner", "agent", "tool", "external"]
TRUSTS: tuple[Trust, ...] = get_args(Trust)

Kind = Literal[
    "identity",
    "preference",
    "rule",
    "config",
    "credential",
    "fact",
    "decision",
    "skill",
    "lesson",
    "event",
    "trait",
    "temp",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

RecordType = Literal["memory", "turn", "episode", "attachment"]
RECORD_TYPES: tuple[RecordType, ...] = get_args(RecordType)

TurnState = Literal["new", "extracted", "empty", "failed", "dead"]
TURN_STATES: tuple[TurnState, ...] = get_args(TurnState)

MemoryStatus = Literal["active", "pending", "superseded", "rejected", "archived"]
Decision = Literal[
    "new", "same", "update", "conflict", "pending", "dropped", "withdrawn", "refused"
]
JobState = Literal["ready", "running", "dead"]
Direction = Literal["inbound", "outbound"]
Outcome = Literal["success", "partial", "failed", "ongoing"]

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call the assistant made."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered."""

    content: str
    call_id: str = ""
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A message to be recorded. Without ``index`` it goes to the end of its session.

    ``trust`` says whose words they are where the role does not: "external" for a stranger in a
    group, or for mail that is passed on as a message.
    """

    session: str
    role: Role
    content: str
    sender: str = ""
    channel: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    at: datetime | str | None = None
    index: int | None = None
    trust: Trust | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One recorded message, whole."""

    id: str
    session: str
    index: int
    role: Role
    content: str
    at: datetime
    sender: str = ""
    channel: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    tokens: int = 0
    trust: Trust = "owner"
    state: TurnState = "new"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a bulk write did: ``known`` turns were already there and left alone."""

    added: int
    known: int


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One conversation."""

    id: str
    project: str
    topic: str
    started_at: datetime
    last_at: datetime
    ended_at: datetime | None
    turns: int


@dataclass(frozen=True, slots=True)
class Source:
    """Where a piece of knowledge came from."""

    session: str
    index: int
    turn_id: str


@dataclass(frozen=True, slots=True)
class Memory:
    """One revisable statement.

    ``value`` is what it says of its subject and predicate, where that can be told.
    ``confirmations`` counts how often it was said again or confirmed. ``session`` is set when it
    ends with that session. A pending one is not offered again before ``snoozed_until``.
    """

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
    access_count: int
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime
    valid_from: datetime
    valid_to: datetime | None
    superseded_at: datetime | None
    superseded_by: str
    expires_at: datetime | None
    sources: tuple[Source, ...] = ()
    episode: str = ""
    value: str = ""
    confirmations: int = 0
    session: str = ""
    snoozed_until: datetime | None = None
    offered: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that is proposed to be remembered; reconciling decides what becomes of it.

    ``value`` is what the statement says of its subject and predicate ("3.12" for "Python version"),
    where that can be told. A withdrawal ("I no longer use it") ends what is known and adds nothing.
    ``duration`` is a word of the `lifetimes.durations` setting, or empty for the kind's own life.
    """

    kind: Kind
    content: str
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


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a candidate.

    ``memory`` is what holds its slot now, if anything does; ``replaced`` are the ids of memories
    that were ended by it.
    """

    decision: Decision
    memory: Memory | None = None
    replaced: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RolledBack:
    """What undoing one source changed, or would change; ids of memories.

    ``removed`` came from that source alone; ``restored`` are current again; ``revised`` also stand
    on other sources and lost only what this one added.
    """

    source: str
    removed: tuple[str, ...]
    restored: tuple[str, ...]
    revised: tuple[str, ...]
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


@dataclass(frozen=True, slots=True)
class Episode:
    """The story of one session or of one compressed stretch."""

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
    access_count: int
    source: str


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
    language: Literal["en", "zh"] = "en"
    text: str = field(default="", compare=False)
    updated_at: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that was sent or made in a conversation."""

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
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Event:
    """One change of memory, or one failure on the way to it."""

    id: str
    type: str
    operation_id: str
    subject: str
    payload: Mapping[str, Json]
    at: datetime


@dataclass(frozen=True, slots=True)
class History:
    """Every version of a memory, oldest first, and what happened to them."""

    versions: tuple[Memory, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class DailyEvent:
    """The short summary of one processed batch of turns."""

    id: str
    day: date
    channel: str
    sender: str
    summary: str
    tokens: int
    compressed: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one model call; ``cost`` is None where the price is not known."""

    id: str
    purpose: str
    model: str
    input_tokens: int
    output_tokens: int
    cost: float | None
    at: datetime


@dataclass(frozen=True, slots=True)
class UsageTotal:
    """Usage added up for one purpose and model."""

    purpose: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Why:
    """The reasons of one hit: the routes that found it, and each part of its score."""

    routes: tuple[str, ...]
    parts: Mapping[str, float]
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """One piece of evidence.

    ``trust`` is whose words it is. Only a memory has a ``kind`` and ``valid_from``, the moment since
    when it is true; ``at`` is when it was learnt or said.
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
class Left:
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
    dropped: tuple[Left, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of durable background work."""

    id: str
    space: str
    kind: str
    key: str
    payload: Mapping[str, Json]
    state: JobState
    attempts: int
    max_attempts: int
    run_at: datetime
    created_at: datetime
    lease_until: datetime | None
    error: str


@dataclass(frozen=True, slots=True)
class Drained:
    """What a drain did."""

    done: int
    retried: int
    dead: int


@dataclass(frozen=True, slots=True)
class Stats:
    """The size and the health of a memory."""

    space: str
    turns: int
    sessions: int
    memories: int
    episodes: int
    attachments: int
    events: int
    turn_states: Mapping[str, int]
    jobs_ready: int
    jobs_running: int
    jobs_dead: int
    first_at: datetime | None
    last_at: datetime | None
    file_bytes: int
    schema: int
    tokens: int
    worker_failure: str = ""
    recall_failure: str = ""
    unembedded: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a health check."""

    check: str
    ok: bool
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """One thing that forgetting removes or gives other words, and why; its first words too."""

    kind: str
    id: str
    change: Literal["removed", "rewritten"]
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was forgotten, without holding any of it.

    ``marks`` are keyed hashes of whole texts and ids, ``words`` of words that nothing else in the
    memory has; ``key`` is their key. ``items`` is only told by a preview, which removes nothing.
    """

    id: str
    space: str
    at: datetime
    asked: str
    counts: Mapping[str, int]
    key: str = ""
    marks: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    items: tuple[Forgotten, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """How often one thing is wrong: ``examples`` are ids and what is wrong with each."""

    name: str
    found: int
    of: int
    examples: tuple[tuple[str, str], ...]
    remedy: str

    @property
    def rate(self) -> float:
        return self.found / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class AuditReport:
    """How good a memory is."""

    space: str
    at: datetime
    memories: int
    checks: tuple[AuditCheck, ...]


@dataclass(frozen=True, slots=True)
class Metrics:
    """How well memory serves; a rate is None where nothing was counted yet.

    ``confirmation_rate``: of pending statements that the user answered, those that were confirmed.
    ``wrong_write_rate``: of memories that were learnt, those that were later taken back.
    ``recall_hit_rate``: of recalls, those that found evidence. ``evidence_used_rate``: of replies
    that were given evidence, those that say something of it which the question does not.
    ``context_share``: of the tokens of contexts, those that came from memory.
    """

    space: str
    at: datetime
    days: int | None
    confirmed: int
    refused: int
    confirmation_rate: float | None
    learnt: int
    taken_back: int
    wrong_write_rate: float | None
    recalls: int
    recalls_with_evidence: int
    recall_hit_rate: float | None
    replies: int
    replies_using_evidence: int
    evidence_used_rate: float | None
    contexts: int
    context_tokens: int
    memory_tokens: int
    context_share: float | None
    pending: int
    queue_depth: int
    queue_running: int
    dead_letters: int
    turns: int
    turns_failed: int
    memories: int
    model_calls: int
    model_tokens: int
    cost: float | None
