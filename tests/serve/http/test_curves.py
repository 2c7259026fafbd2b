"""What a page draws: growth, decay, turns around a source, documents and their edits."""

from __future__ import annotations

from datetime import timedelta

import pytest

import mnemic
from mnemic import Mind, NewTurn
from mnemic.clock import ManualClock
from tests.conftest import NOON
from tests.serve.http.conftest import Running


def test_growth_counts_each_day(mind: Mind, clock: ManualClock) -> None:
    yesterday = NOON - timedelta(days=1)
    mind.record_many([NewTurn("s", "user", "tea", at=yesterday), NewTurn("s", "user", "milk")])
    mind.record(session="old", role="user", text="long ago", at=NOON - timedelta(days=99))
    mind.remember("likes tea", kind="preference")
    waiting = mnemic.Candidate("rule", "Always ask", confidence=0.9, trust="agent")
    assert mind.propose(waiting).outcome == "pending"
    days = mind.growth(days=3)
    assert [(one.day, one.turns, one.memories) for one in days] == [
        ((NOON - timedelta(days=2)).date(), 0, 0),
        (yesterday.date(), 1, 0),
        (NOON.date(), 1, 1),
    ]
    assert sum(one.turns for one in mind.growth(days=100)) == 3
    for wrong in (0, -1, 10**9):
        with pytest.raises(mnemic.InvalidInput):
            mind.growth(days=wrong)


def test_a_curve_ends_where_upkeep_would_archive(mind: Mind, clock: ManualClock) -> None:
    kept = mind.remember("tried the new cafe", kind="event", importance=0.8).memory
    assert kept is not None
    curve = mind.decay_curve(kept.id, days=30)
    assert curve.half_life is not None
    assert curve.points[0].at == kept.last_accessed_at
    assert curve.points[0].score == pytest.approx(0.8)
    assert curve.points[-1].at == NOON + timedelta(days=30)
    scores = [point.score for point in curve.points]
    assert scores == sorted(scores, reverse=True)
    half = NOON + curve.half_life
    halved = min(curve.points, key=lambda point: abs(point.at - half))
    assert halved.score == pytest.approx(0.4, abs=0.05)
    with pytest.raises(mnemic.NotFound):
        mind.decay_curve("nobody")


@pytest.mark.parametrize("step", [1, 7])
def test_the_turns_around_a_source(served: Running, step: int) -> None:
    """Also where the places of a conversation have gaps."""
    turns = [NewTurn("s", "user", f"line {n}", index=n * step) for n in range(40)]
    served.mind().record_many(turns)
    with served.http() as http:

        def around(index: int, **query: int) -> list[int]:
            answer = http.get(f"/v1/spaces/default/sessions/s/turns/{index}", params=query)
            return [turn["index"] for turn in answer.raise_for_status().json()]

        assert around(20 * step) == [n * step for n in range(18, 23)]
        assert around(0, around=1) == [0, step]
        assert around(39 * step, around=1) == [38 * step, 39 * step]
        assert around(5 * step, around=0) == [5 * step]
        assert http.get("/v1/spaces/default/sessions/s/turns/x").status_code == 422


def test_a_document_is_edited_over_http(served: Running) -> None:
    remote = served.mind()
    remote.remember("likes jasmine tea", kind="preference")
    remote.sync()
    (document,) = [one for one in remote.documents() if one.name == "MEMORY.md"]
    assert "jasmine tea" in document.text
    edited = document.text.replace("jasmine tea", "oolong tea")
    report = remote.write_document("MEMORY.md", edited, digest=document.digest)
    assert report.changed
    assert [memory.text for memory in remote.memories(text="tea")] == ["likes oolong tea"]
    with pytest.raises(mnemic.Conflict, match="changed meanwhile"):
        remote.write_document("MEMORY.md", "mine", digest=document.digest)
    for wrong in ("../memory.db", "nothing.md", ""):
        with pytest.raises(mnemic.MnemicError):
            remote.write_document(wrong, "x")
    remote.write_document("MEMORY.md", f"{edited}\n- The password is hunter2-Zx81qq\n")
    assert "hunter2" not in str(remote.documents())
