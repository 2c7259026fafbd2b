"""Rows of PostgreSQL on their way in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from mnemic.store.postgres.connection import PostgresConnection
from mnemic.store.sql.transfer import SqlTransfer, misfit, missing, occupied
from mnemic.store.transfer import Cells, MovedTable

_NOT_NULL, _UNIQUE = "23502", "23505"


class PostgresTransfer(SqlTransfer):
    """Moving the rows of one space on one connection."""

    _conn: PostgresConnection

    @contextlib.contextmanager
    def refusing(self, table: MovedTable, row: Cells) -> Iterator[None]:
        import psycopg

        try:
            yield
            self._conn.flush()
        except (psycopg.IntegrityError, psycopg.errors.PipelineAborted) as error:
            self._conn.recover()
            if error.sqlstate == _NOT_NULL:
                raise missing(table, row, error.diag.column_name or "row") from error
            if error.sqlstate == _UNIQUE:
                raise occupied(table, row) from error
            raise misfit(table, row, error.diag.message_primary or "") from error
