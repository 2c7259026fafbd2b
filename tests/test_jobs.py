"""Background work through the mind: it happens, it is retried, it is never lost or hidden."""

from __future__ import annotations

import shutil
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Mind, NewTurn
from mnemic.clock import ManualClock
from mnemic.jobs.worker import Pace, Worker, next_run
from mnemic.rules.backoff import Backoff
from mnemic.types import Drained, Job, constant
from tests.conftest import NOON, OpenMind
from tests.waiting import wait_for


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    """With a JSONL copy of every turn: work that needs a folder, which a test can take away."""
    return open_mind(preset="openakita")


@pytest.fixture
def blocked(tmp_path: Path) -> Path:
    """Something that is not a folder where the JSONL folder should be."""
    path = tmp_path / "conversation_history"
    shutil.rmtree(path, ignore_errors=True)  # claimed when the memory was opened
    path.write_text("in the way")
    return path


def say(mind: Mind, content: str = "tea", session: str = "s") -> None:
    mind.record(session=session, role="user", text=content)


def test_a_drain_runs_what_is_due_and_nothing_else(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(preset="myclaw")
    assert mind.drain() == Drained(0, 0, 0)
    say(mind)
    assert sorted(job.kind for job in mind.jobs()) == ["digest", "extract"]
    assert mind.drain() == Drained(0, 0, 0), "the conversation is not quiet yet"
    clock.advance(minutes=3)
    assert mind.drain() == Drained(done=2, retried=0, dead=0)
    assert mind.jobs() == []


def test_recording_queues_in_the_same_transaction(mind: Mind) -> None:
    say(mind, session="a")
    say(mind, session="a")
    say(mind, session="b")
    assert sorted((job.kind, job.key) for job in mind.jobs()) == [
        ("transcript", "a"),
        ("transcript", "b"),
    ]
    with pytest.raises(mnemic.Conflict):
        mind.record_many([NewTurn("c", "user", "x", index=0), NewTurn("c", "user", "y", index=0)])
    assert len(mind.jobs()) == 2, "what was not written needs no work"


def test_a_failure_is_retried_with_growing_waits_then_dead(
    mind: Mind, clock: ManualClock, blocked: Path
) -> None:
    say(mind)
    assert mind.drain() == Drained(done=0, retried=1, dead=0)
    (job,) = mind.jobs()
    assert (job.state, job.attempts, job.max_attempts) == ("ready", 1, 3)
    assert job.run_at == NOON + timedelta(seconds=30)
    assert "conversation_history" in job.error
    assert mind.drain() == Drained(0, 0, 0)
    clock.advance(seconds=30)
    assert mind.drain().retried == 1
    assert mind.jobs()[0].run_at == clock.now() + timedelta(seconds=60)
    clock.advance(seconds=60)
    assert mind.drain() == Drained(done=0, retried=0, dead=1)
    (dead,) = mind.jobs(state="dead")
    assert "conversation_history" in dead.error
    assert mind.stats().jobs_dead == 1
    assert [event.type for event in mind.events()] == ["dead", "retry", "retry"]
    assert all(event.subject == f"job:{dead.id}" for event in mind.events())
    assert not all(finding.ok for finding in mind.doctor(deep=False))
    clock.advance(days=9)
    mind.drain()
    assert mind.jobs() == [dead], "the dead stay dead until somebody asks"


class TestDead:
    @pytest.fixture
    def dead(self, mind: Mind, clock: ManualClock, blocked: Path) -> str:
        say(mind)
        for _ in range(3):
            mind.drain()
            clock.advance(hours=1)
        (job,) = mind.jobs(state="dead")
        return job.id

    @pytest.mark.parametrize("by_id", [True, False])
    def test_once_repaired_it_is_redriven(
        self, mind: Mind, blocked: Path, dead: str, by_id: bool
    ) -> None:
        blocked.unlink()
        assert mind.redrive([dead] if by_id else None) == 1
        assert mind.redrive() == 0
        assert mind.drain() == Drained(done=1, retried=0, dead=0)
        assert mind.jobs() == []
        assert [path.name for path in blocked.rglob("*.jsonl")] == ["s.jsonl"]

    def test_a_new_turn_does_the_work_of_the_dead(
        self, mind: Mind, blocked: Path, dead: str
    ) -> None:
        blocked.unlink()
        say(mind, "coffee")
        assert mind.drain().done == 1
        (file,) = blocked.rglob("*.jsonl")
        assert len(file.read_text().splitlines()) == 2
        assert mind.redrive() == 1
        assert mind.drain().done == 1
        assert len(file.read_text().splitlines()) == 2, "and running it again changes nothing"

    def test_it_can_be_discarded(self, mind: Mind, dead: str) -> None:
        assert mind.discard(["nobody"]) == 0
        assert mind.discard([dead]) == 1
        assert mind.jobs() == []


def test_work_left_behind_is_done_by_the_next_process(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind(preset="openakita")
    say(mind)
    mind.close()
    again = open_mind(preset="openakita")
    assert again.drain().done == 1
    assert len(list(tmp_path.rglob("s.jsonl"))) == 1


def test_a_job_nobody_handles_is_dead_with_the_reason(open_mind: OpenMind) -> None:
    with open_mind()._store.write("default") as unit:
        unit.tasks.enqueue(
            "from the future", {constant("k"): {}}, run_at=NOON, now=NOON, max_attempts=3
        )
    mind = open_mind()
    assert mind.drain().dead == 1
    assert "from the future" in mind.jobs(state="dead")[0].error


def test_a_drain_ends_in_time(mind: Mind) -> None:
    for number in range(5):
        say(mind, session=f"s{number}")
    assert mind.drain(timeout=0) == Drained(0, 0, 0)
    assert mind.drain(timeout=timedelta(minutes=1)).done == 5


@pytest.mark.feature("X3")
class TestWaiting:
    """Errors that say themselves when to come back."""

    def run(self, mind: Mind, clock: ManualClock, error: Exception) -> list[str]:
        """The jobs that a worker ran, whose handler fails with the error."""
        ran: list[str] = []

        def handler(job: Job) -> None:
            ran.append(job.id)
            raise error

        backoff = Backoff(timedelta(seconds=30), 2.0, timedelta(hours=1))
        pace = Pace(backoff, lease=timedelta(minutes=5), poll=timedelta(seconds=1))
        Worker(mind._store, lambda: ({"k": handler}, {}), clock, pace).drain()
        return ran

    def enqueue(self, mind: Mind) -> None:
        with mind._store.write("default") as unit:
            now = mind._clock.now()
            unit.tasks.enqueue("k", {constant(""): {}}, run_at=now, now=now, max_attempts=3)

    def test_a_budget_puts_work_off_without_counting_a_try(
        self, mind: Mind, clock: ManualClock
    ) -> None:
        self.enqueue(mind)
        for day in range(1, 6):
            until = NOON + timedelta(days=day)
            error = mnemic.BudgetExhausted("No tokens left", remedy="Wait", until=until)
            assert len(self.run(mind, clock, error)) == 1
            (job,) = mind.jobs()
            assert (job.state, job.attempts, job.run_at) == ("ready", 0, until)
            assert job.error == "BudgetExhausted: No tokens left. Wait"
            assert self.run(mind, clock, error) == []
            clock.set(until)
        assert {event.type for event in mind.events()} == {"put_off"}
        assert len(mind.events()) == 5

    def test_new_work_of_the_same_key_does_not_hurry_it(
        self, mind: Mind, clock: ManualClock
    ) -> None:
        self.enqueue(mind)
        error = mnemic.BudgetExhausted("No", until=NOON + timedelta(days=1))
        self.run(mind, clock, error)
        self.enqueue(mind)
        assert self.run(mind, clock, error) == []
        assert len(mind.jobs()) == 1

    @pytest.mark.parametrize(
        ("asked", "wait"),
        [
            (None, timedelta(seconds=30)),
            (timedelta(seconds=1), timedelta(seconds=30)),
            (timedelta(minutes=7), timedelta(minutes=7)),
            (timedelta(days=999_999_999), timedelta(days=1)),
        ],
    )
    def test_a_server_is_not_asked_before_it_said(
        self, mind: Mind, clock: ManualClock, asked: timedelta | None, wait: timedelta
    ) -> None:
        self.enqueue(mind)
        self.run(mind, clock, mnemic.ModelRateLimited("Slow down", retry_after=asked))
        (job,) = mind.jobs()
        assert (job.attempts, job.run_at) == (0, NOON + wait)
        assert job.waiting_since == NOON

    def test_a_bad_answer_is_tried_again_and_a_refusal_is_not(
        self, mind: Mind, clock: ManualClock
    ) -> None:
        self.enqueue(mind)
        self.run(mind, clock, mnemic.BadAnswer("Half"))
        assert mind.jobs()[0].state == "ready"
        clock.advance(minutes=1)
        self.run(mind, clock, mnemic.ModelRefused("No such model"))
        assert mind.jobs()[0].state == "dead"


# A session is long when it has many batches. Read by patterns alone, a batch takes a moment.
SMALL_BATCHES: dict[str, Any] = {
    "extraction__batch_tokens": [60, 120],
    "embedding__provider": "none",
}


def marbles(count: int) -> list[NewTurn]:
    """A long session."""
    return [NewTurn("s", "user", f"I keep {n} marbles in box {n}.") for n in range(count)]


class TestThread:
    """The real worker beside the conversation."""

    def test_it_does_the_work_by_itself(self, tmp_path: Path) -> None:
        with mnemic.open(tmp_path / "me.db", preset="openakita") as mind:
            for number in range(20):
                say(mind, f"tea {number}", session=f"s{number % 4}")
            wait_for(lambda: mind.jobs() == [])
        files = list(tmp_path.rglob("*.jsonl"))
        assert len(files) == 4
        assert sum(len(file.read_text().splitlines()) for file in files) == 20

    def test_what_was_left_behind_is_done_at_the_next_start(
        self, open_mind: OpenMind, tmp_path: Path
    ) -> None:
        first = open_mind(preset="openakita")
        say(first)
        first.close()
        with mnemic.open(tmp_path / "memory.db", preset="openakita") as mind:
            wait_for(lambda: mind.jobs() == [])

    def test_a_drain_beside_it_does_nothing_twice(self, tmp_path: Path) -> None:
        with mnemic.open(tmp_path / "me.db", preset="openakita") as mind:
            for number in range(10):
                say(mind, session=f"s{number}")
                mind.drain()
            assert mind.jobs() == []
            assert mind.events() == []
        lines = [file.read_text().splitlines() for file in tmp_path.rglob("*.jsonl")]
        assert [len(each) for each in lines] == [1] * 10

    def test_closing_ends_the_thread(self, tmp_path: Path) -> None:
        before = set(threading.enumerate())
        mind = mnemic.open(tmp_path / "me.db")
        say(mind)
        assert set(threading.enumerate()) > before
        mind.close()
        assert set(threading.enumerate()) == before

    def test_closing_waits_for_a_batch_of_a_long_session_not_for_all_of_it(
        self, tmp_path: Path
    ) -> None:
        path, count = tmp_path / "me.db", 1_500
        with mnemic.open(path, worker="none") as mind:
            mind.record_many(marbles(count))
        with mnemic.open(path, **SMALL_BATCHES) as mind:
            wait_for(lambda: mind.stats().turn_states["new"] < count)
        with mnemic.open(path, worker="none", **SMALL_BATCHES) as mind:
            assert mind.stats().turn_states["new"] > 0
            mind.drain()
            assert mind.stats().turn_states["new"] == 0

    def test_closing_in_the_night_leaves_the_rest_of_a_session_to_the_next_opening(
        self, tmp_path: Path
    ) -> None:
        path, count = tmp_path / "me.db", 1_500
        clock = ManualClock(NOON)
        quiet: dict[str, Any] = {"triggers__quiet_gap": "never", "triggers__buffer_tokens": 0}
        quiet |= SMALL_BATCHES
        with mnemic.open(path, clock=clock, worker="none", **quiet) as mind:
            mind.record_many(marbles(count))
            mind.drain()
            assert mind.stats().turn_states["new"] == count
        clock.advance(days=1)
        with mnemic.open(path, clock=clock, **quiet) as mind:
            wait_for(lambda: mind.stats().turn_states["new"] < count)
        with mnemic.open(path, clock=clock, worker="none", **quiet) as mind:
            assert mind.stats().turn_states["new"] > 0
            assert mind.drain().dead == 0
            assert mind.stats().turn_states["new"] == 0
            assert [event.type for event in mind.events(type="upkeep_fail")] == []

    def test_work_ends_when_the_mind_is_closed_elsewhere(self, tmp_path: Path) -> None:
        mind = mnemic.open(tmp_path / "me.db", preset="openakita", worker="none")
        failures: list[BaseException] = []

        def work() -> None:
            try:
                mind.work()
            except BaseException as error:  # noqa: BLE001 - the test is about it
                failures.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        for number in range(20):
            say(mind, session=f"s{number}")
        mind.close()
        thread.join(30)
        assert not thread.is_alive()
        assert failures == []

    def test_two_minds_on_one_file_share_the_work(self, tmp_path: Path) -> None:
        one = mnemic.open(tmp_path / "me.db", preset="openakita")
        two = mnemic.open(tmp_path / "me.db", preset="openakita")
        with one, two:
            for number in range(30):
                say(one if number % 2 else two, f"tea {number}", session="s")
            wait_for(lambda: one.jobs() == [])
            assert one.events() == []
        (file,) = tmp_path.rglob("s.jsonl")
        assert len(file.read_text().splitlines()) == 30


class TestNextRun:
    @pytest.mark.parametrize(
        ("cron", "zone", "after", "expected"),
        [
            ("0 3 * * *", "UTC", "2026-02-12T02:59:59", "2026-02-12T03:00:00"),
            ("0 3 * * *", "UTC", "2026-02-12T03:00:00", "2026-02-13T03:00:00"),
            ("0 4 * * 1", "UTC", "2026-02-12T00:00:00", "2026-02-16T04:00:00"),
            ("0 3 * * *", "Asia/Shanghai", "2026-02-12T00:00:00", "2026-02-12T19:00:00"),
            ("*/15 * * * *", "UTC", "2026-02-12T12:01:00", "2026-02-12T12:15:00"),
            ("0 3 29 2 *", "UTC", "2026-02-12T00:00:00", "2028-02-29T03:00:00"),
            # Clocks go forward in Paris on 29 March 2026, back on 25 October.
            ("0 3 * * *", "Europe/Paris", "2026-03-28T12:00:00", "2026-03-29T01:00:00"),
            ("0 3 * * *", "Europe/Paris", "2026-10-24T12:00:00", "2026-10-25T02:00:00"),
        ],
    )
    def test_the_next_moment(self, cron: str, zone: str, after: str, expected: str) -> None:
        moment = datetime.fromisoformat(after).replace(tzinfo=UTC)
        found = next_run(cron, zone, moment)
        assert found == datetime.fromisoformat(expected).replace(tzinfo=UTC)
        assert found.utcoffset() == timedelta()

    @pytest.mark.parametrize(
        ("cron", "zone"),
        [
            ("soon", "UTC"),
            ("", "UTC"),
            ("61 * * * *", "UTC"),
            ("0 0 30 2 *", "UTC"),
            ("0 3 * * *", "Mars/Olympus"),
            ("0 3 * * *", "../etc"),
        ],
    )
    def test_what_is_not_a_schedule(self, cron: str, zone: str) -> None:
        with pytest.raises(mnemic.ConfigError) as caught:
            next_run(cron, zone, NOON)
        assert caught.value.remedy
