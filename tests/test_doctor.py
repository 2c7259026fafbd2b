"""The doctor: everything that can be wrong is named with its remedy, and mended where it can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.types import Finding, constant
from tests.conftest import OpenMind, usual_target
from tests.inside import spoil

pytestmark = pytest.mark.feature("O4")


def failing(mind: Mind) -> dict[str, Finding]:
    return {finding.check: finding for finding in mind.doctor(deep=False) if not finding.ok}


def test_a_healthy_memory_is_checked_all_over(mind: Mind) -> None:
    mind.record(session="s", role="user", text="tea")
    mind.remember("likes tea", kind="preference")
    checks = {finding.check for finding in mind.doctor()}
    assert checks >= {
        "integrity", "schema", "versions", "queue", "dead jobs",
        "turns", "clock", "orphans", "vectors", "forgetting", "text index: turn",
    }  # fmt: skip
    assert failing(mind) == {}


@pytest.mark.sqlite_file("a server has a log and a disk of its own")
def test_a_file_has_a_disk_and_a_log(mind: Mind) -> None:
    assert {finding.check for finding in mind.doctor()} >= {"disk", "write-ahead log"}


def test_repair_mends_index_orphans_and_vectors(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind(embedding__provider="local")
    turn = mind.record(session="s", role="assistant", text="The puppy sleeps in the garden")
    mind.remember("has a puppy", kind="fact", sources=[turn.id])
    mind.drain()
    spoil(
        usual_target(tmp_path),
        "DELETE FROM text_terms",
        "DELETE FROM vectors WHERE doc IN (SELECT doc FROM turns)",
        "INSERT INTO memory_sources SELECT space, id, 'nothing' FROM memories",
    )
    found = failing(mind)
    assert set(found) == {"text index: turn", "text index: memory", "orphans"}
    assert all("--repair" in finding.remedy for finding in found.values())
    assert mind.repair() == 2
    mind.drain()
    assert failing(mind) == {}
    assert [hit.id for hit in mind.recall("puppy", of=["turn"])] == [turn.id]
    assert "vector" in mind.recall("dog", of=["turn"], min_score=0.0)[0].why.routes


def test_work_that_nobody_does_is_named(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(embedding__provider="local")
    mind.record(session="s", role="user", text="tea")
    assert failing(mind) == {}
    clock.advance(days=2)
    assert "mnemic worker" in failing(mind)["queue"].remedy
    mind.drain()
    assert "queue" not in failing(mind)


def test_a_clock_that_went_back_is_named(mind: Mind, clock: ManualClock) -> None:
    mind.record(session="s", role="user", text="tea")
    clock.advance(days=-30)
    assert "clock" in failing(mind)["clock"].remedy


def test_turns_that_nothing_was_learned_from_are_named(mind: Mind) -> None:
    turn = mind.record(session="s", role="user", text="tea")
    with mind._store.write(mind.space) as unit:
        unit.ledger.set_state([turn.id], "dead", constant("the model is gone"))
    assert "1 dead" in failing(mind)["turns"].detail
