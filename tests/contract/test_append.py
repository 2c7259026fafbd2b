"""Appending turns: whole, in order, once."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from mnemic.clock import ManualClock
from mnemic.errors import Conflict, NotFound
from mnemic.store.contract import Store
from mnemic.store.rows import Placed, TurnRow
from mnemic.types import ToolCall, ToolResult, Turn, constant
from tests.contract.backends import Backend
from tests.contract.rows import SPACE, after, append, contents, found, said, turn


def test_a_turn_comes_back_whole(store: Store) -> None:
    east = timezone(timedelta(hours=8))
    row = turn(
        "写好了 \U0001f600\x00 done",
        index=7,
        role="assistant",
        calls=(ToolCall("write_file", {"path": "a.txt", "n": [1, {"x": None}]}, "c1"),),
        results=(ToolResult("ok", "c1"), ToolResult("坏了", "c2", is_error=True)),
        at=datetime(2026, 2, 12, 20, 0, 0, 123456, tzinfo=east),
        channel="wechat",
        sender="小明",
    )
    assert append(store, row) == [Placed(7, added=True)]
    (back,) = found(store)
    assert back == Turn(
        id=row.id,
        session=constant("s"),
        index=7,
        role="assistant",
        text=row.text,
        at=row.at,
        sender=constant("小明"),
        channel=constant("wechat"),
        tool_calls=row.tool_calls,
        tool_results=row.tool_results,
        tokens=row.tokens,
        trust="agent",
        state="new",
        reason=constant(""),
    )
    assert back.at.utcoffset() == timedelta(hours=8)


def test_turns_without_an_index_go_to_the_end(store: Store) -> None:
    assert append(store, turn("a"), turn("b"), turn("c", index=9), turn("d")) == [
        Placed(0, added=True),
        Placed(1, added=True),
        Placed(9, added=True),
        Placed(10, added=True),
    ]
    assert append(store, turn("e")) == [Placed(11, added=True)]
    assert said(store, session="s") == ["a", "b", "c", "d", "e"]


def test_the_same_turn_again_is_a_no_op(store: Store) -> None:
    calls = (ToolCall("ls", {"path": "."}),)
    append(store, turn("a", index=0, calls=calls))
    before = found(store)
    again = turn("a", index=0, calls=calls, at=after(hours=1))
    assert append(store, again) == [Placed(0, added=False)]
    assert found(store) == before
    with store.read(SPACE) as unit:
        session = unit.ledger.session(constant("s"))
    assert session is not None
    assert session.turns == 1


@pytest.mark.parametrize(
    "other",
    [
        turn("other", index=0),
        turn("a", index=0, role="assistant"),
        turn("a", index=0, calls=(ToolCall("ls", {}),)),
        turn("a", index=0, results=(ToolResult("ok"),)),
    ],
    ids=["content", "role", "calls", "results"],
)
def test_another_turn_in_the_same_place_is_a_conflict(store: Store, other: TurnRow) -> None:
    append(store, turn("a", index=0))
    with pytest.raises(Conflict) as caught:
        append(store, turn("b", index=1), other)
    assert caught.value.remedy
    assert said(store) == ["a"], "the whole batch is gone"


def test_a_gap_is_filled_in_its_place(store: Store) -> None:
    append(store, turn("a", index=0), turn("d", index=3))
    assert append(store, turn("b", index=1)) == [Placed(1, added=True)]
    assert said(store, session="s") == ["a", "b", "d"]
    assert append(store, turn("e")) == [Placed(4, added=True)]
    assert append(store, turn("c", index=2), turn("b", index=1)) == [
        Placed(2, added=True),
        Placed(1, added=False),
    ]
    assert said(store, session="s") == ["a", "b", "c", "d", "e"]


def test_repeats_inside_a_batch_collapse(store: Store) -> None:
    placed = append(store, turn("a", index=4), turn("a", index=4), turn("b"), turn("b", index=5))
    assert placed == [
        Placed(4, added=True),
        Placed(4, added=False),
        Placed(5, added=True),
        Placed(5, added=False),
    ]
    assert said(store) == ["a", "b"]


def test_a_gap_filled_twice_inside_a_batch_collapses(store: Store) -> None:
    append(store, turn("z", index=9))
    placed = append(store, turn("a", index=2), turn("a", index=2))
    assert [p.added for p in placed] == [True, False]
    with pytest.raises(Conflict):
        append(store, turn("b", index=3), turn("c", index=3))


def test_one_batch_may_hold_several_sessions(store: Store) -> None:
    placed = append(
        store,
        turn("a0", session="a"),
        turn("b0", session="b", at=after(minutes=1)),
        turn("a1", session="a", at=after(minutes=2)),
        turn("b5", session="b", index=5, at=after(minutes=3)),
        turn("a1", session="a", index=1),
    )
    assert [(p.idx, p.added) for p in placed] == [
        (0, True),
        (0, True),
        (1, True),
        (5, True),
        (1, False),
    ]
    assert said(store, session="a") == ["a0", "a1"]
    assert said(store, session="b") == ["b0", "b5"]
    with store.read(SPACE) as unit:
        assert {s.id: s.turns for s in unit.ledger.sessions(9, 0)} == {"a": 2, "b": 2}


def test_an_empty_batch_is_nothing(store: Store) -> None:
    assert append(store) == []


def test_a_turn_by_its_place(store: Store) -> None:
    append(store, turn("a"), turn("b"))
    with store.read(SPACE) as unit:
        assert unit.ledger.turn_at(constant("s"), 1).text == "b"
        for session, index in (("s", 2), ("t", 0)):
            with pytest.raises(NotFound) as caught:
                unit.ledger.turn_at(constant(session), index)
            assert caught.value.remedy


def test_turns_by_id(store: Store) -> None:
    rows = [turn("a"), turn("b"), turn("c")]
    append(store, *rows)
    with store.read(SPACE) as unit:
        chosen = unit.ledger.turns_by_id([rows[2].id, rows[0].id, rows[0].id, "nobody"])
        assert sorted(contents(chosen)) == ["a", "c"]
        assert unit.ledger.turns_by_id([]) == []


def test_what_was_written_is_there_when_opened_again(
    backend: Backend, tmp_path: Path, clock: ManualClock
) -> None:
    if not backend.lasts:
        return
    first = backend.open(tmp_path, clock)
    append(first, turn("a", session="中文"))
    before = found(first)
    first.close()
    second = backend.open(tmp_path, clock)
    assert found(second) == before
    assert append(second, turn("b", session="中文")) == [Placed(1, added=True)]
    second.close()


def test_two_handles_on_one_store_see_each_other(
    backend: Backend, tmp_path: Path, clock: ManualClock
) -> None:
    if not backend.lasts:
        return
    one, two = backend.open(tmp_path, clock), backend.open(tmp_path, clock)
    append(one, turn("a"))
    append(two, turn("b"))
    append(one, turn("c"))
    assert said(one, session="s") == said(two, session="s") == ["a", "b", "c"]
    one.close()
    two.close()
