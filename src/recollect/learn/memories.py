"""Writing memories: each write is one operation with its events; repeating it changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
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
from recollect.store.contract import Store, Unit
from recollect.store.rows import MemoryFilter
from recollect.types import (
    EMPTY,
    KINDS,
    TRUSTS,
    Event,
    History,
    Kind,
    Memory,
    MemoryStatus,
    NewMemory,
    SafeName,
    SafeText,
    Turn,
    constant,
    key_of,
    lines_of,
)

_REASON = constant("a person's word")


class MemoryWriter:
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
        if new.supersedes is not None:
            checks.check_name(new.supersedes, "supersedes")
        memory = self._memory(new, self._clock.now())
        with self._store.write(self._space) as unit:
            return masked(self._write_once(unit, memory, new, operation_id))

    def add(
        self, unit: Unit, new: NewMemory, *, id_: SafeName, at: datetime, operation_id: str | None
    ) -> Memory:
        """Keep a statement that has an id and a time already, in a transaction of the caller's."""
        memory = replace(self._memory(new, at), id=id_)
        return self._write_once(unit, memory, new, operation_id)

    def _write_once(
        self, unit: Unit, memory: Memory, new: NewMemory, operation_id: str | None
    ) -> Memory:
        operation = key_of("remember", memory.id)
        if operation_id is not None:
            operation = self._guard.name(operation_id, "operation_id")
        done = unit.journal.operation(operation)
        if done:
            return _written(unit, done)
        turns = turns_of(unit, self._guard.labels(new.sources, "sources"))
        memory = replace(memory, sources=tuple(turn.source for turn in turns))
        return self._write(unit, memory, new.supersedes, operation)

    def _memory(self, new: NewMemory, now: datetime) -> Memory:
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
        return Memory(
            id=new_id(now),
            kind=checks.check_choice(new.kind, KINDS, "kind"),
            content=content,
            subject=subject,
            predicate=predicate,
            project=guard.name(new.project, "project"),
            topic=guard.name(new.topic, "topic"),
            tags=guard.labels(tags),
            importance=checks.check_share(new.importance, "importance"),
            confidence=checks.check_share(new.confidence, "confidence"),
            trust=checks.check_choice(new.trust, TRUSTS, "trust"),
            status="active",
            created_at=now,
            updated_at=now,
            last_accessed_at=now,
            valid_from=maybe_moment(new.valid_from, "valid_from") or now,
            expires_at=maybe_moment(new.expires_at, "expires_at"),
            value=value,
        )

    def archive(self, id_: str) -> Memory:
        """Put a memory away, with an event; repeating it changes nothing."""
        remedy = "Archive a current one: memories()"
        return self._change_status(id_, "archive", "active", "archived", remedy)

    def restore(self, id_: str) -> Memory:
        """Make an archived memory hold again; of one that holds, only its question is answered."""
        remedy = "See its history(), and remember() what holds"
        return self._change_status(id_, "restore", "archived", "active", remedy)

    def _change_status(
        self, id_: str, event: str, before: MemoryStatus, after: MemoryStatus, remedy: str
    ) -> Memory:
        now = self._clock.now()
        with self._store.write(self._space) as unit:
            memory = _existing(unit, id_)
            unit.document_states.drop_choices(memory.id)
            if memory.status == after:
                return masked(memory)
            if memory.status != before:
                raise Conflict(f"Memory {id_} is {memory.status}, not {before}", remedy=remedy)
            if after == "archived":
                unit.memories.revise(replace(memory, status=after, updated_at=now))
            else:
                unit.tiers.bring_back(memory.id, after, now)
            unit.journal.add_event(
                event,
                operation_id=key_of(event, new_id(now)),
                subject=memory.id,
                payload={"reason": _REASON},
                at=now,
            )
            return masked(_existing(unit, id_))

    def reveal(self, id_: str) -> str:
        """The text of a credential."""
        with self._store.read(self._space) as unit:
            memory = _existing(unit, id_)
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
        self, unit: Unit, new: Memory, supersedes: str | None, operation: SafeName
    ) -> Memory:
        now = new.created_at
        old = None if supersedes is None else unit.memories.get(supersedes)
        if supersedes is not None and (old is None or old.status != "active"):
            raise NotFound(
                f"No current memory {supersedes}", remedy="Supersede the newest of its history()"
            )
        memory = unit.memories.add(new, memory_terms(new))
        self._ask_vectors(unit, now)
        if old is not None:
            unit.memories.supersede(old.id, memory.id, now)
            unit.journal.add_event(
                "supersede",
                operation_id=operation,
                subject=old.id,
                payload={"by": memory.id},
                at=now,
            )
        claim = Claim(new.importance, new.confidence, new.trust, new.expires_at)
        unit.journal.add_event(
            "write",
            operation_id=operation,
            subject=memory.id,
            payload={
                "kind": new.kind,
                "supersedes": EMPTY if old is None else old.id,
                "sources": [source.turn_id for source in new.sources],
                "claim": dump_claim(claim),
            },
            at=now,
        )
        if new.importance >= IMPORTANT_FROM:
            note_important(unit, memory, operation, now)
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
            memories = unit.memories.current(
                kind=kind,
                project=self._guard.filter(project, "project"),
                now=self._clock.now(),
                limit=limit,
                as_of=maybe_moment(as_of, "as_of"),
            )
        return [masked(memory) for memory in memories]

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


