"""The vector route: what is near to a query in meaning.

Small memories are scanned in the database; larger ones by the engine that the settings name, which
is brought up to date with the database at every query. After a change of the embedder the vectors
of the old one answer, to a query embedded by the old one, until the new one has caught up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from recollect.errors import BadVector, ModelUnavailable, StoreError
from recollect.index.live_tables import Holder, Made
from recollect.index.segment import has_dense_script, index_text, term_weight
from recollect.locks import ForkSafeLock
from recollect.providers.embedding.base import (
    Embedder,
    HanEmbedder,
    WordEmbedder,
    expect,
    forget_kept,
    release,
)
from recollect.recall.fusion import WEIGHTS
from recollect.recall.nearness import IndexedVectors, Scanned, VectorFound
from recollect.rules.bm25 import number_of
from recollect.store.contract import Unit, Vectors
from recollect.store.rows import TextMatches

__all__ = ["VectorFound", "VectorRoute"]

SCAN_LIMIT = 256  # up to this many vectors are compared by the database
SCAN_MEANWHILE = 100_000  # up to this many records, while an index of them is being made
_SCANNED = 1_000  # nearest of those that are told
_SAMPLE = 256
_WORD = re.compile(r"[^\W_]+")
# The scripts without spaces apart from Han: Thai to Khmer, kana, Hangul.
_NO_HAN = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30fa\uac00-\ud7a3]")
Floats = NDArray[np.float32]
Earlier = Callable[[str], Embedder | None]


class VectorRoute:
    """Searches the vectors of one space."""

    def __init__(self, embedder: Embedder, holder: Holder, earlier: Earlier) -> None:
        """``earlier`` makes an embedder again from the name its vectors are stored under."""
        self._embedder = embedder
        self._holder = holder
        self._earlier = earlier
        self._guard = ForkSafeLock()
        self._remade: dict[str, Embedder | None] = {}

    def trust(self, query: str) -> float:
        """How much the embedder's word counts for such a query; 0 when it knows too little."""
        return self._trust(self._embedder, query)

    def settle(self, timeout: float | None = None) -> bool:
        """Wait until an index that is being made is there; True when it is."""
        return self._holder.settle(timeout)

    def waiting(self) -> int:
        """How many records still wait for vectors of the present embedder."""
        try:
            return self._holder.waiting(self._embedder.name)
        except StoreError:
            return 0  # a damaged file; recall and the worker tell of it

    def forget(self) -> None:
        """Let go of vectors and answers that can be had again."""
        for embedder in (self._embedder, *filter(None, self._remade.values())):
            forget_kept(embedder)
        self._holder.forget()

    def close(self) -> None:
        """Let go of connections and files."""
        for embedder in (self._embedder, *filter(None, self._remade.values())):
            release(embedder)
        self._holder.close()

    def search(self, unit: Unit, query: str, text: TextMatches | None) -> VectorFound | None:
        """None while no record has vectors, or none that can be searched yet."""
        rows = unit.vectors
        embedder, made = self._source(rows)
        if embedder is None or made is None:
            return None
        trust = self._trust(embedder, query)
        # Whether there is anything to find, before anybody is asked for the vector of the query.
        small = not (self._holder.holds or self._holder.lasting)
        count = rows.count(made.number, SCAN_LIMIT + 1) if small else SCAN_LIMIT + 1
        if not (trust and count):
            return None
        vector = self._embed(embedder, query, text)
        if not vector.any():
            return None
        if len(vector) != made.dimensions:
            raise BadVector(
                f"{made.name} answered {len(vector)} dimensions where its vectors here have"
                f" {made.dimensions}",
                remedy="Set embedding.dimensions, or name the model that made the others",
            )
        if count <= SCAN_LIMIT:
            return Scanned(rows.scan(made.number, vector.tobytes()), trust)
        tables = self._holder.tables(rows, made)
        if tables:
            return IndexedVectors(tables, vector, trust)
        return self._meanwhile(rows, made, vector, trust)

    def _meanwhile(
        self, rows: Vectors, made: Made, vector: Floats, trust: float
    ) -> VectorFound | None:
        """By the database, unless that too would take seconds; then the words answer alone."""
        if rows.coverage()[made.number].records > SCAN_MEANWHILE:
            return None
        query = vector.tobytes()
        chance = rows.sample(made.number, query, _SAMPLE)
        return Scanned(rows.scan(made.number, query, _SCANNED), trust, chance)

    def _trust(self, embedder: Embedder, query: str) -> float:
        if _sums_words(embedder):
            if not has_dense_script(query):
                return WEIGHTS.word_vectors
            known = _reads_han(embedder) and not _NO_HAN.search(query)
            return WEIGHTS.gloss_vectors if known else 0.0
        return WEIGHTS.sentence_vectors

    # --- whose vectors --------------------------------------------------------------------------

    def _source(self, rows: Vectors) -> tuple[Embedder | None, Made | None]:
        """Whoever has made the vectors of most records, the present embedder among equals."""
        covered = rows.coverage()
        if not covered:
            return None, None
        names = {number: one.embedder for number, one in covered.items()}
        present = self._embedder.name
        best = max(covered, key=lambda number: (covered[number].records, names[number] == present))
        embedder = self._embedder if names[best] == present else self._again(names[best])
        if embedder is None:  # better the few new vectors than none
            mine = [number for number in covered if names[number] == present]
            if not mine:
                return None, None
            embedder, best = self._embedder, mine[0]
        made = Made(best, names[best], covered[best].dimensions)
        expect(embedder, made.dimensions)
        return embedder, made

    def _again(self, name: str) -> Embedder | None:
        """The embedder of the old vectors. That there is none is said once."""
        with self._guard:
            if name not in self._remade:
                self._remade[name] = self._earlier(name)
                if self._remade[name] is None:
                    raise ModelUnavailable(
                        f"The vectors were made by {name}, which the settings no longer reach",
                        remedy="Words answer until the new vectors are there; see recollect jobs",
                    )
            return self._remade[name]

    # --- the query ------------------------------------------------------------------------------

    def _embed(self, embedder: Embedder, query: str, text: TextMatches | None) -> Floats:
        """Words that are rare in this memory say most about what is meant."""
        if text is None or not _sums_words(embedder):
            vector: Floats = embedder.embed([query], query=True)[0]
            return vector
        rarest = max(text.weights.values(), default=1.0)
        if has_dense_script(query) and _reads_han(embedder):
            words = embedder.words(query)
        else:
            words = _WORD.findall(query)
        return embedder.embed_words([(word, _weight(word, text, rarest)) for word in words])


