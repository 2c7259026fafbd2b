"""A memory store for Strands agents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from strands.memory import MemoryEntry
from strands.memory.types import AddMessagesContext, MemoryStore, SearchOptions
from strands.types.content import Message

from mnemic.integrations.companion import AnyMemory, Companion, mind_of, recall_evidence, tool_call
from mnemic.types import NewTurn, Role, ToolResult

_FOUND = 5


class StrandsMemoryStore(MemoryStore):
    """``Agent(memory_manager=MemoryManager(stores=[StrandsMemoryStore(mind, "chat-1")]))``."""

    writable = True
    description = "What is known about this user from earlier conversations."

    def __init__(
        self, memory: AnyMemory, session: str, *, user: str | None = None, name: str = "mnemic"
    ) -> None:
        self.name = name
        self.max_search_results: int | None = _FOUND
        self.extraction = True
        self._mind = mind_of(memory, user)
        self._companion = Companion(self._mind, session, host="strands")

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        limit = (options or {}).get("max_search_results") or self.max_search_results or _FOUND
        pieces = await asyncio.to_thread(recall_evidence, self._mind, query, limit)
        return [
            MemoryEntry(entry.text, metadata={"id": entry.hit.id, "score": entry.hit.score})
            for entry in pieces
        ]

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> Any:
        """Keep what the agent itself wants kept."""
        return await asyncio.to_thread(self._mind.remember, content, kind="fact", trust="agent")

    async def add_messages(
        self, messages: list[Message], context: AddMessagesContext | None = None
    ) -> Any:
        """Record messages; a batch that is given again adds nothing."""
        turns = [turn for message in messages for turn in _turns(message, self._companion.session)]
        await asyncio.to_thread(self._companion.keep, turns)


def _turns(message: Message, session: str) -> Iterator[NewTurn]:
    blocks = message["content"]
    text = "\n".join(block["text"] for block in blocks if "text" in block)
    results = tuple(
        ToolResult(
            "\n".join(str(entry.get("text", entry)) for entry in result["content"]),
            result["toolUseId"],
            result.get("status") == "error",
        )
        for block in blocks
        if (result := block.get("toolResult"))
    )
    calls = tuple(
        tool_call(call["name"], call["input"], call["toolUseId"])
        for block in blocks
        if (call := block.get("toolUse"))
    )
    if results:
        yield NewTurn(session, "tool", "", tool_results=results)
    if text or calls:
        role: Role = "user" if message["role"] == "user" else "assistant"
        yield NewTurn(session, role, text, tool_calls=calls)
