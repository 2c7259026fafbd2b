"""A memory service for Google's Agent Development Kit: an app's user is a space."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai.types import Content, Part

from mnemic.engine.mind import Mind
from mnemic.errors import InvalidInput
from mnemic.integrations.companion import AnyMemory, mind_of, recall_evidence, tool_call
from mnemic.types import Evidence, NewTurn, Role, ToolResult

_EVENT = "adk_event"  # in the metadata of a turn
_NO_SESSION = "events"
_PAGE = 10_000
_AUTHOR = "memory"


class AdkMemoryService(BaseMemoryService):
    """``Runner(..., memory_service=AdkMemoryService(mnemic.connect("all.db")))``.

    Given one Mind it serves the first user who comes, and refuses any other.
    """

    def __init__(self, memory: AnyMemory, *, limit: int = 10) -> None:
        self._memory = memory
        self._limit = limit
        self._served: tuple[str, str] | None = None

    async def add_session_to_memory(self, session: Session) -> None:
        """Record the events of a session that are new, and learn from it."""
        mind = self._mind(session.app_name, session.user_id)
        await asyncio.to_thread(_record, mind, session.id, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        mind = self._mind(app_name, user_id)
        await asyncio.to_thread(_record, mind, session_id or _NO_SESSION, events)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        mind = self._mind(app_name, user_id)
        for entry in memories:
            text = "\n".join(block.text for block in entry.content.parts or () if block.text)
            if text.strip():
                await asyncio.to_thread(mind.remember, text, kind="fact", trust="agent")

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        mind = self._mind(app_name, user_id)
        pieces = await asyncio.to_thread(recall_evidence, mind, query, self._limit)
        return SearchMemoryResponse(memories=[_entry(evidence) for evidence in pieces])

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Forget one record that a search gave, for good."""
        if memory_id:
            mind = self._mind(app_name, user_id)
            await asyncio.to_thread(mind.forget, id=memory_id)

    def _mind(self, app: str, user: str) -> Mind:
        try:
            return mind_of(self._memory, f"{app}:{user}")
        except InvalidInput:
            if self._served not in (None, (app, user)):
                raise
            self._served = (app, user)
            return mind_of(self._memory)


def _record(mind: Mind, session: str, events: Sequence[Event]) -> None:
    recorded = {turn.metadata.get(_EVENT) for turn in mind.turns(session=session, limit=_PAGE)}
    turns = [
        turn for event in events if event.id not in recorded for turn in _turns(event, session)
    ]
    if turns:
        mind.record_many(turns)
        mind.end_session(session)


def _turns(event: Event, session: str) -> Iterator[NewTurn]:
    parts = list(event.content.parts or ()) if event.content else []
    text = "\n".join(block.text for block in parts if block.text and not block.thought)
    calls = tuple(
        tool_call(call.name or "", call.args, call.id or "")
        for block in parts
        if (call := block.function_call) is not None
    )
    results = tuple(
        ToolResult(str(result.response), result.id or "")
        for block in parts
        if (result := block.function_response) is not None
    )
    at, metadata = datetime.fromtimestamp(event.timestamp, UTC), {_EVENT: event.id}
    if results:
        yield NewTurn(session, "tool", "", tool_results=results, at=at, metadata=metadata)
    if text or calls:
        role: Role = "user" if event.author == "user" else "assistant"
        sender = "" if role == "user" else event.author
        yield NewTurn(session, role, text, sender, tool_calls=calls, at=at, metadata=metadata)


def _entry(evidence: Evidence) -> MemoryEntry:
    """Without a role: nobody of this conversation said it. Its date and speaker are in its text."""
    return MemoryEntry(
        content=Content(parts=[Part(text=evidence.text)]),
        id=evidence.hit.id,
        author=_AUTHOR,
        custom_metadata={"score": evidence.hit.score},
    )
