"""Output of commands: JSON, NDJSON or CSV for programs, lines that fit the terminal for people.

Text from a memory may hold anything, so it is printed as one line without control characters.
Lines into a pipe are not cut.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import click

from mnemic.cli.phrases import count_things, phrase
from mnemic.cli.state import State
from mnemic.plain import DIRECTION_CONTROLS, plain, visible
from mnemic.types import ModelWait

GAP = "  "
_WIDEST = 40  # of a column that is not the last
# What a spreadsheet takes for the beginning of a formula, also in the full width of Chinese and
# Japanese input; and the apostrophe itself, so that removing one gives the text back.
_FORMULA = tuple("=+-@\t\r\n'＝＋－＠")
_HEADED = "mnemic.csv"  # in the context: the columns that were printed


def emit(value: Any, *, rows: Iterable[Any] | None = None) -> None:
    """A value in the format that was asked for: one JSON document, indented on a terminal, or one
    line of JSON or CSV for each of its ``rows``, which are the entries of a list if not given.
    """
    context = click.get_current_context()
    output = context.ensure_object(State).output
    if output not in ("ndjson", "csv"):
        click.echo(_json(value, indent=2 if sys.stdout.isatty() else None))
        return
    document = plain(value if rows is None else list(rows))
    listed = document if isinstance(document, list) else [document]
    if output == "ndjson":
        click.echo("".join(f"{_json(row)}\n" for row in listed), nl=False)
    else:
        click.echo(_csv(listed, context.meta).encode(), nl=False)


def answer(
    value: Any, show: Callable[[], None], *, nothing: str = "", rows: Iterable[Any] | None = None
) -> None:
    """Print a value for programs, for people what ``show`` prints or the English ``nothing``."""
    if click.get_current_context().ensure_object(State).json:
        emit(value, rows=rows)
        return
    if nothing and not value:
        note(phrase(nothing))
    show()


def _json(value: Any, indent: int | None = None) -> str:
    utf8 = (getattr(sys.stdout, "encoding", "") or "utf-8").lower().replace("-", "") == "utf8"
    return json.dumps(plain(value), ensure_ascii=not utf8, indent=indent)


def _csv(listed: Sequence[Any], printed: dict[str, Any]) -> str:
    """One row each, below the names of its fields; what comes later has the columns of before."""
    rows = [row if isinstance(row, Mapping) else {"value": row} for row in listed]
    columns = printed.get(_HEADED) or list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if columns and _HEADED not in printed:
        printed[_HEADED] = columns
        writer.writerow(map(_cell, columns))
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return text.getvalue()


def _cell(value: Any) -> str:
    """Text as it is, unless a spreadsheet would compute it; None as empty, the rest as JSON."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


_margin: ContextVar[int] = ContextVar("margin", default=0)


@contextmanager
def add_margin(by: int) -> Iterator[None]:
    """Print what is said meanwhile after this many blanks."""
    before = _margin.set(by)
    try:
        yield
    finally:
        _margin.reset(before)


def say(text: str = "") -> None:
    """One line for a person."""
    click.echo(textwrap.indent(text, " " * _margin.get()))


def note(text: str) -> None:
    """One line beside the result, on stderr."""
    click.echo(text, err=True)


def ask_first(state: State, question: str, deed: str) -> None:
    """Ask on stderr, and go on only if the person confirms; without a terminal, refuse."""
    if state.json or not sys.stdin.isatty():
        raise click.UsageError(f"There is no terminal to ask on. Pass --yes to {deed}.")
    click.confirm(question, abort=True, err=True)


def dim(text: str) -> str:
    return click.style(text, dim=True) if text else ""


def bold(text: str) -> str:
    return click.style(text, bold=True)


def heading(text: str) -> None:
    """A heading after a blank line."""
    say()
    say(bold(indent_line(text, 0)))


