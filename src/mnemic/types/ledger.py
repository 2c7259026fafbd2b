"""Turns and what belongs to them: tool calls, sessions, attachments, events, usage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import date, datetime
from typing import Any, NewType, TypedDict

from mnemic.late import dataclass
from mnemic.types.literals import Direction, Json, Role, Trust, TurnState
from mnemic.types.safe import EMPTY, SafeMetadata, SafeName, SafeText, no_metadata


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


# Those of a turn that was checked: names, inputs and contents passed the guard.
SafeCall = NewType("SafeCall", ToolCall)
SafeResult = NewType("SafeResult", ToolResult)


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A message to be recorded. Without ``index`` it goes to the end of its session.

    Who speaks as the user is the owner as long as nobody else does in that session; the setting
    `trust.owners` names the senders that are. ``trust`` is the host's own word on it: "external"
    for a stranger or for mail that is passed on, "owner" for the owner in a group. For other roles
    than user it can only lower the trust. ``metadata`` is a JSON object of the host's own, and no
    part of what is searched.
    """

    session: str
    role: Role
    text: str
    sender: str = ""
    channel: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    at: datetime | str | None = None
    index: int | None = None
    trust: Trust | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)


class SpokenDetails(TypedDict, total=False):
    """What a turn may come with, beside its session, role, text and tools; see ``NewTurn``."""

    sender: str
    channel: str
    at: datetime | str | None
    index: int | None
    trust: Trust | None
    metadata: Mapping[str, Any] | None


class TurnDetails(TypedDict, total=False):
    """What a turn may come with, beside its session, role and text; see ``NewTurn``."""

    sender: str
    channel: str
    tool_calls: Iterable[ToolCall]
    tool_results: Iterable[ToolResult]
    at: datetime | str | None
    index: int | None
    trust: Trust | None
    metadata: Mapping[str, Any]


class SessionQuery(TypedDict, total=False):
    """Which conversations ``sessions`` lists; every field narrows the choice. ``since`` and
    ``until`` are about the last turn, ``text`` is a part of the topic or of what an episode tells.
    """

    project: str | None
    text: str | None
    since: datetime | str | None
    until: datetime | str | None
    limit: int
    offset: int


class JournalQuery(TypedDict, total=False):
    """Which events ``events`` lists; every field narrows the choice. ``subject`` is the id of what
    an event is about.
    """

    subject: str | None
    type: str | None
    since: datetime | str | None
    until: datetime | str | None
    limit: int
    offset: int


class TurnQuery(TypedDict, total=False):
    """Which turns ``turns`` lists; every field narrows the choice. ``metadata`` are keys with the
    value each must have.
    """

    session: str | None
    project: str | None
    since: datetime | str | None
    until: datetime | str | None
    role: Role | None
    tool: str | None
    state: TurnState | None
    metadata: Mapping[str, str | float | bool | None] | None
    newest_first: bool
    limit: int
    offset: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One recorded message, whole.

    ``episode`` is the first one that tells of it; ``turns`` of a mind fills it in.
    """

    id: SafeName
    session: SafeName
    index: int
    role: Role
    text: SafeText
    at: datetime
    sender: SafeName = EMPTY
    channel: SafeName = EMPTY
    tool_calls: tuple[SafeCall, ...] = ()
    tool_results: tuple[SafeResult, ...] = ()
    tokens: int = 0
    trust: Trust = "owner"
    state: TurnState = "new"
    reason: SafeText = EMPTY
    episode: SafeName = EMPTY
    metadata: SafeMetadata = field(default_factory=no_metadata, hash=False)

    @property
    def source(self) -> Source:
        """The turn as the source of a memory."""
        return Source(self.session, self.index, self.id)


@dataclass(frozen=True, slots=True)
class Recorded:
    """Result of a bulk write; ``known`` counts turns that were stored already."""

    added: int
    known: int


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One conversation."""

    id: SafeName
    project: SafeName
    topic: SafeName
    started_at: datetime
    last_at: datetime
    ended_at: datetime | None
    turns: int


@dataclass(frozen=True, slots=True)
class Source:
    """Where a piece of knowledge came from."""

    session: SafeName
    index: int
    turn_id: SafeName


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that was sent or made in a conversation, as it is stored and as it is read.

    ``filename`` is its name where it lies, ``original_filename`` the one it was sent under.
    ``episode`` is the first one of its session that was written after it came;
    ``attachments`` of a mind fills it in.
    """

    id: SafeName
    session: SafeName
    filename: SafeName
    original_filename: SafeName = EMPTY
    mime: SafeName
    size: int
    path: SafeText
    url: SafeText
    direction: Direction
    description: SafeText = EMPTY
    transcription: SafeText = EMPTY
    extracted_text: SafeText = EMPTY
    tags: tuple[SafeName, ...] = ()
    memories: tuple[SafeName, ...] = ()
    created_at: datetime
    episode: SafeName = EMPTY


class AttachmentDetails(TypedDict, total=False):
    """What a file may come with, beside its path or address; see ``Attachment``.

    With a ``size`` the file is not looked up here: it lies on another machine.
    """

    session: str
    direction: Direction
    original_filename: str
    mime: str
    size: int
    description: str
    transcription: str
    extracted_text: str
    tags: Iterable[str]
    memories: Iterable[str]


def file_name(place: str) -> str:
    """The last part of a Windows or POSIX path or of an address."""
    return re.split(r"[\\/]", place.split("?", 1)[0].rstrip("\\/"))[-1]


@dataclass(frozen=True, slots=True)
class Event:
    """One change of memory, or one failure on the way to it."""

    id: SafeName
    type: str
    operation_id: SafeName
    subject: SafeName
    payload: Mapping[str, Json]
    at: datetime


@dataclass(frozen=True, slots=True)
class DailyEvent:
    """The short summary of one processed batch of turns."""

    id: SafeName
    day: date
    channel: SafeName
    sender: SafeName
    summary: SafeText
    tokens: int
    compressed: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NewDailyEvent:
    """What a day was about, as another memory tells it."""

    day: date | str
    summary: str
    channel: str = ""
    sender: str = ""


@dataclass(frozen=True, slots=True)
class UsageTotal:
    """Usage added up for one purpose and model."""

    purpose: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