_known_kinds: dict[type, tuple[bool, bool]] = {}


def _sums_words(embedder: Embedder) -> TypeGuard[WordEmbedder]:
    return _kinds(embedder)[0]


def _reads_han(embedder: Embedder) -> TypeGuard[HanEmbedder]:
    return _kinds(embedder)[1] and bool(getattr(embedder, "reads_han", False))


def _kinds(embedder: Embedder) -> tuple[bool, bool]:
    """Asked at every query, and a protocol takes its time to check."""
    kind = type(embedder)
    if kind not in _known_kinds:
        _known_kinds[kind] = isinstance(embedder, WordEmbedder), isinstance(embedder, HanEmbedder)
    return _known_kinds[kind]


def _weight(word: str, text: TextMatches, rarest: float) -> float:
    """The weight its term has in the text search; a word that no text has counts as the rarest.

    A Chinese word has several terms there: the mean of its pairs of characters.
    """
    terms = index_text(word).split()
    if has_dense_script(word):
        terms = list(dict.fromkeys(term for term in terms if len(term) == 2)) or terms
    else:
        terms = terms[:1]
    if not terms:
        return 0.0
    known = text.weights.get
    weights = (known(number_of(term), 0.0) or rarest * term_weight(term) for term in terms)
    return sum(weights) / len(terms)
