"""mnemic onboard"""

from __future__ import annotations

import sys

import click

from mnemic.cli.base import command
from mnemic.cli.output import emit, note, say
from mnemic.cli.phrases import phrase
from mnemic.cli.state import State


@command("onboard")
def onboard(state: State, answer: str | None) -> None:
    """Answer questions about the agent and yourself.

    Without ANSWER it asks, on a terminal until all is answered; "skip" skips a question. Answers
    are stored, so an interrupted onboarding goes on where it stopped.
    """
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
