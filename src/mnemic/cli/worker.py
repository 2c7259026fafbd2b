"""mnemic worker"""

from __future__ import annotations

import os
import select
import signal
from types import FrameType, TracebackType
from typing import Self

import click

from mnemic.cli.base import Command
from mnemic.cli.failures import error_line
from mnemic.cli.output import emit, note, say
from mnemic.cli.phrases import counted, phrase, term
from mnemic.cli.state import State, pass_state
from mnemic.engine import Engine
from mnemic.errors import StoreError
from mnemic.types import Drained

_SLICE = 0.2  # seconds of jobs between two checks for signals; a running job is always finished


class Stopping:
    """Records SIGTERM and SIGINT instead of ending the process, and can wait for one."""

    def __enter__(self) -> Self:
        self.requested = False
        self._read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        self._ends = (self._read_end, write_end)
        self._before = {s: signal.signal(s, self._note) for s in (signal.SIGTERM, signal.SIGINT)}
        self._wakeup = signal.set_wakeup_fd(write_end)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for end in self._ends:
            os.close(end)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.requested = True

    def wait(self, seconds: float) -> None:
        select.select([self._read_end], [], [], seconds)


@click.command(cls=Command)
@click.option("--once", is_flag=True, help="Run what is due, learn from open sessions, leave.")
@pass_state
@click.pass_context
def worker(ctx: click.Context, state: State, once: bool) -> None:
    """Run background work until stopped.

    SIGTERM or Ctrl-C lets the job in hand finish. Several workers may share a database; each job is
    run by one of them.
    """
    with state.connect(create=not once) as engine:
        if once:
            mine, all_ = engine.mind(state.space_name).drain(), engine.drain()
            drained = Drained(
                mine.done + all_.done, mine.retried + all_.retried, mine.dead + all_.dead
            )
            _report(state, drained, always=True)
            ctx.exit(1 if drained.dead else 0)
        with Stopping() as stopping:
            if not state.json:
                note(phrase("Working for every space. Ctrl-C stops after the job in hand."))
            _work(state, engine, stopping)


def _work(state: State, engine: Engine, stopping: Stopping) -> None:
    idle = engine.settings.jobs.poll.total_seconds()
    failing = ""
    while not stopping.requested:
        try:
            drained = engine.drain(timeout=_SLICE)
            failing = ""
        except StoreError as error:
            # Shown once, and tried again: a full disk or a long lock passes.
            if str(error) != failing:
                failing = str(error)
                note(error_line(error))
            drained = Drained(0, 0, 0)
        _report(state, drained)
        if drained == Drained(0, 0, 0):
            stopping.wait(idle)


def _report(state: State, drained: Drained, *, always: bool = False) -> None:
    counts = {"done": drained.done, "retried": drained.retried, "dead": drained.dead}
    if not any(counts.values()) and not always:
        return
    if state.json:
        emit(drained)
        return
    summary = phrase(", ").join(
        f"{number:,} {term(word)}" for word, number in counts.items() if number
    )
    jobs = counted(sum(counts.values()), "job")
    say(
        phrase("{jobs}: {summary}.", jobs=jobs, summary=summary)
        if summary
        else phrase("No job was due.")
    )
