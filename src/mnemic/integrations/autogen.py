"""A memory for AutoGen's agents."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from autogen_core import CancellationToken
from autogen_core.memory import (
    Memory,
    MemoryContent,
    MemoryMimeType,
    MemoryQueryResult,
    UpdateContextResult,
)
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResultMessage,
    SystemMessage,
    UserMessage,
)

from mnemic.integrations.companion import AnyMemory, Companion, mind_of, recall_evidence, tool_call
from mnemic.types import NewTurn, ToolResult


class AutogenMemory(Memory):
    """``AssistantAgent("helper", model_client, memory=[AutogenMemory(mind, "chat-1")])``."""

    def __init__(
        self,
        memory: AnyMemory,
        session: str,
        *,
        user: str | None = None,
        budget: int | None = None,
        limit: int = 10,
    ) -> None:
        self._mind = mind_of(memory, user)
        self._companion = Companion(self._mind, session, host="autogen", budget=budget)
        self._limit = limit
        self._shown: set[str] = set()

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Record the messages so far, and add what is known; each text once in a conversation."""
        messages = await model_context.get_messages()
        turns = [turn for message in messages for turn in _turns(message, self._companion.session)]
        system = [message.content for message in messages if isinstance(message, SystemMessage)]
        addition = await asyncio.to_thread(self._companion.show, turns, system)
        await asyncio.to_thread(self._companion.keep, turns)
        fresh = [text for text in (addition.system, addition.user) if text not in self._shown]
        text = "\n\n".join(filter(None, fresh))
        if not text:
            return UpdateContextResult(memories=MemoryQueryResult(results=[]))
        self._shown.update(fresh)
        await model_context.add_message(SystemMessage(content=text))
        return UpdateContextResult(memories=MemoryQueryResult(results=[_content(text)]))

    async def query(
        self,
        query: str | MemoryContent,
        cancellation_token: CancellationToken | None = None,
        **kwargs: Any,
    ) -> MemoryQueryResult:
        words = query if isinstance(query, str) else _text(query)
        pieces = await asyncio.to_thread(recall_evidence, self._mind, words, self._limit)
        results = [_content(entry.text, id=entry.hit.id, score=entry.hit.score) for entry in pieces]
        return MemoryQueryResult(results=results)

    async def add(
        self, content: MemoryContent, cancellation_token: CancellationToken | None = None
    ) -> None:
        await asyncio.to_thread(self._mind.remember, _text(content), kind="fact", trust="agent")

    async def clear(self) -> None:
        """Forget this conversation for good."""
        await asyncio.to_thread(self._mind.forget, session=self._companion.session)
        self._shown.clear()

    async def close(self) -> None:
        """End the conversation, so that it is learned from; the mind stays open."""
        await asyncio.to_thread(self._mind.end_session, self._companion.session)


def _content(text: str, **metadata: Any) -> MemoryContent:
    return MemoryContent(content=text, mime_type=MemoryMimeType.TEXT, metadata=metadata or None)


def _text(content: MemoryContent) -> str:
    value = content.content
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _turns(message: object, session: str) -> list[NewTurn]:
    match message:
        case UserMessage():
            words = [message.content] if isinstance(message.content, str) else message.content
            text = "\n".join(word for word in words if isinstance(word, str))
            return [NewTurn(session, "user", text)]
        case AssistantMessage():
            if isinstance(message.content, str):
                return [NewTurn(session, "assistant", message.content, sender=message.source)]
            calls = tuple(tool_call(call.name, call.arguments, call.id) for call in message.content)
            return [NewTurn(session, "assistant", message.thought or "", tool_calls=calls)]
        case FunctionExecutionResultMessage():
            results = tuple(
                ToolResult(result.content, result.call_id, bool(result.is_error))
                for result in message.content
            )
            return [NewTurn(session, "tool", "", tool_results=results)]
    return []
