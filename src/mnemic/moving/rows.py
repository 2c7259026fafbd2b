"""Rows into a store, and without credentials: whatever the guard takes for one gets a mark in its
place.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from mnemic.language.secrets.envelope import is_sealed
from mnemic.language.secrets.finder import redact, redact_json
from mnemic.language.secrets.randomness import MARK, Bounds
from mnemic.late import dataclass
from mnemic.learn.reindex import index_again
from mnemic.store.contract import Store
from mnemic.store.transfer import Cells, MovedTable, PutRows

_SEALED = f"{MARK}credential]"


def put_rows(store: Store, space: str, table: MovedTable, rows: Sequence[Cells]) -> PutRows:
    """Put checked rows down and index them, in one transaction."""
    with store.write(space) as unit:
        put = unit.transfer.put(table, rows)
        if table.record is not None and put.added:
            key = table.keys[0]
            ids = [str(rows[n][key]) for n in put.added]
            index_again(unit, table.record, ids, changed=False)
    return put


@dataclass(frozen=True, slots=True)
class CredentialMask:
    """Masks the rows of any table, with ``sealed`` also the envelopes of kept credentials."""

    bounds: Bounds
    sealed: bool

    def mask(self, table: MovedTable, rows: Sequence[Cells]) -> tuple[list[Cells], int]:
        """The rows without credentials, and how many of them had one."""
        columns = list(zip(*rows, strict=True))
        for n, column in enumerate(table.columns):
            if column.kind in ("text", "name"):
                columns[n] = tuple(self._mask_texts(columns[n], is_name=column.kind == "name"))
            elif column.kind == "json":
                columns[n] = tuple(redact_json(cell, self.bounds) for cell in columns[n])
        masked = list(zip(*columns, strict=True))
        return masked, sum(after != before for after, before in zip(masked, rows, strict=True))

    def _mask_texts(self, texts: Sequence[Any], *, is_name: bool) -> list[str]:
        masked = ["" if is_sealed(text) else redact(text, self.bounds) for text in texts]
        for n, (text, safe) in enumerate(zip(texts, masked, strict=True)):
            if is_sealed(text):
                masked[n] = _SEALED if self.sealed else text
            elif is_name and safe != text:
                # The same name has the same mask wherever it stands, and no two names share one.
                digest = blake2b(text.encode(), digest_size=4).hexdigest()
                masked[n] = f"{MARK}name-{digest}]"
        return masked
