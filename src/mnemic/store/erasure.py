"""What forgetting asks of a store, and what is counted; part of the contract in contract.py."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from mnemic.days import Zone
from mnemic.types import Episode, RecordType, SafeName, SafeText, Trust

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


class Eraser(Protocol):
    """Taking records out for good. Nothing here asks whether it should."""

    def stored_texts(self, kinds: Collection[StoredTextKind]) -> Iterator[StoredText]: ...
    def stored(self, kind: StoredTextKind, id_: str) -> str: ...
    def turns_of(
        self,
        *,
        session: SafeName | None = None,
        sender: SafeName | None = None,
        trust: Trust | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[str]: ...
    def records_of(
        self,
        type_: RecordType,
        *,
        session: SafeName | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[str]: ...
    def derived(self, turns: Collection[str]) -> dict[str, tuple[str, ...]]: ...
    def stretches(self, turns: Collection[str]) -> list[Stretch]: ...
    def stretches_of(self, episodes: Collection[str]) -> list[Stretch]: ...
    def docs(self, type_: RecordType, ids: Collection[str]) -> list[int]: ...
    def only_in(self, terms: Iterable[str], docs: Collection[int]) -> set[str]: ...
    def held_terms(self, terms: Iterable[str]) -> set[str]: ...
    def still_there(self, texts: Collection[str]) -> set[str]: ...
    def remove(self, removal: Removal) -> None: ...
    def retell(self, stretch: Stretch, terms: SafeText) -> None: ...
    def rewrite(self, change: Rewrite) -> None: ...
    def learn_again(self, turns: Collection[str]) -> list[SafeName]: ...
    def drop_cached(self, hashes: Collection[bytes]) -> None: ...
    def drop_echoes(self, marks: Collection[int]) -> None: ...
    def end_job(self, kind: str, key: str) -> None: ...
    def drop_vectors(self, docs: Collection[int]) -> None: ...


class NameStore(Protocol):
    """The names that people and hosts gave, wherever they stand."""

    def all(self, kinds: Collection[NameKind] | None = None) -> Iterator[Name]:
        """Every name, or those of some kinds, each once."""

    def only_in(self, removal: Removal) -> set[Name]:
        """NameStore that nothing has any more once these records are removed."""

    def bearing(self, names: Collection[Name]) -> dict[RecordType, list[str]]:
        """Records that have one of these names in a copy: index, vector or transcript."""

    def rename(self, names: Mapping[Name, SafeName]) -> None:
        """Put each name's replacement wherever it stands; an empty one takes the name away."""


class Orphans(NamedTuple):
    """Rows that lead to nothing, by what they are."""

    counts: Mapping[str, int]
    examples: Mapping[str, tuple[str, ...]]


class Counters(Protocol):
    """What memory was used for, by day; numbers only."""

    def add(self, day: date, amounts: Mapping[str, int]) -> None: ...
    def totals(self, since: date | None) -> dict[str, int]: ...
    def rows(self, table: Literal["turns", "memories"]) -> int:
        """How many there are now."""

    def per_day(
        self, table: Literal["turns", "memories"], since: date, zone: Zone
    ) -> dict[date, int]:
        """Rows by the day they were said or learnt, in the zone they state or else in ``zone``,
        from then on; memories that were never taken for true are left out.
        """


class Cleanup(Protocol):
    """Rows that should not be there, found and removed."""

    def orphans(self, examples: int) -> Orphans: ...
    def remove_orphans(self) -> int: ...
    def unvectored(self, embedder: int, limit: int) -> Sequence[int]: ...
    def ask_again(self, docs: Collection[int]) -> None: ...
