"""Writing memories on request: each write is one operation; repeating it changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast, get_type_hints

from mnemic.errors import ConfigError, Conflict, InvalidInput, NotFound
from mnemic.ids import new_id
from mnemic.language.dates.moments import maybe_moment
from mnemic.language.secrets.envelope import is_sealed, mask
from mnemic.learn.advice import Advice
from mnemic.learn.candidates import check_candidate
from mnemic.learn.echo import load_untrusted, taint
from mnemic.learn.laws import kind_read
from mnemic.learn.memories import existing_memory, turns_of
from mnemic.learn.reconciler import Reconciler
from mnemic.learn.settlement import Settlement, load_decision
from mnemic.providers.vault import Vault
from mnemic.rules import checks
from mnemic.rules.importance import KIND_IMPORTANCE
from mnemic.rules.kinds import importance_of, lifetime_of, own_expiry
from mnemic.rules.lifetimes import counts_from, sooner
from mnemic.rules.slots import fold, has_one_answer
from mnemic.rules.support import Claim
from mnemic.settings.vocabulary import SCOPE
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter
from mnemic.types import (
    EMPTY,
    ORIGINS,
    Candidate,
    Decision,
    Kind,
    Memory,
    MemoryChanges,
    MemoryOrigin,
    MemoryStatus,
    NewMemory,
    SafeCandidate,
    SafeName,
    SafeText,
    constant,
    key_of,
)

_REASON = constant("a person's word")
_NEVER = "never"
_FIELDS = tuple(get_type_hints(MemoryChanges))
_UNREAD = ("text", "scope", "duration")  # what a memory has no field for
_TEXTS = (
    *("text", "kind", "subject", "predicate", "value"),
    *("project", "topic", "scope", "duration", "origin"),
)
_SAYS = ("text", "kind", "subject", "predicate", "value")  # what changes the statement itself


@dataclass(frozen=True, slots=True, eq=False)
class MemoryWriter:
    """Adds memories to one space, and changes one at a time."""

    space: Space
    reconciler: Reconciler
    vault: Vault

    def remember(self, new: NewMemory, *, operation_id: str | None = None) -> Decision:
        """Keep a statement, unless it is known; says what became of it."""
        new, now = self._check(new), self.space.now()
        advice = self._advice(new, now)
        with self.space.write() as unit:
            id_ = new_id(now)
            operation = self._operation("remember", id_, operation_id)
            decision = _done(unit, operation) or self._keep(
                unit, new, id_, now, operation, advice=advice
            )
        return _mask(decision)

    def bring_in(self, unit: Unit, new: NewMemory, operation_id: str) -> Decision | None:
        """Keep what another memory knew, in a transaction of the caller's; None when it was brought
        in before.
        """
        operation, now = self._operation("remember", EMPTY, operation_id), self.space.now()
        if _done(unit, operation) is not None:
            return None
        learned = maybe_moment(new.learned_at, "learned_at")
        new = replace(self._check(new), learned_at=None if learned is None else min(learned, now))
        return self._keep(unit, new, new_id(now), now, operation, may_be_over=True)

    def add(
        self, unit: Unit, new: NewMemory, *, id_: SafeName, at: datetime, operation_id: str | None
    ) -> Memory:
        """Store a statement of a plain file as it is, in a transaction of the caller's."""
        operation = self._operation("remember", id_, operation_id)
        before = _done(unit, operation)
        if before is not None and before.memory is not None:
            return before.memory
        old = _find_superseded(unit, new)
        work = self._settlement(unit, new, id_, at, operation=operation)
        return _require_memory(work.write([] if old is None else [old], "new"))

    def edit(self, id_: str, changes: MemoryChanges, *, operation_id: str | None = None) -> Memory:
        """The next version of a memory, which differs in what is given.

        Other words or another value are the editor's own: they stand on no turn.
        """
        unknown = changes.keys() - set(_FIELDS)
        if unknown:
            raise InvalidInput(
                f"edit has no {', '.join(sorted(unknown))}",
                remedy=f"Use some of {', '.join(_FIELDS)}",
            )
        now = self.space.now()
        with self.space.write() as unit:
            old = existing_memory(unit, id_)
            next_id = new_id(now)
            operation = self._operation("edit", next_id, operation_id)
            before = _done(unit, operation)
            if before is not None:
                return mask(_require_memory(before))
            if old.status not in ("active", "pending"):
                raise Conflict(
                    f"Memory {id_} is {old.status}, not active or pending",
                    remedy="Edit the newest of its history(), or restore() it first",
                )
            new = _apply_changes(old, self._reword(old, changes))
            if new is None:
                return mask(old)
            work = self._settlement(unit, new, new_id(now), now, operation=operation, edited=old)
            if new.trust == "agent":
                lines = load_untrusted(unit, now, self.space.settings.trust)
                safe = taint(work.candidate, (), lines)
                work = replace(work, candidate=safe, claim=replace(work.claim, trust=safe.trust))
            return mask(_require_memory(self.reconciler.keep(work, old)))

    def archive(self, id_: str) -> Memory:
        """Put a memory away, with an event; repeating it changes nothing."""
        remedy = "Archive a current one: memories()"
        return self._change_status(id_, "archive", "active", "archived", remedy)

    def restore(self, id_: str) -> Memory:
        """Make an archived memory hold again; of one that holds, only its question is answered."""
        remedy = "See its history(), and remember() what is true"
        return self._change_status(id_, "restore", "archived", "active", remedy)

    def _change_status(
        self, id_: str, event: str, before: MemoryStatus, after: MemoryStatus, remedy: str
    ) -> Memory:
        now = self.space.now()
        with self.space.write() as unit:
            memory = existing_memory(unit, id_)
            unit.document_states.drop_choices(memory.id)
            if memory.status == after:
                return mask(memory)
            if memory.status != before:
                raise Conflict(f"Memory {id_} is {memory.status}, not {before}", remedy=remedy)
            if after == "archived":
                unit.memories.revise(replace(memory, status=after, updated_at=now))
                unit.memories.release(memory.id)
            else:
                unit.tiers.bring_back(memory.id, after, now)
            unit.journal.begin_new(event, now).note(event, memory.id, reason=_REASON)
            return mask(existing_memory(unit, id_))

    # --- inside a transaction -------------------------------------------------------------------

    def _keep(
        self,
        unit: Unit,
        new: NewMemory,
        id_: SafeName,
        now: datetime,
        operation: SafeName,
        *,
        may_be_over: bool = False,
        advice: Advice | None = None,
    ) -> Decision:
        old = _find_superseded(unit, new)
        if old is not None:
            new = _inherit(new, old)
        work = self._settlement(unit, new, id_, now, operation=operation)
        ends = work.claim.expires_at
        if may_be_over and old is None and ends is not None and ends <= now:
            # Part of the past, it neither contradicts nor confirms what holds now.
            return work.write([], "new")
        same = None if old else self._same_secret(unit, work.candidate, new.text.strip())
        return self.reconciler.keep(work, old, same=same, advice=advice)

    def _advice(self, new: NewMemory, now: datetime) -> Advice | None:
        """What a configured model says of another value where there may be several."""
        several = new.predicate and not (new.value and has_one_answer(new.predicate))
        if not several or new.supersedes is not None or self.reconciler.adviser.judge is None:
            return None
        return self.reconciler.advise(self._candidate(new, None), now)

    def _check(self, new: NewMemory) -> NewMemory:
        """The statement with texts where texts have to be, and its lists read."""
        checks.check_fields(new, _TEXTS, may_be_none=("project", "topic"))
        if not isinstance(new.metadata, Mapping):
            raise InvalidInput(f"metadata is a {type(new.metadata).__name__}", remedy="Pass a dict")
        if new.supersedes is not None:
            checks.check_name(new.supersedes, "supersedes")
        if not new.kind:
            new = replace(new, kind=kind_read(new.text))
            if new.importance is None and new.supersedes is None:  # as if learned
                new = replace(new, importance=KIND_IMPORTANCE[cast("Kind", new.kind)])
        return replace(
            new,
            tags=checks.check_tags(new.tags, self.space.guard.tags),
            sources=checks.check_tags(new.sources, self.space.guard.tags, "sources"),
        )

    def _operation(self, verb: str, id_: SafeName, operation_id: str | None) -> SafeName:
        if operation_id is None:
            return key_of(verb, id_)
        return self.space.guard.name(operation_id, "operation_id")

    def _settlement(
        self,
        unit: Unit,
        new: NewMemory,
        id_: SafeName,
        now: datetime,
        *,
        operation: SafeName,
        edited: Memory | None = None,
    ) -> Settlement:
        candidate = self._candidate(new, None if edited is None else edited.text)
        learned_at = maybe_moment(new.learned_at, "learned_at")
        expires_at = maybe_moment(new.expires_at, "expires_at")
        if new.duration or (expires_at is None and edited is None):
            # What another memory still holds has not ended there: its life here begins now.
            begins = counts_from(now, candidate.valid_from, candidate.valid_to)
            expires_at = self._usual_expiry(candidate, begins)
        importance = new.importance
        if importance is None:
            importance = importance_of(candidate.kind, self.space.settings)
        claim = Claim(
            checks.check_share(importance, "importance"),
            checks.check_share(new.confidence, "confidence"),
            candidate.trust,
            sooner(expires_at, candidate.valid_to),
        )
        turns = turns_of(unit, candidate.sources)
        work = self.reconciler.settlement(
            unit,
            candidate,
            claim,
            said_at=candidate.valid_from or learned_at or now,
            operation_id=operation,
            now=now,
            sources=tuple(turn.source for turn in turns),
            session=EMPTY if edited is None else edited.session,
        )
        return replace(work, id=id_, edited=edited, learned_at=learned_at)

    def _usual_expiry(self, candidate: SafeCandidate, begins: datetime) -> datetime | None:
        """By its duration; else by its kind, where the document gives every memory a priority."""
        kind = candidate.kind
        if candidate.duration or self.space.guard.words.priorities:
            return lifetime_of(kind, candidate.duration, self.space.settings, begins).expires_at
        return own_expiry(kind, self.space.settings, begins)

    def _reword(self, old: Memory, changes: MemoryChanges) -> MemoryChanges:
        """The changes without a word for what the memory is already; another word takes the place
        of the one that was noted.
        """
        words, edits = self.space.guard.words, changes.copy()
        metadata = edits.get("metadata", old.metadata)
        if edits.get("scope"):
            scope = self.space.guard.find_word(words.scopes, edits.pop("scope"))
            edits["metadata"] = metadata = {**metadata, SCOPE: scope}
        kind = edits.pop("kind", None)
        word = None if kind is None else self.space.guard.kind_word(kind)[0]
        if word is not None and word != words.kinds.word_of(old.kind, metadata):
            edits["kind"] = word
            if metadata.get(words.kinds.name) in words.kinds.notes:
                edits["metadata"] = {k: v for k, v in metadata.items() if k != words.kinds.name}
        return edits

    def _candidate(self, new: NewMemory, before: SafeText | None) -> SafeCandidate:
        """The statement as it may be stored; a secret in its envelope, which an edit may keep."""
        if not checks.check_text(new.text, "text", self.space.guard.characters).strip():
            raise InvalidInput("There is nothing to remember", remedy="Give a statement")
        sealed = self.space.guard.kind(new.kind) == "credential"
        safe = check_candidate(
            Candidate(
                kind=new.kind,
                text=new.subject or "?" if sealed else new.text,
                subject=new.subject,
                predicate=new.predicate,
                value="" if sealed else new.value.strip(),
                project=self._partition(new.project, "project"),
                topic=self._partition(new.topic, "topic"),
                tags=tuple(new.tags),
                asked=True,
                trust=new.trust,
                sources=new.sources,
                valid_from=new.valid_from,
                valid_to=new.valid_to,
                metadata=self._note_scope(new),
                duration=new.duration,
                origin=self._origin(new.origin),
            ),
            self.space.guard,
            self.space.guard.characters,
        )
        if not sealed:
            return safe
        if before is not None and new.text == before and is_sealed(before):
            return replace(safe, text=before)
        return replace(safe, text=self._seal(new.text.strip(), new))

    def _note_scope(self, new: NewMemory) -> Mapping[str, Any]:
        if not new.scope:
            return new.metadata
        scope = self.space.guard.find_word(self.space.guard.words.scopes, new.scope)
        return {**new.metadata, SCOPE: scope}

    def _origin(self, word: str) -> MemoryOrigin:
        origins = self.space.guard.words.origins
        origin = self.space.guard.find_word(origins, word, ORIGINS)
        return cast("MemoryOrigin", origins.table.get(origin, (origin,))[0])

    def _partition(self, name: str | None, what: str) -> str:
        return "" if name is None else self.space.guard.name(name, what)

    def _seal(self, text: str, new: NewMemory) -> SafeText:
        """An envelope in the place of the text; what it is found by must not give it away."""
        if not new.subject.strip():
            raise InvalidInput(
                "A credential without a subject could not be found again",
                remedy="Say what it opens with subject=; the text itself is not searched",
            )
        labels = (new.subject, new.predicate, *new.tags, str(dict(new.metadata)))
        if any(text in label for label in labels):
            raise InvalidInput(
                "The secret is in the subject, the predicate, a tag or the metadata, which are"
                " not encrypted",
                remedy="Give the secret as the text only",
            )
        return constant(self.vault.seal(text))  # only its key opens it

    def _same_secret(self, unit: Unit, candidate: SafeCandidate, text: str) -> Memory | None:
        """The credential that has this secret already, where the key opens it."""
        if candidate.kind != "credential":
            return None
        about = (fold(candidate.subject), fold(candidate.predicate))
        wanted = MemoryFilter(
            status="active", kind="credential", project=candidate.project, limit=checks.MAX_ROWS
        )
        for memory in unit.memories.find(wanted):
            if (fold(memory.subject), fold(memory.predicate)) == about:
                try:
                    if self.vault.open(memory.text) == text:
                        return memory
                except ConfigError:
                    continue  # sealed with another key: whether it is the same cannot be told
        return None


