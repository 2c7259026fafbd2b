"""Fields of a record that another memory wrote, as far as they can be kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from mnemic.errors import InvalidInput
from mnemic.language.dates.moments import moment
from mnemic.record.messages import UnreadableMessage, read_text, time_of

_LONGEST = 1_000_000  # characters of a statement
_NAME = 200
_METADATA = 3_000  # characters, so that there is room for what the import notes beside it
_TAGS = 20
_EXACT = 2**53


def read_moment(fields: Mapping[str, Any], *names: str) -> datetime | None:
    """The first of these times that is there."""
    for name in names:
        value = fields.get(name)
        if value is None or value == "":
            continue
        told = time_of(value)
        try:
            return None if told is None else moment(told, name)
        except InvalidInput as error:
            raise UnreadableMessage(error.message) from error
    return None


def read_statement(fields: Mapping[str, Any], *names: str) -> str:
    """The first of these texts that is there; a record that has none says nothing."""
    text = read_text(fields, *names).strip()
    if not text:
        raise UnreadableMessage(f"it has no {names[0]}")
    return checked_text(text)


def checked_text(text: str) -> str:
    """A text that can be stored."""
    if len(text) > _LONGEST:
        raise UnreadableMessage(f"it has {len(text):,} characters, more than {_LONGEST:,}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UnreadableMessage("it has half a surrogate pair") from error
    return text


def short_name(value: object) -> str:
    """One line of a name, cut; nothing of what is no text."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return text[:_NAME].encode(errors="replace").decode()


def short_names(values: object) -> tuple[str, ...]:
    """Tags: each once, a few of them."""
    listed = values if isinstance(values, Iterable) and not isinstance(values, str) else ()
    return tuple(filter(None, dict.fromkeys(map(short_name, listed))))[:_TAGS]


def small_metadata(values: Mapping[str, Any]) -> dict[str, Any]:
    """What may stand beside a memory: plain values that say something, and where that is too much,
    not the longest.
    """
    kept = {short_name(key): _plain(value) for key, value in values.items()}
    sizes = {
        key: len(json.dumps(value)) + len(key)
        for key, value in kept.items()
        if key and value not in (None, "", [], {})
    }
    while sum(sizes.values()) + 10 * len(sizes) > _METADATA:
        del sizes[max(sizes, key=lambda key: sizes[key])]
    return {key: kept[key] for key in sizes}


def _plain(value: object, depth: int = 2) -> Any:
    """A JSON value that any store takes; None for what is none."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, bool) or (isinstance(value, int | float) and abs(value) < _EXACT):
        return value
    if depth and isinstance(value, list):
        return [_plain(one, depth - 1) for one in value]
    if depth and isinstance(value, dict):
        return {short_name(key): _plain(one, depth - 1) for key, one in value.items()}
    return None
