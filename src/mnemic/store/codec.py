"""How values become columns and come back: times as microseconds, tool traffic as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any, TypeVar, cast

from mnemic.errors import StoreDamaged
from mnemic.plain import plain
from mnemic.types import (
    ActionNode,
    SafeAction,
    SafeCall,
    SafeMetadata,
    SafeName,
    SafeResult,
    SafeText,
    ToolCall,
    ToolResult,
    no_metadata,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
Value = TypeVar("Value")
_PLAIN = frozenset({str, int, float, bool, bytes, type(None)})
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=plain)
_NONSENSE = (ValueError, TypeError, OverflowError)


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970, exact."""
    return (moment - _EPOCH) // _MICROSECOND


@lru_cache(256)  # the times of one record, and of those beside it, are mostly the same
def from_micros(micros: int, zone: int = 0) -> datetime:
    """The moment again, in the zone (minutes east of UTC) it was told in."""
    try:
        moment = _EPOCH + timedelta(microseconds=micros)
        return moment.astimezone(timezone(timedelta(minutes=zone))) if zone else moment
    except _NONSENSE as error:
        raise _unreadable(f"{micros!r} with zone {zone!r} is not a time") from error


def maybe_from_micros(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def encode(value: Any) -> Any:
    """A value as a column holds it: times in microseconds, days in ISO form, lists as JSON."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, datetime):
        return to_micros(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dump(dict(value))
    if isinstance(value, Collection) and not isinstance(value, str | bytes):
        return dump(list(value))
    return value


def zone_minutes(moment: datetime) -> int:
    """Minutes east of UTC."""
    offset = moment.utcoffset()
    return 0 if not offset else int(offset.total_seconds() // 60)


def dump(value: Any) -> str:
    """Compact JSON that keeps Chinese readable."""
    return _JSON.encode(value)


def load(text: str) -> Any:
    try:
        return json.loads(text)
    except _NONSENSE as error:
        raise _unreadable(f"what should be JSON is not: {error}") from error


def as_name(value: object) -> SafeName:
    """A name that was read back: it passed the guard when it was written."""
    return SafeName(as_text(value))


def as_text(value: object) -> SafeText:
    """A text that was read back."""
    return SafeText(str(value))


def load_calls(text: str | None) -> tuple[SafeCall, ...]:
    return cast("tuple[SafeCall, ...]", _all(ToolCall, load(text))) if text else ()


def load_results(text: str | None) -> tuple[SafeResult, ...]:
    return cast("tuple[SafeResult, ...]", _all(ToolResult, load(text))) if text else ()


def load_actions(text: str) -> tuple[SafeAction, ...]:
    return _all(_action, load(text))


def _action(*, at: str, **fields: Any) -> SafeAction:
    return SafeAction(ActionNode(at=datetime.fromisoformat(at), **fields))


def load_words(text: str) -> tuple[SafeName, ...]:
    """A JSON list of names."""
    if text == "[]":
        return ()
    value = load(text)
    if not isinstance(value, list):
        raise _unreadable("what should be a list is not")
    return tuple(map(as_name, value))


def load_mapping(text: str) -> Mapping[str, Any]:
    value = load(text)
    return value if isinstance(value, dict) else {}


def load_texts(text: str) -> Mapping[str, SafeText]:
    return {name: as_text(value) for name, value in load_mapping(text).items()}


def dump_any(value: Collection[Any] | None) -> str | None:
    """JSON of a list or mapping; nothing for an empty one."""
    return encode(value) if value else None


def load_metadata(text: str | None) -> SafeMetadata:
    return SafeMetadata(load_mapping(text)) if text and text != "{}" else no_metadata()


def _all(make: Callable[..., Value], items: Iterable[Mapping[str, Any]]) -> tuple[Value, ...]:
    try:
        return tuple(make(**fields) for fields in items)
    except _NONSENSE as error:
        raise _unreadable(f"stored fields do not fit: {error}") from error


def _unreadable(what: str) -> StoreDamaged:
    return StoreDamaged(
        f"A stored value cannot be read: {what}",
        remedy="It was left as it is; run `mnemic doctor`, or restore a backup",
    )
