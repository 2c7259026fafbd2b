"""Patterns and lists of words that are kept as data, in TOML files beside their code."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache

from mnemic.late import data_of

_PATTERNS = "mnemic.language.extract.patterns"
_LANGUAGE_FILE = re.compile(r"([a-z]{2,3})\.toml")
_NAME = re.compile(r"\{([a-z_]+)\}")
_BREAK = re.compile(r"\n\s*")
_BETWEEN = re.compile(r"\s*[|\n]\s*")


class WordFile:
    """The patterns and words of a file; read and compiled at first use.

    ``[patterns]`` match either case, ``[cased]`` as they are written. ``[lists]`` are words between
    spaces, ``[phrases]`` are parted by bars and line ends, and ``[spaced]`` are phrases that are
    looked for in words between spaces.
    """

    def __init__(self, package: str, file: str) -> None:
        self._package, self._file = package, file
        self.pattern = cache(self._compile)
        self.words = cache(self._split)
        self.phrases = cache(self._sort)
        self.tree = cache(self._load)

    def _compile(self, name: str) -> re.Pattern[str]:
        """The pattern of this name."""
        either = name in self.tree().get("patterns", ())
        return re.compile(self._source(name), re.IGNORECASE if either else 0)

    def _split(self, name: str) -> frozenset[str]:
        """The list of words of this name."""
        return frozenset(self.tree()["lists"][name].split())

    def _sort(self, name: str) -> tuple[str, ...]:
        """The phrases of this name, the longest first so that it is the one reported."""
        spaced = name in self.tree().get("spaced", ())
        text = self.tree()["spaced" if spaced else "phrases"][name]
        phrases = sorted(sorted(set(_BETWEEN.split(text.strip()))), key=len, reverse=True)
        return tuple(f" {phrase} " for phrase in phrases) if spaced else tuple(phrases)

    def _source(self, name: str) -> str:
        """A pattern without its line breaks and with those it names put in."""
        tree = self.tree()
        text = tree.get("patterns", {}).get(name) or tree["cased"][name]
        return _NAME.sub(lambda match: self._source(match[1]), _BREAK.sub("", text))

    def _load(self) -> Mapping[str, Mapping[str, str]]:
        return tomllib.loads(data_of(self._package).joinpath(self._file).read_text("utf-8"))


@cache
def list_languages() -> tuple[str, ...]:
    """The codes of the languages that have a pattern file: what is there is used."""
    files = (_LANGUAGE_FILE.fullmatch(path.name) for path in data_of(_PATTERNS).iterdir())
    return tuple(sorted(match[1] for match in files if match))


def read_packaged_table(code: str, name: str) -> Mapping[str, str]:
    """One table of a language's [words], read without the rest of its file; empty if not there."""
    _, header, rest = read_packaged(code).partition(f"\n[words.{name}]\n")
    table: Mapping[str, str] = tomllib.loads(rest.partition("\n[")[0]) if header else {}
    return table


def read_packaged(code: str) -> str:
    """The pattern file of a language, or another file beside it."""
    return data_of(_PATTERNS).joinpath(f"{code}.toml").read_text("utf-8")
