"""Changes: entries added to the plain files since they were last read, by any writer."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from hashlib import blake2b
from pathlib import Path

from mnemic.days import Zone, day_of
from mnemic.documents.fallback import logs, notes
from mnemic.documents.fallback.files import Folder
from mnemic.documents.fallback.logs import Entry, LoggedTurn
from mnemic.documents.fallback.notes import Note
from mnemic.store.new_file import typed
from mnemic.types import Turn

_MARK = re.compile(rb"^<!-- mnemic .*\n", re.MULTILINE)
_Stamp = tuple[int, int, int] | None


@dataclass(slots=True)
class _Part:
    """The beginning of a file that was read, by its length and its hash; ``rest`` is what stood
    after the last whole entry.
    """

    size: int = 0
    rest: bytes = b""
    hash: blake2b = field(default_factory=lambda: blake2b(digest_size=16))

    def begins(self, data: bytes) -> bool:
        """Whether the file still begins so."""
        digest = blake2b(memoryview(data)[: self.size], digest_size=16).digest()
        return len(data) >= self.size and digest == self.hash.digest()

    def extend(self, data: bytes, rest: bytes = b"") -> None:
        self.size += len(data)
        self.hash.update(data)
        self.rest = rest


@dataclass(frozen=True, slots=True)
class Added:
    """New entries of the logs, and new statements."""

    entries: list[Entry]
    notes: list[Note]


class PlainFileReader:
    """Reads the files of a folder, the logs of the last days only, and each part of them once."""

    def __init__(
        self, folder: Folder, keep: timedelta, now: Callable[[], datetime], zone: Zone
    ) -> None:
        self._folder = folder
        self._keep = keep
        self._now = now
        self._zone = zone
        self.forget()

    def forget(self) -> None:
        """Read everything again the next time."""
        self._listed: tuple[date, _Stamp] | None = None
        self._days: list[Path] = []
        self._stamps: dict[Path, _Stamp] = {}
        self._logs: dict[Path, _Part] = {}
        self._free: dict[Path, list[str]] = {}
        self._notes = _Part()
        self._older: dict[str, dict[int, Turn]] | None = None

    def is_current(self) -> bool:
        """Whether no file has changed since; some stats, since every call asks."""
        return self._look() == self._stamps

    def read(self) -> Added | None:
        """What was added since; None where something that was read is not there any more."""
        stamps = self._look()
        if not self._logs.keys() <= stamps.keys():
            return None  # a day has passed, or a log was removed
        entries: list[Entry] = []
        for path in sorted(stamps.keys() - {self._folder.notes}):
            if stamps[path] != self._stamps.get(path):
                added = self._read_log(path)
                if added is None:
                    return None
                entries += added
        fresh = self._read_notes()
        if fresh is None:
            return None
        self._stamps = stamps
        return Added(entries, fresh)

    def note_appended(self, path: Path, data: bytes) -> None:
        """Data of our own at the end of a file, which was up to date: it is not read again."""
        is_log = path != self._folder.notes
        part = self._logs.setdefault(path, _Part()) if is_log else self._notes
        part.extend(part.rest + data)
        self._stamps[path] = _stamp(path)

    def days(self) -> dict[date, str]:
        """The logs of the last days as a person reads them, the oldest first."""
        first = self.first_day()
        texts = {
            day: logs.without_marks(self._folder.text(path))
            for day, path in self._folder.logs().items()
            if day >= first
        }
        return {day: text for day, text in texts.items() if text}

    def older(self, session: str) -> Mapping[int, Turn]:
        """The turns of a session in the logs that are too old to be shown, by index."""
        if self._older is None:
            first, turns = self.first_day(), defaultdict[str, dict[int, Turn]](dict)
            for day, path in self._folder.logs().items():
                for entry in logs.parse(self._folder.text(path)) if day < first else ():
                    if isinstance(entry, LoggedTurn):
                        turns[entry.turn.session][entry.turn.index] = entry.turn
            self._older = dict(turns)
        return self._older.get(session, {})

    def first_day(self) -> date:
        """The day of the oldest log that is read; today's is always one of them."""
        return day_of(self._now() - self._keep, self._zone) + timedelta(days=1)

    def _look(self) -> dict[Path, _Stamp]:
        with typed(self._folder.path, "read"):
            listed = self.first_day(), _stamp(self._folder.path)
            if listed != self._listed:
                days = self._folder.logs()
                self._days = [path for day, path in days.items() if day >= listed[0]]
                self._listed = listed
            # A log that was just begun, in whichever zone, may not show yet in the time of its
            # folder.
            today = day_of(self._now(), self._zone)
            begun = [self._folder.log(today + timedelta(days=shift)) for shift in (-1, 0, 1)]
            return {path: _stamp(path) for path in (*self._days, *begun, self._folder.notes)}

    def _read_log(self, path: Path) -> list[Entry] | None:
        """Up to the last whole entry: what comes after it may still be being written."""
        part = self._logs.setdefault(path, _Part())
        data = self._folder.data(path)
        if not part.begins(data):
            return None
        end = max((mark.end() for mark in _MARK.finditer(data, part.size)), default=part.size)
        added = data[part.size : end]
        part.extend(added, data[end:])
        free = logs.free_text(
            data.decode("utf-8", "replace"),
            date.fromisoformat(path.stem),
            self._now(),
            self._zone,
        )
        known, self._free[path] = self._free.get(path, []), [entry.turn.id for entry in free]
        if not set(known) <= set(self._free[path]):
            return None  # a person has changed what they wrote
        return [*logs.parse(added.decode("utf-8", "replace")), *free]

    def _read_notes(self) -> list[Note] | None:
        path, part = self._folder.notes, self._notes
        data = self._folder.data(path)
        if not part.begins(data) or _goes_on(data, part.size):
            return None
        added = data[part.size :]
        part.extend(added)
        return list(notes.parse(added.decode("utf-8", "replace")))


def _goes_on(data: bytes, start: int) -> bool:
    """Whether what begins there belongs to the line or the statement before."""
    if not start or start == len(data):
        return False
    begins_line = data[start - 1 : start] == b"\n" or data[start : start + 1] == b"\n"
    return not begins_line or data[start:].lstrip(b"\r\n").startswith(b"  ")


def _stamp(path: Path) -> _Stamp:
    try:
        status = os.stat(path)  # noqa: PTH116 - on the way of every call
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
