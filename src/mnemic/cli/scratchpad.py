"""mnemic scratchpad"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mnemic.cli.base import command, command_group
from mnemic.cli.output import answer, clean_lines, note, say
from mnemic.cli.params import read_utf8, text_or_stdin
from mnemic.cli.phrases import phrase
from mnemic.cli.state import State


@command_group("scratchpad", alone=True)
def scratchpad(state: State) -> None:
    """Show what the agent is working on, or write it yourself."""
    with state.open() as mind:
        pad = mind.scratchpad()
    if not pad.text.strip() and not state.json:
        note(phrase("The scratchpad is empty."))
        return
    answer(pad, lambda: say(clean_lines(pad.text)))


@command("scratchpad edit", scratchpad)
def edit(state: State, file: str | None) -> None:
    """Put your own markdown in its place.

    It is read from FILE, or piped in; on a terminal without either your editor opens. What was
    there before stays in the events.
    """
    with state.open(create=True) as mind:
        if file is None and sys.stdin.isatty():
            markdown = click.edit(mind.scratchpad().text, extension=".md")
            if markdown is None:
                note(phrase("Nothing was changed."))
                return
        else:
            if file not in (None, "-"):
                file = read_utf8(Path(file).expanduser().read_bytes(), file)
            markdown = text_or_stdin(file, "a file with the text")
        pad = mind.write_scratchpad(markdown)
    answer(pad, lambda: say(phrase("The scratchpad is written.")))


@command("scratchpad task", scratchpad)
def task(state: State, text: str | None, session: str | None) -> None:
    """Set the current task, as your agent states it.

    The task before it is archived when this one is about something else. Without TEXT the task is
    over. From then on no task is read from messages.
    """
    with state.open(create=True) as mind:
        pad = mind.set_task(text or "", session=session)
    answer(pad, lambda: say(clean_lines(pad.text) or phrase("There is no current task.")))
