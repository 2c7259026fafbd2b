"""mnemic record"""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Any

import click

from mnemic.cli.base import Command
from mnemic.cli.output import dim, emit, say
from mnemic.cli.params import json_value, metadata_of, moment, text_or_stdin
from mnemic.cli.state import State, pass_state
from mnemic.errors import InvalidInput
from mnemic.moving.chats import read_tools
from mnemic.types import ROLES, TRUSTS, Role, Trust


@click.command(cls=Command)
@click.argument("text", required=False)
@click.option(
    "--session", "-s", required=True, metavar="ID", help="The conversation it belongs to."
)
@click.option("--role", type=click.Choice(ROLES), default="user", show_default=True)
@click.option("--sender", default="", metavar="NAME", help="Who said it.")
@click.option(
    "--trust", type=click.Choice(TRUSTS),
    help="Whose words they are. [default: as role, sender and session say]",
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
    help="What your program keeps with it; may be repeated.",
)  # fmt: skip
@click.option("--project", metavar="NAME", help="The project of the session.")
@pass_state
def record(
    state: State,
    *,
    text: str | None,
    session: str,
    role: Role,
    sender: str,
    trust: Trust | None,
    channel: str,
    at: datetime | None,
    index: int | None,
    calls: tuple[Any, ...],
    results: tuple[Any, ...],
    metadata: tuple[str, ...],
    project: str | None,
) -> None:
    """Record one turn of a conversation.

    TEXT may also be piped in. The turn is durable and can be found when the command returns; the
    same turn at the same --index again changes nothing.
    """
    tool_calls, tool_results = read_tools(calls, results)
    wordless = text is None and (tool_calls or tool_results) and sys.stdin.isatty()
    content = "" if wordless else text_or_stdin(text, "the text of the turn")
    if not (content.strip() or tool_calls or tool_results):
        raise InvalidInput("There is nothing to record", remedy="Give the text, or a tool call")
    with state.open(create=True) as mind:
        turn = mind.record(
            session=session,
            role=role,
            content=content,
            sender=sender,
            channel=channel,
            tool_calls=tool_calls,
            tool_results=tool_results,
            at=at,
            index=index,
            trust=trust,
            metadata=metadata_of(metadata),
        )
        if project:
            mind.session(session, project=project)
    if state.json:
        emit(turn)
    else:
        say(f"{turn.session} #{turn.index}  {dim(turn.id)}")
