"""The pending inbox: offered, confirmed, ignored, put off, lapsed."""

from __future__ import annotations

from datetime import timedelta

import pytest

import mnemic
from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind
from tests.evidence import by_words
from tests.planting import plant
from tests.settling import Learning, candidate, likes, version

pytestmark = pytest.mark.feature("M7", preset="shiyi")


@pytest.fixture
def learning(open_mind: OpenMind, clock: ManualClock) -> Learning:
    return Learning(open_mind(preset="shiyi"), clock)


def propose(learning: Learning, value: str = "tea", **fields: object) -> str:
    settled = learning.settle(likes(value, confidence=0.7, **fields))
    assert settled.outcome == "pending"
    assert settled.memory is not None
    return settled.memory.id


class TestOffer:
    def test_at_most_three_the_important_first(self, learning: Learning) -> None:
        for number in range(5):
            propose(learning, f"drink {number}", importance=number / 10)
        offered = learning.inbox.offer()
        assert [memory.value for memory in offered] == ["drink 4", "drink 3", "drink 2"]
        assert len(learning.inbox.offer(10)) == 3
        assert len(learning.inbox.offer(1)) == 1
        assert len(learning.inbox.waiting()) == 5

    def test_the_least_often_offered_come_first(self, learning: Learning) -> None:
        for number in range(5):
            propose(learning, f"drink {number}", importance=number / 10)
        learning.inbox.offer()
        second = learning.inbox.offer()
        assert [memory.value for memory in second] == ["drink 1", "drink 0", "drink 4"]
        assert [memory.offered for memory in second] == [1, 1, 2]

    def test_it_never_comes_back_from_recall(self, learning: Learning, clock: ManualClock) -> None:
        propose(learning, "oolong")
        clock.advance(days=1)
        mind = learning.mind
        assert by_words(mind, "oolong", of=["memory"]) == []
        assert by_words(mind, "oolong", of=["memory"], as_of=NOON + timedelta(hours=1)) == []
        assert mind.memories() == []
        assert mind.memories(as_of=clock.now()) == []

    def test_the_same_again_is_one_question(self, learning: Learning) -> None:
        first = propose(learning)
        assert propose(learning, "Tea") == first
        (waiting,) = learning.inbox.waiting()
        assert waiting.confirmations == 1


class TestConfirm:
    def test_it_holds_from_now_on(self, learning: Learning, clock: ManualClock) -> None:
        id_ = propose(learning, trust="external", importance=0.9)
        clock.advance(days=2)
        settled = learning.inbox.confirm(id_)
        assert settled.outcome == "new"
        (memory,) = learning.mind.memories()
        assert settled.memory == memory
        assert (
            memory.id,
            memory.status,
            memory.trust,
            memory.confidence,
            memory.confirmations,
        ) == (
            id_,
            "active",
            "owner",
            1.0,
            1,
        )
        assert (memory.created_at, memory.valid_from) == (clock.now(), NOON)
        assert by_words(learning.mind, "tea", of=["memory"])
        assert learning.mind.memories(known_at=clock.now() - timedelta(hours=1)) == []
        types = {event.type for event in learning.mind.history(id_).events}
        assert types >= {"pending", "confirm", "write", "trust"}
        assert learning.inbox.waiting() == []

    def test_it_updates_what_is_known_by_then(self, learning: Learning, clock: ManualClock) -> None:
        old = learning.settle(version("3.10")).memory
        assert old is not None
        clock.advance(days=1)
        settled = learning.settle(version("3.12", confidence=0.7, is_update=True))
        assert settled.memory is not None
        clock.advance(days=1)
        confirmed = learning.inbox.confirm(settled.memory.id)
        assert (confirmed.outcome, confirmed.replaced) == ("update", (old.id,))
        assert learning.values() == ["3.12"]
        first, second = learning.mind.history(old.id).versions
        assert first.valid_from == NOON
        assert first.valid_to == second.valid_from == NOON + timedelta(days=1)

    def test_one_of_many_answers_replaces_none(self, learning: Learning) -> None:
        learning.settle(likes("coffee"))
        assert learning.inbox.confirm(propose(learning)).outcome == "new"
        assert sorted(learning.values()) == ["coffee", "tea"]

    def test_what_is_known_by_then_is_confirmed(self, learning: Learning) -> None:
        id_ = propose(learning, "tea")
        known = plant(learning.mind, "likes tea", subject="user", predicate="likes", confidence=0.9)
        settled = learning.inbox.confirm(id_)
        assert settled.outcome == "same"
        (memory,) = learning.mind.memories()
        assert (memory.id, memory.confidence) == (known.id, 1.0)
        assert [m.id for m in learning.all("archived")] == [id_]

    def test_twice_is_once(self, learning: Learning, clock: ManualClock) -> None:
        id_ = propose(learning)
        first = learning.inbox.confirm(id_)
        before = (learning.all(), learning.mind.events())
        clock.advance(days=1)
        assert learning.inbox.confirm(id_) == first
        assert (learning.all(), learning.mind.events()) == before


