"""Leaving nothing behind: the text index, free pages and the write-ahead log without what is gone.

Deleting a row leaves copies: terms stay in segments of the text index until they are merged, pages
that were split or freed keep old bytes, and the log keeps whole pages. So the index is merged into
one segment, the file is written anew from its live rows, and the log is brought into it.
"""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from mnemic.errors import StoreBusy
from mnemic.store.sqlite.connection import MEMORY, Database
from mnemic.store.sqlite.migrate import size_of

_IN_MEMORY = 256 << 20  # a larger file is written anew by way of the disk
_VOCABULARY = "CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, text_index, row)"


def compact(database: Database) -> None:
    """Merge the index, write the file anew, empty the log. Nothing else may be done meanwhile."""
    with database.write() as conn:
        conn.execute("PRAGMA secure_delete = ON")
        conn.execute("INSERT INTO text_index (text_index) VALUES ('optimize')")
    large = database.path != MEMORY and size_of(database.path) > _IN_MEMORY

    def write_anew(conn: apsw.Connection) -> None:
        conn.execute(f"PRAGMA temp_store = {'FILE' if large else 'MEMORY'}")
        try:
            conn.execute("VACUUM")
        finally:
            conn.execute("PRAGMA temp_store = MEMORY")

    database.once(write_anew)
    settle(database)


def settle(database: Database) -> None:
    """Bring the log into the file and empty it; a reader elsewhere can be in the way."""

    def empty_log(conn: apsw.Connection) -> None:
        # What is deleted after this is as good as any other; only forgetting pays for zeroes.
        conn.execute("PRAGMA secure_delete = OFF")
        ((busy, _, _),) = conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if busy:
            raise StoreBusy(
                f"Another reader of {database.path} keeps the write-ahead log, which still has old"
                " pages",
                remedy="Close the other program; the work is finished at the next start, or call"
                " again",
            )

    if database.path != MEMORY:
        database.once(empty_log)


def vocabulary(conn: apsw.Connection) -> Iterator[str]:
    """Every term of the text index."""
    conn.execute(_VOCABULARY)
    try:
        for (term,) in conn.execute("SELECT term FROM temp.terms"):
            yield str(term)
    finally:
        conn.execute("DROP TABLE temp.terms")
