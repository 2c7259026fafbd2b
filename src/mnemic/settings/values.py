"""The small values settings are made of: secrets, ranges, sizes, named tables, conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Annotated, NamedTuple, TypeVar

V = TypeVar("V")

# Texts that have a form of their own: a place is a file or folder anywhere, though only a file that
# somebody named may leave its own folder; what is inside never does.
# A life is a span, None for ever, or a word that somebody decides later.
Place = Annotated[str, "place"]
Inside = Annotated[str, "inside"]
Url = Annotated[str, "url"]
Cron = Annotated[str, "cron"]
ZoneName = Annotated[str, "zone"]
Life = Annotated[timedelta | str | None, "life"]

MASK = "***"
NEVER = "never"

_SECOND = 1_000_000
_UNITS = {
    "w": 7 * 86_400 * _SECOND,
    "d": 86_400 * _SECOND,
    "h": 3_600 * _SECOND,
    "m": 60 * _SECOND,
    "s": _SECOND,
    "ms": 1_000,
}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[wdhms])")


class Secret:
    """A text that never shows itself: ``reveal()`` is the only way to read it."""

    __slots__ = ("_text",)

    def __init__(self, text: str = "") -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    def __str__(self) -> str:
        return MASK if self._text else ""

    def __repr__(self) -> str:
        return f"Secret({str(self)!r})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class Span(NamedTuple):
    """From ``low`` to ``high``, both included: aim for the high end, be content with the low."""

    low: int
    high: int


class Size(NamedTuple):
    """A part of the prompt: a number of tokens, or per cent of the model's window."""

    tokens: int = 0
    percent: float = 0.0

    def of(self, window: int) -> int:
        """The size in tokens for a model with this window, rounded down."""
        # The small addition keeps 15 % of 8000 at 1200 when the product falls just short of it.
        return self.tokens or int(window * self.percent / 100 + 1e-9)


class Condition(NamedTuple):
    """One test of an event's payload, such as ``message_count >= 3``."""

    field: str
    op: str
    value: float | bool | str

    def __str__(self) -> str:
        value = str(self.value).lower() if isinstance(self.value, bool) else self.value
        quoted = isinstance(value, str) and any(map(str.isspace, value))
        return f"{self.field} {self.op} {value!r}" if quoted else f"{self.field} {self.op} {value}"


class ValueOrigin(NamedTuple):
    """Which layer set a value, and where in it."""

    layer: str
    source: str = ""

    def __str__(self) -> str:
        return f"{self.layer} {self.source}".rstrip()


class Table(Mapping[str, V]):
    """Named entries, unchangeable and hashable, in the order they were given."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, V] | None = None) -> None:
        self._items: dict[str, V] = dict(items or {})

    def __getitem__(self, key: str) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"Table({self._items!r})"


def duration(text: str) -> timedelta:
    """Read ``"3m"``, ``"24h"``, ``"1h30m"``, ``"1.5d"``; ValueError for anything else."""
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(text)
    micro = 0
    for number, unit in parts:
        digits, _, fraction = number.partition(".")
        micro += int(digits) * _UNITS[unit]
        if fraction:  # In whole numbers, so that what was written out reads back the same.
            micro += round(int(fraction) * _UNITS[unit] / 10 ** len(fraction))
    return timedelta(microseconds=micro)


def duration_text(span: timedelta) -> str:
    """The shortest text that ``duration`` reads back as the same span."""
    micro = span // timedelta(microseconds=1)
    if micro == 0:
        return "0s"
    for unit in ("d", "h", "m", "s", "ms"):
        if micro % _UNITS[unit] == 0:
            return f"{micro // _UNITS[unit]}{unit}"
    # A part of a unit: as few decimals as say it exactly, so that 173.3 days stay days.
    unit = next((unit for unit in ("d", "h", "m", "s") if micro >= _UNITS[unit]), "ms")
    decimals = (f"{micro / _UNITS[unit]:.{places}f}{unit}" for places in range(1, 13))
    exact = (text for text in decimals if duration(text) == span)
    return next(exact, f"{micro // _SECOND}.{micro % _SECOND:06d}s")
