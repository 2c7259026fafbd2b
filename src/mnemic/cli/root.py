"""The root command: names and one-line help of all commands, which are loaded when used."""

from __future__ import annotations

from importlib import import_module

import click

from mnemic.cli.base import CommandGroup
from mnemic.cli.failures import COMMANDS_OF_CALLS
from mnemic.cli.phrases import help_text, phrase


def _read_commands() -> dict[str, dict[str, tuple[str, str]]]:
    """Section, command, and of that the place (module:function) and one line of help."""
    sections, section = dict[str, dict[str, tuple[str, str]]](), ""
    # Without pathlib, which would take a tenth of the time of --help.
    table = __file__.removesuffix("root.py") + "commands.tsv"
    with open(table, encoding="utf-8") as file:  # noqa: PTH123
        text = file.read()
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        else:
            name, place, short_help = line.split("\t")
            sections.setdefault(section, {})[name] = (place, short_help)
    return sections


SECTIONS = _read_commands()
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


class Root(CommandGroup):
    """Loads a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"mnemic.cli.{module}"), function)
        return command

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
                formatter.write_dl(
                    [(name, help_text(help_)) for name, (_, help_) in commands.items()]
                )

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
