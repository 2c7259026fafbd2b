"""Problems in settings, each with its remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from mnemic.errors import ConfigError
from mnemic.settings.group import Setting, SettingsGroup
from mnemic.settings.tree import Settings
from mnemic.settings.values import ValueOrigin

PREFIX = "MNEMIC_"
ANY = "<name>"

# Keywords of mnemic.open and connect that are not settings.
_OPTIONS = (
    *("preset", "space", "worker", "clock", "token", "threads", "quota", "embedder", "vectors"),
    *("actions", "vector_memory"),
)


class Problem(NamedTuple):
    """One mistake: what, and what would be right."""

    what: str
    remedy: str


def keys(group: type[SettingsGroup] = Settings, prefix: str = "") -> Iterator[str]:
    """Every key there is, dotted; an entry of a table is called ``<name>``."""
    for name, setting in group.fields.items():
        key = f"{prefix}{name}" + (f".{ANY}" if setting.table else "")
        if setting.group is None:
            yield key
        else:
            yield from keys(setting.group, f"{key}.")


@cache
def list_keys() -> tuple[str, ...]:
    return tuple(keys())


def env_name(key: str) -> str:
    """The environment variable of a key."""
    return PREFIX + key.replace(".", "__").upper()


def unknown(
    key: str, place: type[SettingsGroup] | Setting, prefix: str, origin: ValueOrigin
) -> Problem:
    """The key does not exist: name the nearest ones, or all in its place."""
    near = _nearest(key, origin.layer)
    if near:
        remedy = f"Did you mean {_list(near, origin)}?"
    elif prefix:
        names = place.default if isinstance(place, Setting) else [*place.fields, *place.spellings]
        here = [f"{prefix}.{name}" for name in names]
        remedy = f"In {prefix} there are {_list(here, origin)}"
    else:
        groups = [name for name, setting in Settings.fields.items() if setting.group]
        remedy = f"The groups are {', '.join(groups)}"
    return Problem(f"{_place(key, origin)}: there is no such setting", remedy)


def wrong(key: str, value: str, why: str, allowed: str, origin: ValueOrigin) -> Problem:
    """The value does not fit."""
    equals = f" = {value}" if value else ""
    return Problem(f"{_place(key, origin, equals)}: {why}", f"It takes {allowed}")


def refuse_unnamed(key: str, value: str, origin: ValueOrigin) -> Problem:
    """A file that merely stood beside a database asks for more than it may."""
    return Problem(
        f"{_place(key, origin, f' = {value}')}: a file that nobody named may neither name a server"
        " nor leave its folder",
        f"Set {env_name(key)} or, if you trust the file, {PREFIX}CONFIG={origin.source}",
    )


def report(problems: Sequence[Problem]) -> ConfigError:
    """All mistakes of one load as one error."""
    if len(problems) == 1:
        return ConfigError(problems[0].what, remedy=problems[0].remedy)
    lines = ".".join(f"\n- {problem.what}. {problem.remedy}" for problem in problems)
    return ConfigError(f"{len(problems)} settings are wrong:{lines}", remedy="Correct them all")


def _place(key: str, origin: ValueOrigin, equals: str = "") -> str:
    return f"{key}{equals} (from {origin})"


def _list(keys: Sequence[str], origin: ValueOrigin) -> str:
    if origin.layer == "environment":
        keys = [env_name(key) for key in keys]
    return " or ".join(keys) if len(keys) < 4 else ", ".join(keys)


def _nearest(key: str, layer: str) -> list[str]:
    from difflib import get_close_matches

    last = key.rpartition(".")[2]
    # The right word in the wrong place comes before a similar word in the right place.
    same = [key_names for key_names in list_keys() if key_names.rpartition(".")[2] == last]
    if same and len(same) <= 3:
        return same
    names = [*list_keys()]
    if layer != "environment":
        before_names = (name.partition(f".{ANY}")[0] for name in list_keys())
        names += dict.fromkeys(name.rpartition(".")[0] for name in before_names)
    names += _OPTIONS if layer == "arguments" else ()
    return get_close_matches(key, names, n=3, cutoff=0.75)
