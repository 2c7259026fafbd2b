"""What commands take: the table ``options.tsv``, kinds of arguments, and text through a pipe.

The table has a section for each command: its help in lines that begin with ``>``, and a line for
each of its arguments and options: names, what it takes, help. An argument may be left out (``?``)
or repeated (``...``). An option takes nothing, or a list of words: a placeholder for its value, a
type, choices (``a|b`` or a list of ``mnemic.types``), ``1..9`` a range, ``=5`` a default that help
shows, ``~5`` one that it does not, ``!`` has to be given, ``...`` may be repeated, ``$NAME`` an
environment variable. ``@name`` takes in the lines of another section.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mnemic import types
from mnemic.errors import InvalidInput

if TYPE_CHECKING:
    from mnemic.engine.mind import Mind


def moment(text: str) -> datetime:
    """ISO 8601, in the zone of this machine unless it says another; or an age such as 7d."""
    try:
        parsed = datetime.fromisoformat(text.strip())
        return parsed if parsed.tzinfo else parsed.astimezone()
    except (ValueError, OverflowError):
        return _ago(text.strip())


def _ago(text: str) -> datetime:
    from mnemic.settings.values import duration

    try:
        return datetime.now(UTC) - duration(text)
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(
            f"{text!r} is not a time. Give 2026-02-12, '2026-02-12 09:30', or an age: 90m, 7d, 2w"
        ) from error


def moment_or_never(text: str) -> datetime | str:
    return "never" if text.strip() == "never" else moment(text)


class KindName(click.ParamType[str]):
    """A built-in kind, one of `memory.kinds`, or a word of the preset: the memory checks it."""

    name = "kind"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return f"[{'|'.join(types.KINDS)}|…]"


def metadata_of(pairs: tuple[str, ...]) -> dict[str, Any]:
    """KEY=VALUE as often as given; a value that reads as JSON is that value, else it is text."""
    metadata: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key.strip() and equals):
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE", param_hint="--metadata")
        try:
            metadata[key.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            metadata[key.strip()] = value
    return metadata


def json_value(text: str) -> Any:
    """A JSON value on the command line."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"{text[:60]!r} is not JSON: {error}") from error


_TYPES: dict[str, Any] = {
    "moment": moment,
    "never": moment_or_never,
    "json": json_value,
    "kind": KindName(),
    "share": click.FloatRange(0, 1),
    "day": click.DateTime(["%Y-%m-%d"]),
    "path": click.Path(path_type=Path),
    "file": click.Path(path_type=Path, exists=True, dir_okay=False),
    "folder": click.Path(path_type=Path, exists=True, file_okay=False),
}
_NUMBERS = {"N": click.INT, "INTEGER": click.INT, "SECONDS": click.FLOAT}


def read_parameters(command: str) -> list[click.Parameter]:
    """The arguments and options of a command, from the table."""
    return [_read_line(line) for line in _find_lines(command) if not line.startswith(">")]


def read_help(command: str) -> str:
    """What a command does, from the table."""
    return "\n".join(line[2:] for line in _find_lines(command) if line.startswith(">"))


def _find_lines(section: str) -> Iterator[str]:
    match = re.search(rf"^\[{re.escape(section)}\]\n((?:[^\[].*\n)*)", _read_table(), re.M)
    for line in match[1].splitlines() if match else ():
        if line.startswith("@"):
            yield from _find_lines(line)
        else:
            yield line


@cache
def _read_table() -> str:
    return Path(__file__).with_name("options.tsv").read_text(encoding="utf-8")


def _read_line(line: str) -> click.Parameter:
    names, takes, about = (*line.split("\t"), "", "")[:3]
    options = _read_words(takes.split())
    if names.startswith("-"):
        options |= {} if takes else {"is_flag": True}
        return click.Option(names.split(), help=about or None, **options)
    count = -1 if "..." in names else 1
    return click.Argument(
        [names.rstrip(".?")], nargs=count, required=not names.endswith("?"), **options
    )


def _read_words(words: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for word in words:
        value = word.removesuffix("...")
        if value != word:
            options["multiple"] = True
        if value == "!":
            options["required"] = True
        elif value[0] in "=~":
            options |= {"default": value[1:], "show_default": value[0] == "="}
        elif value[0] == "$":
            options["envvar"] = value[1:]
        elif ".." in value:
            low, high = (json.loads(bound or "null") for bound in value.split(".."))
            ranges = click.IntRange if options["type"] is click.INT else click.FloatRange
            options["type"] = ranges(low, high)
        elif value in _TYPES:
            options["type"] = _TYPES[value]
        elif "|" in value or hasattr(types, value):
            lists = (getattr(types, name, [name]) for name in value.split("|"))
            options["type"] = click.Choice([choice for choices in lists for choice in choices])
        else:
            options["metavar"] = value
            if value in _NUMBERS:
                options["type"] = _NUMBERS[value]
    return options


_WHOLE = 36  # characters of an id


def whole_id(mind: Mind, prefix: str) -> str:
    """The id that was given, or the only one that begins so."""
    begun = len(prefix) < _WHOLE and not set(prefix) - set("0123456789abcdef-")
    return mind.find_id(prefix) if begun else prefix


def text_or_stdin(text: str | None, what: str) -> str:
    """The argument, or what is piped in when it is left out or ``-``."""
    if text is not None and text != "-":
        return text
    if sys.stdin.isatty():
        raise click.UsageError(f"Give {what}, or pipe it in.")
    return read_utf8(sys.stdin.buffer.read(), "What was piped in").removesuffix("\n")


def read_utf8(data: bytes, name: str) -> str:
    """The text of a file or a pipe."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{name} is not UTF-8 at byte {error.start + 1}",
            remedy="Convert it: iconv -f GB18030 -t UTF-8",
        ) from error
