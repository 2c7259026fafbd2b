"""Writing memories: each write is one operation with its events; repeating it changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from recollect.clock import Clock
from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.ids import new_id
from recollect.index.embedding_job import Ask
from recollect.index.segment import index_text
from recollect.language.dates.moments import maybe_moment
from recollect.language.guard import Guard
from recollect.language.secrets.envelope import masked, unsealed_part
from recollect.learn.claims import dump_claim
from recollect.providers.vault import Vault
from recollect.rules import checks
from recollect.rules.importance import IMPORTANT_FROM
from recollect.rules.support import Claim
from recollect.store.base import Store, Unit
from recollect.store.rows import MemoryRow
from recollect.types import (
    EMPTY,
    KINDS,
    TRUSTS,
    Event,
    History,
    Kind,
    Memory,
    NewMemory,
    SafeName,
    SafeText,
    constant,
    key_of,
    lines_of,
)


class Keeper:
    """Adds memories to one space and tells their history."""

    def __init__(
        self,
        store: Store,
        space: str,
        clock: Clock,
        guard: Guard,
        ask: Ask,
        *,
        vault: Vault,
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._guard = guard
        self._ask_vectors = ask
        self._vault = vault

    def remember(self, new: NewMemory, *, operation_id: str | None = None) -> Memory:
        """Keep a statement. With ``supersedes`` it becomes the next version of that memory."""
        now = self._clock.now()
        row = self._row(new, now)
        if new.supersedes is not None:
            checks.check_name(new.supersedes, "supersedes")
        operation = key_of("remember", row.id)
        if operation_id is not None:
            operation = self._guard.name(operation_id, "operation_id")
        with self._store.write(self._space) as unit:
            done = unit.journal.operation(operation)
            if done:
                return masked(_written(unit, done))
            return masked(self._write(unit, row, new.supersedes, operation))

    def _row(self, new: NewMemory, now: datetime) -> MemoryRow:
        guard, statement = self._guard, _statement(new.text, self._guard)
        tags = checks.check_tags(new.tags, guard.tags)
        subject = guard.label(new.subject, "subject")
        predicate = guard.label(new.predicate, "predicate")
        value: SafeText = EMPTY
        if new.kind == "credential":
            content = self._sealed(statement, new.subject, new.predicate, tags)
        else:
            content = guard.text(statement, "text")
            checks.check_text(new.value, "value", guard.characters)
            value = guard.part(new.value.strip(), statement, content, "value")
        labels = guard.labels(tags)
        return MemoryRow(
            id=new_id(now),
            kind=checks.check_choice(new.kind, KINDS, "kind"),
            content=content,
            subject=subject,
            predicate=predicate,
            project=guard.name(new.project, "project"),
            topic=guard.name(new.topic, "topic"),
            tags=labels,
            importance=checks.check_share(new.importance, "importance"),
            confidence=checks.check_share(new.confidence, "confidence"),
            trust=checks.check_choice(new.trust, TRUSTS, "trust"),
            status="active",
            at=now,
            valid_from=maybe_moment(new.valid_from, "valid_from") or now,
            expires_at=maybe_moment(new.expires_at, "expires_at"),
            sources=guard.labels(new.sources, "sources"),
            episode=EMPTY,
            terms=memory_terms(subject, predicate, content, labels),
            value=value,
        )

    def reveal(self, id_: str) -> str:
        """The text of a credential."""
        checks.check_name(id_, "id")
        with self._store.read(self._space) as unit:
            memory = unit.memories.get(id_)
        if memory is None:
            raise NotFound(f"No memory {id_}", remedy="See memories() or recall()")
        return self._vault.open(memory.content)

    def _sealed(self, text: str, subject: str, predicate: str, tags: Iterable[str]) -> SafeText:
        """An envelope in the place of the text; what it is found by must not give it away."""
        if not subject.strip():
            raise InvalidInput(
                "A credential without a subject could not be found again",
                remedy="Say what it opens with subject=; the text itself is not searched",
            )
        if any(text in label for label in (subject, predicate, *tags)):
            raise InvalidInput(
                "The secret stands in the subject, the predicate or a tag, which are not encrypted",
                remedy="Give the secret as the text only",
            )
        return constant(self._vault.seal(text))  # only its key opens it

    def _write(
        self, unit: Unit, row: MemoryRow, supersedes: str | None, operation: SafeName
    ) -> Memory:
        if len(unit.ledger.turns_by_id(row.sources)) != len(row.sources):
            raise NotFound("A source is not a turn of this space", remedy="Pass ids of turns")
        old = None if supersedes is None else unit.memories.get(supersedes)
        if supersedes is not None and (old is None or old.status != "active"):
            raise NotFound(
                f"No current memory {supersedes}", remedy="Supersede the newest of its history()"
            )
        memory = unit.memories.add(row)
        self._ask_vectors(unit, row.at)
        if old is not None:
            unit.memories.supersede(old.id, memory.id, row.at)
            unit.journal.add_event(
                "supersede",
                operation_id=operation,
                subject=old.id,
                payload={"by": memory.id},
                at=row.at,
            )
        unit.journal.add_event(
            "write",
            operation_id=operation,
            subject=memory.id,
            payload={
                "kind": row.kind,
                "supersedes": EMPTY if old is None else old.id,
                "sources": list(row.sources),
                "claim": dump_claim(
                    Claim(row.importance, row.confidence, row.trust, row.expires_at)
                ),
            },
            at=row.at,
        )
        if row.importance >= IMPORTANT_FROM:
            note_important(unit, memory, operation, row.at)
        return memory

    def current(
        self,
        *,
        kind: Kind | None = None,
        project: str | None = None,
        as_of: datetime | str | None = None,
        limit: int = 100,
    ) -> list[Memory]:
        """Memories that hold now, or did at a past time, newest first."""
        if kind is not None:
            checks.check_choice(kind, KINDS, "kind")
        checks.check_limit(limit)
        with self._store.read(self._space) as unit:
            found = unit.memories.current(
                kind=kind,
                project=self._guard.filter(project, "project"),
                now=self._clock.now(),
                limit=limit,
                as_of=maybe_moment(as_of, "as_of"),
            )
        return [masked(memory) for memory in found]

    def projects(self) -> list[SafeName]:
        """The projects of current memories."""
        with self._store.read(self._space) as unit:
            return unit.memories.projects()

    def history(self, id_: str) -> History:
        """Every version of a memory, oldest first, and every event about them."""
        checks.check_name(id_, "id")
        with self._store.read(self._space) as unit:
            versions = unit.memories.chain(id_)
            if not versions:
                raise NotFound(f"No memory {id_}", remedy="See memories() or recall()")
            events = [
                event
                for version in versions
                for event in unit.journal.events(subject=version.id, limit=checks.MAX_ROWS)
            ]
        ordered = sorted(events, key=lambda event: (event.at, event.id))
        return History(tuple(map(masked, versions)), tuple(ordered))


def _statement(text: str, guard: Guard) -> str:
    if not checks.check_text(text, "text", guard.characters).strip():
        raise InvalidInput("There is nothing to remember", remedy="Give a statement")
    return text.strip()


def note_important(unit: Unit, memory: Memory, operation: SafeName, at: datetime) -> None:
    """Tell that something important was written."""
    unit.journal.add_event(
        "memory.write.important",
        operation_id=operation,
        subject=memory.id,
        payload={"importance": memory.importance, "kind": memory.kind},
        at=at,
    )


def memory_terms(
    subject: SafeName, predicate: SafeName, content: SafeText, tags: Iterable[SafeName]
) -> SafeText:
    """What a memory is found by; of a credential only its label."""
    texts = (subject, predicate, unsealed_part(content), *tags)
    return index_text(lines_of(texts))


def _written(unit: Unit, done: list[Event]) -> Memory:
    written = next((event for event in done if event.type == "write"), None)
    if written is None:
        raise Conflict(
            f"Operation {done[0].operation_id} did something else ({done[0].type})",
            remedy="Use another operation_id",
        )
    found = unit.memories.get(written.subject)
    if found is None:
        raise NotFound(
            f"Operation {written.operation_id} wrote a memory that was forgotten since",
            remedy="Use a new operation_id to write it again",
        )
    return found
