"""Processes to be hurt, cheaply: a server with the engine imported forks a child per request.

The server has one thread and never opens a file, so its children start clean. A child speaks
through a pipe of its own, one line per write, so a line that arrived was said before any kill.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import socket
import struct
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Say = Callable[[str], None]
FAILED = "!"  # begins the line a child says when an exception ended it
_HEAD = struct.Struct("!i")


@dataclass(frozen=True, slots=True)
class Ending:
    """What a child said, and how it ended: 0, an exit code, or minus the signal."""

    lines: list[str]
    status: int
    timed_out: bool

    @property
    def failure(self) -> str:
        """Why it did not end as it should, or nothing."""
        said = [line[1:] for line in self.lines if line.startswith(FAILED)]
        if said:
            return said[0]
        if self.timed_out:
            return "it hung"
        return f"it ended with {self.status}" if self.status else ""


class Child:
    """One running child."""

    def __init__(self, nursery: Nursery, pid: int, pipe: int) -> None:
        self.pid = pid
        self._nursery = nursery
        self._pipe = pipe
        self._heard = b""

    def hear(self, line: str, timeout: float) -> bool:
        """Wait until the child has said ``line``."""
        wanted = f"{line}\n".encode()
        until = time.monotonic() + timeout
        while wanted not in self._heard:
            if not self._listen(until):
                return False
        return True

    def kill(self) -> None:
        """As the kernel would: no warning, no last words."""
        os.kill(self.pid, signal.SIGKILL)

    def end(self, timeout: float) -> Ending:
        """Wait until it has ended; one that takes longer is killed."""
        until = time.monotonic() + timeout
        while self._listen(until):
            pass
        timed_out = time.monotonic() >= until
        if timed_out:
            self.kill()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)  # and what it had forked itself
        os.close(self._pipe)
        status = self._nursery.reap(self.pid)
        lines = self._heard.decode(errors="replace").split("\n")
        return Ending(lines[:-1], status, timed_out)

    def _listen(self, until: float) -> bool:
        ready, _, _ = select.select([self._pipe], [], [], max(0.0, until - time.monotonic()))
        said = os.read(self._pipe, 1 << 16) if ready else b""
        self._heard += said
        return bool(said)


class Nursery:
    """Starts children; ends with its ``with`` block."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair()
        root = Path(__file__).parents[2]
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.torture.nursery", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            cwd=root,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(root), *sys.path])},
        )
        theirs.close()

    def start(self, work: Callable[..., None], *args: Any) -> Child:
        """Have a new process run ``work(say, *args)``; ``work`` is a function of a module."""
        mine, theirs = os.pipe()
        request = pickle.dumps((work, args))
        socket.send_fds(self._line, [_HEAD.pack(len(request))], [theirs])
        self._line.sendall(request)
        os.close(theirs)
        return Child(self, self._answer(), mine)

    def run(self, work: Callable[..., None], *args: Any, timeout: float = 60) -> Ending:
        """Start a child and wait for its end."""
        return self.start(work, *args).end(timeout)

    def reap(self, pid: int) -> int:
        self._line.sendall(_HEAD.pack(-pid))
        return self._answer()

    def _answer(self) -> int:
        (number,) = _HEAD.unpack(_exactly(self._line, _HEAD.size))
        return int(number)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._line.close()
        self._server.wait(30)


def _exactly(line: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size:
        more = line.recv(size - len(got))
        if not more:
            raise EOFError("the nursery has gone")
        got += more
    return got


def _serve(line: socket.socket) -> None:
    while True:
        head, pipes, _, _ = socket.recv_fds(line, _HEAD.size, 1)
        if not head:
            return
        (number,) = _HEAD.unpack(head)
        if number < 0:
            _, ending = os.waitpid(-number, 0)
            line.sendall(_HEAD.pack(os.waitstatus_to_exitcode(ending)))
            continue
        work, args = pickle.loads(_exactly(line, number))
        pid = os.fork()
        if pid == 0:
            line.close()
            _live(pipes[0], work, args)
        os.close(pipes[0])
        line.sendall(_HEAD.pack(pid))


def _live(pipe: int, work: Callable[..., None], args: tuple[Any, ...]) -> None:
    def say(text: str) -> None:
        os.write(pipe, f"{text}\n".encode())

    status = 1
    os.setpgid(0, 0)
    try:
        work(say, *args)
        status = 0
    except BaseException as error:  # noqa: BLE001 - told to the parent, which fails the scenario
        frames = traceback.extract_tb(error.__traceback__)[-6:]
        trail = " > ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
        say(FAILED + " ".join(f"{type(error).__name__}: {error} ({trail})".split()))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _warm_up() -> None:
    """Import once, here, what the engine imports when it is first used."""
    import mnemic

    with mnemic.open(":memory:", worker="none") as mind:
        mind.record(session="s", role="user", text="warm 热身")
        mind.recall("warm 热身")
        mind.drain()


if __name__ == "__main__":
    _warm_up()
    _serve(socket.socket(fileno=int(sys.argv[1])))
