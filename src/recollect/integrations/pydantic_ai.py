"""A capability for pydantic-ai agents: evidence before each request, recording after it. The
evidence never enters the agent's own history.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext

from recollect.integrations.companion import (
    AnyMind,
    Companion,
    PromptAddition,
    tool_call,
    tool_turn,
)
from recollect.types import NewTurn


class MemoryCapability(AbstractCapability[Any]):
    """``Agent(model, capabilities=[MemoryCapability(mind, session="chat-1")])``."""

    def __init__(self, mind: AnyMind, session: str, *, budget: int | None = None) -> None:
        self._companion = Companion(mind, session, host="pydantic-ai", budget=budget)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Record new messages, and inject evidence into this request only."""
        messages = request_context.messages
        place = _last_prompt(messages)
        query = "" if place is None else _prompt(messages[place])
        session = self._companion.session
        turns = [turn for message in messages for turn in _turns(message, session)]
        addition = await asyncio.to_thread(
            self._companion.show, query, turns, _instructions(messages)
        )
        await asyncio.to_thread(self._companion.keep, turns)
        if place is None or not addition:
            return request_context
        return replace(request_context, messages=_inject(messages, place, addition))

    async def after_model_request(
        self,
        ctx: RunContext[Any],
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        """Record the answer and its calls."""
        for turn in _turns(response, self._companion.session):
            await asyncio.to_thread(self._companion.add, turn)
        return response

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None  # a mind cannot be written into a file of settings


def _last_prompt(messages: Sequence[ModelMessage]) -> int | None:
    """The index of the last message with text of the user."""
    places = [place for place, message in enumerate(messages) if _prompt(message)]
    return places[-1] if places else None


def _prompt(message: ModelMessage) -> str:
    if not isinstance(message, ModelRequest):
        return ""
    return "\n".join(_words(part) for part in message.parts if isinstance(part, UserPromptPart))


def _words(part: UserPromptPart) -> str:
    if isinstance(part.content, str):
        return part.content
    return "\n".join(item for item in part.content if isinstance(item, str))


def _instructions(messages: Sequence[ModelMessage]) -> list[str]:
    """The host's own instructions."""
    requests = [message for message in messages if isinstance(message, ModelRequest)]
    texts = [request.instructions or "" for request in requests]
    texts += [
        part.content for one in requests for part in one.parts if isinstance(part, SystemPromptPart)
    ]
    return texts


def _inject(
    messages: Sequence[ModelMessage], place: int, addition: PromptAddition
) -> list[ModelMessage]:
    """Copies of the messages with the evidence; the host's objects stay unchanged."""
    injected = list(messages)
    for at, part in (
        (place, UserPromptPart(addition.user) if addition.user else None),
        (0, SystemPromptPart(addition.system) if addition.system else None),
    ):
        request = injected[at]
        if part is not None and isinstance(request, ModelRequest):
            injected[at] = replace(request, parts=_placed(request.parts, part))
    return injected


def _placed(parts: Sequence[ModelRequestPart], new: ModelRequestPart) -> list[ModelRequestPart]:
    """After the host's own instructions, before everything else."""
    own = sum(isinstance(part, SystemPromptPart) for part in parts)
    return [*parts[:own], new, *parts[own:]]


def _turns(message: ModelMessage, session: str) -> Iterator[NewTurn]:
    if isinstance(message, ModelResponse):
        text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
        calls = [
            tool_call(part.tool_name, part.args, part.tool_call_id)
            for part in message.parts
            if isinstance(part, ToolCallPart)
        ]
        if text or calls:
            yield NewTurn(session, "assistant", text, tool_calls=tuple(calls))
        return
    for part in message.parts:
        if isinstance(part, UserPromptPart):
            yield NewTurn(session, "user", _words(part))
        elif isinstance(part, ToolReturnPart):
            failed = part.outcome != "success"
            output = part.model_response_str()
            yield tool_turn(session, part.tool_call_id, output, is_error=failed)
        elif isinstance(part, RetryPromptPart) and part.tool_name:
            output = part.model_response()
            yield tool_turn(session, part.tool_call_id, output, is_error=True)
