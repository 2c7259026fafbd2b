"""mnemic scratchpad"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mnemic.cli.base import CommandGroup
from mnemic.cli.output import clean_lines, emit, note, say
from mnemic.cli.params import text_or_stdin
from mnemic.cli.phrases import phrase
from mnemic.cli.state import State, pass_state
from mnemic.errors import InvalidInput


@click.command(cls=CommandGroup, invoke_without_command=True)
@click.pass_context
def scratchpad(ctx: click.Context) -> None:
    """Show what the agent is working on, or write it yourself."""
    if ctx.invoked_subcommand is not None:
        return
    state = ctx.ensure_object(State)
    with state.open() as mind:
        pad = mind.scratchpad()
    if state.json:
        emit(pad)
    elif not pad.text.strip():
        note(phrase("The scratchpad is empty."))
    else:
        say(clean_lines(pad.text))


@scratchpad.command()
@click.argument("file", required=False)
@pass_state
def edit(state: State, file: str | None) -> None:
    """Put your own markdown in its place.

    It is read from FILE, or piped in; on a terminal without either your editor opens. What was
    there before stays in the events.
    """
    with state.open(create=True) as mind:
        if file is None and sys.stdin.isatty():
            written = click.edit(mind.scratchpad().text, extension=".md")
            if written is None:
                note(phrase("Nothing was changed."))
                return
        else:
            written = text_or_stdin(file and _read(file), "a file with the text")
        pad = mind.write_scratchpad(written)
    if state.json:
        emit(pad)
    else:
        say(phrase("The scratchpad is written."))


@scratchpad.command()
@click.argument("text", required=False)
@click.option("--session", metavar="ID", help="The conversation it belongs to.")
@pass_state
def task(state: State, text: str | None, session: str | None) -> None:
    """Set the current task, as your agent states it.

    The task before it is archived when this one is about something else. Without TEXT the task is
    over. From then on no task is read from messages.
    """
    with state.open(create=True) as mind:
        pad = mind.set_task(text or "", session=session)
    if state.json:
        emit(pad)
    else:
        say(clean_lines(pad.text) or phrase("There is no current task."))


def _read(file: str) -> str:
    if file == "-":
        return file
    try:
        return Path(file).expanduser().read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{file} is not UTF-8 at byte {error.start + 1}",
            remedy="Convert it: iconv -f GB18030 -t UTF-8",
        ) from error
