"""Asking a person before something is done that is not easily taken back."""

from __future__ import annotations

import sys

import click

from recollect.cli.state import State


def agreed(state: State, question: str, deed: str) -> None:
    """Go on only if the person at the terminal says yes; where nobody can be asked, refuse.

    The question goes to stderr, so that the answer of a command can be piped on.
    """
    if state.json or not sys.stdin.isatty():
        raise click.UsageError(f"Nobody can be asked here. Give --yes to {deed}.")
    click.confirm(question, abort=True, err=True)
