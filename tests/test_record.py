"""Recording turns through the mind: whole, once, findable at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest

import mnemic
from mnemic import Mind, NewTurn, ToolCall, ToolResult
from mnemic.clock import ManualClock
from mnemic.errors import Conflict
from mnemic.types import Recorded
from tests.conftest import NOON, OpenMind
from tests.evidence import by_words

EAST = timezone(timedelta(hours=8))


@pytest.mark.statement("A45", "C4", "C5")
@pytest.mark.feature("L1", preset=["openakita", "shiyi"])
@pytest.mark.parametrize("preset", ["openakita", "shiyi"])
def test_a_turn_is_kept_whole(open_mind: OpenMind, preset: str) -> None:
    mind = open_mind(preset=preset)
    call = ToolCall("write_file", {"path": "笔记.md", "lines": [1, 2, {"deep": None}]}, "c1")
    result = ToolResult("no such folder", "c1", is_error=True)
    told = mind.record(
        session="s",
        role="assistant",
        text="写好了 \U0001f600",
        sender="小助手",
        channel="wechat",
        tool_calls=[call],
        tool_results=[result],
        at=datetime(2026, 2, 12, 9, 30, tzinfo=EAST),
        index=4,
    )
    mind.close()
    (kept,) = open_mind(preset=preset).turns()
    assert kept == told
    assert (kept.session, kept.index, kept.role) == ("s", 4, "assistant")
    assert kept.text == "写好了 \U0001f600"
    assert (kept.tool_calls, kept.tool_results) == ((call,), (result,))
    assert kept.at == datetime(2026, 2, 12, 1, 30, tzinfo=UTC)
    assert kept.at.utcoffset() == timedelta(hours=8), "the zone it was said in is kept"
    assert kept.tokens > 0
    assert (kept.channel, kept.sender) == ("wechat", "小助手")
    assert (kept.trust, kept.state) == ("agent", "new")


@pytest.mark.feature("L1")
def test_the_same_turn_twice_is_a_no_op(mind: Mind, clock: ManualClock) -> None:
    first = mind.record(session="s", role="user", text="tea", index=0)
    clock.advance(hours=1)
    again = mind.record(session="s", role="user", text="tea", index=0)
    assert again == first
    assert mind.turns() == [first]
    assert mind.stats().turns == 1


@pytest.mark.feature("L1")
def test_a_place_holds_one_turn(mind: Mind) -> None:
    mind.record(session="s", role="user", text="tea", index=0)
    with pytest.raises(mnemic.Conflict) as caught:
        mind.record(session="s", role="user", text="coffee", index=0)
    assert caught.value.remedy
    assert [turn.text for turn in mind.turns()] == ["tea"]
    mind.record(session="other", role="user", text="coffee", index=0)


def test_without_a_time_it_is_now_and_without_an_index_it_is_next(
    mind: Mind, clock: ManualClock
) -> None:
    one = mind.record(session="s", role="user", text="one")
    clock.advance(minutes=1)
    two = mind.record(session="s", role="user", text="two")
    assert (one.index, one.at) == (0, NOON)
    assert (two.index, two.at) == (1, NOON + timedelta(minutes=1))
    assert one.id < two.id


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("2026-02-12", datetime(2026, 2, 12, tzinfo=UTC)),
        ("2026-02-12T09:30:00+08:00", datetime(2026, 2, 12, 1, 30, tzinfo=UTC)),
        (" 2026-02-12T09:30Z ", datetime(2026, 2, 12, 9, 30, tzinfo=UTC)),
        (datetime(2026, 2, 12, 9), datetime(2026, 2, 12, 9, tzinfo=UTC)),  # noqa: DTZ001
        (datetime(1900, 1, 1, tzinfo=EAST), datetime(1899, 12, 31, 16, tzinfo=UTC)),
        (datetime(2500, 1, 1, tzinfo=UTC), datetime(2500, 1, 1, tzinfo=UTC)),
    ],
    ids=str,
)
def test_times_may_be_given_in_many_ways(mind: Mind, given: str, meant: datetime) -> None:
    mind.record(session="s", role="user", text="tea", at=given)
    assert mind.turns()[0].at == meant


def test_the_tool_input_kept_is_the_one_given(mind: Mind) -> None:
    given = {"path": "a.txt", "options": {"deep": [1]}}
    mind.record(session="s", role="assistant", text="", tool_calls=[ToolCall("x", given)])
    given["options"] = {}
    assert mind.turns()[0].tool_calls[0].input == {"path": "a.txt", "options": {"deep": [1]}}


def turns(count: int, session: str = "s") -> list[NewTurn]:
    return [NewTurn(session, "user", f"tea {n}", index=n) for n in range(count)]


def test_many_at_once_and_again(mind: Mind) -> None:
    assert mind.record_many(turns(5_000)) == Recorded(added=5_000, known=0)
    assert mind.record_many(turns(5_003)) == Recorded(added=3, known=5_000)
    assert mind.stats().turns == 5_003
    assert [t.index for t in mind.turns(session="s", limit=9_999)] == list(range(5_003))
    assert mind.record_many([]) == Recorded(0, 0)


def test_an_interrupted_bulk_write_is_finished_by_repeating_it(mind: Mind) -> None:
    def interrupted() -> Iterator[NewTurn]:
        yield from turns(3_000)
        raise OSError("the source went away")

    with pytest.raises(OSError, match="went away"):
        mind.record_many(interrupted())
    assert mind.record_many(turns(3_500)).added <= 3_500
    assert mind.stats().turns == 3_500


def test_a_bulk_write_takes_a_generator_and_many_sessions(mind: Mind) -> None:
    source = (NewTurn(f"s{n % 3}", "user", f"tea {n}") for n in range(6))
    assert mind.record_many(source).added == 6
    assert {info.id: info.turns for info in mind.sessions()} == {"s0": 2, "s1": 2, "s2": 2}


def test_a_bad_turn_in_a_batch_leaves_none_of_it(mind: Mind) -> None:
    with pytest.raises(mnemic.InvalidInput):
        mind.record_many([*turns(3), NewTurn("s", "user", "x", index=-1)])
    assert mind.turns() == []


def test_batches_before_a_refused_turn_are_kept(mind: Mind) -> None:
    told = [NewTurn("s", "user", f"turn {n}", index=n) for n in range(6_500)]
    told[4_100] = NewTurn("s", "user", "again", index=4_099)  # in the third batch
    with pytest.raises(Conflict, match="index 4099"):
        mind.record_many(told)
    (session,) = mind.sessions()
    assert session.turns == 4_000


def test_a_source_that_fails_keeps_the_batches_before(mind: Mind) -> None:
    def failing() -> Iterator[NewTurn]:
        yield from (NewTurn("s", "user", f"turn {n}") for n in range(4_010))
        raise OSError("the file is gone")

    with pytest.raises(OSError, match="gone"):
        mind.record_many(failing())
    (session,) = mind.sessions()
    assert session.turns == 4_000


@pytest.mark.parametrize("target", [None, ":memory:"])
def test_many_threads_may_record_at_once(open_mind: OpenMind, target: str | None) -> None:
    mind = open_mind(target)

    def work(name: str) -> None:
        for number in range(20):
            mind.record(session="s", role="user", text=f"{name} {number}")

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = mind.turns(session="s", limit=1000)
    assert [turn.index for turn in kept] == list(range(80))
    assert len({turn.id for turn in kept}) == 80


@pytest.mark.feature("L2", preset="openakita")
class TestQueries:
    @pytest.fixture
    def busy(self, open_mind: OpenMind, clock: ManualClock) -> Mind:
        mind = open_mind(preset="openakita")
        with mind.session("a", project="myclaw") as session:
            session.user("茶怎么泡？")
            clock.advance(hours=1)
            session.assistant("看看", tool_calls=[ToolCall("read_file", {"path": "茶道.md"})])
            session.tool(tool_results=[ToolResult("水温 eighty 度")])
        clock.advance(hours=1)
        mind.record(session="b", role="user", text="coffee?")
        return mind

    @pytest.mark.statement("A46")
    def test_by_session_time_role_tool_and_project(self, busy: Mind) -> None:
        def said(**wanted: object) -> list[str]:
            return [turn.text for turn in busy.turns(**wanted)]  # type: ignore[arg-type]

        assert said(session="a") == ["茶怎么泡？", "看看", ""]
        assert said(session="a", newest_first=True, limit=2) == ["", "看看"]
        assert said(since=NOON + timedelta(hours=1), until="2026-02-12T14:00:00Z") == ["看看", ""]
        assert said(role="user") == ["茶怎么泡？", "coffee?"]
        assert said(tool="read_file") == ["看看"]
        assert said(project="myclaw", role="tool") == [""]
        assert said(state="new", offset=3) == ["coffee?"]
        assert said(state="dead") == []

    def test_by_full_text_tool_arguments_and_results_included(self, busy: Mind) -> None:
        for query, index in (("read_file", 1), ("道.md", 1), ("eighty", 2), ("水温", 2)):
            found = by_words(busy, query, of=["turn"])
            assert [(hit.session, hit.index) for hit in found] == [("a", index)], query


@pytest.mark.feature("O5")
def test_many_users_share_a_file_and_nothing_else(open_mind: OpenMind) -> None:
    ann, bob = open_mind(space="ann"), open_mind(space="bob")
    told = ann.record(session="s", role="user", text="my secret tea", index=0)
    known = ann.remember("likes tea", kind="preference", operation_id="op")
    sent = ann.attach("/tmp/tea.png", session="s")
    ann.record_usage(purpose="x", model="m", input_tokens=1, output_tokens=1)
    assert bob.recall("tea") == []
    for door in (bob.turns, bob.memories, bob.attachments, bob.sessions, bob.events, bob.usage):
        assert door() == []
    assert (bob.jobs(), bob.daily_events()) == ([], [])
    assert bob.stats().turns == 0
    with pytest.raises(mnemic.NotFound):
        bob.history(known.id)
    with pytest.raises(mnemic.NotFound):
        bob.describe_attachment(sent.id, description="mine now")
    with pytest.raises(mnemic.NotFound):
        bob.remember("took it", kind="fact", sources=[told.id])
    with pytest.raises(mnemic.NotFound):
        bob.remember("took it", kind="fact", supersedes=known.id)
    bob.record(session="s", role="user", text="other", index=0)
    assert bob.remember("likes coffee", kind="preference", operation_id="op").outcome == "new"
    assert ann.turns() == [told]
    assert ann.memories() == [known.memory]
    assert ann.attachments() == [sent]


@pytest.mark.feature("O5", preset="shiyi")
def test_without_a_name_there_is_one_user(open_mind: OpenMind) -> None:
    open_mind(preset="shiyi").record(session="s", role="user", text="tea")
    named = open_mind(preset="shiyi", space="default")
    assert named.space == "default"
    assert [turn.text for turn in named.turns()] == ["tea"]
