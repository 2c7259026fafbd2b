"""mnemic record"""

from __future__ import annotations

import sys
from typing import Any

import click

from mnemic.cli.base import Command
from mnemic.cli.output import answer, dim, say
from mnemic.cli.params import json_value, metadata_of, moment, text_or_stdin
from mnemic.cli.state import State, pass_state
from mnemic.errors import InvalidInput
from mnemic.moving.chats import read_tools
from mnemic.types import ROLES, TRUSTS


@click.command(cls=Command)
@click.argument("text", required=False)
@click.option(
    "--session", "-s", required=True, metavar="ID", help="The conversation it belongs to."
)
@click.option("--role", type=click.Choice(ROLES), default="user", show_default=True)
@click.option("--sender", default="", metavar="NAME", help="Who said it.")
@click.option(
    "--trust", type=click.Choice(TRUSTS),
    help="How far to trust it. [default: by role, sender and session]",
)  # fmt: skip
@click.option("--channel", default="", metavar="NAME", help="Where it was said.")
@click.option("--at", type=moment, help="When it was said. [default: now]")
@click.option("--index", type=int, help="Its place in the session. [default: at the end]")
@click.option(
    "--tool-call", "calls", type=json_value, multiple=True, metavar="JSON",
    help='A call it made: {"name": ..., "input": {...}, "id": ...}',
)  # fmt: skip
@click.option(
    "--tool-result", "results", type=json_value, multiple=True, metavar="JSON",
    help='What a tool answered: {"content": ..., "call_id": ...}',
)  # fmt: skip
@click.option(
    "--metadata", multiple=True, metavar="KEY=VALUE",
    help="Your program's own data, stored with it; may be repeated.",
)  # fmt: skip
@click.option("--project", metavar="NAME", help="The project of the session.")
@pass_state
def record(
    state: State, /, text: str | None, project: str | None, metadata: tuple[str, ...], **turn: Any
) -> None:
    """Record one turn of a conversation.

    TEXT may also be piped in. The turn is durable and can be found when the command returns; the
    same turn at the same --index again changes nothing.
    """
    tool_calls, tool_results = read_tools(turn.pop("calls"), turn.pop("results"))
    wordless = text is None and (tool_calls or tool_results) and sys.stdin.isatty()
    content = "" if wordless else text_or_stdin(text, "the text of the turn")
    if not (content.strip() or tool_calls or tool_results):
        raise InvalidInput("There is nothing to record", remedy="Give the text, or a tool call")
    with state.open(create=True) as mind:
        recorded = mind.record(
            text=content,
            tool_calls=tool_calls,
            tool_results=tool_results,
            metadata=metadata_of(metadata),
            **turn,
        )
        if project:
            mind.session(recorded.session, project=project)
    line = f"{recorded.session} #{recorded.index}  {dim(recorded.id)}"
    answer(recorded, lambda: say(line))
