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
    from recollect.cli.chat.console import Console
    from recollect.cli.chat.messages import spoken_language
    from recollect.cli.chat.terminal import Terminal
    from recollect.providers.chat.choose import main_model_for

    if state.json:
        raise click.UsageError("A chat is for people. Use recall or context with --json.")
    with state.open(create=True, worker="thread") as mind:
        language = spoken_language(mind.settings.memory.language, os.environ)
        model, terminal = main_model_for(mind.settings), Terminal(plain=state.plain)
        Console(mind, model, terminal, language=language, project=project).run()
