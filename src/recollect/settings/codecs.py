"""How each sort of setting is read, checked, shown and described.

``read`` takes a value as TOML or Python gives it, ``parse`` the text of an environment variable;
only the latter turns text into numbers. Both raise ``Wrong`` with words for a person.
"""

from __future__ import annotations

import math
import re
from datetime import timedelta
from typing import Any

from recollect.settings.values import (
    NEVER,
    Condition,
    Secret,
    Size,
    Span,
    duration,
    duration_text,
)

Plain = bool | int | float | str | list[Any]

_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})
_CRON_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_CRON_FIELD = re.compile(r"[0-9A-Za-z*/,\-#?]+")
_ZONE = re.compile(r"[A-Za-z][\w+\-]*(/[\w+\-]+)*")
_CONDITION = re.compile(r"([a-z_][a-z0-9_.]*)\s*(>=|<=|==|!=|>|<)\s*(\S+)")


class Wrong(ValueError):
    """The value is not one this setting takes."""


class Codec:
    """One sort of setting. ``allowed`` says in words what it takes, ``brief`` in a table."""

    allowed = ""
    secret = False

    @property
    def brief(self) -> str:
        return self.allowed

    def read(self, raw: object) -> Any:
        raise NotImplementedError

    def parse(self, text: str) -> Any:
        return self.read(text)

    def show(self, value: Any) -> Plain:
        """The value as TOML and JSON can hold it; ``read`` takes it back."""
        plain: Plain = value
        return plain


class Flag(Codec):
    allowed = "`true` or `false`"

    def read(self, raw: object) -> bool:
        if isinstance(raw, bool):
            return raw
        raise Wrong(f"is {_type(raw)}")

    def parse(self, text: str) -> bool:
        word = text.strip().lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        raise Wrong("is neither true nor false")


class Whole(Codec):
    def __init__(self, low: int, high: int | None) -> None:
        self.low, self.high = low, high
        self.allowed = "whole number, " + _bounds(low, high)

    def read(self, raw: object) -> int:
        if isinstance(raw, bool) or not isinstance(raw, int):
            raise Wrong(f"is {_type(raw)}")
        if raw < self.low or (self.high is not None and raw > self.high):
            raise Wrong("is out of range")
        return raw

    def parse(self, text: str) -> int:
        try:
            return self.read(int(text))
        except Wrong:
            raise
        except ValueError:
            raise Wrong("is not a whole number") from None


class Real(Codec):
    def __init__(self, low: float, high: float | None, *, above: bool = False) -> None:
        self.low, self.high, self.above = low, high, above
        self.allowed = "number, " + (f"more than {low:g}" if above else _bounds(low, high))
        if above and high is not None:
            self.allowed += f", at most {high:g}"

    def read(self, raw: object) -> float:
        if isinstance(raw, bool) or not isinstance(raw, int | float):
            raise Wrong(f"is {_type(raw)}")
        if isinstance(raw, float) and not math.isfinite(raw):
            raise Wrong("is not a finite number")
        if raw < self.low or (self.above and raw == self.low):
            raise Wrong("is out of range")
        if self.high is not None and raw > self.high:
            raise Wrong("is out of range")
        try:
            return float(raw)
        except OverflowError:
            raise Wrong("is out of range") from None

    def parse(self, text: str) -> float:
        try:
            return self.read(float(text))
        except Wrong:
            raise
        except ValueError:
            raise Wrong("is not a number") from None


class Choice(Codec):
    def __init__(self, options: tuple[str, ...]) -> None:
        self.options = options
        self.allowed = "one of " + ", ".join(f"`{option}`" for option in options)

    def read(self, raw: object) -> str:
        if not isinstance(raw, str):
            raise Wrong(f"is {_type(raw)}")
        if raw not in self.options:
            raise Wrong("is not one of them")
        return raw


class Text(Codec):
    def __init__(self, *, empty: bool) -> None:
        self.empty = empty
        self.allowed = "text" if empty else "text, not empty"

    def read(self, raw: object) -> str:
        if not isinstance(raw, str):
            raise Wrong(f"is {_type(raw)}")
        if not raw.strip() and not self.empty:
            raise Wrong("is empty")
        if not is_plain(raw):
            raise Wrong("has line breaks or control characters")
        return raw


class Inside(Text):
    """A path that stays inside its folder."""

    def __init__(self) -> None:
        super().__init__(empty=False)
        self.allowed = "name of a file or folder, without `..` and not absolute"

    def read(self, raw: object) -> str:
        name = super().read(raw)
        parts = re.split(r"[\\/]", name)
        if not all(part.strip(". ") for part in parts) or re.match(r"[A-Za-z]:|~", name):
            raise Wrong("leads out of its folder")
        return name


