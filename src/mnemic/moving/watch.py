"""Taking in transcripts of other programs, once and as they grow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mnemic.engine.mind import Mind
from mnemic.errors import InvalidInput
from mnemic.moving.importer import Importer, Reading, Refused
from mnemic.moving.reader import reader_of
from mnemic.moving.readers.coding_agents import CLAUDE_CODE, CODEX, TranscriptFile
from mnemic.moving.source import ImportSource

_LINED = (CLAUDE_CODE, CODEX)
_STATE = "Cursor/User/globalStorage/state.vscdb"
# Where each program leaves its transcripts, in the home folder.
_USUAL = (
    *(".claude/projects", ".codex/sessions"),
    *(f".config/{_STATE}", f"Library/Application Support/{_STATE}"),
)


@dataclass(frozen=True, slots=True)
class Taken:
    """What came out of one file just now."""

    path: Path
    format: str
    added: int
    known: int
    rejected: int


@dataclass(eq=False)
class TranscriptWatcher:
    """Looks at files and folders again and again; only what is new in a file is read."""

    mind: Mind
    places: Sequence[Path]
    refused: Callable[[Refused], None]
    _seen: dict[Path, tuple[int, int]] = field(default_factory=dict)
    _files: dict[Path, TranscriptFile] = field(default_factory=dict)

    def look(self, stopping: Callable[[], bool] = lambda: False) -> Iterator[Taken]:
        """Take in what has changed since the last look."""
        for path in _files(self.places):
            status = path.stat()
            state = (status.st_size, status.st_mtime_ns)
            if stopping() or self._seen.get(path) == state:
                continue
            taken = self._take(path)
            self._seen[path] = state
            if taken is not None:
                yield taken

    def _take(self, path: Path) -> Taken | None:
        source = ImportSource.of(path, session=path.stem)
        try:
            reader, format = reader_of(source)
        except InvalidInput as error:
            self.refused(Refused(str(path), error.message))
            return None
        if format in _LINED:
            file = self._files.setdefault(path, TranscriptFile(format, path.name))
            if path.stat().st_size < file.offset:  # it was begun anew
                file = self._files[path] = TranscriptFile(format, path.name)
            with path.open("rb") as stream:
                stream.seek(file.offset)
                pieces = list(file.read(stream))
            project = file.project
        else:
            pieces, project = list(reader.read(source, format)), ""
        reading = Reading(format, project=project, refused=self.refused)
        for _ in Importer(self.mind, reading).run(pieces):
            pass
        done = reading.progress
        if not (done.added or done.rejected):
            return None
        return Taken(path, format, done.added, done.known, done.rejected)


def present_places(home: Path) -> list[Path]:
    """The usual places that exist on this machine."""
    return [path for path in map(home.joinpath, _USUAL) if path.exists()]


def _files(places: Sequence[Path]) -> Iterator[Path]:
    for place in places:
        if place.is_dir():
            yield from sorted(path for path in place.rglob("*.jsonl") if not path.is_symlink())
        elif place.exists():
            yield place
