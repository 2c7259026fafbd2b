"""Chat files of every kind become turns in the right places."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemic.errors import InvalidInput
from mnemic.moving.chats import FORMATS, Chats
from mnemic.moving.pieces import Piece
from tests.moving.reading import lines, read, turns


def test_turns_by_line_with_positions_of_their_own_session() -> None:
    found = turns(
        lines(
            {"session": "a", "role": "user", "content": "你好", "sender": "小明", "channel": "qq"},
            {"session": "b", "role": "human", "text": "hello", "timestamp": 1_700_000_000},
            "",
            {"session": "a", "role": "ai", "content": "在", "at": "2026-02-12T09:30:00+08:00"},
            {"session": "a", "role": "user", "content": "later", "index": 9},
            {"session": "a", "role": "user", "content": "last", "time": 1_700_000_000_000},
        )
    )
    assert [(t.session, t.index, t.role) for t in found] == [
        ("a", 0, "user"),
        ("b", 0, "user"),
        ("a", 1, "assistant"),
        ("a", 9, "user"),
        ("a", 10, "user"),
    ]
    assert (found[0].sender, found[0].channel) == ("小明", "qq")
    assert found[1].at == found[4].at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert found[2].at == "2026-02-12T09:30:00+08:00"


def test_lines_are_read_one_by_one() -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            line = b'{"session": "a", "role": "user", "content": "hi"}\n'
            buffer[: len(line)] = line
            return len(line)

    pieces: Iterator[Piece] = iter(Chats(io.BufferedReader(Endless(), 64)))
    assert [next(pieces).turn.index for _ in range(1000)] == list(range(1000))  # type: ignore[union-attr]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("format_", ["", "messages", "turns"])
def test_a_bare_list_of_messages(indent: int | None, format_: str) -> None:
    chat = [{"role": "user", "content": "在吗"}, {"role": "assistant", "content": "在"}]
    found = turns(json.dumps(chat, indent=indent), session="file", format=format_)
    assert [(t.session, t.index, t.text) for t in found] == [
        ("file", 0, "在吗"),
        ("file", 1, "在"),
    ]


def test_a_line_for_each_conversation() -> None:
    chat = {"messages": [{"role": "user", "content": "hi"}]}
    assert [t.session for t in turns(lines(chat, chat), session="tuning")] == [
        "tuning-1",
        "tuning-2",
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("3", "a turn is a number"),
        ('{"session": "a", "role": "user"}', "no content"),
        ('{"session": "a", "content": "x"}', "no role"),
        ('{"session": "a", "role": "user", "content": 5}', "content is a number"),
        ('{"session": 5, "role": "user", "content": "x"}', "session is a number"),
        ('{"session": "a", "role": "user", "content": "x", "index": "1"}', "index is text"),
        ('{"session": "a", "role": "user", "content": "x", "at": []}', "time is a list"),
        ('{"session": "a", "role": "user", "content": "x", "at": 1e300}', "out of range"),
        ('{"session": "a", "role": "user", "content": "", "tool_calls": 1}', "not a list"),
        ('{"session": "a", "role": "user", "content": "", "tool_calls": [{}]}', "no name"),
        ('{"role": "user", "content": "x"}', "names no session"),
        ('{"mapping": 3}', "mapping is a number"),
    ],
)
def test_what_cannot_be_read_says_why(line: str, reason: str) -> None:
    good = '{"session": "z", "role": "user", "content": "good"}'
    first, second, third = read(f"{good}\n{line}\n{good}\n")
    assert second.turn is None
    assert reason in second.reason
    assert second.place.startswith("line 2")
    assert first.turn
    assert third.turn
    assert third.turn.index == 1


def test_a_line_that_is_not_utf8() -> None:
    (piece,) = read(b'{"session": "a", "role": "user", "content": "\xff"}\n')
    assert "not UTF-8 at byte 46" in piece.reason


def test_a_byte_order_mark_and_blank_lines_at_the_start() -> None:
    data = "\ufeff\n\n" + '{"session": "a", "role": "user", "content": "x"}\n' + "oops\n"
    pieces = read(data)
    assert [piece.place for piece in pieces] == ["line 3", "line 4"]
    assert pieces[0].turn


def test_an_empty_file_holds_nothing() -> None:
    assert read("") == read("\n \n") == []


def test_a_broken_document_is_an_error() -> None:
    with pytest.raises(InvalidInput, match="not JSON"):
        read('{\n"messages": [')


def test_a_torn_list_is_read_up_to_the_place_that_is_named() -> None:
    entry = '{"session": "a", "role": "user", "content": "%s"}'
    pieces = read(f'[{entry % "one"},\n{{"session": "a", "role": "us,\n{entry % "three"}]')
    assert [piece.turn is None for piece in pieces] == [False, True]
    assert pieces[1].place == "entry 2"
    assert "it is not JSON: Invalid control character at character 83" in pieces[1].reason
    (torn,) = read('[{"role": "user"')
    assert (torn.place, "it is not JSON" in torn.reason) == ("entry 1", True)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "role content text tool_calls tool_results mapping messages chat_messages parts"
                " author message parent children current_node session index at type name input"
                " function sender attachments files metadata content_type tool_call_id".split()
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)


@given(json_values, st.sampled_from(["", *FORMATS]), st.booleans())
@settings(max_examples=300, deadline=None)
def test_whatever_stands_in_a_file_is_read_or_refused(
    value: Any, format_: str, whole: bool
) -> None:
    data = json.dumps([value] if whole else value)
    for piece in read(data, format=format_, session="s"):
        assert (piece.turn is None) == bool(piece.reason)
