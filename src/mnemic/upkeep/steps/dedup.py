"""Duplicates: near memories are clustered, and those that say the same are merged into one.

What is identical is merged whatever it was taken for. Of the rest a rule decides the plain cases; a
model, where there is one, decides the rest of a cluster, and only of clusters in which something is
new since the last run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from mnemic.late import np
from mnemic.providers.chat.base import ChatModel
from mnemic.rules.clusters import Pair, absorb, agree, components, identical, portions, strength
from mnemic.store.rows import NumberedMemory
from mnemic.types import Memory
from mnemic.upkeep.clusters import Floats, near_pairs
from mnemic.upkeep.model_calls import ask_for_same
from mnemic.upkeep.report import Change, Reason, short
from mnemic.upkeep.steps.decay import is_current
from mnemic.upkeep.work import PORTION, Step

_CLUSTER_MAX = 5  # memories judged in one call, as in document A §5.7: more and a model errs
PARTITION_MIN = 10  # smaller partitions are not merged, as in document D §7.3
_WORD_FOR_WORD = ("says the same word for word", "一字不差")


def dedup(step: Step) -> None:
    """Daily: over all memories of a kind in a project."""
    _merge_groups(step, lambda memory: "\x1f".join((memory.project, memory.kind)))


def merge(step: Step) -> None:
    """Weekly: within each partition that is large enough."""
    with step.store.read(step.space) as unit:
        partitions = set(unit.tiers.partitions(PARTITION_MIN))

    def group_of(memory: Memory) -> str | None:
        place = (memory.project, memory.topic)
        return "\x1f".join((*place, memory.kind)) if place in partitions else None

    _merge_groups(step, group_of)


def _merge_groups(step: Step, group_of: Callable[[Memory], str | None]) -> None:
    """Merge what is identical anywhere, then within each group; None means no group."""
    rows = current_memories(step)
    repeated = identical([row.memory for row in rows])
    word_for_word = [_merge(memory, first, _WORD_FOR_WORD) for memory, first in repeated]
    step.apply(word_for_word)
    merged = {change.subject for change in word_for_word}
    rows = [row for row in rows if row.memory.id not in merged]
    vectors = _vectors(step, rows)
    with step.store.read(step.space) as unit:
        since = unit.runs.last_done(step.name)
    groups: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        name = group_of(row.memory)
        if name is not None:
            groups.setdefault(name, []).append(place)
    for _, places in sorted(groups.items()):
        group = [rows[place].memory for place in places]
        _merge_group(step, group, None if vectors is None else vectors[places], since)


def _merge_group(
    step: Step, memories: Sequence[Memory], vectors: Floats | None, since: datetime | None
) -> None:
    fresh = {n for n, memory in enumerate(memories) if since is None or memory.created_at >= since}
    if len(memories) < 2 or not fresh:
        return
    model = None if step.dry_run else step.tools.model_of(step.space)
    distance, judged = step.settings.upkeep.cluster_distance, model is not None
    near = near_pairs(memories, vectors, distance, fresh, judged=judged)
    pairs = {(pair.one, pair.other): pair for pair in near}
    waiting: list[Change] = []
    for group in components(near):
        waiting += _merges(step, memories, group, pairs, model)
        if len(waiting) >= PORTION:
            step.apply(waiting)
            waiting = []
    step.apply(waiting)


def _merges(
    step: Step,
    memories: Sequence[Memory],
    group: Sequence[int],
    pairs: dict[tuple[int, int], Pair],
    model: ChatModel | None,
) -> Iterator[Change]:
    """The merges of a cluster that leave one of each statement."""
    by_rule = absorb(memories, group, pairs, step.settings.reconcile)
    for other, place in by_rule:
        likeness = pairs[min(place, other), max(place, other)].likeness
        why = (f"says the same, {likeness:.2f}", f"说的是同一件事（{likeness:.2f}）")
        yield _merge(memories[other], memories[place], why)
    merged = {other for other, _ in by_rule}
    rest = [place for place in group if place not in merged]
    if model is None or len(rest) < 2:
        return
    for portion in portions(memories, rest, pairs, _CLUSTER_MAX):
        candidates = [memories[place] for place in portion]
        for same in ask_for_same(model, candidates, step.settings.memory.language):
            survivor, *others = sorted((candidates[place] for place in same), key=strength)
            why = (f"says the same, by {model.name}", f"{model.name} 认为说的是同一件事")
            for memory in others:
                if agree(memory, survivor):
                    yield _merge(memory, survivor, why)


def _merge(memory: Memory, into: Memory, why: tuple[str, str]) -> Change:
    text = short(into.text)
    reason = Reason(f"{why[0]}: {text}", f"{why[1]}：{text}")
    return Change.of("merge", memory, reason, into.id)


def current_memories(step: Step) -> list[NumberedMemory]:
    """What holds now, but secrets."""
    rows: list[NumberedMemory] = []
    with step.store.read(step.space) as unit:
        while page := unit.tiers.walk(rows[-1].doc if rows else -1, 5 * PORTION):
            rows += page
    return [row for row in rows if row.memory.kind != "credential" and is_current(step, row.memory)]


def _vectors(step: Step, shelved: Sequence[NumberedMemory]) -> Floats | None:
    """The first passage of each memory; a row of zeros for one that has no vector yet."""
    embedder = step.tools.embedder
    if embedder is None:
        return None
    with step.store.read(step.space) as unit:
        number = unit.vectors.list_embedders().get(embedder.name)
        if number is None or not unit.vectors.dimensions(number):
            return None
        loaded = unit.vectors.load(number, "memory", None)
        width = unit.vectors.dimensions(number)
    rows = np.frombuffer(loaded.vectors, np.float32).reshape(len(loaded.docs), width)
    docs = np.array(loaded.docs, np.int64)
    numbers = np.array([row.doc for row in shelved], np.int64)
    if not len(docs):
        return None
    places = np.minimum(np.searchsorted(docs, numbers), len(docs) - 1)
    present = docs[places] == numbers
    vectors = np.zeros((len(shelved), width), np.float32)
    vectors[present] = rows[places[present]]
    return vectors
