"""Errors of a command as messages and exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from recollect.errors import ConfigError, InvalidInput, ModelError, RecollectError

FAILED, MISUSED, INTERRUPTED = 1, 2, 130


def exit_code(run: Callable[[], Any], *, as_json: Callable[[], bool]) -> int:
    """Run, and print an error with its remedy on stderr."""
    try:
        ended = run()
    except RecollectError as error:
        _print_error(type(error).__name__, error.message, error.remedy, as_json())
        return MISUSED if _is_misuse(error) else FAILED
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "recollect"
        _print_error("UsageError", error.format_message(), f"See {where} --help", as_json())
        return MISUSED
    except click.ClickException as error:
        _print_error(type(error).__name__, error.format_message(), "", as_json())
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _print_error("OSError", f"{place}{error.strerror or error}", "", as_json())
        return FAILED
    return ended if isinstance(ended, int) else 0


def _is_misuse(error: RecollectError) -> bool:
    """Whether a value that the person gave is wrong, in the call or in the settings."""
    return isinstance(error, InvalidInput | ConfigError) and not isinstance(error, ModelError)


def _print_error(kind: str, message: str, remedy: str, as_json: bool) -> None:
    if as_json:
        document = {"error": {"type": kind, "message": message, "remedy": remedy}}
        click.echo(json.dumps(document, ensure_ascii=False), err=True)
        return
    click.echo(f"{click.style('error:', fg='red', bold=True)} {message.rstrip()}", err=True)
    if remedy:
        click.echo(remedy, err=True)
