"""Where the demo plays: its file, its clock, and its mind."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from recollect.cli.demo.story import MARK, MARK_TOPIC, SESSIONS
from recollect.cli.output import dim, indented, say
from recollect.clock import ManualClock
from recollect.errors import Conflict, RecollectError, StoreError
from recollect.mind import Mind
from recollect.opening import open as open_mind

DEFAULT_FILE = "recollect-demo.db"


class DemoFailed(RecollectError):
    """The demo did not show what it promises."""


class Stage:
    """A mind of the demo, whose clock the steps move."""

    def __init__(self, path: Path, begins: datetime) -> None:
        self.path = path
        self.clock = ManualClock(begins)
        self.begins = begins

    @property
    def history(self) -> Path:
        """Where the JSONL copies of the sessions are."""
        return self.path.with_name(f"{self.path.stem}-history")

    def __enter__(self) -> Self:
        # Said outright, so that the settings of the person at the keyboard change nothing here.
        self.mind: Mind = open_mind(
            self.path,
            preset="default",
            clock=self.clock,
            worker="none",
            ledger={"jsonl": True, "jsonl_folder": self.history.name, "jsonl_keep": "30d"},
            triggers={"quiet_gap": "3m"},
        )
        self.mind.session(MARK, topic=MARK_TOPIC)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.mind.close()

    def day(self, number: int) -> datetime:
        """Move on to the morning of that day of the story."""
        self.clock.set(self.begins)
        return self.clock.advance(days=number)

    def transcripts(self) -> list[str]:
        """The names of the JSONL files there are."""
        return sorted(file.name for file in self.history.rglob("*.jsonl"))


def tell(text: str) -> None:
    """A sentence between what is shown."""
    say(dim(indented(text, 3)))


def expect(found: bool, what: str) -> None:
    """A demo that does not show what it says has failed."""
    if not found:
        raise DemoFailed(f"The demo did not come out: {what}", remedy="Please report this")


def next_free(path: Path) -> Path:
    """The path, or the same with a number when it is taken."""
    number = 2
    free = path
    while free.exists():
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    return free


def make_room(path: Path) -> None:
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
    for file in Stage(path, datetime.now().astimezone()).history.glob("default/demo-*.jsonl"):
        file.unlink()


def _is_demo(path: Path) -> bool:
    """Whether the file has our mark and no conversation that somebody added."""
    if path.stat().st_size == 0:
        return False
    try:
        with open_mind(path, preset="default", worker="none") as mind:
            found = {session.id for session in mind.sessions(limit=1_000)}
    except StoreError:
        return False
    return MARK in found and found <= SESSIONS
