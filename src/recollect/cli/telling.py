"""What happened to a memory, as a person would say it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from recollect.cli.output import when
from recollect.types import Event, Json


def told(event: Event, names: Mapping[str, str]) -> str:
    """A few words on an event of a memory; ``names`` are what its versions are called."""
    payload = event.payload
    match event.type:
        case "write":
            before = _name(payload.get("supersedes"), names)
            return f"was written as {payload.get('kind')}" + (f", after {before}" if before else "")
        case "supersede":
            return f"was replaced by {_name(payload.get('by'), names)}"
        case "repeat":
            return "was said again"
        case "pending":
            return f"waits for the user's word{_because(payload)}"
        case "confirm":
            return "was confirmed by the user"
        case "reject":
            return f"was not kept: {_rejected(payload, names)}"
        case "later":
            return f"was put off until {_moment(payload.get('until'))}"
        case "archive":
            return f"was put away: {payload.get('reason')}"
        case "withdraw":
            return "was withdrawn by the user"
        case "withdrawn":
            return "no longer holds"
        case "conflict":
            return f"won against another statement{_because(payload)}"
        case "trust":
            return f"is now trusted as said by {payload.get('to')}, before by {payload.get('from')}"
        case "memory.write.important":
            return f"was announced as important ({payload.get('importance')})"
        case "restore":
            return f"holds again: {payload.get('reason')}"
        case "revise":
            return f"lost what one source had added: {payload.get('reason')}"
        case other:
            return other


def _name(id_: Json, names: Mapping[str, str]) -> str:
    return names.get(str(id_), str(id_)) if id_ else ""


def _because(payload: Mapping[str, Json]) -> str:
    settled = payload.get("settled")
    reason = settled.get("reason") if isinstance(settled, dict) else ""
    return f": {reason}" if reason else ""


def _rejected(payload: Mapping[str, Json], names: Mapping[str, str]) -> str:
    by = payload.get("by")
    return "the user did not want it" if by == "user" else f"{_name(by, names)} is stronger"


def _moment(text: Json) -> str:
    return when(datetime.fromisoformat(str(text)))
