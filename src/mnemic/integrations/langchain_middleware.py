"""A middleware for LangChain's ``create_agent``: evidence before each call of the model, recording
around it. The evidence never enters the agent's own state.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import SystemMessage
from langgraph.config import get_config

from mnemic.errors import InvalidInput
from mnemic.integrations.companion import AnyMemory, Companion, Companions
from mnemic.integrations.dialects.langchain_messages import inject, turns_of


class MemoryMiddleware(AgentMiddleware[Any, Any]):
    """``create_agent(model, middleware=[MemoryMiddleware(mind)])``.

    The thread of a run is its session, or ``session`` where it has none; over a database of many
    the ``user_id`` of its config says whose memory it is, or ``user``.
    """

    def __init__(
        self,
        memory: AnyMemory,
        *,
        session: str | None = None,
        user: str | None = None,
        budget: int | None = None,
    ) -> None:
        super().__init__()
        self._session = session
        self._companions = Companions(memory, "langchain", user, budget, Companion)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any]
    ) -> Any:
        companion = self._companion()
        response = handler(_before(companion, request))
        _after(companion, response)
        return response

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Any]]
    ) -> Any:
        companion = await asyncio.to_thread(self._companion)
        response = await handler(await asyncio.to_thread(_before, companion, request))
        await asyncio.to_thread(_after, companion, response)
        return response

    def _companion(self) -> Companion:
        configured = get_config().get("configurable", {})
        session = self._session or configured.get("thread_id")
        if not session:
            raise InvalidInput(
                "The run has no thread, so nobody knows which conversation it is",
                remedy='Pass config={"configurable": {"thread_id": "…"}}, or session="…"',
            )
        return self._companions.get(str(session), configured.get("user_id"))


def _before(companion: Companion, request: ModelRequest[Any]) -> ModelRequest[Any]:
    prefix = [] if request.system_message is None else [request.system_message]
    messages = inject([*prefix, *request.messages], companion)
    companion.keep(turns_of(request.messages, companion.session))
    system = [message for message in messages[:1] if isinstance(message, SystemMessage)]
    return request.override(
        messages=messages[len(system) :], system_message=system[0] if system else None
    )


def _after(companion: Companion, response: object) -> None:
    answers = response.result if isinstance(response, ModelResponse) else [response]
    for turn in turns_of(answers, companion.session):
        companion.add(turn)
