"""A person's changes become memory: each one is an operation, so that repeating it is harmless."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.clock import Clock
from recollect.documents.files import fingerprint
from recollect.documents.read_back import Added, Change, Edited, Own, Stay, unmarked
from recollect.documents.report import Kept, PendingQuestion, Taken
from recollect.errors import InvalidInput, NotFound
from recollect.index.embedding_job import Ask
from recollect.language.extract import extract
from recollect.language.guard import Guard
from recollect.language.markdown import Bullet
from recollect.learn.candidates import candidate_of
from recollect.learn.memories import MemoryWriter
from recollect.learn.reconciler import Reconciler
from recollect.rules.importance import KIND_IMPORTANCE
from recollect.rules.slots import has_one_answer, slot_of
from recollect.rules.support import Claim
from recollect.settings import Settings
from recollect.store.contract import Store
from recollect.types import GLOBAL_PROJECT, Candidate, Memory, NewMemory, SafeName, constant, key_of

_FOR_GOOD = "permanent"  # what a person wrote down does not run out by itself
_REPEATS = 9


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a bullet: what stands in its place, and what is to be told about it.

    ``again`` is set when memory changed under our hands: the document is read once more.
    """

    item: Bullet | None = None
    taken: Taken | None = None
    asked: PendingQuestion | None = None
    kept: Kept | None = None
    again: bool = False


