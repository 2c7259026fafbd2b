"""Starting a chat: the model of the settings, the language of the person, a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.cli.chat.console import Console
from recollect.cli.chat.messages import spoken_language
from recollect.cli.chat.terminal import Terminal
from recollect.mind import Mind
from recollect.providers.chat.choose import main_model_for


def chat_with(mind: Mind, *, project: str | None, plain: bool, env: Mapping[str, str]) -> None:
    """Talk until the person leaves."""
    language = spoken_language(mind.settings.memory.language, env)
    model = main_model_for(mind.settings)
    Console(mind, model, Terminal(plain=plain), language=language, project=project).run()
