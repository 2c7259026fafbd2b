"""The reference of the Python interface, as markdown: ``python -m scripts.api_page``.

Made of the signatures and docstrings themselves; a test compares docs/api.md with it.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_type_hints, is_typeddict

import mnemic
from mnemic import errors
from mnemic.engine.mind import Mind
from mnemic.engine.open import Engine, connect, open
from mnemic.engine.session import Session
from scripts.pages import put_out

_HEAD = """\
# The Python interface

<!-- Written by `python -m scripts.api_page` from the code itself; a test compares the two. -->

`mnemic.open_async` and `mnemic.connect_async` give `AsyncMind` and `AsyncEngine`, which have
the same methods, awaitable.
"""
CLASSES = (Mind, Session, Engine)
_UNPACKED = re.compile(r"Unpack\[(\w+)\]")


def reference() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *_opening(), *_classes(), *_values(), *_errors()]).rstrip() + "\n"


def _opening() -> Iterator[str]:
    yield "## Opening a memory\n"
    for function in (open, connect):
        yield from _call(f"mnemic.{function.__name__}", function)


def _classes() -> Iterator[str]:
    listed = examples()
    for kind in CLASSES:
        yield f"## {kind.__name__}\n"
        yield f"{inspect.getdoc(kind)}\n"
        for name, member in vars(kind).items():
            if name.startswith("_"):
                continue
            if isinstance(member, property):
                yield f"### `{name}`\n"
                yield f"{inspect.getdoc(member)}\n"
            elif inspect.isfunction(member):
                yield from _call(name, member)
                yield f"```py\n{listed[kind.__name__][name]}\n```\n"


def calls_of(kind: type) -> list[str]:
    """The public methods of a class, in the order of the code."""
    members = vars(kind).items()
    return [name for name, one in members if inspect.isfunction(one) and not name.startswith("_")]


def examples() -> dict[str, dict[str, str]]:
    """The example of each call, by class."""
    text = Path(__file__).with_name("api_examples.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _call(name: str, function: Callable[..., Any]) -> Iterator[str]:
    signature = inspect.signature(function)
    parameters = [one for one in signature.parameters.values() if one.name != "self"]
    shown = [_parameter(one) for one in parameters]
    named = [n for n, one in enumerate(parameters) if one.kind is inspect.Parameter.KEYWORD_ONLY]
    if named:
        shown.insert(named[0], "*")
    yield f"### `{name}`\n"
    yield f"```\n{name}{_folded(shown, str(signature.return_annotation))}\n```\n"
    yield f"{inspect.getdoc(function)}\n"
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            yield from _keywords(str(parameter.annotation), function)


def _parameter(parameter: inspect.Parameter) -> str:
    stars: dict[object, str] = {
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    annotation = _UNPACKED.sub(r"\1", str(parameter.annotation))
    text = f"{stars.get(parameter.kind, '')}{parameter.name}: {annotation}"
    default = parameter.default
    if default is inspect.Parameter.empty:
        return text
    return f"{text} = {default.__name__ if callable(default) else repr(default)}"


def _folded(parameters: list[str], answer: str) -> str:
    """One parameter a line, where one line would be too long."""
    line = f"({', '.join(parameters)}) -> {answer}"
    if len(line) < 80:
        return line
    return "(\n" + "".join(f"    {part},\n" for part in parameters) + f") -> {answer}"


def _keywords(annotation: str, function: Callable[..., Any]) -> Iterator[str]:
    """The keywords that a call takes as a group."""
    found, module = _UNPACKED.search(annotation), inspect.getmodule(function)
    group = getattr(module, found[1], None) if found else None
    if group is None or not is_typeddict(group):
        return
    hints = get_type_hints(group)
    yield "\n".join(f"- `{name}`: `{_type(hint)}`" for name, hint in hints.items()) + "\n"


def _values() -> Iterator[str]:
    yield "## Values\n"
    for name in sorted(mnemic.__all__):
        kind = getattr(mnemic, name)
        if not (inspect.isclass(kind) and dataclasses.is_dataclass(kind)):
            continue
        yield f"### `{name}`\n"
        yield f"{inspect.getdoc(kind)}\n"
        hints = {field.name: field.type for field in dataclasses.fields(kind)}
        yield "\n".join(f"- `{field}`: `{hint}`" for field, hint in hints.items()) + "\n"


def _errors() -> Iterator[str]:
    yield "## Errors\n"
    text = inspect.getdoc(errors) or ""
    head, _, tree = text.partition("\n\n")
    yield f"{head}\n"
    yield f"```\n{tree}\n```\n"


def _type(hint: object) -> str:
    shown = hint.__name__ if isinstance(hint, type) else str(hint)
    return re.sub(r"\b(?:typing|datetime|collections\.abc|mnemic(?:\.\w+)+)\.", "", shown)


if __name__ == "__main__":
    put_out(reference())
