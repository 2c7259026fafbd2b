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
    return "\n".join(_words(block) for block in message.parts if isinstance(block, UserPromptPart))


def _words(block: UserPromptPart) -> str:
    if isinstance(block.content, str):
        return block.content
    return "\n".join(item for item in block.content if isinstance(item, str))


def _instructions(messages: Sequence[ModelMessage]) -> list[str]:
    """The host's own instructions."""
    requests = [message for message in messages if isinstance(message, ModelRequest)]
    texts = [request.instructions or "" for request in requests]
    blocks = (block for request in requests for block in request.parts)
    return texts + [block.content for block in blocks if isinstance(block, SystemPromptPart)]


def _inject(
    context: ModelRequestContext, place: int, addition: PromptAddition
) -> ModelRequestContext:
    """The request with the evidence in the host's own parts, which stay unchanged."""
    messages = list(context.messages)
    if addition.user:
        messages[place] = _with_part(messages[place], UserPromptPart, addition.before)
    parameters = context.model_request_parameters
    if addition.system:
        parts = messages[0].parts if isinstance(messages[0], ModelRequest) else ()
        has_prompt = any(isinstance(block, SystemPromptPart) for block in parts)
        if has_prompt and not parameters.instruction_parts:
            messages[0] = _with_part(messages[0], SystemPromptPart, addition.after)
        else:
            *others, last = parameters.instruction_parts or [InstructionPart(content="")]
            last = replace(last, content=addition.after(last.content), dynamic=True)
            parameters = replace(parameters, instruction_parts=[*others, last])
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
    at = max(place for place, block in enumerate(parts) if isinstance(block, kind))
    block = parts[at]
    if isinstance(block, SystemPromptPart):
        parts[at] = replace(block, content=add(block.content))
    elif isinstance(block, UserPromptPart):
        words = block.content
        parts[at] = replace(
            block, content=add(words) if isinstance(words, str) else [add(""), *words]
        )
    return replace(message, parts=parts)


def _turns(message: ModelMessage, session: str) -> Iterator[NewTurn]:
    if isinstance(message, ModelResponse):
        text = "".join(block.content for block in message.parts if isinstance(block, TextPart))
        calls = [
            tool_call(block.tool_name, block.args, block.tool_call_id)
            for block in message.parts
            if isinstance(block, ToolCallPart)
        ]
        if text or calls:
            yield NewTurn(session, "assistant", text, tool_calls=tuple(calls))
        return
    for block in message.parts:
        if isinstance(block, UserPromptPart):
            yield NewTurn(session, "user", _words(block))
        elif isinstance(block, ToolReturnPart):
            output, failed = block.model_response_str(), block.outcome != "success"
            yield tool_turn(session, block.tool_call_id, output, is_error=failed)
        elif isinstance(block, RetryPromptPart) and block.tool_name:
            yield tool_turn(session, block.tool_call_id, block.model_response(), is_error=True)