def terminal_width() -> int | None:
    """The width for a line on the terminal, or None when the output goes elsewhere."""
    return shutil.get_terminal_size().columns - _margin.get() if sys.stdout.isatty() else None


def flat(text: str) -> str:
    """One line, with nothing in it that could move the cursor."""
    return visible(" ".join(text.translate(DIRECTION_CONTROLS).split()))


def clean_lines(text: str) -> str:
    """Lines as they are, each with nothing in it that could move the cursor."""
    return "\n".join(
        line[: len(line) - len(line.lstrip(" "))] + flat(line) for line in text.splitlines()
    )


def cells(text: str) -> int:
    """How wide a text is on a terminal; a Chinese character takes two cells."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, width: int | None) -> str:
    """At most this wide, with an ellipsis where something is missing."""
    if width is None or cells(text) <= width:
        return text
    from rich.cells import set_cell_size

    return set_cell_size(text, max(0, width - 1)).rstrip() + "…"


def pad(text: str, width: int, *, right: bool = False) -> str:
    space = " " * max(0, width - cells(text))
    return space + text if right else text + space


def indent_line(text: str, by: int) -> str:
    """One line after this many blanks, cut to the terminal."""
    width = terminal_width()
    return " " * by + cut(flat(text), None if width is None else max(10, width - by))


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One entry of a list: a mark, its text, and dim lines below it."""

    mark: str
    text: str
    below: tuple[str, ...] = ()
    color: str | None = None


def entries(listed: Iterable[ListEntry]) -> None:
    """Print a list with its texts aligned beside their marks."""
    rows = list(listed)
    wide = max((cells(entry.mark) for entry in rows), default=0)
    indent = wide + len(GAP)
    for entry in rows:
        mark = click.style(pad(entry.mark, wide), fg=entry.color, bold=True)
        say(mark + indent_line(entry.text, indent)[wide:])
        for line in filter(None, entry.below):
            say(dim(indent_line(line, indent)))


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, right: str = "") -> None:
    """Print columns under their English heads, aligned; ``right`` names heads of numbers."""
    lines = [[flat(str(cell)) for cell in row] for row in rows]
    if not lines:
        return
    limit = _WIDEST if terminal_width() else None
    lines = [[*(cut(cell, limit) for cell in line[:-1]), line[-1]] for line in lines]
    titles = [phrase(name) for name in head]
    widths = [max(map(cells, column)) for column in zip(titles, *lines, strict=True)]
    numbers = {place for place, name in enumerate(head) if name in right.split()}

    def lay_out(line: Sequence[str]) -> str:
        places = enumerate(zip(line, widths, strict=True))
        padded = [pad(cell, width, right=place in numbers) for place, (cell, width) in places]
        return cut(GAP.join(padded).rstrip(), terminal_width())

    say(dim(lay_out(titles)))
    for line in lines:
        say(lay_out(line))


def facts(pairs: Iterable[tuple[str, object]]) -> None:
    """Print names (given in English) and values, one a line, without empty ones."""
    rows = [(phrase(name), flat(str(value))) for name, value in pairs if value not in ("", None)]
    wide = max((cells(name) for name, _ in rows), default=0)
    for name, value in rows:
        width = terminal_width()
        say(dim(pad(name, wide)) + GAP + cut(value, width and max(10, width - wide - len(GAP))))


def join_parts(*parts: str) -> str:
    """Parts in one line, without empty ones."""
    return " · ".join(filter(None, parts))


def when(moment: datetime | None) -> str:
    """A moment in the zone of this machine."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment else ""


def size(count: int) -> str:
    """A number of bytes in a readable unit."""
    amount = float(count)
    for unit in ("B", "KB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def waiting_line(wait: ModelWait) -> str:
    """How many turns wait for a model that is away."""
    return phrase(
        "{turns} for the model since {since}; next try {next}",
        turns=count_things(wait.turns, "turn waits", "turns wait"),
        since=when(wait.since),
        next=when(wait.next_try),
    )
