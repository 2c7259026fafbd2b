"""Hits and memories as items of a prompt: with kind, date, speaker and source beside each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from recollect.context.parts import Item
from recollect.settings.values import Size
from recollect.types import Hit, Kind, Source, Trust

SECRET = "a credential is never put into a prompt"
OUTDATED = "what was learnt from it no longer holds"
UNTRUSTED = "what came from outside is not core until a person confirms it"
PROMOTED: tuple[Trust, ...] = ("owner", "agent")
_LEAST_LINE = 15  # tokens: a day, a kind, who said it, and a word or two


class MemoryView(Protocol):
    """What a prompt tells of a memory; a whole Memory has it, too."""

    @property
    def id(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def trust(self) -> Trust: ...
    @property
    def valid_from(self) -> datetime: ...
    @property
    def sources(self) -> Sequence[Source]: ...


def memory_item(memory: MemoryView, score: float = 0.0) -> Item:
    """A memory with the day it became true, not the day it was written down."""
    return Item(
        text=memory.content,
        id=memory.id,
        at=memory.valid_from,
        source=_sources(memory.sources),
        kind=memory.kind,
        trust=memory.trust,
        score=score,
    )


def most_core_lines(section: Size, capacity: int) -> int:
    """How many core memories are worth reading: no more than could stand in their part."""
    return min(capacity, max(1, section.tokens // _LEAST_LINE)) if section.tokens else capacity


def evidence_items(hits: Sequence[Hit]) -> list[Item]:
    """What was found, in its order."""
    return [_hit_item(hit) for hit in hits]


def _hit_item(hit: Hit) -> Item:
    """A file is from outside, a story is the agent's."""
    said = f"{hit.type} of {hit.sender or hit.role}" if hit.role else hit.kind or hit.type
    trust = hit.trust or ("agent" if hit.type == "episode" else "external")
    at = hit.valid_from or hit.at
    return Item(hit.text, hit.id, at, _sources(hit.sources), said, trust, hit.score)


def _sources(sources: Sequence[Source]) -> str:
    """The first source, and how many more there are."""
    if not sources:
        return ""
    more = f" +{len(sources) - 1}" if len(sources) > 1 else ""
    return f"{sources[0].session}#{sources[0].index}{more}"
