"""Progress bars on stderr, for people who wait at a terminal."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yields a function that takes the number of further completed items."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=_console(), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.advance(task, done)


@contextmanager
def reading(what: str) -> Iterator[Callable[[int, int | None, str], None]]:
    """Yields a function that takes how much is done, of how much, and a label."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    word = TextColumn("{task.fields[word]}")
    with Progress(*columns, word, console=_console(), transient=True) as progress:
        task = progress.add_task(what, total=None, word="")
        yield lambda done, total, word: progress.update(
            task, completed=done, total=total, word=word
        )


@contextmanager
def portion(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yields a function that takes how many are done and how many there are; None where nobody
    watches a terminal.
    """
    console = _console()
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _console() -> Console:
    context = click.get_current_context(silent=True)
    plain = bool(os.environ.get("NO_COLOR")) or (context is not None and context.color is False)
    return Console(stderr=True, color_system=None if plain else "auto")
