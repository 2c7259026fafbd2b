"""Unpacking what a server sends compressed, never to more than was allowed.

A packed answer may unpack to a thousand times its size, so each step says how much it may yield.
"""

from __future__ import annotations

import zlib

from mnemic.errors import ModelUnavailable

ACCEPTED = "gzip, deflate"
_EITHER = 32 + zlib.MAX_WBITS  # gzip or zlib, by the first bytes


class Decoder:
    """Turns the bytes of a body into the bytes that were meant, by its content-encoding."""

    def __init__(self, encoding: str, service: str) -> None:
        """An encoding that was not asked for is refused."""
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise ModelUnavailable(
                f"{service} packed its answer as {name[:40]}, which was not asked for",
                remedy="Remove the proxy that compresses answers, or name another address",
            )
        self._service = service
        self._packed = name not in ("", "identity")
        self._unpacking = zlib.decompressobj(_EITHER)
        self._begun = False

    def decode(self, chunk: bytes, most: int) -> bytes:
        """At most ``most`` bytes; what lies beyond them is dropped."""
        if not self._packed or not chunk or most <= 0:
            return chunk[: max(0, most)]
        first, self._begun = not self._begun, True
        try:
            return self._unpacking.decompress(chunk, most)
        except zlib.error as error:
            if not first:
                raise self._broken() from error
        # Deflate without a head, as some servers send it.
        self._unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            return self._unpacking.decompress(chunk, most)
        except zlib.error as error:
            raise self._broken() from error

    def finish(self) -> None:
        """Raise unless the body was whole."""
        if self._begun and not self._unpacking.eof:
            raise self._broken()

    def _broken(self) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._service} sent an answer that cannot be unpacked", remedy="Try again"
        )
