"""The root command: names and one-line help of all commands, which are loaded when used."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import click

from mnemic.cli.base import Command, CommandGroup
from mnemic.cli.failures import COMMANDS_OF_CALLS
from mnemic.cli.phrases import help_text, phrase
from mnemic.cli.state import State


def _read_table() -> Iterator[tuple[str, str, str, str]]:
    """Section, command, its place (module:function) and one line of help."""
    section = ""
    # Without pathlib, which would take a tenth of the time of --help.
    with open(__file__.removesuffix("root.py") + "commands.tsv", encoding="utf-8") as file:  # noqa: PTH123
        for line in file.read().splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            else:
                name, place, short_help = (*line.split("\t"), "")[:3]
                yield section, name, place, short_help


SECTIONS = dict[str, dict[str, str]]()  # title: command: help
_PLACES = dict[str, str]()  # also of the commands below a group, as "jobs show"
for _section, _name, _place, _help in _read_table():
    _PLACES[_name] = _place
    if " " not in _name:
        SECTIONS.setdefault(_section, {})[_name] = _help
COMMANDS = {name: help_ for section in SECTIONS.values() for name, help_ in section.items()}


@cache
def load_command(path: str) -> Command | CommandGroup:
    """A command with the help and the parameters of its section in ``options.tsv``, which calls the
    function at its place; a group without one only has commands below it.
    """
    from mnemic.cli.params import read_help, read_parameters

    module, _, function = _PLACES[path].partition(":")
    run = getattr(import_module(f"mnemic.cli.{module}"), function) if function else None

    def call(**values: Any) -> int | None:
        context = click.get_current_context()
        if run is None or context.invoked_subcommand is not None:
            return None
        code: int | None = run(context.ensure_object(State), **values)
        return code

    about = {"callback": call, "params": read_parameters(path), "help": read_help(path)}
    below = [name for name in _PLACES if name.startswith(f"{path} ")]
    if not below:
        return Command(path.rpartition(" ")[2], **about)
    group = CommandGroup(path, invoke_without_command=run is not None, **about)
    for name in below:
        group.add_command(load_command(name))
    return group


class Root(CommandGroup):
    """Loads a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], (*COMMANDS_OF_CALLS, *COMMANDS), n=1)
            unknown = f"There is no command {args[0]!r}."
            nearest = "".join(COMMANDS_OF_CALLS.get(name, name) for name in near)
            raise click.UsageError(f"{unknown} Did you mean {nearest}?" if near else unknown, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(phrase(title)):
                formatter.write_dl([(name, help_text(help_)) for name, help_ in commands.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        formatter.write_text(help_text(self.epilog or ""))


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from mnemic import __version__

        click.echo(f"mnemic {__version__}")
        ctx.exit()


@click.command(
    cls=Root,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`mnemic COMMAND --help` explains each.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
    help="Show the version and exit.",
)  # fmt: skip
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Long-term memory for LLM agents, in one SQLite file."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