def _existing(unit: Unit, id_: str) -> Memory:
    memory = unit.memories.get(checks.check_name(id_, "id"))
    if memory is None:
        raise NotFound(f"No memory {id_}", remedy="See memories(), questions() or recall()")
    return memory


_ENDINGS: tuple[tuple[MemoryStatus, MemoryStatus], ...] = (
    ("active", "superseded"),  # so that as_of still answers it for the time it held
    ("pending", "archived"),
)


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


def memory_terms(memory: Memory) -> SafeText:
    """What a memory is found by; of a credential only its label."""
    texts = (memory.subject, memory.predicate, unsealed_part(memory.content), *memory.tags)
    return index_text(lines_of(texts))


def turns_of(unit: Unit, ids: Sequence[SafeName]) -> list[Turn]:
    """The turns that a statement came from, or NotFound."""
    turns: dict[str, Turn] = {turn.id: turn for turn in unit.ledger.turns_by_id(ids)}
    if len(turns) != len(ids):
        raise NotFound("A source is not a turn of this space", remedy="Pass ids of turns")
    return [turns[id_] for id_ in ids]


def end_with_session(
    unit: Unit, session: SafeName, *, operation_id: SafeName, now: datetime
) -> int:
    """End what lives only in this session, in the caller's transaction; says how many."""
    ended = 0
    for status, after in _ENDINGS:
        wanted = MemoryFilter(status=status, session=session, limit=checks.MAX_ROWS)
        for memory in unit.memories.find(wanted):
            unit.memories.revise(
                replace(
                    memory,
                    status=after,
                    valid_to=max(now, memory.valid_from),
                    superseded_at=now,
                    updated_at=now,
                )
            )
            unit.journal.add_event(
                "archive",
                operation_id=operation_id,
                subject=memory.id,
                payload={"reason": constant("its session ended")},
                at=now,
            )
            ended += 1
    return ended


def _written(unit: Unit, done: list[Event]) -> Memory:
    written = next((event for event in done if event.type == "write"), None)
    if written is None:
        raise Conflict(
            f"Operation {done[0].operation_id} did something else ({done[0].type})",
            remedy="Use another operation_id",
        )
    memory = unit.memories.get(written.subject)
    if memory is None:
        raise NotFound(
            f"Operation {written.operation_id} wrote a memory that was forgotten since",
            remedy="Use a new operation_id to write it again",
        )
    return memory
