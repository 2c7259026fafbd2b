"""Mnemic with mem0's calls: change one import, keep the rest of the program.

    from mnemic.compat.mem0 import Memory  # was: from mem0 import Memory

A ``user_id`` (or an ``agent_id`` or ``run_id`` alone) is a space, so one person never sees the rows
of another. With a ``user_id``, ``run_id`` names the conversation and ``agent_id`` is metadata.
``who`` are these ids, as keywords or in ``filters``; other options of mem0 are not read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from mnemic.engine.mind import Mind
from mnemic.engine.open import connect
from mnemic.errors import InvalidInput, NotFound
from mnemic.record.messages import UnreadableMessage, read_message
from mnemic.types import Hit
from mnemic.types import Memory as StoredMemory

_IDS = ("user_id", "agent_id", "run_id")
_EVENTS = {"new": "ADD", "update": "UPDATE", "conflict": "UPDATE", "pending": "ADD"}
_ALL = 1_000
Answer = dict[str, Any]


class Memory:
    """The memories of many people in one database, with the calls of ``mem0.Memory``."""

    def __init__(
        self, config: Any = None, *, target: str | os.PathLike[str] | None = None, **options: Any
    ) -> None:
        """``target`` and further options are those of ``mnemic.connect``. A configuration of mem0
        names models and vector stores that have no part in this; it is not read.
        """
        self._engine = connect(target, **{"worker": "none", **options})

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any], **options: Any) -> Memory:
        """As mem0 has it; see ``__init__``."""
        return cls(config_dict, **options)

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
        **who: Any,
    ) -> Answer:
        """Record messages and learn from them at once; without ``infer`` keep each as it is."""
        mind, notes = self._place(who)
        notes = {**notes, **(metadata or {})}
        listed = [messages] if isinstance(messages, str | Mapping) else list(messages)
        spoken = [
            {"role": "user", "content": one} if isinstance(one, str) else one for one in listed
        ]
        if not infer:
            texts = [str(one.get("content", "")) for one in spoken if one.get("role") != "system"]
            kept = [mind.remember(text, metadata=notes) for text in texts if text.strip()]
            return {
                "results": [
                    {"id": one.id, "memory": one.memory.text, "event": _EVENTS[one.outcome]}
                    for one in kept
                    if one.memory is not None and one.outcome in _EVENTS
                ]
            }
        begun, session = datetime.now(UTC), mind.session(who.get("run_id")).id
        for one in spoken:
            try:
                turn = read_message(one, session)
            except UnreadableMessage as error:
                remedy = 'Pass text, or messages such as {"role": "user", "content": "…"}'
                raise InvalidInput(str(error), remedy=remedy) from error
            mind.record(
                session=session, role=turn.role, text=turn.text, sender=turn.sender,
                tool_calls=turn.tool_calls, tool_results=turn.tool_results, metadata=notes,
            )  # fmt: skip
        mind.drain()
        learned = mind.memories(since=begun, limit=_ALL)
        return {"results": [{"id": one.id, "memory": one.text, "event": self._event(mind, one)}
                            for one in reversed(learned)]}  # fmt: skip

    def search(
        self,
        query: str,
        *,
        limit: int = 20,
        top_k: int | None = None,
        threshold: float | None = None,
        **who: Any,
    ) -> Answer:
        """Memories, and what was said word for word, best first; ``score`` is a probability."""
        mind, notes = self._place(who)
        hits = mind.recall(
            query, limit=top_k or limit, min_score=threshold, of=("memory", "turn"),
            metadata=notes or None,
        )  # fmt: skip
        return {"results": [_describe_hit(mind, hit) for hit in hits]}

    def get(self, memory_id: str) -> Answer | None:
        """One memory; None where there is none."""
        try:
            mind, memory = self._find(memory_id)
        except NotFound:
            return None
        return _describe(mind, memory)

    def get_all(self, *, limit: int = 100, top_k: int | None = None, **who: Any) -> Answer:
        """What is currently true, the latest first."""
        mind, notes = self._place(who)
        listed = mind.memories(metadata=notes or None, limit=top_k or limit)
        return {"results": [_describe(mind, memory) for memory in listed]}

    def update(self, memory_id: str, data: str, **_: Any) -> Answer:
        """Another text; the old one stays in the history."""
        mind, _memory = self._find(memory_id)
        mind.edit(memory_id, text=data)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Answer:
        """Remove a memory with all its versions."""
        self._find(memory_id)[0].delete(memory_id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, user_id: str | None = None, **who: Any) -> Answer:
        """Remove a person for good, with all that was said; with an ``agent_id`` or ``run_id``
        beside them only what belongs to that.
        """
        run = who.get("run_id") if user_id else None
        mind, notes = self._place({"user_id": user_id, **who})
        if run:
            mind.forget(session=run)
        elif not notes and mind.space in self._engine.spaces():
            self._engine.forget_space(mind.space)
        while notes and (listed := mind.memories(status="all", metadata=notes, limit=100)):
            for memory in listed:
                mind.delete(memory.id)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Answer]:
        """Every version, oldest first, as a list of changes."""
        mind, _memory = self._find(memory_id)
        before, changes = None, list[Answer]()
        for version in mind.history(memory_id).versions:
            changes.append({
                "id": version.id, "memory_id": memory_id, "old_memory": before,
                "new_memory": version.text, "event": "UPDATE" if before else "ADD",
                "created_at": version.created_at.isoformat(), "is_deleted": False,
            })  # fmt: skip
            before = version.text
        return changes

    def close(self) -> None:
        """Close the database."""
        self._engine.close()

    def _place(self, who: Mapping[str, Any]) -> tuple[Mind, dict[str, Any]]:
        """Whose memory it is, and the metadata to look for; mem0 takes ids in ``filters``, too."""
        notes = dict(who.get("filters") or {})
        ids = {name: notes.pop(name, None) or who.get(name) for name in _IDS}
        named = [(name, str(value)) for name, value in ids.items() if value]
        if not named:
            raise InvalidInput(
                "Nobody is named", remedy="Pass user_id, agent_id or run_id, or one in filters"
            )
        (name, value), others = named[0], dict(named[1:])
        if name == "user_id":
            others.pop("run_id", None)  # it names the conversation
        space = value if name == "user_id" else f"{name.removesuffix('_id')}:{value}"
        return self._engine.mind(space), {**notes, **others}

    def _find(self, id_: str) -> tuple[Mind, StoredMemory]:
        for space in self._engine.spaces():
            mind = self._engine.mind(space)
            try:
                return mind, mind.get(id_)
            except NotFound:
                continue
        raise NotFound(f"No memory {id_}", remedy="Give an id that add, search or get_all returned")

    def _event(self, mind: Mind, memory: StoredMemory) -> str:
        return "ADD" if len(mind.history(memory.id).versions) == 1 else "UPDATE"


def _describe(mind: Mind, memory: StoredMemory) -> Answer:
    return {**_describe_row(mind, memory, memory.created_at),
            "updated_at": memory.updated_at.isoformat()}  # fmt: skip


def _describe_hit(mind: Mind, hit: Hit) -> Answer:
    return {**_describe_row(mind, hit, hit.at), "score": hit.score}


def _describe_row(mind: Mind, row: StoredMemory | Hit, at: datetime) -> Answer:
    return {
        "id": row.id,
        "memory": row.text,
        "metadata": dict(row.metadata),
        "created_at": at.isoformat(),
        "user_id": mind.space,
    }
