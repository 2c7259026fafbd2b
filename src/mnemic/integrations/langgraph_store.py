"""A LangGraph store: what the mind has learned, and the graph's own items beside it.

The namespace ("memories",) is what the mind knows: a search gives it as evidence, fenced as data
with its date and speaker. Items of any other namespace are kept as they were put, with the versions
before them; they are found through the store only, so that no prompt shows one tenant what
another's namespace holds. Deleting an item forgets it for good.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import operator as order
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
)

from mnemic.errors import NotFound
from mnemic.integrations.companion import AnyMind, mind_of
from mnemic.types import KINDS, Hit, Kind, Memory, MemoryStatus, Why

LEARNED = ("memories",)
_GLOBAL = "_global"
_PREFIX = "store:"
_TAG = "langgraph"  # of what the store itself has put among what is known
_KEY = "store_key"
_MAX_ROWS = 1_000_000
_MAX_HITS = 1_000
_TEXT_KEYS = ("text", "content", "memory", "data")
_MARKED = re.compile(r"[%.\s]|[^\x20-\x7e\w]")  # of a label, what a name may not hold as it is
_LONGEST_KEY = 200
_ORDER = {"$gt": order.gt, "$gte": order.ge, "$lt": order.lt, "$lte": order.le}

Namespace = tuple[str, ...]


class GraphStore(BaseStore):
    """``graph.compile(store=GraphStore(mind))``.

    ``fields`` are the paths of a value that it is found by, unless a put names others.
    """

    __slots__ = ("_fields", "_mind")

    def __init__(self, mind: AnyMind, *, fields: Sequence[str] | None = None) -> None:
        self._mind = mind_of(mind)
        self._fields = fields

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what is asked: of several puts under one key the last counts, as in other stores."""
        listed = list(ops)
        for op in listed:
            _check_labels(op)
        last = {(op.namespace, op.key): op for op in listed if isinstance(op, PutOp)}
        results = [None if isinstance(op, PutOp) else self._read(op) for op in listed]
        for op in last.values():
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, with the disk in another thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                memory = self._find(op.namespace, op.key)
                return None if memory is None else _item(memory, op.namespace)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
        raise NotImplementedError(type(op).__name__)

    def _put(self, op: PutOp) -> None:
        if op.value is None:
            old = self._find(op.namespace, op.key)
            if old is not None:
                with contextlib.suppress(NotFound):  # somebody else deleted it meanwhile
                    self._mind.delete(old.id)
        elif _is_learned(op.namespace):
            self._remember(op.key, op.value)
        else:
            kept: dict[str, Any] = {"key": op.key, "value": op.value}
            text = "" if op.index is False else _text(op.value, op.index or self._fields)
            self._mind.put_item(_project(op.namespace), _topic(op.key), kept, text=text)

    def _remember(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep a statement among what is known; its key is the host's own."""
        written = json.dumps(value, ensure_ascii=False)
        while True:
            previous = self._find(LEARNED, key)
            try:
                self._mind.remember(
                    _text(value, None) or written,
                    kind=_kind(value),
                    value=written,
                    tags=[_TAG],
                    metadata={_KEY: key},
                    supersedes=None if previous is None else previous.id,
                )
            except NotFound:  # somebody else has put the next version first
                continue
            return

    def _find(self, namespace: Namespace, key: str) -> Memory | None:
        if _is_learned(namespace):
            named = self._mind.memories(project=_GLOBAL, tag=_TAG, metadata={_KEY: key}, limit=1)
            if named:
                return named[0]
            try:
                memory = self._mind.get(key)
            except NotFound:
                return None
            return memory if memory.status == "active" and memory.project == _GLOBAL else None
        memories = self._mind.memories(
            status="item", project=_project(namespace), topic=_topic(key), limit=1
        )
        return memories[0] if memories else None

    def _search(self, op: SearchOp) -> list[SearchItem]:
        rows: list[tuple[Memory, Namespace, float | None]] = []
        prefix = tuple(op.namespace_prefix)
        for namespace in self._all_namespaces():
            if namespace[: len(prefix)] != prefix:
                continue
            memories = self._all(namespace, op.filter)
            scores = self._scores(namespace, op.query, memories) if op.query and memories else {}
            rows += [(memory, namespace, scores.get(memory.id)) for memory in memories]
        # What the query does not find comes after what it finds, and what it cannot find last.
        rows.sort(
            key=lambda row: (-1.0 if row[2] is None else row[2], row[0].updated_at), reverse=True
        )
        page = rows[op.offset : op.offset + op.limit]
        learned = [_hit(memory, score) for memory, _, score in page if not _is_own(memory)]
        texts = {entry.hit.id: entry.text for entry in self._mind.evidence(op.query or "", learned)}
        return [
            _search_item(memory, namespace, score, texts.get(memory.id))
            for memory, namespace, score in page
            if _is_own(memory) or memory.id in texts
        ]

    def _all(self, namespace: Namespace, filter_: Mapping[str, Any] | None) -> list[Memory]:
        status: MemoryStatus = "active" if _is_learned(namespace) else "item"
        memories = self._mind.memories(status=status, project=_project(namespace), limit=_MAX_ROWS)
        return [memory for memory in memories if _has(_read_kept(memory)[1], filter_)]

    def _scores(
        self, namespace: Namespace, query: str, memories: Sequence[Memory]
    ) -> dict[str, float]:
        """Every memory that has a text, with its score."""
        hits = self._mind.recall(
            query,
            limit=_MAX_HITS,
            min_score=0.0,
            of=("memory",),
            project=_project(namespace),
            status="active" if _is_learned(namespace) else "item",
        )
        scores = {hit.id: hit.score for hit in hits}
        return {memory.id: scores.get(memory.id, 0.0) for memory in memories if memory.text}

    def _all_namespaces(self) -> list[Namespace]:
        projects = self._mind.projects(status="item")
        named = [_namespace(project) for project in projects if project.startswith(_PREFIX)]
        learned = [LEARNED] if self._mind.memories(project=_GLOBAL, limit=1) else []
        return sorted([*named, *learned])

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        matching: dict[Namespace, None] = {}
        for namespace in self._all_namespaces():
            if all(_matches(condition, namespace) for condition in op.match_conditions or ()):
                matching[namespace[: op.max_depth]] = None
        return list(matching)[op.offset : op.offset + op.limit]


def _check_labels(op: Op) -> None:
    """Refuse what LangGraph's own stores refuse, also where it comes past their public methods."""
    paths: list[tuple[object, ...]]
    match op:
        case GetOp() | PutOp():
            paths = [op.namespace]
        case SearchOp():
            paths = [op.namespace_prefix]
        case ListNamespacesOp():
            paths = [tuple(condition.path) for condition in op.match_conditions or ()]
    for label in (label for path in paths for label in path):
        if not isinstance(label, str) or not label or "." in label:
            raise InvalidNamespaceError(
                f"Invalid namespace label {label!r}: a label is text without dots"
            )


def _is_learned(namespace: Sequence[str]) -> bool:
    return tuple(namespace) == LEARNED


def _project(namespace: Namespace) -> str:
    return _GLOBAL if _is_learned(namespace) else _PREFIX + ".".join(map(_escape, namespace))


def _namespace(project: str) -> Namespace:
    return tuple(unquote(label) for label in project.removeprefix(_PREFIX).split("."))


def _escape(label: str) -> str:
    return _MARKED.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), str(label)
    )


