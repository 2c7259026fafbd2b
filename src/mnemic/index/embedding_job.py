"""Embedding: a durable job that gives vectors to every record that has none yet.

A record is findable by its words at once and by its meaning when this has run. Changing the
embedder makes everything wait for new vectors; the old ones go once the last record has its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from mnemic.errors import StoreDamaged
from mnemic.index.engine import VectorEngine, follow
from mnemic.language.passages import passages
from mnemic.language.secrets.envelope import unsealed_part
from mnemic.providers.embedding.base import Embedder, WordEmbedder, expect
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import EmbedText, VectorRow
from mnemic.types import EMPTY, RECORD_TYPES, Job

KIND = "embed"
_BATCH = 256
_PORTION = 5_000  # vectors brought to an engine in one snapshot
_UNKNOWN = -1  # the number of an embedder that has made no vectors yet
_LOOK = 1_000
_LEAN = 0.3  # measured: whole texts alone lose the detail, passages alone the subject
_WHOLE = 1_000  # characters; models read about this much


Ask = Callable[[Unit, datetime], None]


def asking(embedder: Embedder | None, max_attempts: int) -> Ask:
    """A function that queues the embedding of new records; without an embedder it does nothing."""

    def ask(unit: Unit, now: datetime) -> None:
        if embedder is not None:
            queue(unit, now, max_attempts)

    return ask


def queue(unit: Unit, now: datetime, max_attempts: int) -> None:
    """Queue the embedding; one waiting job stands for all new records of a space."""
    unit.tasks.enqueue(KIND, key=EMPTY, payload={}, run_at=now, now=now, max_attempts=max_attempts)


def catch_up(
    store: Store, space: str, embedder: Embedder, now: datetime, max_attempts: int
) -> None:
    """Queue the embedding where records wait without a job: the embedder may have changed."""
    with store.read(space) as unit:
        number = unit.vectors.known_embedders().get(embedder.name, _UNKNOWN)
        if not unit.vectors.unembedded(number, 1):
            return
        if any(job.kind == KIND for job in unit.tasks.unfinished(None, _LOOK)):
            return
    with store.write(space) as unit:
        queue(unit, now, max_attempts)


def cache_hashes(records: Sequence[EmbedText]) -> set[bytes]:
    """The keys under which answers of paid models for these records are cached."""
    return {
        hashlib.sha256(text.encode()).digest()
        for record in records
        for passage in passages(unsealed_part(record.text))
        for text in (passage, f"{record.speaker}: {passage}", record.text[:_WHOLE])
    }


class EmbeddingJob:
    """Embeds the records that have no vectors yet."""

    def __init__(
        self, store: Store, embedder: Embedder, engine: VectorEngine | None = None
    ) -> None:
        """``engine``: one that keeps vectors outside of the database, and is filled here."""
        self._store = store
        self._embedder = embedder
        self._engine = engine

    def run(self, job: Job) -> None:
        """Work through everything that waits, a batch and a transaction at a time."""
        with self._store.write(job.space) as unit:
            number = unit.vectors.embedder(self._embedder.name, self._embedder.dimensions)
            expect(self._embedder, unit.vectors.dimensions(number))
        before: list[EmbedText] = []
        while True:
            with self._store.read(job.space) as unit:
                waiting = unit.vectors.unembedded(number, _BATCH)
            if not waiting:
                break
            if waiting == before:
                raise StoreDamaged(
                    "Vectors that are written do not stay",
                    remedy="Run `mnemic doctor`, or restore a backup",
                )
            before = waiting
            rows = self._vectors(job.space, number, waiting)
            with self._store.write(job.space) as unit:
                unit.vectors.put(number, waiting, rows)
                expect(self._embedder, unit.vectors.dimensions(number))
        with self._store.write(job.space) as unit:
            unit.vectors.retire_others(number)
        self._store.index_vectors(job.space, number)
        if self._engine is not None:
            self._fill(self._engine, job.space, number)

    def _fill(self, engine: VectorEngine, space: str, number: int) -> None:
        """Bring an engine up to date with the rows, which are written first: they are the truth."""
        name = self._embedder.name
        for type_ in RECORD_TYPES:
            whole = False
            while not whole:
                with self._store.read(space) as unit:
                    if type_ not in unit.vectors.state(number).reached:
                        break
                    table = engine.table(space, name, type_, unit.vectors.dimensions(number))
                    whole = follow(table, unit.vectors, number, type_, _PORTION)
        engine.keep_only(space, name)

    def _vectors(self, space: str, number: int, records: Sequence[EmbedText]) -> list[VectorRow]:
        parts = [
            (record.doc, part, text)
            for record in records
            for part, text in enumerate(self._texts(record))
        ]
        if not parts:
            return []
        vectors = self._embed(space, number, [text for _, _, text in parts])
        if not isinstance(self._embedder, WordEmbedder):
            vectors = self._leaning(space, number, records, parts, vectors)
        return [
            VectorRow(doc, part, vector.tobytes())
            for (doc, part, _), vector in zip(parts, vectors, strict=True)
            if vector.any()  # no known word: it would be near to everything or nothing
        ]

    def _texts(self, record: EmbedText) -> list[str]:
        """Passages; with the speaker for a sentence model, which would only blur sums of words."""
        texts = passages(unsealed_part(record.text))
        if isinstance(self._embedder, WordEmbedder) or not record.speaker:
            return texts
        return [f"{record.speaker}: {passage}" for passage in texts]

    def _leaning(
        self,
        space: str,
        number: int,
        records: Sequence[EmbedText],
        parts: Sequence[tuple[int, int, str]],
        vectors: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """Passages of a long text lean towards the whole of it, which says what they are about."""
        long = {doc for doc, part, _ in parts if part}
        if not long:
            return vectors
        texts = {record.doc: record.text[:_WHOLE] for record in records if record.doc in long}
        whole = dict(zip(texts, self._embed(space, number, list(texts.values())), strict=True))
        leaning = vectors.copy()
        for row, (doc, _, _) in enumerate(parts):
            if doc in long:
                mixed = (1 - _LEAN) * vectors[row] + _LEAN * whole[doc]
                leaning[row] = mixed / max(float(np.linalg.norm(mixed)), 1e-9)
        return leaning

    def _embed(self, space: str, number: int, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts; earlier answers of a paid model come from the database."""
        if isinstance(self._embedder, WordEmbedder):
            return self._embedder.embed(texts)  # cheaper than a look into the database
        hashes = [hashlib.sha256(text.encode()).digest() for text in texts]
        with self._store.read(space) as unit:
            answers = unit.vectors.cached(number, hashes)
        fresh = {h: text for h, text in zip(hashes, texts, strict=True) if h not in answers}
        if fresh:
            vectors = self._embedder.embed(list(fresh.values()))
            answered = {h: v.tobytes() for h, v in zip(fresh, vectors, strict=True)}
            with self._store.write(space) as unit:
                unit.vectors.cache(number, answered)
            answers |= answered
        joined = b"".join(answers[h] for h in hashes)
        return np.frombuffer(joined, np.float32).reshape(len(texts), -1)
