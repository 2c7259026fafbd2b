"""Clocks that go back, places that cannot be written, files that are something else."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import apsw

import mnemic
from mnemic import (
    MnemicError,
    NotADatabase,
    SchemaTooNew,
    StoreReadOnly,
    StoreUnavailable,
)
from mnemic.clock import ManualClock
from mnemic.store.sqlite import migrate
from tests.torture import witness
from tests.torture.homes import Home, Homes, StoreName
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What went wrong on bad days."""

    days: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(folder: Path, *, jumps: int, store: StoreName = "sqlite") -> Report:
    """Every bad day once; the clock jumps ``jumps`` times. A server has no bad days of files:
    tests/postgres/test_opening.py has its own.
    """
    homes = Homes(folder, store)
    losses = _clock_goes_back(homes.new("clock"), jumps, "default")
    losses += _clock_goes_back(homes.new("clock-too"), jumps, "openakita")
    if store == "postgres":
        return Report(2, tuple(losses), ())
    errors: list[str] = []
    days: dict[str, Callable[[Path], list[str]]] = {
        "folder as file": _folder_as_file,
        "text file": _text_file,
        "foreign database": _foreign_database,
        "foreign database with a log": _foreign_with_log,
        "newer schema": _newer_schema,
        "newer schema in the log": _newer_schema_in_log,
        "nowhere": _nowhere,
    }
    for name, day in days.items():
        place = folder / name.replace(" ", "-")
        place.mkdir()
        losses += [f"{name}: {what}" for what in day(place)]
    # A folder of its own: the one we were given may be closed to the nobody we become there.
    with Nursery() as nursery, tempfile.TemporaryDirectory(prefix="mnemic-") as open_:
        Path(open_).chmod(0o755)
        for work in (read_only_folder, read_only_file, unreadable_file, no_place_for_a_folder):
            place = Path(open_) / work.__name__
            place.mkdir()
            ending = nursery.run(work, str(place))
            if ending.failure:
                errors.append(f"{work.__name__}: {ending.failure}")
            losses += [f"{work.__name__}: {line}" for line in ending.lines if line[:1] != "!"]
    return Report(2 + len(days) + 4, tuple(losses), tuple(errors))


# --- time -----------------------------------------------------------------------------------------


def _clock_goes_back(home: Home, jumps: int, preset: str) -> list[str]:
    """Ten years back and forth between turns, between queueing and running, and between opens."""
    wrong: list[str] = []
    clock = ManualClock(datetime(2026, 7, 1, 12, tzinfo=UTC))
    expected: list[str] = []
    for jump in range(jumps):
        with home.open(clock=clock, preset=preset) as mind:
            for number in range(3):
                text = f"{witness.word(jump, number)} turn"
                expected.append(text)
                mind.record(session="s", role="user", text=text)
                clock.advance(seconds=1)
            mind.remember(f"{witness.word(jump, 9)} fact", kind="fact")
            clock.advance(days=-3653 if jump % 2 == 0 else 3653)
            mind.record(session="s", role="user", text=f"{witness.word(jump, 3)} turn")
            expected.append(f"{witness.word(jump, 3)} turn")
            if jump % 3 == 0:
                clock.advance(days=-3653)  # what was just queued now lies in the future
                clock.advance(minutes=5)  # and what was queued back then comes due
            else:
                clock.advance(hours=2)
            mind.drain(120)
            wrong += [f"job left: {job.kind} {job.state}" for job in mind.jobs()]
            if jump % 3 == 0:
                clock.advance(days=3653)
            found = [turn.text for turn in mind.turns(session="s", limit=100_000)]
            if found != expected:
                wrong.append("turns are not in the order of their indexes")
            hits = mind.recall(witness.word(jump, 3), limit=1, of=("turn",))
            if [hit.text for hit in hits] != [expected[-1]]:
                wrong.append("a turn is not findable")
            if not mind.recall(witness.word(jump, 9), limit=1, of=("memory",)):
                wrong.append("a memory is not findable")
    return wrong + witness.halves(home.target, integrity=True, digests=preset == "default")


# --- files that are something else ----------------------------------------------------------------


def _refuses(place: Path, file: Path, *kinds: type[MnemicError]) -> list[str]:
    """Opening raises one of ``kinds`` with a remedy, and nothing in the folder changed."""
    before = _picture(place)
    try:
        mnemic.open(file, worker="none").close()
    except kinds as error:
        wrong = [] if error.remedy else ["no remedy"]
    except MnemicError as error:
        wrong = [f"{type(error).__name__} instead of {kinds[0].__name__}: {error}"]
    else:
        wrong = ["it was opened"]
    after = _picture(place)
    changed = [name for name, data in before.items() if after.get(name) != data]
    return wrong + [f"{name or 'file'} was changed" for name in changed]


def _picture(place: Path) -> dict[str, bytes]:
    return {
        file.name: file.read_bytes()
        for file in sorted(place.rglob("*"))
        if file.is_file() and not file.name.endswith("-shm")
    }


def _folder_as_file(place: Path) -> list[str]:
    return _refuses(place, place, StoreUnavailable)


def _text_file(place: Path) -> list[str]:
    file = place / "notes.txt"
    file.write_text("# my notes\n" * 500, encoding="utf-8")
    return _refuses(place, file, NotADatabase)


