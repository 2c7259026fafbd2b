"""A context provider for the Microsoft Agent Framework."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from agent_framework import AgentSession, ContextProvider, Message, SessionContext

from mnemic.integrations.companion import AnyMemory, Companion, Companions, tool_call
from mnemic.types import NewTurn, ToolResult


class MemoryContextProvider(ContextProvider):
    """``Agent(client=client, context_providers=[MemoryContextProvider(mind)])``."""

    def __init__(
        self,
        memory: AnyMemory,
        *,
        user: str | None = None,
        budget: int | None = None,
        source_id: str = "mnemic",
    ) -> None:
        super().__init__(source_id)
        self._companions = Companions(memory, "agent-framework", user, budget, Companion)

    async def before_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Add what is known to the instructions of this run."""
        companion = await asyncio.to_thread(self._companions.get, session.session_id)
        before = [message for group in context.context_messages.values() for message in group]
        turns = list(_turns([*before, *context.input_messages], companion.session))
        instructions = [str(getattr(agent, "instructions", None) or ""), *context.instructions]
        addition = await asyncio.to_thread(companion.show, turns, instructions)
        if addition:
            context.extend_instructions(self.source_id, str(addition))

    async def after_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Record what was said and answered."""
        companion = await asyncio.to_thread(self._companions.get, session.session_id)
        answers = [] if context.response is None else context.response.messages
        turns = list(_turns(context.input_messages, companion.session))
        await asyncio.to_thread(companion.keep, turns, all_new=True)
        for turn in _turns(answers, companion.session):
            await asyncio.to_thread(companion.add, turn)


def _turns(messages: Sequence[Message], session: str) -> Iterator[NewTurn]:
    for message in messages:
        calls = tuple(
            tool_call(content.name or "", content.arguments, content.call_id or "")
            for content in message.contents
            if content.type == "function_call"
        )
        results = tuple(
            ToolResult(str(content.result), content.call_id or "", content.exception is not None)
            for content in message.contents
            if content.type == "function_result"
        )
        role = str(getattr(message.role, "value", message.role))
        if results:
            yield NewTurn(session, "tool", "", tool_results=results)
        elif role == "user" and message.text:
            yield NewTurn(session, "user", message.text)
        elif role == "assistant" and (message.text or calls):
            yield NewTurn(session, "assistant", message.text, tool_calls=calls)
