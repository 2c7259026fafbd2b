"""Forgetting for good: rows and indexes in one transaction, then every copy outside of them.

What is left to do after that transaction is a durable job which holds hashes and ids, no text:
after a crash the worker finishes it at the next start, and so does asking again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from recollect.clock import Clock
from recollect.errors import StoreBusy
from recollect.forget import receipts, traces
from recollect.forget.plan import ForgetPlan, Planner
from recollect.forget.request import ForgetRequest, read_asked
from recollect.forget.traces import Traces
from recollect.ids import new_id
from recollect.index.embedding_job import Ask, cache_hashes
from recollect.language.echo import fingerprints
from recollect.language.guard import guard_of
from recollect.learn.episodes import episode_terms
from recollect.learn.reindex import index_again
from recollect.record import triggers
from recollect.settings import Settings
from recollect.store.codec import stored_name
from recollect.store.contract import Store, Unit
from recollect.store.erasure import Name
from recollect.types import EMPTY, RECORD_TYPES, Fact, Job, Json, Receipt, SafeName, digests, key_of

KIND = "forget"
EVENT = "forget"
_LOOKED = 1_000  # jobs


@dataclass(frozen=True, slots=True)
class Outside:
    """What holds text outside of the database, and what is only held in this process.

    ``gather`` writes down what waits in memory; ``transcript`` removes the copy of a session of a
    space, to be written anew; ``documents`` takes out bullets by the ids of their memories, logs by
    those of their turns, and lines by what they say; ``vectors`` and ``caches`` let go of what can
    be made again.
    """

    gather: Callable[[], None]
    transcript: Callable[[str, SafeName], None]
    documents: Callable[[str, RemovedRecords], None]
    vectors: Callable[[], None]
    caches: Callable[[], None]


@dataclass(frozen=True, slots=True)
class RemovedRecords:
    """What has to leave the copies as well, once the rows are gone."""

    turns: Collection[str]
    memories: Collection[str]
    sessions: Collection[SafeName]
    traces: Traces

    def dump(self) -> dict[str, Json]:
        return {
            "turns": [*self.turns],
            "memories": [*self.memories],
            "sessions": [*sorted(self.sessions)],
            "traces": self.traces.dump(),
        }


def _left(told: Mapping[str, Json]) -> RemovedRecords:
    return RemovedRecords(
        _listed(told["turns"]),
        _listed(told["memories"]),
        [stored_name(one) for one in _listed(told["sessions"])],
        traces.load(told["traces"]),
    )


class Erasure:
    """The door to forgetting in one space, and the job that finishes it in any."""

    def __init__(
        self,
        store: Store,
        space: str,
        clock: Clock,
        settings: Settings,
        *,
        ask: Ask,
        outside: Outside,
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._settings = settings
        self._guard = guard_of(settings)
        self._ask = ask
        self._outside = outside

    def forget(
        self,
        *,
        id: str | None = None,
        query: str | None = None,
        session: str | None = None,
        source: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        dry_run: bool = False,
    ) -> Receipt:
        """Remove for good what is named, or with ``dry_run`` say what would go, and why."""
        asked = read_asked(
            id=id,
            query=query,
            session=session,
            source=source,
            since=since,
            until=until,
            guard=self._guard,
        )
        if dry_run:
            with self._store.read(self._space) as unit:
                plan = Planner(unit, self._settings, marked=True).plan(asked)
                return self._receipt(plan, asked, items=True)
        self._outside.gather()
        with self._store.write(self._space) as unit:
            before = _unfinished(unit)
            plan = Planner(unit, self._settings).plan(asked)
            receipt = self._receipt(plan, asked)
            if not plan.empty:
                receipt = self._write(unit, plan, receipt)
        if plan.empty and before:  # asked again after a crash: what was begun is finished
            for job in before:
                self.finish(job)
            return receipts.load(before[-1].payload["receipt"])
        if not plan.empty:
            self._finish(self._space, receipt, _left_by(plan))
        return receipt

    # --- in one transaction ----------------------------------------------------------------------

    def _write(self, unit: Unit, plan: ForgetPlan, receipt: Receipt) -> Receipt:
        now, eraser = receipt.at, unit.eraser
        removal, most = plan.removal, self._settings.jobs.max_attempts
        docs = [d for type_ in RECORD_TYPES for d in eraser.docs(type_, removal.of(type_))]
        docs += eraser.docs("episode", list(plan.retold))
        bearing = unit.names.bearing(plan.renamed)
        named = [doc for type_, ids in bearing.items() for doc in eraser.docs(type_, ids)]
        docs += named
        plan.sessions |= self._copied(unit, plan, bearing.get("turn", []))
        eraser.drop_cached(cache_hashes(eraser.embed_texts(docs)))
        marks = {
            mark for text in plan.texts for line in fingerprints(text).values() for mark in line
        }
        eraser.drop_echoes(marks)
        for id_, turns in plan.loosened.items():
            unit.memories.drop_sources(id_, turns)
        eraser.remove(removal)
        for stretch in plan.retold.values():
            eraser.retell(stretch, episode_terms(stretch.episode))
        for change in plan.rewritten:
            eraser.rewrite(change)
        unit.names.rename(plan.names)
        eraser.drop_vectors(named)
        for type_, ids in bearing.items():
            index_again(unit, type_, ids)
        for name in plan.cards:
            unit.cards.drop(name)
        for session in eraser.learn_again(plan.relearnt):
            triggers.queue(unit, [session], now=now, run_at=now, max_attempts=most, quiet=False)
        if plan.retold or named:
            self._ask(unit, now)
        whole = receipts.without_present(unit, receipt, plan.texts)
        unit.tasks.enqueue(
            KIND,
            key=receipt.id,
            payload=digests({"receipt": receipts.dump(whole), **_left_by(plan).dump()}),
            # Not before this call would have lost its lease: it does the work itself.
            run_at=now + self._settings.jobs.lease,
            now=now,
            max_attempts=most,
        )
        return whole

    @staticmethod
    def _copied(unit: Unit, plan: ForgetPlan, turns: list[str]) -> set[SafeName]:
        """Sessions whose transcripts have a name that is replaced, under both of their names."""
        renamed = {name: after for name, after in plan.renamed.items() if name.kind == "session"}
        before = {turn.session for turn in unit.ledger.turns_by_id(turns)}
        before |= plan.sessions | {stored_name(name.text) for name in renamed}
        return before | {renamed.get(Name("session", id_), id_) for id_ in before}

    def _receipt(self, plan: ForgetPlan, asked: ForgetRequest, *, items: bool = False) -> Receipt:
        now = self._clock.now()
        return Receipt(
            id=new_id(now),
            space=self._space,
            at=now,
            asked=asked.told,
            counts=plan.counts,
            key="" if items or plan.empty else plan.traces.key,
            marks=() if items else receipts.marks_of(plan),
            words=() if items else tuple(sorted(plan.traces.words)),
            items=tuple(plan.items) if items else (),
            dry_run=items,
        )

    # --- after it --------------------------------------------------------------------------------

    def finish(self, job: Job) -> None:
        """Do what was left of a request; safe to repeat."""
        self._finish(job.space, receipts.load(job.payload["receipt"]), _left(job.payload))

    def _finish(self, space: str, receipt: Receipt, left: RemovedRecords) -> None:
        for session in left.sessions:
            self._outside.transcript(space, session)
        self._outside.documents(space, left)
        self._outside.vectors()
        self._outside.caches()
        with _to_be_finished():
            self._store.compact()
            with self._store.write(space) as unit:
                unit.eraser.end_job(KIND, receipt.id)
                counts: dict[str, Fact] = dict(receipt.counts)
                unit.journal.add_event(
                    EVENT,
                    operation_id=key_of(EVENT, receipt.id),
                    subject=EMPTY,
                    payload={"asked": self._guard.error(receipt.asked), "counts": counts},
                    at=receipt.at,
                )
            self._store.settle()


@contextmanager
def _to_be_finished() -> Iterator[None]:
    """What another reader keeps from being done is not lost."""
    try:
        yield
    except StoreBusy as error:
        raise StoreBusy(
            "It is forgotten, but old pages stay in the file while another program reads it",
            remedy="Close that program; the next start, or the same call, finishes the work",
        ) from error


def _left_by(plan: ForgetPlan) -> RemovedRecords:
    return RemovedRecords(plan.removed.turns, plan.removed.memories, plan.sessions, plan.traces)


def _listed(told: Json) -> list[str]:
    return [str(item) for item in told] if isinstance(told, list) else []


def _unfinished(unit: Unit) -> list[Job]:
    return [job for job in unit.tasks.unfinished(None, _LOOKED) if job.kind == KIND]
