"""The JSON Schema of each tool's structured answer; a preset adds words of its document."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
_COUNTS: Schema = {"type": "object", "additionalProperties": COUNT}


def fields(**properties: Schema) -> Schema:
    """An object with at least these fields."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def list_of(entry: Schema) -> Schema:
    return {"type": "array", "items": entry}


def page(entry: Schema, **more: Schema) -> Schema:
    """A list that may go on at ``next_offset``; ``left_out`` entries did not fit in."""
    following = {"type": ["integer", "null"], "minimum": 0}
    return fields(results=list_of(entry), left_out=COUNT, next_offset=following, **more)


MEMORY = fields(id=TEXT, text=TEXT, kind=TEXT, status=TEXT, trust=TEXT)
FOUND = page(fields(type=TEXT, id=TEXT, text=TEXT, at=TEXT))
TRACES = page({"type": "object"}, source=TEXT, unreadable=COUNT)
MEMORIES = page(MEMORY)
PENDING = page(MEMORY, waiting=COUNT)
_OUTCOME = fields(decision=TEXT, reason=TEXT, replaced=list_of(TEXT))
DECISION: Schema = {**_OUTCOME, "properties": {**MEMORY["properties"], **_OUTCOME["properties"]}}
RECORDED = fields(session=TEXT, ids=list_of(TEXT), ended=FLAG)
PUT_OFF = fields(**MEMORY["properties"], until=TEXT)
FORGOTTEN = page(
    fields(type=TEXT, id=TEXT, change=TEXT, reason=TEXT, text=TEXT),
    done=FLAG,
    confirm=TEXT,
    counts=_COUNTS,
    receipt=TEXT,
)
STATS = fields(
    memories=COUNT, waiting=COUNT, episodes=COUNT, attachments=COUNT, turns=COUNT, sessions=COUNT
)
SCRATCHPAD = fields(text=TEXT, updated_at=TEXT)
