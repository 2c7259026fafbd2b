"""The folder of the plain files: appends that last, one writer at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from pathlib import Path

from mnemic import private
from mnemic.documents.files import read_bytes
from mnemic.record.transcripts import folder_of
from mnemic.settings.environment import MemorySettings
from mnemic.store.new_file import explain_errors
from mnemic.store.paths import claim_folder, open_own, own_folder, refuse_links
from mnemic.store.sqlite.connection import MEMORY

LONG_TERM_FILE = "MEMORY.md"  # the name every reader of plain memory files looks for
_LARGEST = 1 << 30  # bytes that one file may hold before it is refused as no log of ours


def state_name(path: Path) -> str:
    """Under which the database notes what it has taken from a file."""
    return f"off/{path.name}"


class Folder:
    """Reads whole files, appends to their ends."""

    def __init__(
        self,
        path: Path,
        notes: str,
        base: Path | None = None,
        claim: Callable[[], None] = lambda: None,
    ) -> None:
        """No link is followed below ``base``. ``claim`` makes it the folder of one database."""
        self.path = path
        self.claim = claim
        self._base = path.parent if base is None else base
        self.notes = path / notes

    def log(self, day: date) -> Path:
        return self.path / f"{day.isoformat()}.md"

    def logs(self) -> dict[date, Path]:
        """Every dated log by its day, the oldest first."""
        paths = {}
        for path in self.path.glob("????-??-??.md"):
            with contextlib.suppress(ValueError):
                paths[date.fromisoformat(path.stem)] = path
        return dict(sorted(paths.items()))

    def text(self, path: Path) -> str:
        """A file's text, none where there is no file. A torn character never hides the rest."""
        return (read_bytes(path, _LARGEST) or b"").decode("utf-8", "replace")

    def append(self, path: Path, text: str) -> None:
        """Durable when it returns. Begins on a new line, whatever was cut off before."""
        with explain_errors(path, "written"), open(path, "a+b", opener=open_own) as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                text = text if file.read(1) == b"\n" else f"\n{text}"
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """No other process or thread writes meanwhile."""
        import fcntl

        refuse_links(self.path, self._base)
        with explain_errors(self.path, "written"):
            private.make_folder(self.path)
            self.claim()
            guard = open(self.path / ".lock", "ab", opener=open_own)  # noqa: SIM115
        with guard:
            fcntl.flock(guard, fcntl.LOCK_EX)
            yield


def folder_beside(database: str, space: str, memory: MemorySettings) -> Folder | None:
    """The plain files of a space; None in RAM, unless their folder has a place of its own."""
    named = Path(memory.fallback_folder).expanduser()
    if database == MEMORY and not named.is_absolute():
        return None
    place = Path(database)
    base = place.parent if Path(memory.fallback_folder).name == memory.fallback_folder else None
    inner = folder_of(own_folder(place, str(named)), space)
    claim = partial(claim_folder, place, str(named))
    return Folder(inner, LONG_TERM_FILE, base or place.parent / named, claim)