def _foreign_database(place: Path) -> list[str]:
    wrong: list[str] = []
    for mode in ("DELETE", "WAL"):
        file = place / f"other-{mode}.db"
        with closing(sqlite3.connect(file)) as conn:
            conn.execute(f"PRAGMA journal_mode = {mode}")
            conn.execute("CREATE TABLE turns (mine TEXT)")
            conn.execute("INSERT INTO turns VALUES ('do not touch')")
            conn.commit()
        wrong += _refuses(place, file, NotADatabase)
        left = {f.name for f in place.iterdir()} - {"other-DELETE.db", "other-WAL.db"}
        wrong += [f"{name} was left behind" for name in sorted(left)]
    return wrong


def _foreign_with_log(place: Path) -> list[str]:
    file = place / "other.db"
    with closing(sqlite3.connect(file)) as conn:
        conn.execute("PRAGMA journal_mode = WAL")
        conn.execute("CREATE TABLE theirs (x TEXT)")
        conn.commit()
        wrong = _refuses(place, file, NotADatabase)  # while its program has it open
        with _left_open(place, file) as copy:
            wrong += _refuses(copy.parent, copy, NotADatabase)
    return wrong


def _newer_schema(place: Path) -> list[str]:
    file = place / "newer.db"
    _make_newer(file)
    return _refuses(place, file, SchemaTooNew)


def _newer_schema_in_log(place: Path) -> list[str]:
    """Only the log knows that the file is newer."""
    file = place / "newer.db"
    with mnemic.open(file, worker="none") as mind:
        mind.record(session="s", role="user", text="from today")
    conn = apsw.Connection(str(file))
    conn.execute(f"PRAGMA user_version = {migrate.LATEST + 1}")
    conn.execute("CREATE TABLE from_the_future (x)")
    try:
        with _left_open(place, file) as copy:
            return _refuses(copy.parent, copy, SchemaTooNew)
    finally:
        conn.close()


def _make_newer(file: Path) -> None:
    with mnemic.open(file, worker="none") as mind:
        mind.record(session="s", role="user", text="from today")
    with closing(sqlite3.connect(file)) as conn:
        conn.execute(f"PRAGMA user_version = {migrate.LATEST + 1}")


@contextmanager
def _left_open(place: Path, file: Path) -> Iterator[Path]:
    """A copy of a database as its program would leave it if it died now: with its log."""
    folder = place / "copy"
    folder.mkdir()
    copy = folder / file.name
    for suffix in ("", "-wal"):
        Path(f"{copy}{suffix}").write_bytes(Path(f"{file}{suffix}").read_bytes())
    yield copy


def _nowhere(place: Path) -> list[str]:
    """A file in the way of the folder, and a name no file system takes."""
    (place / "file").write_text("x")
    wrong: list[str] = []
    wrong += _refuses(place, place / "file" / "memory.db", mnemic.StoreError)
    for name in ("n" * 300 + "/memory.db", "n" * 300 + ".db"):
        wrong += _refuses(place, place / name, mnemic.InvalidInput)
    return wrong


# --- permissions: root may write everywhere, so these give up being root ------------------------


def _as_nobody(path: Path) -> None:
    if os.geteuid() == 0:
        for item in [path, *path.rglob("*")]:
            os.chown(item, _NOBODY, _NOBODY)
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)


def _make(path: Path) -> None:
    with mnemic.open(path, worker="none") as mind:
        mind.record(session="s", role="user", text="before it became read-only")


def _tell(say: Say, file: Path, *kinds: type[MnemicError]) -> None:
    """Opening may succeed when reading is possible; writing may not."""
    try:
        with mnemic.open(file, worker="none") as mind:
            mind.record(session="s", role="user", text="no")
        say("it was written")
    except kinds as error:
        if not error.remedy:
            say("no remedy")
    except MnemicError as error:
        say(f"{type(error).__name__} instead of {kinds[0].__name__}: {error}")


def read_only_folder(say: Say, folder: str) -> None:
    """In a child: neither a new file nor an old one, whose log cannot be made beside it."""
    place = Path(folder)
    _make(place / "old.db")
    _as_nobody(place)
    place.chmod(stat.S_IRUSR | stat.S_IXUSR)
    before = _picture(place)
    _tell(say, place / "new.db", StoreReadOnly, StoreUnavailable)
    _tell(say, place / "old.db", StoreReadOnly, StoreUnavailable)
    if _picture(place) != before:
        say("something was changed")


def read_only_file(say: Say, folder: str) -> None:
    """In a child: a file that may only be read."""
    file = Path(folder) / "old.db"
    _make(file)
    _as_nobody(Path(folder))
    file.chmod(stat.S_IRUSR)
    before = file.read_bytes()
    _tell(say, file, StoreReadOnly)
    if file.read_bytes() != before:
        say("it was changed")


def unreadable_file(say: Say, folder: str) -> None:
    """In a child: a file of somebody else."""
    file = Path(folder) / "old.db"
    _make(file)
    _as_nobody(Path(folder))
    file.chmod(0)
    _tell(say, file, StoreReadOnly, StoreUnavailable)


def no_place_for_a_folder(say: Say, folder: str) -> None:
    """In a child: the folder of the file cannot be made."""
    _make(Path(folder) / "old.db")  # and everything that is imported when it is needed is
    _as_nobody(Path(folder))
    Path(folder).chmod(stat.S_IRUSR | stat.S_IXUSR)
    _tell(say, Path(folder) / "deep" / "memory.db", StoreReadOnly, StoreUnavailable)
