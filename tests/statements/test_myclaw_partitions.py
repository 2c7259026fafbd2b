"""myclaw: in a partition of more than 500 entries, vectors choose what importance cannot."""

from __future__ import annotations

import pytest

from tests.conftest import OpenMind
from tests.planting import plant, plant_many
from tests.providers.scripted import Scripted
from tests.remote import meaning, remote, server

__all__ = ["server"]
VECTORS = {"渔夫": (1.0, 0.0, 0.0), "船": (0.9, 0.1, 0.0), "账单": (0.0, 1.0, 0.0)}


@pytest.mark.statement("D67")
def test_vectors_choose_inside_large_partitions_only(open_mind: OpenMind, server: Scripted) -> None:
    server.always(meaning(VECTORS))
    asked = "那个渔夫在 shop 说过什么？"
    for count in (480, 520):
        mind = open_mind(preset="myclaw")
        more = range(len(mind.memories(limit=1_000)), count)
        place = {"kind": "decision", "project": "shop"}
        plant_many(mind, [f"账单 {n} 已付" for n in more], importance=0.9, **place)
        if count < 500:
            plant(mind, "船要修", importance=0.4, **place)
        mind.close()
        mind = open_mind(preset="myclaw", **remote(server, batch=600))
        mind.drain()
        hits = [hit.text for hit in mind.recall(asked)]
        assert ("船要修" in hits) is (count > 500), "importance chooses where it can"
        mind.close()
