"""Values as plain JSON, and text as characters that only show: for --json, transcripts, exports."""

from __future__ import annotations

import dataclasses
import unicodedata
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any


def plain(value: Any) -> Any:
    """Dataclasses as objects, times as ISO 8601, tuples and sets as lists."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value) if isinstance(value, Path) else value


# Format characters that change the text direction, to be removed; emoji need the other ones.
DIRECTION_CONTROLS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def visible(text: str, kept: str = "") -> str:
    """Text that can neither move a cursor nor turn the direction of what stands beside it."""
    if text.isprintable():
        return text
    return "".join(
        "\ufffd" if unicodedata.category(c) in ("Cc", "Cs") and c not in kept else c
        for c in text.translate(DIRECTION_CONTROLS)
    )
