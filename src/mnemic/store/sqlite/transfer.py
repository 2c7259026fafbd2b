"""Rows of SQLite on their way out and in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import apsw

from mnemic.store.sql.transfer import SqlTransfer, misfit, missing, occupied
from mnemic.store.transfer import Cells, MovedTable


class SqliteTransfer(SqlTransfer):
    """Moving the rows of one space on one connection."""

    @contextlib.contextmanager
    def refusing(self, table: MovedTable, row: Cells) -> Iterator[None]:
        """A statement that a constraint forbids has changed nothing."""
        try:
            yield
        except apsw.ConstraintError as error:
            said = str(error)
            if said.startswith("NOT NULL"):
                raise missing(table, row, said.rpartition(".")[2]) from error
            if said.startswith("UNIQUE"):
                raise occupied(table, row) from error
            raise misfit(table, row, said) from error
