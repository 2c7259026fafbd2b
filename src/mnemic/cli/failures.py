"""Errors of a command as messages and exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import click

from mnemic.cli.phrases import is_known, phrase, sentence, term
from mnemic.errors import ConfigError, InvalidInput, MnemicError, ModelError

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
# A remedy of the engine names a call, and a person who knows the calls types one.
COMMANDS_OF_CALLS = {"questions": "sync", "waiting_rules": "upkeep", "record_many": "import"}
COMMANDS_OF_CALLS |= {"remember": "add", "get": "show", "confirm": "pending", "drain": "worker"}
_CALLS = re.compile(
    r"\b(attach|attachments|episodes|events|history|memories|pending|questions|recall|record_many"
    r"|restore|sessions|turns|waiting_rules)\(\)"
)
_FAMILIES = (click.UsageError, OSError)  # named as a whole to programs


def exit_code(run: Callable[[], Any], *, as_json: Callable[[], bool]) -> int:
    """Run, and print an error with its remedy on stderr."""
    try:
        ended = run()
    except MnemicError as error:
        _print_error(error, error.message, error.remedy, as_json())
        # A value that the person gave is wrong, in the call or in the settings.
        wrong = isinstance(error, InvalidInput | ConfigError) and not isinstance(error, ModelError)
        return MISUSED if wrong else FAILED
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "mnemic"
        _print_error(error, error.format_message(), f"See {where} --help", as_json())
        return MISUSED
    except click.ClickException as error:
        _print_error(error, error.format_message(), "", as_json())
        return error.exit_code
    except click.Abort:
        return INTERRUPTED
    except KeyboardInterrupt:
        click.echo(phrase("Stopped. What was finished is kept; run the command again."), err=True)
        return INTERRUPTED
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _print_error(error, f"{place}{error.strerror or error}", "", as_json())
        return FAILED
    return ended if isinstance(ended, int) else 0


def explain(error: Exception, message: str) -> str:
    """What happened, in the language of the person; where its sentence is not known, what the
    nearest class of errors means, with the words of the error after it.
    """
    if is_known(message):
        return sentence(message)
    names = [class_.__name__ for class_ in type(error).__mro__]
    meaning = next((term(name) for name in names if term(name) != name), "")
    return f"{meaning}（{message}）" if meaning else message


def error_line(error: MnemicError) -> str:
    """An error with its remedy, in the language of the person."""
    text = explain(error, error.message)
    if not error.remedy:
        return text
    return phrase("{message}. {remedy}", message=text, remedy=shell_words(sentence(error.remedy)))


def shell_words(remedy: str) -> str:
    """A remedy with commands in the place of calls."""
    return _CALLS.sub(lambda call: f"mnemic {COMMANDS_OF_CALLS.get(call[1], call[1])}", remedy)


def _print_error(error: Exception, message: str, remedy: str, as_json: bool) -> None:
    if as_json:
        kind = next((base for base in _FAMILIES if isinstance(error, base)), type(error)).__name__
        document = {"error": {"type": kind, "message": message, "remedy": shell_words(remedy)}}
        click.echo(json.dumps(document, ensure_ascii=False), err=True)
        return
    lead = click.style(phrase("error:"), fg="red", bold=True)
    click.echo(f"{lead} {explain(error, message.rstrip())}", err=True)
    if remedy:
        click.echo(shell_words(sentence(remedy)), err=True)
