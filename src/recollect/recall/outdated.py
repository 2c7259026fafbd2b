"""Evidence for what is: without turns, and sentences of stories, that tell only what is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.language.story import without
from recollect.store.contract import Unit
from recollect.types import Hit


def holding(unit: Unit, hits: Sequence[Hit]) -> list[Hit]:
    """The hits of which something holds, in their order; stories in less where part is over."""
    turns = [hit.id for hit in hits if hit.type == "turn"]
    over = unit.memories.outdated(turns) if turns else frozenset()
    told = {hit.session for hit in hits if hit.type == "episode"}
    said = unit.memories.outdated_in(told) if told else {}
    kept = [hit for hit in hits if hit.id not in over]
    retold = {
        hit.id: without(hit.text, said[hit.session])
        for hit in kept
        if hit.type == "episode" and hit.session in said
    }
    return [
        replace(hit, text=retold[hit.id]) if hit.id in retold else hit
        for hit in kept
        if retold.get(hit.id) != ""
    ]
