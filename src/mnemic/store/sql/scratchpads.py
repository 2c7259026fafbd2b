"""The scratchpad: one text for a space."""

from __future__ import annotations

from datetime import datetime

from mnemic.store import codec
from mnemic.store.rows import PadRow
from mnemic.store.sql.connection import SqlConnection


class SqlScratchpads:
    """The scratchpad of one space on one connection."""

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def get(self) -> PadRow | None:
        rows = self._conn.execute(
            "SELECT text, updated_at FROM scratchpads WHERE space = ?", (self._space,)
        )
        pads = [PadRow(text, codec.from_micros(at)) for text, at in rows]
        return pads[0] if pads else None

    def put(self, text: str, at: datetime) -> None:
        self._conn.execute(
            "INSERT INTO scratchpads VALUES (?, ?, ?) ON CONFLICT (space)"
            " DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at",
            (self._space, text, codec.to_micros(at)),
        )
