"""A capability for pydantic-ai agents: evidence before each request, recording after it. The
evidence never enters the agent's own history.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext

from mnemic.integrations.companion import AnyMemory, Companion, PromptAddition, tool_call, tool_turn
from mnemic.types import NewTurn


class MemoryCapability(AbstractCapability[Any]):
    """``Agent(model, capabilities=[MemoryCapability(mind, session="chat-1")])``."""

    def __init__(
        self, memory: AnyMemory, session: str, *, user: str | None = None, budget: int | None = None
    ) -> None:
        self._companion = Companion(memory, session, host="pydantic-ai", user=user, budget=budget)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Record new messages, and inject evidence into this request only."""
        messages = request_context.messages
        place = max((n for n, message in enumerate(messages) if _prompt(message)), default=None)
        session = self._companion.session
        turns = [turn for message in messages for turn in _turns(message, session)]
        query = "" if place is None else _prompt(messages[place])
        addition = await asyncio.to_thread(
            self._companion.show, turns, _instructions(messages), query=query
        )
        await asyncio.to_thread(self._companion.keep, turns)
        if place is None or not addition:
            return request_context
        return _inject(request_context, place, addition)

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Record the answer and its calls."""
        for turn in _turns(response, self._companion.session):
            await asyncio.to_thread(self._companion.add, turn)
        return response

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None  # a mind cannot be written into a file of settings


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
    context: ModelRequestContext, place: int, addition: PromptAddition
) -> ModelRequestContext:
    """The request with the evidence in the host's own parts, which stay unchanged."""
    messages = list(context.messages)
    if addition.user:
        messages[place] = _with_part(messages[place], UserPromptPart, addition.before)
    parameters = context.model_request_parameters
    if addition.system:
        has_prompt = any(
            isinstance(part, SystemPromptPart)
            for part in (messages[0].parts if isinstance(messages[0], ModelRequest) else ())
        )
        if has_prompt and not parameters.instruction_parts:
            messages[0] = _with_part(messages[0], SystemPromptPart, addition.after)
        else:
            *others, last = parameters.instruction_parts or [InstructionPart(content="")]
            part = replace(last, content=addition.after(last.content), dynamic=True)
            parameters = replace(parameters, instruction_parts=[*others, part])
    return replace(context, messages=messages, model_request_parameters=parameters)


def _with_part(
    message: ModelMessage,
    kind: type[UserPromptPart] | type[SystemPromptPart],
    add: Callable[[str], str],
) -> ModelMessage:
    """The message with text added to its last part of a kind."""
    if not isinstance(message, ModelRequest):
        return message
    parts = list(message.parts)
    at = max(place for place, part in enumerate(parts) if isinstance(part, kind))
    part = parts[at]
    if isinstance(part, SystemPromptPart):
        parts[at] = replace(part, content=add(part.content))
    elif isinstance(part, UserPromptPart):
        whole = add(part.content) if isinstance(part.content, str) else [add(""), *part.content]
        parts[at] = replace(part, content=whole)
    return replace(message, parts=parts)


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
