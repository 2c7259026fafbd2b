"""Confirmation before an action that is hard to undo."""

from __future__ import annotations

import sys

import click

from mnemic.cli.state import State


def agreed(state: State, question: str, deed: str) -> None:
    """Continue only if the person confirms; without a terminal, refuse.

    The question goes to stderr, so that the output of a command can be piped.
    """
    if state.json or not sys.stdin.isatty():
        raise click.UsageError(f"Nobody can be asked here. Give --yes to {deed}.")
    click.confirm(question, abort=True, err=True)
