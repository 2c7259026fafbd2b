"""What models say about a candidate, asked before the transaction that settles it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from recollect.errors import BudgetExhausted, ModelError
from recollect.index.segment import CHARACTER_WEIGHT
from recollect.learn.neighbours import NEIGHBOURS, NeighbourSearch, weighed_words
from recollect.providers.embedding.base import Embedder, WordEmbedder
from recollect.rules.likeness import apart
from recollect.settings.learning import ReconcileSettings
from recollect.store.contract import Store
from recollect.types import Candidate, Decision, Memory, MemoryStatus, SafeCandidate

_COMPARED: tuple[MemoryStatus, ...] = ("active", "pending", "rejected")


class Judge(Protocol):
    """Decides what a candidate means for its neighbours: a model. "same", "update" and "conflict"
    name the memory they are about.
    """

    def decide(self, candidate: Candidate, neighbours: Sequence[Memory]) -> Decision: ...


@dataclass(frozen=True, slots=True)
class Advice:
    """Likeness by vectors, and a judge's decision.

    ``seen`` is when each neighbour was last changed: the decision holds only while that is so.
    ``failure`` says why there are no vectors or no decision, where a model failed.
    """

    cosines: Mapping[str, float] = field(default_factory=dict)
    decision: Decision | None = None
    seen: Mapping[str, datetime] = field(default_factory=dict)
    failure: str = ""


class Adviser:
    """Asks an embedder and a judge, where there are any."""

    def __init__(
        self,
        store: Store,
        space: str,
        settings: ReconcileSettings,
        embedder: Embedder | None,
        judge: Judge | None,
    ) -> None:
        self._store = store
        self._space = space
        self._settings = settings
        self._embedder = embedder
        self._judge = judge

    def advise(self, candidate: SafeCandidate, now: datetime) -> Advice:
        """A model that fails leaves the rules to decide alone."""
        cosines, failure = self._cosines(candidate, now)
        if self._judge is None or candidate.withdraws:
            return Advice(cosines, failure=failure)
        with self._store.read(self._space) as unit:
            search = NeighbourSearch(unit, candidate, now, self._settings, cosines)
            neighbours = tuple(search.neighbours("active").by_id.values())
        if not neighbours:
            return Advice(cosines, failure=failure)
        seen: dict[str, datetime] = {memory.id: memory.updated_at for memory in neighbours}
        try:
            decision = self._judge.decide(candidate, neighbours)
        except (ModelError, BudgetExhausted) as error:
            return Advice(cosines, seen=seen, failure=str(error))
        return Advice(cosines, decision, seen, failure)

    def _cosines(self, candidate: Candidate, now: datetime) -> tuple[dict[str, float], str]:
        if self._embedder is None:
            return {}, ""
        with self._store.read(self._space) as unit:
            number = unit.vectors.known_embedders().get(self._embedder.name)
        if number is None:
            return {}, ""
        try:
            vector = self._embedder.embed([candidate.content])[0]
        except ModelError as error:
            return {}, str(error)
        if not vector.any():
            return {}, ""
        with self._store.read(self._space) as unit:
            nearest = [
                near
                for status in _COMPARED
                for near in unit.memories.nearest(
                    number, vector.tobytes(), status=status, now=now, limit=NEIGHBOURS
                )
            ]
        return {memory.id: self._likeness(candidate, memory, near) for memory, near in nearest}, ""

    def _likeness(self, candidate: Candidate, memory: Memory, cosine: float) -> float:
        """A sum of words hardly moves from Monday to Tuesday: where a telling word differs, it does
        not say that two statements are one.
        """
        if cosine <= self._settings.merge_cosine or not isinstance(self._embedder, WordEmbedder):
            return cosine
        mine, theirs = weighed_words(candidate.content), weighed_words(memory.content)
        differ = apart(mine, theirs, CHARACTER_WEIGHT)
        return self._settings.merge_cosine if differ else cosine
