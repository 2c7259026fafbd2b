"""The terminal: lines in, lines out, without control characters."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from collections.abc import Callable, Iterator

import click

from mnemic.plain import DIRECTION_CONTROLS, visible

_PASTE = 0.05  # seconds in which the next line of a pasted text arrives
_BACK = "\r\x1b[2K"


class Terminal:
    """Input and output of the chat."""

    def __init__(self) -> None:
        self._is_keyboard = sys.stdin.isatty()
        self._is_screen = sys.stdout.isatty()
        # Without bracketed paste a pasted text arrives line by line.
        self._by_line = self._is_keyboard and not (self._is_screen and _edits_pasted())

    def read(self, prompt: str, more: str | None = None) -> str:
        """What is typed; with ``more`` pasted lines are one message. EOFError at the end."""
        lines = [self._line(prompt)]
        if lines[0].startswith("/"):
            return lines[0]
        while more is not None and self._by_line and _waits():
            try:
                lines.append(self._line(more))
            except EOFError:
                break
        return "\n".join(lines)

    def _line(self, prompt: str) -> str:
        if self._is_keyboard:
            return input(prompt)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\r\n")

    def say(self, text: str = "") -> None:
        click.echo(clean(text))

    def strong(self, text: str) -> None:
        click.secho(clean(text), bold=True)

    def dim(self, text: str) -> None:
        click.secho(clean(text), dim=True)

    def trouble(self, text: str) -> None:
        click.secho(clean(text), fg="red")

    @contextlib.contextmanager
    def answering(self, sign: str) -> Iterator[Callable[[str], None]]:
        """A function that shows a text piece by piece; on a screen a sign waits for the first."""
        begun = False
        sign, back = (sign, _BACK) if self._is_screen else ("", "")

        def show(text: str) -> None:
            nonlocal begun
            text = text if begun else text.lstrip()
            if text:
                self._flush(clean(text) if begun else back + clean(text))
                begun = True

        self._flush(sign)
        try:
            yield show
        finally:
            self._flush("\n" if begun else back)

    def _flush(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def clean(text: str) -> str:
    """Lines as they are, without anything that could move the cursor."""
    lines = text.translate(DIRECTION_CONTROLS).split("\n")
    return "\n".join(visible(line.expandtabs(4)) for line in lines)


def _edits_pasted() -> bool:
    """Turn on line editing and history, if Python has it; whether a pasted text comes whole."""
    try:
        import readline
    except ImportError:
        return False
    readline.set_auto_history(True)
    if "libedit" in (readline.__doc__ or ""):
        return False
    readline.parse_and_bind("set enable-bracketed-paste on")
    return True


def _waits() -> bool:
    """Whether more input is ready: the lines of a paste arrive together."""
    if os.name == "nt":
        return False
    return bool(select.select([sys.stdin], [], [], _PASTE)[0])
