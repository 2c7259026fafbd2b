"""Embedding: a durable job that gives vectors to every record that has none yet.

A record is findable by its words at once and by its meaning when this has run. Changing the
embedder makes everything wait for new vectors; the old ones go once the last record has its own.

A text that the model refuses must not hold up the others: it is isolated by halving the batch, and
gets a job of its own under the id of its record. That job ends as any job that failed: visible with
its reason, and redrivable.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from mnemic.clock import Clock
from mnemic.errors import BadVector, ModelRefused, StoreDamaged
from mnemic.index.engine import VectorEngine, follow
from mnemic.language.passages import passages
from mnemic.language.secrets.envelope import drop_envelope
from mnemic.late import NDArray, np
from mnemic.providers.embedding.base import Embedder, expect
from mnemic.providers.reader.inputs import TurnText
from mnemic.providers.reader.model import TrainedReader
from mnemic.store.codec import as_name
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import EmbedText, VectorRow, type_of
from mnemic.types import EMPTY, RECORD_TYPES, Job

KIND = "embed"
_BATCH = 256
_READ_BATCH = 32
_TURN = 2.0  # seconds after which other jobs have theirs, and closing need not wait any longer
_PORTION = 5_000  # vectors brought to an engine in one snapshot
_UNKNOWN = -1  # the number of an embedder that has made no vectors yet
_LOOK = 1_000
_LEAN = 0.3  # measured: whole texts alone lose the detail, passages alone the subject
_WHOLE = 1_000  # characters; models read about this much
_EPOCH = date(1970, 1, 1)
_DAY = 24 * 60 * 60 * 1_000_000  # microseconds
_PROBE = "The weather is fine today"  # what any model for embeddings accepts


def ask_vectors(unit: Unit, now: datetime) -> None:
    """Queue the embedding of new records, where there is an embedder."""
    if unit.habits.embeds:
        queue(unit, now)


def queue(unit: Unit, now: datetime) -> None:
    """Queue the embedding; one waiting job stands for all new records of a space."""
    unit.tasks.enqueue(KIND, {EMPTY: {}}, now=now)


def catch_up(store: Store, space: str, embedder: Embedder, now: datetime) -> None:
    """Queue the embedding where records wait without a job: the embedder may have changed."""
    with store.read(space) as unit:
        number = unit.vectors.list_embedders().get(embedder.name, _UNKNOWN)
        if not unit.vectors.list_unembedded(number, 1):
            return
        jobs = unit.tasks.list_unfinished(None, _LOOK)
        if any(job.kind == KIND and job.key == EMPTY for job in jobs):
            return
    with store.write(space) as unit:
        queue(unit, now)


def find_refused(unit: Unit) -> list[str]:
    """The ids of records whose text the model refused for good."""
    dead = unit.tasks.list_unfinished("dead", _LOOK)
    return [job.key for job in dead if job.kind == KIND and job.key != EMPTY]


def cache_hashes(records: Sequence[EmbedText]) -> set[bytes]:
    """The keys under which answers of paid models for these records are cached."""
    return {
        hashlib.sha256(text.encode()).digest()
        for record in records
        for passage in passages(drop_envelope(record.text))
        for text in (passage, f"{record.speaker}: {passage}", record.text[:_WHOLE])
    }


class _Vectors(NamedTuple):
    """The vectors of some records, and the token vectors of those that were read."""

    rows: list[VectorRow]
    tokens: dict[int, bytes]

    def join(self, other: _Vectors) -> _Vectors:
        return _Vectors([*self.rows, *other.rows], self.tokens | other.tokens)


def _read(reader: TrainedReader, records: Sequence[EmbedText]) -> _Vectors:
    """What the reader keeps: a vector for each window of a text, and all its token vectors."""
    readable = [record for record in records if drop_envelope(record.text).strip()]
    vectors = _Vectors([], {})
    for record, reading in zip(readable, reader.read([*map(passage_of, readable)]), strict=True):
        for number, vector in enumerate(reading.wholes):
            vectors.rows.append(VectorRow(record.doc, number, vector.tobytes()))
        vectors.tokens[record.doc] = reading.tokens.tobytes()
    return vectors


def passage_of(record: EmbedText) -> TurnText:
    """A record as the reader is given it, without what is sealed."""
    local = record.local
    return TurnText(
        drop_envelope(record.text),
        record.speaker or record.role,
        None if local is None else _EPOCH + timedelta(days=local // _DAY),
        drop_envelope(record.before),
    )


class EmbeddingJob:
    """Embeds the records that have no vectors yet."""

    def __init__(
        self, store: Store, embedder: Embedder, clock: Clock, engine: VectorEngine | None = None
    ) -> None:
        """``engine``: one that keeps vectors outside of the database, and is filled here."""
        self._store = store
        self._embedder = embedder
        self._clock = clock
        self._engine = engine
        self._batch = _READ_BATCH if isinstance(embedder, TrainedReader) else _BATCH

    def run(self, job: Job) -> None:
        """Embed everything that waits, or the one record that was set aside under its id."""
        with self._store.write(job.space) as unit:
            number = unit.vectors.embedder(self._embedder.name, self._embedder.dimensions)
            expect(self._embedder, unit.vectors.dimensions(number))
        if job.key != EMPTY:
            self._embed_record(job, number)
        elif not self._embed_waiting(job, number):
            return
        self._store.index_vectors(job.space, number)
        if self._engine is not None:
            self._fill(self._engine, job.space, number)

    def _embed_record(self, job: Job, number: int) -> None:
        """Whatever the model says of it is the outcome of the job."""
        with self._store.read(job.space) as unit:
            reached = unit.vectors.state(number).reached
            # What this embedder has not come to yet is among those that wait.
            records = [
                record
                for record in unit.vectors.texts([job.key])
                if record.doc <= reached.get(type_of(record.doc), _UNKNOWN)
            ]
        vectors = self._vectors(job.space, number, records)
        with self._store.write(job.space) as unit:
            unit.vectors.put(number, records, vectors.rows, vectors.tokens)

    def _embed_waiting(self, job: Job, number: int) -> bool:
        """A batch and a transaction at a time; False where another job goes on with the rest."""
        before: list[EmbedText] = []
        end = time.monotonic() + _TURN
        while True:
            with self._store.read(job.space) as unit:
                waiting = unit.vectors.list_unembedded(number, self._batch)
            if not waiting:
                break
            if waiting == before:
                raise StoreDamaged(
                    "Vectors that are written do not stay",
                    remedy="Run `mnemic doctor`, or restore a backup",
                )
            before = waiting
            vectors, refused = self._embed_accepted(job.space, number, waiting)
            with self._store.write(job.space) as unit:
                unit.vectors.put(number, waiting, vectors.rows, vectors.tokens)
                expect(self._embedder, unit.vectors.dimensions(number))
                if refused:
                    self._set_aside(unit, refused)
                if time.monotonic() > end and len(waiting) == self._batch:
                    queue(unit, self._clock.now())
                    return False
        with self._store.write(job.space) as unit:
            unit.vectors.retire_others(number)
        return True

    def _set_aside(self, unit: Unit, refused: Sequence[int]) -> None:
        """Give each record a job of its own, in place of one that failed before."""
        ids = {as_name(id_) for _, id_ in unit.text.records(refused).values()}
        dead = unit.tasks.list_unfinished("dead", _LOOK)
        unit.tasks.discard([job.id for job in dead if job.kind == KIND and job.key in ids])
        unit.tasks.enqueue(KIND, {id_: {} for id_ in ids}, now=self._clock.now())

    def _embed_accepted(
        self, space: str, number: int, records: Sequence[EmbedText], *, halved: bool = False
    ) -> tuple[_Vectors, list[int]]:
        """The vectors, and the documents whose text the model refuses, found by halving batches."""
        try:
            return self._vectors(space, number, records), []
        except (ModelRefused, BadVector) as error:
            # Where it refuses everything, the fault is not in the texts.
            if error.away or not (halved or self._accepts_plain_text()):
                raise
        if len(records) == 1:
            return _Vectors([], {}), [records[0].doc]
        middle = len(records) // 2
        vectors, refused = self._embed_accepted(space, number, records[:middle], halved=True)
        more, others = self._embed_accepted(space, number, records[middle:], halved=True)
        return vectors.join(more), [*refused, *others]

    def _accepts_plain_text(self) -> bool:
        try:
            self._embedder.embed([f"{_PROBE} {os.urandom(4).hex()}"])  # never a cached answer
        except (ModelRefused, BadVector):
            return False
        return True

    def _fill(self, engine: VectorEngine, space: str, number: int) -> None:
        """Bring an engine up to date with the rows, which are written first: they are the truth."""
        name = self._embedder.name
        for type_ in RECORD_TYPES:
            done = False
            while not done:
                with self._store.read(space) as unit:
                    if type_ not in unit.vectors.state(number).reached:
                        break
                    table = engine.table(space, name, type_, unit.vectors.dimensions(number))
                    done = follow(table, unit.vectors, number, type_, _PORTION)
        engine.keep_only(space, name)

    def _vectors(self, space: str, number: int, records: Sequence[EmbedText]) -> _Vectors:
        if isinstance(self._embedder, TrainedReader):
            return _read(self._embedder, records)
        parts = [
            (record.doc, place, f"{record.speaker}: {text}" if record.speaker else text)
            for record in records
            for place, text in enumerate(passages(drop_envelope(record.text)))
        ]
        if not parts:
            return _Vectors([], {})
        vectors = self._embed(space, number, [text for _, _, text in parts])
        vectors = self._leaning(space, number, records, parts, vectors)
        rows = [
            VectorRow(doc, place, vector.tobytes())
            for (doc, place, _), vector in zip(parts, vectors, strict=True)
            if vector.any()  # no known word: it would be near to everything or nothing
        ]
        return _Vectors(rows, {})

    def _leaning(
        self,
        space: str,
        number: int,
        records: Sequence[EmbedText],
        parts: Sequence[tuple[int, int, str]],
        vectors: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """Passages of a long text lean towards the whole of it, which says what they are about."""
        long = {doc for doc, place, _ in parts if place}
        if not long:
            return vectors
        texts = {record.doc: record.text[:_WHOLE] for record in records if record.doc in long}
        wholes = dict(zip(texts, self._embed(space, number, list(texts.values())), strict=True))
        leaning = vectors.copy()
        for row, (doc, _, _) in enumerate(parts):
            if doc in long:
                mixed = (1 - _LEAN) * vectors[row] + _LEAN * wholes[doc]
                leaning[row] = mixed / max(float(np.linalg.norm(mixed)), 1e-9)
        return leaning

    def _embed(self, space: str, number: int, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts; earlier answers of a paid model come from the database."""
        hashes = [hashlib.sha256(text.encode()).digest() for text in texts]
        with self._store.read(space) as unit:
            answers = unit.vectors.read_cached(number, hashes)
        fresh = {h: text for h, text in zip(hashes, texts, strict=True) if h not in answers}
        if fresh:
            vectors = self._embedder.embed(list(fresh.values()))
            answered = {h: v.tobytes() for h, v in zip(fresh, vectors, strict=True)}
            with self._store.write(space) as unit:
                unit.vectors.cache(number, answered)
            answers |= answered
        stored = b"".join(map(answers.__getitem__, hashes))
        return np.frombuffer(stored, np.float32).reshape(len(texts), -1)
