"""The environment of the demo: its file, its clock, and its mind."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from examples.demo.story import MARK, MARK_TOPIC, SESSIONS
from mnemic.cli.output import dim, indent_line, say
from mnemic.clock import Clock, ManualClock, SystemClock
from mnemic.engine.mind import Mind
from mnemic.engine.open import open as open_mind
from mnemic.errors import Conflict, MnemicError, StoreError
from mnemic.types import NewTurn

DEFAULT_FILE = "mnemic-demo.db"


class DemoFailed(MnemicError):
    """The demo did not show what it promises."""


def files_of(path: Path) -> Path:
    """The folder of the files a demo writes beside its database."""
    return path.with_name(f"{path.stem}-files")


def open_demo(path: Path, clock: Clock, *, write: float = 0.85) -> Mind:
    """The mind of the demo; ``write`` is the confidence above which nobody is asked.

    Its settings are explicit, so that those of the user change nothing.
    """
    beside = files_of(path).name
    return open_mind(
        path,
        preset="default",
        clock=clock,
        worker="none",
        ledger={"jsonl": True, "jsonl_folder": f"{beside}/history", "jsonl_keep": "30d"},
        documents={"folder": f"{beside}/documents"},
        upkeep={"report_folder": f"{beside}/reports"},
        triggers={"quiet_gap": "3m"},
        extraction={"engine": "rules"},
        routing={"write": write, "pending": 0.6},
        embedding={"provider": "auto", "folder": ""},
    )


class Stage:
    """A mind of the demo, whose clock the steps move."""

    def __init__(self, path: Path, begins: datetime) -> None:
        self.path = path
        self.clock = ManualClock(begins)
        self.begins = begins

    @property
    def beside(self) -> Path:
        """The folder of the copies, documents and reports."""
        return files_of(self.path)

    def __enter__(self) -> Self:
        self.mind: Mind = open_demo(self.path, self.clock)
        self.mind.session(MARK, topic=MARK_TOPIC)
        return self

    def careful(self) -> Mind:
        """A second mind on the same file, which asks more often."""
        return open_demo(self.path, self.clock, write=0.95)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.mind.close()

    def begins_plus(self, *, days: int) -> datetime:
        """The morning of that day of the story."""
        return self.begins + timedelta(days=days)

    def converse(
        self, turns: Sequence[NewTurn], *, day: int | None = None, mind: Mind | None = None
    ) -> None:
        """Say these turns half a minute apart, on the morning of that day or now."""
        if day is not None:
            self.clock.set(self.begins_plus(days=day))
        for turn in turns:
            (mind or self.mind).record_turn(turn)
            self.clock.advance(seconds=30)

    def rest(self, mind: Mind | None = None) -> int:
        """Let ten minutes pass and run the background work; returns the number of jobs."""
        self.clock.advance(minutes=10)
        drained = (mind or self.mind).drain()
        expect(not drained.dead and not drained.retried, "a job failed")
        return drained.done

    def files(self) -> int:
        """How many files the demo has written."""
        return len(self._written())

    def files_with(self, text: str) -> list[str]:
        """Those that hold a text, byte for byte."""
        return [file.name for file in self._written() if text.encode() in file.read_bytes()]

    def _written(self) -> list[Path]:
        database = self.path.parent.glob(f"{self.path.name}*")
        return [file for file in (*database, *self.beside.rglob("*")) if file.is_file()]

    def transcripts(self) -> list[str]:
        """The names of the JSONL files there are."""
        return sorted(file.name for file in self.beside.rglob("*.jsonl"))

    def documents(self) -> list[str]:
        """The names of the markdown documents there are."""
        folder = self.mind.documents_folder
        return sorted(file.name for file in folder.glob("*.md")) if folder else []


def narrate(text: str) -> None:
    """Print a sentence between the results."""
    say(dim(indent_line(text, 3)))


def expect(condition: bool, failure: str) -> None:
    """Fail the demo where a result is wrong."""
    if not condition:
        raise DemoFailed(f"The demo did not come out: {failure}", remedy="Please report this")


def next_free(path: Path) -> Path:
    """The path, or the same with a number when it is taken."""
    number = 2
    free = path
    while free.exists():
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    return free


def remove_earlier(path: Path) -> None:
    """Remove the file of an earlier demo; refuse anything else."""
    if not path.exists():
        return
    if not _is_demo(path):
        raise Conflict(
            f"{path} is not a demo that can be made anew",
            remedy="Give another file with --db, or move it away",
        )
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    for file in files_of(path).rglob("*"):
        if file.suffix in (".jsonl", ".md"):
            file.unlink()


def _is_demo(path: Path) -> bool:
    """Whether the file has our mark and no conversation that somebody added."""
    if path.stat().st_size == 0:
        return False
    try:
        with open_demo(path, SystemClock()) as mind:
            sessions = {info.id for info in mind.sessions(limit=1_000)}
    except StoreError:
        return False
    return MARK in sessions and sessions <= SESSIONS
