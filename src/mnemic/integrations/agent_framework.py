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
        before = [one for many in context.context_messages.values() for one in many]
        turns = list(_turns([*before, *context.input_messages], companion.session))
        own = [str(getattr(agent, "instructions", None) or ""), *context.instructions]
        addition = await asyncio.to_thread(companion.show, turns, own)
        if addition:
            context.extend_instructions(self.source_id, str(addition))

    async def after_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Record what was said and answered."""
        companion = await asyncio.to_thread(self._companions.get, session.session_id)
        answered = [] if context.response is None else context.response.messages
        asked = list(_turns(context.input_messages, companion.session))
        await asyncio.to_thread(companion.keep, asked, all_new=True)
        for turn in _turns(answered, companion.session):
            await asyncio.to_thread(companion.add, turn)


def _turns(messages: Sequence[Message], session: str) -> Iterator[NewTurn]:
    for message in messages:
        calls = tuple(
            tool_call(one.name or "", one.arguments, one.call_id or "")
            for one in message.contents
            if one.type == "function_call"
        )
        results = tuple(
            ToolResult(str(one.result), one.call_id or "", one.exception is not None)
            for one in message.contents
            if one.type == "function_result"
        )
        role = str(getattr(message.role, "value", message.role))
        if results:
            yield NewTurn(session, "tool", "", tool_results=results)
        elif role == "user" and message.text:
            yield NewTurn(session, "user", message.text)
        elif role == "assistant" and (message.text or calls):
            yield NewTurn(session, "assistant", message.text, tool_calls=calls)
