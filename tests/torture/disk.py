"""Disks made of Python: one that remembers the order of everything, one that fills up.

Both wrap the default VFS and become the default of the process, so the engine uses them unchanged.
The shared memory of WAL is passed to the wrapped VFS; it does not outlive a machine anyway.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import apsw

SECTOR = 512
SUFFIXES = ("", "-wal", "-journal")
Kind = Literal["create", "delete", "directory", "write", "truncate", "sync", "acknowledge"]


@dataclass(frozen=True, slots=True)
class Op:
    """One thing asked of the disk. ``file`` numbers what a name stood for at the time."""

    kind: Kind
    name: str = ""
    file: int = -1
    offset: int = 0
    data: bytes = b""


@dataclass(slots=True)
class Tape:
    """Everything asked of one database's files, in order."""

    path: str
    ops: list[Op] = field(default_factory=list)
    files: dict[str, int] = field(default_factory=dict)
    made: int = 0

    def acknowledge(self) -> None:
        self.ops.append(Op("acknowledge"))


class RecordingVFS(apsw.VFS):
    """Writes down what is asked, and does it, except for syncing."""

    def __init__(self, path: str) -> None:
        self.tape = Tape(path)
        self.base = apsw.vfs_names()[0]
        super().__init__("recording", self.base, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        plain = name.filename() if isinstance(name, apsw.URIFilename) else name
        suffix = _suffix(plain, self.tape.path)
        if suffix is None:
            return apsw.VFSFile(self.base, name, flags)
        tape = self.tape
        journal = flags[0] & (apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL)
        fresh = not Path(tape.path + suffix).exists()
        opened = _RecordingFile(self.base, name, flags)
        if fresh or suffix not in tape.files:
            tape.files[suffix] = tape.made
            tape.made += 1
            tape.ops.append(Op("create", suffix, tape.files[suffix]))
        opened.watch(tape, tape.files[suffix], syncs_folder=bool(journal))
        return opened

    def xDelete(self, name: str, syncdir: bool) -> None:
        super().xDelete(name, syncdir)
        suffix = _suffix(name, self.tape.path)
        if suffix is not None and suffix in self.tape.files:
            self.tape.ops.append(Op("delete", suffix, self.tape.files.pop(suffix)))
            if syncdir:
                self.tape.ops.append(Op("directory"))


class _RecordingFile(apsw.VFSFile):
    def watch(self, tape: Tape, number: int, *, syncs_folder: bool) -> None:
        self._tape = tape
        self._number = number
        self._syncs_folder = syncs_folder

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._tape.ops.append(Op("write", "", self._number, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._tape.ops.append(Op("truncate", "", self._number, newsize))

    def xSync(self, flags: int) -> None:
        self._tape.ops.append(Op("sync", "", self._number))
        if self._syncs_folder:  # as SQLite does on the first sync of each opened journal or log
            self._tape.ops.append(Op("directory"))
            self._syncs_folder = False


def _suffix(name: str | None, path: str) -> str | None:
    if name is None or not name.startswith(path):
        return None
    rest = name[len(path) :]
    return rest if rest in SUFFIXES else None


# --- what a power cut leaves ----------------------------------------------------------------------


def after_cut(ops: list[Op], cut: int, rng: random.Random) -> dict[str, bytes]:
    """The files as a disk may leave them when the power fails before operation ``cut``.

    What was synced is there. Of what was not, any part is, in any order, and one write may be torn
    between sectors, with old bytes or rubbish where it did not arrive.
    """
    past = ops[:cut]
    contents = _contents(past, rng)
    return {name: bytes(contents[file]) for name, file in _folder(past, rng).items()}


def _folder(past: list[Op], rng: random.Random) -> dict[str, int]:
    last = max((i for i, op in enumerate(past) if op.kind == "directory"), default=-1)
    names: dict[str, int] = {}
    for place, op in enumerate(past):
        if op.kind not in {"create", "delete"} or (place > last and rng.random() < 0.5):
            continue
        if op.kind == "create":
            names[op.name] = op.file
        elif names.get(op.name) == op.file:
            del names[op.name]
    return names


def _contents(past: list[Op], rng: random.Random) -> dict[int, bytearray]:
    synced = {op.file: place for place, op in enumerate(past) if op.kind == "sync"}
    contents: dict[int, bytearray] = {op.file: bytearray() for op in past if op.kind == "create"}
    waiting: list[Op] = []
    for place, op in enumerate(past):
        if op.kind not in {"write", "truncate"}:
            continue
        if place < synced.get(op.file, -1):
            _apply(contents[op.file], op)
        else:
            waiting.append(op)
    arriving = _survivors(waiting, rng)
    torn = rng.randrange(len(arriving)) if arriving and rng.random() < 0.6 else -1
    for number, op in enumerate(arriving):
        if number == torn and op.kind == "write":
            _tear(contents[op.file], op, rng)
        else:
            _apply(contents[op.file], op)
    return contents


def _survivors(waiting: list[Op], rng: random.Random) -> list[Op]:
    share = rng.choice((0.0, 0.2, 0.5, 0.8, 1.0))
    chosen = [op for op in waiting if rng.random() < share]
    if rng.random() < 0.5:
        rng.shuffle(chosen)
    return chosen


def _apply(content: bytearray, op: Op) -> None:
    if op.kind == "truncate":
        del content[op.offset :]
        content.extend(bytes(op.offset - len(content)))
        return
    end = op.offset + len(op.data)
    content.extend(bytes(max(0, end - len(content))))
    content[op.offset : end] = op.data


def _tear(content: bytearray, op: Op, rng: random.Random) -> None:
    """Sectors arrive or not, each for itself or up to a point."""
    rubbish = rng.random() < 0.5
    prefix = rng.random() < 0.5
    stop = rng.randrange(len(op.data) + 1)
    start = 0
    while start < len(op.data):
        end = min(len(op.data), SECTOR * ((op.offset + start) // SECTOR + 1) - op.offset)
        arrived = end <= stop if prefix else rng.random() < 0.5
        if arrived or rubbish:
            piece = op.data[start:end] if arrived else rng.randbytes(end - start)
            _apply(content, Op("write", "", op.file, op.offset + start, piece))
        start = end


# --- a disk that fills up -------------------------------------------------------------------------


class FillingVFS(apsw.VFS):
    """Lets files grow by ``left`` bytes in all, then says the disk is full. None is no limit.

    Checkpoints are spared: SQLite forgives a failed one, but an exception raised in Python here
    would still reach the caller. They meet a real limit in disk_full.limit_size.
    """

    def __init__(self) -> None:
        self.left: int | None = None
        self.base = apsw.vfs_names()[0]
        super().__init__("filling", self.base, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        opened = _FillingFile(self.base, name, flags)
        opened.disk = self
        plain = name.filename() if isinstance(name, apsw.URIFilename) else name
        opened.log = Path(f"{plain}-wal")
        return opened


class _FillingFile(apsw.VFSFile):
    disk: FillingVFS
    log: Path

    def xWrite(self, data: bytes, offset: int) -> None:
        growth = max(0, offset + len(data) - self.xFileSize())
        left = self.disk.left
        checkpoint = self.log.exists() and self.log.stat().st_size > 0
        if left is not None and growth > left and not checkpoint:
            # As a real disk does: what fits is written, then it fails.
            super().xWrite(data[: max(0, len(data) - growth + left)], offset)
            self.disk.left = 0
            raise apsw.FullError("no space left")
        if left is not None:
            self.disk.left = max(0, left - growth)
        super().xWrite(data, offset)
