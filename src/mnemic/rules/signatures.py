"""Arguments of public calls, checked against the annotations of the call before anything is done.

A wrong type is refused here, once for every call, with one of our errors; what a value of the right
type may be (a range, one of a few words, text that UTF-8 can hold) is checked by `rules/checks.py`.
The annotations are read at the first call.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import (
    Any,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

from mnemic.errors import InvalidInput

P = ParamSpec("P")
R = TypeVar("R")


class _Path:
    """Stands for anything with ``__fspath__``."""


_NAMES: dict[object, str] = {
    str: "text (str)",
    int: "a whole number (int)",
    float: "a number",
    bool: "True or False",
    type(None): "None",
    datetime: "a datetime",
    date: "a date",
    timedelta: "a timedelta",
    Iterable: "a list",
    Sequence: "a list",
    Mapping: "a dict",
    Callable: "a function",
    _Path: "a path",
}
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_LISTS = (Iterable, Sequence)
_TEXT = (str, bytes, bytearray)


class _Expected:
    """What one parameter takes. ``exact`` are the types that need no second look."""

    __slots__ = ("exact", "kinds")

    def __init__(self, annotation: object) -> None:
        self.kinds = tuple(_kinds(annotation))
        self.exact = frozenset(self.kinds) - frozenset((*_LISTS, Mapping, Callable, _Path))

    def takes(self, value: object) -> bool:
        return any(_is(value, kind) for kind in self.kinds)

    def __str__(self) -> str:
        names = dict.fromkeys(_NAMES.get(kind) or f"a {kind.__name__}" for kind in self.kinds)
        return " or ".join(names)


def check_arguments(call: Callable[P, R]) -> Callable[P, R]:
    """The same call; an argument of a wrong type is InvalidInput."""
    expected: dict[str, _Expected] = {}
    exact: dict[str, frozenset[object]] = {}
    positions: list[str] = []
    named: frozenset[str] | None = None  # the keywords it takes; None: any

    def check(name: str, value: object) -> None:
        parameter = expected[name]
        if not parameter.takes(value):
            raise InvalidInput(
                f"{name} is a {type(value).__name__}, not {parameter}", remedy=f"Pass {parameter}"
            )

    @functools.wraps(call)
    def check_and_call(*args: P.args, **kwargs: P.kwargs) -> R:
        nonlocal named
        if not positions:
            named = _read(call, positions, expected)
            exact.update((name, parameter.exact) for name, parameter in expected.items())
        for name, value in kwargs.items():
            if name in exact and type(value) not in exact[name]:
                check(name, value)
            elif named is not None and name not in named:
                raise TypeError(_explain_unexpected(call.__name__, name, named))
        for name, value in zip(positions, args, strict=False):
            if name in exact and type(value) not in exact[name]:
                check(name, value)
        return call(*args, **kwargs)

    return check_and_call


class CheckedCalls:
    """A class whose public methods, and those of the classes below it, check their arguments."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, member in list(vars(cls).items()):
            if inspect.isfunction(member) and not name.startswith("_"):
                setattr(cls, name, check_arguments(member))


def _explain_unexpected(call: str, name: str, keywords: Iterable[str]) -> str:
    """What a keyword that a call does not take is answered with."""
    from difflib import get_close_matches

    former = {"content": "text", "k": "limit", "top_k": "limit", "user_id": "space"}.get(name, "")
    near = [former] if former in keywords else get_close_matches(name, sorted(keywords), 1, 0.5)
    takes = f"It takes {', '.join(sorted(keywords))}." if keywords else "It takes no keywords."
    hint = f"Did you mean {near[0]!r}?" if near else takes
    return f"{call}() got an unexpected keyword argument {name!r}. {hint}"


class Argument(NamedTuple):
    """One argument of a call; ``default`` is ``Parameter.empty`` where it has to be given."""

    annotation: Any
    kind: Any
    default: Any


def arguments_of(call: Callable[..., object]) -> dict[str, Argument]:
    """The arguments of a call by name and in order, also those of its ``**options: Unpack[…]``."""
    hints, listed = get_type_hints(call), dict[str, Argument]()
    for parameter in inspect.signature(call).parameters.values():
        hint = hints.get(parameter.name, Any)
        if get_origin(hint) is not Unpack:
            listed[parameter.name] = Argument(hint, parameter.kind, parameter.default)
            continue
        (options,) = get_args(hint)
        for name, inner in get_type_hints(options).items():
            default = parameter.empty if name in options.__required_keys__ else None
            listed[name] = Argument(inner, parameter.KEYWORD_ONLY, default)
    return listed


def _read(
    call: Callable[..., object], positions: list[str], expected: dict[str, _Expected]
) -> frozenset[str] | None:
    """Fill in what each parameter takes; says the keywords, None where any is taken."""
    listed = arguments_of(call)
    for name, argument in listed.items():
        if argument.kind in _NAMED and (parameter := _Expected(argument.annotation)).kinds:
            expected[name] = parameter
    positions += [name for name, argument in listed.items() if argument.kind is not _NAMED[1]]
    if any(argument.kind is inspect.Parameter.VAR_KEYWORD for argument in listed.values()):
        return None
    return frozenset(n for n, argument in listed.items() if argument.kind in _NAMED and n != "self")


def _kinds(annotation: object) -> Iterable[Any]:
    """The types a value may have; none where anything goes."""
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        for inner in get_args(annotation):
            yield from _kinds(inner)
    elif origin is Literal:
        yield from dict.fromkeys(map(type, get_args(annotation)))
    elif hasattr(origin or annotation, "__fspath__"):
        yield _Path
    elif origin is not None:
        yield origin
    elif isinstance(annotation, type) and annotation not in (object, Any):
        yield annotation


def _is(value: object, kind: Any) -> bool:
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is bool:
        return isinstance(value, int) and value in (0, 1)
    if kind in _LISTS and isinstance(value, _TEXT):
        return False
    if kind is _Path:
        return hasattr(type(value), "__fspath__")
    if getattr(kind, "_is_protocol", False) and kind not in _NAMES:
        methods = [name for name, member in vars(kind).items() if inspect.isfunction(member)]
        return all(callable(getattr(value, name, None)) for name in methods)
    return isinstance(value, kind)
