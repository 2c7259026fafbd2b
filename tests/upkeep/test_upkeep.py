"""The daily and weekly work: its steps, its order, its schedule, and that it can be interrupted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mnemic import Mind, NotFound
from mnemic.clock import ManualClock
from mnemic.errors import InvalidInput
from mnemic.store.contract import Store, Unit
from mnemic.upkeep import DAILY_KIND
from mnemic.upkeep.report import Report
from tests.conftest import OpenMind
from tests.planting import plant

DAILY = (
    "queue turns events dedup decay expiry attachments capacity documents identity report"
).split()


def step(report: Report, name: str) -> dict[str, int]:
    (found,) = [one for one in report.steps if one.name == name]
    assert found.state in ("done", "planned"), found
    return dict(found.counts)


def store_of(mind: Mind) -> Store:
    return mind._store


@pytest.mark.feature("U1")
def test_the_steps_run_in_their_order(mind: Mind) -> None:
    mind.remember("likes tea", kind="preference")
    report = mind.upkeep("daily")
    assert [one.name for one in report.steps] == DAILY
    assert report.finished
    assert [one.name for one in mind.upkeep("weekly").steps] == ["merge", "core", "decay"]


@pytest.mark.feature("U1", preset="openakita")
def test_openakita_has_its_own_steps(open_mind: OpenMind) -> None:
    mind = open_mind(preset="openakita")
    mind.remember("likes tea", kind="preference")
    names = [one.name for one in mind.upkeep("daily").steps]
    assert names == [name for name in DAILY if name not in ("events", "capacity")]
    assert mind.upkeep("weekly").steps == ()


def test_an_unknown_work_is_refused(mind: Mind) -> None:
    with pytest.raises(InvalidInput, match="work"):
        mind.upkeep("hourly")  # type: ignore[arg-type]


@pytest.mark.feature("U1", "N3")
def test_the_sweep_learns_what_no_trigger_has_set_off(mind: Mind, clock: ManualClock) -> None:
    mind.record(session="s", role="user", text="My name is Lin.")
    clock.advance(days=1)
    report = mind.upkeep("daily")
    assert step(report, "queue").get("sessions", 0) + step(report, "turns").get("sessions", 0) == 1
    assert [memory.value for memory in mind.memories()] == ["Lin"]
    assert {turn.state for turn in mind.turns()} == {"extracted"}


@pytest.mark.feature("U1", preset="openakita")
def test_a_session_nobody_ended_gets_its_story(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(preset="openakita", triggers={"per_turn": False})
    mind.record(session="s", role="user", text="Please tidy up the garden plan.")
    clock.advance(days=1)
    mind.upkeep("daily")
    assert [episode.source for episode in mind.episodes()] == ["daily_consolidation"]
    mind.upkeep("daily")
    assert len(mind.episodes()) == 1


JUNK = (
    "thanks, that works",
    "what do you think of this error message?",
    "show me the next one please",
    "帮我看看这段日志",
    "先这样",
    "这个报错是什么意思？",
)


REFUSED = (
    "I wish I had a boat in Naples",
    "我真希望我住在火星上",
    "user_name = 'Fenn'  # the user lives in Atlantis",
    "Let's pretend I am a pirate and my ship is called Gull",
    "假装你是医生，我叫阿呆，是病人",
    "The roof was leaking when the guests came",
    *JUNK,
)


@pytest.mark.feature("U3")
@pytest.mark.feature("U3", preset="myclaw")
@pytest.mark.parametrize("preset", ["default", "myclaw"])
def test_a_night_without_a_model_adds_nothing_to_what_was_learned(
    open_mind: OpenMind, clock: ManualClock, preset: str
) -> None:
    mind = open_mind(preset=preset)
    for said in ("I live in Porto", *REFUSED, "No, sorry, I live in Lisbon now"):
        mind.record(session="s", role="user", text=said)
        clock.advance(seconds=1)
    clock.advance(hours=1)
    mind.drain()
    learned = {memory.text for memory in mind.memories()}
    assert [memory.value for memory in mind.memories(kind="identity")] == ["Lisbon"]
    assert [event.compressed for event in mind.daily_events()] == [False]
    assert "days" not in step(mind.upkeep("daily"), "events"), "today is not over"
    clock.advance(days=1)
    assert step(mind.upkeep("daily"), "events") == {"days": 1, "events": 1, "memories": 0}
    assert {memory.text for memory in mind.memories()} == learned
    assert not any(" · " in content for content in learned)
    assert [event.compressed for event in mind.daily_events()] == [True]
    assert step(mind.upkeep("daily"), "events") == {}


@pytest.mark.statement("D100")
@pytest.mark.feature("U5", preset="myclaw")
def test_what_has_faded_to_nothing_is_archived_weekly(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(preset="myclaw")
    gone = mind.remember("the build is red just now", kind="temp", importance=0.2)
    kept = mind.remember("the flat has five rooms", kind="decision", importance=0.8)
    clock.advance(days=60)
    report = mind.upkeep("weekly")
    assert step(report, "decay") == {"archive": 1}
    assert [memory.id for memory in mind.memories()] == [kept.id]
    assert [event.type for event in mind.history(gone.id).events] == ["write", "archive"]


@pytest.mark.statement("A105")
@pytest.mark.feature("U5", preset="openakita")
@pytest.mark.parametrize(
    ("importance", "days", "fate"),
    [  # importance x 0.9^days, by hand: 0.328 stays; 0.266 is demoted; 0.098 is deleted
        (0.5, 4, ""),
        (0.5, 6, "demote"),
        (0.15, 4, "delete"),
    ],
)
def test_openakita_deletes_and_demotes_the_short_term(
    open_mind: OpenMind, clock: ManualClock, importance: float, days: int, fate: str
) -> None:
    mind = open_mind(preset="openakita")
    life = clock.now() + timedelta(days=20)
    memory = mind.remember("the test is slow", kind="lesson", importance=importance,
                           expires_at=life)  # fmt: skip
    settled = mind.remember("the house is blue", kind="preference", importance=importance)
    clock.advance(days=days)
    report = mind.upkeep("daily")
    assert step(report, "decay") == ({fate: 1} if fate else {})
    left = {m.id: m for m in mind.memories()}
    assert settled.id in left, "only the short term fades"
    assert (memory.id in left) == (fate != "delete")
    if fate == "demote":
        assert left[memory.id].expires_at == clock.now() + timedelta(days=1)


@pytest.mark.feature("U5", preset="openakita")
def test_with_archiving_uses_save_a_memory(open_mind: OpenMind, clock: ManualClock) -> None:
    settings = {"medium": {"daily_loss": 0.1, "archive_below": 0.1},
                "delete_below": 0.0, "archive_accesses": 2, "demote_below": 0.0}  # fmt: skip
    mind = open_mind(preset="openakita", decay=settings)
    until = clock.now() + timedelta(days=29)
    used, unused = (
        mind.remember(text, kind="fact", importance=0.2, expires_at=until)
        for text in ("the cellar is damp", "a train left at six")
    )
    with store_of(mind).write(mind.space) as unit:
        unit.memories.touch(used.id, 2, clock.now())
    clock.advance(days=10)
    assert step(mind.upkeep("daily"), "decay") == {"archive": 1}
    assert [memory.id for memory in mind.memories()] == [used.id] != [unused.id]


@pytest.mark.feature("R9")
def test_use_slows_decay(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind()
    used, unused = (
        mind.remember(text, kind="temp", importance=0.2) for text in ("a red kite", "a blue door")
    )
    clock.advance(days=40)
    with store_of(mind).write(mind.space) as unit:
        unit.memories.touch(used.id, 1, clock.now())
    clock.advance(days=20)
    mind.upkeep("daily")
    assert [memory.id for memory in mind.memories()] == [used.id] != [unused.id]


def test_what_is_expired_is_put_away_and_still_answers_for_its_time(
    mind: Mind, clock: ManualClock
) -> None:
    memory = mind.remember(
        "the guest stays until Friday", kind="fact", expires_at=clock.now() + timedelta(days=2)
    )
    then = clock.advance(days=1)
    clock.advance(days=5)
    assert step(mind.upkeep("daily"), "expiry") == {"expire": 1}
    with store_of(mind).read(mind.space) as unit:
        found = unit.memories.get(memory.id)
    assert found is not None
    assert found.status == "archived"
    assert mind.memories() == []
    assert [m.id for m in mind.memories(as_of=then)] == [memory.id]
    assert [hit.id for hit in mind.recall("guest Friday", as_of=then, of=("memory",))] == [
        memory.id
    ]


def test_an_archived_memory_is_known_as_of_the_time_before(mind: Mind, clock: ManualClock) -> None:
    memory = mind.remember("a passing shower", kind="temp", importance=0.1)
    then = clock.advance(days=1)
    clock.advance(days=60)
    mind.upkeep("daily")
    assert mind.memories() == []
    assert [m.id for m in mind.memories(as_of=then)] == [memory.id]


@pytest.mark.feature("L6")
@pytest.mark.statement("A44")
def test_old_files_go_unless_something_is_known_of_them(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    """Better: the document cleans up every old file; "that cat picture I sent" is asked for months
    later, so only files that nobody described and no memory is linked with are forgotten.
    """
    mind = open_mind(preset="openakita")
    memory = mind.remember("the plan of the house", kind="fact")
    mind.attach("old.png")
    mind.attach("cat.png", description="一只橘猫趴在沙发上")
    mind.attach("linked.png", memories=[memory.id])
    clock.advance(days=31)
    mind.attach("new.png")
    report = mind.upkeep("daily")
    assert step(report, "attachments")["forget_file"] == 1
    assert {file.filename for file in mind.attachments()} == {"cat.png", "linked.png", "new.png"}
    assert [hit.text for hit in mind.recall("橘猫", of=("attachment",))] != []
    operation = next(one.operation for one in report.steps if one.name == "attachments")
    mind.undo_upkeep(operation)
    assert len(mind.attachments()) == 4


@pytest.mark.feature("U1")
def test_nothing_changes_in_a_dry_run(mind: Mind, clock: ManualClock) -> None:
    mind.remember("a passing shower", kind="temp", importance=0.1)
    mind.remember("the guest", kind="fact", expires_at=clock.now() + timedelta(days=1))
    mind.record(session="s", role="user", text="My name is Lin.")
    clock.advance(days=60)
    before = (mind.stats(), mind.events(limit=1000))
    report = mind.upkeep("daily", dry_run=True)
    assert report.dry_run
    assert (mind.stats(), mind.events(limit=1000)) == before
    changes = {c.action: c for one in report.steps for c in one.changes}
    assert set(changes) == {"archive", "expire"}
    assert "60 days without use" in changes["archive"].reason
    assert step(report, "queue") or step(report, "turns")


@pytest.mark.feature("U1")
def test_every_step_can_be_undone(mind: Mind, clock: ManualClock) -> None:
    passing = mind.remember("a passing shower", kind="temp", importance=0.1)
    one = plant(mind, "The cat is grey.", importance=0.6)
    two = plant(mind, "the cat is grey", importance=0.8)
    clock.advance(days=60)
    report = mind.upkeep("daily")
    assert step(report, "dedup") == {"merge": 1}
    assert len(mind.memories()) == 1
    for found in report.steps:
        if found.changes:
            mind.undo_upkeep(found.operation)
            assert mind.undo_upkeep(found.operation).restored == (), "once is enough"
    assert {memory.id for memory in mind.memories()} == {passing.id, one.id, two.id}
    assert {m.id: m.importance for m in mind.memories()}[one.id] == 0.6
    assert "undo" in [event.type for event in mind.history(passing.id).events]
    with pytest.raises(NotFound):
        mind.undo_upkeep("upkeep:daily:1999-01-01:decay")


# --- resuming and sharing -------------------------------------------------------------------------


def runs(unit: Unit, run: str) -> dict[str, bool]:
    return {
        name: row.finished_at is not None for name, row in unit.runs.steps("daily", run).items()
    }


@pytest.mark.feature("U1")
def test_an_interrupted_run_goes_on_and_a_finished_one_begins_anew(
    mind: Mind, clock: ManualClock
) -> None:
    mind.remember("likes tea", kind="preference")
    day, now = clock.now().date(), clock.now()
    with store_of(mind).write(mind.space) as unit:
        run = unit.runs.begin("daily", day, now)
        for name in ("queue", "turns"):
            assert unit.runs.take(
                "daily", run, name, owner="dead", now=now, until=now + timedelta(minutes=5)
            ) == "taken"  # fmt: skip
        unit.runs.finish("daily", run, "queue", owner="dead", now=now)
    report = mind.upkeep("daily")
    assert [(one.name, one.state) for one in report.steps] == [
        ("queue", "done before"),
        ("turns", "running elsewhere"),
    ]
    assert not report.finished
    clock.advance(minutes=6)
    report = mind.upkeep("daily")
    assert report.run == run
    assert [one.state for one in report.steps][:2] == ["done before", "done"]
    assert report.finished
    again = mind.upkeep("daily")
    assert again.run == f"{run}#2"
    assert {one.state for one in again.steps} == {"done"}


@pytest.mark.feature("U1")
def test_a_step_that_fails_says_why_and_the_others_go_on(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path
) -> None:
    mind = open_mind()
    mind.remember("likes tea", kind="preference")
    (tmp_path / "daily_summaries").write_text("a file where the folder should be")
    report = mind.upkeep("daily")
    (failed,) = [one for one in report.steps if one.state == "failed"]
    assert failed.name == "report"
    assert failed.error
    assert not report.finished
    assert mind.events(type="upkeep_fail")[0].payload["error"] == failed.error
    (tmp_path / "daily_summaries").unlink()
    report = mind.upkeep("daily")
    assert report.finished
    assert [one.state for one in report.steps][-2:] == ["done before", "done"]


@pytest.mark.feature("U1", "U2")
@pytest.mark.feature("U2", preset="myclaw")
@pytest.mark.parametrize("preset", ["default", "myclaw"])
def test_the_worker_does_both_when_they_are_due(
    open_mind: OpenMind, clock: ManualClock, preset: str
) -> None:
    clock.set(datetime(2026, 2, 15, 20, tzinfo=UTC))  # a Sunday
    mind = open_mind(preset=preset, schedule={"zone": "UTC"})
    mind.remember("I am Lin", kind="identity", importance=1.0)
    mind.drain()
    assert mind.events(type="core") == []
    clock.set(datetime(2026, 2, 16, 2, 59, tzinfo=UTC))
    mind.drain()
    with store_of(mind).read(mind.space) as unit:
        assert unit.runs.latest("daily") is None
    clock.set(datetime(2026, 2, 16, 3, 1, tzinfo=UTC))
    mind.drain()
    with store_of(mind).read(mind.space) as unit:
        assert unit.runs.latest("daily") is not None
        assert unit.runs.latest("weekly") is None
    clock.set(datetime(2026, 2, 16, 4, 1, tzinfo=UTC))
    mind.drain()
    assert [memory.tier for memory in mind.memories()] == [1]
    with store_of(mind).read(mind.space) as unit:
        assert unit.runs.latest("weekly") is not None


@pytest.mark.feature("U1")
def test_an_overdue_run_happens_at_the_next_start(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(schedule={"zone": "UTC"})
    mind.remember("a passing shower", kind="temp", importance=0.1)
    mind.drain()
    mind.close()
    clock.advance(days=60)
    later = open_mind(schedule={"zone": "UTC"})
    later.drain()
    assert later.memories() == []


@pytest.mark.setting("schedule.catch_up")
def test_without_catching_up_a_missed_run_is_left_out(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    schedule = {"zone": "UTC", "catch_up": False}
    mind = open_mind(schedule=schedule)
    mind.remember("a passing shower", kind="temp", importance=0.1)
    mind.drain()
    clock.advance(days=60)
    mind.drain()
    assert len(mind.memories()) == 1
    clock.set(datetime(2026, 4, 14, 3, 0, 30, tzinfo=UTC))
    mind.drain()
    assert mind.memories() == []


def test_a_failed_scheduled_run_is_tried_again_by_the_queue(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path
) -> None:
    mind = open_mind(schedule={"zone": "UTC"})
    mind.remember("likes tea", kind="preference")
    mind.drain()
    (tmp_path / "daily_summaries").write_text("in the way")
    clock.advance(days=1)
    mind.drain()
    (job,) = [job for job in mind.jobs() if job.kind == DAILY_KIND]
    assert "report" in job.error
    (tmp_path / "daily_summaries").unlink()
    clock.advance(minutes=1)
    mind.drain()
    assert [job for job in mind.jobs() if job.kind == DAILY_KIND] == []


@pytest.mark.feature("V9")
@pytest.mark.feature("V9", preset="openakita")
@pytest.mark.parametrize("preset", ["default", "openakita"])
def test_a_report_tells_what_was_done(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path, preset: str
) -> None:
    mind = open_mind(preset=preset, schedule={"zone": "UTC"})
    plant(mind, "The cat is grey.", importance=0.6)
    plant(mind, "the cat is grey", importance=0.8)
    mind.upkeep("daily")
    text = (tmp_path / "daily_summaries" / "2026-02-12.md").read_text(encoding="utf-8")
    assert "merge: 1" in text
    assert "The cat is grey" in text
