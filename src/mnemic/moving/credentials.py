"""Credentials in rows that are moved: whatever the guard takes for one gets a mark in its place."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from mnemic.language.secrets.batch import redact_many
from mnemic.language.secrets.envelope import is_sealed
from mnemic.language.secrets.finder import redact_json
from mnemic.language.secrets.randomness import MARK, Bounds
from mnemic.store.transfer import Cells, MovedTable

_SEALED = f"{MARK}credential]"


class CredentialMask:
    """Masks the rows of any table. ``sealed``: also the envelopes of credentials that were kept on
    request, which only their key opens.
    """

    def __init__(self, bounds: Bounds, *, sealed: bool) -> None:
        self._bounds = bounds
        self._sealed = sealed

    def mask(self, table: MovedTable, rows: Sequence[Cells]) -> tuple[list[Cells], int]:
        """The rows without credentials, and how many of them had one."""
        columns = list(zip(*rows, strict=True))
        for n, column in enumerate(table.columns):
            if column.kind in ("text", "name"):
                columns[n] = tuple(self._texts(columns[n], is_name=column.kind == "name"))
            elif column.kind == "json":
                columns[n] = tuple(redact_json(cell, self._bounds) for cell in columns[n])
        masked = list(zip(*columns, strict=True))
        return masked, sum(one != other for one, other in zip(masked, rows, strict=True))

    def _texts(self, texts: Sequence[Any], *, is_name: bool) -> list[str]:
        masked = redact_many(["" if is_sealed(text) else text for text in texts], self._bounds)
        for n, (text, safe) in enumerate(zip(texts, masked, strict=True)):
            if is_sealed(text):
                masked[n] = _SEALED if self._sealed else text
            elif is_name and safe != text:
                # The same name has the same mask wherever it stands, and no two names share one.
                digest = blake2b(text.encode(), digest_size=4).hexdigest()
                masked[n] = f"{MARK}name-{digest}]"
        return masked
