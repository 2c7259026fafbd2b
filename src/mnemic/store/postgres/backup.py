"""Backups of a database of PostgreSQL: a file of SQLite with every space of it, made while others
write. It is opened like any other file, and `mnemic copy` brings a space of it back.

Each space is read in one snapshot. The server's own tools copy the whole server, or keep its log.
"""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from mnemic.errors import StoreDamaged
from mnemic.store.new_file import UnfinishedFile, exists_error
from mnemic.store.rows import first_doc, place_of, type_of
from mnemic.store.sqlite import backup
from mnemic.store.sqlite.store import SqliteStore
from mnemic.store.transfer import MOVED, Cells, MovedTable
from mnemic.types import Backup, PageProgress

if TYPE_CHECKING:
    from mnemic.store.postgres.store import PostgresStore, PostgresUnit

_BATCH = 1_000
_TERMS = (
    "SELECT doc, packed, words FROM text_terms WHERE space = $1 AND doc > $2 ORDER BY doc LIMIT $3"
)


def back_up(
    store: PostgresStore, target: Path, *, replace: bool, patience: float, progress: PageProgress
) -> Backup:
    """A checked file with everything that is in the database."""
    if not replace and os.path.lexists(target):
        raise exists_error(target)
    backup.refuse_logs(target)
    with UnfinishedFile(target, patience=patience) as unfinished:
        backup.remove_logs(unfinished.path)  # of one who was killed, like what is in the file
        os.truncate(unfinished.path, 0)
        _fill(store, unfinished.path, progress)
        made = backup.examine(unfinished.path, target)
        progress(made.pages, made.pages)
        unfinished.put(replace=replace)
    return made


def _fill(store: PostgresStore, file: Path, progress: PageProgress) -> None:
    with closing(SqliteStore(str(file), busy_timeout=0, now=store.now)) as copy:
        spaces = store.spaces()
        for done, space in enumerate(spaces):
            progress(done, len(spaces))
            with store.open_read(space) as source:
                with copy.write(space):  # a space without a row is there, too
                    pass
                for table in MOVED:
                    for rows in source.transfer.rows(table):
                        _copy_rows(copy, space, table, rows)
                _copy_terms(source, copy, space)
        with copy.database.write() as conn:
            conn.execute("UPDATE migrations SET applied_at = ?", (store.read_origin(),))


def _copy_rows(copy: SqliteStore, space: str, table: MovedTable, rows: list[Cells]) -> None:
    with copy.write(space) as unit:
        conflicts = unit.transfer.put(table, rows).conflicts
    if conflicts:
        raise StoreDamaged(
            f"The copy of {space!r} is not whole: {conflicts[0].reason}",
            remedy="Nothing was left behind; run `mnemic doctor --deep`, and call again",
        )


def _copy_terms(source: PostgresUnit, copy: SqliteStore, space: str) -> None:
    """The text index is not made anew but copied, too; places are the same in both."""
    last = -1
    while rows := source.conn.native(_TERMS, (source.space, last, _BATCH)).fetchall():
        last = rows[-1][0]
        with copy.write(space) as unit:
            for doc, packed, words in rows:
                here = first_doc(unit.space, type_of(doc)) + place_of(doc)
                unit.conn.execute(unit.index.insert, unit.index.values(here, words, packed))
