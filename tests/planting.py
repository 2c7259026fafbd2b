"""Memories as a database of before holds them: written past the reconciler, so twice is twice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mnemic import Mind
from mnemic.ids import new_id
from mnemic.learn.claims import dump_claim
from mnemic.learn.memories import memory_terms
from mnemic.rules.support import Claim
from mnemic.store.contract import Unit
from mnemic.types import GENERAL_TOPIC, GLOBAL_PROJECT, Memory, SafeText, Source, constant


def plant(mind: Mind, text: str, **fields: Any) -> Memory:
    """Store a statement of the owner's as it is, with its words in the index."""
    (memory,) = plant_many(mind, [text], **fields)
    return memory


def plant_many(mind: Mind, texts: Iterable[str], **fields: Any) -> list[Memory]:
    """The same for several that differ in their text alone, in one transaction."""
    with mind._store.write(mind.space) as unit:
        return [_planted(mind, unit, text, **fields) for text in texts]


def _planted(mind: Mind, unit: Unit, text: str, **fields: Any) -> Memory:
    now = mind._clock.now()
    names: dict[str, Any] = {
        name: constant(fields.pop(name, "")) for name in ("subject", "predicate", "value")
    }
    turns = fields.pop("sources", ())
    memory = Memory(
        id=constant(new_id(now)),
        text=SafeText(text),
        project=constant(fields.pop("project", GLOBAL_PROJECT)),
        topic=GENERAL_TOPIC,
        tags=(),
        created_at=now,
        updated_at=now,
        last_accessed_at=now,
        valid_from=now,
        status="active",
        sources=tuple(Source(constant(""), 0, turn) for turn in turns),
        **names,
        **{"kind": "fact", "importance": 0.5, "confidence": 1.0, "trust": "owner", **fields},
    )
    claim = Claim(memory.importance, memory.confidence, memory.trust, memory.expires_at)
    unit.journal.add_event(
        "write",
        operation_id=memory.id,
        subject=memory.id,
        payload={"sources": list(turns), "claim": dump_claim(claim)},
        at=now,
    )
    return unit.memories.add(memory, memory_terms(memory))
