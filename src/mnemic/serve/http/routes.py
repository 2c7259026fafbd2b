"""The operations as routes: what was sent is read by the table, done in a thread, and answered.

Answers are kept by Idempotency-Key, so that a request that is repeated is done once. The database
keeps them for a day, and a short request and its answer in one transaction: after a crash, or at
another process, it is answered as before. The memory of the process joins requests that come at the
same time. Operations that take an ``operation_id`` do not need any of this: the database itself
knows what was done under it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

from mnemic.engine.mind import Mind
from mnemic.engine.open import Engine
from mnemic.engine.remote.operations import PAGE_LIMIT, Operation, conversation
from mnemic.engine.remote.wire import read
from mnemic.engine.trail import Done, keep_trail
from mnemic.errors import Conflict, Forbidden, InvalidInput
from mnemic.serve.http.access import Access
from mnemic.serve.http.answers import answer, encode
from mnemic.serve.http.limits import Lane, WorkQueue, too_large


@dataclass(frozen=True, slots=True, eq=False)
class Endpoint:
    """Answers one operation."""

    operation: Operation
    engine: Engine
    access: Access
    queue: WorkQueue
    replies: Replies

    async def __call__(self, request: Request) -> Response:
        operation = self.operation
        names = path_names(request)
        space = names.pop("space")
        grant = await self.access.allow(request, operation.scope, space)
        if operation.everywhere and not grant.everywhere:
            raise Forbidden(
                "This is about every space of the database", remedy="Use an admin token of *"
            )
        body = b"" if operation.in_query else await read_body(request, self.queue)
        key = request.headers.get("idempotency-key")
        if key is not None:
            check_key(key)

        def work() -> Done:  # with the reading, since a large body takes its time
            fields = _query(operation, request) if operation.in_query else fields_of(body)
            clash = sorted(fields.keys() & names.keys())
            if clash:
                raise InvalidInput(f"{clash[0]} is part of the path", remedy="Leave it out here")
            fields |= {name: _value(operation, name, text) for name, text in names.items()}
            if key is not None and operation.takes_operation_id:
                fields.setdefault("operation_id", key)
            mind, arguments = self.engine.mind(space), _read(operation, fields)
            do = partial(_perform, operation, mind, arguments)
            reads = operation.scope == "read" or operation.method == "GET"
            if reads or not self.engine.settings.memory.enabled:
                return do()
            done, short = (grant.id, operation.name, str(names.get("id", ""))), operation.short
            do = partial(keep_trail, mind, done, do, short=short)
            with mind._store.pin(space):
                return do() if place is None else done_once(mind, place, body, do, short=short)

        async def run() -> Done:
            lane: Lane = "read" if operation.scope == "read" else "write"
            return await self.queue.run(grant.id, work, "lasting" if operation.lasting else lane)

        place = None
        if key is not None and operation.replayed:
            place = (grant.id, space, operation.name, key, *names.values())
        status, content = await (run() if place is None else self.replies.once(place, body, run))
        return Response(status_code=status) if status == 204 else answer(content, status)


def path_names(request: Request) -> dict[str, Any]:
    """The parts of the path that are names, decoded."""
    try:
        return {name: unquote(text, errors="strict") for name, text in request.path_params.items()}
    except UnicodeDecodeError as error:
        raise InvalidInput("The path is not UTF-8", remedy="Encode it as UTF-8") from error


async def read_body(request: Request, queue: WorkQueue, most: int = 0) -> bytes:
    """The whole body, of JSON, refused as soon as it is too large."""
    most = most or queue.limits.body
    length = request.headers.get("content-length", "")
    # Without a number of so many digits that Python does not read it.
    if length.isdecimal() and (len(length) > len(str(most)) or int(length) > most):
        raise too_large(most)
    body = await queue.intake.read(request.stream(), most)
    sent = request.headers.get("content-type", "application/json").partition(";")[0].strip()
    if body and sent.lower() != "application/json":
        # A form of another site can send text without asking; it cannot send this type.
        raise InvalidInput(f"The body is {sent[:80]!r}", remedy="Send application/json")
    return body


def fields_of(body: bytes) -> dict[str, Any]:
    """The JSON object of a body; nothing is an empty one."""
    if not body.strip():
        return {}
    try:
        document = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, ValueError) else "too deep"
        raise InvalidInput(f"The body is not JSON: {reason}", remedy="Send an object") from error
    if not isinstance(document, dict):
        raise InvalidInput("The body is not a JSON object", remedy="Send an object")
    return document


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _query(operation: Operation, request: Request) -> dict[str, Any]:
    """What the query says, each once."""
    fields: dict[str, Any] = {}
    for name, text in request.query_params.multi_items():
        if name in fields:
            raise InvalidInput(f"{name} is there twice", remedy="Send it once")
        fields[name] = _value(operation, name, text)
    return fields


def _value(operation: Operation, name: str, text: str) -> Any:
    """A value in a path or a query: the text where the parameter takes it, else JSON."""
    try:
        if name in operation.parameters:
            read(operation.parameters[name].annotation, text)
        return text
    except InvalidInput:
        with contextlib.suppress(ValueError, RecursionError):
            return json.loads(text, parse_constant=_no_number)
        return text  # which is then refused


def _read(operation: Operation, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Each argument as the type it has in the call."""
    parameters = operation.parameters
    unknown = sorted(fields.keys() - parameters.keys())
    if unknown:
        raise InvalidInput(
            f"{unknown[0][:80]} is not a parameter of {operation.name}",
            remedy=f"Use {', '.join(parameters) or 'none'}",
        )
    missing = [name for name in operation.required if name not in fields]
    if missing:
        raise InvalidInput(f"{missing[0]} is missing", remedy=f"Send {', '.join(missing)}")
    return {name: read(parameters[name].annotation, value, name) for name, value in fields.items()}


def _perform(operation: Operation, mind: Mind, arguments: dict[str, Any]) -> Done:
    if operation.paged:
        return 200, encode(_page(operation, mind, arguments))
    result = _call(operation, mind, arguments)
    return (204, b"") if result is None else (200, encode(result))


def _call(operation: Operation, mind: Mind, arguments: dict[str, Any]) -> Any:
    rest = dict(arguments)
    target: Any = conversation(mind, rest.pop("session")) if operation.of_session else mind
    args, kwargs = operation.arguments(rest)
    if operation.is_method:  # that of the mind at hand, which may be of a subclass
        return getattr(target, operation.call.__name__)(*args, **kwargs)
    return operation.call(target, *args, **kwargs)


def _page(operation: Operation, mind: Mind, arguments: dict[str, Any]) -> dict[str, Any]:
    """A part of a list, and the offset of the next; without an offset, all is asked for."""
    usual = None if arguments.get("offer") else operation.parameters["limit"].default
    limit = arguments.pop("limit", usual)
    if limit is not None and limit > PAGE_LIMIT:
        raise InvalidInput(
            f"limit={limit}", remedy=f"Ask for at most {PAGE_LIMIT:,} and go on with next"
        )
    has_offset = operation.own_offset
    offset = arguments.get("offset", 0) if has_offset else arguments.pop("offset", 0)
    if offset < 0:
        raise InvalidInput(f"offset={offset}", remedy="Give 0 or more")
    most = limit if has_offset or limit is None or limit < 1 else limit + offset
    items = _call(operation, mind, {**arguments, "limit": most})
    items = items if has_offset else items[offset:]
    more = limit is not None and len(items) == limit and not arguments.get("offer")
    return {"items": items, "next": offset + limit if more else None}


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
