"""The arguments of each tool: a field is a parameter, its annotation says which values it takes.

What a model reads of each is in texts.toml, under the name of the class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from mnemic.types import MemoryOrder

# Words of the preset's document, and a text that may be empty.
Kind = Annotated[str, "kind"]
Scope = Annotated[str, "scope"]
Priority = Annotated[str, "priority"]
AnyText = Annotated[str, "empty"]
Speaker = Literal["user", "assistant", "tool"]
ListedStatus = Literal["active", "pending", "superseded", "rejected", "archived", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoArguments:
    """No arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMemory:
    """A statement to be kept."""

    text: str
    kind: Kind = "fact"
    scope: Scope = ""
    duration: Priority = ""
    subject: str = ""
    predicate: str = ""
    value: str = ""
    importance: float | None = None
    project: str = ""
    tags: tuple[str, ...] = ()
    updates: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchMemory:
    """A question to memories and episodes."""

    query: str
    kind: Kind | None = None
    scope: Scope | None = None
    project: str | None = None
    since: str | None = None
    until: str | None = None
    as_of: str | None = None
    known_at: str | None = None
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTraces:
    """A question to what was literally said and done."""

    query: str
    session: str | None = None
    since: str | None = None
    until: str | None = None
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPending:
    """The few to ask about now, or all that wait."""

    all: bool = False
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingMemory:
    """One statement that waits."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMemories:
    """Which memories to list."""

    kind: str | None = None
    project: str | None = None
    subject: str | None = None
    tag: str | None = None
    text: str | None = None
    status: ListedStatus | None = None
    since: str | None = None
    until: str | None = None
    order: MemoryOrder = "newest"
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMemory:
    """One memory."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMemory:
    """What to change of a memory; what is left out stays."""

    id: str
    text: str | None = None
    kind: str | None = None
    value: str | None = None
    importance: float | None = None
    tags: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """What to remove for good."""

    id: str | None = None
    query: str | None = None
    session: str | None = None
    since: str | None = None
    until: str | None = None
    confirm: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTurn:
    """One turn of a conversation."""

    role: Speaker
    text: str
    sender: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordTurns:
    """Turns to be recorded."""

    turns: tuple[SpokenTurn, ...]
    session: str = ""
    ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewScratchpad:
    """What is in hand now."""

    markdown: AnyText
