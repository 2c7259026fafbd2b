"""A LangGraph store over the memories of a mind.

The namespace ("memories",) holds what the mind itself has learnt. Any other is a project of its
own, whose items are memories too, with dates and history. Deleting an item forgets it for good.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from recollect.integrations.companion import AnyMind, mind_of
from recollect.types import KINDS, Kind, Memory

LEARNT = ("memories",)
_GLOBAL = "_global"
_PREFIX = "store:"
_TAG = "langgraph"
_MAX_ROWS = 1_000_000
_MAX_HITS = 1_000
_TEXT_KEYS = ("text", "content", "memory", "data")

Namespace = tuple[str, ...]


class GraphStore(BaseStore):
    """``graph.compile(store=GraphStore(mind))``."""

    __slots__ = ("_mind",)

    def __init__(self, mind: AnyMind) -> None:
        self._mind = mind_of(mind)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what is asked, in order."""
        return [self._do(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, with the disk in another thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _do(self, op: Op) -> Result:
        match op:
            case GetOp():
                memory = self._find(op.namespace, op.key)
                return None if memory is None else _item(memory, op.namespace)
            case PutOp():
                self._put(op)
                return None
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
        raise NotImplementedError(type(op).__name__)

    def _put(self, op: PutOp) -> None:
        old = self._find(op.namespace, op.key)
        if op.value is None:
            if old is not None:
                self._mind.forget(id=old.id)
            return
        value = json.dumps(op.value, ensure_ascii=False, sort_keys=True)
        self._mind.remember(
            _text(op.value) or value,
            kind=_kind(op.value),
            subject=op.key,  # two keys are two items, also with one text
            predicate=op.key,
            value=value,
            project=_project(op.namespace),
            tags=[_TAG],
            supersedes=None if old is None else old.id,
        )

    def _find(self, namespace: Namespace, key: str) -> Memory | None:
        memories = self._mind.memories(project=_project(namespace), limit=_MAX_ROWS)
        return next((memory for memory in memories if _key(memory) == key), None)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        end = op.offset + op.limit
        items: list[SearchItem] = []
        for namespace in self._under(op.namespace_prefix):
            items += self._recalled(namespace, op.query, end) if op.query else self._all(namespace)
        if op.query:
            items.sort(key=lambda item: item.score or 0, reverse=True)
        if op.filter:
            conditions = op.filter.items()
            items = [
                item
                for item in items
                if all(_meets(item.value.get(name), condition) for name, condition in conditions)
            ]
        return items[op.offset : end]

    def _all(self, namespace: Namespace) -> list[SearchItem]:
        memories = self._mind.memories(project=_project(namespace), limit=_MAX_ROWS)
        return [_search_item(memory, namespace, None) for memory in memories]

    def _recalled(self, namespace: Namespace, query: str, limit: int) -> list[SearchItem]:
        project = _project(namespace)
        hits = self._mind.recall(
            query, k=min(max(limit, 1), _MAX_HITS), of=("memory",), project=project
        )
        current = self._mind.memories(project=project, limit=_MAX_ROWS)
        memories: dict[str, Memory] = {memory.id: memory for memory in current}
        return [
            _search_item(memories[hit.id], namespace, hit.score)
            for hit in hits
            if hit.id in memories
        ]

    def _under(self, prefix: Namespace) -> Iterator[Namespace]:
        for namespace in self._all_namespaces():
            if namespace[: len(prefix)] == tuple(prefix):
                yield namespace

    def _all_namespaces(self) -> list[Namespace]:
        named = [
            tuple(project.removeprefix(_PREFIX).split("."))
            for project in self._mind.projects()
            if project.startswith(_PREFIX) and self._mind.memories(project=project, limit=1)
        ]
        learnt = [LEARNT] if self._mind.memories(project=_GLOBAL, limit=1) else []
        return sorted([*named, *learnt])

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        matching: dict[Namespace, None] = {}
        for namespace in self._all_namespaces():
            if all(_matches(one, namespace) for one in op.match_conditions or ()):
                matching[namespace[: op.max_depth]] = None
        return list(matching)[op.offset : op.offset + op.limit]


def _project(namespace: Namespace) -> str:
    """Labels have no dots, so joining them loses nothing."""
    return _GLOBAL if tuple(namespace) == LEARNT else _PREFIX + ".".join(namespace)


def _key(memory: Memory) -> str:
    """The key of an item; for learnt memories their id."""
    return memory.predicate if _TAG in memory.tags else memory.id


def _value(memory: Memory) -> dict[str, Any]:
    if _TAG in memory.tags:
        loaded = json.loads(memory.value)
        return loaded if isinstance(loaded, dict) else {"text": memory.content}
    return {"text": memory.content, "kind": memory.kind}


def _item(memory: Memory, namespace: Namespace) -> Item:
    return Item(
        value=_value(memory),
        key=_key(memory),
        namespace=tuple(namespace),
        created_at=memory.created_at,
        updated_at=memory.updated_at,
    )


def _search_item(memory: Memory, namespace: Namespace, score: float | None) -> SearchItem:
    return SearchItem(
        namespace=namespace,
        key=_key(memory),
        value=_value(memory),
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        score=score,
    )


def _text(value: Mapping[str, Any]) -> str:
    """The text of a value: its text field, or all of its fields."""
    for key in _TEXT_KEYS:
        if isinstance(value.get(key), str):
            return str(value[key]).strip()
    fields = [
        f"{key}: {item}" for key, item in value.items() if isinstance(item, str | int | float)
    ]
    return "; ".join(fields)


def _kind(value: Mapping[str, Any]) -> Kind:
    named = value.get("kind")
    return next((kind for kind in KINDS if kind == named and kind != "credential"), "fact")


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return all(pattern in ("*", label) for pattern, label in zip(path, part, strict=True))


def _meets(value: Any, condition: Any) -> bool:
    """Equality, or every operator of {"$gt": 1, …}."""
    if isinstance(condition, dict) and any(name.startswith("$") for name in condition):
        return all(_compare(value, name, other) for name, other in condition.items())
    return bool(value == condition)


def _compare(value: Any, operator: str, other: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool(value == other) is (operator == "$eq")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {operator}")
    if value is None:
        return False
    match operator:
        case "$gt":
            return float(value) > float(other)
        case "$gte":
            return float(value) >= float(other)
        case "$lt":
            return float(value) < float(other)
    return float(value) <= float(other)