def _topic(key: str) -> str:
    """A key as a name that says the same and nothing else; the key itself is in the value."""
    escaped = _escape(key)
    if len(escaped) <= _LONGEST_KEY:
        return f"key:{escaped}"
    from hashlib import blake2b

    return f"digest:{blake2b(key.encode(), digest_size=32).hexdigest()}"


def _read_kept(memory: Memory) -> tuple[str, dict[str, Any]]:
    """The key and the value of an item; of what is known the id and the text."""
    if memory.status == "item":
        loaded = json.loads(memory.value)
        return loaded["key"], loaded["value"]
    if _is_own(memory):
        return str(memory.metadata.get(_KEY, memory.predicate)), json.loads(memory.value)
    return memory.id, {"text": memory.text, "kind": memory.kind}


def _is_own(memory: Memory) -> bool:
    """Whether the graph itself has put it, with its own key and value."""
    return memory.status == "item" or (_TAG in memory.tags and bool(memory.value))


def _hit(memory: Memory, score: float | None) -> Hit:
    """What the mind has learned, as a hit of a search; one without a query finds everything."""
    return Hit(
        "memory",
        memory.id,
        memory.text,
        1.0 if score is None else score,
        Why((), {}),
        memory.sources,
        memory.created_at,
        kind=memory.kind,
        trust=memory.trust,
        valid_from=memory.valid_from,
    )


def _item(memory: Memory, namespace: Namespace) -> Item:
    key, value = _read_kept(memory)
    return Item(
        value=value,
        key=key,
        namespace=tuple(namespace),
        created_at=memory.created_at,
        updated_at=memory.updated_at,
    )


def _search_item(
    memory: Memory, namespace: Namespace, score: float | None, text: str | None
) -> SearchItem:
    """``text`` is that of what the mind has learned, as evidence."""
    item = _item(memory, namespace)
    value = item.value if text is None else {**item.value, "text": text}
    return SearchItem(
        item.namespace, item.key, value, item.created_at, item.updated_at, score=score
    )


def _text(value: Mapping[str, Any], paths: Sequence[str] | None) -> str:
    """What an item is found by: the fields that are named, its text field, or all of its fields."""
    if paths is not None:
        texts = [text for path in paths for text in get_text_at_path(value, tokenize_path(path))]
        return "\n".join(texts)
    for key in _TEXT_KEYS:
        if isinstance(value.get(key), str):
            return str(value[key]).strip()
    return "\n".join(get_text_at_path(value, "$"))


def _kind(value: Mapping[str, Any]) -> Kind:
    named = value.get("kind")
    return next((kind for kind in KINDS if kind == named and kind != "credential"), "fact")


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    labels = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return all(pattern in ("*", label) for pattern, label in zip(path, labels, strict=True))


def _has(value: Mapping[str, Any], filter_: Mapping[str, Any] | None) -> bool:
    return all(_meets(_at(value, name), condition) for name, condition in (filter_ or {}).items())


def _at(value: Any, path: str) -> Any:
    """A field of a value, by its name or by a path of names with dots between them."""
    if not isinstance(value, Mapping) or path in value:
        return value.get(path) if isinstance(value, Mapping) else None
    first, _, rest = path.partition(".")
    return _at(value.get(first), rest) if rest else None


def _meets(value: Any, condition: Any) -> bool:
    """Equality, part by part of nested values, or every operator of {"$gt": 1, …}."""
    if isinstance(condition, dict):
        if any(name.startswith("$") for name in condition):
            return all(_compare(value, name, other) for name, other in condition.items())
        return isinstance(value, dict) and _has(value, condition)
    if isinstance(condition, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(condition)
            and all(map(_meets, value, condition))
        )
    return bool(value == condition)


def _compare(value: Any, operator: str, other: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool(value == other) is (operator == "$eq")
    if operator not in _ORDER:
        raise ValueError(f"Unsupported operator: {operator}")
    return value is not None and _ORDER[operator](float(value), float(other))
