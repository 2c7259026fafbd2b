"""Reading turns by session, time, role, tool, state and project."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic.rules.bm25 import pack
from mnemic.store.contract import Store
from mnemic.types import ToolCall, constant
from tests.conftest import NOON
from tests.contract.rows import SPACE, after, append, found, said, turn


@pytest.fixture
def busy(store: Store) -> Store:
    """Two projects, three sessions, seven turns an hour apart."""
    with store.write(SPACE) as unit:
        unit.ledger.open_session(constant("a"), constant("myclaw"), constant(""), NOON)
        unit.ledger.open_session(constant("b"), constant("myclaw"), constant(""), NOON)
        unit.ledger.open_session(constant("c"), constant(""), constant(""), NOON)
    append(
        store,
        turn("a0", session="a", at=after(hours=0)),
        turn("a1", session="a", at=after(hours=1), role="assistant", calls=(ToolCall("ls"),)),
        turn("b0", session="b", at=after(hours=2)),
        turn(
            "b1",
            session="b",
            at=after(hours=3),
            role="assistant",
            calls=(ToolCall("ls"), ToolCall("cat"), ToolCall("ls")),
        ),
        turn("b2", session="b", at=after(hours=4), role="tool"),
        turn("c0", session="c", at=after(hours=5), role="system"),
        turn("c1", session="c", at=after(hours=6), role="assistant", calls=(ToolCall("cat"),)),
    )
    return store


EVERYTHING = ["a0", "a1", "b0", "b1", "b2", "c0", "c1"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, EVERYTHING),
        ({"session": "b"}, ["b0", "b1", "b2"]),
        ({"session": "nobody"}, []),
        ({"project": "myclaw"}, ["a0", "a1", "b0", "b1", "b2"]),
        ({"project": "nothing"}, []),
        ({"since": after(hours=3)}, ["b1", "b2", "c0", "c1"]),
        ({"until": after(hours=3)}, ["a0", "a1", "b0"]),
        ({"since": after(hours=3), "until": after(hours=5)}, ["b1", "b2"]),
        ({"since": after(hours=5), "until": after(hours=3)}, []),
        ({"role": "assistant"}, ["a1", "b1", "c1"]),
        ({"role": "tool"}, ["b2"]),
        ({"tool": "ls"}, ["a1", "b1"]),
        ({"tool": "cat"}, ["b1", "c1"]),
        ({"tool": "rm"}, []),
        ({"tool": "cat", "session": "b"}, ["b1"]),
        ({"tool": "cat", "project": "myclaw", "role": "assistant"}, ["b1"]),
        ({"state": "new"}, EVERYTHING),
        ({"state": "dead"}, []),
        ({"limit": 2}, ["a0", "a1"]),
        ({"limit": 2, "offset": 5}, ["c0", "c1"]),
        ({"limit": 2, "offset": 7}, []),
        ({"newest_first": True, "limit": 3}, ["c1", "c0", "b2"]),
        ({"session": "b", "newest_first": True}, ["b2", "b1", "b0"]),
        ({"tool": "ls", "newest_first": True, "limit": 1}, ["b1"]),
    ],
    ids=str,
)
def test_a_filter(busy: Store, wanted: dict[str, Any], expected: list[str]) -> None:
    assert said(busy, **wanted) == expected


def test_a_session_is_read_in_its_own_order_not_by_time(store: Store) -> None:
    append(store, turn("b", index=1, at=after(hours=1)), turn("a", index=0, at=after(hours=2)))
    assert said(store, session="s") == ["a", "b"]
    assert said(store) == ["b", "a"]


def test_turns_of_one_moment_stay_in_the_order_of_writing(store: Store) -> None:
    names = [f"t{number:02}" for number in range(20)]
    append(store, *(turn(name, session=name[:2]) for name in names))
    assert said(store) == names
    assert said(store, newest_first=True) == names[::-1]


def test_a_state_is_set_with_its_reason(busy: Store) -> None:
    chosen = found(busy, session="b")
    with busy.write(SPACE) as unit:
        unit.ledger.set_state([turn.id for turn in chosen[:2]], "failed", constant("no model"))
        unit.ledger.set_state([chosen[2].id, constant("nobody")], "extracted", constant(""))
    failed = found(busy, state="failed")
    assert [(t.text, t.reason) for t in failed] == [("b0", "no model"), ("b1", "no model")]
    assert said(busy, state="extracted") == ["b2"]
    assert said(busy, state="new", session="b") == []
    assert len(said(busy, state="new")) == 4


def test_what_the_owner_said_in_few_words(busy: Store) -> None:
    long, other = turn("a long story", session="c"), turn("c3", session="c")
    append(busy, long, other._replace(trust="external"))
    with busy.read(SPACE) as unit:
        docs = unit.ledger.latest_docs(100)
        told = unit.ledger.read_owned([*docs, docs[0], 1], 2)
        assert unit.ledger.read_owned([], 2) == {}
    assert sorted(told.values()) == ["a0", "b0"]
    assert set(told) <= set(docs)
    with busy.read("another") as unit:
        assert unit.ledger.read_owned(docs, 2) == {}


def test_the_terms_of_turns_that_called_no_tool(busy: Store) -> None:
    texts = {one.id: one.text for one in found(busy)}
    with busy.read(SPACE) as unit:
        packed = unit.text.read_packed("turn", [*texts, "nothing"])
    by_text = {text: packed.pop(id_) for id_, text in texts.items() if id_ in packed}
    assert by_text == {text: pack(text) for text in ("a0", "b0", "b2", "c0")}
    assert not packed
