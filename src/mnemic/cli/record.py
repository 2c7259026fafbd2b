"""mnemic record"""

from __future__ import annotations

import sys
from typing import Any

from mnemic.cli.base import command
from mnemic.cli.output import answer, dim, say
from mnemic.cli.params import metadata_of, text_or_stdin
from mnemic.cli.state import State
from mnemic.errors import InvalidInput
from mnemic.moving.chats import read_tools


@command("record")
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
