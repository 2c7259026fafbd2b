"""SQLite's SQL in PostgreSQL's words, so that the parts of a store are written once.

Not a general translator: it knows what the statements of this house use, and refuses what it
knows to be different and cannot say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

_TOKEN = re.compile(
    r"""
      (?P<text>'(?:[^']|'')*')
    | (?P<value>\?\d*|:[A-Za-z_]\w*)
    | (?P<word>[A-Za-z_"][\w"]*(?:\.[A-Za-z_"*][\w"]*)?)
    | (?P<number>\d+(?:\.\d+)?)
    | (?P<space>\s+)
    | (?P<sign>->>|->|\|\||[<>!=]=|<>|.)
    """,
    re.VERBOSE | re.DOTALL,
)
# Words before which a plus sign is no sum: SQLite is told not to use an index for the column.
_OPENS = {"WHERE", "AND", "OR", "ON"}


class NativeStatement(NamedTuple):
    """One statement, and which of the given values its ``$1``, ``$2`` and so on are."""

    text: str
    wanted: tuple[int | str, ...]

    def bind(self, values: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        return [values[name] for name in self.wanted]  # type: ignore[index]


class _Group(NamedTuple):
    """What stands in parentheses."""

    parts: list[_Part]


_Part = str | _Group


# SQLite is told by a plus to use no index of that column; here the key begins with it.
_UNINDEXED = re.compile(r"(?<=[\s(])\+(?=(?:\w+\.)?space\b)")


@lru_cache(4096)
def translate(text: str) -> tuple[NativeStatement, ...]:
    counted = 0
    statements = []
    for tokens in _split(_UNINDEXED.sub("", text)):
        speaker = _Speaker(counted)
        said = speaker.say(_grouped(tokens))
        if speaker.ignores:
            said += " ON CONFLICT DO NOTHING"
        statements.append(NativeStatement(said.strip(), tuple(speaker.wanted)))
        counted = speaker.counted
    return tuple(statements)


def _split(text: str) -> list[list[str]]:
    statements: list[list[str]] = [[]]
    for match in _TOKEN.finditer(text):
        if match[0] == ";":
            statements.append([])
        elif match.lastgroup == "space":
            if statements[-1]:
                statements[-1].append(" ")
        else:
            statements[-1].append(match[0])
    return [tokens for tokens in statements if "".join(tokens).strip()]


def _grouped(tokens: Sequence[str]) -> list[_Part]:
    levels: list[list[_Part]] = [[]]
    for token in tokens:
        if token == "(":
            levels.append([])
        elif token == ")":
            inner = levels.pop()
            levels[-1].append(_Group(inner))
        else:
            levels[-1].append(token)
    (whole,) = levels
    return whole


class _Speaker:
    """Says one statement."""

    def __init__(self, counted: int) -> None:
        self.counted = counted  # plain question marks so far, in all statements
        self.wanted: list[int | str] = []
        self.ignores = False
        self._numbers: dict[int | str, int] = {}
        self._keyed: frozenset[str] = frozenset()

    def say(self, parts: Sequence[_Part]) -> str:
        if not self._keyed:
            self._keyed = frozenset(_keyed(parts))
        said: list[str] = []
        position = 0
        while position < len(parts):
            position = self._next(parts, position, said)
        return "".join(said)

    def _next(self, parts: Sequence[_Part], at: int, said: list[str]) -> int:
        """Say what stands there; gives where to go on."""
        part = parts[at]
        if isinstance(part, _Group):
            said.append(f"({self.say(part.parts)})")
            return at + 1
        if part[0] in "?:":
            return self._value(parts, at, said)
        if part in ("->>", "->"):
            return self._member(parts, at, said)
        if part == "+" and (not _before(said) or _before(said).upper() in _OPENS):
            return at + 1
        end = self._call(parts, at, said) or self._phrase(parts, at, said)
        if not end:
            said.append("BIGINT" if part.upper() == "INTEGER" else part)
        return end or at + 1

    def _call(self, parts: Sequence[_Part], at: int, said: list[str]) -> int:
        """A function that has another name or form; 0 where there is none."""
        name = str(parts[at]).upper()
        group = parts[at + 1] if at + 1 < len(parts) else None
        if name not in _CALLS or not isinstance(group, _Group):
            return 0
        answer = _CALLS[name]([self.say(one).strip() for one in _arguments(group)])
        if name == "JSON_EACH":
            alias = _word(parts, at + 2).lower()
            answer = f"{'json_fields' if alias in self._keyed else 'json_items'}{answer}"
        said.append(answer)
        return at + 2

    def _phrase(self, parts: Sequence[_Part], at: int, said: list[str]) -> int:
        """Words that have another form; 0 where there are none."""
        for phrase, usual in _PHRASES:
            end = 0 if parts[at] == " " else _match(parts, at, phrase)
            if not end:
                continue
            if phrase == _REFUSED:
                raise ValueError("OR REPLACE has no counterpart; write ON CONFLICT")
            self.ignores |= phrase == _IGNORE
            said.append(usual)
            return end
        return 0

    def _value(self, parts: Sequence[_Part], at: int, said: list[str]) -> int:
        token = str(parts[at])
        name: int | str
        if token == "?":
            name, self.counted = self.counted, self.counted + 1
        elif token[0] == "?":
            name = int(token[1:]) - 1
        else:
            name = token[1:]
        if _word(parts, at + 1).upper() == "IS":
            # Of a value that is only asked whether it is there, nothing tells its type.
            said.append(f"CAST({self._number(name, shared=False)} AS text)")
        else:
            said.append(self._number(name))
        return at + 1

    def _number(self, name: int | str, *, shared: bool = True) -> str:
        if not shared or name not in self._numbers:
            self.wanted.append(name)
            number = len(self.wanted)
            if not shared:
                return f"${number}"
            self._numbers[name] = number
        return f"${self._numbers[name]}"

    def _member(self, parts: Sequence[_Part], at: int, said: list[str]) -> int:
        """A part of JSON that is kept as text."""
        while said[-1] == " ":
            said.pop()
        holder, place = said.pop(), _place(parts, at + 1)
        key: list[str] = []
        end = self._next(parts, place, key)
        found = f"(as_json({holder}) {parts[at]} {''.join(key)})"
        said.append(found if parts[at] == "->>" else f"{found}::text")
        return end


def _keyed(parts: Sequence[_Part]) -> set[str]:
    """The aliases of which the key is used: they stand for JSON objects."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, _Group):
            found |= _keyed(part.parts)
        elif part.lower().endswith(".key"):
            found.add(part.lower().removesuffix(".key"))
    return found


