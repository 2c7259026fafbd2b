"""Permanent removal: rows and indexes in one transaction, then every copy outside the database.

The work after that transaction is a durable job that holds hashes and ids but no text, so after a
crash the worker finishes it at the next start, as does repeating the request.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Unpack

from mnemic.errors import NotFound, StoreBusy
from mnemic.forget import receipts, traces
from mnemic.forget.plan import ForgetPlan, Planner
from mnemic.forget.request import ForgetRequest, read_request
from mnemic.forget.traces import Hasher, Traces, tokens, words
from mnemic.ids import new_id
from mnemic.index.embedding_job import ask_vectors, cache_hashes
from mnemic.language.echo import fingerprints
from mnemic.language.secrets.envelope import mask
from mnemic.learn.deletions import DELETED, note_deletion
from mnemic.learn.episodes import episode_terms
from mnemic.learn.memories import existing_memory
from mnemic.learn.reindex import index_again
from mnemic.learn.rewrites import restore_originals, versions_of
from mnemic.plain import plain
from mnemic.record import triggers
from mnemic.settings.logs import log_of
from mnemic.space import Space
from mnemic.store.codec import as_name
from mnemic.store.contract import Unit
from mnemic.store.rows import NOBODY, Name, Removal, StoredTextKind
from mnemic.types import (
    EMPTY,
    RECORD_TYPES,
    Fact,
    ForgetQuery,
    Job,
    Memory,
    Receipt,
    SafeName,
    digests,
    key_of,
)

KIND = "forget"
EVENT = "forget"
_MAX_JOBS = 1_000
_PROOF = 2_000  # records of each kind whose hashes a receipt of a space holds
_NO_KEY = "00"  # of traces of nothing
_CARDS: tuple[StoredTextKind, ...] = ("card",)


@dataclass(frozen=True, slots=True)
class ExternalCopies:
    """Copies of text outside the database, and buffers of this process.

    ``gather`` writes pending buffers; ``transcript`` removes the JSONL copy of a session, to be
    written again; ``documents`` removes bullets by memory id, logs by turn id and lines by content;
    ``caches`` drops what can be rebuilt, such as vectors.
    """

    gather: Callable[[], None]
    transcript: Callable[[str, SafeName], None]
    documents: Callable[[str, RemovedRecords], None]
    caches: Callable[[], None]


@dataclass(frozen=True, slots=True)
class RemovedRecords:
    """Removed rows whose copies have to be removed as well."""

    turns: Collection[str]
    memories: Collection[str]
    sessions: Collection[SafeName]
    traces: Traces

    @classmethod
    def load(cls, payload: Mapping[str, Any]) -> RemovedRecords:
        turns, memories = (list(map(str, payload[name])) for name in ("turns", "memories"))
        sessions = list(map(as_name, payload["sessions"]))
        return cls(turns, memories, sessions, traces.load(payload["traces"]))


@dataclass(eq=False)
class Erasure:
    """Removes records of one space, and finishes interrupted removals of any."""

    space: Space
    copies: ExternalCopies

    def forget(self, *, dry_run: bool = False, **query: Unpack[ForgetQuery]) -> Receipt:
        """Remove what is named for good; with ``dry_run`` only list it, with the reasons."""
        with self.space.read() as unit:
            zone = self.space.zone(unit)
        request = read_request(query, zone, self.space.guard)
        if dry_run:
            with self.space.read() as unit:
                plan = Planner(unit, self.space.settings, marked=True).plan(request)
                return self._receipt(plan, request, items=True)
        return self._carry_out(request)

    def erase(self, ids: Mapping[str, Sequence[str]]) -> Receipt:
        """Remove what another device has forgotten, by ids, with all that was made of it."""
        return self._carry_out(ForgetRequest(ids=ids))

    def _carry_out(self, request: ForgetRequest) -> Receipt:
        self.copies.gather()
        with self.space.write() as unit:
            unfinished = find_unfinished(unit)
            plan = Planner(unit, self.space.settings).plan(request)
            receipt = self._receipt(plan, request)
            if not plan.empty:
                receipt = self._write(unit, plan, receipt)
        if plan.empty and unfinished:  # the same request again after a crash
            for job in unfinished:
                self.finish(job)
            return receipts.load(unfinished[-1].payload["receipt"])
        if not plan.empty:
            self._finish(self.space.name, receipt, _list_removed(plan))
            log_of(self.space.settings).done(
                "forgot {records} records", records=sum(receipt.counts.values())
            )
        return receipt

    def delete(self, id_: str) -> Memory:
        """Remove one memory with all versions; its turns stay, and it is not learned again."""
        self.copies.gather()
        with self.space.write() as unit:
            memory = existing_memory(unit, id_)
            versions = versions_of(unit, memory.id)
            ids = [version.id for version in versions]
            eraser, now = unit.eraser, self.space.now()
            eraser.drop_cached(cache_hashes(unit.vectors.texts(ids)))
            restore_originals(unit, ids, now)
            eraser.remove(Removal(memories=ids))
            unit.sync.bury(Removal(memories=ids))
            for card in eraser.read_texts(_CARDS):
                if any(version.text in text for version in versions for text in card.texts):
                    unit.cards.drop(card.id)
            note_deletion(unit, versions, key_of(DELETED, new_id(now)), now)
        self.copies.documents(self.space.name, RemovedRecords((), ids, (), Traces(_NO_KEY)))
        self.copies.caches()
        return mask(memory)

    # --- in one transaction ----------------------------------------------------------------------

    def _write(self, unit: Unit, plan: ForgetPlan, receipt: Receipt) -> Receipt:
        now, eraser = receipt.at, unit.eraser
        removal = plan.removed.removal
        embedded = [id_ for type_ in RECORD_TYPES for id_ in removal.of(type_)]
        embedded += plan.rewritten_episodes
        bearing = unit.names.bearing(plan.renamed)
        renamed_docs = [doc for type_, ids in bearing.items() for doc in eraser.docs(type_, ids)]
        embedded += [id_ for ids in bearing.values() for id_ in ids]
        plan.sessions |= self._transcripts(unit, plan, bearing.get("turn", []))
        eraser.drop_cached(cache_hashes(unit.vectors.texts(embedded)))
        marks = {
            mark for text in plan.texts for line in fingerprints(text).values() for mark in line
        }
        unit.echoes.drop_marked(frozenset(marks))
        for id_, turns in plan.detached.items():
            unit.memories.drop_sources(id_, turns)
        restore_originals(unit, removal.memories, now)
        read_again = eraser.remove(removal)
        for stretch in plan.rewritten_episodes.values():
            eraser.retell(stretch, episode_terms(stretch.episode))
        for change in plan.rewritten:
            eraser.rewrite(change)
        unit.names.rename(plan.names)
        eraser.drop_vectors(renamed_docs)
        for type_, ids in bearing.items():
            index_again(unit, type_, ids)
        for name in plan.cards:
            unit.cards.drop(name)
        for session in eraser.learn_again(plan.turns_to_relearn):
            triggers.queue(unit, [session], now=now)
        if plan.rewritten_episodes or renamed_docs or read_again:
            ask_vectors(unit, now)
        unit.sync.bury(removal)
        final = receipts.without_present(unit, receipt, plan.texts)
        if receipt.asked != "sync":
            unit.sync.note_forgotten(receipt.id, removal, plain(plan.traces), now)
        unit.tasks.enqueue(
            KIND,
            {receipt.id: digests({"receipt": receipts.dump(final), **plain(_list_removed(plan))})},
            # This call does the work itself; the job is for when it dies, so it waits for a lease.
            run_at=now + self.space.settings.jobs.lease,
            now=now,
        )
        return final

    @staticmethod
    def _transcripts(unit: Unit, plan: ForgetPlan, turns: list[str]) -> set[SafeName]:
        """Sessions whose transcripts contain a replaced name, under the old and the new id."""
        renamed = {name: after for name, after in plan.renamed.items() if name.kind == "session"}
        before = {turn.session for turn in unit.ledger.turns_by_id(turns)}
        before |= plan.sessions | {as_name(name.text) for name in renamed}
        return before | {renamed.get(Name("session", id_), id_) for id_ in before}

    def _receipt(self, plan: ForgetPlan, request: ForgetRequest, *, items: bool = False) -> Receipt:
        now = self.space.now()
        return Receipt(
            id=new_id(now),
            space=self.space.name,
            at=now,
            asked=request.kind,
            counts=plan.counts,
            key="" if items or plan.empty else plan.traces.key,
            marks=() if items else receipts.marks_of(plan),
            words=() if items else tuple(sorted(plan.traces.words)),
            items=tuple(plan.items) if items else (),
            dry_run=items,
        )

    # --- after the transaction -------------------------------------------------------------------

    def finish(self, job: Job) -> None:
        """Finish an interrupted request; safe to repeat."""
        receipt = receipts.load(job.payload["receipt"])
        self._finish(job.space, receipt, RemovedRecords.load(job.payload))

    def _finish(self, space: str, receipt: Receipt, removed: RemovedRecords) -> None:
        for session in removed.sessions:
            self.copies.transcript(space, session)
        self.copies.documents(space, removed)
        self.copies.caches()
        with finish_later():
            self.space.store.compact()
            with self.space.store.write(space) as unit:
                unit.eraser.end_job(KIND, receipt.id)
                counts: dict[str, Fact] = dict(receipt.counts)
                unit.journal.begin(key_of(EVENT, receipt.id), receipt.at).note(
                    EVENT, EMPTY, asked=self.space.guard.error(receipt.asked), counts=counts
                )
            self.space.store.settle()


@contextmanager
def finish_later() -> Iterator[None]:
    """Explain a busy store: the job stays queued, so the work is finished later."""
    try:
        yield
    except StoreBusy as error:
        raise StoreBusy(
            "It is forgotten, but old pages stay in the file while another program reads it",
            remedy="Close that program; the next start, or the same call, finishes the work",
        ) from error


def _list_removed(plan: ForgetPlan) -> RemovedRecords:
    turns, memories = list(plan.removed.turns), list(plan.removed.memories)
    return RemovedRecords(turns, memories, sorted(plan.sessions), plan.traces)


def find_unfinished(unit: Unit) -> list[Job]:
    """The removals that still have work outside the database."""
    return [job for job in unit.tasks.list_unfinished(None, _MAX_JOBS) if job.kind == KIND]


def forget_space(
    space: Space,
    gather: Callable[[], None],
    drop_copies: Callable[[], None],
    *,
    dry_run: bool = False,
) -> Receipt:
    """Remove a space, or count what would go: copies outside the database, then every row at once.

    ``gather`` writes what this process holds back; ``drop_copies`` removes files, vectors and what
    is held in memory. Copies go first and once more at the end: where the process dies between, the
    space is still there, and the same call goes on. The receipt holds what is removed of each kind,
    and hashes of a part of the records, as many as fit a file that people keep.
    """
    now = space.now()
    receipt = Receipt(new_id(now), space.name, now, "space", {}, dry_run=dry_run)
    if not dry_run:
        gather()
    with space.read() as unit:
        if unit.space == NOBODY:
            raise NotFound(
                f"There is no space {space.name!r}", remedy="Name one that was written to"
            )
        if dry_run:
            return replace(receipt, counts=unit.eraser.count_all())
    drop_copies()
    with space.write() as unit:
        receipt = _add_proof(unit, replace(receipt, counts=unit.eraser.count_all()))
        unit.eraser.remove_all(receipt.id, now)
    drop_copies()
    with finish_later():
        space.store.compact()
        space.store.settle()
    return receipt


def _add_proof(unit: Unit, receipt: Receipt) -> Receipt:
    """The receipt with hashes of ids, texts and words."""
    key = secrets.token_bytes(16)
    hashed, marks, terms = Hasher(key), set[str](), set[str]()
    for kind in receipts.CHECKED:
        for record in islice(unit.eraser.read_texts((kind,)), _PROOF):
            marks |= {hashed(record.id), *(hashed(t) for t in record.texts if len(tokens(t)) > 1)}
            terms |= {hashed(word) for text in record.texts for word in words(text)}
    return replace(receipt, key=key.hex(), marks=tuple(sorted(marks)), words=tuple(sorted(terms)))