def _require_memory(decision: Decision) -> Memory:
    assert decision.memory is not None, "a statement on request is dropped only by remember()"
    return decision.memory


def _mask(decision: Decision) -> Decision:
    memory = decision.memory
    return decision if memory is None else replace(decision, memory=mask(memory))


def _find_superseded(unit: Unit, new: NewMemory) -> Memory | None:
    """The current memory that the statement takes the place of."""
    if new.supersedes is None:
        return None
    old = unit.memories.get(new.supersedes)
    if old is None or old.status != "active":
        raise NotFound(
            f"No current memory {new.supersedes}", remedy="Supersede the newest of its history()"
        )
    return old


def _inherit(new: NewMemory, old: Memory) -> NewMemory:
    """What a next version does not say is as in the version before; its value is its own."""
    return replace(
        new,
        subject=new.subject or old.subject,
        predicate=new.predicate or old.predicate,
        project=old.project if new.project is None else new.project,
        topic=old.topic if new.topic is None else new.topic,
        tags=new.tags or old.tags,
        metadata=new.metadata or old.metadata,
        importance=old.importance if new.importance is None else new.importance,
    )


def _apply_changes(old: Memory, changes: MemoryChanges) -> NewMemory | None:
    """A memory with its changes, or None when nothing differs."""
    before: dict[str, Any] = {
        "text": old.text,
        "duration": "",
        **{name: getattr(old, name) for name in _FIELDS if name not in _UNREAD},
    }
    edits = {name: value for name, value in changes.items() if value is not None}
    after: dict[str, Any] = {**before, **edits}
    if "text" not in edits and (old.kind == "credential") != (after["kind"] == "credential"):
        raise InvalidInput(
            "A statement does not become a credential, nor a credential a statement, as it is",
            remedy="Give the text, too",
        )
    after["tags"] = tuple(checks.check_several(after["tags"], "tags"))
    for name in ("valid_to", "expires_at"):
        after[name] = None if after[name] == _NEVER else maybe_moment(after[name], name)
    after["valid_from"] = maybe_moment(after["valid_from"], "valid_from")
    if after == before:
        return None
    if "text" in edits and "value" not in edits and old.value not in str(after["text"]):
        after["value"] = ""
    says_other = any(after[name] != before[name] for name in _SAYS)
    if says_other:
        after["trust"] = edits.get("trust", "owner")
        after["confidence"] = edits.get("confidence", 1.0)
        after["origin"] = edits.get("origin", "manual")
    sources = () if says_other else tuple(source.turn_id for source in old.sources)
    return NewMemory(**after, sources=sources)


def _done(unit: Unit, operation: SafeName) -> Decision | None:
    """What the operation did, if it was done before."""
    events = unit.journal.operation(operation)
    if not events:
        return None
    decided = load_decision(unit, events)
    if decided is None:  # from before decisions were noted
        written = next((event for event in events if event.type == "write"), None)
        if written is None:
            raise Conflict(
                f"Operation {operation} did something else ({events[0].type})",
                remedy="Use another operation_id",
            )
        decided = Decision("new", unit.memories.get(written.subject))
    if decided.memory is None and decided.outcome not in ("dropped", "refused", "withdrawn"):
        raise NotFound(
            f"Operation {operation} wrote a memory that was forgotten since",
            remedy="Use a new operation_id to write it again",
        )
    return decided
