"""mnemic serve, token, mcp, hook"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from mnemic import tracing
from mnemic.cli.failures import error_line
from mnemic.cli.output import answer, emit, note, say, table, when
from mnemic.cli.phrases import phrase
from mnemic.cli.state import State
from mnemic.engine.mind import Mind
from mnemic.errors import ConfigError, MissingExtra, MnemicError
from mnemic.plain import plain

if TYPE_CHECKING:
    from mnemic.engine.tokens import Tokens
    from mnemic.types import Grant, Scope


def serve(
    state: State,
    *,
    host: str,
    port: int,
    names: tuple[str, ...],
    threads: int | None,
    workers: int | None,
    learners: int,
    access_log: str | None,
    issuer: str | None,
    audience: str,
) -> None:
    try:
        from mnemic.serve.http.app import Service
        from mnemic.serve.http.issuer import Issuer
        from mnemic.serve.http.limits import Limits, usual_threads
        from mnemic.serve.http.observer import AccessLog, RequestFigures, operation_names
        from mnemic.serve.http.server import HttpServer, bind
        from mnemic.serve.http.workers import Workers, once_for_all
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "mnemic":
            raise
        raise MissingExtra.of(str(error.name), "serve") from error
    from mnemic.engine.remote.client import is_loopback
    from mnemic.engine.remote.operations import OPERATIONS

    if workers is not None and state.path(create=True) == ":memory:":
        raise ConfigError("Processes share no memory in RAM", remedy="Name a file with --db")
    lent = _lend_token(state, issuer)
    if lent is not None and not is_loopback(host):
        raise ConfigError(
            f"{host} can be reached by other machines, and there are no tokens",
            remedy="Add one first: mnemic token add NAME",
        )
    trusted = Issuer(issuer, audience) if issuer else None
    log = AccessLog(access_log) if access_log else None
    figures = RequestFigures(operation_names(OPERATIONS), workers or 1)
    with bind(host, port, shared=workers is not None, listen=workers is None) as bound:
        actual = bound.getsockname()[1]
        url = f"http://{f'[{host}]' if ':' in host else host}:{actual}"
        shared = max(2, usual_threads() // (workers or 1)) if workers else usual_threads()
        announce = once_for_all(lambda: _announce(state, url, lent[0] if lent else ""))

        def answer_requests(place: int) -> None:
            figures.row = place
            tracing.start_from_environment()
            engine = state.connect(create=True, worker="none" if workers else "thread")
            if lent is not None:
                engine.tokens.lend(*lent)
            service = Service(
                engine, names=names if is_loopback(host) else (*names, host),
                limits=Limits(threads=threads or shared), default=state.space_name,
                issuer=trusted, figures=figures, log=log,
            )  # fmt: skip
            with bind(host, actual, shared=True) if workers else nullcontext(bound) as listening:
                HttpServer(service, started=announce).run(sockets=[listening])

        def learn() -> None:
            from mnemic.cli.jobs import Stopping, work_until

            tracing.start_from_environment()
            with Stopping() as stopping, state.connect(create=True) as engine:
                work_until(stopping, engine)

        if workers is None:
            answer_requests(0)
        else:
            roles = [partial(answer_requests, place) for place in range(workers)]
            Workers([*roles, *[learn] * learners]).run()


def _lend_token(state: State, issuer: str | None) -> tuple[str, Grant] | None:
    """A token of this run, where there is no other way in."""
    from mnemic.engine.tokens import make_token
    from mnemic.types import EVERY_SPACE

    now = datetime.now(UTC)
    with state.connect(create=True) as engine:
        others = issuer or any(grant.holds(now) for grant in engine.tokens.all())
    return None if others else make_token(now, "this run", "admin", [EVERY_SPACE])


def _announce(state: State, url: str, token: str) -> None:
    if state.json:
        emit({"url": url, "token": token or None})
    else:
        say(url)
        if token:
            say(phrase("Token of this run: {token}", token=token))
            say(phrase("Inspector: {url}", url=f"{url}/#token={token}"))
        note(phrase("Ctrl-C stops after the current requests."))
    sys.stdout.flush()


@contextmanager
def _tokens(state: State, *, create: bool = False) -> Iterator[Tokens]:
    if state.path(create=create) == ":memory:":
        raise ConfigError("A memory in RAM keeps no tokens", remedy="Name a database file")
    with state.connect(create=create) as engine:
        yield engine.tokens


def add(
    state: State, *, name: str, scope: Scope, spaces: tuple[str, ...], days: int | None,
    rate: int | None, quota: int | None,
) -> None:  # fmt: skip
    expires = None if days is None else datetime.now(UTC) + timedelta(days=days)
    where = spaces or (state.space_name,)
    with _tokens(state, create=True) as tokens:
        secret, grant = tokens.add(name, scope, where, expires_at=expires, rate=rate, quota=quota)
    if state.json:
        emit({"token": secret, **plain(grant)})
        return
    say(secret)
    named = phrase("every space") if grant.everywhere else ", ".join(grant.spaces)
    note(phrase("{id}: {scope} in {spaces}. It is not shown again.",
                id=grant.id, scope=scope, spaces=named))  # fmt: skip


def list_(state: State) -> None:
    with _tokens(state) as tokens:
        grants = tokens.all()
    now = datetime.now(UTC)
    head = ("id", "name", "scope", "spaces", "made", "used", "expires", "state")
    rows = [
        (g.id, g.name, g.scope, " ".join(g.spaces), *(when(t) if t else "" for t in (
            g.created_at, g.used_at, g.expires_at)), _state_of(g, now))
        for g in grants
    ]  # fmt: skip
    nothing = "There are no tokens. Make one: mnemic token add NAME"
    answer([plain(grant) for grant in grants], lambda: table(head, rows), nothing=nothing)


def _state_of(grant: Grant, now: datetime) -> str:
    if grant.holds(now):
        return ""
    return phrase("expired") if grant.revoked_at is None else phrase("revoked")


def trail(state: State, *, forgotten: bool, limit: int) -> None:
    from mnemic.engine.trail import list_accesses

    if forgotten:
        with _tokens(state) as tokens:
            entries = tokens.trail(limit)
    else:
        with state.open() as mind:
            entries = list_accesses(mind, limit=limit)
    head = ("at", "token", "operation", "status", "subject")
    rows = [(when(e.at), e.token, e.operation, e.status or "", e.subject) for e in entries]
    answer(plain(entries), lambda: table(head, rows), nothing="Nothing has been done over HTTP.")


def revoke(state: State, id: str) -> None:
    with _tokens(state) as tokens:
        grant = tokens.revoke(id)
    revoked = phrase("Revoked {id} ({name}).", id=grant.id, name=grant.name)
    answer(plain(grant), lambda: say(revoked))


def mcp(state: State, traces: Path | None) -> None:
    try:
        from mnemic.serve.mcp import mcp_server, serve_stdio
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"anyio", "mcp"}:
            raise
        raise MissingExtra.of(str(error.name), "mcp") from error
    with state.open(create=True, worker="thread") as mind:
        # A host starts one process for one conversation, or for a few of its own.
        session = f"mcp-{uuid4()}"
        serve_stdio(mcp_server(mind, traces=traces, session=session), mind.close)


_TAIL = 4 << 20  # bytes of a transcript in which the last answer is looked for


def hook(state: State) -> None:
    context = ""
    try:
        event = json.loads(sys.stdin.read())
        session = str(event["session_id"])
        with state.open(create=True) as mind:
            context = _handle_event(mind, event, session)
    except (MnemicError, OSError, ValueError, KeyError, TypeError) as error:
        message = error_line(error) if isinstance(error, MnemicError) else str(error)
        note(f"mnemic: {message}")
    answer({"context": context}, lambda: say(context) if context else None)


def _handle_event(mind: Mind, event: Mapping[str, Any], session: str) -> str:
    match event.get("hook_event_name"):
        case "UserPromptSubmit":
            prompt = str(event["prompt"])
            context = mind.context(prompt, session=session, shown=[prompt]).text
            mind.record(session=session, role="user", text=prompt)
            return context
        case "Stop":
            answer = event.get("last_assistant_message") or _last_answer(event)
            if answer:
                mind.record(session=session, role="assistant", text=str(answer))
        case "SessionEnd":
            mind.end_session(session)
    return ""


def _last_answer(event: Mapping[str, Any]) -> str:
    """What the agent said last, by its own transcript."""
    path = event.get("transcript_path")
    if not path:
        return ""
    from mnemic.moving.readers.coding_agents import CLAUDE_CODE, TranscriptFile

    with Path(str(path)).expanduser().open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - _TAIL))  # the first line may be half of one
        turns = [entry.turn for entry in TranscriptFile(CLAUDE_CODE, "").read(file)]
    return next((t.text for t in reversed(turns) if t and t.role == "assistant" and t.text), "")
