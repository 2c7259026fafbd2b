"""Vectors in SQLite, compared by sqlite-vec."""

from __future__ import annotations

from mnemic.store.sql.vectors import SqlVectors


class SqliteVectors(SqlVectors):
    """The vectors of one space on one connection. A copy of many in memory is searched faster than
    any index of SQLite's, so there is none.
    """

    cosine = "1 - vec_distance_cosine(vector, ?)"
