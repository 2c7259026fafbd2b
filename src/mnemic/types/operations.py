"""Results of operations: jobs, statistics, health checks, forgetting, metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import date, datetime, timedelta
from typing import Literal, TypedDict

from mnemic.late import dataclass
from mnemic.types.literals import JobState, Json
from mnemic.types.safe import SafeName, SafeText

WAITING_SINCE = "waiting_since"  # in the payload of a job
PageProgress = Callable[[int, int], None]  # takes the pages copied so far, and all of them


class ForgetQuery(TypedDict, total=False):
    """What ``forget`` removes; exactly what is named."""

    id: str | None
    query: str | None
    session: str | None
    source: str | None
    since: datetime | str | None
    until: datetime | str | None


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of durable background work."""

    id: SafeName
    space: str
    kind: str
    key: SafeName
    payload: Mapping[str, Json]
    state: JobState
    attempts: int
    max_attempts: int
    run_at: datetime
    created_at: datetime
    lease_until: datetime | None
    error: SafeText

    def name_of(self, field: str) -> SafeName:
        """A name in its payload, which passed the guard before it was stored."""
        return SafeName(SafeText(str(self.payload[field])))

    @property
    def waiting_since(self) -> datetime | None:
        """Since when it waits for a model that is away; None where it does not."""
        since = self.payload.get(WAITING_SINCE)
        return datetime.fromisoformat(since) if isinstance(since, str) else None


@dataclass(frozen=True, slots=True)
class ModelWait:
    """Turns that wait for a model that is away: since when, until the next try, and why."""

    turns: int
    since: datetime
    next_try: datetime
    reason: str

    def __str__(self) -> str:
        turns = f"{self.turns:,} turn{' waits' if self.turns == 1 else 's wait'}"
        since, next_try = f"{self.since:%Y-%m-%d %H:%M}", f"{self.next_try:%Y-%m-%d %H:%M}"
        return f"{turns} for the model since {since} UTC; next try {next_try} UTC"


@dataclass(frozen=True, slots=True)
class Drained:
    """What a drain did."""

    done: int
    retried: int
    dead: int


@dataclass(frozen=True, slots=True)
class EngineStats:
    """The spaces of a database, and what one process holds for them: how many are open, the bytes
    of vectors in memory, its threads of background work, and why that fails, if it does.
    """

    spaces: int
    open: int
    vector_bytes: int
    threads: int
    worker_failure: str


@dataclass(frozen=True, slots=True)
class Stats:
    """The size and the health of a memory; ``by_kind`` counts its memories by the words of the
    preset's document, the most frequent first.
    """

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
    read_only: bool = False
    suspended: tuple[str, ...] = ()
    model_wait: ModelWait | None = None
    by_kind: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Backup:
    """A checked copy of a database, with what it holds of all spaces together."""

    path: str
    bytes: int
    pages: int
    schema: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Restored:
    """A database made from a backup.

    ``released`` jobs were in somebody's hands when the backup was made and wait again; ``aside`` is
    the name that the database which stood there before has now, and ``documents`` are the files of
    its documents that were put aside with it.
    """

    path: str
    backup: str
    schema: int
    counts: Mapping[str, int]
    spaces: tuple[str, ...]
    released: int
    aside: str
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a health check."""

    check: str
    ok: bool
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """One thing that forgetting removes or changes, and why.

    ``text`` is the part of it that tells why, and ``highlights`` are the places in that text where
    the words stand, as (start, end). A *renamed* name gets ``id`` instead; what is *emptied* keeps
    its place without the text.
    """

    kind: str
    id: str
    change: Literal["removed", "rewritten", "emptied", "renamed"]
    reason: str
    text: str
    highlights: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof of what was forgotten, which holds none of it.

    ``marks`` are keyed hashes of whole texts and ids, ``words`` of words that nothing else in the
    memory has; ``key`` is their key. ``items`` is filled only by a preview, which removes nothing.
    """

    id: SafeName
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
class DayGrowth:
    """What one day added: turns that were said, and memories that were learned."""

    day: date
    turns: int
    memories: int


@dataclass(frozen=True, slots=True)
class DecayPoint:
    """What the importance of a memory is worth at one moment."""

    at: datetime
    score: float


@dataclass(frozen=True, slots=True)
class DecayCurve:
    """How the importance of a memory fades while it is not used; without a ``half_life`` it does
    not. Below ``archive_below`` and ``delete_below`` upkeep archives or deletes it.
    """

    id: SafeName
    half_life: timedelta | None
    floor: float
    archive_below: float
    delete_below: float
    points: tuple[DecayPoint, ...]


@dataclass(frozen=True, slots=True)
class DailyReport:
    """What was done on one day: a title, and a line for each thing, of each step."""

    day: date
    sections: Sequence[tuple[str, Sequence[str]]]
    language: str = "en"


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document as it is on disk; ``digest`` changes with it. ``problem`` says why it cannot be
    read.
    """

    name: str
    text: str
    digest: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Metrics:
    """How well memory serves; a rate is None where nothing was counted yet.

    ``confirmation_rate``: of pending statements that the user answered, those that were confirmed.
    ``wrong_write_rate``: of memories that were learned, those that were later taken back.
    ``recall_hit_rate``: of recalls, those that found evidence. ``evidence_used_rate``: of replies
    that were given evidence, those that say something of it which the question does not.
    ``context_share``: of the tokens of contexts, those that came from memory.

    Document C §9 counts otherwise: ``confirmed_of_pending`` of all statements that were put to the
    user, ``refused_of_confirmed`` as so many to one confirmed, and ``useful_evidence`` of the
    pieces of evidence that were shown, not of the replies.
    """

    space: str
    at: datetime
    days: int | None
    put_to_user: int
    confirmed: int
    refused: int
    confirmation_rate: float | None
    confirmed_of_pending: float | None
    refused_of_confirmed: float | None
    learned: int
    taken_back: int
    wrong_write_rate: float | None
    recalls: int
    recalls_with_evidence: int
    recall_hit_rate: float | None
    replies: int
    replies_using_evidence: int
    evidence_used_rate: float | None
    evidence_shown: int
    evidence_used: int
    useful_evidence: float | None
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
