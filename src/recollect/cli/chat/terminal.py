"""The terminal: lines in, lines out. What is shown can move no cursor and change no colour."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

# Format characters that turn the direction of what follows; emoji need the other ones.
_TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_BOLD, _DIM, _RED, _END = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[0m"
_PASTE = 0.05  # seconds in which the next line of a pasted text arrives
_BACK = "\r\x1b[2K"


class Terminal:
    """Where the person reads and types."""

    def __init__(self, *, plain: bool) -> None:
        self._typed = sys.stdin.isatty()
        self._shown = sys.stdout.isatty()
        self._coloured = self._shown and not plain
        # A text that is pasted comes whole, or line by line where the line editor cannot tell.
        self._by_line = self._typed and not (self._shown and _edits_pasted())

    def read(self, prompt: str, more: str | None = None) -> str:
        """What is typed, without its last line end. With ``more`` pasted lines are one message.

        Raises EOFError at the end.
        """
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
        if self._typed:
            return input(prompt)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\r\n")

    def say(self, text: str = "") -> None:
        self._write(clean(text), "")

    def strong(self, text: str) -> None:
        self._write(clean(text), _BOLD)

    def dim(self, text: str) -> None:
        self._write(clean(text), _DIM)

    def trouble(self, text: str) -> None:
        self._write(clean(text), _RED)

    def listed(self, entries: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Numbered texts, each on one line, with dimmer lines that say more of it."""
        for number, (text, below) in enumerate(entries, 1):
            self._write(self._fitted(f"{number:>2}  {flat(text)}"), "")
            for line in filter(None, below):
                self._write(self._fitted(f"    {flat(line)}"), _DIM)

    @contextlib.contextmanager
    def waiting(self, sign: str) -> Iterator[None]:
        """A sign while something is awaited, gone afterwards; none where nobody looks."""
        if not self._shown:
            yield
            return
        sys.stdout.write(sign)
        sys.stdout.flush()
        try:
            yield
        finally:
            sys.stdout.write(_BACK)
            sys.stdout.flush()

    def _fitted(self, line: str) -> str:
        if not self._shown:
            return line
        from rich.cells import cell_len, set_cell_size

        width = shutil.get_terminal_size().columns
        if cell_len(line) <= width:
            return line
        return set_cell_size(line, max(1, width - 1)).rstrip() + "…"

    def _write(self, text: str, look: str) -> None:
        shown = f"{look}{text}{_END}" if look and text and self._coloured else text
        sys.stdout.write(f"{shown}\n")
        sys.stdout.flush()


def clean(text: str) -> str:
    """Lines as they are, without anything that could move the cursor."""
    return "\n".join(
        "".join(_visible(letter) for letter in line.translate(_TURNING).expandtabs(4))
        for line in text.split("\n")
    )


def flat(text: str) -> str:
    """One line of it."""
    return clean(" ".join(text.split()))


def _visible(letter: str) -> str:
    return "\ufffd" if unicodedata.category(letter) in ("Cc", "Cs") else letter


def _edits_pasted() -> bool:
    """Line editing and history for ``input()``, where Python was built with it; whether it takes
    a pasted text as one."""
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
    """Whether more is there to be read at once: a paste brings its lines together."""
    if os.name == "nt":
        return False
    return bool(select.select([sys.stdin], [], [], _PASTE)[0])
