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

    nodes: list[_Node]


_Node = str | _Group


# SQLite is told by a plus to use no index of that column; here the key begins with it.
_UNINDEXED = re.compile(r"(?<=[\s(])\+(?=(?:\w+\.)?space\b)")


@lru_cache(4096)
def translate(text: str) -> tuple[NativeStatement, ...]:
    counted = 0
    statements = []
    for tokens in _split(_UNINDEXED.sub("", text)):
        translator = _Translator(counted)
        output = translator.translate(_group(tokens))
        if translator.ignores:
            output += " ON CONFLICT DO NOTHING"
        statements.append(NativeStatement(output.strip(), tuple(translator.wanted)))
        counted = translator.counted
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


def _group(tokens: Sequence[str]) -> list[_Node]:
    levels: list[list[_Node]] = [[]]
    for token in tokens:
        if token == "(":
            levels.append([])
        elif token == ")":
            inner = levels.pop()
            levels[-1].append(_Group(inner))
        else:
            levels[-1].append(token)
    (nodes,) = levels
    return nodes


class _Translator:
    """Translates one statement."""

    def __init__(self, counted: int) -> None:
        self.counted = counted  # plain question marks so far, in all statements
        self.wanted: list[int | str] = []
        self.ignores = False
        self._numbers: dict[int | str, int] = {}
        self._keyed: frozenset[str] = frozenset()

    def translate(self, nodes: Sequence[_Node]) -> str:
        if not self._keyed:
            self._keyed = frozenset(_find_keyed(nodes))
        output: list[str] = []
        position = 0
        while position < len(nodes):
            position = self._next(nodes, position, output)
        return "".join(output)

    def _next(self, nodes: Sequence[_Node], at: int, output: list[str]) -> int:
        """Translate what stands there; gives where to go on."""
        node = nodes[at]
        if isinstance(node, _Group):
            output.append(f"({self.translate(node.nodes)})")
            return at + 1
        if node[0] in "?:":
            return self._value(nodes, at, output)
        if node in ("->>", "->"):
            return self._member(nodes, at, output)
        if node == "+" and (not _before(output) or _before(output).upper() in _OPENS):
            return at + 1
        end = self._call(nodes, at, output) or self._phrase(nodes, at, output)
        if not end:
            output.append("BIGINT" if node.upper() == "INTEGER" else node)
        return end or at + 1

    def _call(self, nodes: Sequence[_Node], at: int, output: list[str]) -> int:
        """A function that has another name or form; 0 where there is none."""
        name = str(nodes[at]).upper()
        group = nodes[at + 1] if at + 1 < len(nodes) else None
        if name not in _CALLS or not isinstance(group, _Group):
            return 0
        arguments = [self.translate(argument).strip() for argument in _arguments(group)]
        answer = _CALLS[name](arguments)
        if name == "JSON_EACH":
            alias = _word(nodes, at + 2).lower()
            answer = f"{'json_fields' if alias in self._keyed else 'json_items'}{answer}"
        output.append(answer)
        return at + 2

    def _phrase(self, nodes: Sequence[_Node], at: int, output: list[str]) -> int:
        """Words that have another form; 0 where there are none."""
        for phrase, usual in _PHRASES:
            end = 0 if nodes[at] == " " else _match(nodes, at, phrase)
            if not end:
                continue
            if phrase == _REFUSED:
                raise ValueError("OR REPLACE has no counterpart; write ON CONFLICT")
            self.ignores |= phrase == _IGNORE
            output.append(usual)
            return end
        return 0

    def _value(self, nodes: Sequence[_Node], at: int, output: list[str]) -> int:
        token = str(nodes[at])
        name: int | str
        if token == "?":
            name, self.counted = self.counted, self.counted + 1
        elif token[0] == "?":
            name = int(token[1:]) - 1
        else:
            name = token[1:]
        if _word(nodes, at + 1).upper() == "IS":
            # Of a value that is only asked whether it is there, nothing tells its type.
            output.append(f"CAST({self._number(name, shared=False)} AS text)")
        else:
            output.append(self._number(name))
        return at + 1

    def _number(self, name: int | str, *, shared: bool = True) -> str:
        if not shared or name not in self._numbers:
            self.wanted.append(name)
            number = len(self.wanted)
            if not shared:
                return f"${number}"
            self._numbers[name] = number
        return f"${self._numbers[name]}"

    def _member(self, nodes: Sequence[_Node], at: int, output: list[str]) -> int:
        """A part of JSON that is kept as text."""
        while output[-1] == " ":
            output.pop()
        holder, place = output.pop(), _place(nodes, at + 1)
        key: list[str] = []
        end = self._next(nodes, place, key)
        member = f"(as_json({holder}) {nodes[at]} {''.join(key)})"
        output.append(member if nodes[at] == "->>" else f"{member}::text")
        return end


