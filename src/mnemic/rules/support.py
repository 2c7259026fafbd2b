"""Support of a memory: the claims made for it, folded in the order they came.

The same fold serves a repetition (one more claim) and a rollback (all claims but some).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from math import nextafter

from mnemic.late import dataclass
from mnemic.rules.lifetimes import longer
from mnemic.settings import Settings
from mnemic.types import TRUSTS, Memory, Trust

_RANKS = {trust: rank for rank, trust in enumerate(reversed(TRUSTS))}
REPEAT_GAIN = 0.05  # added to the confidence by a repetition
# The confidence that a source reaches unconfirmed: what an outsider says stays below
# `routing.write`, what a tool found above it.
MAX_CONFIDENCE: Mapping[Trust, float] = {"owner": 1.0, "agent": 0.95, "tool": 0.9, "external": 0.8}
_UNTRUSTED: tuple[Trust, ...] = ("tool", "external")


@dataclass(frozen=True, slots=True)
class Claim:
    """One time that somebody said it, or a person confirmed it."""

    importance: float
    confidence: float
    trust: Trust
    expires_at: datetime | None = None
    confirms: bool = False


@dataclass(frozen=True, slots=True)
class Scales:
    """The numbers of the fold: where tools and outsiders stop."""

    core_importance: float

    @classmethod
    def of(cls, settings: Settings) -> Scales:
        return cls(settings.upkeep.core_importance)

    def most(self, trust: Trust) -> float:
        """The confidence a source reaches by itself."""
        return MAX_CONFIDENCE[trust]

    def weight(self, importance: float, trust: Trust) -> float:
        """The importance a source gives by itself: what a tool teaches is kept, below the core."""
        below = nextafter(self.core_importance, 0.0)
        return min(importance, below) if trust == "tool" else importance


def rank(trust: Trust) -> int:
    """The owner above the agent, above tools, above the outside."""
    return _RANKS[trust]


def is_untrusted(trust: Trust) -> bool:
    """Whether it came from a tool or from outside."""
    return trust in _UNTRUSTED


def may_overrule(trust: Trust, existing: Trust) -> bool:
    """Tools and outsiders change nothing that a better source said."""
    return not is_untrusted(trust) or rank(trust) >= rank(existing)


def first(memory: Memory, claim: Claim, scales: Scales) -> Memory:
    """A memory as the first claim alone makes it."""
    return replace(
        memory,
        importance=scales.weight(claim.importance, claim.trust),
        confidence=min(claim.confidence, scales.most(claim.trust)),
        trust=claim.trust,
        confirmations=0,
        expires_at=claim.expires_at,
    )


def repeat(memory: Memory, claim: Claim, scales: Scales) -> Memory:
    """One more claim. A lesser source adds nothing but itself; only the owner lifts the trust."""
    if rank(claim.trust) < rank(memory.trust):
        return memory
    trust: Trust = "owner" if claim.trust == "owner" else memory.trust
    most = max(memory.confidence, scales.most(trust))
    gained = memory.confidence + REPEAT_GAIN
    if claim.confirms:
        gained = max(gained, claim.confidence)
    lifted = max(memory.importance, claim.importance)
    if is_untrusted(trust) and lifted >= scales.core_importance:
        lifted = memory.importance  # tools that repeat each other must not reach the core
    return replace(
        memory,
        importance=lifted,
        confidence=min(most, gained),
        trust=trust,
        confirmations=memory.confirmations + 1,
        expires_at=longer(memory.expires_at, claim.expires_at),
    )


def fold_claims(memory: Memory, claims: Iterable[Claim], scales: Scales) -> Memory:
    """A memory as all claims in their order make it; without any it stays as it is."""
    for number, claim in enumerate(claims):
        memory = (repeat if number else first)(memory, claim, scales)
    return memory
