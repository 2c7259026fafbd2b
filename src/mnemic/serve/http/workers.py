"""Several processes on one port: each is forked, watched, and started again when it dies."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from types import FrameType

from mnemic import tracing
from mnemic.errors import MnemicError, ServiceUnavailable

Role = Callable[[], None]
_HASTE = 30.0  # seconds; a process that fails sooner was not well when it began
_PATIENCE = 3  # such ends in a row
_PARENT_DEATH = 1  # PR_SET_PDEATHSIG
_GRACE = 60.0  # seconds that processes get to finish


def once_for_all(work: Role) -> Role:
    """What one of several processes does: whichever takes the byte."""
    taken, given = os.pipe()
    os.write(given, b"1")
    os.close(given)
    return lambda: work() if os.read(taken, 1) else None


class Workers:
    """Runs each role in a process of its own until a signal ends them all."""

    def __init__(self, roles: Sequence[Role]) -> None:
        """Nothing may be open and no thread may run yet: processes are forked."""
        self._roles = roles
        self._running: dict[int, tuple[int, float]] = {}  # role and start, by process
        self._hasty, self._stopping = 0, False

    def run(self) -> None:
        """Until SIGTERM or SIGINT, which the processes get as SIGTERM."""
        before = {sig: signal.signal(sig, self._stop) for sig in (signal.SIGTERM, signal.SIGINT)}
        try:
            for place in range(len(self._roles)):
                self._start(place)
            while self._running:
                self._reap()
        finally:
            self._end(signal.SIGKILL)
            for sig, handler in before.items():
                signal.signal(sig, handler)
        if self._hasty >= _PATIENCE:
            raise ServiceUnavailable(
                "Processes of the service ended as soon as they began",
                remedy="See what they wrote to standard error",
            )

    def _stop(self, sig: int, frame: FrameType | None) -> None:
        self._stopping = True
        self._end(signal.SIGTERM)
        signal.signal(signal.SIGALRM, lambda *_: self._end(signal.SIGKILL))
        signal.alarm(int(_GRACE))

    def _start(self, place: int) -> None:
        process = os.fork()
        if process == 0:
            _play(self._roles[place])
        self._running[process] = place, time.monotonic()

    def _reap(self) -> None:
        """Wait for an end; what ended without being told begins again."""
        try:
            process, status = os.wait()
        except InterruptedError:
            return
        except ChildProcessError:
            self._running.clear()
            return
        place, began = self._running.pop(process, (-1, 0.0))
        if place < 0 or self._stopping:
            return
        failed = os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0
        self._hasty = self._hasty + 1 if failed and time.monotonic() < began + _HASTE else 0
        if self._hasty < _PATIENCE:
            self._start(place)
        else:
            self._stop(signal.SIGTERM, None)

    def _end(self, sig: signal.Signals) -> None:
        for process in list(self._running):
            try:
                os.kill(process, sig)
            except ProcessLookupError:
                self._running.pop(process, None)


def _play(role: Role) -> None:
    """The whole life of a process: nothing of the one that made it is gone on with."""
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if sys.platform == "linux":  # end with the one that watches, however that ends
            ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGTERM)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells all; one passes it on
        role()
        status = 0
    except MnemicError as error:
        print(f"mnemic: {error}", file=sys.stderr)  # noqa: T201 - nobody else is there to tell it
    except BaseException:  # noqa: BLE001 - the boundary of a process
        traceback.print_exc()
    finally:
        tracing.stop()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
