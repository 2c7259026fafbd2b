"""What goes into a store and comes out of it, as values: rows, filters, answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from mnemic.days import LocalSpan
from mnemic.late import dataclass
from mnemic.settings.vocabulary import WordFilter
from mnemic.types import (
    EMPTY,
    Episode,
    Kind,
    Memory,
    MemoryOrder,
    MemoryOrigin,
    MemoryStatus,
    RecordType,
    Role,
    SafeCall,
    SafeMetadata,
    SafeName,
    SafeResult,
    SafeText,
    Source,
    Trust,
    TurnState,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mnemic.rules.bm25 import TermMatches

    Docs = NDArray[np.int64]
    Flags = NDArray[np.bool_]


# How a request was answered: the hash of what was sent, the status, the answer.
KeptReply = tuple[bytes, int, bytes]


_COUNTER_BITS = 36
_TYPE_BITS = 3
_TYPE_NUMBERS: dict[RecordType, int] = {"turn": 0, "memory": 1, "episode": 2, "attachment": 3}
TABLES: dict[RecordType, str] = {
    "turn": "turns",
    "memory": "memories",
    "episode": "episodes",
    "attachment": "attachments",
}
_TYPES: dict[int, RecordType] = {number: name for name, number in _TYPE_NUMBERS.items()}

MAX_SPACES = (1 << (63 - _COUNTER_BITS - _TYPE_BITS)) - 1
NOBODY = MAX_SPACES  # the number of a space that was never written to: it owns no row


def number_of(space: int, type_: RecordType) -> int:
    return space << _TYPE_BITS | _TYPE_NUMBERS[type_]


def first_doc(space: int, type_: RecordType) -> int:
    """The lowest number of that space and type."""
    return number_of(space, type_) << _COUNTER_BITS


def last_doc(space: int, type_: RecordType) -> int:
    """The highest number of that space and type."""
    return first_doc(space, type_) + (1 << _COUNTER_BITS) - 1


def type_of(doc: int) -> RecordType:
    """The record type a document number belongs to."""
    return _TYPES[doc >> _COUNTER_BITS & (1 << _TYPE_BITS) - 1]


def are_of(docs: Docs, type_: RecordType) -> Flags:
    """Which numbers of an array belong to that type."""
    kinds = docs >> _COUNTER_BITS & (1 << _TYPE_BITS) - 1
    flags: Flags = kinds == _TYPE_NUMBERS[type_]
    return flags


def place_of(doc: int) -> int:
    """A document's counter within its space and type."""
    return doc & (1 << _COUNTER_BITS) - 1


class TurnRow(NamedTuple):
    """A checked turn with its index terms; a tuple, which bulk writes make faster."""

    id: SafeName
    session: SafeName
    idx: int | None
    role: Role
    text: SafeText
    tool_calls: tuple[SafeCall, ...]
    tool_results: tuple[SafeResult, ...]
    at: datetime
    tokens: int
    channel: SafeName
    sender: SafeName
    trust: Trust
    terms: SafeText
    packed: bytes
    claim: int | None = None  # what its trust rests on: rules/speakers.py
    metadata: SafeMetadata | None = None


class EchoAbout(NamedTuple):
    """What is known of a line that went into a prompt: the least trust it came with, hashes of
    its words where that is not the owner's or the agent's, and the order of ids when it was shown.
    """

    trust: Trust = "agent"
    words: tuple[int, ...] = ()
    since: int = 0


class Placed(NamedTuple):
    """Where a turn stands after an append, and whether this append put it there.

    ``external``: it is not the owner's, since others speak as the user of its session, too.
    ``disowned``: this turn was the first to show it, so what was recorded before has to be lowered.
    """

    idx: int
    added: bool
    external: bool = False
    disowned: bool = False


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """Which turns to read; every field narrows the choice. ``having`` are keys of its metadata with
    their value as text.
    """

    session: SafeName | None = None
    project: SafeName | None = None
    since: datetime | None = None
    until: datetime | None = None
    role: Role | None = None
    tool: SafeName | None = None
    state: TurnState | None = None
    having: Mapping[str, str] = field(default_factory=dict)
    newest_first: bool = False
    limit: int = 100
    offset: int = 0


