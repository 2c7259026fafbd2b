"""Hits and memories as items of a prompt: with kind, date, speaker and source beside each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.context.parts import Item
from recollect.rules.trust import trust_of
from recollect.store.base import Store
from recollect.types import ROLES, Hit, Memory, Source, Trust

SECRET = "a credential is never put into a prompt"
UNTRUSTED = "what came from outside is not core until a person confirms it"
PROMOTED: tuple[Trust, ...] = ("owner", "agent")


def memory_item(memory: Memory, score: float = 0.0) -> Item:
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


class EvidenceReader:
    """Fills in what a hit does not say of itself: the kind of a memory and who it is from."""

    def __init__(self, store: Store, space: str) -> None:
        self._store = store
        self._space = space

    def __call__(self, hits: Sequence[Hit]) -> list[Item]:
        """Items for the hits, in their order; a memory that is gone by now is left out."""
        memories = self._memories([hit.id for hit in hits if hit.type == "memory"])
        items = []
        for hit in hits:
            if hit.type != "memory":
                items.append(_other_item(hit))
            elif hit.id in memories:
                items.append(memory_item(memories[hit.id], hit.score))
        return items

    def _memories(self, ids: Sequence[str]) -> dict[str, Memory]:
        if not ids:
            return {}
        with self._store.read(self._space) as unit:
            return {memory.id: memory for memory in unit.memories.by_id(ids)}


def _other_item(hit: Hit) -> Item:
    """A turn speaks with the trust of its role; a file is from outside, a story is the agent's."""
    trust: Trust = "agent" if hit.type == "episode" else "external"
    for role in ROLES:
        if hit.role == role:
            trust = trust_of(role)
    said = f"{hit.type} of {hit.sender or hit.role}" if hit.role else hit.type
    return Item(hit.text, hit.id, hit.at, _sources(hit.sources), said, trust, hit.score)


def _sources(sources: Iterable[Source]) -> str:
    """The first source, and how many more there are."""
    listed = list(sources)
    if not listed:
        return ""
    more = f" +{len(listed) - 1}" if len(listed) > 1 else ""
    return f"{listed[0].session}#{listed[0].index}{more}"
