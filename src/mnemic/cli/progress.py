"""Progress bars on stderr, for people who wait at a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import click

from mnemic.cli.output import note
from mnemic.cli.phrases import phrase


@contextmanager
def resumable(describe: Callable[[], str]) -> Iterator[None]:
    """On Ctrl-C, say what is done and how to go on."""
    try:
        yield
    except KeyboardInterrupt as error:
        note(phrase("Stopped: {done}", done=describe()))
        raise click.Abort from error


class MoveBar(Protocol):
    """How much is done, of how much if that is known, and a word beside it."""

    def __call__(self, done: int, total: int | None, word: str = "", /) -> None: ...


@contextmanager
def bar(what: str, *, percent: bool = False) -> Iterator[MoveBar]:
    """A bar on a terminal, moved by the yielded function; ``percent`` instead of counts."""
    if not sys.stderr.isatty():
        yield lambda done, total, word="", /: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    context = click.get_current_context(silent=True)
    plain = bool(os.environ.get("NO_COLOR")) or (context is not None and context.color is False)
    console = Console(stderr=True, color_system=None if plain else "auto")
    counts = (TaskProgressColumn(),) if percent else (MofNCompleteColumn(), TimeRemainingColumn())
    columns = (TextColumn("{task.description}"), BarColumn(), *counts)
    word_column = TextColumn("{task.fields[word]}")
    with Progress(*columns, word_column, console=console, transient=True) as progress:
        task = progress.add_task(what, total=None, word="")
        yield lambda done, total, word="", /: progress.update(
            task, completed=done, total=total, word=word
        )
