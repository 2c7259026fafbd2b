"""Removal of a whole space: copies outside the database, then every row in one transaction.

Copies go first and once more at the end: where the process dies between, the space is still there,
and the same call goes on. The receipt holds what is removed of each kind, and hashes of a part of
the records, as many as fit a file that people keep.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

from mnemic.clock import Clock
from mnemic.errors import NotFound
from mnemic.forget.erasure import finish_later
from mnemic.forget.traces import Hasher, tokens, words
from mnemic.ids import new_id
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import NOBODY, StoredTextKind
from mnemic.types import Receipt

_PROOF = 2_000  # records of each kind whose hashes a receipt holds
_KINDS: tuple[StoredTextKind, ...] = ("turn", "memory", "episode", "attachment", "daily event")


class SpaceErasure:
    """Removes one space."""

    def __init__(
        self,
        store: Store,
        space: str,
        clock: Clock,
        *,
        gather: Callable[[], None],
        drop_copies: Callable[[], None],
    ) -> None:
        """``gather`` writes what this process holds back; ``drop_copies`` removes files, vectors
        and what is held in memory.
        """
        self._store = store
        self._space = space
        self._clock = clock
        self._gather = gather
        self._drop_copies = drop_copies

    def forget(self, *, dry_run: bool = False) -> Receipt:
        """Remove it, or count what would go."""
        now = self._clock.now()
        receipt = Receipt(new_id(now), self._space, now, "space", {}, dry_run=dry_run)
        if not dry_run:
            self._gather()
        with self._store.read(self._space) as unit:
            if unit.space == NOBODY:
                raise NotFound(
                    f"There is no space {self._space!r}", remedy="Name one that was written to"
                )
            if dry_run:
                return _counted(unit, receipt)
        self._drop_copies()
        with self._store.write(self._space) as unit:
            receipt = _proven(unit, _counted(unit, receipt))
            unit.eraser.remove_all(receipt.id, now)
        self._drop_copies()
        with finish_later():
            self._store.compact()
            self._store.settle()
        return receipt


def _counted(unit: Unit, receipt: Receipt) -> Receipt:
    return replace(receipt, counts=unit.eraser.count_all())


def _proven(unit: Unit, receipt: Receipt) -> Receipt:
    """With hashes of ids, texts and words."""
    key = secrets.token_bytes(16)
    hashed, marks, terms = Hasher(key), set[str](), set[str]()
    for kind in _KINDS:
        for record in islice(unit.eraser.stored_texts((kind,)), _PROOF):
            marks |= {hashed(record.id), *(hashed(t) for t in record.texts if len(tokens(t)) > 1)}
            terms |= {hashed(word) for text in record.texts for word in words(text)}
    return replace(receipt, key=key.hex(), marks=tuple(sorted(marks)), words=tuple(sorted(terms)))
