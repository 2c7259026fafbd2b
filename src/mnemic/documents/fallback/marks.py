"""Marks: metadata of an entry as JSON in a Markdown comment, which readers do not show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

_OPEN, _CLOSE = "<!-- mnemic ", " -->"


def mark(payload: Mapping[str, Any]) -> str:
    """A comment that holds JSON; no text in it can look like the beginning or the end of one."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    safe = text.replace("<", r"\u003c").replace(">", r"\u003e")
    return f"{_OPEN}{safe}{_CLOSE}"


def read_mark(text: str) -> tuple[str, dict[str, Any]] | None:
    """The text before the mark at the end, and its payload; None where there is no whole mark."""
    start = text.rfind(_OPEN)
    if start < 0 or not text.endswith(_CLOSE):
        return None
    try:
        payload = json.loads(text[start + len(_OPEN) : -len(_CLOSE)])
    except ValueError:  # edited by a person
        return None
    return (text[:start], payload) if isinstance(payload, dict) else None


def read_time(text: str) -> datetime:
    """A time of a mark, or ValueError where it has no zone."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(text)
    return time
