"""The JSONL copy of each session: `conversation_history/{session}.jsonl`.

The database knows how many bytes of a file are good. An append that was interrupted leaves a tail
beyond that; the next one cuts it off and writes those turns again, so no line is torn or doubled.
"""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

from mnemic import private
from mnemic.clock import Clock
from mnemic.late import dataclass
from mnemic.plain import plain
from mnemic.record.triggers import queue_sessions
from mnemic.store.contract import Store
from mnemic.store.paths import is_link_error, link_error, open_own, refuse_links, safe_name
from mnemic.store.rows import Transcript
from mnemic.types import DEFAULT_SPACE, Job, SafeName, Turn

KIND = "transcript"
AGE_KIND = "age_transcripts"
_ENDING = ".jsonl"


@dataclass(slots=True, eq=False)
class Transcripts:
    """Writes and ages the JSONL files of one folder."""

    store: Store
    folder: Path
    base: Path  # no link is followed below it
    clock: Clock
    keep: timedelta | None

    def append(self, job: Job) -> None:
        """Bring the file of the session named in the job up to date."""
        session = job.name_of("session")
        with self.store.write(job.space) as unit:
            turns = unit.ledger.list_untranscribed(session)
            if not turns:
                return
            existing = unit.ledger.transcript(session)
            path = self._place(job.space, session)
            size = _write(path, existing.bytes if existing else 0, turns)
            latest = max(turn.at for turn in turns)
            if existing is not None:
                latest = max(latest, existing.last_at)
            unit.ledger.mark_transcribed(Transcript(session, size, latest))

    def age(self, job: Job) -> None:
        """Remove files whose session has been silent for too long; the database copy stays."""
        self.age_space(job.space)

    def age_space(self, space: str) -> int:
        """The same for one space; says how many files went."""
        if self.keep is None:
            return 0
        with self.store.write(space) as unit:
            old = unit.ledger.old_transcripts(self.clock.now() - self.keep)
            for transcript in old:
                self._place(space, transcript.session).unlink(missing_ok=True)
                unit.ledger.drop_transcript(transcript.session)
        return len(old)

    def erase(self, space: str, session: SafeName) -> None:
        """Remove the file of a session; what is left of the session is written anew."""
        with self.store.write(space) as unit:
            self._place(space, session).unlink(missing_ok=True)
            if unit.ledger.transcript(session) is not None:
                unit.ledger.drop_transcript(session)
                queue_sessions(unit, KIND, [session], now=self.clock.now())

    def path(self, space: str, session: str) -> Path:
        """A file name that any system takes and that no two sessions share."""
        return folder_of(self.folder, space) / safe_name(session, ending=_ENDING)

    def _place(self, space: str, session: str) -> Path:
        """The file to write, which is no link."""
        path = self.path(space, session)
        refuse_links(path, self.base)
        return path


def folder_of(folder: Path, space: str) -> Path:
    """Where the files of one space are; none of another's, and none a file of the default's."""
    return folder if space == DEFAULT_SPACE else folder / safe_name(space)


def _write(path: Path, size: int, turns: list[Turn]) -> int:
    private.make_folder(path.parent)
    lines = b"".join(json.dumps(plain(t), ensure_ascii=False).encode() + b"\n" for t in turns)
    try:
        file = open(path, "r+b" if path.exists() else "w+b", opener=open_own)  # noqa: SIM115
    except OSError as error:
        if is_link_error(error):
            raise link_error(path) from error
        raise
    with file:
        # A file that a person shortened or removed starts again where it ends now.
        size = min(size, os.fstat(file.fileno()).st_size)
        file.truncate(size)
        file.seek(size)
        file.write(lines)
        file.flush()
        os.fsync(file.fileno())
    return size + len(lines)
