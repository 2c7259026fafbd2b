"""mnemic serve, token, mcp, hook"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import click

from mnemic.cli.base import Command, CommandGroup
from mnemic.cli.failures import error_line
from mnemic.cli.output import answer, emit, note, say, table
from mnemic.cli.phrases import phrase
from mnemic.cli.state import State, pass_state
from mnemic.engine.mind import Mind
from mnemic.errors import ConfigError, MissingExtra, MnemicError

if TYPE_CHECKING:
    from mnemic.engine.remote.operations import Scope
    from mnemic.serve.http.tokens import Grant, TokenFile

_PORT = 8765


@click.command(cls=Command)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="Address to listen on.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=_PORT, show_default=True,
              metavar="N", help="Port to listen on; 0 takes a free one.")  # fmt: skip
@click.option("--name", "names", multiple=True, metavar="HOST",
              help="Host name that clients use, beside this machine's; repeatable.")  # fmt: skip
@click.option("--threads", type=click.IntRange(1, 256), metavar="N",
              help="Requests that read at once; as many as cores, and at least 4, without it. Those"
              " that write have threads of their own.")  # fmt: skip
@pass_state
def serve(state: State, host: str, port: int, names: tuple[str, ...], threads: int | None) -> None:
    """Serve the memories of a database over HTTP: API, MCP and page on one port.

    Without tokens (mnemic token add) it listens on this machine only, and prints a token that
    is good until it stops. SIGTERM or Ctrl-C finishes what was begun. See docs/serve.md.
    """
    try:
        from mnemic.serve.http.app import Service
        from mnemic.serve.http.boundary import is_loopback
        from mnemic.serve.http.limits import Limits
        from mnemic.serve.http.server import HttpServer, bind
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "mnemic":
            raise
        raise _missing(error, "serve") from error
    from mnemic.engine.open import database_path
    from mnemic.serve.http.tokens import EVERY_SPACE, TokenFile, new_grant, tokens_of

    path = tokens_of(database_path(state.db))
    kept = TokenFile(path).grants()
    if not kept and not is_loopback(host):
        raise ConfigError(
            f"{host} can be reached by other machines, and there are no tokens",
            remedy="Add one first: mnemic token add NAME",
        )
    token = ""
    tokens = TokenFile(path)
    if not kept:
        token, grant = new_grant("this run", "admin", [EVERY_SPACE])
        tokens = TokenFile(path, [grant])
    with bind(host, port) as listening:
        actual = listening.getsockname()[1]
        service = Service(
            state.connect(create=True, worker="thread"),
            tokens,
            names=names if is_loopback(host) else (*names, host),
            limits=Limits(threads=threads) if threads else Limits(),
            default=state.space_name,
        )
        url = f"http://{f'[{host}]' if ':' in host else host}:{actual}"
        _announce(state, url, token)
        HttpServer(service).run(sockets=[listening])


def _announce(state: State, url: str, token: str) -> None:
    if state.json:
        emit({"url": url, "token": token or None})
    else:
        say(url)
        if token:
            say(phrase("Token of this run: {token}", token=token))
            say(phrase("Inspector: {url}", url=f"{url}/#token={token}"))
        note(phrase("Ctrl-C stops after the requests in hand."))
    sys.stdout.flush()


def _missing(error: ModuleNotFoundError, extra: str) -> MissingExtra:
    return MissingExtra(
        f"{error.name} is not installed", remedy=f'Install it: pip install "mnemic[{extra}]"'
    )


_SCOPES = ("read", "write", "admin")


def _file(state: State) -> TokenFile:
    from mnemic.engine.open import database_path
    from mnemic.serve.http.tokens import TokenFile, tokens_of

    return TokenFile(tokens_of(database_path(state.db)))


def _describe_grant(grant: Grant) -> dict[str, object]:
    return {name: value for name, value in asdict(grant).items() if name != "digest"}


@click.group(cls=CommandGroup)
def token() -> None:
    """Make, list and revoke tokens of mnemic serve.

    A token says who may do what in which space. Only hashes are kept, in a file beside the
    database.
    """


@token.command()
@click.argument("name")
@click.option("--scope", type=click.Choice(_SCOPES), default="write", show_default=True,
              help="read; write, which can also read; or admin, which can also erase.")  # fmt: skip
@click.option("--for", "spaces", multiple=True, metavar="SPACE",
              help="A space it is for, or * for every one. [--space, else default]")  # fmt: skip
@pass_state
def add(state: State, name: str, scope: Scope, spaces: tuple[str, ...]) -> None:
    """Make a token. It is shown this once."""
    made, grant = _file(state).add(name, scope, spaces or (state.space_name,))
    if state.json:
        emit({"token": made, **_describe_grant(grant)})
        return
    say(made)
    where = phrase("every space") if grant.everywhere else ", ".join(grant.spaces)
    note(phrase("{id}: {scope} in {spaces}. It is not shown again.",
                id=grant.id, scope=scope, spaces=where))  # fmt: skip


@token.command("list")
@pass_state
def list_(state: State) -> None:
    """List tokens; the tokens themselves are not kept."""
    grants = _file(state).grants()
    head = ("id", "name", "scope", "spaces", "made")
    rows = [(g.id, g.name, g.scope, " ".join(g.spaces), g.created_at[:10]) for g in grants]
    nothing = "There are no tokens. Make one: mnemic token add NAME"
    answer([_describe_grant(grant) for grant in grants], lambda: table(head, rows), nothing=nothing)


@token.command()
@click.argument("id")
@pass_state
def revoke(state: State, id: str) -> None:
    """Take a token back; a running service refuses it at once."""
    grant = _file(state).revoke(id)
    revoked = phrase("Revoked {id} ({name}).", id=grant.id, name=grant.name)
    answer(_describe_grant(grant), lambda: say(revoked))


@click.command(cls=Command)
@click.option(
    "--traces",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of JSONL traces that are searched where the database has no answer.",
)
@pass_state
def mcp(state: State, traces: Path | None) -> None:
    """Serve a memory to an MCP host over stdin and stdout.

    Claude Desktop, Cursor and others start this command themselves: see docs/mcp.md.
    """
    try:
        from mnemic.serve.mcp import mcp_server, serve_stdio
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"anyio", "mcp"}:
            raise
        raise _missing(error, "mcp") from error
    with state.open(create=True, worker="thread") as mind:
        # A host starts one process for one conversation, or for a few of its own.
        session = f"mcp-{uuid4()}"
        serve_stdio(mcp_server(mind, traces=traces, session=session), mind.close)


_TAIL = 4 << 20  # bytes of a transcript in which the last answer is looked for


@click.command(cls=Command)
@pass_state
def hook(state: State) -> None:
    """Serve a coding agent that runs commands at its events.

    The event comes as JSON on standard input, as Claude Code writes it. At UserPromptSubmit the
    prompt is recorded and what is known about it is printed, at Stop the answer is recorded, at
    SessionEnd the conversation ends. A failure is told on stderr and never stops the agent.
    """
    known = ""
    try:
        event = json.loads(sys.stdin.read())
        session = str(event["session_id"])
        with state.open(create=True) as mind:
            known = _handle_event(mind, event, session)
    except (MnemicError, OSError, ValueError, KeyError, TypeError) as error:
        said = error_line(error) if isinstance(error, MnemicError) else str(error)
        note(f"mnemic: {said}")
    answer({"context": known}, lambda: say(known) if known else None)


def _handle_event(mind: Mind, event: Mapping[str, Any], session: str) -> str:
    match event.get("hook_event_name"):
        case "UserPromptSubmit":
            prompt = str(event["prompt"])
            known = mind.context(prompt, session=session, shown=[prompt]).text
            mind.record(session=session, role="user", text=prompt)
            return known
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
    with Path(str(path)).expanduser().open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - _TAIL))
        lines = file.read().decode(errors="replace").splitlines()
    for line in reversed(lines):
        texts = list(_find_spoken(line))
        if texts:
            return "\n".join(texts)
    return ""


def _find_spoken(line: str) -> Iterator[str]:
    try:
        entry = json.loads(line)
    except ValueError:
        return  # the first line may be half of one
    if isinstance(entry, dict) and entry.get("type") == "assistant":
        content = entry.get("message", {}).get("content", ())
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        yield from (block["text"] for block in blocks if block.get("type") == "text")
