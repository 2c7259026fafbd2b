"""The texts that stand in the source for people to read: what commands print, and errors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

import click

from mnemic import errors
from mnemic.cli.root import COMMANDS, SECTIONS, cli
from mnemic.store.failures import failures_of

PACKAGE = Path(errors.__file__).parent
FIELD = re.compile(r"\{\w*(?:[:!][^}]*)?\}")
_WORDS = re.compile(r"(?<!-)\b[A-Za-z]{2,}[,:;.]? +[A-Za-z]{2,}")
_BARE_WORD = re.compile(r"(?<![\w./:#{-])[A-Za-z]{2,}(?![\w:{-])")
_COMMANDS = {*COMMANDS, "GB"}  # what is typed, and a unit
_ERRORS = {
    *(name for name, value in vars(errors).items() if isinstance(value, type)),
    *("UsageError", "BadParameter", "ClickException"),
}
# Not for people, or in both languages as they stand.
_NOT_PRINTED = {"phrases.py"}
_SILENT = {
    "import_module",
    "getattr",
    "strftime",
    "compile",
    "parse_and_bind",
    "make_token",
    "command",
    "read_utf8",
}
_SILENT_ARGUMENTS = {"help", "right", "metavar", "name"}


class SourceText(NamedTuple):
    """A text, and where it stands."""

    text: str
    place: str


def template(node: ast.AST) -> str | None:
    """A literal with empty braces in place of what is filled in; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return None


def unnamed(text: str) -> str:
    """A text of a catalog with the names taken out of its braces."""
    return FIELD.sub("{}", text)


@cache
def files(folder: str = "") -> tuple[tuple[str, ast.Module], ...]:
    found = sorted((PACKAGE / folder).rglob("*.py"))
    return tuple(
        (str(path.relative_to(PACKAGE)), ast.parse(path.read_text(encoding="utf-8")))
        for path in found
    )


def _printing() -> Iterator[tuple[str, ast.Module, set[int]]]:
    """The files of the commands, each with what in it is no output."""
    for name, tree in files("cli"):
        if name.removeprefix("cli/") not in _NOT_PRINTED:
            yield name, tree, _silent(tree)


def printed() -> Iterator[SourceText]:
    """Literals of the commands that are printed: keys of the catalog of output."""
    for name, tree, silent in _printing():
        for node in ast.walk(tree):
            place = f"{name}:{getattr(node, 'lineno', 0)}"
            for text in (*_called(node), *_facts(node)):
                yield SourceText(text, place)
            literal = template(node) if isinstance(node, ast.Constant) else None
            if literal and id(node) not in silent and _WORDS.search(literal):
                yield SourceText(literal, place)


def untranslatable() -> Iterator[SourceText]:
    """Sentences put together in place, which no catalog can know."""
    for name, tree, silent in _printing():
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr) and id(node) not in silent:
                text = (template(node) or "").strip()
                bare = set(_BARE_WORD.findall(text)) - _COMMANDS
                if bare and "mnemic" not in text:
                    yield SourceText(text, f"{name}:{node.lineno}")


def raised(folder: str = "") -> Iterator[SourceText]:
    """Messages and remedies of errors, with empty braces."""
    for name, tree in files(folder):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _name(node) in _ERRORS:
                rest = [k.value for k in node.keywords if k.arg in ("message", "remedy")]
                for argument in (*node.args[:1], *rest):
                    for branch in _branches(argument):
                        text = template(branch)
                        if text and FIELD.sub("", text).strip():
                            yield SourceText(text, f"{name}:{node.lineno}")
    for failure in map(failures_of, ("sqlite", "postgres") if folder in ("", "store") else ()):
        for text in (text for one in failure for text in (one.message, one.remedy)):
            yield SourceText(unnamed(text), "store/failures.tsv")


def help_paragraphs() -> Iterator[SourceText]:
    """Help of all commands, options and groups, a paragraph each, unwrapped."""

    def walk(command: click.Command, context: click.Context) -> Iterator[SourceText]:
        place = context.command_path
        texts = [cleandoc(command.help or ""), command.epilog or ""]
        texts += [p.help or "" for p in command.get_params(context) if isinstance(p, click.Option)]
        for paragraph in "\n\n".join(texts).split("\n\n"):
            if paragraph.strip():
                yield SourceText(" ".join(paragraph.split()), place)
        if isinstance(command, click.Group) and command is not cli:
            for name, below in command.commands.items():
                yield from walk(below, click.Context(below, context, info_name=name))

    root = click.Context(cli, info_name="mnemic", **cli.context_settings)
    yield from walk(cli, root)
    for name in COMMANDS:
        yield SourceText(COMMANDS[name], name)
        command = cli.get_command(root, name)
        if command is not None:
            yield from walk(command, click.Context(command, root, info_name=name))


def headings() -> Iterator[SourceText]:
    yield from (SourceText(title, "root.py") for title in SECTIONS)


def _called(node: ast.AST) -> Iterator[str]:
    """What is given to the functions that look a text up."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id == "head":
            yield from filter(None, map(template, node.value.elts))
        return
    if not isinstance(node, ast.Call) or not node.args:
        return
    name, first = _name(node), node.args[0]
    if name == "phrase":
        yield from filter(None, map(template, _branches(first)))
    elif name == "count_things" and (one := template(node.args[1])):
        yield "{n} " + one
    elif name == "table" and isinstance(first, ast.Tuple):
        yield from filter(None, map(template, first.elts))


def _facts(node: ast.AST) -> Iterator[str]:
    """The names of values in a function that prints a list of both."""
    if isinstance(node, ast.FunctionDef) and any(
        isinstance(one, ast.Call) and _name(one) == "facts" for one in ast.walk(node)
    ):
        for one in ast.walk(node):
            if isinstance(one, ast.Tuple) and len(one.elts) == 2:
                name = template(one.elts[0])
                if name and "{" not in name:
                    yield name


def _branches(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.IfExp):
        yield from (*_branches(node.body), *_branches(node.orelse))
    else:
        yield node


def _silent(tree: ast.Module) -> set[int]:
    """Literals that are no output: docstrings, help, errors, parts of what is filled in."""
    found: set[int] = set()

    def leave_out(node: ast.AST) -> None:
        found.update(id(one) for one in ast.walk(node))

    for node in ast.walk(tree):
        if (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) or isinstance(
            node, ast.Raise | ast.Assert
        ):
            leave_out(node)
        elif isinstance(node, ast.JoinedStr):
            found.update(id(one) for one in node.values if isinstance(one, ast.Constant))
        elif isinstance(node, ast.Call):
            if _name(node) in _SILENT | {"count_things"}:
                leave_out(node)
            for keyword in node.keywords:
                if keyword.arg in _SILENT_ARGUMENTS:
                    leave_out(keyword.value)
    return found


def _name(node: ast.Call) -> str:
    function = node.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
