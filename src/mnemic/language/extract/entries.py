"""One pattern as data: what it matches, and what a match says.

A pattern matches a whole clause, whatever the case; only ``[A-Z]`` asks for a capital letter. The
pieces of the file's ``[words]`` stand in it in braces: ``{am} from (?P<value>.{2,40})``. A line
break and four spaces after it count for nothing, so that long ones can be broken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, get_args

from mnemic.errors import ConfigError
from mnemic.language.extract.values import CHECKS
from mnemic.types import KINDS, Kind

Scope = Literal["clause", "mention", "open", "sentence", "request", "note", "correction"]
Yields = Literal["statement", "product", "upgrade", "version", "sort"]
SubjectForm = Literal["as written", "lower", "product"]
SortSlot = Literal["never", "known", "only"]
Listing = Literal["one", "first", "any", "each"]
USER = "user"

_PIECE = re.compile(r"\{([a-z_]+)\}")
_BREAK = re.compile(r"\n {0,4}")
_CAPITAL = re.compile(r"\[A-Z&?\]")

# Chinese characters have no case, but asking for it makes a class of them slow to compile.
_OTHERS = r"(?:A-Za-z|\\w|\\-|[^\]\[A-Za-z\\])*"
_HAN_CLASS = re.compile(rf"\[{_OTHERS}\\u4e00-\\u9fff{_OTHERS}\]")

Words = Mapping[str, str | Sequence[str] | Mapping[str, str]]


def _as_it_is(match: re.Match[str]) -> str:
    return f"(?-i:{match.group()})"


class Vocabulary:
    """The named pieces of a language, as regular expressions and as tables."""

    def __init__(self, file: str, words: Words) -> None:
        self.file = file
        self.words = words
        self._expanded: dict[str, str] = {}
        self._compiled: dict[str, re.Pattern[str]] = {}

    def piece(self, name: str, inside: str) -> str:
        """The alternatives of a piece, in a group of their own."""
        if name not in self._expanded:
            if name not in self.words:
                raise ConfigError(
                    f"{self.file}: {inside} uses {{{name}}}, which [words] does not define",
                    remedy=f"Define it, or use one of {', '.join(sorted(self.words))}",
                )
            self._expanded[name] = "(?!)"  # what a piece that holds itself finds there
            words = self.words[name]
            if not isinstance(words, str):
                words = "|".join(sorted(words, key=len, reverse=True))
            self._expanded[name] = f"(?:{self.expand(words, inside)})"
        return self._expanded[name]

    def expand(self, pattern: str, inside: str) -> str:
        return _PIECE.sub(lambda match: self.piece(match[1], inside), _BREAK.sub("", pattern))

    def compile(self, pattern: str, inside: str) -> re.Pattern[str]:
        """The expression with its pieces; an error names the pattern it is of."""
        if pattern in self._compiled:
            return self._compiled[pattern]
        expanded = _CAPITAL.sub(_as_it_is, self.expand(pattern, inside))
        expanded = _HAN_CLASS.sub(_as_it_is, expanded)
        try:
            self._compiled[pattern] = re.compile(expanded, re.I)
        except (re.error, OverflowError, RecursionError) as error:
            raise ConfigError(
                f"{self.file}: {inside} is not a regular expression: {error}",
                remedy="Correct it; it is written as for Python's re module",
            ) from error
        return self._compiled[pattern]

    def table(self, name: str) -> Mapping[str, str]:
        """What each word of a table stands for; the words in lower case."""
        if name == "persons":  # family and everybody else
            return {**self.table("relatives"), **self.table("people")}
        words = self.words.get(name, {})
        return words if isinstance(words, Mapping) else {}


@dataclass(frozen=True)
class Entry:
    """A pattern of a file. The groups of ``match`` that mean something:

    ``value``, ``subject``, ``team`` (the statement is about the team), ``change`` (it replaces what
    was true before), ``known`` (only a known product counts), ``name`` and ``old`` of an upgrade;
    any other can stand in ``slot`` and ``value`` in braces, with a table of [words] after a colon.
    """

    vocabulary: Vocabulary
    name: str
    match: str
    example: tuple[str, ...] = ()
    scope: Scope = "clause"
    yields: Yields = "statement"
    needs: tuple[str, ...] = ()
    kind: Kind = "fact"
    slot: str = ""
    subject: str = USER
    subject_form: SubjectForm = "as written"
    subject_trim: str = ""
    subject_reject: str = ""
    value: tuple[str, ...] = ("{value}",)
    check: str = "thing"
    trim: str = ""
    reject: str = ""
    require: str = ""
    reject_clause: str = ""
    sort_slot: SortSlot = "never"
    known: bool = False
    list: Listing = "one"
    change: bool = False
    ended: bool = False
    asked: bool = False
    part: bool = True
    duration: str = ""
    also: tuple[Mapping[str, str], ...] = ()

    def __str__(self) -> str:
        return f"the pattern {self.name!r}"

    def compile(self, pattern: str) -> re.Pattern[str]:
        return self.vocabulary.compile(pattern, str(self))

    def compile_all(self) -> None:
        """Compile every expression of the entry now."""
        others = (self.trim, self.reject, self.require, self.reject_clause)
        for pattern in (self.match, *others, self.subject_trim, self.subject_reject):
            if pattern:
                self.compile(pattern)

    @cached_property
    def matcher(self) -> re.Pattern[str]:
        return self.compile(self.match)

    @cached_property
    def value_groups(self) -> tuple[str, ...]:
        """The groups that may hold the value: ``value``, and those that stand in its place."""
        blanks = (PLACEHOLDER.findall(template) for template in self.value)
        alone = (pairs[0][0] for pairs in blanks if len(pairs) == 1 and not pairs[0][1])
        return ("value", *(group for group in alone if group != "value"))

    def finds(self, pattern: str, text: str) -> bool:
        """Whether one of the entry's other expressions, if it has it, is in a text."""
        return bool(pattern) and bool(self.compile(pattern).search(text))

    def without(self, pattern: str, text: str) -> str:
        return self.compile(pattern).sub("", text) if pattern else text