class Life(NamedTuple):
    """Memories by the time between their last change and expiry: longer than ``over``, at most
    ``most``; without ``over`` those that never expire.
    """

    over: timedelta | None = None
    most: timedelta | None = None


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories to read, of whatever status; every field narrows the choice.

    ``from_session``, ``from_turn`` and ``from_sender`` are about the turns it came from;
    ``session`` is the one it ends with. ``holds_at`` is what is in force then;
    ``as_of`` what was true then, ``known_at`` what was believed then, of any status now.
    ``subject`` and ``predicate`` are compared in the folded form of a slot, ``contains`` is a part
    of the statement, and ``having`` keys of its metadata with their value as text. ``words`` are
    the document's for kinds and scopes. ``since`` and ``until`` are about when it was learned.
    """

    status: MemoryStatus | None = None
    kind: Kind | None = None
    words: tuple[WordFilter, ...] = ()
    origins: tuple[MemoryOrigin, ...] = ()
    life: Life | None = None
    min_importance: float | None = None
    project: SafeName | None = None
    topic: SafeName | None = None
    subject: str | None = None
    predicate: str | None = None
    tag: SafeName | None = None
    trust: Trust | None = None
    contains: str | None = None
    having: Mapping[str, str] = field(default_factory=dict)
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    session: SafeName | None = None
    from_session: SafeName | None = None
    from_turn: str | None = None
    from_sender: SafeName | None = None
    holds_at: datetime | None = None
    order: MemoryOrder = "newest"
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True)
class PadRow:
    """The text of the scratchpad, and when it was last changed."""

    text: SafeText
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Scope:
    """What a search may find; ``within`` a project: what belongs to it or to none. ``since`` and
    ``until`` are about when it was said or learned, ``days`` about when it was said or true.
    ``having`` are keys of its metadata with their value as text.
    """

    types: tuple[RecordType, ...]
    session: SafeName | None = None
    project: SafeName | None = None
    within: SafeName | None = None
    topic: SafeName | None = None
    words: tuple[WordFilter, ...] = ()
    min_importance: float | None = None
    speaker: SafeName | None = None
    trust: Trust | None = None
    status: MemoryStatus | None = None
    since: datetime | None = None
    until: datetime | None = None
    days: LocalSpan | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    now: datetime | None = None
    having: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def narrow(self) -> bool:
        """Whether it leaves out records of its types by anything but the state they are in."""
        return (
            any((self.session, self.project, self.topic, self.words, self.speaker, self.trust))
            or bool(self.having)
            or (self.status or self.within) is not None
            or self.min_importance is not None
            or (self.since or self.until or self.days) is not None
        )


class QueryTerm(NamedTuple):
    """A term to look for, and how much a match counts before its rarity is known.

    ``form_of`` is the term of which it is another form. Of a term and its forms each text's best
    match counts, and a form counts at most what the term would.
    """

    text: str
    weight: float
    form_of: str = ""


@dataclass(frozen=True, slots=True)
class TextMatch:
    """One record found by its words; ``doc`` is the store's number for it."""

    doc: int
    score: float


@dataclass(frozen=True, slots=True)
class TextMatches:
    """The answer of a text search, with the weights that score further records for its query.

    ``telling`` says how much each term tells, ``absent`` how much those tell that no record has.
    ``packs`` keeps the terms of records that were read for it, so that they are read once, and
    ``scored`` what was found in some of them, by the rows of ``row_of``.
    """

    matches: tuple[TextMatch, ...]
    words: Mapping[int, str]
    weights: Mapping[int, float]
    length: float
    telling: Mapping[int, float] = field(default_factory=dict)
    absent: float = 0.0
    form_of: Mapping[int, int] = field(default_factory=dict)  # numbers of terms
    packs: dict[int, bytes] = field(default_factory=dict, compare=False, repr=False)
    scored: TermMatches | None = field(default=None, compare=False, repr=False)
    row_of: Mapping[int, int] = field(default_factory=dict, compare=False, repr=False)


class SlotEntry(NamedTuple):
    """A version of a memory with a slot, as a question for the slot needs it."""

    doc: int
    subject: str
    predicate: str
    value: SafeText
    text: SafeText
    trust: Trust


class EpisodeSpan(NamedTuple):
    """The turns of a session that an episode tells of."""

    id: SafeName
    since: datetime
    last_index: int


PLACE_END = 40  # characters in which a turn that asks has its question mark
SHORT_TEXT = 200  # characters; a longer turn states something


class Place(NamedTuple):
    """Where a turn stands: what ranking needs to know of it. ``at`` is in microseconds, ``text``
    the whole text where that is short, and else its end.
    """

    doc: int
    session: int
    idx: int
    at: int
    sender: str
    assistant: bool
    whole: bool
    text: str

    @property
    def asks(self) -> bool:
        """Whether it ends with a question."""
        ending = self.text[-PLACE_END:]
        return "?" in ending or "？" in ending


