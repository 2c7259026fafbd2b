"""Progress bars on stderr, for people who wait at a terminal."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
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
def copying(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yields a function that takes the number of completed items, and of all."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=_console(), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def reading(what: str, total: int | None) -> Iterator[Callable[[int, str], None]]:
    """Yields a function that takes the bytes read in all, and a label."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    word = TextColumn("{task.fields[word]}")
    with Progress(*columns, word, console=_console(), transient=True) as progress:
        task = progress.add_task(what, total=total, word="")
        yield lambda read, word: progress.update(task, completed=read, word=word)


def _console() -> Console:
    context = click.get_current_context(silent=True)
    plain = bool(os.environ.get("NO_COLOR")) or (context is not None and context.color is False)
    return Console(stderr=True, color_system=None if plain else "auto")
