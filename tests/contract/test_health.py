"""Statistics and checks."""

from __future__ import annotations

from mnemic.store.contract import Store
from mnemic.types import Fact, Stats, constant, key_of
from tests.conftest import NOON
from tests.contract.rows import SPACE, after, append, attach, attachment, keep, memory, turn


def test_an_empty_space_counts_nothing(store: Store) -> None:
    stats = store.stats("nobody")
    assert stats == Stats(
        space="nobody",
        turns=0,
        sessions=0,
        memories=0,
        episodes=0,
        attachments=0,
        events=0,
        turn_states={"new": 0, "extracted": 0, "empty": 0, "failed": 0, "dead": 0},
        jobs_ready=0,
        jobs_running=0,
        jobs_dead=0,
        first_at=None,
        last_at=None,
        file_bytes=stats.file_bytes,
        schema=stats.schema,
        tokens=0,
    )
    assert stats.schema >= 1
    assert store.spaces() == [], "looking makes no space"


def test_everything_is_counted_in_its_space(store: Store) -> None:
    rows = [turn("tea", at=after(hours=n)) for n in range(3)]
    append(store, *rows, turn("more", session="t", at=after(hours=-1)))
    append(store, turn("theirs", at=after(days=9)), space="other")
    with store.write(SPACE) as unit:
        unit.ledger.set_state([rows[0].id], "failed", constant("why"))
        old, new = keep(unit, memory()), keep(unit, memory())
        unit.memories.supersede(old.id, new.id, NOON)
        attach(unit, attachment())
        unit.journal.add_event(
            "write", operation_id=constant("op"), subject=constant(""), payload={}, at=NOON
        )
        for key in "abc":
            unit.tasks.enqueue("work", {constant(key): {}}, run_at=NOON, now=NOON, max_attempts=1)
    dead = store.queue.claim("w", NOON, after(hours=1))
    assert dead is not None
    store.queue.bury(dead, "w", now=NOON, error=constant("broke"))
    store.queue.claim("w", NOON, after(hours=1))
    stats = store.stats(SPACE)
    assert (stats.turns, stats.sessions, stats.memories) == (4, 2, 1)
    assert (stats.attachments, stats.events, stats.episodes) == (1, 2, 0)
    assert stats.turn_states == {"new": 3, "extracted": 0, "empty": 0, "failed": 1, "dead": 0}
    assert (stats.jobs_ready, stats.jobs_running, stats.jobs_dead) == (1, 1, 1)
    assert (stats.first_at, stats.last_at) == (after(hours=-1), after(hours=2))
    assert stats.tokens == sum(len(t) for t in ("tea", "tea", "tea", "more"))
    assert store.stats("other").turns == 1
    assert sorted(store.spaces()) == [SPACE, "other"]


def test_many_rows_are_counted_beside_few_others(store: Store) -> None:
    for space, number in ((SPACE, 2_100), ("other", 3)):
        with store.write(space) as unit:
            jobs = {key_of("of", n): dict[str, Fact]() for n in range(number)}
            unit.tasks.enqueue("work", jobs, now=NOON)
        assert store.queue.claim("w", NOON, after(hours=1), space) is not None
        stats = store.stats(space)
        assert (stats.jobs_ready, stats.jobs_running, stats.jobs_dead) == (number - 1, 1, 0)
    assert store.stats(SPACE).jobs_ready == 2_099


def test_a_sound_store_passes_every_check(store: Store) -> None:
    append(store, turn("tea"))
    with store.write(SPACE) as unit:
        keep(unit, memory())
        attach(unit, attachment())
    for deep in (False, True):
        findings = store.check(SPACE, deep=deep)
        assert findings
        assert [finding for finding in findings if not finding.ok] == []
    assert len(store.check(SPACE, deep=True)) > len(store.check(SPACE, deep=False))
    assert all(finding.ok for finding in store.check("nobody", deep=True))


def test_what_is_missing_from_the_index_is_named_with_a_remedy(store: Store) -> None:
    append(store, turn("tea"))
    store.clear_text_index()
    (finding,) = [f for f in store.check(SPACE, deep=False) if not f.ok]
    assert "turn" in finding.check
    assert finding.remedy


def test_dead_jobs_are_named_with_a_remedy(store: Store) -> None:
    with store.write(SPACE) as unit:
        unit.tasks.enqueue("work", {constant("k"): {}}, run_at=NOON, now=NOON, max_attempts=1)
    job = store.queue.claim("w", NOON, after(hours=1))
    assert job is not None
    store.queue.bury(job, "w", now=NOON, error=constant("broke"))
    (finding,) = [f for f in store.check(SPACE, deep=False) if not f.ok]
    assert "dead" in finding.check
    assert finding.remedy
    assert all(f.ok for f in store.check("other", deep=False)), "another space is not concerned"
