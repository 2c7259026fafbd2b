"""mnemic backup, restore-backup"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from mnemic.cli.base import Command
from mnemic.cli.output import emit, note, say, size
from mnemic.cli.phrases import counted, phrase
from mnemic.cli.state import State, pass_state
from mnemic.types import PageProgress

_ONE = {"memories": "memory"}


@click.command(cls=Command)
@click.argument("to", metavar="FILE")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@pass_state
def backup(state: State, to: str, *, force: bool) -> None:
    """Copy the database to a file while others use it.

    The copy holds all spaces and everything that was acknowledged before. It is checked before it
    gets its name, so that FILE is either whole or not there. `mnemic restore-backup` makes a
    database of it again; so does opening it with --db.
    """
    from mnemic.moving.backup import backup as back_up

    with state.open() as mind, _pages(phrase("Copying")) as progress:
        made = back_up(mind, to, force=force, progress=progress)
    if state.json:
        emit(made)
        return
    pages = counted(made.pages, "page")
    say(phrase("{path}: {size} in {pages}, checked.",
               path=made.path, size=size(made.bytes), pages=pages))  # fmt: skip
    say(_contents(made.counts))


@click.command(cls=Command)
@click.argument("backup", metavar="BACKUP")
@click.argument("to", metavar="FILE")
@click.option(
    "--force", is_flag=True, help="Take the place of FILE, which is kept under another name."
)
@pass_state
def restore_backup(state: State, backup: str, to: str, *, force: bool) -> None:
    """Make the database FILE from a backup.

    The backup is checked first and left as it is. A database that is open in some program is never
    replaced. Jobs that were running when the backup was made wait again.
    """
    from mnemic.moving.backup import restore, settings_beside

    place = Path(to).expanduser().absolute()
    settings = settings_beside(place, state.preset, state.setting_overrides())
    with _pages(phrase("Restoring")) as progress:
        made = restore(backup, place, force=force, settings=settings, progress=progress)
    if state.json:
        emit(made)
        return
    say(f"{made.path}: {_contents(made.counts)}")
    if made.released:
        jobs = counted(made.released, "job")
        note(phrase("{jobs} that ran when the backup was made will run again.", jobs=jobs))
    for aside in filter(None, (made.aside, *made.documents)):
        note(phrase("What stood there before is kept as {path}", path=aside))


def _contents(counts: Mapping[str, int]) -> str:
    return phrase(", ").join(
        counted(number, _ONE.get(name, name.removesuffix("s")), name)
        for name, number in counts.items()
    )


@contextmanager
def _pages(what: str) -> Iterator[PageProgress]:
    """A bar of the pages copied, on a terminal; else nothing."""
    from mnemic.cli.progress import portion

    with portion(what) as report:
        yield report or (lambda done, pages: None)
