"""Give records their text-index row again, from the records themselves."""

from __future__ import annotations

from collections.abc import Callable

from mnemic.learn.episodes import episode_terms
from mnemic.learn.memories import memory_terms
from mnemic.record.attachments import attachment_terms
from mnemic.record.recorder import turn_terms
from mnemic.store.contract import Store, Unit
from mnemic.types import RecordType, SafeName, SafeText

_BATCH = 1_000


def repair_text_index(store: Store, progress: Callable[[int], None]) -> int:
    """Rebuild the whole text index from the records."""
    store.clear_text_index()
    return sum(index_missing(store, space, progress) for space in store.spaces())


def index_missing(store: Store, space: str, progress: Callable[[int], None]) -> int:
    """Index every record of a space that the index does not hold; safe to interrupt and repeat."""
    done = 0
    for type_, terms_of in _READERS.items():
        while True:
            with store.write(space) as unit:
                ids = unit.text.list_unindexed(type_, _BATCH)
                unit.text.put(type_, dict(terms_of(unit, ids)))
            if not ids:
                break
            done += len(ids)
            progress(len(ids))
    return done


def index_again(unit: Unit, type_: RecordType, ids: list[str], *, changed: bool = True) -> None:
    """Index records whose names have changed, or that came from elsewhere with their vectors."""
    unit.text.put(type_, dict(_READERS[type_](unit, ids)), changed=changed)


def _turns(unit: Unit, ids: list[str]) -> list[tuple[SafeName, SafeText]]:
    return [
        (t.id, turn_terms(t.sender, t.text, t.tool_calls, t.tool_results).terms)
        for t in unit.ledger.turns_by_id(ids)
    ]


def _memories(unit: Unit, ids: list[str]) -> list[tuple[SafeName, SafeText]]:
    return [(m.id, memory_terms(m)) for m in unit.memories.by_id(ids)]


def _episodes(unit: Unit, ids: list[str]) -> list[tuple[SafeName, SafeText]]:
    return [(e.id, episode_terms(e)) for e in unit.episodes.by_id(ids)]


def _attachments(unit: Unit, ids: list[str]) -> list[tuple[SafeName, SafeText]]:
    return [(a.id, attachment_terms(a)) for a in unit.attachments.by_id(ids)]


_READERS: dict[RecordType, Callable[[Unit, list[str]], list[tuple[SafeName, SafeText]]]] = {
    "turn": _turns,
    "memory": _memories,
    "episode": _episodes,
    "attachment": _attachments,
}
