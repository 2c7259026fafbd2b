"""CrewAI's memory over a mind: no model call, no embedder and no store of its own is needed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from crewai.memory.types import MemoryMatch, MemoryRecord
from crewai.memory.unified_memory import Memory
from pydantic import PrivateAttr

from mnemic.engine.mind import Mind
from mnemic.errors import InvalidInput
from mnemic.integrations.companion import AnyMemory, mind_of, recall_evidence
from mnemic.types import Evidence, NewTurn
from mnemic.types import Memory as Known

_TASK, _RESULT = "Task: ", "\nResult: "


class _NoStorage:
    """Stands where CrewAI keeps vectors; nothing of it is called."""


class CrewMemory(Memory):
    """``Crew(agents=..., tasks=..., memory=CrewMemory(mind, "crew-1"))``."""

    _mind: Mind = PrivateAttr()
    _session: str = PrivateAttr()

    def __init__(self, memory: AnyMemory, session: str, *, user: str | None = None) -> None:
        super().__init__(storage=_NoStorage())
        self._mind = mind_of(memory, user)
        self._session = session

    def extract_memories(self, content: str) -> list[str]:
        """Record a task and its result; what they teach is learned in the background."""
        task, separator, result = content.partition(_RESULT)
        turns = [NewTurn(self._session, "user", task.removeprefix(_TASK).partition("\nAgent: ")[0])]
        if separator:
            turns.append(NewTurn(self._session, "assistant", result))
        self._mind.record_many(turns)
        return []

    def remember(  # noqa: PLR0917 - as CrewAI calls it
        self,
        content: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
    ) -> MemoryRecord | None:
        decision = self._mind.remember(
            content,
            kind="fact",
            tags=categories or (),
            metadata=metadata or {},
            importance=importance,
            trust="agent",
        )
        return None if decision.memory is None else _record(decision.memory)

    def remember_many(self, contents: list[str], *args: Any, **kwargs: Any) -> list[MemoryRecord]:
        records = [self.remember(content, *args, **kwargs) for content in contents]
        return [record for record in records if record is not None]

    def recall(  # noqa: PLR0917 - as CrewAI calls it
        self,
        query: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        depth: Literal["shallow", "deep"] = "deep",
        source: str | None = None,
        include_private: bool = False,
    ) -> list[MemoryMatch]:
        return [_match(evidence) for evidence in recall_evidence(self._mind, query, limit)]

    def forget(
        self,
        scope: str | None = None,
        categories: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
        record_ids: list[str] | None = None,
    ) -> int:
        """Forget records by id, or what was said before a time, for good."""
        if scope or categories or metadata_filter or not (record_ids or older_than):
            raise InvalidInput(
                "Records are forgotten by their ids or by time",
                remedy="Pass record_ids= or older_than=, or use mind.forget()",
            )
        receipts = [self._mind.forget(id=id_) for id_ in record_ids or ()]
        if older_than is not None:
            receipts.append(self._mind.forget(until=older_than))
        return sum(sum(receipt.counts.values()) for receipt in receipts)

    def update(self, record_id: str, content: str | None = None, **changes: Any) -> MemoryRecord:
        return _record(self._mind.edit(record_id, text=content or self._mind.get(record_id).text))

    def list_records(
        self, scope: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        return [_record(memory) for memory in self._mind.memories(limit=limit, offset=offset)]

    def reset(self, scope: str | None = None) -> None:
        raise InvalidInput(
            "A crew does not erase the memory of a person",
            remedy="Use mind.forget(), which says what goes",
        )

    def drain_writes(self) -> None:
        """Everything is written when a call returns."""

    def close(self) -> None:
        """End the conversation; whoever opened the mind closes it."""
        self._mind.end_session(self._session)


def _record(memory: Known) -> MemoryRecord:
    return MemoryRecord(
        id=memory.id,
        content=memory.text,
        categories=list(memory.tags),
        importance=memory.importance,
        created_at=memory.created_at,
        last_accessed=memory.last_accessed_at,
    )


def _match(evidence: Evidence) -> MemoryMatch:
    hit = evidence.hit
    record = MemoryRecord(id=hit.id, content=evidence.text, created_at=hit.at, last_accessed=hit.at)
    return MemoryMatch(record=record, score=hit.score, match_reasons=list(hit.why.routes))
