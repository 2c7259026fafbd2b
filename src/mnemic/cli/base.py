"""Commands and groups that take the options of every command, before or after their name."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from copy import copy
from inspect import cleandoc
from typing import Any

import click

from mnemic.cli.failures import exit_code
from mnemic.cli.phrases import help_text, language, phrase, speaking
from mnemic.cli.state import Output, State

FORMATS: dict[str, Output] = {"json": "json", "ndjson": "ndjson", "csv": "csv"}


class SharedOption(click.Option):
    """An option of every command; its value goes into the state."""


def make_shared_options() -> list[click.Parameter]:
    """A fresh set for one command."""

    def option(*names: str, **rest: Any) -> SharedOption:
        return SharedOption(names, expose_value=False, callback=_keep, **rest)

    return [
        option("--db", metavar="PATH", help="The database. [MNEMIC_DB, else your data folder]"),
        option("--space", metavar="NAME", help="Whose memory. [MNEMIC_SPACE, else default]"),
        option("--preset", metavar="NAME", help="A named set of settings. [MNEMIC_PRESET]"),
        option("--set", "overrides", metavar="KEY=VALUE", multiple=True, help="Change a setting."),
        option("--json", is_flag=True, help="Print JSON for programs."),
        option("--ndjson", is_flag=True, help="Print JSON, one list entry per line."),
        option("--csv", is_flag=True, help="Print CSV, one list entry per row."),
        option("--no-color", "plain", is_flag=True, help="Print without colors. [NO_COLOR]"),
    ]


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    state = ctx.ensure_object(State)
    if param.name == "overrides":
        state.overrides.update(_pair(text) for text in value)
    elif value and param.name in FORMATS:
        state.output = FORMATS[param.name]
    elif value == "":  # a variable of the shell that is not set
        raise click.UsageError(f"{param.opts[0]} is empty. Give it a value, or leave it out.")
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
        self.params = [*self.params, *make_shared_options()]
        # A command keeps the help option of the first context it was asked in.
        self.context_settings.setdefault("help_option_names", ["-h", "--help"])

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> None:
        """Run, and leave with 0, 1 for a failure, 2 for wrong usage, 130 after Ctrl-C."""
        arguments = list(sys.argv[1:] if args is None else args)
        state = State(plain=bool(os.environ.get("NO_COLOR")))
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # an unprintable character must not crash
                stream.reconfigure(errors="backslashreplace")

        def run() -> Any:
            extra["standalone_mode"] = False
            return super(Helpful, self).main(arguments, prog_name or "mnemic", obj=state, **extra)

        def for_programs() -> bool:
            return state.json or any(f"--{name}" in arguments for name in FORMATS)

        with speaking(lambda: state.language):
            sys.exit(exit_code(run, as_json=for_programs))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_own_options(ctx, formatter)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)
        shared = [param for param in self.get_params(ctx) if isinstance(param, SharedOption)]
        _section(phrase("Options of every command"), option_records(ctx, shared), formatter)

    def get_help(self, ctx: click.Context) -> str:
        formatter = help_formatter(ctx.terminal_width, ctx.max_content_width)
        self.format_help(ctx, formatter)
        return formatter.getvalue().rstrip("\n")

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        pieces = " ".join(self.collect_usage_pieces(ctx))
        formatter.write_usage(ctx.command_path, pieces, prefix=phrase("Usage: "))

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(help_text(cleandoc(self.help or "")))

    def get_short_help_str(self, limit: int = 45) -> str:
        if language() == "en":
            return super().get_short_help_str(limit)
        first = help_text(cleandoc(self.help or "").partition("\n\n")[0])
        return first.partition("。")[0] + "。"

    def format_own_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Only the options of this command."""
        options = [param for param in self.get_params(ctx) if not isinstance(param, SharedOption)]
        _section(phrase("Options"), option_records(ctx, options), formatter)


class Command(Helpful):
    """One command."""


class CommandGroup(Helpful, click.Group):
    """A command with commands below it."""

    command_class = Command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if language() == "en":
            return super().format_commands(ctx, formatter)
        listed = [(name, entry.get_short_help_str()) for name, entry in self.commands.items()]
        _section(phrase("Commands"), listed, formatter)


def option_records(ctx: click.Context, params: Sequence[click.Parameter]) -> list[tuple[str, str]]:
    """The names and the help of options."""
    options = [param for param in params if isinstance(param, click.Option)]
    return [record for option in options if (record := _record(ctx, option))]


def _record(ctx: click.Context, option: click.Option) -> tuple[str, str] | None:
    """The names of an option and its help, to which click adds the default."""
    shown = copy(option)
    shown.help = help_text(option.help or "")
    record = shown.get_help_record(ctx)
    if record is None:
        return None
    names, shown_help = record
    for added in ("[default: ", "[required]"):
        shown_help = shown_help.replace(added, phrase(added))
    return names, shown_help


def help_formatter(width: int | None, most: int | None = None) -> click.HelpFormatter:
    """Lays out help in the language of the person."""
    if language() == "en":
        return click.HelpFormatter(width=width, max_width=most)
    from mnemic.cli.help_format import ChineseHelp

    return ChineseHelp(width=width, max_width=most)


def _section(title: str, records: list[tuple[str, str]], formatter: click.HelpFormatter) -> None:
    if records:
        with formatter.section(title):
            formatter.write_dl(records)
