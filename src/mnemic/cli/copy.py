"""mnemic copy"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import click

from mnemic.cli.base import Command
from mnemic.cli.output import emit, flat, note, say, table
from mnemic.cli.phrases import counted, phrase, sentence, term
from mnemic.cli.state import State, pass_state

if TYPE_CHECKING:
    from mnemic.moving.copy import CopyReport, Phase, Progress

_MAX_LISTED = 20  # conflicts; the rest are only counted


@click.command(cls=Command)
@click.argument("from_", metavar="FROM")
@click.argument("to", metavar="TO")
@click.option("--to-space", metavar="NAME", help="Whose memory it becomes. [default: the same]")
@pass_state
@click.pass_context
def copy(ctx: click.Context, state: State, *, from_: str, to: str, to_space: str | None) -> None:
    """Copy a memory into another database, or under another name.

    FROM is only read, as it is at one moment, and --space says whose memory of it; TO is made if
    there is none, and what it has already stays as it is. A row that is there is not copied twice,
    so an interrupted copy is repeated and goes on. A different row under the same key is reported
    and left.

    At the end every row is compared on both sides; where they differ the command leaves with 1.
    """
    from mnemic.entry import database_path
    from mnemic.moving.copy import copy_space

    space = state.space or os.environ.get("MNEMIC_SPACE") or "default"
    with _progress() as progress:
        report = copy_space(
            database_path(from_), database_path(to), space=space, to_space=to_space,
            progress=progress,
        )  # fmt: skip
    if state.json:
        emit(_mapping(report))
    else:
        _say(report)
    ctx.exit(0 if report.verified else 1)


@contextmanager
def _progress() -> Iterator[Progress]:
    """A bar that counts rows on a terminal, one for copying and one for verifying; else nothing."""
    if not sys.stderr.isatty():
        yield lambda phase, done, total: None
        return
    from mnemic.cli.progress import counting

    with ExitStack() as stack:
        reached: dict[Phase, int] = {}
        bars: dict[Phase, Callable[[int], None]] = {}

        def report(phase: Phase, done: int, total: int) -> None:
            if phase not in bars:
                stack.close()
                bars[phase] = stack.enter_context(counting(phrase(phase), total))
            bars[phase](done - reached.get(phase, 0))
            reached[phase] = done

        yield report


def _say(report: CopyReport) -> None:
    for conflict in report.conflicts[:_MAX_LISTED]:
        note(f"{term(conflict.table)}: {flat(sentence(conflict.reason))}")
    if len(report.conflicts) > _MAX_LISTED:
        note(phrase("… and {n:,} more", n=len(report.conflicts) - _MAX_LISTED))
    moved = [one for one in report.tables if one.rows]
    table(
        ("table", "rows", "new", "known", "conflicts", "verified"),
        [
            (term(one.name), f"{one.rows:,}", f"{one.added:,}", f"{one.known:,}",
             f"{one.conflicts:,}", phrase("yes") if one.same else phrase("NO"))
            for one in moved
        ],
        right="rows new known conflicts",
    )  # fmt: skip
    name = repr(report.space)
    if report.to_space != report.space:
        name = phrase("{space} as {name}", space=name, name=repr(report.to_space))
    say()
    if report.verified:
        rows = counted(report.rows, "row")
        say(phrase("{rows} of {space} copied and verified", rows=rows, space=name))
    else:
        differ = phrase(", ").join(term(one.name) for one in report.tables if not one.same)
        say(phrase("{space} is not the same in both databases: {tables}",
                   space=name, tables=differ))  # fmt: skip


def _mapping(report: CopyReport) -> dict[str, object]:
    return {
        "space": report.space,
        "to_space": report.to_space,
        "rows": report.rows,
        "verified": report.verified,
        "tables": report.tables,
        "conflicts": report.conflicts,
    }
