"""Answers kept by Idempotency-Key, so that a request that is repeated is done once.

The database keeps them for a day, and a short request and its answer in one transaction: after a
crash, or at another process, it is answered as before. The memory of the process joins requests
that come at the same time. Operations that take an ``operation_id`` do not need any of this: the
database itself knows what was done under it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from mnemic.engine.mind import Mind
from mnemic.engine.trail import Done
from mnemic.errors import Conflict, InvalidInput

_MOST = 1_000
_MOST_BYTES = 8 << 20
_LONGEST_KEY = 255


def check_key(key: str) -> str:
    """A key that may be kept."""
    if not key.isprintable() or not 1 <= len(key) <= _LONGEST_KEY:
        raise InvalidInput(
            "The Idempotency-Key is empty, too long or not printable",
            remedy=f"Send a random one of at most {_LONGEST_KEY} characters",
        )
    return key


def done_once(
    mind: Mind, place: tuple[str, ...], body: bytes, work: Callable[[], Done], *, short: bool
) -> Done:
    """The answer that the database has for that key, or else has from now on."""
    store, key, mark = mind._store, _digest("\0".join(place).encode()), _digest(body)

    def read_reply(reply: tuple[bytes, int, bytes] | None) -> Done | None:
        if reply is not None and reply[0] != mark:
            raise _refuse_reuse()
        return reply and reply[1:]

    if short:
        with store.together(mind.space) as unit:
            done = read_reply(unit.replies.find(key))
            if done is None:
                done = work()
                unit.replies.keep(key, (mark, *done), mind._clock.now())
        mind._background.wake()  # what it left to do can be seen now
        return done
    with store.read(mind.space) as unit:
        done = read_reply(unit.replies.find(key))
    if done is None:
        done = work()
        if not store.read_only:
            with store.write(mind.space) as unit:
                unit.replies.keep(key, (mark, *done), mind._clock.now())
    return done


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).digest()


def _refuse_reuse() -> Conflict:
    return Conflict("The Idempotency-Key was used for another request", remedy="Use a fresh one")


class Replies:
    """The latest answers of this process, by who asked what under which key."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, tuple[bytes, asyncio.Future[Done]]] = OrderedDict()
        self._bytes = 0

    async def once(
        self, place: tuple[str, ...], body: bytes, work: Callable[[], Awaitable[Done]]
    ) -> Done:
        """The answer of the first request under that key; a failed one is done again."""
        key, mark = _digest("\0".join(place).encode()), _digest(body)
        if key in self._kept:
            first, reply = self._kept[key]
            if first != mark:
                raise _refuse_reuse()
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
