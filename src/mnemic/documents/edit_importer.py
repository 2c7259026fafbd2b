"""Importing a person's edits into memory; each is an operation, so repeating it is harmless."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from mnemic.documents.edits import AddedBullet, Change, EditedBullet, make_bullet
from mnemic.documents.files import fingerprint
from mnemic.documents.report import EditReport, ImportedEdit, PendingQuestion, RejectedText
from mnemic.errors import InvalidInput, NotFound
from mnemic.language.extract import extract
from mnemic.language.markdown import Bullet
from mnemic.learn.candidates import candidate_of
from mnemic.learn.memory_writer import MemoryWriter
from mnemic.learn.pattern_files import own_patterns
from mnemic.learn.reconciler import Reconciler
from mnemic.rules.importance import KIND_IMPORTANCE
from mnemic.rules.slots import has_one_answer, slot_of
from mnemic.rules.support import Claim
from mnemic.space import Space
from mnemic.types import GLOBAL_PROJECT, Candidate, Memory, NewMemory, SafeName, constant, key_of

_FOR_GOOD = "permanent"  # a person's own statement does not expire by itself
_REPEATS = 9


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """A bullet's replacement and report; ``again`` if memory changed, so that it is reread."""

    item: Bullet | None = None
    report: EditReport | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class EditImporter:
    """Imports edits into the memory of one space."""

    space: Space
    keeper: MemoryWriter
    reconciler: Reconciler

    def apply(self, change: Change, place: str, existing: Mapping[str, str]) -> EditOutcome:
        """Import one change.

        ``place`` names the document as it was written, so that the same words at another time are
        another operation; ``existing`` are the ids of current memories by the text of their bullet.
        """
        if not isinstance(change, EditedBullet | AddedBullet):
            return EditOutcome(change)
        if not self.space.settings.documents.take_edits:
            return _reject(change.text, "documents.take_edits is off")
        try:
            if isinstance(change, EditedBullet):
                return self._import_edited(change)
            return self._import_added(change, place, existing)
        except NotFound:
            return EditOutcome(make_bullet(change.text), again=True)
        except InvalidInput as error:
            return _reject(change.text, str(error))

    def archive(self, memory: Memory, document: str) -> None:
        """Archive the memory of a deleted bullet, where the settings say so."""
        now = self.space.now()
        with self.space.write() as unit:
            current = unit.memories.get(memory.id)
            if current is None or current.status != "active":
                return
            unit.memories.revise(replace(current, status="archived", updated_at=now))
            unit.journal.begin(key_of("document-remove", constant(document), memory.id), now).note(
                "archive",
                memory.id,
                reason=constant("a person removed it"),
                document=constant(document),
            )

    # --- edits ----------------------------------------------------------------------------------

    def _import_edited(self, change: EditedBullet) -> EditOutcome:
        printed = constant(fingerprint(change.text))
        operation = key_of("document-edit", change.memory.id, printed)
        if change.head is not None:
            return self._import_conflict(change, change.head, operation)
        old = change.memory
        memory = self._keep(
            NewMemory(
                change.text,
                kind=old.kind,
                value=self._value(change.text, old),
                expires_at=old.expires_at,
                duration="" if old.expires_at else _FOR_GOOD,
                supersedes=old.id,
            ),
            operation,
        )
        return EditOutcome(Bullet("", memory.id), report=ImportedEdit("edited", memory.id, old.id))

    def _import_conflict(
        self, change: EditedBullet, head: Memory, operation: SafeName
    ) -> EditOutcome:
        """Memory and document both changed: the memory stays, and the edit waits for a person."""
        now = self.space.now()
        item = Bullet("", head.id)
        printed = constant(fingerprint(change.text))
        conflict = key_of("document-conflict", change.memory.id, printed)
        candidate = replace(
            candidate_of(head),
            text=self.space.guard.text(change.text, "text"),
            value=self.space.guard.text(self._value(change.text, head), "value"),
            confidence=1.0,
            is_update=True,
            trust="owner",
            sources=(),
        )
        claim = Claim(head.importance, 1.0, "owner", head.expires_at)
        with self.space.write() as unit:
            if unit.journal.operation(operation) or unit.journal.operation(conflict):
                return EditOutcome(item)
            settlement = self.reconciler.settlement(
                unit, candidate, claim, said_at=now, operation_id=conflict, now=now
            )
            waiting = settlement.wait("memory and the document changed at the same time").memory
        return EditOutcome(
            item, report=None if waiting is None else PendingQuestion(waiting.id, "conflict")
        )

    def _value(self, text: str, memory: Memory) -> str:
        """The new value of the memory's slot, where the text states one."""
        slot = slot_of(memory.subject, memory.predicate)
        if not slot:
            return ""
        for candidate in self._extract(text, self.space.now()):
            if slot_of(candidate.subject, candidate.predicate) == slot:
                return candidate.value
        return memory.value if memory.value and memory.value in text else ""

    # --- new bullets ----------------------------------------------------------------------------

    def _import_added(
        self, change: AddedBullet, place: str, existing: Mapping[str, str]
    ) -> EditOutcome:
        clean = self.space.guard.text(change.text, "text")
        id_ = existing.get(fingerprint(change.text)) or existing.get(fingerprint(clean))
        if id_ is not None:
            return EditOutcome(Bullet("", id_))
        section = change.section
        operation = f"document-add:{place}:{section.key}:{fingerprint(change.text)}"
        for _ in range(_REPEATS):
            try:
                memory, replaced = self._new(change, clean, fingerprint(operation))
            except NotFound:  # imported before and forgotten since, or changed just now
                operation = f"{operation}:again"
                continue
            if memory.status == "active":
                imported = ImportedEdit("added", memory.id, replaced)
                return EditOutcome(Bullet("", memory.id), report=imported)
            # Imported before, from the same state of the document, and ended since: import it anew.
            operation = f"{operation}:{memory.id}"
        return _reject(change.text, "it was taken in and ended too often")

    def _new(self, change: AddedBullet, content: str, operation: str) -> tuple[Memory, str]:
        operation = f"document-add:{operation}"
        candidate = self._candidate(change, content)
        if candidate is not None:
            now = self.space.now()
            with self.space.write() as unit:
                settled = self.reconciler.settle(unit, candidate, operation_id=operation, now=now)
            memory = settled.memory
            if memory is not None and memory.text == content:
                return memory, settled.replaced[0] if settled.replaced else ""
            if memory is not None and settled.outcome == "same" and memory.status == "active":
                # The same answer in other words: the person's own words are the better ones.
                return self._remember(change, f"{operation}:words", content, memory), memory.id
        return self._remember(change, f"{operation}:plain", content, None), ""

    def _candidate(self, change: AddedBullet, content: str) -> Candidate | None:
        """The statement with its slot, where the rules find exactly one."""
        if change.like is not None:
            return None
        now = self.space.now()
        candidates = [
            candidate for candidate in self._extract(content, now) if not candidate.withdraws
        ]
        if len(candidates) != 1 or not slot_of(candidates[0].subject, candidates[0].predicate):
            return None
        return replace(
            candidates[0],
            kind=change.section.kind,
            text=content,
            importance=KIND_IMPORTANCE[change.section.kind],
            confidence=1.0,
            duration=_FOR_GOOD,
            project=change.section.project or GLOBAL_PROJECT,
            is_update=has_one_answer(candidates[0].predicate),
            asked=True,
            origin="manual",
        )

    def _remember(
        self, change: AddedBullet, operation: str, content: str, earlier: Memory | None
    ) -> Memory:
        section, like = change.section, earlier or change.like
        new = NewMemory(
            content,
            kind=section.kind,
            subject=section.subject,
            predicate=section.predicate,
            project=section.project or None,
            importance=KIND_IMPORTANCE[section.kind],
            duration=_FOR_GOOD,
        )
        if like is not None:
            new = replace(
                new,
                kind=like.kind,
                subject=like.subject,
                predicate=like.predicate,
                value=self._value(content, like),
                project=like.project,
                topic=like.topic,
                tags=like.tags,
                importance=max(like.importance, KIND_IMPORTANCE[section.kind]),
                supersedes=None if earlier is None else earlier.id,
            )
        return self._keep(new, operation)

    def _keep(self, new: NewMemory, operation: str) -> Memory:
        memory = self.keeper.remember(new, operation_id=operation).memory
        assert memory is not None, "nothing stands against the owner's own word"
        return memory

    def _extract(self, text: str, now: datetime) -> tuple[Candidate, ...]:
        return extract(text, said_at=now, patterns=own_patterns(self.space.settings))


def _reject(text: str, reason: str) -> EditOutcome:
    return EditOutcome(make_bullet(text), report=RejectedText(text, reason))
