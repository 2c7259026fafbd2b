"""Everything that stands in a database, read with plain SQL and named by ids, so that two files
can be compared whatever moved the rows from one to the other.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw

# Not moved: what this file calls its spaces, the age of its schema, how far the transcript files
# beside it have come, a counter for copies in memory, answers to requests, what one device has
# exchanged with others, and who may ask a service; and the tables of the full-text index, whose
# terms are compared as text_terms.
LEFT_OUT = {
    "spaces", "migrations", "transcripts", "vector_rewrites", "replies",
    "sync_devices", "sync_rows", "sync_changes", "sync_files", "sync_receipts",
    "tokens", "logins", "token_uses", "accesses",
}  # fmt: skip
_LAST_TURN = "(SELECT max(x.doc) FROM turns x WHERE x.session = r.number AND x.doc <= {0})"
# Numbers of a file, and leases.
_IDS = {
    ("memories", "wording"): "''",  # derived from the text when it is first needed
    ("turns", "session"): "(SELECT id FROM sessions x WHERE x.number = {0})",
    ("sessions", "number"): (
        "(SELECT count(*) FROM sessions x WHERE x.space = r.space AND x.number < {0})"
    ),
    ("sessions", "digested"): _LAST_TURN,
    ("sessions", "extracted"): _LAST_TURN,
    ("embedders", "number"): "''",
    ("vectors", "embedder"): "(SELECT name FROM embedders x WHERE x.number = {0})",
    ("embedded", "embedder"): "(SELECT name FROM embedders x WHERE x.number = {0})",
    ("embedding_cache", "embedder"): "(SELECT name FROM embedders x WHERE x.number = {0})",
    ("jobs", "state"): "iif({0} = 'running', 'ready', {0})",
    ("jobs", "lease_owner"): "''",
    ("jobs", "lease_until"): "''",
    ("upkeep_steps", "owner"): "''",
    ("upkeep_steps", "lease_until"): "''",
}


def everything(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of each table, in an order of their own."""
    conn = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    tables = [
        name
        for (name,) in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        if not name.startswith(("text_index", "sqlite_")) and name not in LEFT_OUT
    ]
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for table in tables:
        columns = [row[1] for row in conn.execute(f"PRAGMA table_info({table})")]
        cells = [_IDS.get((table, name), "{0}").format(f"r.{name}") for name in columns]
        found = conn.execute(f"SELECT {', '.join(cells)} FROM {table} r").fetchall()
        rows[table] = sorted((tuple(row) for row in found), key=repr)
    conn.close()
    return rows
