"""What models say about a candidate, asked before the transaction that settles it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from mnemic.days import day_of
from mnemic.errors import BudgetExhausted, ModelError
from mnemic.index.segment import CHARACTER_WEIGHT, index_text, query_terms, term_weight
from mnemic.language.detection import language_of
from mnemic.language.extract.dates import NO_SLOT
from mnemic.language.fence import fence
from mnemic.language.secrets.finder import redact
from mnemic.prompts import prompt
from mnemic.providers.chat.base import ChatModel, Object, Schema, WrongShape
from mnemic.providers.chat.fields import choice_in, numbers_in
from mnemic.providers.embedding.base import Embedder
from mnemic.providers.reader.model import TrainedReader
from mnemic.rules.lifetimes import sooner
from mnemic.rules.likeness import apart, as_written, overlap, same_value
from mnemic.rules.reconcile import Neighbors
from mnemic.rules.slots import opposites, subject_of
from mnemic.settings import Settings
from mnemic.settings.learning import ReconcileSettings
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.store.rows import Scope
from mnemic.types import (
    EMPTY,
    Candidate,
    Decision,
    DecisionOutcome,
    Memory,
    MemoryStatus,
    SafeCandidate,
)

PURPOSE = "reconcile"
VERDICTS: tuple[DecisionOutcome, ...] = ("same", "update", "new", "conflict")
_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": list(VERDICTS)},
        "memory": {"type": "integer"},
    },
    "required": ["verdict", "memory"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Asks a model."""

    model: ChatModel
    settings: Settings

    def decide(self, candidate: Candidate, neighbors: Sequence[Memory]) -> Decision:
        zone = self.settings.schedule.zone
        existing = "\n".join(
            f"[{n}] ({day_of(memory.valid_from, zone)}) {redact(memory.text)}"
            for n, memory in enumerate(neighbors, 1)
        )
        language = language_of([candidate.text], self.settings.memory.language)
        answer = self.model.ask(
            f"{fence(redact(candidate.text), 'new')}\n\n{fence(existing, 'known')}",
            purpose=PURPOSE,
            schema=_SCHEMA,
            parse=lambda answer: _decision(answer, neighbors),
            system=prompt("judge", language),
        )
        return answer.value


def _decision(answer: Object, neighbors: Sequence[Memory]) -> Decision:
    verdict = choice_in(answer.get("verdict"), VERDICTS, '"verdict"')
    if verdict == "new":
        return Decision(verdict)
    numbers = [n for n in numbers_in(answer.get("memory")) if 1 <= n <= len(neighbors)]
    if len(numbers) != 1:
        raise WrongShape(f'"memory" has to be a number from 1 to {len(neighbors)}')
    return Decision(verdict, neighbors[numbers[0] - 1])


NEIGHBORS = 5  # existing memories that a candidate is compared with
# Other words for the same have at least this likeness; most statements about one subject have less.
_MEETING_OVERLAP = 0.15
_MEETING_COSINE = 0.7


@dataclass(frozen=True, slots=True)
class NeighborSearch:
    """Searches around one candidate in one unit of work; ``cosines`` were computed before it.

    ``strict``: only what is the same word for word is alike. ``by_value``: of a slot only the same
    answer counts. ``categories`` are kinds that count as one: another is another statement.
    """

    unit: Unit
    candidate: SafeCandidate
    now: datetime
    settings: ReconcileSettings
    cosines: Mapping[str, float]
    categories: Sequence[frozenset[str]] = ()
    strict: bool = False
    by_value: bool = False

    @classmethod
    def of(
        cls,
        unit: Unit,
        candidate: SafeCandidate,
        now: datetime,
        settings: Settings,
        cosines: Mapping[str, float],
    ) -> NeighborSearch:
        categories = settings.merge_categories
        return cls(unit, candidate, now, settings.reconcile, cosines, categories)

    def neighbors(self, status: MemoryStatus) -> Neighbors:
        """Memories of that status in the candidate's project."""
        if status != "active" and not self.unit.memories.any(status, self.candidate.project):
            # Most of the time nothing waits or was ignored.
            return Neighbors((), (), (), self._alike)
        slot = self._slot(self.candidate.predicate, status)
        opposed = [
            memory
            for predicate in opposites(self.candidate.predicate)
            for memory in self._slot(predicate, status)
            if same_value(self.candidate.value, memory.value)
        ]
        near = self._near(status)
        if self.categories and status == "active" and not self.candidate.withdraws:
            slot, opposed, near = map(self._of_category, (slot, opposed, near))
        return Neighbors(slot, opposed, near, self._alike)

    def _of_category(self, memories: Sequence[Memory]) -> list[Memory]:
        kind = self.candidate.kind
        kinds = next((kinds for kinds in self.categories if kind in kinds), {kind})
        return [memory for memory in memories if memory.kind in kinds]

    def _slot(self, predicate: str, status: MemoryStatus) -> list[Memory]:
        """What answers the same question in the same project and topic; without a slot, only what
        is the same answer.
        """
        memories = self.unit.memories.in_slot(
            self.candidate.subject,
            predicate,
            project=self.candidate.project,
            status=status,
            now=self.now,
            value=self.candidate.value if self.by_value or predicate == NO_SLOT else EMPTY,
        )
        return [memory for memory in memories if memory.topic == self.candidate.topic]

    def _near(self, status: MemoryStatus) -> list[Memory]:
        if self.strict:
            return self.unit.memories.find_alike(
                self.candidate.text, project=self.candidate.project, status=status, now=self.now
            )
        scope = Scope(("memory",), project=self.candidate.project, status=status, now=self.now)
        terms = query_terms(self.candidate.text)
        matches = self.unit.text.search(terms, scope, NEIGHBORS).matches
        records = self.unit.text.records([match.doc for match in matches])
        ids = dict.fromkeys([*(records[match.doc][1] for match in matches), *self.cosines])
        by_id: dict[str, Memory] = {
            memory.id: memory for memory in self.unit.memories.by_id(list(ids))
        }
        return [by_id[id_] for id_ in ids if id_ in by_id and self._fits(by_id[id_], status)]

    def _fits(self, memory: Memory, status: MemoryStatus) -> bool:
        ends = sooner(memory.expires_at, memory.valid_to)
        lasts = ends is None or ends > self.now
        return memory.status == status and memory.project == self.candidate.project and lasts

    def _alike(self, memory: Memory) -> bool:
        if self.strict:
            return as_written(self.candidate.text) == as_written(memory.text)
        cosine = self.cosines.get(memory.id)
        if cosine is not None:
            return cosine > self.settings.merge_cosine
        mine, theirs = weigh_words(self.candidate.text), weigh_words(memory.text)
        return overlap(mine, theirs) >= self.settings.merge_overlap


