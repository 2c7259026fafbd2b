"""recollect chat"""

from __future__ import annotations

import os
from typing import Literal

import click

from recollect.cli.base import Command
from recollect.cli.state import State, pass_state


class ChatCommand(Command):
    """Its help is in the language of the locale."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from recollect.cli.chat.messages import HELP_ZH, spoken_language

        if spoken_language("auto", os.environ) != "zh":
            return super().format_help_text(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(HELP_ZH)


@click.command(cls=ChatCommand)
@click.option("--project", metavar="NAME", help="The project that is talked about.")
@click.option("--why", is_flag=True, help="Show after each answer what was recalled for it.")
@click.option(
    "--language",
    type=click.Choice(["en", "zh"]),
    help="The language of the chat. [memory.language, else the locale]",
)
@pass_state
def chat(
    state: State, *, project: str | None, why: bool, language: Literal["en", "zh"] | None
) -> None:
    """Talk to a model that remembers.

    The model is the one of the settings chat.provider and chat.name. Without one this is a recall
    console: each line is looked up. /help shows the commands.
    """
    from recollect.cli.chat.console import Console
    from recollect.cli.chat.messages import WORDS, spoken_language
    from recollect.cli.chat.terminal import Terminal
    from recollect.providers.chat.choose import main_model_for

    spoken = language or spoken_language(state.settings().memory.language, os.environ)
    if state.json:
        raise click.UsageError(WORDS[spoken].for_people)
    if language or spoken == "zh":
        # What is asked on first use is then in the same language.
        state.overrides["memory.language"] = spoken
    with state.open(create=True, worker="thread") as mind:
        model, terminal = main_model_for(mind.settings), Terminal(plain=state.plain)
        console = Console(mind, model, terminal, language=spoken, project=project, always_why=why)
        console.run()
