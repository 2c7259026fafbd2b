"""Recurring jobs: registered once, overdue once, moved on by one worker only."""

from __future__ import annotations

from datetime import datetime

import pytest

from mnemic.store.contract import Store
from mnemic.store.rows import Scheduled
from mnemic.types import Job, constant
from tests.conftest import NOON
from tests.contract.rows import SPACE, after

DAILY = "0 3 * * *"


def register(store: Store, next_at: datetime = NOON, cron: str = DAILY, zone: str = "UTC") -> bool:
    return store.queue.schedule(SPACE, "age", cron, zone, next_at)


def advance(
    store: Store, due: Scheduled, now: datetime, *, run: bool = True, days: int = 1
) -> bool:
    return store.queue.advance(due, next_at=after(days=days), now=now, run=run)


def jobs(store: Store) -> list[Job]:
    with store.read(SPACE) as unit:
        return unit.tasks.list_unfinished(None, 10)


@pytest.fixture(autouse=True)
def space(store: Store) -> None:
    with store.write(SPACE) as unit:
        unit.ledger.open_session(constant("s"), constant(""), constant(""), NOON)


def test_a_space_that_does_not_exist_yet_has_no_schedule(store: Store) -> None:
    assert not store.queue.schedule("nobody", "age", DAILY, "UTC", NOON)
    assert store.queue.overdue(after(days=9)) == []
    assert store.spaces() == [SPACE], "asking does not make the space"


def test_a_registered_schedule_becomes_due(store: Store) -> None:
    assert register(store)
    assert store.queue.overdue(after(seconds=-1)) == []
    assert store.queue.overdue(NOON) == [Scheduled(SPACE, "age", DAILY, "UTC", NOON, None)]
    assert store.queue.next_due(after(hours=-1)) == NOON


def test_registering_again_keeps_its_place_so_overdue_stays_overdue(store: Store) -> None:
    register(store)
    assert register(store, after(days=5))
    assert [due.next_at for due in store.queue.overdue(after(days=1))] == [NOON]


@pytest.mark.parametrize(("cron", "zone"), [("0 4 * * *", "UTC"), (DAILY, "Asia/Shanghai")])
def test_a_changed_schedule_starts_anew(store: Store, cron: str, zone: str) -> None:
    register(store)
    assert register(store, after(days=5), cron, zone)
    assert store.queue.overdue(after(days=1)) == []
    assert [due.cron for due in store.queue.overdue(after(days=5))] == [cron]


def test_overdue_runs_once_however_often_it_was_missed(store: Store) -> None:
    register(store, after(days=-9))
    (due,) = store.queue.overdue(NOON)
    assert advance(store, due, NOON)
    assert store.queue.overdue(NOON) == []
    (job,) = jobs(store)
    assert (job.kind, job.run_at, job.max_attempts) == ("age", NOON, 3)
    (again,) = store.queue.overdue(after(days=1))
    assert again.last_at == NOON


def test_only_one_worker_moves_it_on(store: Store) -> None:
    register(store)
    (due,) = store.queue.overdue(NOON)
    (same,) = store.queue.overdue(NOON)
    assert advance(store, due, NOON)
    claimed = store.queue.claim("w", NOON, after(minutes=5))
    assert claimed is not None
    store.queue.finish(claimed, "w")
    assert not advance(store, same, NOON)
    assert jobs(store) == [], "the slower worker queued nothing"


def test_a_job_still_waiting_is_not_queued_twice(store: Store) -> None:
    register(store)
    (due,) = store.queue.overdue(NOON)
    advance(store, due, NOON)
    (due,) = store.queue.overdue(after(days=1))
    advance(store, due, after(days=1), days=2)
    assert len(jobs(store)) == 1


def test_after_a_clock_that_went_back_it_is_set_anew_without_running(store: Store) -> None:
    register(store, after(days=300))
    (due,) = store.queue.overdue(after(days=300))
    store.queue.advance(due, next_at=after(days=301), now=after(days=300), run=True)
    claimed = store.queue.claim("w", after(days=300), after(days=301))
    assert claimed is not None
    store.queue.finish(claimed, "w")
    (stuck,) = store.queue.overdue(NOON)
    assert stuck.next_at > NOON, "due in the far future"
    assert advance(store, stuck, NOON, run=stuck.next_at <= NOON)
    assert jobs(store) == []
    assert store.queue.overdue(NOON) == []
    assert [due.next_at for due in store.queue.overdue(after(days=1))] == [after(days=1)]
