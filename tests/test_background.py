"""Many turns at once: a batch is written in a thread while the next one is checked."""

from __future__ import annotations

import threading

import pytest

from mnemic.engine.mind import Mind
from mnemic.errors import InvalidInput, StoreError
from mnemic.record import recorder
from mnemic.types import NewTurn


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "BATCH", 3)


def turns(count: int) -> list[NewTurn]:
    return [NewTurn("s", "user", f"turn {number}") for number in range(count)]


def test_batches_are_written_in_their_order(mind: Mind) -> None:
    done = mind.record_many(turns(10))
    assert (done.added, done.known) == (10, 0)
    assert [turn.text for turn in mind.turns()] == [f"turn {number}" for number in range(10)]


def test_batches_before_a_refused_one_are_kept(mind: Mind) -> None:
    with pytest.raises(InvalidInput):
        mind.record_many([*turns(7), NewTurn("s", "user", "\ud800")])
    assert len(mind.turns()) == 6


def test_a_failed_write_is_heard_of_before_a_refusal(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> int:
        raise StoreError("disk full")

    monkeypatch.setattr(mind._services.recorder, "_write", fail)
    with pytest.raises(StoreError, match="disk full") as caught:
        mind.record_many([*turns(3), NewTurn("s", "user", "\ud800")])
    assert isinstance(caught.value.__context__, InvalidInput)


def test_where_no_thread_can_be_started_the_turns_are_written_all_the_same(mind: Mind) -> None:
    usual = threading.stack_size(1 << 46)  # more than any machine can give
    try:
        assert mind.record_many(turns(10)).added == 10
    finally:
        threading.stack_size(usual)
