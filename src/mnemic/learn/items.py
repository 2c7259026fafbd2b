"""Values that a host keeps under a project and a key.

An item is no part of what is known: nothing learns from it, decays it or recalls it for a prompt;
only who asks for the status "item" finds it. Its text, if it has one, is what it is found by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mnemic.ids import new_id
from mnemic.index.embedding_job import ask_vectors
from mnemic.index.segment import index_text
from mnemic.space import Space
from mnemic.store.rows import MemoryFilter
from mnemic.types import EMPTY, Json, Memory, constant, key_of

_EVERY = 1_000  # of one key there is one, unless files were put together by hand


@dataclass(frozen=True, slots=True, eq=False)
class ItemWriter:
    """Puts items into one space; the memory reader finds them, deleting is as for any memory."""

    space: Space

    def put(self, project: str, key: str, value: Mapping[str, Json], text: str) -> Memory:
        """The value in the place of what the key held, in one step; versions before it are kept."""
        name, topic = self.space.guard.name(project, "project"), self.space.guard.name(key, "key")
        content = self.space.guard.text(text.strip(), "text")
        payload = self.space.guard.json_text(value, "value")
        now = self.space.now()
        wanted = MemoryFilter(status="item", project=name, topic=topic, limit=_EVERY)
        with self.space.write() as unit:
            before = unit.memories.find(wanted)
            item = Memory(
                id=new_id(now),
                kind="fact",
                text=content,
                value=payload,
                subject=EMPTY,
                predicate=EMPTY,
                project=name,
                topic=topic,
                tags=(),
                importance=0.0,
                confidence=1.0,
                trust="agent",
                status="item",
                created_at=min([now, *(old.created_at for old in before)]),
                updated_at=now,
                last_accessed_at=now,
                valid_from=now,
                origin="manual",
            )
            for old in before:
                unit.memories.revise(
                    replace(
                        old,
                        status="archived",
                        superseded_at=now,
                        superseded_by=item.id,
                        updated_at=now,
                    )
                )
            stored = unit.memories.add(item, index_text(content))
            if content:
                ask_vectors(unit, now)
            unit.journal.begin(key_of("item", item.id), now).note(
                "item", item.id, reason=constant("put by the host")
            )
        return stored
