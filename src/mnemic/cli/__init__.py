"""The command ``mnemic``. Each of its commands is loaded when it is used."""

from __future__ import annotations


def main() -> None:
    """Run the command with the arguments of this process."""
    from mnemic.cli.root import cli

    cli()