class EditImporter:
    """Takes changes into the memory of one space."""

    def __init__(
        self,
        store: Store,
        space: str,
        clock: Clock,
        settings: Settings,
        *,
        keeper: MemoryWriter,
        reconciler: Reconciler,
        guard: Guard,
        ask: Ask,
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._settings = settings
        self._keeper = keeper
        self._reconciler = reconciler
        self._guard = guard
        self._ask = ask

    def take(self, change: Change, place: str, said: Mapping[str, str]) -> Outcome:
        """Take one change in.

        ``place`` names the document as it was written, so that the same words at another time are
        another operation; ``said`` are the ids of what is known already, by its words.
        """
        if isinstance(change, Stay):
            return Outcome(Bullet("", change.mark))
        if isinstance(change, Own):
            return Outcome(change.bullet)
        if not isinstance(change, Edited | Added):
            return Outcome()
        if not self._settings.documents.take_edits:
            return _kept(change.text, "documents.take_edits is off")
        try:
            if isinstance(change, Edited):
                return self._edited(change)
            return self._added(change, place, said)
        except NotFound:
            return Outcome(unmarked(change.text), again=True)
        except InvalidInput as error:
            return _kept(change.text, str(error))

    def archive(self, memory: Memory, document: str) -> None:
        """A bullet was deleted, and the settings say what that means."""
        now = self._clock.now()
        with self._store.write(self._space) as unit:
            found = unit.memories.get(memory.id)
            if found is None or found.status != "active":
                return
            unit.memories.revise(replace(found, status="archived", updated_at=now))
            unit.journal.add_event(
                "archive",
                operation_id=key_of("document-remove", constant(document), memory.id),
                subject=memory.id,
                payload={"reason": constant("a person removed it"), "document": constant(document)},
                at=now,
            )

    # --- edits ----------------------------------------------------------------------------------

    def _edited(self, change: Edited) -> Outcome:
        printed = constant(fingerprint(change.text))
        operation = key_of("document-edit", change.memory.id, printed)
        if change.head is not None:
            return self._contradicted(change, change.head, operation)
        old = change.memory
        memory = self._keeper.remember(
            NewMemory(
                change.text,
                kind=old.kind,
                subject=old.subject,
                predicate=old.predicate,
                value=self._value(change.text, old),
                project=old.project,
                topic=old.topic,
                tags=old.tags,
                importance=old.importance,
                expires_at=old.expires_at,
                supersedes=old.id,
            ),
            operation_id=operation,
        )
        return Outcome(Bullet("", memory.id), taken=Taken("edited", memory.id, old.id))

    def _contradicted(self, change: Edited, head: Memory, operation: SafeName) -> Outcome:
        """Both changed: what is known stays, and a person is asked about the other words."""
        now = self._clock.now()
        item = Bullet("", head.id)
        printed = constant(fingerprint(change.text))
        conflict = key_of("document-conflict", change.memory.id, printed)
        candidate = replace(
            candidate_of(head),
            content=self._guard.text(change.text, "text"),
            value=self._guard.text(self._value(change.text, head), "value"),
            confidence=1.0,
            is_update=True,
            trust="owner",
            sources=(),
        )
        claim = Claim(head.importance, 1.0, "owner", head.expires_at)
        with self._store.write(self._space) as unit:
            if unit.journal.operation(operation) or unit.journal.operation(conflict):
                return Outcome(item)
            settlement = self._reconciler.settlement(
                unit, candidate, claim, said_at=now, operation_id=conflict, now=now
            )
            waiting = settlement.wait("memory and the document changed at the same time").memory
        return Outcome(
            item, asked=None if waiting is None else PendingQuestion(waiting.id, "conflict")
        )

    def _value(self, text: str, memory: Memory) -> str:
        """What the new words say of the old question, where that can be told."""
        slot = slot_of(memory.subject, memory.predicate)
        if not slot:
            return ""
        for told in self._extracted(text, self._clock.now()):
            if slot_of(told.subject, told.predicate) == slot:
                return told.value
        return memory.value if memory.value and memory.value in text else ""

    # --- new bullets ----------------------------------------------------------------------------

    def _added(self, change: Added, place: str, said: Mapping[str, str]) -> Outcome:
        clean = self._guard.text(change.text, "text")
        known = said.get(fingerprint(change.text)) or said.get(fingerprint(clean))
        if known is not None:
            return Outcome(Bullet("", known))
        section = change.section
        operation = f"document-add:{place}:{section.key}:{fingerprint(change.text)}"
        for _ in range(_REPEATS):
            try:
                memory, replaced = self._new(change, clean, fingerprint(operation))
            except NotFound:  # said before and forgotten since, or changed just now
                operation = f"{operation}:again"
                continue
            if memory.status == "active":
                taken = Taken("added", memory.id, replaced)
                return Outcome(Bullet("", memory.id), taken=taken)
            # Said once before, from the same state of the document, and ended since: said anew.
            operation = f"{operation}:{memory.id}"
        return _kept(change.text, "it was taken in and ended too often")

    def _new(self, change: Added, content: str, operation: str) -> tuple[Memory, str]:
        operation = f"document-add:{operation}"
        told = self._candidate(change, content)
        if told is not None:
            now = self._clock.now()
            with self._store.write(self._space) as unit:
                settled = self._reconciler.settle(unit, told, operation_id=operation, now=now)
            known = settled.memory
            if known is not None and known.content == content:
                return known, settled.replaced[0] if settled.replaced else ""
            if known is not None and settled.outcome == "same" and known.status == "active":
                # The same answer in other words: the person's own words are the better ones.
                return self._remember(change, f"{operation}:words", content, known), known.id
        return self._remember(change, f"{operation}:plain", content, None), ""

    def _candidate(self, change: Added, content: str) -> Candidate | None:
        """The statement with its question, where the rules can tell."""
        if change.like is not None:
            return None
        now = self._clock.now()
        found = [told for told in self._extracted(content, now) if not told.withdraws]
        if len(found) != 1 or not slot_of(found[0].subject, found[0].predicate):
            return None
        kind = change.section.kind
        return replace(
            found[0],
            kind=kind,
            content=content,
            importance=KIND_IMPORTANCE[change.section.kind],
            confidence=1.0,
            duration=_FOR_GOOD,
            project=change.section.project or GLOBAL_PROJECT,
            is_update=has_one_answer(kind, found[0].predicate),
            asked=True,
        )

    def _remember(
        self, change: Added, operation: str, content: str, known: Memory | None
    ) -> Memory:
        section, like = change.section, known or change.like
        if like is None:
            return self._keeper.remember(
                NewMemory(
                    content,
                    kind=section.kind,
                    subject=section.subject,
                    predicate=section.predicate,
                    project=section.project or GLOBAL_PROJECT,
                    importance=KIND_IMPORTANCE[section.kind],
                ),
                operation_id=operation,
            )
        return self._keeper.remember(
            NewMemory(
                content,
                kind=like.kind,
                subject=like.subject,
                predicate=like.predicate,
                value=self._value(content, like),
                project=like.project,
                topic=like.topic,
                tags=like.tags,
                importance=max(like.importance, KIND_IMPORTANCE[section.kind]),
                supersedes=None if known is None else known.id,
            ),
            operation_id=operation,
        )

    def _extracted(self, text: str, now: datetime) -> tuple[Candidate, ...]:
        return extract(text, said_at=now)


def _kept(text: str, reason: str) -> Outcome:
    return Outcome(unmarked(text), kept=Kept(text, reason))
