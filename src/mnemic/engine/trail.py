"""The trail of a service: which token did what, kept with what was done."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus

from mnemic.engine.mind import Mind
from mnemic.engine.remote.problems import status_of
from mnemic.errors import Conflict, MnemicError
from mnemic.ids import is_id, new_id
from mnemic.rules import checks
from mnemic.store.rows import NOBODY
from mnemic.store.sql.tokens import SqlTokens
from mnemic.types import AccessEntry

Done = tuple[int, bytes]  # status and body


def keep_trail(
    mind: Mind, done_by: tuple[str, str, str], work: Callable[[], Done], *, short: bool
) -> Done:
    """Do it, and note who did: token, operation and subject. A short one is noted in its own
    transaction; a longer one before it begins, so that none is done unnoted, and when it has ended.
    """
    store, now = mind._store, mind._clock.now()
    token, operation, subject = (mind._guard.maybe_name(name, "id") for name in done_by)
    entry = AccessEntry(new_id(now), now, token, operation, 0, subject)
    if store.read_only:
        return work()
    if short:
        with store.together(mind.space) as unit:
            done = work()
            unit.accesses.begin(replace(entry, status=done[0]))
        mind._background.wake()  # what it left to do can be seen now
        return done
    with store.read(mind.space) as unit:
        there = unit.space != NOBODY
    if there:
        with store.write(mind.space) as unit:
            unit.accesses.begin(entry)
    status, body = 500, b""
    try:
        status, body = work()
    except MnemicError as error:
        status = status_of(error)
        raise
    finally:
        _end(mind, replace(entry, status=status), body, there=there)
    return status, body


def subject_of(arguments: Mapping[str, object]) -> str:
    """What a call of a tool is about, where a model named it by an id."""
    named = arguments.get("id")
    return named if isinstance(named, str) and is_id(named) else ""


def _end(mind: Mind, entry: AccessEntry, body: bytes, *, there: bool) -> None:
    store = mind._store
    with store.read(mind.space) as unit:
        gone = unit.space == NOBODY
    if gone:
        # Whoever has the receipt finds who did it.
        if there and body and entry.status == HTTPStatus.OK:
            with store.write_queue() as conn:
                receipt = mind._guard.name(json.loads(body)["id"], "receipt")
                SqlTokens(conn).note(replace(entry, subject=receipt))
        return
    with suppress(Conflict), store.write(mind.space) as unit:  # unless it is forgotten this moment
        if there:
            unit.accesses.end(entry.id, entry.status)
        else:
            unit.accesses.begin(entry)


def list_accesses(
    mind: Mind, *, token: str | None = None, limit: int = 100, offset: int = 0
) -> list[AccessEntry]:
    """Changes made in this space over HTTP or MCP, and by which token, the latest first."""
    of = mind._guard.filter(token, "token")
    with mind._store.read(mind.space) as unit:
        return unit.accesses.list(of, checks.check_limit(limit), checks.check_offset(offset))
