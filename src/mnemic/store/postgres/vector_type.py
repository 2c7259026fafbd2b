"""The type of pgvector as Python's bytes: 32-bit floats, as they are everywhere else."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from psycopg import Connection

_HEADER = struct.Struct(">HH")  # how many numbers, and nothing
_ARRAY = struct.Struct(">iiIii")  # dimensions, nulls, what it is of, how many, counted from
_LENGTH = struct.Struct(">i")


class PgVector(bytes):
    """32-bit floats that are to become a vector of the database."""


class PgVectors(tuple[bytes, ...]):
    """Several, as an array: in a list each would be written as a text."""

    __slots__ = ()


def adapt_vectors(conn: Connection[Any]) -> None:
    """Tell a connection how to write and read vectors; where there is no such type, nothing."""
    from psycopg.types import TypeInfo

    vector = TypeInfo.fetch(conn, "vector")
    if vector is not None:
        vector.register(conn)
        _adapt(conn, vector.oid, vector.array_oid)


def _adapt(conn: Connection[Any], vector: int, vectors: int) -> None:
    from psycopg.adapt import Dumper, Loader
    from psycopg.pq import Format

    class VectorDumper(Dumper):
        format = Format.BINARY
        oid = vector

        def dump(self, obj: Any) -> bytes:
            return _binary(obj)

    class VectorsDumper(Dumper):
        format = Format.BINARY
        oid = vectors

        def dump(self, obj: Any) -> bytes:
            parts = [_ARRAY.pack(1, 0, vector, len(obj), 1)]
            for one in map(_binary, obj):
                parts += [_LENGTH.pack(len(one)), one]
            return b"".join(parts)

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
    conn.adapters.register_dumper(PgVectors, VectorsDumper)
    conn.adapters.register_loader(vector, VectorLoader)
    conn.adapters.register_loader(vector, VectorBinaryLoader)


def _binary(vector: bytes) -> bytes:
    numbers = np.frombuffer(vector, "<f4")
    return _HEADER.pack(len(numbers), 0) + numbers.astype(">f4").tobytes()
