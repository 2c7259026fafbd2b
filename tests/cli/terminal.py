"""The command on a real terminal, with somebody who types."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys

_PATIENCE = 60  # seconds without a sign of life


def on_a_terminal(
    columns: int,
    *args: str,
    typed: str = "",
    code: int = 0,
    module: str = "mnemic",
    **extra: str,
) -> str:
    """What the command shows on a terminal of this width to a person who types that.

    They type when they are shown something, since a hidden prompt throws earlier keys away.
    """
    parent, child = pty.openpty()
    env = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color", **extra}
    env.pop("CI", None)
    command = [sys.executable, "-m", module, *args]
    with subprocess.Popen(command, stdout=child, stderr=child, stdin=child, env=env) as process:
        os.close(child)
        shown = b""
        while more := _read(parent, process):
            shown += more
            os.write(parent, typed.encode())
            typed = ""
        assert process.wait() == code, shown.decode()
    os.close(parent)
    return shown.decode()


def _read(terminal: int, process: subprocess.Popen[bytes]) -> bytes:
    """What is shown next; nothing when the other end was closed."""
    if not select.select([terminal], [], [], _PATIENCE)[0]:
        process.kill()
        raise TimeoutError("the command waits for something that nobody types")
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
