"""Turns and what belongs to them: tool calls, sessions, attachments, events, usage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NewType

from recollect.types.literals import (
    Direction,
    Json,
    Role,
    Trust,
    TurnState,
)
from recollect.types.safe import EMPTY, SafeName, SafeText


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
    than user it can only lower the trust.
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

    id: SafeName
    session: SafeName
    index: int
    role: Role
    content: SafeText
    at: datetime
    sender: SafeName = EMPTY
    channel: SafeName = EMPTY
    tool_calls: tuple[SafeCall, ...] = ()
    tool_results: tuple[SafeResult, ...] = ()
    tokens: int = 0
    trust: Trust = "owner"
    state: TurnState = "new"
    reason: SafeText = EMPTY

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
    """A file that was sent or made in a conversation, as it is stored and as it is read."""

    id: SafeName
    session: SafeName
    filename: SafeName
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
