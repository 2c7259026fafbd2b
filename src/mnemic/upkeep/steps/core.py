"""The core memories chosen anew, and the least valuable memories removed above the capacities."""

from __future__ import annotations

from itertools import chain

from mnemic.rules.kinds import profile_of
from mnemic.rules.tiers import PASSING, choose_core, least_valuable
from mnemic.types import Memory
from mnemic.upkeep.model_calls import ask_for_core
from mnemic.upkeep.report import Action, Change, Reason
from mnemic.upkeep.steps.decay import active_memories, is_current
from mnemic.upkeep.work import Step

MOST_INPUTS = 200  # memories considered for the core, as in document D §7.3
_LESS = Reason("others matter more now", "现在别的更重要")


def refresh_core(step: Step) -> None:
    """Tier 1: the best of the important memories, chosen by a model or by value."""
    settings, now = step.settings, step.now
    with step.store.read(step.space) as unit:
        if kinds := profile_of(settings):
            lines = unit.tiers.core_lines(
                least=0.0, now=now, limit=settings.capacity.core, kinds=kinds
            )
            inputs = unit.memories.by_id([line.id for line in lines])
        else:
            least = settings.upkeep.core_importance
            inputs = unit.tiers.core(least=least, now=now, limit=MOST_INPUTS)
        before = unit.tiers.core_ids()
        marked = {memory.id: memory for memory in unit.memories.by_id(sorted(before))}
    model = None if step.dry_run else step.tools.model_of(step.space)
    most = settings.capacity.core
    if model is not None and len(inputs) > most:
        inputs = ask_for_core(model, inputs, most, settings.memory.language)
    chosen = {memory.id: memory for memory in choose_core(inputs, settings.decay, now, most)}
    leaving = [memory for id_, memory in marked.items() if id_ not in chosen]
    entering = [memory for id_, memory in chosen.items() if id_ not in before]
    step.apply(
        [
            *(Change.of("leave_core", memory, _LESS) for memory in leaving),
            *(Change.of("core", memory, _why(memory)) for memory in entering),
        ]
    )


def enforce_capacity(step: Step) -> None:
    """Remove events beyond the target size, then the least valuable memories above the limits."""
    capacity = step.settings.capacity
    with step.store.read(step.space) as unit:
        counts = unit.tiers.counts(step.now)
        core = unit.tiers.core_ids()
    beyond_aim = counts.knowledge - capacity.knowledge
    beyond_total = counts.core + counts.knowledge - capacity.total if capacity.total else 0
    if beyond_aim <= 0 and beyond_total <= 0:
        return
    active = chain.from_iterable(active_memories(step))
    memories = [memory for memory in active if is_current(step, memory)]
    law, now = step.settings.decay, step.now
    passing = [memory for memory in memories if memory.kind in PASSING]
    excess = least_valuable(passing, beyond_aim, law, now, spared=core)
    excess_ids = {memory.id for memory in excess}
    limit = max(counts.knowledge - len(excess) - capacity.knowledge_max, beyond_total - len(excess))
    over = least_valuable(memories, limit, law, now, spared=core | excess_ids)
    most = min(capacity.knowledge_max, capacity.total or capacity.knowledge_max)
    step.apply(
        [
            *(_evict(step, memory, capacity.knowledge) for memory in excess),
            *(_evict(step, memory, most) for memory in over),
        ]
    )


def _evict(step: Step, memory: Memory, limit: int) -> Change:
    why = Reason(
        f"more than {limit} memories; of these it is worth least",
        f"记忆超过 {limit} 条，其中它的价值最低",
    )
    action: Action = "delete" if step.settings.capacity.overflow == "delete" else "archive"
    return Change.of(action, memory, why)


def _why(memory: Memory) -> Reason:
    weight, uses = f"{memory.importance:g}", memory.access_count
    return Reason(f"importance {weight}, used {uses} times", f"重要性 {weight}，用过 {uses} 次")
