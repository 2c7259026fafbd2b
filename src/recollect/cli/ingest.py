"""recollect ingest"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from recollect.cli.base import Command
from recollect.cli.output import counted, emit, flat, note, say
from recollect.cli.state import State, pass_state
from recollect.errors import InvalidInput
from recollect.moving.chats import FORMATS, Chats
from recollect.moving.loader import (
    Loader,
    LoadProgress,
    Refused,
    Speakers,
)
from recollect.types import TRUSTS, Trust

_MAX_LISTED = 20  # refused lines; the rest are only counted

Progress = Callable[[int, str], None]


@click.command(cls=Command)
@click.argument("file")
@click.option("--format", "format_", type=click.Choice(FORMATS), help="[default: what is found]")
@click.option(
    "--session", "-s", metavar="ID", help="For messages that name none. [default: the file's name]"
)
@click.option("--project", default="", metavar="NAME", help="The project of these conversations.")
@click.option(
    "--owner", "owners", multiple=True, metavar="NAME",
    help="A sender in the file who is the owner; every other user is an outsider.",
)  # fmt: skip
@click.option("--sender", default="", metavar="NAME", help="Who the user is where none is named.")
@click.option(
    "--trust", type=click.Choice(TRUSTS), default="owner", show_default=True,
    help="Trust nothing in the file better than this.",
)  # fmt: skip
@pass_state
@click.pass_context
def ingest(
    ctx: click.Context,
    state: State,
    *,
    file: str,
    format_: str | None,
    session: str | None,
    project: str,
    owners: tuple[str, ...],
    sender: str,
    trust: Trust,
) -> None:
    """Import a file of conversations; FILE may be - for a pipe.

    Understood are JSON lines of turns (session, role, content; also index, sender, channel, at,
    tool_calls, tool_results, trust), the transcripts this program writes, lists of messages as chat
    APIs take them, and the conversations.json of a ChatGPT or Claude export.

    The only user of a conversation is the owner; where several speak, those named by --owner or by
    the setting trust.owners are, and nobody else. A trust that the file states can only lower that.

    Turns that were imported before are skipped, so an interrupted ingest can be repeated.
    Lines that cannot be read are reported and the rest goes on; the command then leaves with 1.
    """
    refused: list[Refused] = []

    def refuse(one: Refused) -> None:
        if len(refused) < _MAX_LISTED:
            refused.append(one)
            if not state.json:
                note(f"{one.place}: {flat(one.reason)}")

    started = time.monotonic()
    with _opened(file) as stream, state.open(create=True) as mind, _progress(stream) as progress:
        name = session if session is not None else ("" if file == "-" else Path(file).stem)
        chats = Chats(stream, session=name, format=format_ or "")
        speakers = Speakers(owners, sender, trust)
        loader = Loader(mind, project=project, speakers=speakers, refused=refuse)
        for loaded in loader.load(chats):
            progress(_position(stream), f"{loaded.added + loaded.known:,} turns")
    _summary(state, chats.detected_format, loader.loaded, refused, time.monotonic() - started)
    ctx.exit(1 if loader.loaded.rejected else 0)


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(file).expanduser().open("rb")
    except OSError as error:
        raise InvalidInput(
            f"{file} cannot be read: {error.strerror}", remedy="Give a file, or - for a pipe"
        ) from error
    with stream:
        yield stream


@contextmanager
def _progress(stream: BinaryIO) -> Iterator[Progress]:
    """A bar by bytes read on a terminal; else nothing."""
    if not sys.stderr.isatty():
        yield lambda read, word: None
        return
    from recollect.cli.progress import reading

    total = os.fstat(stream.fileno()).st_size if stream.seekable() else None
    with reading("Reading", total) as report:
        yield report


def _position(stream: BinaryIO) -> int:
    return stream.tell() if stream.seekable() else 0


def _summary(
    state: State, format_: str, loaded: LoadProgress, refused: list[Refused], seconds: float
) -> None:
    pace = (loaded.added + loaded.known) / seconds if seconds > 0 else 0.0
    if state.json:
        emit(
            {
                "format": format_,
                "added": loaded.added,
                "known": loaded.known,
                "rejected": loaded.rejected,
                "seconds": round(seconds, 3),
                "turns_per_second": round(pace, 1),
                "problems": refused,
            }
        )
        return
    if loaded.rejected > len(refused):
        note(f"… and {loaded.rejected - len(refused):,} more")
    counts = f"{loaded.added:,} added, {loaded.known:,} known, {loaded.rejected:,} rejected"
    say(f"{counted(loaded.added + loaded.known, 'turn')}: {counts}; {seconds:.1f} s, {pace:,.0f}/s")
