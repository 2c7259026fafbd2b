"""The records behind documents, by type: what ranking weighs and evidence shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.store.contract import Unit
from recollect.store.documents import type_of
from recollect.types import Attachment, Episode, Memory, RecordType

Known = Memory | Episode | Attachment

_READERS: dict[RecordType, Callable[[Unit, Sequence[str]], Sequence[Known]]] = {
    "memory": lambda unit, ids: unit.memories.by_id(ids),
    "episode": lambda unit, ids: unit.episodes.by_id(ids),
    "attachment": lambda unit, ids: unit.attachments.by_id(ids),
}


def known_records(unit: Unit, docs: Sequence[int]) -> dict[int, Known]:
    """The records among the documents that are no turns."""
    others = [doc for doc in docs if type_of(doc) != "turn"]
    ids: dict[RecordType, dict[str, int]] = {}
    for doc, (type_, id_) in unit.text.records(others).items() if others else ():
        ids.setdefault(type_, {})[id_] = doc
    return {
        mine[record.id]: record
        for type_, mine in ids.items()
        for record in _READERS[type_](unit, list(mine))
    }
