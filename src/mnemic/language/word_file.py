"""Patterns and lists of words that are kept as data, in TOML files beside their code."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

BUILT_IN = ("en", "zh")  # languages that have a pattern file
_NAME = re.compile(r"\{([a-z_]+)\}")
_BREAK = re.compile(r"\n\s*")


class WordFile:
    """The ``[patterns]`` and ``[lists]`` of a file; read and compiled at first use."""

    def __init__(self, package: str, file: str) -> None:
        self._package, self._file = package, file
        self.pattern = cache(self._compile)
        self.words = cache(self._split)
        self._tree = cache(self._load)

    def _compile(self, name: str) -> re.Pattern[str]:
        """The pattern of this name, in either case."""
        return re.compile(self._source(name), re.IGNORECASE)

    def _split(self, name: str) -> frozenset[str]:
        """The list of words of this name."""
        return frozenset(self._tree()["lists"][name].split())

    def _source(self, name: str) -> str:
        """A pattern without its line breaks and with those it names put in."""
        joined = _BREAK.sub("", self._tree()["patterns"][name])
        return _NAME.sub(lambda match: self._source(match[1]), joined)

    def _load(self) -> Mapping[str, Mapping[str, str]]:
        file = resources.files(self._package).joinpath(self._file)
        return tomllib.loads(file.read_text(encoding="utf-8"))


def packaged_table(code: str, name: str) -> Mapping[str, str]:
    """One table of a language's [words], read without the rest of its file; empty if not there."""
    _, found, rest = packaged(code).partition(f"\n[words.{name}]\n")
    table: Mapping[str, str] = tomllib.loads(rest.partition("\n[")[0]) if found else {}
    return table


def packaged(code: str) -> str:
    """The pattern file of a language."""
    folder = resources.files("mnemic.language.extract").joinpath("patterns")
    return folder.joinpath(f"{code}.toml").read_text(encoding="utf-8")
