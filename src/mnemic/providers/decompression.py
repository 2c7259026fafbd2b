"""Unpacking what a server sends compressed, never to more than was allowed.

A packed answer may unpack to a thousand times its size, so each step says how much it may yield.
"""

from __future__ import annotations

import zlib
from typing import Protocol

from mnemic.errors import ModelUnavailable

ACCEPTED = "gzip, deflate"
_EITHER = 32 + zlib.MAX_WBITS  # gzip or zlib, by the first bytes
_BARE = -zlib.MAX_WBITS  # deflate without a head, as some servers send it


class Decoder(Protocol):
    """Turns the bytes of a body into the bytes that were meant."""

    def decode(self, chunk: bytes, most: int) -> bytes:
        """At most ``most`` bytes; what lies beyond them is dropped."""

    def finish(self) -> None:
        """Raise unless the body was whole."""


class _Plain:
    def decode(self, chunk: bytes, most: int) -> bytes:
        return chunk[:most]

    def finish(self) -> None: ...


class _Deflated:
    def __init__(self, service: str) -> None:
        self._service = service
        self._unpacking = zlib.decompressobj(_EITHER)
        self._begun = False

    def decode(self, chunk: bytes, most: int) -> bytes:
        if most <= 0:
            return b""
        try:
            return self._unpack(chunk, most)
        except zlib.error as error:
            raise self._broken() from error

    def finish(self) -> None:
        if self._begun and not self._unpacking.eof:
            raise self._broken()

    def _unpack(self, chunk: bytes, most: int) -> bytes:
        first, self._begun = not self._begun, self._begun or bool(chunk)
        try:
            return self._unpacking.decompress(chunk, most)
        except zlib.error:
            if not first:
                raise
            self._unpacking = zlib.decompressobj(_BARE)
            return self._unpacking.decompress(chunk, most)

    def _broken(self) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._service} sent an answer that cannot be unpacked", remedy="Try again"
        )


def decoder_for(encoding: str, service: str) -> Decoder:
    """The decoder of a content-encoding; one that was not asked for is refused."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return _Plain()
    if name in ("gzip", "x-gzip", "deflate"):
        return _Deflated(service)
    raise ModelUnavailable(
        f"{service} packed its answer as {name[:40]}, which was not asked for",
        remedy="Remove the proxy that compresses answers, or name another address",
    )
