"""What happened: turns and what belongs to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from recollect.types.words import Direction, Json, Role, Trust, TurnState


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
