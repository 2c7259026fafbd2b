"""mnemic scratchpad, onboard"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mnemic.cli.output import answer, clean_lines, emit, note, say
from mnemic.cli.params import read_utf8, text_or_stdin
from mnemic.cli.phrases import phrase
from mnemic.cli.state import State


def scratchpad(state: State) -> None:
    with state.open() as mind:
        pad = mind.scratchpad()
    if not pad.text.strip() and not state.json:
        note(phrase("The scratchpad is empty."))
        return
    answer(pad, lambda: say(clean_lines(pad.text)))


def edit(state: State, file: str | None) -> None:
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


def task(state: State, text: str | None, session: str | None) -> None:
    with state.open(create=True) as mind:
        pad = mind.set_task(text or "", session=session)
    answer(pad, lambda: say(clean_lines(pad.text) or phrase("There is no current task.")))


def onboard(state: State, answer: str | None) -> None:
    if state.language != "en":
        state.overrides["memory.language"] = state.language  # what is asked, too
    with state.open(create=True) as mind:
        now = mind.onboarding(begin=True) if answer is None else mind.onboard(answer)
        while answer is None and not now.done and not state.json and sys.stdin.isatty():
            now = mind.onboard(click.prompt(now.text, default="", show_default=False))
    if state.json:
        emit(now)
    elif now.done:
        note(phrase("Onboarding is complete; you will not be asked again."))
    else:
        say(now.text)
