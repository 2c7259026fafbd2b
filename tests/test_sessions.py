"""Conversations through the mind."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mnemic import Mind, ToolCall, ToolResult
from mnemic.clock import ManualClock
from mnemic.ids import is_id
from tests.conftest import NOON


def test_a_conversation_from_beginning_to_end(mind: Mind, clock: ManualClock) -> None:
    with mind.session(project="myclaw", topic="tea") as session:
        assert is_id(session.id)
        session.user("我升级到 Python 3.12 了，以后都用 uv", sender="小明", channel="wechat")
        clock.advance(minutes=1)
        session.assistant("好的", tool_calls=[ToolCall("ls", {"path": "."})])
        session.tool("done", tool_results=[ToolResult("a.txt")])
        clock.advance(minutes=1)
    kept = mind.turns(session=session.id)
    assert [(t.index, t.role) for t in kept] == [(0, "user"), (1, "assistant"), (2, "tool")]
    assert [t.trust for t in kept] == ["owner", "agent", "tool"]
    assert (kept[0].sender, kept[0].channel) == ("小明", "wechat")
    (info,) = mind.sessions()
    assert (info.id, info.project, info.topic, info.turns) == (session.id, "myclaw", "tea", 3)
    assert (info.started_at, info.last_at) == (NOON, NOON + timedelta(minutes=1))
    assert info.ended_at == NOON + timedelta(minutes=2)


def test_a_conversation_is_gone_on_with_by_its_id(mind: Mind) -> None:
    with mind.session("s", project="p") as session:
        session.user("one")
    again = mind.session("s")
    again.user("two")
    (info,) = mind.sessions()
    assert (info.ended_at, info.project, info.turns) == (None, "p", 2)
    again.end()
    (info,) = mind.sessions()
    assert info.ended_at == NOON


def test_an_error_inside_still_ends_it_and_keeps_what_was_said(mind: Mind) -> None:
    with pytest.raises(ZeroDivisionError), mind.session("s") as session:  # noqa: PT012
        session.user("one")
        raise ZeroDivisionError
    assert [turn.text for turn in mind.turns()] == ["one"]
    assert mind.sessions()[0].ended_at == NOON


def test_a_turn_after_the_end_opens_it_again(mind: Mind) -> None:
    with mind.session("s") as session:
        session.user("one")
    session.user("wait")
    assert mind.sessions()[0].ended_at is None
    mind.end_session("s")
    assert mind.sessions()[0].ended_at == NOON


def test_a_turn_may_be_told_with_its_place_and_time(mind: Mind) -> None:
    session = mind.session("s")
    session.assistant("later", index=5, at="2026-02-13")
    session.user("earlier", index=2, at="2026-02-11")
    assert session.user("next").index == 6
    assert session.user("earlier", index=2).at.isoformat() == "2026-02-11T00:00:00+00:00"
    assert [turn.text for turn in mind.turns(session="s")] == ["earlier", "later", "next"]


def test_conversations_come_latest_first_and_in_pages(mind: Mind, clock: ManualClock) -> None:
    for name in ("a", "b", "c"):
        mind.session(name).user("hello")
        clock.advance(minutes=1)
    assert [info.id for info in mind.sessions()] == ["c", "b", "a"]
    assert [info.id for info in mind.sessions(limit=1, offset=1)] == ["b"]
