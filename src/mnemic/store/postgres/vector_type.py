"""The type of pgvector as Python's bytes: 32-bit floats, as they are everywhere else."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from psycopg import Connection

_HEADER = struct.Struct(">HH")  # how many numbers, and nothing


class PgVector(bytes):
    """32-bit floats that are to become a vector of the database."""


def adapt_vectors(conn: Connection[Any]) -> None:
    """Tell a connection how to write and read vectors; where there is no such type, nothing."""
    from psycopg.types import TypeInfo

    vector = TypeInfo.fetch(conn, "vector")
    if vector is not None:
        vector.register(conn)
        _adapt(conn, vector.oid)


def _adapt(conn: Connection[Any], vector: int) -> None:
    from psycopg.adapt import Dumper, Loader
    from psycopg.pq import Format

    class VectorDumper(Dumper):
        format = Format.BINARY
        oid = vector

        def dump(self, obj: Any) -> bytes:
            return _binary(obj)

    class VectorLoader(Loader):
        """From its text, which tells each number exactly."""

        def load(self, data: Any) -> bytes:
            numbers = bytes(data)[1:-1].decode().split(",")
            return np.array(numbers, "<f4").tobytes()

    class VectorBinaryLoader(Loader):
        format = Format.BINARY

        def load(self, data: Any) -> bytes:
            return np.frombuffer(data, ">f4", offset=_HEADER.size).astype("<f4").tobytes()

    conn.adapters.register_dumper(PgVector, VectorDumper)
    conn.adapters.register_loader(vector, VectorLoader)
    conn.adapters.register_loader(vector, VectorBinaryLoader)


def _binary(vector: bytes) -> bytes:
    numbers = np.frombuffer(vector, "<f4")
    return _HEADER.pack(len(numbers), 0) + numbers.astype(">f4").tobytes()