def _arguments(group: _Group) -> list[list[_Part]]:
    arguments: list[list[_Part]] = [[]]
    for part in group.parts:
        if part == ",":
            arguments.append([])
        else:
            arguments[-1].append(part)
    return arguments


def _place(parts: Sequence[_Part], at: int) -> int:
    """Where the next word stands."""
    while at < len(parts) and parts[at] == " ":
        at += 1
    return at


def _word(parts: Sequence[_Part], at: int) -> str:
    at = _place(parts, at)
    return str(parts[at]) if at < len(parts) and isinstance(parts[at], str) else ""


def _match(parts: Sequence[_Part], at: int, phrase: tuple[str, ...]) -> int:
    """Where a phrase that begins there ends; 0 where another stands."""
    for word in phrase:
        at = _place(parts, at)
        if at >= len(parts) or not isinstance(parts[at], str):
            return 0
        if word != "*" and str(parts[at]).upper() != word:
            return 0
        at += 1
    return at


def _before(said: Sequence[str]) -> str:
    for piece in reversed(said):
        if piece.strip():
            return piece
    return ""


def _substr(given: list[str]) -> str:
    if len(given) == 2 and given[1].strip().startswith("-"):
        return f"right({given[0]}, {given[1].strip()[1:]})"
    if len(given) == 3 and not given[2].strip().isdigit():
        given = [*given[:2], f"greatest({given[2]}, 0)"]
    return f"substr({', '.join(given)})"


def _either(several: str, one: str) -> Callable[[list[str]], str]:
    """The larger of several values, or the largest of a column."""
    return lambda given: f"{several if len(given) > 1 else one}({', '.join(given)})"


def _remove(given: list[str]) -> str:
    key = given[1].strip().strip("'").removeprefix("$.")
    return f"(as_json({given[0]}) - '{key}')::text"


_CALLS: Mapping[str, Callable[[list[str]], str]] = {
    "IFNULL": lambda given: f"coalesce({', '.join(given)})",
    "IIF": lambda given: f"CASE WHEN {given[0]} THEN {given[1]} ELSE {given[2]} END",
    "MAX": _either("greatest", "max"),
    "MIN": _either("least", "min"),
    "INSTR": lambda given: f"strpos({', '.join(given)})",
    "CHAR": lambda given: f"chr({given[0]})",
    "LOWER": lambda given: f'lower(({given[0]}) COLLATE "C")',
    "SUBSTR": _substr,
    "GROUP_CONCAT": lambda given: f"string_agg(({given[0]})::text, ',')",
    "JSON_GROUP_ARRAY": lambda given: f"coalesce(json_agg({given[0]})::text, '[]')",
    "JSON_REMOVE": _remove,
    "JSON_EACH": lambda given: f"({', '.join(given)})",
}
_IGNORE, _REFUSED = ("OR", "IGNORE"), ("OR", "REPLACE")
_PHRASES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("CROSS", "JOIN"), "JOIN"),
    (("INDEXED", "BY", "*"), ""),
    (("LIMIT", "-", "1"), "LIMIT ALL"),
    (_IGNORE, ""),
    (_REFUSED, ""),
)
