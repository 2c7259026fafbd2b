"""The durable queue: queued once, claimed in order, run one at a time, retried, redriven."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest

from mnemic.store.contract import Store
from mnemic.types import Job, JobState, constant
from tests.conftest import NOON
from tests.contract.rows import SPACE, after

LEASE = timedelta(minutes=5)


def enqueue(
    store: Store,
    key: str = "k",
    *,
    kind: str = "work",
    run_at: datetime = NOON,
    now: datetime = NOON,
    space: str = SPACE,
    payload: str = "",
) -> None:
    with store.write(space) as unit:
        unit.tasks.enqueue(
            kind,
            {constant(key): {"p": constant(payload or key)}},
            run_at=run_at,
            now=now,
            max_attempts=3,
        )


def claim(store: Store, now: datetime = NOON, owner: str = "w") -> Job:
    job = maybe_claim(store, now, owner)
    assert job is not None
    return job


def maybe_claim(store: Store, now: datetime = NOON, owner: str = "w") -> Job | None:
    return store.queue.claim(owner, now, now + LEASE)


def jobs(store: Store, state: JobState | None = None, space: str = SPACE) -> list[Job]:
    with store.read(space) as unit:
        return unit.tasks.list_unfinished(state, 100)


def bury(store: Store, key: str = "k", now: datetime = NOON) -> Job:
    enqueue(store, key, run_at=now, now=now)
    job = claim(store, now)
    store.queue.bury(job, "w", now=now, error=constant("broke"))
    return job


class TestEnqueue:
    def test_a_job_waits_with_all_it_was_given(self, store: Store) -> None:
        enqueue(store, "键", run_at=after(minutes=3))
        (job,) = jobs(store)
        assert (job.space, job.kind, job.key, job.payload) == (SPACE, "work", "键", {"p": "键"})
        assert (job.state, job.attempts, job.max_attempts) == ("ready", 0, 3)
        assert (job.run_at, job.created_at) == (after(minutes=3), NOON)
        assert (job.lease_until, job.error) == (None, "")

    def test_duplicates_collapse_on_kind_and_key(self, store: Store) -> None:
        for key in ("a", "b", "a"):
            enqueue(store, key)
        enqueue(store, "a", kind="other")
        assert sorted((job.kind, job.key) for job in jobs(store)) == [
            ("other", "a"),
            ("work", "a"),
            ("work", "b"),
        ]

    @pytest.mark.parametrize(("second", "expected"), [(5, 3), (3, 3), (1, 1)])
    def test_one_that_waits_stands_for_both_at_the_earlier_time(
        self, store: Store, second: int, expected: int
    ) -> None:
        enqueue(store, run_at=after(minutes=3))
        (first,) = jobs(store)
        enqueue(store, run_at=after(minutes=second), now=after(seconds=1))
        (job,) = jobs(store)
        assert (job.id, job.run_at) == (first.id, after(minutes=expected))

    def test_many_are_queued_as_each_would_be(self, store: Store) -> None:
        enqueue(store, "b", run_at=after(minutes=3))
        enqueue(store, "c", run_at=after(minutes=1))
        (soon, late) = jobs(store)
        payloads = {constant(key): {"p": constant(f"{key}\0'")} for key in ("a", "b", "c", "d")}
        with store.write(SPACE) as unit:
            unit.tasks.enqueue(
                "work", payloads, run_at=after(minutes=2), now=after(seconds=1), max_attempts=5
            )
            unit.tasks.enqueue("work", {}, run_at=NOON, now=NOON, max_attempts=5)
        found: dict[str, Job] = {job.key: job for job in jobs(store)}
        assert {key: job.run_at for key, job in found.items()} == {
            "a": after(minutes=2), "b": after(minutes=2), "c": after(minutes=1),
            "d": after(minutes=2),
        }  # fmt: skip
        assert (found["b"].id, found["c"].id) == (late.id, soon.id)
        assert (found["a"].payload, found["a"].max_attempts) == ({"p": "a\0'"}, 5)
        assert [job.key for job in jobs(store) if job.run_at == after(minutes=2)] == ["b", "a", "d"]

    def test_one_that_failed_and_waits_is_not_hurried(self, store: Store) -> None:
        enqueue(store)
        store.queue.retry(
            claim(store), "w", run_at=after(hours=1), now=NOON, error=constant("broke")
        )
        enqueue(store, now=after(minutes=1), run_at=after(minutes=1))
        (job,) = jobs(store)
        assert (job.run_at, job.attempts, job.error) == (after(hours=1), 1, "broke")

    def test_a_running_job_does_not_keep_its_successor_out(self, store: Store) -> None:
        enqueue(store)
        running = claim(store)
        enqueue(store, now=after(seconds=1), run_at=after(seconds=1))
        assert [job.state for job in jobs(store)] == ["running", "ready"]
        assert [job.id for job in jobs(store, "running")] == [running.id]


class TestClaim:
    def test_nothing_due_is_none(self, store: Store) -> None:
        assert maybe_claim(store) is None
        enqueue(store, run_at=after(minutes=1))
        assert maybe_claim(store, after(seconds=59)) is None
        assert claim(store, after(minutes=1)).key == "k"

    def test_the_longest_due_comes_first(self, store: Store) -> None:
        for key, minutes in (("c", 3), ("a", 1), ("b", 2)):
            enqueue(store, key, run_at=after(minutes=minutes))
        assert [claim(store, after(hours=1)).key for _ in range(3)] == ["a", "b", "c"]
        assert maybe_claim(store, after(hours=1)) is None

    def test_equal_times_come_in_the_order_of_queueing(self, store: Store) -> None:
        names = [f"k{number:02}" for number in range(20)]
        for name in names:
            enqueue(store, name)
        assert [claim(store).key for _ in names] == names

    def test_a_claimed_job_is_leased_and_counted(self, store: Store) -> None:
        enqueue(store)
        job = claim(store)
        assert (job.state, job.attempts, job.lease_until) == ("running", 1, NOON + LEASE)
        assert jobs(store) == [job]
        assert store.queue.running(NOON) == 1
        assert store.queue.running(NOON + LEASE) == 0

    def test_claims_reach_over_all_spaces(self, store: Store) -> None:
        enqueue(store, space="a")
        enqueue(store, space="b")
        assert sorted(claim(store).space for _ in range(2)) == ["a", "b"]

    def test_one_key_never_runs_twice_at_once(self, store: Store) -> None:
        enqueue(store)
        first = claim(store)
        enqueue(store)
        assert maybe_claim(store, owner="other") is None
        enqueue(store, "another key")
        enqueue(store, kind="another kind")
        enqueue(store, space="another space")
        assert len([job for job in (maybe_claim(store) for _ in range(4)) if job]) == 3
        store.queue.finish(first, "w")
        assert claim(store).key == "k"

    def test_a_lapsed_lease_is_taken_over(self, store: Store) -> None:
        enqueue(store)
        first = claim(store, owner="dead")
        assert maybe_claim(store, NOON + LEASE - timedelta(seconds=1)) is None
        again = claim(store, NOON + LEASE)
        assert (again.id, again.attempts) == (first.id, 2)
        store.queue.finish(first, "dead")
        assert [job.id for job in jobs(store)] == [first.id], "the late one settles nothing"
        store.queue.retry(first, "dead", run_at=NOON, now=NOON, error=constant("late"))
        store.queue.bury(first, "dead", now=NOON, error=constant("late"))
        assert jobs(store, "running") == [again]
        with store.read(SPACE) as unit:
            assert unit.journal.events() == []
        store.queue.finish(again, "w")
        assert jobs(store) == []

    def test_a_lapsed_job_and_its_successor_run_one_after_the_other(self, store: Store) -> None:
        enqueue(store)
        claim(store, owner="dead")
        enqueue(store)
        late = NOON + LEASE
        first = claim(store, late)
        assert maybe_claim(store, late) is None
        store.queue.finish(first, "w")
        second = claim(store, late)
        assert second.id != first.id
        store.queue.finish(second, "w")
        assert jobs(store) == []

    def test_threads_share_the_work_without_overlap(self, store: Store) -> None:
        names = [f"k{number}" for number in range(40)]
        for name in names:
            enqueue(store, name)
        taken: list[str] = []

        def work(owner: str) -> None:
            while job := maybe_claim(store, owner=owner):
                taken.append(job.id)
                store.queue.finish(job, owner)

        threads = [threading.Thread(target=work, args=(str(n),)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(taken) == len(set(taken)) == len(names)
        assert jobs(store) == []


class TestClockGoingBack:
    def test_what_was_queued_in_the_future_is_due(self, store: Store) -> None:
        enqueue(store, now=after(days=1), run_at=after(days=1))
        assert claim(store).key == "k"

    def test_what_is_meant_for_later_still_waits(self, store: Store) -> None:
        enqueue(store, now=NOON, run_at=after(minutes=3))
        assert maybe_claim(store, after(minutes=1)) is None

    def test_a_lease_from_the_future_has_lapsed(self, store: Store) -> None:
        enqueue(store, now=after(days=1), run_at=after(days=1))
        first = claim(store, after(days=1))
        assert claim(store).id == first.id

    def test_a_successor_does_not_run_beside_a_lease_from_the_future(self, store: Store) -> None:
        enqueue(store, now=after(days=1), run_at=after(days=1))
        claim(store, after(days=1))
        enqueue(store)
        first = claim(store)
        assert maybe_claim(store) is None
        store.queue.finish(first, "w")
        second = claim(store)
        assert second.id != first.id


class TestRetry:
    def test_it_waits_and_runs_again(self, store: Store) -> None:
        enqueue(store)
        job = claim(store)
        store.queue.retry(job, "w", run_at=after(seconds=30), now=NOON, error=constant("坏了"))
        (waiting,) = jobs(store)
        assert (waiting.state, waiting.error, waiting.lease_until) == ("ready", "坏了", None)
        assert waiting.run_at == after(seconds=30)
        assert maybe_claim(store, after(seconds=29)) is None
        assert claim(store, after(seconds=30)).attempts == 2
        with store.read(SPACE) as unit:
            (event,) = unit.journal.events()
        assert (event.type, event.payload["error"]) == ("retry", "坏了")

    def test_a_waiting_successor_stands_for_both(self, store: Store) -> None:
        enqueue(store, payload="old")
        job = claim(store)
        enqueue(store, payload="new")
        store.queue.retry(job, "w", run_at=after(seconds=30), now=NOON, error=constant("broke"))
        (left,) = jobs(store)
        assert (left.state, left.payload) == ("ready", {"p": "new"})


class TestDead:
    def test_a_buried_job_stays_with_its_error(self, store: Store) -> None:
        job = bury(store)
        (dead,) = jobs(store, "dead")
        assert (dead.id, dead.error, dead.attempts) == (job.id, "broke", 1)
        with store.read(SPACE) as unit:
            (event,) = unit.journal.events()
        assert (event.type, event.payload["error"]) == ("dead", "broke")
        assert maybe_claim(store, after(days=99)) is None
        assert store.queue.next_due(NOON) is None

    def test_redrive_gives_a_fresh_start(self, store: Store) -> None:
        bury(store, "a")
        bury(store, "b")
        with store.write(SPACE) as unit:
            assert unit.tasks.redrive(None, after(hours=1)) == 2
            assert unit.tasks.redrive(None, after(hours=1)) == 0
        ready = jobs(store, "ready")
        assert sorted(job.key for job in ready) == ["a", "b"]
        assert {(job.attempts, job.run_at) for job in ready} == {(0, after(hours=1))}
        assert claim(store, after(hours=1)).attempts == 1

    def test_redrive_of_chosen_ones(self, store: Store) -> None:
        one, two = bury(store, "a"), bury(store, "b")
        with store.write(SPACE) as unit:
            assert unit.tasks.redrive([one.id, "nobody"], NOON) == 1
        assert [job.id for job in jobs(store, "ready")] == [one.id]
        assert [job.id for job in jobs(store, "dead")] == [two.id]

    def test_redrive_of_none_is_none(self, store: Store) -> None:
        bury(store)
        with store.write(SPACE) as unit:
            assert unit.tasks.redrive([], NOON) == 0
        assert len(jobs(store, "dead")) == 1

    def test_a_waiting_twin_takes_the_place_of_the_dead(self, store: Store) -> None:
        bury(store)
        enqueue(store, payload="twin")
        with store.write(SPACE) as unit:
            assert unit.tasks.redrive(None, NOON) == 1
        (left,) = jobs(store)
        assert (left.state, left.payload) == ("ready", {"p": "twin"})

    def test_dead_twins_come_back_as_one(self, store: Store) -> None:
        bury(store)
        newest = bury(store, now=after(minutes=1))
        bury(store, "other")
        with store.write(SPACE) as unit:
            assert unit.tasks.redrive(None, after(hours=1)) == 3
        assert {job.id for job in jobs(store)} >= {newest.id}
        assert sorted(job.key for job in jobs(store, "ready")) == ["k", "other"]

    def test_a_chosen_dead_job_runs_even_if_a_newer_twin_stays_dead(self, store: Store) -> None:
        oldest = bury(store)
        newest = bury(store, now=after(minutes=1))
        with store.write(SPACE) as unit:
            assert unit.tasks.redrive([oldest.id], after(hours=1)) == 1
        assert [job.id for job in jobs(store, "ready")] == [oldest.id]
        assert [job.id for job in jobs(store, "dead")] == [newest.id]

    def test_redrive_beside_a_running_twin_waits_for_it(self, store: Store) -> None:
        bury(store)
        enqueue(store)
        running = claim(store)
        with store.write(SPACE) as unit:
            assert unit.tasks.redrive(None, NOON) == 1
        assert maybe_claim(store) is None
        store.queue.finish(running, "w")
        assert claim(store).id != running.id

    def test_discard_removes_only_the_dead(self, store: Store) -> None:
        dead = bury(store)
        enqueue(store, "waiting")
        waiting = jobs(store, "ready")[0]
        with store.write(SPACE) as unit:
            assert unit.tasks.discard([dead.id, waiting.id, "nobody"]) == 1
            assert unit.tasks.discard([]) == 0
        assert jobs(store) == [waiting]

    def test_one_space_cannot_touch_the_dead_of_another(self, store: Store) -> None:
        job = bury(store)
        with store.write("other") as unit:
            assert unit.tasks.redrive(None, NOON) == 0
            assert unit.tasks.redrive([job.id], NOON) == 0
            assert unit.tasks.discard([job.id]) == 0
            assert unit.tasks.list_unfinished(None, 10) == []
        assert [j.id for j in jobs(store, "dead")] == [job.id]


class TestLooking:
    def test_unfinished_by_state_soonest_first(self, store: Store) -> None:
        bury(store, "dead")
        enqueue(store, "late", run_at=after(hours=2))
        enqueue(store, "soon", run_at=after(hours=1))
        enqueue(store, "running")
        claim(store)
        assert [job.key for job in jobs(store)] == ["dead", "running", "soon", "late"]
        assert [job.key for job in jobs(store, "ready")] == ["soon", "late"]
        assert [job.key for job in jobs(store, "running")] == ["running"]
        with store.read(SPACE) as unit:
            assert len(unit.tasks.list_unfinished(None, 2)) == 2

    def test_the_next_due_moment(self, store: Store) -> None:
        assert store.queue.next_due(NOON) is None
        enqueue(store, run_at=after(minutes=7))
        assert store.queue.next_due(NOON) == after(minutes=7)
        assert store.queue.next_due(after(hours=1)) == after(hours=1), "overdue is now"
        claim(store, after(minutes=7))
        assert store.queue.next_due(NOON) == after(minutes=7) + LEASE
