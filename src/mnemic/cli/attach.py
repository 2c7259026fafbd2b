"""mnemic attach, attachments"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mnemic.cli.base import command
from mnemic.cli.output import ListEntry, answer, dim, entries, join_parts, say, size, when
from mnemic.cli.state import State
from mnemic.errors import NotFound
from mnemic.types import Attachment, Direction


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
    bytes_ = size(file.size) if file.size else ""
    below = join_parts(
        when(file.created_at), file.mime, bytes_, file.session, file.path or file.url
    )
    arrow = "→" if file.direction == "outbound" else "←"
    return ListEntry(arrow, f"{file.filename}  {about}".rstrip(), (below,))
