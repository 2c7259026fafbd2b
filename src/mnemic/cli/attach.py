"""mnemic attach, attachments"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mnemic.cli.base import Command
from mnemic.cli.output import ListEntry, answer, dim, entries, join_parts, say, size, when
from mnemic.cli.state import State, pass_state
from mnemic.errors import NotFound
from mnemic.types import Attachment, Direction

_DIRECTIONS = click.Choice(("inbound", "outbound"))


@click.command(cls=Command)
@click.argument("path")
@click.option("--session", "-s", default="", metavar="ID", help="The conversation it is part of.")
@click.option("--direction", type=_DIRECTIONS, default="inbound", show_default=True)
@click.option("--mime", default="", metavar="TYPE", help="Its type. [default: by its name]")
@click.option("--description", default="", metavar="TEXT", help="What it shows.")
@click.option("--transcription", default="", metavar="TEXT", help="What is said in it.")
@click.option("--extracted-text", default="", metavar="TEXT", help="What is written in it.")
@click.option("--tag", "tags", multiple=True, metavar="NAME", help="A label; may be repeated.")
@click.option("--memory", "memories", multiple=True, metavar="ID", help="A memory about it.")
@pass_state
def attach(state: State, /, path: str, **about: Any) -> None:
    """Remember a file. PATH is a file or a URL; the file itself is not copied."""
    with state.open(create=True) as mind:
        attachment = mind.attach(path if "://" in path else _file(path), **about)
    answer(attachment, lambda: say(f"{attachment.filename}  {dim(attachment.id)}"))


def _file(path: str) -> Path:
    """An existing file by its absolute path, which holds from any folder."""
    file = Path(path).expanduser().absolute()
    if not file.exists():
        raise NotFound(f"There is no file {file}", remedy="Give the path of a file, or a URL")
    return file


@click.command(cls=Command)
@click.option("--session", "-s", metavar="ID", help="Only from this conversation.")
@click.option("--direction", type=_DIRECTIONS, help="Only received, or only created.")
@click.option("--limit", "-n", default=50, show_default=True, metavar="N")
@pass_state
def attachments(state: State, session: str | None, direction: Direction | None, limit: int) -> None:
    """List files, the latest first."""
    with state.open() as mind:
        files = mind.attachments(session=session, direction=direction, limit=limit)
    answer(files, lambda: show_attachments(files), nothing="There are no attachments.")


def show_attachments(files: list[Attachment], *, margin: int = 0) -> None:
    """Print files, each with an arrow for its direction."""
    entries(map(_entry, files), margin=margin)


def _entry(file: Attachment) -> ListEntry:
    about = file.description or file.transcription or file.extracted_text
    bytes_ = size(file.size) if file.size else ""
    below = join_parts(
        when(file.created_at), file.mime, bytes_, file.session, file.path or file.url
    )
    arrow = "→" if file.direction == "outbound" else "←"
    return ListEntry(arrow, f"{file.filename}  {about}".rstrip(), (below,))
