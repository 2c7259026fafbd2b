"""The memories around a candidate: its slot, its opposite, what is near in words or meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from recollect.index.segment import query_terms
from recollect.rules.likeness import overlap, same_value
from recollect.rules.reconcile import Neighbours
from recollect.rules.slots import opposites
from recollect.settings.learning import ReconcileSettings
from recollect.store.contract import Unit
from recollect.store.rows import MemoryFilter, Scope
from recollect.types import Memory, MemoryStatus, SafeCandidate

NEIGHBOURS = 5  # existing memories that a candidate is compared with


@dataclass(frozen=True, slots=True)
class NeighbourSearch:
    """Searches around one candidate in one unit of work; ``cosines`` were computed before it."""

    unit: Unit
    candidate: SafeCandidate
    now: datetime
    settings: ReconcileSettings
    cosines: Mapping[str, float]

    def neighbours(self, status: MemoryStatus) -> Neighbours:
        """Memories of that status in the candidate's project."""
        if status != "active" and not self._any(status):
            return Neighbours(
                (), (), (), self._alike
            )  # most of the time nothing waits or was ignored
        slot = self._slot(self.candidate.predicate, status)
        opposed = [
            memory
            for predicate in opposites(self.candidate.predicate)
            for memory in self._slot(predicate, status)
            if same_value(self.candidate.value, memory.value)
        ]
        return Neighbours(slot, opposed, self._near(status), self._alike)

    def _any(self, status: MemoryStatus) -> bool:
        wanted = MemoryFilter(status=status, project=self.candidate.project, limit=1)
        return bool(self.unit.memories.find(wanted))

    def _slot(self, predicate: str, status: MemoryStatus) -> list[Memory]:
        return self.unit.memories.in_slot(
            self.candidate.subject,
            predicate,
            project=self.candidate.project,
            status=status,
            now=self.now,
        )

    def _near(self, status: MemoryStatus) -> list[Memory]:
        scope = Scope(("memory",), project=self.candidate.project, status=status, now=self.now)
        terms = query_terms(self.candidate.content)
        matches = self.unit.text.search(terms, scope, NEIGHBOURS).matches
        docs = [match.doc for match in matches]
        records = self.unit.text.records(docs)
        ids = dict.fromkeys([*(records[doc][1] for doc in docs), *self.cosines])
        by_id: dict[str, Memory] = {
            memory.id: memory for memory in self.unit.memories.by_id(list(ids))
        }
        return [by_id[id_] for id_ in ids if id_ in by_id and self._fits(by_id[id_], status)]

    def _fits(self, memory: Memory, status: MemoryStatus) -> bool:
        lasts = memory.expires_at is None or memory.expires_at > self.now
        return memory.status == status and memory.project == self.candidate.project and lasts

    def _alike(self, memory: Memory) -> bool:
        cosine = self.cosines.get(memory.id)
        if cosine is not None:
            return cosine > self.settings.merge_cosine
        mine, theirs = weighed_words(self.candidate.content), weighed_words(memory.content)
        return overlap(mine, theirs) >= self.settings.merge_overlap


def weighed_words(text: str) -> dict[str, float]:
    """The words of a text and how much each tells."""
    return {term.text: term.weight for term in query_terms(text)}