def _find_keyed(nodes: Sequence[_Node]) -> set[str]:
    """The aliases of which the key is used: they stand for JSON objects."""
    aliases: set[str] = set()
    for node in nodes:
        if isinstance(node, _Group):
            aliases |= _find_keyed(node.nodes)
        elif node.lower().endswith(".key"):
            aliases.add(node.lower().removesuffix(".key"))
    return aliases


def _arguments(group: _Group) -> list[list[_Node]]:
    arguments: list[list[_Node]] = [[]]
    for node in group.nodes:
        if node == ",":
            arguments.append([])
        else:
            arguments[-1].append(node)
    return arguments


def _place(nodes: Sequence[_Node], at: int) -> int:
    """Where the next word stands."""
    while at < len(nodes) and nodes[at] == " ":
        at += 1
    return at


def _word(nodes: Sequence[_Node], at: int) -> str:
    at = _place(nodes, at)
    return str(nodes[at]) if at < len(nodes) and isinstance(nodes[at], str) else ""


def _match(nodes: Sequence[_Node], at: int, phrase: tuple[str, ...]) -> int:
    """Where a phrase that begins there ends; 0 where another stands."""
    for word in phrase:
        at = _place(nodes, at)
        if at >= len(nodes) or not isinstance(nodes[at], str):
            return 0
        if word != "*" and str(nodes[at]).upper() != word:
            return 0
        at += 1
    return at


def _before(output: Sequence[str]) -> str:
    for token in reversed(output):
        if token.strip():
            return token
    return ""


def _substr(args: list[str]) -> str:
    if len(args) == 2 and args[1].strip().startswith("-"):
        return f"right({args[0]}, {args[1].strip()[1:]})"
    if len(args) == 3 and not args[2].strip().isdigit():
        args = [*args[:2], f"greatest({args[2]}, 0)"]
    return f"substr({', '.join(args)})"


def _either(of_values: str, of_column: str) -> Callable[[list[str]], str]:
    """The larger of several values, or the largest of a column."""
    return lambda args: f"{of_values if len(args) > 1 else of_column}({', '.join(args)})"


def _remove(args: list[str]) -> str:
    key = args[1].strip().strip("'").removeprefix("$.")
    return f"(as_json({args[0]}) - '{key}')::text"


_CALLS: Mapping[str, Callable[[list[str]], str]] = {
    "IFNULL": lambda args: f"coalesce({', '.join(args)})",
    "IIF": lambda args: f"CASE WHEN {args[0]} THEN {args[1]} ELSE {args[2]} END",
    "MAX": _either("greatest", "max"),
    "MIN": _either("least", "min"),
    "INSTR": lambda args: f"strpos({', '.join(args)})",
    "CHAR": lambda args: f"chr({args[0]})",
    "LOWER": lambda args: f'lower(({args[0]}) COLLATE "C")',
    "SUBSTR": _substr,
    "GROUP_CONCAT": lambda args: f"string_agg(({args[0]})::text, ',')",
    "JSON_GROUP_ARRAY": lambda args: f"coalesce(json_agg({args[0]})::text, '[]')",
    "JSON_REMOVE": _remove,
    "JSON_EACH": lambda args: f"({', '.join(args)})",
}
_IGNORE, _REFUSED = ("OR", "IGNORE"), ("OR", "REPLACE")
_PHRASES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("CROSS", "JOIN"), "JOIN"),
    (("INDEXED", "BY", "*"), ""),
    (("LIMIT", "-", "1"), "LIMIT ALL"),
    (_IGNORE, ""),
    (_REFUSED, ""),
)
