"""The chat on a terminal, beside a scripted model."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chat.screens import SCREENS, Screen
from tests.providers.conftest import server
from tests.providers.scripted import Asked, Behavior, Scripted, streamed

__all__ = ["server"]
OpenChat = Callable[..., Screen]
RULES = ("--set", "model.provider=none")


def with_model(server: Scripted) -> tuple[str, ...]:
    """The options for a chat with this server; what is learned, the rules learn."""
    given = {
        "chat.provider": "openai",
        "chat.name": "play-1",
        "chat.base_url": server.url,
        "model.timeout": "20s",
    }
    options = [option for key, value in given.items() for option in ("--set", f"{key}={value}")]
    return (*RULES, *options)


def said(text: str) -> dict[str, Any]:
    """An answer as OpenAI gives it."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}


def saying(*pieces: str, then: Behavior | None = None) -> Behavior:
    """The same piece by piece; ``then``: what follows in place of its end."""
    events: list[object] = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    if then is None:
        end = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
        usage = {"prompt_tokens": 7, "completion_tokens": len(pieces)}
        events += [end, {"choices": [], "usage": usage}, "[DONE]"]
    return streamed(*events, then=then)


def heard(asked: Asked) -> str:
    """Everything that the model was shown."""
    return "\n".join(str(message["content"]) for message in asked.json["messages"])


@pytest.fixture(params=list(SCREENS))
def open_chat(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenChat]:
    """Starts ``mnemic chat`` on ``memory.db`` of the test's folder."""
    opened: list[Screen] = []

    def open_(*options: str, **env: str) -> Screen:
        around = {
            **{name: value for name, value in os.environ.items() if name != "CI"},
            "LC_ALL": "C.UTF-8",
            "NO_PROXY": "127.0.0.1",
            "MNEMIC_DB": str(tmp_path / "memory.db"),
            **env,
        }
        command = [sys.executable, "-m", "mnemic", "chat", *options]
        opened.append(SCREENS[request.param](command, around))
        return opened[-1]

    yield open_
    for screen in opened:
        screen.close()
