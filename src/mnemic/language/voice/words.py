"""The vocabulary of quoting in English and Chinese, as data: ``words.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

_NAME = re.compile(r"\{([a-z_]+)\}")
_BREAK = re.compile(r"\n\s*")


@cache
def pattern(name: str) -> re.Pattern[str]:
    """The pattern of this name, in either case; compiled at first use."""
    return re.compile(_source(name), re.IGNORECASE)


@cache
def words(name: str) -> frozenset[str]:
    """The list of words of this name."""
    return frozenset(_tree()["lists"][name].split())


def _source(name: str) -> str:
    """A pattern with those it names put in."""
    joined = _BREAK.sub("", _tree()["patterns"][name])
    return _NAME.sub(lambda match: _source(match[1]), joined)


@cache
def _tree() -> Mapping[str, Mapping[str, str]]:
    file = resources.files("mnemic.language.voice").joinpath("words.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))
