"""Vectors: the passages of every recallable record, per embedder.

Vectors of two embedders are never in one list. What is in memory elsewhere can tell from ``state``
whether it has seen everything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from mnemic.errors import BadVector, StoreDamaged
from mnemic.store.rows import (
    TABLES,
    Coverage,
    EmbedText,
    LoadedVectors,
    VectorRow,
    VectorState,
    first_doc,
    last_doc,
    number_of,
    place_of,
    type_of,
)
from mnemic.store.sql.part import Part, read_statements
from mnemic.types import RECORD_TYPES, RecordType

_FLOAT = 4  # bytes
_ROUNDING = 0.01


class SqlVectors(Part):
    """The vectors of one space on one connection."""

    statements = read_statements("sql/vectors")

    def _fill(self, name: str, type_: RecordType) -> str:
        """A statement on the records of a type, with what is embedded of each."""
        text = self.statements[f"text {type_}"]
        return self._sql(name, table=TABLES[type_], text=text)

    def embedder(self, name: str, dimensions: int) -> int:
        """The number of an embedder, given when it is first used."""
        self._run("embedder", name=name, dimensions=dimensions)
        return self.list_embedders()[name]

    def list_embedders(self) -> dict[str, int]:
        return dict(self._run("known_embedders"))

    # --- what is still to be done ---------------------------------------------------------------

    def list_unembedded(self, embedder: int, limit: int) -> list[EmbedText]:
        """Records without vectors of this embedder, and those whose text has changed."""
        texts: list[EmbedText] = []
        for type_ in RECORD_TYPES:
            values = {"reached": self._read_progress(embedder, type_), **self._range_of(type_)}
            for name in ("unembedded", "changed"):
                rows = self._run(self._fill(name, type_), **values, limit=limit)
                texts += [EmbedText(*row) for row in rows]
        return texts[:limit]

    def texts(self, ids: Collection[str]) -> list[EmbedText]:
        """What is embedded of these records; ``change`` is -1 for one that has not changed."""
        answers = (self._run(self._fill("texts", type_), ids=list(ids)) for type_ in RECORD_TYPES)
        return [EmbedText(*row) for rows in answers for row in rows]

    def waiting(self, embedder: int) -> int:
        """How many records still wait for their vectors."""
        total: int = self._run("waiting").get
        for type_, table in TABLES.items():
            first, last = first_doc(self._space, type_), self._next_doc(type_) - 1
            span = {"first": first, "reached": self._read_progress(embedder, type_), "last": last}
            beyond = self._sql("beyond", table=table, records=self._unit.cleanup.count_rows(table))
            total += self._run(beyond, **span).get
        return total

    def _read_progress(self, embedder: int, type_: RecordType) -> int:
        reached = self._run("reached", embedder=embedder, type=type_).get
        return first_doc(self._space, type_) - 1 if reached is None else int(reached)

    # --- writing --------------------------------------------------------------------------------

    def put(
        self,
        embedder: int,
        done: Sequence[EmbedText],
        rows: Sequence[VectorRow],
        tokens: Mapping[int, bytes] | None = None,
    ) -> None:
        """The vectors of these records, none or several each; a removed record gets none."""
        self._check_lengths(embedder, (row.vector for row in rows))
        there = set(self._unit.text.records([record.doc for record in done]))
        done = [record for record in done if record.doc in there]
        for type_ in {type_of(record.doc) for record in done}:
            mine = [record for record in done if type_of(record.doc) == type_]
            self._drop(embedder, type_, [record for record in mine if record.change])
            reached = max(self._read_progress(embedder, type_), *(record.doc for record in mine))
            mark = {"embedder": embedder, "type": type_, "doc": reached}
            self._put("embedded", mark, ("embedder", "type"))
        self._conn.executemany(
            self.statements["put_vector"],
            [
                (self._space, embedder, row.doc, row.part, self._unit.encode_vector(row.vector))
                for row in rows
                if row.doc in there
            ],
        )
        self._conn.executemany(
            self.statements["put_tokens"],
            [(self._space, embedder, doc, t) for doc, t in (tokens or {}).items() if doc in there],
        )

    def retire_others(self, embedder: int) -> None:
        """Forget what other embedders made of this space."""
        for other in set(self.list_embedders().values()) - {embedder}:
            # One by one: "all but this" would walk every vector of the space.
            had = self.state(other).reached
            for table in ("vectors", "token_vectors", "embedded", "embedding_cache"):
                statement = f"DELETE FROM {table} WHERE space = :space AND embedder = :other"
                self._run(statement, other=other)
            for type_ in had:
                self.count_rewrite(type_)

    def _check_lengths(self, embedder: int, vectors: Iterable[bytes]) -> None:
        """All vectors of an embedder are as long as its first."""
        for length in {len(vector) for vector in vectors}:
            expected = self._length(embedder)
            if expected and length != expected:
                raise _unlike(length, expected)
            if not expected:
                self._run("check_lengths", dimensions=length // _FLOAT, number=embedder)

    def _length(self, embedder: int) -> int:
        """Bytes of one vector; 0 while there was none."""
        dimensions = self._run("length", number=embedder).get
        return int(dimensions or 0) * _FLOAT

    def _drop(self, embedder: int, type_: RecordType, changed: Sequence[EmbedText]) -> None:
        if not changed:
            return
        docs = [record.doc for record in changed]
        for table in ("vectors", "token_vectors"):
            self._run(self._sql("drop_of_docs", table=table), embedder=embedder, docs=docs)
        rows = [(self._space, record.doc, record.change) for record in changed]
        self._conn.executemany(self.statements["settle_change"], rows)
        self.count_rewrite(type_)

    def count_rewrite(self, type_: RecordType) -> None:
        """Tell indexes in memory that something they hold of this type is no longer so."""
        self._run("count_rewrite", number=number_of(self._space, type_))

    # --- reading --------------------------------------------------------------------------------

    def state(self, embedder: int) -> VectorState:
        reached = dict(self._run("state", embedder=embedder))
        numbers = {type_: number_of(self._space, type_) for type_ in reached}
        counts = {t: self._run("rewrites", number=n).get for t, n in numbers.items()}
        return VectorState({type_: int(count or 0) for type_, count in counts.items()}, reached)

    def coverage(self) -> dict[int, Coverage]:
        """By its number, each embedder that has worked in this space."""
        records: dict[int, int] = {}
        embedded = self._run("coverage")
        embedders = self._run("coverage_embedders")
        for number, doc in embedded:
            records[number] = records.get(number, 0) + place_of(doc) + 1
        return {
            number: Coverage(name, dimensions, records[number])
            for number, name, dimensions in embedders
            if number in records
        }

    def load(
        self, embedder: int, type_: RecordType, after: int | None, most: int | None = None
    ) -> LoadedVectors:
        """The vectors of a type beyond a record, about ``most``; no document is torn apart."""
        first = first_doc(self._space, type_) - 1 if after is None else after
        length = self._length(embedder)
        docs: list[int] = []
        vectors: list[bytes] = []
        for doc, vector in self.walk(embedder, first, last_doc(self._space, type_), most):
            if most is not None and len(docs) >= most and doc != docs[-1]:
                break
            if len(vector) != length:
                raise _damage(f"one has {len(vector)} bytes instead of {length}")
            docs.append(doc)
            vectors.append(vector)
        return LoadedVectors(docs, b"".join(vectors))

    def walk(
        self, embedder: int, first: int, last: int, most: int | None
    ) -> Iterable[tuple[int, bytes]]:
        """Vectors of documents beyond the first, in order: all, or at least ``most``."""
        return self._run("stored", embedder=embedder, first=first, last=last)

    def dimensions(self, embedder: int) -> int:
        """The length of its vectors; 0 while there was none."""
        return self._length(embedder) // _FLOAT

    def count(self, embedder: int, most: int) -> int:
        """How many vectors there are, counted no further than ``most``."""
        return int(self._run("count", embedder=embedder, most=most).get)

    def scan(self, embedder: int, query: bytes, most: int | None = None) -> list[tuple[int, float]]:
        """The cosine of every vector with the query, or of the ``most`` nearest."""
        expected = self._length(embedder)
        if expected and len(query) != expected:
            raise _unlike(len(query), expected)
        best = "" if most is None else f" ORDER BY 2 DESC LIMIT {most:d}"
        return self._compare("scan", embedder, query, best=best)

    def _compare(
        self, name: str, embedder: int, query: bytes, docs: Sequence[int] = (), **parts: str
    ) -> list[tuple[int, float]]:
        """Cosines of vectors with the query, by document."""
        rows = self._run(
            self._sql(name, cosine=self._unit.cosine, **parts),
            vector=self._unit.encode_vector(query),
            embedder=embedder,
            **({"docs": str(list(docs))} if docs else {}),
        )
        return check_cosines(rows)

    def sample(self, embedder: int, query: bytes, count: int) -> list[tuple[int, float]]:
        """Cosines of about so many vectors, spread over all of the type that has most."""
        reached = self.state(embedder).reached
        if not reached:
            return []
        type_, last = max(reached.items(), key=lambda item: place_of(item[1]))
        first = first_doc(self._space, type_)
        docs = range(first, last + 1, max(1, (last + 1 - first) // count))
        return self._compare("sample", embedder, query, docs)

    def has_index(self, embedder: int) -> bool:
        """Whether the database itself finds the nearest without comparing all."""
        return False

    def nearest(
        self, embedder: int, type_: RecordType, query: bytes, limit: int
    ) -> list[tuple[int, float]]:
        """What that index finds."""
        raise NotImplementedError

    def cosines(self, embedder: int, query: bytes, docs: Sequence[int]) -> dict[int, float]:
        """The cosine of the best passage of each document that has one."""
        return dict(self._compare("cosines", embedder, query, docs)) if docs else {}

    def tokens(self, embedder: int, docs: Sequence[int]) -> dict[int, bytes]:
        """The token vectors of each document that has some."""
        return dict(self._run("tokens", embedder=embedder, docs=str(list(docs))))

    # --- the cache of paid answers --------------------------------------------------------------

    def read_cached(self, embedder: int, hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        keys = [{"space": self._space, "embedder": embedder, "hash": hash_} for hash_ in hashes]
        rows = self._unit.first_rows(self.statements["cached"], keys)
        return {hash_: row[0] for hash_, row in zip(hashes, rows, strict=True) if row}

    def cache(self, embedder: int, vectors: Mapping[bytes, bytes]) -> None:
        self._check_lengths(embedder, vectors.values())
        rows = [(self._space, embedder, hash_, vector) for hash_, vector in vectors.items()]
        self._conn.executemany(self.statements["cache"], rows)


def _unlike(length: int, expected: int) -> BadVector:
    return BadVector(
        f"A vector has {length // _FLOAT} dimensions where the others of its embedder have"
        f" {expected // _FLOAT}",
        remedy="Set embedding.dimensions, or name the model that made the others",
    )


def _damage(how: str) -> StoreDamaged:
    return StoreDamaged(
        f"The vectors in the database are damaged: {how}",
        remedy="Restore a backup, or change embedding.model and back to make them anew",
    )


def check_cosines(rows: Iterable[tuple[int, float | None]]) -> list[tuple[int, float]]:
    cosines: list[tuple[int, float]] = []
    for doc, cosine in rows:
        if cosine is None or abs(cosine) > 1 + _ROUNDING:
            raise _damage("one holds something other than numbers")
        cosines.append((doc, cosine))
    return cosines
