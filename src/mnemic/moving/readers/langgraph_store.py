"""LangGraph's store: items as search() gives them, or the SQLite file of its own store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from mnemic.moving.json_records import parse_json
from mnemic.moving.memory_fields import check_text, read_moment, short_name, small_metadata
from mnemic.moving.pieces import Piece, Record
from mnemic.moving.record_reader import RecordReader
from mnemic.record.messages import UnreadableMessage, describe, read_object, read_text
from mnemic.types import NewMemory

_TEXTS = ("content", "memory", "text", "data", "fact", "value")  # where people put what they keep
_TRIPLE = ("subject", "predicate", "object")
_KINDS = {"preference": "preference", "rule": "rule", "episode": "event", "event": "event"}


class LangGraphStoreReader(RecordReader):
    """Items that an agent put, so what a model or a program wrote; LangMem's among them."""

    formats = ("langgraph",)
    lists = ("items", "results")
    table = "store"
    columns = frozenset({"prefix", "key", "value"})

    def knows(self, fields: Mapping[str, Any]) -> bool:
        return fields.keys() >= {"namespace", "key", "value"}

    def pieces(self, record: Record) -> Iterator[Piece]:
        fields = read_object(record.value, "an item")
        namespace, key = _read_namespace(fields), read_text(fields, "key")
        stored = fields.get("value")
        if "prefix" in fields:  # a row of its own file
            stored = stored.encode() if isinstance(stored, str) else stored
            try:
                stored = parse_json(stored) if isinstance(stored, bytes) else stored
            except ValueError as error:
                raise UnreadableMessage(str(error)) from error
        memory = _read_memory(fields, namespace, stored)
        yield Piece(record.place, memory, key="\x1f".join((*namespace, key)))


def _read_namespace(fields: Mapping[str, Any]) -> list[str]:
    prefix = fields["prefix"].split(".") if isinstance(fields.get("prefix"), str) else None
    namespace = prefix or fields.get("namespace") or []
    if not isinstance(namespace, list) or not all(isinstance(name, str) for name in namespace):
        raise UnreadableMessage(f"namespace is {describe(namespace)}, not a list of texts")
    return namespace


def _read_memory(fields: Mapping[str, Any], namespace: list[str], stored: Any) -> NewMemory:
    content, kind = stored, ""
    if isinstance(stored, dict) and stored.keys() == {"kind", "content"}:  # as LangMem writes it
        content, kind = stored["content"], short_name(stored["kind"])
    inner = content if isinstance(content, dict) else {}
    subject, predicate, value = (short_name(inner.get(name)) for name in _TRIPLE)
    words = kind.casefold() or short_name(inner.get("type")).casefold()
    text = " ".join((subject, predicate, value)) if value else _read_content(content)
    if not text.strip():
        raise UnreadableMessage("it says nothing")
    return NewMemory(
        check_text(text.strip()),
        next((name for word, name in _KINDS.items() if word in words), "fact"),
        subject=subject if value else "",
        predicate=predicate if value else "",
        value=value,
        topic=short_name(namespace[0]) if namespace else None,
        metadata=small_metadata(
            {
                "namespace": "/".join(namespace),
                "key": fields.get("key"),
                "kind": kind,
                "updated_at": fields.get("updated_at"),
                **_beside(inner),
            }
        ),
        trust="agent",
        learned_at=read_moment(fields, "created_at"),
        expires_at=read_moment(fields, "expires_at"),
    )


def _beside(content: Mapping[str, Any]) -> dict[str, Any]:
    """What an object has beside its text; nothing where its fields are the text."""
    if content.keys().isdisjoint(_TEXTS) and "object" not in content:
        return {}
    return {name: content[name] for name in content if name not in (*_TEXTS, *_TRIPLE)}


def _read_content(content: Any) -> str:
    """The text of an item; of an object without one, its fields, line by line."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        for name in _TEXTS:
            if isinstance(content.get(name), str):
                return str(content[name])
        return "\n".join(
            f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
            for key, value in content.items()
            if value not in (None, "", [], {})
        )
    return "" if content is None else json.dumps(content, ensure_ascii=False)


READER = LangGraphStoreReader()
