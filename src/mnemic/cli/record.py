"""mnemic record, attach, attachments"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mnemic.cli.base import command
from mnemic.cli.output import ListEntry, answer, dim, entries, join_parts, say, size, when
from mnemic.cli.params import metadata_of, text_or_stdin
from mnemic.cli.state import State
from mnemic.errors import InvalidInput, NotFound
from mnemic.moving.chats import read_tools
from mnemic.types import Attachment, Direction


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
    answer(recorded, lambda: say(f"{recorded.session} #{recorded.index}  {dim(recorded.id)}"))


@command("attach")
def attach(state: State, /, path: str, **about: Any) -> None:
    """Remember a file. PATH is a file or a URL; the file itself is not copied."""
    place: str | Path = path
    if "://" not in path:
        place = Path(path).expanduser().absolute()  # which holds from any folder
        if not place.exists():
            raise NotFound(f"There is no file {place}", remedy="Give the path of a file, or a URL")
    with state.open(create=True) as mind:
        attachment = mind.attach(place, **about)
    answer(attachment, lambda: say(f"{attachment.filename}  {dim(attachment.id)}"))


@command("attachments")
def attachments(state: State, session: str | None, direction: Direction | None, limit: int) -> None:
    """List files, the latest first."""
    with state.open() as mind:
        files = mind.attachments(session=session, direction=direction, limit=limit)
    answer(files, lambda: show_attachments(files), nothing="There are no attachments.")


def show_attachments(files: list[Attachment]) -> None:
    """Print files, each with an arrow for its direction."""
    entries(map(_entry, files))


def _entry(file: Attachment) -> ListEntry:
    about = file.description or file.transcription or file.extracted_text
    bytes_, place = size(file.size) if file.size else "", file.path or file.url
    below = join_parts(when(file.created_at), file.mime, bytes_, file.session, place)
    arrow = "→" if file.direction == "outbound" else "←"
    return ListEntry(arrow, f"{file.filename}  {about}".rstrip(), (below,))
