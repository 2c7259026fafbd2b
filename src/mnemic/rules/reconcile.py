"""What a candidate means for existing memories: the same, an update, a conflict, or new; and which
side of a conflict holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from mnemic.late import dataclass
from mnemic.patterns import defer
from mnemic.rules.decay import fading
from mnemic.rules.likeness import may_agree, one_value, same_value, values_touch
from mnemic.rules.slots import has_one_answer, one_subject, predicate_of
from mnemic.rules.support import Claim, is_untrusted
from mnemic.settings import Settings
from mnemic.types import Candidate, Decision, Kind, Memory, Trust

# What steers the agent or describes its owner: only people put these in force.
_GUARDED: tuple[Kind, ...] = ("rule", "identity", "preference", "trait", "config", "credential")
# Of these only the owner puts one in force: they are orders to the agent, or say who it serves.
STEERING: tuple[Kind, ...] = ("rule", "identity", "trait")


def steering_reason(kind: Kind, trust: Trust) -> str:
    """Why a person is to be asked first, whichever way a statement comes; empty if nobody is."""
    return _explain_guard(kind, trust) if kind in STEERING and trust != "owner" else ""


def route(kind: Kind, claim: Claim, settings: Settings) -> Decision:
    """By confidence: "new" may be written, "pending" and "dropped" have a reason. What an outsider
    says of weight waits for a person; what a tool says is kept below the core (support.Scales).
    """
    least, core = settings.routing, settings.upkeep.core_importance
    if claim.confidence < least.pending:
        return Decision("dropped", reason=_below(claim.confidence, least.pending))
    if claim.trust in settings.trust.quarantine:
        return _wait(f"what comes from {claim.trust} sources is in quarantine")
    if is_untrusted(claim.trust) and kind in _GUARDED:
        return _wait(_explain_guard(kind, claim.trust))
    if claim.trust == "external" and claim.importance >= core:
        return _wait(f"important, from a source of trust {claim.trust}")
    if reason := steering_reason(kind, claim.trust):
        return _wait(reason)
    if claim.confidence < least.write:
        return _wait(_below(claim.confidence, least.write))
    return Decision("new")


def _explain_guard(kind: Kind, trust: Trust) -> str:
    return f"of kind {kind}, from a source of trust {trust}"


def _wait(reason: str) -> Decision:
    return Decision("pending", reason=reason)


def _below(confidence: float, least: float) -> str:
    return f"confidence {confidence:.2f} is below {least:.2f}"


_WORD = defer(r"[a-z0-9]{3,}|[\u4e00-\u9fff]{2}")
# Neither side of a conflict has more right: half for the newer, half for the one said more often.
# Of these each says something else, though it be of one value.
_PERSONAL = frozenset(
    "likes dislikes prefers allergy diet health employer school pet name from".split()
)
_RECENCY = 0.5
_CONFIRMATIONS = 0.5


@dataclass(frozen=True, slots=True)
class Neighbors:
    """The memories of one status around a candidate.

    ``slot`` answers the same question, ``opposed`` says the opposite of the same value, ``near`` is
    near in words or meaning. ``alike`` tells whether a memory is near enough to be one with it.
    """

    slot: Sequence[Memory]
    opposed: Sequence[Memory]
    near: Sequence[Memory]
    alike: Callable[[Memory], bool]

    @property
    def by_id(self) -> dict[str, Memory]:
        return {memory.id: memory for memory in (*self.slot, *self.opposed, *self.near)}

    def without(self, memory: Memory | None) -> Neighbors:
        """The others."""
        if memory is None:
            return self
        groups = (self.slot, self.opposed, self.near)
        slot, opposed, near = ([m for m in group if m.id != memory.id] for group in groups)
        return Neighbors(slot, opposed, near, self.alike)

    def pick(self, ids: Sequence[str]) -> list[Memory]:
        """Those of the memories that a decision names, in its order."""
        by_id = self.by_id if ids else {}
        return [by_id[id_] for id_ in ids]


def relate(candidate: Candidate, existing: Neighbors) -> Decision:
    """By the slot first, then by likeness. Only of "same" it names the memory."""
    repeated = next((m for m in existing.slot if _same_answer(candidate, m, existing)), None)
    if repeated is None:
        repeated = next((m for m in existing.near if _same_elsewhere(candidate, m, existing)), None)
    if repeated is not None:
        return Decision("same", repeated)
    slot = existing.slot if has_one_answer(candidate.predicate) else ()
    contradicted = tuple(dict.fromkeys(memory.id for memory in (*slot, *existing.opposed)))
    if candidate.is_update:
        meant = contradicted or tuple(m.id for m in _meant(candidate, existing.slot))
        return Decision("update", replaced=meant) if meant else Decision("new")
    return Decision("conflict", replaced=contradicted) if contradicted else Decision("new")


def to_withdraw(candidate: Candidate, existing: Neighbors) -> tuple[Memory, ...]:
    """What "no longer" ends: the value named, else the one answer, else what says the same."""
    near = [m for m in existing.near if one_subject(candidate.subject, m.subject)]
    if candidate.value:
        in_slot = [m for m in existing.slot if values_touch(candidate.value, m.value)]
        kin = [m for m in near if _is_kin(candidate, m) and same_value(candidate.value, m.value)]
        return tuple(dict.fromkeys((*in_slot, *kin)))
    single = len(existing.slot) == 1 or has_one_answer(candidate.predicate)
    return tuple(existing.slot if existing.slot and single else filter(existing.alike, near))


def _is_kin(candidate: Candidate, memory: Memory) -> bool:
    """Whether two predicates may be words for one thing, as far as the engine knows them."""
    predicates = (predicate_of(candidate.predicate), predicate_of(memory.predicate))
    return _PERSONAL.isdisjoint(predicates) or predicates[0] == predicates[1]


def says_same(candidate: Candidate, memory: Memory, existing: Neighbors) -> bool:
    """Whether a memory of any status is this statement, in its slot or in other words."""
    in_slot = any(member.id == memory.id for member in existing.slot)
    same = _same_answer if in_slot else _same_elsewhere
    return same(candidate, memory, existing)


def _same_answer(candidate: Candidate, memory: Memory, existing: Neighbors) -> bool:
    if candidate.value and memory.value:
        return same_value(candidate.value, memory.value)
    return _alike(candidate, memory, existing)


def _same_elsewhere(candidate: Candidate, memory: Memory, existing: Neighbors) -> bool:
    """Outside the slot nothing named may differ: not the subject, not the value."""
    opposed = any(memory.id == other.id for other in existing.opposed)
    same_subject = one_subject(candidate.subject, memory.subject)
    named_alike = same_subject and one_value(candidate.value, memory.value)
    return not opposed and named_alike and _alike(candidate, memory, existing)


def _alike(candidate: Candidate, memory: Memory, existing: Neighbors) -> bool:
    return may_agree(candidate.text, memory.text) and existing.alike(memory)


def _meant(candidate: Candidate, slot: Sequence[Memory]) -> tuple[Memory, ...]:
    """Which of several answers an update is about: the only one, those of the same sort, or the one
    whose words are most like it ("the staging database", "my mobile").
    """
    if len(slot) == 1:
        return (slot[0],)
    of_a_sort = tuple(m for m in slot if values_touch(candidate.value, m.value))
    if of_a_sort:
        return of_a_sort
    shared = [len(_words(candidate.text) & _words(memory.text)) for memory in slot]
    most = max(shared, default=0)
    return (slot[shared.index(most)],) if most and shared.count(most) == 1 else ()


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


# --- conflicts: the newer statement holds, or the one confirmed more often ------------------------


class Side(NamedTuple):
    """When a side was last said, and how often it was said in all."""

    said_at: datetime
    times: int


class Contest(NamedTuple):
    """The scores of both sides."""

    existing: float
    new: float

    @property
    def new_wins(self) -> bool:
        """Among equals the later statement holds."""
        return self.new >= self.existing


def contest(existing: Side, new: Side, settings: Settings) -> Contest:
    """Recency fades from the newer side; confirmations are shares of all that was said."""
    latest, total = max(existing.said_at, new.said_at), max(existing.times + new.times, 1)
    half_life = settings.ranking.recency_half_life

    def score(side: Side) -> float:
        fresh = fading(latest - side.said_at, half_life)
        return _RECENCY * fresh + _CONFIRMATIONS * side.times / total

    return Contest(score(existing), score(new))
