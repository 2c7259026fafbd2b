"""A memory block for LlamaIndex: what is known, beside the chat that it keeps itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock
from pydantic import PrivateAttr

from mnemic.integrations.companion import AnyMemory, Companion
from mnemic.types import NewTurn, Role

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}


class MnemicMemoryBlock(BaseMemoryBlock[str]):
    """``Memory.from_defaults(memory_blocks=[MnemicMemoryBlock(mind, "chat-1")])``."""

    _companion: Companion = PrivateAttr()

    def __init__(
        self,
        memory: AnyMemory,
        session: str,
        *,
        user: str | None = None,
        budget: int | None = None,
        name: str = "mnemic",
        priority: int = 0,
    ) -> None:
        super().__init__(name=name, priority=priority)
        self._companion = Companion(memory, session, host="llama-index", user=user, budget=budget)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """What is known about the latest message; the messages are recorded as they come by."""
        return await asyncio.to_thread(self._recall, messages or [])

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Messages that leave the chat; those that came by are recorded already."""
        await asyncio.to_thread(self._companion.keep, self._turns(messages))

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        return None  # what is left of evidence cut anywhere may say the opposite

    def _recall(self, messages: Sequence[ChatMessage]) -> str:
        turns = self._turns(messages)
        system = [
            str(message.content or "") for message in messages if message.role.value == "system"
        ]
        addition = self._companion.show(turns, system)
        self._companion.keep(turns)
        return str(addition)

    def _turns(self, messages: Sequence[ChatMessage]) -> list[NewTurn]:
        return [
            NewTurn(self._companion.session, role, str(message.content))
            for message in messages
            if (role := _ROLES.get(message.role.value)) is not None and message.content
        ]