_DEFAULTS = {field.name: field.default for field in fields(Entry) if field.name != "vocabulary"}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "scope": get_args(Scope),
    "yields": get_args(Yields),
    "kind": KINDS,
    "subject_form": get_args(SubjectForm),
    "check": tuple(CHECKS),
    "sort_slot": get_args(SortSlot),
    "list": get_args(Listing),
}
_EXPRESSIONS = ("reject", "require", "trim", "reject_clause", "subject_trim", "subject_reject")
_ALSO = frozenset({"slot", "value", "check", "reject", "subject"})
PLACEHOLDER = re.compile(r"\{([a-z_]+)(?::([a-z_]+))?\}")


def entry_of(raw: Mapping[str, Any], vocabulary: Vocabulary) -> Entry:
    """A checked entry; an error names the file, the pattern and a remedy."""
    where = f"{vocabulary.file}: the pattern {raw.get('name', '')!r}"
    for needed in ("name", "match"):
        if not isinstance(raw.get(needed), str) or not raw[needed]:
            raise ConfigError(f"{where} has no {needed}", remedy=f'Give it one: {needed} = "..."')
    values: dict[str, Any] = {}
    for field, value in raw.items():
        if field not in _DEFAULTS:
            raise ConfigError(
                f"{where} has an unknown field {field!r}",
                remedy=f"The fields are {', '.join(sorted(_DEFAULTS))}",
            )
        values[field] = _check_field(where, field, value)
    entry = Entry(vocabulary, **values)
    if (
        entry.scope not in ("request", "correction")
        and entry.yields == "statement"
        and not entry.slot
    ):
        raise ConfigError(f"{where} has no slot", remedy='Say what it tells: slot = "lives_in"')
    return entry


def check_expressions(entry: Entry) -> None:
    """Compile all of an entry, so that what is wrong shows when it is read and not on a message."""
    for field in _EXPRESSIONS:
        entry.compile(getattr(entry, field))
    where = f"{entry.vocabulary.file}: {entry}"
    groups = {*entry.matcher.groupindex, "value"}
    templates = [entry.slot, *entry.value, *(table["value"] for table in entry.also)]
    for group, table in (pair for text in templates for pair in PLACEHOLDER.findall(text)):
        if group not in groups:
            raise ConfigError(
                f"{where} names the group {group!r}, which its match does not have",
                remedy=f"Write (?P<{group}>...) where it occurs in the clause",
            )
        if table and not entry.vocabulary.table(table):
            raise ConfigError(
                f"{where} looks up {table!r}, which is not a table of [words]",
                remedy=f"Define [words.{table}]",
            )


def _check_field(where: str, field: str, value: object) -> object:
    default = _DEFAULTS[field]
    if isinstance(default, tuple):
        items = (value,) if isinstance(value, str) and field == "value" else value
        good = isinstance(items, list | tuple) and all(
            _is_also_table(value) if field == "also" else isinstance(value, str) for value in items
        )
        if not good:
            item_type = f"tables of {', '.join(sorted(_ALSO))}" if field == "also" else "texts"
            raise ConfigError(f"{where}: {field} is {value!r:.60}", remedy=f"A list of {item_type}")
        assert isinstance(items, list | tuple)
        return tuple(items)
    wanted_type = bool if isinstance(default, bool) else str
    if not isinstance(value, wanted_type):
        raise ConfigError(
            f"{where}: {field} is {value!r:.60}",
            remedy="true or false" if wanted_type is bool else "A text in quotes",
        )
    if field in _CHOICES and value not in _CHOICES[field]:
        raise ConfigError(
            f"{where}: {field} is {value!r:.60}", remedy=f"One of {', '.join(_CHOICES[field])}"
        )
    return value


def _is_also_table(table: object) -> bool:
    return (
        isinstance(table, Mapping)
        and _ALSO >= set(table) >= {"slot", "value"}
        and all(isinstance(text, str) for text in table.values())
        and table.get("check", "thing") in CHECKS
    )
