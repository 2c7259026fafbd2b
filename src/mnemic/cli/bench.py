"""mnemic bench: the measurements of a checkout, which an installed package does not carry."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

import mnemic

_CHECKOUT = Path(mnemic.__file__).parents[2]


def _measurements() -> click.Command:
    if (_CHECKOUT / "bench" / "command.py").is_file():
        sys.path.append(str(_CHECKOUT))
        command: click.Command = import_module("bench.command").bench
        return command
    return _absent


@click.command(name="bench", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def _absent(arguments: tuple[str, ...]) -> None:
    """Measure speed and recall beside plain baselines."""
    raise click.ClickException(
        "The measurements are run from a checkout of the project, which has them in bench/;"
        " there `make bench` or `mnemic bench` runs them"
    )


bench = _measurements()
