"""Answers kept by Idempotency-Key, so that a request that is repeated is done once.

They are kept in the memory of the process, the latest ones only. Operations that take an
``operation_id`` do not need it: the database itself knows what was done under a key.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from recollect.errors import Conflict, InvalidInput

_MOST = 10_000
_MOST_BYTES = 32 << 20
_LONGEST_KEY = 255

Done = tuple[int, bytes]  # status and body


def check_key(key: str) -> str:
    """A key that may be kept."""
    if not key.isprintable() or not 1 <= len(key) <= _LONGEST_KEY:
        raise InvalidInput(
            "The Idempotency-Key is empty, too long or not printable",
            remedy=f"Send a random one of at most {_LONGEST_KEY} characters",
        )
    return key


class Replies:
    """The latest answers, by who asked what under which key."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, tuple[bytes, asyncio.Future[Done]]] = OrderedDict()
        self._bytes = 0

    async def once(
        self, place: tuple[str, ...], body: bytes, work: Callable[[], Awaitable[Done]]
    ) -> Done:
        """The answer of the first request under that key; a failed one is done again."""
        key = hashlib.sha256("\0".join(place).encode()).digest()
        mark = hashlib.sha256(body).digest()
        if key in self._kept:
            first, reply = self._kept[key]
            if first != mark:
                raise Conflict(
                    "The Idempotency-Key was used for another request", remedy="Use a fresh one"
                )
            return await asyncio.shield(reply)
        reply = asyncio.get_running_loop().create_future()
        self._kept[key] = mark, reply
        try:
            done = await work()
        except BaseException as error:
            del self._kept[key]
            reply.set_exception(error)
            reply.exception()  # nobody may be waiting for it
            raise
        reply.set_result(done)
        self._bytes += len(done[1])
        self._trim()
        return done

    def _trim(self) -> None:
        while len(self._kept) > _MOST or self._bytes > _MOST_BYTES:
            key = next((k for k, (_, reply) in self._kept.items() if reply.done()), None)
            if key is None:
                return
            _, reply = self._kept.pop(key)
            self._bytes -= len(reply.result()[1])
