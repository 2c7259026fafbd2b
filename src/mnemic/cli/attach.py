"""mnemic attach, attachments"""

from __future__ import annotations

from pathlib import Path

import click

from mnemic.cli.base import Command
from mnemic.cli.output import ListEntry, dim, emit, entries, joined, note, say, size, when
from mnemic.cli.phrases import phrase
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
def attach(
    state: State,
    *,
    path: str,
    session: str,
    direction: Direction,
    mime: str,
    description: str,
    transcription: str,
    extracted_text: str,
    tags: tuple[str, ...],
    memories: tuple[str, ...],
) -> None:
    """Remember a file. PATH is a file or a URL; the file itself is not copied."""
    with state.open(create=True) as mind:
        attachment = mind.attach(
            path if "://" in path else _file(path),
            session=session,
            direction=direction,
            mime=mime,
            description=description,
            transcription=transcription,
            extracted_text=extracted_text,
            tags=tags,
            memories=memories,
        )
    if state.json:
        emit(attachment)
    else:
        say(f"{attachment.filename}  {dim(attachment.id)}")


def _file(path: str) -> Path:
    """An existing file by its absolute path, which holds from any folder."""
    file = Path(path).expanduser().absolute()
    if not file.exists():
        raise NotFound(f"There is no file {file}", remedy="Give the path of a file, or a URL")
    return file


@click.command(cls=Command)
@click.option("--session", "-s", metavar="ID", help="Only from this conversation.")
@click.option("--direction", type=_DIRECTIONS, help="Only received, or only made.")
@click.option("--limit", "-n", default=50, show_default=True, metavar="N")
@pass_state
def attachments(state: State, session: str | None, direction: Direction | None, limit: int) -> None:
    """List files, the latest first."""
    with state.open() as mind:
        files = mind.attachments(session=session, direction=direction, limit=limit)
    if state.json:
        emit(files)
        return
    if not files:
        note(phrase("There are no attachments."))
    show_attachments(files)


def show_attachments(files: list[Attachment], *, margin: int = 0) -> None:
    """Print files, each with an arrow for its direction."""
    entries(map(_entry, files), margin=margin)


def _entry(file: Attachment) -> ListEntry:
    about = file.description or file.transcription or file.extracted_text
    return ListEntry(
        "→" if file.direction == "outbound" else "←",
        f"{file.filename}  {about}".rstrip(),
        (
            joined(
                when(file.created_at),
                file.mime,
                size(file.size) if file.size else "",
                file.session,
                file.path or file.url,
            ),
        ),
    )
