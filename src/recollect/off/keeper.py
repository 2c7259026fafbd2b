"""What is known while memory is off: the statements of the long-term file."""

from __future__ import annotations

from datetime import datetime

from recollect.clock import Clock
from recollect.documents.fallback.files import Folder
from recollect.documents.fallback.notes import Note, Notes
from recollect.errors import InvalidInput, MemoryOff
from recollect.ids import new_id
from recollect.language.dates.moments import maybe_moment
from recollect.language.guard import Guard
from recollect.off.unserved import Unserved
from recollect.rules import checks
from recollect.types import (
    GLOBAL_PROJECT,
    KINDS,
    TRUSTS,
    Kind,
    Memory,
    NewMemory,
)

REMEDY = "Set memory.enabled = true first"


class PlainKeeper(Unserved):
    """Adds statements to one folder and reads them."""

    def __init__(self, folder: Folder, clock: Clock, guard: Guard) -> None:
        self._folder = folder
        self._clock = clock
        self._guard = guard
        self._notes = Notes(folder)

    def remember(self, new: NewMemory, *, operation_id: str | None = None) -> Memory:
        if new.kind == "credential":
            raise MemoryOff("Plain files keep no credentials: they cannot be sealed", remedy=REMEDY)
        if tuple(new.sources):
            raise MemoryOff("Plain files cannot link a statement to its turns", remedy=REMEDY)
        guard = self._guard
        if not checks.check_text(new.text, "text", guard.characters).strip():
            raise InvalidInput("There is nothing to remember", remedy="Give a statement")
        now = self._clock.now()
        memory = Memory(
            id=new_id(now),
            kind=checks.check_choice(new.kind, KINDS, "kind"),
            content=guard.text(new.text.strip(), "text"),
            subject=guard.label(new.subject, "subject"),
            predicate=guard.label(new.predicate, "predicate"),
            project=guard.name(new.project, "project"),
            topic=guard.name(new.topic, "topic"),
            tags=guard.labels(new.tags),
            importance=checks.check_share(new.importance, "importance"),
            confidence=checks.check_share(new.confidence, "confidence"),
            trust=checks.check_choice(new.trust, TRUSTS, "trust"),
            status="active",
            created_at=now,
            updated_at=now,
            last_accessed_at=now,
            valid_from=maybe_moment(new.valid_from, "valid_from") or now,
            expires_at=maybe_moment(new.expires_at, "expires_at"),
            value=guard.text(new.value.strip(), "value"),
        )
        return self._write(
            Note(
                memory,
                guard.maybe_name(new.supersedes or "", "supersedes"),
                guard.maybe_name(operation_id or "", "operation_id"),
            )
        )

    def _write(self, note: Note) -> Memory:
        with self._folder.alone():
            known = self._notes.all()
            for other in known:
                if note.operation and other.operation == note.operation:
                    return other.memory
            replaced = {other.supersedes for other in known}
            current = {other.memory.id for other in known} - replaced
            if note.supersedes and note.supersedes not in current:
                raise MemoryOff(f"No memory {note.supersedes} in the plain files", remedy=REMEDY)
            self._notes.append(note)
        return note.memory

    def current(
        self,
        *,
        kind: Kind | None = None,
        project: str | None = None,
        as_of: datetime | str | None = None,
        limit: int = checks.MAX_ROWS,
    ) -> list[Memory]:
        """What holds, the latest first."""
        if kind is not None:
            checks.check_choice(kind, KINDS, "kind")
        partition = self._guard.filter(project, "project")
        checks.check_limit(limit)
        if as_of is not None:
            raise MemoryOff("Plain files do not know what was known when", remedy=REMEDY)
        held = self._notes.current(self._clock.now())
        return [
            memory
            for memory in held
            if kind in (None, memory.kind) and partition in (None, memory.project)
        ][:limit]

    def projects(self) -> list[str]:
        return sorted({memory.project for memory in self.current()} - {GLOBAL_PROJECT})