@dataclass(frozen=True, slots=True)
class Transcript:
    """How much of a session's JSONL copy is known to be good."""

    session: SafeName
    bytes: int
    last_at: datetime


class EmbedText(NamedTuple):
    """A record that wants vectors; ``role``, ``before``, ``local`` (in its zone) are a turn's."""

    doc: int
    speaker: str
    text: str
    role: str
    before: str
    local: int | None
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


# --- upkeep, identity and onboarding -------------------------------------------------------------

Claimed = Literal["taken", "done", "busy"]


class NumberedMemory(NamedTuple):
    """A memory and the store's number for it."""

    doc: int
    memory: Memory


class TierCounts(NamedTuple):
    """What holds now: in the core, and beside it."""

    core: int
    knowledge: int


@dataclass(frozen=True, slots=True)
class StepRow:
    """How far a step of a run has come."""

    step: str
    finished_at: datetime | None
    counts: Mapping[str, int]
    error: SafeText


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of the daily or the weekly work."""

    run: str
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class CardRow:
    """A card, and the fingerprint of what it was made from."""

    name: str
    source: str
    maker: str
    text: SafeText


@dataclass(frozen=True, slots=True)
class OnboardingRow:
    """How far onboarding has come."""

    stage: str
    answers: Mapping[str, SafeText]


class CoreLine(NamedTuple):
    """What a prompt tells of a core memory; it is read for every message, so it is little."""

    id: SafeName
    text: SafeText
    kind: Kind
    trust: Trust
    valid_from: datetime
    sources: tuple[Source, ...]


# --- documents that people read: fingerprints, and choices ---------------------------------------

Choice = Literal["pinned", "hidden", "asked"]


@dataclass(frozen=True, slots=True)
class Written:
    """What a document held: fingerprints of the file, and of each bullet by its memory's id."""

    file: str
    bullets: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as it was left.

    ``writing`` is set while its file is being replaced: after a crash the file is one of the two.
    ``rolled_through`` is the id of the latest memory that went into an archive.
    """

    name: SafeName
    written: Written | None = None
    writing: Written | None = None
    rolled_through: SafeName = EMPTY


@dataclass(frozen=True, slots=True)
class DocumentChoice:
    """What a person decided about a memory in a document.

    Pinned: written or put there by hand. Hidden: taken out of this document only. Asked: taken out
    of all of them, and whether to forget it is an open question.
    """

    document: SafeName
    memory: SafeName
    choice: Choice
    at: datetime


# --- forgetting ----------------------------------------------------------------------------------

StoredTextKind = Literal[
    "turn", "memory", "episode", "attachment", "daily event", "event", "scratchpad", "card",
    "onboarding", "turn reason", "job", "upkeep error",
]  # fmt: skip
NameKind = Literal[
    "session", "sender", "channel", "project", "topic", "tool", "tool call", "parameter",
    "predicate", "tag", "address", "media type", "model", "purpose", "host", "operation",
]  # fmt: skip


class Name(NamedTuple):
    """What something is called: given by people or hosts, and no part of what was said."""

    kind: NameKind
    text: str


class StoredText(NamedTuple):
    """Something of a space that holds text. ``texts`` are its parts, ``at`` when it came."""

    kind: StoredTextKind
    id: SafeName
    texts: tuple[str, ...]
    at: datetime


class Rewrite(NamedTuple):
    """Other words for something that holds text, as it is stored; empty to blank it."""

    kind: StoredTextKind
    id: str
    text: SafeText


class Stretch(NamedTuple):
    """An episode and the turns of its time that are in its session, in order."""

    episode: Episode
    turns: tuple[SafeName, ...]


@dataclass(frozen=True, slots=True)
class Removal:
    """Records to take out of every table and index, by id."""

    turns: Collection[str] = ()
    memories: Collection[str] = ()
    episodes: Collection[str] = ()
    attachments: Collection[str] = ()
    daily_events: Collection[str] = ()
    sessions: Collection[str] = ()  # those without turns; one whose turns go needs no mention

    def of(self, type_: RecordType) -> Collection[str]:
        ids: Collection[str] = getattr(self, TABLES[type_])
        return ids


class Orphans(NamedTuple):
    """Rows that lead to nothing, by what they are."""

    counts: Mapping[str, int]
    examples: Mapping[str, tuple[str, ...]]
