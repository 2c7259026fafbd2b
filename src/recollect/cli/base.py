"""Commands and groups that take the options of every command, before or after their name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from recollect.cli.state import Output, State

FORMATS: dict[str, Output] = {"json": "json", "ndjson": "ndjson", "csv": "csv"}


class SharedOption(click.Option):
    """An option of every command; its value goes into the state."""


def shared_options() -> list[click.Parameter]:
    """A fresh set for one command."""

    def option(*names: str, **rest: Any) -> SharedOption:
        return SharedOption(names, expose_value=False, callback=_keep, **rest)

    return [
        option("--db", metavar="PATH", help="The database. [RECOLLECT_DB, else your data folder]"),
        option("--space", metavar="NAME", help="Whose memory. [RECOLLECT_SPACE, else default]"),
        option("--preset", metavar="NAME", help="Named set of numbers. [RECOLLECT_PRESET]"),
        option("--set", "overrides", metavar="KEY=VALUE", multiple=True, help="Change a setting."),
        option("--json", is_flag=True, help="Print JSON for programs."),
        option("--ndjson", is_flag=True, help="Print JSON, one entry of a list a line."),
        option("--csv", is_flag=True, help="Print CSV, one entry of a list a row."),
        option("--no-color", "plain", is_flag=True, help="Print no colours. [NO_COLOR]"),
    ]


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    state = ctx.ensure_object(State)
    if param.name == "overrides":
        state.overrides.update(_pair(text) for text in value)
    elif value and param.name in FORMATS:
        state.output = FORMATS[param.name]
    elif value and param.name:
        setattr(state, param.name, value)
    if state.plain:
        ctx.color = False


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key.strip() and equals):
        raise click.BadParameter(f"{text!r} is not KEY=VALUE, such as jobs.max_attempts=5")
    return key.strip(), value


class Helpful(click.Command):
    """Help that shows a command's own options apart from those of every command."""

    def __init__(self, *args: Any, **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.params = [*self.params, *shared_options()]
        # A command keeps the help option of the first context it was asked in.
        self.context_settings.setdefault("help_option_names", ["-h", "--help"])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_own_options(ctx, formatter)
        _section("Options of every command", self._options(ctx, SharedOption), formatter)

    def format_own_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Only the options of this command."""
        own = [param for param in self.get_params(ctx) if not isinstance(param, SharedOption)]
        _section("Options", _records(ctx, own), formatter)

    def _options(self, ctx: click.Context, kind: type[click.Parameter]) -> list[tuple[str, str]]:
        return _records(ctx, [p for p in self.get_params(ctx) if isinstance(p, kind)])


class Command(Helpful):
    """One command."""


class CommandGroup(Helpful, click.Group):
    """A command with commands below it."""

    command_class = Command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_own_options(ctx, formatter)
        self.format_commands(ctx, formatter)
        _section("Options of every command", self._options(ctx, SharedOption), formatter)


def _records(ctx: click.Context, params: Sequence[click.Parameter]) -> list[tuple[str, str]]:
    options = [param for param in params if isinstance(param, click.Option)]
    return [record for option in options if (record := option.get_help_record(ctx))]


def _section(title: str, records: list[tuple[str, str]], formatter: click.HelpFormatter) -> None:
    if records:
        with formatter.section(title):
            formatter.write_dl(records)