def weigh_words(text: str) -> dict[str, float]:
    """The words of a text and how much each tells."""
    return {term: term_weight(term) for term in index_text(text).split()}


def meeting(
    candidate: Candidate, existing: Neighbors, cosines: Mapping[str, float]
) -> tuple[Memory, ...]:
    """The memories that a candidate may repeat, replace or contradict: those of its slot, those it
    is opposed to, and those about the same that are much alike. A judge is asked of no others.
    """
    mine, about = _telling_words(candidate.text), subject_of(candidate.subject)

    def meets(memory: Memory) -> bool:
        theirs = subject_of(memory.subject)
        if about and theirs and about != theirs:
            return False
        return (
            same_value(candidate.value, memory.value)
            or cosines.get(memory.id, 0.0) >= _MEETING_COSINE
            or overlap(mine, _telling_words(memory.text)) >= _MEETING_OVERLAP
        )

    near = (memory for memory in existing.near if meets(memory))
    # All rules share a slot and have nothing else to do with each other.
    rule = candidate.kind == "rule"
    slot = (memory for memory in existing.slot if not rule or meets(memory))
    return tuple({memory.id: memory for memory in (*slot, *existing.opposed, *near)}.values())


def _telling_words(text: str) -> dict[str, float]:
    """Without the name of the owner, whom half of all statements are about."""
    return {
        word: weight for word, weight in weigh_words(text).items() if subject_of(word) != "user"
    }


_COMPARED: tuple[MemoryStatus, ...] = ("active", "pending", "rejected")


class Judge(Protocol):
    """Decides what a candidate means for its neighbors: a model. "same", "update" and "conflict"
    name the memory they are about.
    """

    def decide(self, candidate: Candidate, neighbors: Sequence[Memory]) -> Decision: ...


@dataclass(frozen=True, slots=True)
class Advice:
    """Likeness by vectors, and a judge's decision.

    ``seen`` is when each neighbor was last changed: the decision holds only while that is so.
    ``failure`` says why there are no vectors or no decision, where a model failed.
    """

    cosines: Mapping[str, float] = field(default_factory=dict)
    decision: Decision | None = None
    seen: Mapping[str, datetime] = field(default_factory=dict)
    failure: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Adviser:
    """Asks an embedder and a judge, where there are any."""

    space: Space
    embedder: Embedder | None
    judge: Judge | None

    def advise(self, candidate: SafeCandidate, now: datetime) -> Advice:
        """A model that fails leaves the rules to decide alone."""
        cosines, failure = self._cosines(candidate, now)
        if self.judge is None or candidate.withdraws:
            return Advice(cosines, failure=failure)
        with self.space.read() as unit:
            search = NeighborSearch.of(unit, candidate, now, self.space.settings, cosines)
            neighbors = meeting(candidate, search.neighbors("active"), cosines)
        if not neighbors or any(memory.text == candidate.text for memory in neighbors):
            return Advice(cosines, failure=failure)  # the rules see as much
        seen: dict[str, datetime] = {memory.id: memory.updated_at for memory in neighbors}
        try:
            decision = self.judge.decide(candidate, neighbors)
        except (ModelError, BudgetExhausted) as error:
            return Advice(cosines, seen=seen, failure=str(error))
        return Advice(cosines, decision, seen, failure)

    def _cosines(self, candidate: Candidate, now: datetime) -> tuple[dict[str, float], str]:
        if self.embedder is None:
            return {}, ""
        with self.space.read() as unit:
            number = unit.vectors.list_embedders().get(self.embedder.name)
        if number is None:
            return {}, ""
        try:
            vector = self.embedder.embed([candidate.text])[0]
        except ModelError as error:
            return {}, str(error)
        if not vector.any():
            return {}, ""
        with self.space.read() as unit:
            nearest = [
                near
                for status in _COMPARED
                for near in unit.memories.nearest(
                    number, vector.tobytes(), status=status, now=now, limit=NEIGHBORS
                )
            ]
        return {memory.id: self._likeness(candidate, memory, near) for memory, near in nearest}, ""

    def _likeness(self, candidate: Candidate, memory: Memory, cosine: float) -> float:
        """A vector hardly moves from Monday to Tuesday: where a telling word differs, it does not
        say that two statements are one.
        """
        most = self.space.settings.reconcile.merge_cosine
        if cosine <= most or not isinstance(self.embedder, TrainedReader):
            return cosine
        mine, theirs = weigh_words(candidate.text), weigh_words(memory.text)
        return most if apart(mine, theirs, CHARACTER_WEIGHT) else cosine
