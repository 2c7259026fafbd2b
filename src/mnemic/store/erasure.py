"""What forgetting asks of a store, and what is counted; part of the contract in contract.py."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from mnemic.types import Episode, RecordType, SafeName, SafeText

if TYPE_CHECKING:
    pass

StoredTextKind = Literal[
    "turn",
    "memory",
    "episode",
    "attachment",
    "daily event",
    "event",
    "scratchpad",
    "card",
    "onboarding",
    "turn reason",
    "job",
    "upkeep error",
]
NameKind = Literal[
    "session",
    "sender",
    "channel",
    "project",
    "topic",
    "tool",
    "tool call",
    "parameter",
    "predicate",
    "tag",
    "address",
    "media type",
    "model",
    "purpose",
    "host",
    "operation",
]


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
        """The ids of one type of record."""
        return {
            "turn": self.turns,
            "memory": self.memories,
            "episode": self.episodes,
            "attachment": self.attachments,
        }[type_]


class Orphans(NamedTuple):
    """Rows that lead to nothing, by what they are."""

    counts: Mapping[str, int]
    examples: Mapping[str, tuple[str, ...]]
