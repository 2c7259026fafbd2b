"""Checks of arguments before anything is stored: texts, names, numbers, lists."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import TypeVar

from mnemic.errors import InvalidInput

Choice = TypeVar("Choice", bound=str)
Item = TypeVar("Item")
MAX_NAME = 512
MAX_PATH = 4_000
MAX_FILE_NAME = 255  # bytes
MAX_INDEX = 2**31 - 1
MAX_DEPTH = 100
MAX_ROWS = 1_000_000
MAX_ERROR = 1_000_000
MAX_SECONDS = 10_000_000_000.0
_BRIEF = 80  # characters of a wrong value, or bits of a number


def brief_value(value: object) -> str:
    """A wrong value, short, for an error message. Calls no code of unknown objects."""
    if isinstance(value, int) and value.bit_length() > _BRIEF:
        return f"a number of {value.bit_length():,} bits"
    if isinstance(value, str):
        return repr(value if len(value) <= _BRIEF else value[:_BRIEF] + "…")
    if value is None or isinstance(value, int | float):
        return repr(value)
    return f"a {type(value).__name__}"


def check_text(value: object, name: str, limit: int) -> str:
    """Text that UTF-8 can hold and that is not longer than ``limit`` characters."""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is a {type(value).__name__}, not text", remedy="Pass a str")
    if len(value) > limit:
        raise InvalidInput(
            f"{name} has {len(value):,} characters, more than {limit:,}",
            remedy="Split it, or keep it as a file and use attach()",
        )
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(
                f"{name} has half a surrogate pair at position {error.start}",
                remedy="Mend it with value.encode('utf-16', 'surrogatepass').decode('utf-16', "
                "'replace')",
            ) from error
    return value


def check_name(value: str, name: str) -> str:
    """A short, non-empty name to look for, such as an id; one that is stored passes the guard."""
    if not check_text(value, name, MAX_NAME).strip():
        raise InvalidInput(f"{name} is empty", remedy="Give it a name")
    return value


def check_path(value: object, name: str) -> str:
    """The path of a file or folder that a system could have."""
    text = value.__fspath__() if hasattr(value, "__fspath__") else value
    path = check_text(text, name, MAX_INDEX)
    longest = max(len(segment.encode()) for segment in path.split("/"))
    if not path.strip() or "\0" in path or longest > MAX_FILE_NAME or len(path) > MAX_PATH:
        raise InvalidInput(f"{name} is not a path", remedy="Give the path of a file or folder")
    return path


def check_choice(value: Choice, choices: Iterable[Choice], name: str) -> Choice:
    """One of a fixed set of words."""
    allowed = tuple(choices)
    word: object = value
    if not isinstance(word, str) or word not in allowed:
        raise InvalidInput(
            f"{name}={brief_value(value)} is unknown", remedy=f"Use one of {', '.join(allowed)}"
        )
    return value


def check_index(value: object) -> int | None:
    """A turn's place in its session."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_INDEX:
        raise InvalidInput(
            f"index={brief_value(value)} is not a place in a session",
            remedy=f"Give a whole number from 0 to {MAX_INDEX}, or leave it out to append",
        )
    return value


def check_count(value: object, name: str, most: int) -> int:
    """A positive whole number."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise InvalidInput(
            f"{name}={brief_value(value)}", remedy=f"Give a whole number from 1 to {most:,}"
        )
    return value


def check_limit(value: object) -> int:
    """How many rows to read."""
    return check_count(value, "limit", MAX_ROWS)


def check_offset(value: object) -> int:
    """How many rows to leave out."""
    return check_tokens(value, "offset")


def check_tokens(value: object, name: str) -> int:
    """A number of tokens."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise InvalidInput(
            f"{name}={brief_value(value)}", remedy="Give a whole number of 0 or more"
        )
    return value


def check_share(value: object, name: str) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(f"{name}={brief_value(value)}", remedy="Give a number from 0 to 1")
    return float(value)


def check_amount(value: object, name: str) -> float | None:
    """A finite number of 0 or more, such as a price."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        raise InvalidInput(f"{name}={brief_value(value)}", remedy="Give a number of 0 or more")
    return float(value)


def check_seconds(value: timedelta | float | None, name: str) -> float | None:
    """A stretch of time in seconds; None is without end."""
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not seconds >= 0:
        raise InvalidInput(
            f"{name}={brief_value(value)}", remedy="Give seconds of 0 or more, a timedelta, or None"
        )
    return float(min(seconds, MAX_SECONDS))


def check_all(values: Iterable[object], kind: type[Item], name: str) -> list[Item]:
    """Values that are all of one type."""
    checked = []
    for value in values:
        if not isinstance(value, kind):
            raise InvalidInput(
                f"one of {name} is a {type(value).__name__}", remedy=f"Pass {kind.__name__} values"
            )
        checked.append(value)
    return checked


def check_tags(tags: Iterable[str], most: int, name: str = "tags") -> tuple[str, ...]:
    """A few short labels, each once."""
    if isinstance(tags, str) or not isinstance(tags, Iterable):
        raise InvalidInput(f"{name} is a {type(tags).__name__}", remedy=f"Pass a list of {name}")
    unique: dict[str, None] = {}
    for tag in tags:
        unique[check_name(tag, f"one of {name}")] = None
        if len(unique) > most:
            raise InvalidInput(f"More than {most:,} {name}", remedy=f"Give at most {most:,}")
    return tuple(unique)


def check_fields(record: object, names: Iterable[str], may_be_none: Iterable[str] = ()) -> None:
    """The fields of a record that have to be text."""
    for name in names:
        value = getattr(record, name)
        if not (isinstance(value, str) or (value is None and name in may_be_none)):
            raise InvalidInput(f"{name} is a {type(value).__name__}", remedy="Pass a str")


def check_several(items: Iterable[Item], name: str) -> tuple[Item, ...]:
    """Any iterable but a text, as a tuple."""
    if isinstance(items, tuple):
        return items
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise InvalidInput(f"{name} is a {type(items).__name__}", remedy=f"Pass a list of {name}")
    return tuple(items)


def check_depth(value: object, name: str) -> None:
    """JSON that is not nested so deep that reading it back would fail."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for outer in level
            if isinstance(outer, dict | list)
            for item in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise InvalidInput(
        f"{name} is nested more than {MAX_DEPTH} levels deep",
        remedy="Pass it as text, or flatten it",
    )