class Url(Codec):
    allowed = "`http://` or `https://` address without a password in it, or empty"

    def read(self, raw: object) -> str:
        if not isinstance(raw, str):
            raise Wrong(f"is {_type(raw)}")
        if raw and not re.fullmatch(r"https?://[^\s/@]+(/\S*)?", raw):
            # Addresses are shown and logged, so a key must not travel in one.
            raise Wrong("is not such an address")
        return raw


class SecretText(Codec):
    allowed = "text, never shown"
    secret = True

    def read(self, raw: object) -> Secret:
        if isinstance(raw, Secret):
            return raw
        if isinstance(raw, str):
            return Secret(raw)
        raise Wrong(f"is {_type(raw)}")

    def show(self, value: Secret) -> str:
        return value.reveal()


class Duration(Codec):
    """A timedelta; None stands for never."""

    def __init__(self, *, never: bool, zero: bool) -> None:
        self.never, self.zero = never, zero
        self.allowed = 'duration such as `"3m"`, `"24h"`, `"30d"`, or seconds'
        if not zero:
            self.allowed += ", more than 0"
        if never:
            self.allowed += f', or `"{NEVER}"`'

    @property
    def brief(self) -> str:
        return f"duration or `{NEVER}`" if self.never else "duration"

    def read(self, raw: object) -> timedelta | None:
        if (raw is None or raw == NEVER) and self.never:
            return None
        span = _span_of(raw)
        if span < timedelta(0) or (not span and not self.zero):
            raise Wrong("is out of range")
        return span

    def parse(self, text: str) -> timedelta | None:
        return self.read(_number(text))

    def show(self, value: timedelta | None) -> str:
        return NEVER if value is None else duration_text(value)


class HalfLife(Codec):
    """A half-life said as a rate a day: ``e^(-rate x days)`` or ``(1 - rate)^days``."""

    def __init__(self, *, compound: bool) -> None:
        self.compound = compound
        self.rates = Real(0, 1)
        self.allowed = self.rates.allowed

    def read(self, raw: object) -> timedelta | None:
        rate = self.rates.read(raw)
        if self.compound and rate == 1:
            raise Wrong("leaves nothing after a day")
        loss = -math.log1p(-rate) if self.compound else rate
        try:
            return timedelta(days=math.log(2) / loss) if loss else None
        except OverflowError:
            return None

    def parse(self, text: str) -> timedelta | None:
        return self.read(self.rates.parse(text))


class Life(Codec):
    """How long a memory lives: a span, None for ever, or a word that somebody decides later."""

    words = ("session", "extractor")
    allowed = 'duration, `"permanent"`, `"session"` or `"extractor"` (whatever the extractor says)'

    def read(self, raw: object) -> timedelta | str | None:
        if raw is None or raw in ("permanent", NEVER):
            return None
        if isinstance(raw, str) and raw in self.words:
            return raw
        span = _span_of(raw)
        if span <= timedelta(0):
            raise Wrong("is out of range")
        return span

    def parse(self, text: str) -> timedelta | str | None:
        return self.read(_number(text))

    def show(self, value: timedelta | str | None) -> str:
        if value is None:
            return "permanent"
        return value if isinstance(value, str) else duration_text(value)


class Names(Codec):
    def __init__(self, options: tuple[str, ...]) -> None:
        self.options = options
        self.allowed = "list of " + (", ".join(f"`{o}`" for o in options) if options else "texts")

    def read(self, raw: object) -> tuple[str, ...]:
        if not isinstance(raw, list | tuple):
            raise Wrong(f"is {_type(raw)}")
        for item in raw:
            if not isinstance(item, str):
                raise Wrong(f"holds {_type(item)}")
            if (
                not item.strip()
                or not is_plain(item)
                or (self.options and item not in self.options)
            ):
                raise Wrong(f"holds {item!r}")
        if len(set(raw)) != len(raw):
            raise Wrong("names one twice")
        return tuple(raw)

    def parse(self, text: str) -> tuple[str, ...]:
        return self.read([part.strip() for part in text.split(",")] if text.strip() else [])

    def show(self, value: tuple[str, ...]) -> list[Any]:
        return list(value)


