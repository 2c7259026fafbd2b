"""Kinds of arguments, and text that comes as an argument or through a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mnemic.errors import InvalidInput
from mnemic.types import KINDS

if TYPE_CHECKING:
    from mnemic.engine.mind import Mind

_Command = TypeVar("_Command", bound=Callable[..., None])


def add_options(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """A decorator that adds several options, in this order."""

    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


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
    """A moment, or the word never."""
    return "never" if text.strip() == "never" else moment(text)


class KindName(click.ParamType[str]):
    """A built-in kind, one of the setting `memory.kinds`, or a word of the preset's document, which
    the memory checks.
    """

    name = "kind"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return f"[{'|'.join(KINDS)}|…]"


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


_WHOLE = 36  # characters of an id


def whole_id(mind: Mind, given: str) -> str:
    """The id that was given, or the only one that begins so."""
    begun = len(given) < _WHOLE and not set(given) - set("0123456789abcdef-")
    return mind.find_id(given) if begun else given


def text_or_stdin(text: str | None, what: str) -> str:
    """The argument, or what is piped in when it is left out or ``-``."""
    if text is not None and text != "-":
        return text
    if sys.stdin.isatty():
        raise click.UsageError(f"Give {what}, or pipe it in.")
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"What was piped in is not UTF-8 at byte {error.start + 1}",
            remedy="Convert it: iconv -f GB18030 -t UTF-8",
        ) from error
