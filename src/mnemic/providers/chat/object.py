"""A chat model that is an object of the host."""

from __future__ import annotations

from dataclasses import dataclass

from mnemic.errors import BadAnswer
from mnemic.providers.chat.base import OnText
from mnemic.providers.chat.transport import ModelPrompt, ModelReply, spent_on, system_text
from mnemic.providers.objects import GuardedObject
from mnemic.settings.environment import ModelPrice
from mnemic.types import LanguageModel, Message, ModelOutput


@dataclass(frozen=True, slots=True, eq=False)
class ObjectTransport:
    """Sends prompts to a language model of the host."""

    model: LanguageModel
    name: str
    calls: GuardedObject
    price: ModelPrice | None = None

    def send(self, prompt: ModelPrompt, on_text: OnText | None = None) -> ModelReply:
        # The schema stands in the text as well: an object may take no notice of the argument.
        system = system_text(prompt, "plain")
        messages = [Message(one.role, one.text) for one in prompt.messages]
        if system:
            messages.insert(0, Message("system", system))
        answer = self.calls.call(lambda: self.model.complete(messages, schema=prompt.schema))
        output = self._checked(answer)
        text = output.text.encode("utf-8", "replace").decode()
        if on_text is not None:
            on_text(text)
        read = output.input_tokens
        spent = spent_on(
            self.name,
            self.price,
            [message.content for message in messages] if read is None else read,
            output.text if output.output_tokens is None else output.output_tokens,
        )
        return ModelReply(text, "whole", spent)

    def masked(self, text: str) -> str:
        """Its key, if it has one, is not known here."""
        return text

    def close(self) -> None:
        """It belongs to the host."""

    def _checked(self, answer: object) -> ModelOutput:
        output = ModelOutput(answer) if isinstance(answer, str) else answer
        if not isinstance(output, ModelOutput) or not isinstance(output.text, str):
            raise BadAnswer(
                f"{self.name} returned a {type(answer).__name__}",
                remedy="Return text, or mnemic.ModelOutput",
            )
        for tokens in (output.input_tokens, output.output_tokens):
            if tokens is not None and (type(tokens) is not int or tokens < 0):
                raise BadAnswer(
                    f"{self.name} counted {tokens!r:.20} tokens", remedy="Return a whole number"
                )
        return output
