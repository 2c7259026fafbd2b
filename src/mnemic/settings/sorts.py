"""The sorts of settings: how each is read, checked, described and written out.

``read`` takes a value as TOML or Python gives it; ``parse`` first turns the text of an environment
variable into such a value, so that only there a text may stand for a number. Both raise ``Wrong``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any, get_args, get_origin

from mnemic.settings.plugins import find_plugins
from mnemic.settings.values import (
    NEVER,
    Condition,
    Cron,
    Inside,
    Life,
    Place,
    Secret,
    Size,
    Span,
    Url,
    ZoneName,
    duration,
    duration_text,
)

_WORDS = {"true": True, "1": True, "yes": True, "on": True}
_WORDS |= {"false": False, "0": False, "no": False, "off": False}
_CRON_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_TOO_MUCH = 1 << 63  # for any store
_LIVES = ("session", "extractor")
_PERMANENT = "permanent"
_DURATION = 'duration such as `"3m"`, `"24h"`, `"30d"`, or seconds, more than 0'


class Wrong(ValueError):
    """The value is not one this setting takes."""


class Sort:
    """``allowed`` says in words what it takes, ``brief`` the same in a table; ``show`` gives the
    value as TOML and JSON can hold it. ``limits`` are the bounds or the choices.
    """

    __slots__ = ("_parse", "allowed", "brief", "limits", "name", "read", "show")

    def __init__(
        self,
        name: str,
        allowed: str,
        read: Callable[[Any], Any],
        *,
        parse: Callable[[str], Any] = str,
        show: Callable[[Any], Any] = lambda value: value,
        brief: str = "",
        **limits: Any,
    ) -> None:
        self.name, self.allowed, self.brief = name, allowed, brief or allowed
        self.read, self.show, self._parse, self.limits = read, show, parse, limits

    @property
    def secret(self) -> bool:
        return self.name == "secret"

    def parse(self, text: str) -> Any:
        """The value that the text of an environment variable stands for."""
        return self.read(self._parse(text))


def flag() -> Sort:
    def parse(text: str) -> bool:
        try:
            return _WORDS[text.strip().lower()]
        except KeyError:
            raise Wrong("is neither true nor false") from None

    return Sort("flag", "`true` or `false`", lambda raw: _check_type(raw, bool), parse=parse)


def whole(low: int = 0, high: int | None = None) -> Sort:
    allowed = f"whole number, {_bounds(low, high)}"

    def read(raw: object) -> Any:
        return _within(_check_type(raw, int), low, high)

    return Sort("whole", allowed, read, parse=_number_of(int), low=low, high=high)


def real(low: float = 0, high: float | None = None, *, above: bool = False) -> Sort:
    def read(raw: object) -> float:
        number = _within(_check_type(raw, int, float), low, high)
        if above and number == low:
            raise Wrong("is out of range")
        try:
            return float(number)
        except OverflowError:
            raise Wrong("is out of range") from None

    bounds = f"more than {low:g}" if above else _bounds(low, high)
    bounds += f", at most {high:g}" if above and high is not None else ""
    allowed, parse = f"number, {bounds}", _number_of(float)
    return Sort("real", allowed, read, parse=parse, low=low, high=high, above=above)


def text(*, empty: bool = True, name: str = "text") -> Sort:
    allowed = "text" if empty else "text, not empty"
    return Sort(name, allowed, lambda raw: _text(raw, empty=empty), empty=empty)


def leads_out(name: str) -> bool:
    """Whether a path leaves the folder it is meant for."""
    parts = re.split(r"[\\/]", name)
    return not all(step.strip(". ") for step in parts) or bool(re.match(r"[A-Za-z]:|~", name))


def inside() -> Sort:
    """A path that stays inside its folder."""

    def read(raw: object) -> str:
        name = _text(raw, empty=False)
        if leads_out(name):
            raise Wrong("leads out of its folder")
        return name

    return Sort("inside", "name of a file or folder, without `..` and not absolute", read)


def url() -> Sort:
    def read(raw: object) -> str:
        address: str = _check_type(raw, str)
        if address and not re.fullmatch(r"https?://[^\s/@]+(/\S*)?", address):
            # Addresses are shown and logged, so a key must not travel in one.
            raise Wrong("is not such an address")
        return address

    return Sort("url", "`http://` or `https://` address without a password in it, or empty", read)


def secret() -> Sort:
    def read(raw: object) -> Secret:
        return raw if isinstance(raw, Secret) else Secret(_check_type(raw, str))

    return Sort("secret", "text, never shown", read, show=Secret.reveal)


def choice(options: tuple[str, ...], plugins: str = "") -> Sort:
    """``plugins`` is the group of entry points whose names count as well."""

    def read(raw: object) -> str:
        if _check_type(raw, str) in options:
            return str(raw)
        installed = find_plugins(plugins) if plugins else {}
        if raw in installed:
            return str(raw)
        others = f"; installed beside them: {', '.join(sorted(installed))}" if installed else ""
        raise Wrong(f"is not one of them{others}")

    listed = ", ".join(f"`{option}`" for option in options)
    more = ", or a provider that is installed" if plugins else ""
    return Sort("choice", f"one of {listed}{more}", read, options=options)


def zone() -> Sort:
    def read(raw: object) -> str:
        if isinstance(raw, str) and re.fullmatch(r"[A-Za-z][\w+\-]*(/[\w+\-]+)*", raw):
            return raw
        raise Wrong("is not a zone name")

    return Sort("zone", "`local`, `UTC`, or a zone name such as `Asia/Shanghai`", read)


def cron() -> Sort:
    """Checked by its form and by the range of plain numbers; the scheduler gives it meaning."""

    def read(raw: object) -> str:
        fields = _check_type(raw, str).split()
        if fields == [NEVER]:
            return NEVER
        if len(fields) == 6:
            raise Wrong("has six fields: leave out the seconds")
        if len(fields) != 5:
            raise Wrong(f"has {len(fields)} fields")
        for field, (low, high) in zip(fields, _CRON_RANGES, strict=True):
            numbers = re.findall(r"(?<!/)(?<!\d)\d+", field)
            fits = re.fullmatch(r"[0-9A-Za-z*/,\-#?]+", field)
            if not fits or any(len(n) > 9 or not low <= int(n) <= high for n in numbers):
                raise Wrong(f"has {field!r:.60} where {low} to {high} belongs")
        return " ".join(fields)

    return Sort("cron", f'five cron fields (minute hour day month weekday) or `"{NEVER}"`', read)


def span(*, never: bool) -> Sort:
    """A timedelta; None stands for never."""

    def read(raw: object) -> timedelta | None:
        return None if never and (raw is None or raw == NEVER) else _span(raw)

    return Sort(
        "span",
        _DURATION + (f', or `"{NEVER}"`' if never else ""),
        read,
        parse=_number_or_text,
        show=lambda value: NEVER if value is None else duration_text(value),
        brief=f"duration or `{NEVER}`" if never else "duration",
        never=never,
    )


def half_life(*, compound: bool) -> Sort:
    """A half-life said as a rate a day: ``e^(-rate x days)`` or ``(1 - rate)^days``."""
    rates = real(0, 1)

    def read(raw: object) -> timedelta | None:
        rate = rates.read(raw)
        if compound and rate == 1:
            raise Wrong("leaves nothing after a day")
        loss = -math.log1p(-rate) if compound else rate
        try:
            return timedelta(days=math.log(2) / loss) if loss else None
        except OverflowError:
            return None

    return Sort("half_life", rates.allowed, read, parse=_number_of(float))


def life() -> Sort:
    """How long a memory lives: a span, None for ever, or a word that somebody decides later."""

    def read(raw: object) -> timedelta | str | None:
        if raw is None or raw in (_PERMANENT, NEVER):
            return None
        return raw if isinstance(raw, str) and raw in _LIVES else _span(raw)

    def show(value: timedelta | str | None) -> str:
        return duration_text(value) if isinstance(value, timedelta) else value or _PERMANENT

    allowed = 'duration, `"permanent"`, `"session"` or `"extractor"` (whatever the extractor says)'
    return Sort("life", allowed, read, parse=_number_or_text, show=show)


def names(options: tuple[str, ...] = (), free: str = "") -> Sort:
    """Of the options, where there are any, or what begins with ``free``."""

    def read(raw: object) -> tuple[str, ...]:
        items = tuple(_check_type(raw, list, tuple))
        for item in items:
            if not isinstance(item, str):
                raise Wrong(f"holds {_type(item)}")
            is_free = free and item.startswith(free) and item.removeprefix(free).strip()
            is_listed = not options or item in options or is_free
            if not item.strip() or not is_plain(item) or not is_listed:
                raise Wrong(f"holds {item!r}")
        if len(set(items)) != len(items):
            raise Wrong("names one twice")
        return items

    shown = [f"`{option}`" for option in options] + ([f"`{free}NAME`"] if free else [])
    allowed = "list of " + (", ".join(shown) or "texts")
    return Sort("names", allowed, read, parse=_items, show=list, options=options)


def pair(low: int = 0) -> Sort:
    def read(raw: object) -> Span:
        ends = raw if isinstance(raw, list | tuple) else (raw, raw)
        if len(ends) != 2:
            raise Wrong("is not a pair")
        span = Span(*(_within(_check_type(end, int), low, None) for end in ends))
        if span.low > span.high:
            raise Wrong("has its low end above its high end")
        return span

    def parse(text: str) -> list[int]:
        try:
            return [int(end) for end in text.split("-")] * (1 if "-" in text else 2)
        except ValueError:
            raise Wrong("is not `low-high`") from None

    allowed = f"`[low, high]` or one whole number, {_bounds(low, None)}"
    return Sort("pair", allowed, read, parse=parse, show=list, low=low)


def size() -> Sort:
    def read(raw: object) -> Size:
        if isinstance(raw, Size):
            return raw
        if isinstance(raw, str) and raw.endswith("%"):
            return Size(percent=float(_within(_number_of(float)(raw[:-1]), 0, 100)))
        return Size(tokens=_within(_check_type(raw, int), 0, None))

    def show(value: Size) -> int | str:
        return f"{value.percent!r}%".replace(".0%", "%") if value.percent else value.tokens

    return Sort(
        "size",
        'tokens (0: none), or a share of the model\'s window such as `"15%"`',
        read,
        parse=lambda text: text if text.endswith("%") else _number_of(int)(text),
        show=show,
    )


def conditions() -> Sort:
    def read(raw: object) -> Condition:
        pattern = r"([a-z_][a-z0-9_.]*)\s*(>=|<=|==|!=|>|<)\s*(\S+|'[^']*'|\"[^\"]*\")"
        match = re.fullmatch(pattern, str(raw)) if isinstance(raw, str | Condition) else None
        if match is None:
            raise Wrong(f"holds {raw!r}")
        field, op, word = match.groups()
        if word[0] == word[-1] and word[0] in "'\"" and len(word) > 1:
            return Condition(field, op, word[1:-1])
        value = _number_or_text(word)
        if isinstance(value, float) and not math.isfinite(value):
            raise Wrong(f"holds {raw!r}")
        return Condition(field, op, word == "true" if word in ("true", "false") else value)

    return Sort(
        "conditions",
        'list of tests such as `"message_count >= 3"`',
        lambda raw: tuple(map(read, _check_type(raw, list, tuple))),
        parse=_items,
        show=lambda value: [str(condition) for condition in value],
    )


# --- sorts by annotation --------------------------------------------------------------------------

_BY_TYPE: dict[Any, Callable[..., Sort]] = {
    bool: flag,
    int: whole,
    float: real,
    str: text,
    Secret: secret,
    Span: pair,
    Size: size,
    Place: partial(text, name="place"),
    Inside: inside,
    Url: url,
    Cron: cron,
    ZoneName: zone,
    Life: life,
    timedelta: partial(span, never=False),
    timedelta | None: partial(span, never=True),
    tuple[Condition, ...]: conditions,
}


def sort_of(annotation: Any, options: Any = None, **limits: Any) -> Sort:
    """The sort of an annotation; ``options`` is a Literal where the annotation is wider."""
    listed = get_origin(annotation) is tuple
    if options is None and annotation not in _BY_TYPE:
        options = get_args(annotation)[0] if listed else annotation
    if options is None:
        return _BY_TYPE[annotation](**limits)
    return (names if listed else choice)(get_args(options), **limits)


def is_plain(text: str) -> bool:
    """Whether a text can stand in a file and a log line as it is."""
    return not any(c < " " or c == "\x7f" or "\ud800" <= c <= "\udfff" for c in text)


def _check_type(raw: object, *types: type) -> Any:
    """The value, if it is of these types; true and false are no numbers."""
    if isinstance(raw, types) and (types == (bool,) or not isinstance(raw, bool)):
        return raw
    raise Wrong(f"is {_type(raw)}")


def _within(number: Any, low: float, high: float | None) -> Any:
    if isinstance(number, float) and not math.isfinite(number):
        raise Wrong("is not a finite number")
    if number < low or number >= _TOO_MUCH or (high is not None and number > high):
        raise Wrong("is out of range")
    return number


def _text(raw: object, *, empty: bool) -> str:
    text: str = _check_type(raw, str)
    if not text.strip() and not empty:
        raise Wrong("is empty")
    if not is_plain(text):
        raise Wrong("has line breaks or control characters")
    return text


def _span(raw: object) -> timedelta:
    if not isinstance(raw, timedelta):
        value = _check_type(raw, int, float, str)
        try:
            raw = duration(value.strip()) if isinstance(value, str) else timedelta(seconds=value)
        except (ValueError, OverflowError):
            raise Wrong("is not a duration") from None
    if raw <= timedelta(0):
        raise Wrong("is out of range")
    return raw


def _number_of(kind: type[int] | type[float]) -> Callable[[str], float]:
    """Reads the text of an environment variable as a number."""
    name = "a whole number" if kind is int else "a number"

    def read(text: str) -> float:
        try:
            return kind(text)
        except ValueError:
            raise Wrong(f"is not {name}") from None

    return read


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")] if text.strip() else []


def _bounds(low: float, high: float | None) -> str:
    return f"{low:g} or more" if high is None else f"{low:g} to {high:g}"


def _type(raw: object) -> str:
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    return words.get(type(raw), f"a {type(raw).__name__}")
