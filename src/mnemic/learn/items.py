"""Values that a host keeps under a project and a key.

An item is no part of what is known: nothing learns from it, decays it or recalls it for a prompt;
only who asks for the status "item" finds it. Its text, if it has one, is what it is found by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mnemic.clock import Clock
from mnemic.ids import new_id
from mnemic.index.embedding_job import Ask
from mnemic.index.segment import index_text
from mnemic.language.guard import Guard
from mnemic.store.contract import Store
from mnemic.store.rows import MemoryFilter
from mnemic.types import EMPTY, Json, Memory, constant, key_of

_EVERY = 1_000  # of one key there is one, unless files were put together by hand


class ItemWriter:
    """Puts items into one space; the memory reader finds them, deleting is as for any memory."""

    def __init__(self, store: Store, space: str, clock: Clock, guard: Guard, ask: Ask) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._guard = guard
        self._ask = ask

    def put(self, project: str, key: str, value: Mapping[str, Json], text: str) -> Memory:
        """The value in the place of what the key held, in one step; versions before it are kept."""
        name, topic = self._guard.name(project, "project"), self._guard.name(key, "key")
        content = self._guard.text(text.strip(), "text")
        kept = self._guard.json_text(value, "value")
        now = self._clock.now()
        wanted = MemoryFilter(status="item", project=name, topic=topic, limit=_EVERY)
        with self._store.write(self._space) as unit:
            before = unit.memories.find(wanted)
            item = Memory(
                id=new_id(now),
                kind="fact",
                text=content,
                value=kept,
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
                self._ask(unit, now)
            unit.journal.add_event(
                "item",
                operation_id=key_of("item", item.id),
                subject=item.id,
                payload={"reason": constant("put by the host")},
                at=now,
            )
        return stored
