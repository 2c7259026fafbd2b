"""What is found out about a candidate before the transaction that settles it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from recollect.errors import BudgetExhausted, ModelError
from recollect.index.segment import CHARACTER_WEIGHT
from recollect.learn.neighbours import NEIGHBOURS, Surroundings, weighed_words
from recollect.providers.embedding.base import Embedder, WordEmbedder
from recollect.rules.likeness import apart
from recollect.rules.reconcile import Verdict
from recollect.settings.learning import ReconcileSettings
from recollect.store.base import Store
from recollect.types import Candidate, Memory, MemoryStatus, Statement

_COMPARED: tuple[MemoryStatus, ...] = ("active", "pending", "rejected")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict about a candidate; ``memory`` is the id of the one it is about, unless new."""

    verdict: Verdict
    memory: str = ""


class Judge(Protocol):
    """Somebody who can tell what a candidate means for its neighbours: a model."""

    def decide(self, candidate: Candidate, neighbours: Sequence[Memory]) -> Judgement: ...


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was found out before the transaction: likeness by vectors, and a judgement.

    ``seen`` is when each neighbour was last changed: a judgement holds only while that is so.
    ``failure`` says why there are no vectors or no judgement, where a model failed.
    """

    cosines: Mapping[str, float] = field(default_factory=dict)
    judgement: Judgement | None = None
    seen: Mapping[str, datetime] = field(default_factory=dict)
    failure: str = ""


class Preparing:
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

    def prepare(self, candidate: Statement, now: datetime) -> Prepared:
        """Ask models what they can tell; one that fails leaves the rules to decide alone."""
        cosines, failure = self._cosines(candidate, now)
        if self._judge is None or candidate.withdraws:
            return Prepared(cosines, failure=failure)
        with self._store.read(self._space) as unit:
            known = Surroundings(unit, candidate, now, self._settings, cosines).known("active")
        neighbours = tuple({m.id: m for m in (*known.slot, *known.opposed, *known.near)}.values())
        seen: dict[str, datetime] = {memory.id: memory.updated_at for memory in neighbours}
        if not neighbours:
            return Prepared(cosines, failure=failure)
        try:
            judgement = self._judge.decide(candidate, neighbours)
        except (ModelError, BudgetExhausted) as error:
            return Prepared(cosines, seen=seen, failure=str(error))
        return Prepared(cosines, judgement, seen, failure)

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
            found = [
                near
                for status in _COMPARED
                for near in unit.memories.nearest(
                    number, vector.tobytes(), status=status, now=now, limit=NEIGHBOURS
                )
            ]
        return {memory.id: self._likeness(candidate, memory, near) for memory, near in found}, ""

    def _likeness(self, candidate: Candidate, memory: Memory, cosine: float) -> float:
        """A sum of words hardly moves from Monday to Tuesday: where a telling word differs, it does
        not say that two statements are one.
        """
        if cosine <= self._settings.merge_cosine or not isinstance(self._embedder, WordEmbedder):
            return cosine
        mine, theirs = weighed_words(candidate.content), weighed_words(memory.content)
        differ = apart(mine, theirs, CHARACTER_WEIGHT)
        return self._settings.merge_cosine if differ else cosine
