"""Log lines of key operations, through the standard ``logging`` and its logger ``mnemic``.

A line has numbers and the engine's own words. The words of a person, a model or an error of either
are in none at INFO and above; the text of an error, with secrets masked, is logged at DEBUG. What a
line says is also in the record, as the attribute ``mnemic``. A preset may put a prefix in front.
"""

from __future__ import annotations

import logging
from functools import cache

from mnemic.settings.layers import read_preset
from mnemic.settings.tree import Settings

LOGGER = logging.getLogger("mnemic")
LOGGER.addHandler(logging.NullHandler())  # a host decides what is shown


class OperationLog:
    """Writes lines. A field of a line is a number, or a word of the engine."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = f"{prefix} " if prefix else ""

    def done(self, line: str, **fields: int | str) -> None:
        """A key operation."""
        self._write(logging.INFO, line, fields)

    def log_failure(self, operation: str, reason: str) -> None:
        """A failure by the type of its error; ``reason`` is ``Type: words``."""
        kind, _, words = reason.partition(":")
        fields: dict[str, int | str] = {"operation": operation, "error": kind.strip()}
        self._write(logging.WARNING, "{operation} error: {error}", fields)
        self._write(logging.DEBUG, "{operation} error: {words}", fields | {"words": words.strip()})

    def _write(self, level: int, line: str, fields: dict[str, int | str]) -> None:
        if LOGGER.isEnabledFor(level):
            # The line is an argument: a per cent sign in it is no placeholder.
            text = self._prefix + line.format_map(fields)
            LOGGER.log(level, "%s", text, extra={"mnemic": fields})


def log_of(settings: Settings) -> OperationLog:
    """The log of a mind, with the prefix of its preset."""
    return _log(settings.preset)


@cache
def _log(preset: str) -> OperationLog:
    return OperationLog(str(read_preset(preset)[0].get("log_prefix", "")))