class TestIgnore:
    def test_it_is_not_offered_again_nor_in_other_words(
        self, learning: Learning, clock: ManualClock
    ) -> None:
        id_ = propose(learning, "tea")
        ignored = learning.inbox.ignore(id_)
        assert ignored.status == "rejected"
        clock.advance(days=100)
        for told in (
            likes("tea", confidence=0.7),
            likes("ＴＥＡ", confidence=0.8, subject="用户", predicate="喜欢"),
            candidate("Likes tea!", confidence=0.7),
            likes("tea", confidence=0.95),
        ):
            settled = learning.settle(told)
            assert (settled.outcome, settled.reason) == ("dropped", "the user ignored it before")
        assert learning.inbox.offer() == []
        assert learning.mind.memories() == []
        assert learning.settle(likes("coffee", confidence=0.7)).outcome == "pending"

    def test_the_owner_can_still_ask_for_it(self, learning: Learning) -> None:
        learning.inbox.ignore(propose(learning))
        assert learning.settle(likes("tea", asked=True)).outcome == "new"

    def test_twice_is_once(self, learning: Learning) -> None:
        id_ = propose(learning)
        first = learning.inbox.ignore(id_)
        before = learning.mind.events()
        assert learning.inbox.ignore(id_) == first
        assert learning.mind.events() == before
        assert [event.payload for event in learning.mind.events(type="reject")] == [{"by": "user"}]


class TestLater:
    def test_it_comes_back_after_the_cool_down(
        self, learning: Learning, clock: ManualClock
    ) -> None:
        id_ = propose(learning)
        put_off = learning.inbox.snooze(id_)
        assert put_off.snoozed_until == NOON + timedelta(days=1)
        clock.advance(hours=23)
        assert learning.inbox.offer() == []
        assert [memory.id for memory in learning.inbox.waiting()] == [id_]
        clock.advance(hours=1)
        assert [memory.id for memory in learning.inbox.offer()] == [id_]

    def test_while_it_cools_down_a_second_later_changes_nothing(
        self, learning: Learning, clock: ManualClock
    ) -> None:
        id_ = propose(learning)
        first = learning.inbox.snooze(id_)
        clock.advance(hours=1)
        assert learning.inbox.snooze(id_) == first
        assert len(learning.mind.events(type="snooze")) == 1
        clock.advance(days=1)
        again = learning.inbox.snooze(id_, operation_id="op")
        assert again.snoozed_until == clock.now() + timedelta(days=1)
        clock.advance(days=2)
        assert learning.inbox.snooze(id_, operation_id="op") == again


def test_what_nobody_answers_lapses(open_mind: OpenMind, clock: ManualClock) -> None:
    learning = Learning(open_mind(preset="shiyi", pending={"expire": "7d"}), clock)
    old = propose(learning, "tea")
    clock.advance(days=6)
    fresh = propose(learning, "coffee")
    assert learning.inbox.lapse() == 0
    clock.advance(days=1)
    assert [memory.id for memory in learning.inbox.offer()] == [fresh]
    assert [memory.id for memory in learning.inbox.waiting()] == [fresh]
    assert learning.inbox.lapse() == 1
    assert [memory.id for memory in learning.all("archived")] == [old]
    assert [event.subject for event in learning.mind.events(type="archive")] == [old]
    assert learning.inbox.lapse() == 0


@pytest.mark.parametrize("door", ["confirm", "ignore", "snooze"])
def test_only_what_is_pending_can_be_answered(learning: Learning, door: str) -> None:
    answer = getattr(learning.inbox, door)
    memory = learning.settle(likes("milk")).memory
    assert memory is not None
    with pytest.raises(mnemic.Conflict) as caught:
        answer(memory.id)
    assert caught.value.remedy
    with pytest.raises(mnemic.NotFound):
        answer("nobody")


def test_what_waits_survives_the_process(
    learning: Learning, open_mind: OpenMind, clock: ManualClock
) -> None:
    id_ = propose(learning)
    learning.inbox.snooze(id_)
    learning.mind.close()
    again = Learning(open_mind(preset="shiyi"), clock)
    assert again.inbox.offer() == []
    clock.advance(days=1)
    assert again.inbox.confirm(again.inbox.offer()[0].id).outcome == "new"
