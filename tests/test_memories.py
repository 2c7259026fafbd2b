"""Memories through the mind: written with an event, revised in a chain, replayed without effect."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import mnemic
from mnemic import Conflict, Mind, NotFound
from mnemic.clock import ManualClock
from mnemic.types import KINDS, Source, Stats, constant
from tests.conftest import NOON, OpenMind
from tests.evidence import by_words


def _counts(mind: Mind) -> Stats:
    """What there is, however many bytes it takes: a server tidies up when it likes."""
    return replace(mind.stats(), file_bytes=0)


def test_a_memory_is_kept_whole(mind: Mind) -> None:
    told = mind.record(session="s", role="user", text="我喜欢绿茶")
    memory = mind.remember(
        "  喜欢绿茶 ",
        kind="preference",
        subject="用户",
        predicate="likes",
        project="myclaw",
        topic="drinks",
        tags=["饮料", "tea", "饮料"],
        importance=0.9,
        confidence=0.8,
        trust="external",
        valid_from="2026-01-01",
        expires_at="2027-01-01",
        sources=[told.id],
    ).memory
    assert memory is not None
    assert memory.text == "喜欢绿茶"
    assert (memory.kind, memory.subject, memory.predicate) == ("preference", "用户", "likes")
    assert (memory.project, memory.topic, memory.tags) == ("myclaw", "drinks", ("饮料", "tea"))
    assert (memory.importance, memory.confidence, memory.trust) == (0.9, 0.8, "external")
    assert (memory.status, memory.access_count) == ("active", 0)
    assert (memory.created_at, memory.updated_at, memory.last_accessed_at) == (NOON, NOON, NOON)
    assert memory.valid_from.isoformat() == "2026-01-01T00:00:00+00:00"
    assert (memory.valid_to, memory.superseded_at, memory.superseded_by) == (None, None, "")
    assert memory.expires_at is not None
    assert memory.sources == (Source(constant("s"), 0, told.id),)
    assert mind.memories() == [memory]
    (hit,) = by_words(mind, "绿茶", of=["memory"])
    assert (hit.id, hit.text, hit.sources) == (memory.id, "喜欢绿茶", memory.sources)


def test_what_is_not_told_has_its_default(mind: Mind) -> None:
    memory = mind.get(mind.remember("likes tea", kind="fact").id)
    assert (memory.project, memory.topic) == ("_global", "_general")
    assert (memory.importance, memory.confidence, memory.trust) == (0.5, 1.0, "owner")
    assert (memory.valid_from, memory.expires_at) == (NOON, None)


def test_every_kind_can_be_kept_and_listed(mind: Mind) -> None:
    kinds = [kind for kind in KINDS if kind != "credential"]
    for kind in kinds:
        mind.remember(f"a {kind}", kind=kind)
    for kind in kinds:
        assert [memory.text for memory in mind.memories(kind=kind)] == [f"a {kind}"]
    assert len(mind.memories(limit=5)) == 5


def test_a_credential_is_never_kept_in_the_open(mind: Mind, tmp_path: Path) -> None:
    with pytest.raises(mnemic.InvalidInput) as caught:
        mind.remember("the password is hunter2", kind="credential")
    assert caught.value.remedy
    assert mind.stats().memories == 0
    mind.close()
    assert all(b"hunter2" not in file.read_bytes() for file in tmp_path.iterdir())


def test_a_memory_is_found_by_subject_predicate_and_tags(mind: Mind) -> None:
    mind.remember("the blue one", kind="fact", subject="bicycle", predicate="owns", tags=["通勤"])
    for query in ("blue", "bicycle", "owns", "通勤"):
        assert len(by_words(mind, query, of=["memory"])) == 1, query


class TestVersions:
    def test_a_new_version_takes_the_place_of_the_old(self, mind: Mind, clock: ManualClock) -> None:
        old = mind.remember("uses Python 3.11", kind="config")
        clock.advance(days=2)
        new = mind.remember("uses Python 3.12", kind="config", supersedes=old.id)
        assert [memory.id for memory in mind.memories()] == [new.id]
        assert [hit.id for hit in by_words(mind, "Python", of=["memory"])] == [new.id]
        history = mind.history(old.id)
        assert history == mind.history(new.id)
        assert [version.text for version in history.versions] == [
            "uses Python 3.11",
            "uses Python 3.12",
        ]
        first = history.versions[0]
        assert (first.status, first.superseded_by) == ("superseded", new.id)
        assert first.superseded_at == first.valid_to == NOON + timedelta(days=2)

    def test_as_of_tells_what_was_known_then(self, mind: Mind, clock: ManualClock) -> None:
        old = mind.remember("uses Python 3.11", kind="config")
        clock.advance(days=2)
        new = mind.remember("uses Python 3.12", kind="config", supersedes=old.id)
        clock.advance(days=2)

        def known(at: object) -> list[str]:
            return [hit.id for hit in by_words(mind, "Python", of=["memory"], as_of=at)]

        assert known(NOON + timedelta(days=1)) == [old.id]
        assert known(NOON + timedelta(days=3)) == [new.id]
        assert known(NOON - timedelta(days=1)) == []

    @pytest.mark.parametrize("which", ["superseded", "unknown"])
    def test_only_a_current_memory_can_be_superseded(self, mind: Mind, which: str) -> None:
        old = mind.remember("one", kind="fact")
        mind.remember("two", kind="fact", supersedes=old.id)
        before = _counts(mind)
        wanted = old.id if which == "superseded" else "nobody"
        with pytest.raises(mnemic.NotFound) as caught:
            mind.remember("x", kind="fact", supersedes=wanted)
        assert caught.value.remedy
        assert _counts(mind) == before

    def test_a_source_must_be_a_turn_of_this_space(self, mind: Mind) -> None:
        before = _counts(mind)
        with pytest.raises(mnemic.NotFound) as caught:
            mind.remember("x", kind="fact", sources=["nobody"])
        assert caught.value.remedy
        assert _counts(mind) == before


def test_an_expired_memory_does_not_come_back(mind: Mind, clock: ManualClock) -> None:
    mind.remember("tea today", kind="temp", expires_at=NOON + timedelta(days=1))
    lasting = mind.remember("tea always", kind="fact")
    clock.advance(hours=23)
    assert len(mind.memories()) == len(by_words(mind, "tea")) == 2
    clock.advance(hours=1)
    assert [memory.id for memory in mind.memories()] == [lasting.id]
    assert [hit.id for hit in by_words(mind, "tea")] == [lasting.id]


def test_expired_memories_do_not_use_up_the_limit(mind: Mind, clock: ManualClock) -> None:
    lasting = mind.remember("tea always", kind="fact")
    clock.advance(minutes=1)
    for number in range(5):
        mind.remember(f"tea {number}", kind="temp", expires_at=NOON + timedelta(days=1))
    clock.advance(days=2)
    assert [memory.id for memory in mind.memories(limit=3)] == [lasting.id]


@pytest.mark.feature("L4", preset="shiyi")
class TestEvents:
    @pytest.fixture
    def mind(self, open_mind: OpenMind) -> Mind:
        return open_mind(preset="shiyi")

    def test_a_write_leaves_an_event_with_its_operation(self, mind: Mind) -> None:
        memory = mind.remember("likes tea", kind="fact", operation_id="op-1")
        (event,) = mind.events()
        assert (event.type, event.operation_id, event.subject) == ("write", "op-1", memory.id)
        assert event.payload["kind"] == "fact"
        assert event.at == NOON
        assert mind.history(memory.id).events == (event,)

    def test_without_an_operation_id_each_write_is_its_own(self, mind: Mind) -> None:
        mind.remember("tea", kind="fact")
        mind.remember("coffee", kind="fact")
        mind.remember("tea", kind="fact")
        operations = {event.operation_id for event in mind.events()}
        assert (len(operations), len(mind.memories())) == (3, 2)
        assert all(operations)

    def test_superseding_leaves_both_events_in_one_operation(self, mind: Mind) -> None:
        old = mind.remember("tea", kind="fact")
        new = mind.remember("coffee", kind="fact", supersedes=old.id, operation_id="op-2")
        events = [event for event in mind.events() if event.operation_id == "op-2"]
        assert {(event.type, event.subject) for event in events} == {
            ("supersede", old.id),
            ("write", new.id),
        }
        assert [event.type for event in mind.events(subject=old.id)] == ["supersede", "write"]
        assert [event.subject for event in mind.events(type="supersede")] == [old.id]
        history = mind.history(new.id)
        assert [event.type for event in history.events] == ["write", "supersede", "write"]

    @pytest.mark.statement("C23")
    def test_replaying_an_operation_changes_nothing(self, mind: Mind, clock: ManualClock) -> None:
        old = mind.remember("tea", kind="fact", operation_id="op-1")
        new = mind.remember("coffee", kind="fact", supersedes=old.id, operation_id="op-2")
        before = (_counts(mind), mind.events(), mind.history(old.id))
        for _ in range(3):
            clock.advance(days=1)
            again = mind.remember("coffee", kind="fact", supersedes=old.id, operation_id="op-2")
            assert again == new
            first = mind.remember("tea", kind="fact", operation_id="op-1")
            assert first.memory is not None
            assert (first.id, first.memory.status) == (old.id, "superseded")
        assert (_counts(mind), mind.events(), mind.history(old.id)) == before

    def test_an_operation_survives_the_process(self, mind: Mind, open_mind: OpenMind) -> None:
        memory = mind.remember("tea", kind="fact", operation_id="op-1")
        mind.close()
        again = open_mind(preset="shiyi")
        assert again.remember("tea", kind="fact", operation_id="op-1") == memory
        assert len(again.memories()) == 1

    @pytest.mark.statement("C48")
    def test_a_failed_write_leaves_no_event(self, mind: Mind) -> None:
        with pytest.raises(mnemic.NotFound):
            mind.remember("tea", kind="fact", supersedes="nobody", operation_id="op-1")
        assert mind.events() == []
        mind.remember("tea", kind="fact", operation_id="op-1")

    def test_history_holds_every_event_however_many(self, mind: Mind) -> None:
        last = mind.remember("version 0", kind="fact")
        for number in range(1, 120):
            last = mind.remember(f"version {number}", kind="fact", supersedes=last.id)
        history = mind.history(last.id)
        assert len(history.versions) == 120
        assert len(history.events) == 120 + 119

    def test_events_come_latest_first_and_limited(self, mind: Mind, clock: ManualClock) -> None:
        for number in range(5):
            mind.remember(f"tea {number}", kind="fact", operation_id=str(number))
            clock.advance(minutes=1)
        assert [event.operation_id for event in mind.events(limit=2)] == ["4", "3"]


def test_a_memory_that_is_not_there_has_no_history(mind: Mind) -> None:
    with pytest.raises(mnemic.NotFound) as caught:
        mind.history("nobody")
    assert caught.value.remedy


@pytest.mark.feature("L5", preset="shiyi")
def test_what_models_cost_is_recorded_and_reported(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(preset="shiyi")
    assert mind.usage() == []
    call = {"purpose": "extract", "model": "qwen-max"}
    mind.record_usage(**call, input_tokens=1_000, output_tokens=200, cost=0.25)
    clock.advance(days=1)
    mind.record_usage(**call, input_tokens=500, output_tokens=100, cost=0.5)
    mind.record_usage(purpose="chat", model="local", input_tokens=7, output_tokens=0)
    mind.close()
    mind = open_mind(preset="shiyi")
    chat, extract = mind.usage()
    assert (extract.purpose, extract.model, extract.calls) == ("extract", "qwen-max", 2)
    assert (extract.input_tokens, extract.output_tokens, extract.cost) == (1_500, 300, 0.75)
    assert (chat.calls, chat.input_tokens, chat.cost) == (1, 7, None), "unknown is not free"
    (_, recent) = mind.usage(since=NOON + timedelta(hours=1))
    assert (recent.calls, recent.cost) == (1, 0.5)
    assert mind.usage(since="2027-01-01") == []


def test_an_archived_memory_is_not_recalled_until_it_is_restored(mind: Mind) -> None:
    kept = mind.remember("the harbour office closes at noon", kind="fact")
    assert mind.archive(kept.id).status == "archived"
    assert mind.archive(kept.id).status == "archived", "repeating it changes nothing"
    assert mind.memories() == []
    assert mind.recall("harbour office", of="memory") == []
    assert mind.restore(kept.id).status == "active"
    assert [hit.id for hit in mind.recall("harbour office", of="memory")] == [kept.id]
    told = [event.type for event in mind.history(kept.id).events]
    assert told == ["write", "archive", "restore"]


def test_only_what_holds_is_archived_and_only_what_was_archived_restored(mind: Mind) -> None:
    old = mind.remember("the gate code is kept by Ann", kind="fact")
    mind.remember("the gate code is kept by Bo", kind="fact", supersedes=old.id)
    for answer in (mind.archive, mind.restore):
        with pytest.raises(Conflict, match="superseded"):
            answer(old.id)
        with pytest.raises(NotFound):
            answer("nothing")
