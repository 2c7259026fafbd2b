"""mnemic serve"""

from __future__ import annotations

import sys

import click

from mnemic.cli.base import Command
from mnemic.cli.output import emit, note, say
from mnemic.cli.phrases import phrase
from mnemic.cli.state import State, pass_state
from mnemic.errors import ConfigError, MissingExtra

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
        raise MissingExtra(
            f"{error.name} is not installed", remedy='Install it: pip install "mnemic[serve]"'
        ) from error
    from mnemic.entry import database_path
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
