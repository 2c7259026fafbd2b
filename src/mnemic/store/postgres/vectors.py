"""Vectors in PostgreSQL, compared by pgvector.

A large space has an index of its own for each embedder (HNSW over 16-bit numbers, half the size);
what it finds is compared again by the whole vectors. A small one is read or scanned.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mnemic.late import np
from mnemic.store.postgres.connection import SCHEMA, PostgresConnection
from mnemic.store.rows import first_doc, last_doc
from mnemic.store.sql.vectors import SqlVectors, check_cosines
from mnemic.types import RecordType

if TYPE_CHECKING:
    from psycopg import Connection


INDEXED = 20_000  # vectors of a space and embedder that are worth an index
_INDEX_MEMORY = (512, 4_096)  # MB, the least and the most that are asked for while one is made
_NEIGHBORS = 700  # bytes for the neighbors of a vector while an index is made
_NO_END = 1 << 60
_SPARE = 2  # times more passages than wanted documents are looked at
_LEAST_LOOKED = 200  # vectors that a search of the index keeps in sight ...
_MOST_LOOKED = 1_000  # ... which pgvector allows no more of
MOST_DIMENSIONS = 4_000  # that an index of 16-bit numbers can hold
_HEADER = struct.Struct(">HH")  # of a vector in binary form: how many numbers, and nothing
_SETTINGS = (
    "SELECT set_config('hnsw.ef_search', $1, true),"
    " set_config('hnsw.iterative_scan', 'strict_order', true)"
)


class PostgresVectors(SqlVectors):
    """The vectors of one space on one connection."""

    _conn: PostgresConnection

    def has_index(self, embedder: int) -> bool:
        row = self._conn.native(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)",
            (index_name(self._space, embedder),),
        ).fetchone()
        return row is not None and bool(row[0])

    def nearest(
        self, embedder: int, type_: RecordType, query: bytes, limit: int
    ) -> list[tuple[int, float]]:
        dimensions = len(query) // 4
        wanted = _SPARE * limit
        looked = min(_MOST_LOOKED, max(_LEAST_LOOKED, wanted))
        self._conn.native(_SETTINGS, (str(looked),))
        first, last = first_doc(self._space, type_), last_doc(self._space, type_)
        # Numbers in the text: so the index of just this space is considered, and is known to be
        # cheaper than to compare all.
        rows = self._conn.native(
            "SELECT doc, max(1 - (vector <=> $1)) FROM (SELECT doc, vector FROM vectors"
            f" WHERE space = {self._space:d} AND embedder = {embedder:d}"
            f" AND doc BETWEEN {first:d} AND {last:d} ORDER BY (vector::halfvec({dimensions:d}))"
            f" <=> $1::halfvec({dimensions:d}) LIMIT {wanted:d}) n"
            " GROUP BY doc ORDER BY 2 DESC, 1",
            (PgVector(query),),
        )
        return check_cosines(rows)[:limit]

    def walk(
        self, embedder: int, first: int, last: int, most: int | None
    ) -> Iterable[tuple[int, bytes]]:
        """In the binary form, many times faster, and only those asked for."""
        cursor = self._conn.conn.cursor(binary=True)
        cursor.execute(
            "SELECT doc, vector FROM vectors WHERE space = $1 AND embedder = $2 AND doc > $3"
            " AND doc <= coalesce((SELECT doc FROM vectors WHERE space = $1 AND embedder = $2"
            "  AND doc > $3 AND doc <= $4 ORDER BY doc, part OFFSET $5 LIMIT 1), $4)"
            " ORDER BY doc, part",
            (self._space, embedder, first, last, _NO_END if most is None else most),
        )
        return cursor


def index_name(space: int, embedder: int) -> str:
    return f"vectors_near_{space}_{embedder}"


def index_memory(count: int, dimensions: int) -> str:
    """A statement that gives the making of an index enough memory to hold it."""
    least, most = _INDEX_MEMORY
    needed = count * (2 * dimensions + _NEIGHBORS) * 5 // 4 >> 20
    return (
        "SELECT set_config('maintenance_work_mem', greatest(setting::bigint,"
        f" {min(max(needed, least), most) * 1_024:d})::text, false)"
        " FROM pg_settings WHERE name = 'maintenance_work_mem'"
    )


def index_statements(space: int, embedder: int, dimensions: int, types: str) -> tuple[str, ...]:
    """What makes the index of a space, after removing one that was left half made; ``types`` is
    the schema of pgvector.

    Neither keeps anybody from reading or writing, and neither runs inside of a transaction.
    """
    name = index_name(space, embedder)
    return (
        f"DROP INDEX CONCURRENTLY IF EXISTS {SCHEMA}.{name}",
        f"CREATE INDEX CONCURRENTLY {name} ON {SCHEMA}.vectors USING hnsw"
        f" ((vector::{types}.halfvec({dimensions:d})) {types}.halfvec_cosine_ops)"
        f" WHERE space = {space:d} AND embedder = {embedder:d}",
        f"ANALYZE {SCHEMA}.vectors",
    )


# --- the type of pgvector as Python's bytes: 32-bit floats, as they are everywhere else -----------


class PgVector(bytes):
    """32-bit floats that are to become a vector of the database."""


def adapt_vectors(conn: Connection[Any]) -> None:
    """Tell a connection how to write and read vectors; where there is no such type, nothing."""
    from psycopg.adapt import Dumper, Loader
    from psycopg.pq import Format
    from psycopg.types import TypeInfo

    vector = TypeInfo.fetch(conn, "vector")
    if vector is None:
        return
    number = vector.oid

    class VectorDumper(Dumper):
        format = Format.BINARY
        oid = number

        def dump(self, obj: Any) -> bytes:
            numbers = np.frombuffer(obj, "<f4")
            return _HEADER.pack(len(numbers), 0) + numbers.astype(">f4").tobytes()

    class VectorLoader(Loader):
        """From its text, which tells each number exactly."""

        def load(self, data: Any) -> bytes:
            return np.array(bytes(data)[1:-1].decode().split(","), "<f4").tobytes()

    class VectorBinaryLoader(Loader):
        format = Format.BINARY

        def load(self, data: Any) -> bytes:
            return np.frombuffer(data, ">f4", offset=_HEADER.size).astype("<f4").tobytes()

    vector.register(conn)
    conn.adapters.register_dumper(PgVector, VectorDumper)
    conn.adapters.register_loader(number, VectorLoader)
    conn.adapters.register_loader(number, VectorBinaryLoader)
