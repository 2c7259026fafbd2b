"""A person before a terminal: types, pastes, presses keys, and reads the screen.

``Tmux`` drives the command through tmux, ``Pty`` through a pseudo-terminal and an emulator that
pip installs, so that the same play runs on a machine without tmux.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

COLUMNS, ROWS = 160, 60
_PATIENCE = 60.0
_KEYS = {"Enter": b"\r", "C-c": b"\x03", "C-d": b"\x04", "C-u": b"\x15"}
# A session leader whose terminal this is: only then does Ctrl-C reach it.
_LEADER = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execvpe(sys.argv[1], sys.argv[1:], os.environ)"
)


class Screen(Protocol):
    """What a test does with a terminal."""

    def type(self, text: str) -> None: ...
    def paste(self, text: str) -> None: ...
    def press(self, key: str) -> None: ...
    def shown(self) -> str: ...
    def ended(self) -> bool: ...
    def close(self) -> None: ...


def wait_for(screen: Screen, text: str, *, times: int = 1) -> str:
    """The screen, once it shows a text so many times."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        shown = screen.shown()
        if shown.count(text) >= times:
            return shown
        time.sleep(0.05)
    raise AssertionError(f"{text!r} is not shown {times} times:\n{screen.shown()}")


def enter(screen: Screen, text: str) -> None:
    """Type a line."""
    screen.type(text)
    screen.press("Enter")


def wait_for_end(screen: Screen) -> str:
    until = time.monotonic() + _PATIENCE
    while not screen.ended():
        assert time.monotonic() < until, screen.shown()
        time.sleep(0.05)
    return screen.shown()


class Tmux:
    """A pane of a tmux server of its own."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        # The path of a socket must be short.
        self._folder = Path(tempfile.mkdtemp(prefix="rc"))
        self._env = {**env, "TMUX_TMPDIR": str(self._folder)}
        settings = self._folder / "conf"
        settings.write_text("set -g remain-on-exit on\nset -g default-terminal screen-256color\n")
        size = ("-x", str(COLUMNS), "-y", str(ROWS))
        self._do("-u", "-f", str(settings), "new-session", "-d", *size, "--", *command)

    def _do(self, *args: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", "x", *args], env=self._env, capture_output=True, check=True
        )
        return done.stdout.decode()

    def type(self, text: str) -> None:
        self._do("send-keys", "-l", "--", text)

    def paste(self, text: str) -> None:
        self._do("set-buffer", "--", text)
        self._do("paste-buffer", "-p", "-r")

    def press(self, key: str) -> None:
        self._do("send-keys", key)

    def shown(self) -> str:
        return self._do("capture-pane", "-p", "-J", "-S", "-")

    def ended(self) -> bool:
        return self._do("display-message", "-p", "#{pane_dead}").strip() == "1"

    def close(self) -> None:
        self._do("kill-server")
        shutil.rmtree(self._folder, ignore_errors=True)


class Pty:
    """A pseudo-terminal, and an emulator that reads what is written to it."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        pyte: Any = import_module("pyte")
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LEADER, *command],
            stdin=child,
            stdout=child,
            stderr=child,
            env={**env, "TERM": "linux"},
        )
        os.close(child)
        self.raw = b""

    def type(self, text: str) -> None:
        os.write(self._parent, text.encode())

    def paste(self, text: str) -> None:
        """As a terminal does: between marks, where the program asked for them."""
        data = text.encode().replace(b"\n", b"\r")
        wanted = self.raw.rfind(b"\x1b[?2004h") > self.raw.rfind(b"\x1b[?2004l")
        os.write(self._parent, b"\x1b[200~" + data + b"\x1b[201~" if wanted else data)

    def press(self, key: str) -> None:
        os.write(self._parent, _KEYS[key])

    def shown(self) -> str:
        while select.select([self._parent], [], [], 0)[0]:
            try:
                more = os.read(self._parent, 65536)
            except OSError:  # the other end was closed
                break
            self.raw += more
            self._stream.feed(more)
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def ended(self) -> bool:
        self.shown()
        return self._process.poll() is not None

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._parent)


# Where there is no tmux the other one plays alone: nothing is skipped.
SCREENS: dict[str, type[Tmux] | type[Pty]] = {
    "pty": Pty,
    **({"tmux": Tmux} if shutil.which("tmux") else {}),
}