class Spans(Codec):
    def __init__(self, low: int) -> None:
        self.low = low
        self.allowed = f"`[low, high]` or one whole number, {_bounds(low, None)}"

    def read(self, raw: object) -> Span:
        pair = raw if isinstance(raw, list | tuple) else (raw, raw)
        whole = Whole(self.low, None)
        if len(pair) != 2:
            raise Wrong("is not a pair")
        span = Span(whole.read(pair[0]), whole.read(pair[1]))
        if span.low > span.high:
            raise Wrong("has its low end above its high end")
        return span

    def parse(self, text: str) -> Span:
        try:
            return self.read([int(part) for part in text.split("-")] * (1 if "-" in text else 2))
        except Wrong:
            raise
        except ValueError:
            raise Wrong("is not `low-high`") from None

    def show(self, value: Span) -> list[Any]:
        return list(value)


class Sizes(Codec):
    allowed = 'tokens (0: none), or a share of the model\'s window such as `"15%"`'

    def read(self, raw: object) -> Size:
        if isinstance(raw, Size):
            raw = self.show(raw)
        if isinstance(raw, str) and raw.endswith("%"):
            percent = Real(0, 100).parse(raw[:-1])
            return Size(percent=percent)
        return Size(tokens=Whole(0, None).read(raw))

    def parse(self, text: str) -> Size:
        return self.read(text if text.endswith("%") else Whole(0, None).parse(text))

    def show(self, value: Size) -> int | str:
        return f"{value.percent!r}%".replace(".0%", "%") if value.percent else value.tokens


class Cron(Codec):
    """Checked by its form and by the range of plain numbers; the scheduler gives it meaning."""

    allowed = f'five cron fields (minute hour day month weekday) or `"{NEVER}"`'

    def read(self, raw: object) -> str:
        if not isinstance(raw, str):
            raise Wrong(f"is {_type(raw)}")
        if raw == NEVER:
            return raw
        fields = raw.split()
        if len(fields) == 6:
            raise Wrong("has six fields: leave out the seconds")
        if len(fields) != 5:
            raise Wrong(f"has {len(fields)} fields")
        for field, (low, high) in zip(fields, _CRON_RANGES, strict=True):
            numbers = [int(number) for number in re.findall(r"(?<!/)(?<!\d)\d+", field)]
            if not _CRON_FIELD.fullmatch(field) or any(not low <= n <= high for n in numbers):
                raise Wrong(f"has {field!r} where {low} to {high} belongs")
        return " ".join(fields)


class Zone(Codec):
    allowed = "`local`, `UTC`, or a zone name such as `Asia/Shanghai`"

    def read(self, raw: object) -> str:
        if isinstance(raw, str) and _ZONE.fullmatch(raw):
            return raw
        raise Wrong("is not a zone name")


class Conditions(Codec):
    allowed = 'list of tests such as `"message_count >= 3"`'

    def read(self, raw: object) -> tuple[Condition, ...]:
        if not isinstance(raw, list | tuple):
            raise Wrong(f"is {_type(raw)}")
        return tuple(self._one(item) for item in raw)

    def parse(self, text: str) -> tuple[Condition, ...]:
        return self.read([part.strip() for part in text.split(",")] if text.strip() else [])

    def show(self, value: tuple[Condition, ...]) -> list[Any]:
        return [str(condition) for condition in value]

    def _one(self, raw: object) -> Condition:
        if isinstance(raw, Condition):
            raw = str(raw)
        match = _CONDITION.fullmatch(raw) if isinstance(raw, str) else None
        if match is None:
            raise Wrong(f"holds {raw!r}")
        field, op, word = match.groups()
        if word in ("true", "false"):
            return Condition(field, op, word == "true")
        value = _number(word)
        if isinstance(value, float) and not math.isfinite(value):
            raise Wrong(f"holds {raw!r}")
        return Condition(field, op, value)


def is_plain(text: str) -> bool:
    """Whether a text can stand in a file and a log line as it is."""
    return not any(c < " " or c == "\x7f" or "\ud800" <= c <= "\udfff" for c in text)


def _span_of(raw: object) -> timedelta:
    if isinstance(raw, timedelta):
        return raw
    try:
        if isinstance(raw, int | float) and not isinstance(raw, bool):
            return timedelta(seconds=raw)
        if isinstance(raw, str):
            return duration(raw.strip())
    except (ValueError, OverflowError):
        raise Wrong("is not a duration") from None
    raise Wrong(f"is {_type(raw)}")


def _number(text: str) -> float | str:
    """A bare number as a number, anything else as it stands."""
    try:
        return float(text)
    except ValueError:
        return text


def _bounds(low: float, high: float | None) -> str:
    return f"{low:g} or more" if high is None else f"{low:g} to {high:g}"


def _type(raw: object) -> str:
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    return names.get(type(raw), f"a {type(raw).__name__}")
