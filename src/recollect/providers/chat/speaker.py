"""One exchange with a model, before anybody has judged the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from recollect.providers.chat.base import ChatMessage, Meter, Schema, Spent

Ending = Literal["whole", "cut", "declined"]


@dataclass(frozen=True, slots=True)
class ModelPrompt:
    """What the model is told; with a schema it is to answer with such an object."""

    system: str
    messages: tuple[ChatMessage, ...]
    purpose: str
    schema: Schema | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What the model said, and whether it came to the end of it."""

    text: str
    ending: Ending
    spent: Spent


class Speaker(Protocol):
    """Takes a prompt to a model and brings back what it said."""

    @property
    def name(self) -> str: ...
    def say(self, prompt: ModelPrompt) -> ModelReply: ...

    def masked(self, text: str) -> str:
        """The text as an error may show it: without the key, should a server have repeated it."""

    def close(self) -> None: ...


class Metered:
    """A speaker with every exchange counted."""

    def __init__(self, speaker: Speaker, meter: Meter) -> None:
        self._speaker, self._meter = speaker, meter

    @property
    def name(self) -> str:
        return self._speaker.name

    def say(self, prompt: ModelPrompt) -> ModelReply:
        self._meter.allow()
        said = self._speaker.say(prompt)
        self._meter.record(prompt.purpose, said.spent)
        return said

    def masked(self, text: str) -> str:
        return self._speaker.masked(text)

    def close(self) -> None:
        self._speaker.close()
