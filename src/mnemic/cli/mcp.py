"""mnemic mcp"""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import click

from mnemic.cli.base import Command
from mnemic.cli.state import State, pass_state
from mnemic.errors import MissingExtra


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
        raise MissingExtra(
            f"{error.name} is not installed", remedy='Install it: pip install "mnemic[mcp]"'
        ) from error
    with state.open(create=True, worker="thread") as mind:
        # A host starts one process for one conversation, or for a few of its own.
        session = f"mcp-{uuid4()}"
        serve_stdio(mcp_server(mind, traces=traces, session=session), mind.close)
