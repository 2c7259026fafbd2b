"""mnemic chat: the terminal chat with memory."""

from __future__ import annotations

import click

from mnemic.cli.phrases import Language, speaking
from mnemic.cli.state import State


def chat(state: State, *, project: str | None, why: bool, language: Language | None) -> None:
    from mnemic.cli.chat.console import Console
    from mnemic.cli.chat.terminal import Terminal
    from mnemic.providers.chat.choose import main_model_for

    if state.json:
        raise click.UsageError("A chat is for people. Use recall or context with --json.")
    spoken = language or state.language
    if language or spoken != "en":
        # What is asked on first use is then in the same language.
        state.overrides["memory.language"] = spoken
    with speaking(lambda: spoken), state.open(create=True, worker="thread") as mind:
        model, terminal = main_model_for(mind.settings), Terminal()
        Console(mind, model, terminal, project=project, always_why=why).run()
