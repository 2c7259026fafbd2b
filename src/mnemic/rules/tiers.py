"""Tiers and priorities: which memories are core, and which are evicted first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from mnemic.rules.decay import class_of, fade
from mnemic.rules.reconcile import STEERING
from mnemic.rules.slots import slot_of
from mnemic.rules.support import is_untrusted
from mnemic.settings.upkeep import DecaySettings, LifetimeSettings, Priority
from mnemic.types import Kind, Memory

PASSING: tuple[Kind, ...] = ("event", "temp")  # of passing interest: evicted first


def priority_of(memory: Memory, lifetimes: LifetimeSettings) -> Priority:
    """The priority that a memory's life amounts to; what outlives a short term is long-term."""
    if memory.expires_at is None:
        return "permanent"
    life = memory.expires_at - memory.updated_at  # a repetition or a demotion sets both
    if lifetimes.transient is not None and life <= lifetimes.transient:
        return "transient"
    if lifetimes.long_term is not None and life < lifetimes.long_term:
        return "short_term"
    return "long_term"


def worth(memory: Memory, decay: DecaySettings, now: datetime) -> float:
    """The importance of a memory after decay."""
    return fade(memory.importance, now - memory.last_accessed_at, class_of(memory.kind, decay))


def fit_for_core(memory: Memory) -> bool:
    """Nothing secret, passing, or said by tools and outsiders alone."""
    lasting = memory.kind not in ("credential", "temp") and not memory.session
    return lasting and memory.status == "active" and not is_untrusted(memory.trust)


def is_profile(memory: Memory, kinds: Collection[Kind]) -> bool:
    """Whether a memory is core by its kind: what steers the agent only by the owner's word."""
    steers = memory.kind in STEERING or memory.origin == "proposal"
    allowed = memory.trust == "owner" or not steers
    return memory.kind in kinds and allowed and fit_for_core(memory)


def choose_core(
    candidates: Iterable[Memory], decay: DecaySettings, now: datetime, most: int
) -> list[Memory]:
    """The best candidates by decayed importance, then by use; one for each value of a slot."""
    ranked = sorted(
        (memory for memory in candidates if fit_for_core(memory)),
        key=lambda m: (-worth(m, decay, now), -m.access_count, -m.confirmations, m.id),
    )
    chosen: list[Memory] = []
    seen: set[tuple[str, str, str]] = set()
    for memory in ranked:
        if len(chosen) >= most:
            break
        slot = slot_of(memory.subject, memory.predicate)
        key = (slot, memory.value.casefold(), memory.project)
        if not (slot and memory.value and key in seen):
            seen.add(key)
            chosen.append(memory)
    return chosen


def least_valuable(
    memories: Sequence[Memory],
    count: int,
    decay: DecaySettings,
    now: datetime,
    *,
    spared: Collection[str] = (),
) -> list[Memory]:
    """Memories to evict when room runs out: the least worth, then the longest unused."""
    if count <= 0:
        return []
    at_risk = [memory for memory in memories if memory.id not in spared]
    at_risk.sort(key=lambda m: (worth(m, decay, now), max(m.last_accessed_at, m.updated_at), m.id))
    return at_risk[:count]
