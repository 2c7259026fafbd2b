"""recollect chat"""

from __future__ import annotations

import os

import click

from recollect.cli.base import Command
from recollect.cli.state import State, pass_state


@click.command(cls=Command)
@click.option("--project", metavar="NAME", help="The project that is talked about.")
@pass_state
def chat(state: State, project: str | None) -> None:
    """Talk to a model that remembers.

    The model is the one of the settings chat.provider and chat.name. Without one this is a recall
    console: each line is looked up. /help shows the commands.
    """
    from recollect.cli.chat.start import chat_with

    if state.json:
        raise click.UsageError("A chat is for people. Use recall or context with --json.")
    with state.open(create=True, worker="thread") as mind:
        chat_with(mind, project=project, plain=state.plain, env=os.environ)
