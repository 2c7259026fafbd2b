"""Whatever comes in: a typed error that names the remedy, or plain success; never anything else."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

import mnemic
from mnemic import InvalidInput, Mind, NewTurn, ToolCall, ToolResult
from mnemic.types import constant
from tests.conftest import OpenMind
from tests.evidence import by_words

NAN = float("nan")
HALF = "half a pair \ud83d"
LONG = "x" * 513
MEGABYTE = 1_000_000


def loop() -> dict[str, Any]:
    told: dict[str, Any] = {}
    told["again"] = told
    return told


def deep(levels: int) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for _ in range(levels):
        told = {"x": told}
    return told


def record(mind: Mind, **given: Any) -> object:
    return mind.record(**{"session": "s", "role": "user", "text": "tea", **given})


def call(mind: Mind, told: Any) -> object:
    return record(mind, role="assistant", tool_calls=[ToolCall("tool", told)])


def remember(mind: Mind, text: Any = "likes tea", **given: Any) -> object:
    return mind.remember(text, **{"kind": "fact", **given})


Try = Callable[[Mind], object]

REFUSED: dict[str, Try] = {
    # turns
    "content of bytes": lambda m: record(m, text=b"tea"),
    "content of None": lambda m: record(m, text=None),
    "content with half a pair": lambda m: record(m, text=HALF),
    "content that is too long": lambda m: record(m, text="x" * (16 * MEGABYTE + 1)),
    "role unknown": lambda m: record(m, role="robot"),
    "role of None": lambda m: record(m, role=None),
    "role of a list": lambda m: record(m, role=["user"]),
    "role in capitals": lambda m: record(m, role="USER"),
    "session empty": lambda m: record(m, session=""),
    "session blank": lambda m: record(m, session=" \n"),
    "session of None": lambda m: record(m, session=None),
    "session of a number": lambda m: record(m, session=5),
    "session of a list": lambda m: record(m, session=["s"]),
    "session too long": lambda m: record(m, session=LONG),
    "session with half a pair": lambda m: record(m, session=HALF),
    "sender of None": lambda m: record(m, sender=None),
    "sender blank": lambda m: record(m, sender=" "),
    "sender too long": lambda m: record(m, sender=LONG),
    "channel of None": lambda m: record(m, channel=None),
    "channel of a number": lambda m: record(m, channel=0),
    "index of True": lambda m: record(m, index=True),
    "index negative": lambda m: record(m, index=-1),
    "index huge": lambda m: record(m, index=2**63),
    "index of a fraction": lambda m: record(m, index=1.0),
    "index of text": lambda m: record(m, index="0"),
    "time of words": lambda m: record(m, at="tomorrow"),
    "time empty": lambda m: record(m, at=""),
    "time of a number": lambda m: record(m, at=1_770_000_000),
    "time of a day": lambda m: record(m, at=date(2026, 2, 12)),
    "time before time": lambda m: record(m, at=datetime.min.replace(tzinfo=UTC)),
    "time after time": lambda m: record(m, at=datetime.max.replace(tzinfo=UTC)),
    "time in an odd zone": lambda m: record(
        m, at=datetime(2026, 1, 1, tzinfo=timezone(timedelta(seconds=7)))
    ),
    "a turn that is a dict": lambda m: m.record_turn({"session": "s"}),  # type: ignore[arg-type]
    "turns that are dicts": lambda m: m.record_many([{"session": "s"}]),  # type: ignore[list-item]
    "a batch with one bad turn": lambda m: m.record_many(
        [NewTurn("s", "user", "fine"), NewTurn("s", "user", HALF)]
    ),
    # tools
    "tool call of a dict": lambda m: record(m, tool_calls=[{"name": "ls"}]),
    "tool calls of text": lambda m: record(m, tool_calls="ls"),
    "tool calls of None in a value": lambda m: m.record_turn(
        NewTurn("s", "user", "tea", tool_results=5)  # type: ignore[arg-type]
    ),
    "too many tool calls": lambda m: record(m, tool_calls=[ToolCall("ls")] * 1_001),
    "tool without a name": lambda m: record(m, tool_calls=[ToolCall("")]),
    "tool name of None": lambda m: record(m, tool_calls=[ToolCall(None)]),  # type: ignore[arg-type]
    "tool call id too long": lambda m: record(m, tool_calls=[ToolCall("ls", {}, LONG)]),
    "tool input of None": lambda m: call(m, None),
    "tool input of text": lambda m: call(m, "ls"),
    "tool input with an object": lambda m: call(m, {"x": object()}),
    "tool input with bytes": lambda m: call(m, {"x": b"y"}),
    "tool input with a set": lambda m: call(m, {"x": {1}}),
    "tool input with a time": lambda m: call(m, {"x": datetime.now(UTC)}),
    "tool input with NaN": lambda m: call(m, {"x": NAN}),
    "tool input with half a pair": lambda m: call(m, {"x": HALF}),
    "tool input with a tuple key": lambda m: call(m, {(1, 2): 3}),
    "tool input with an endless number": lambda m: call(m, {"x": 10**5_000}),
    "tool input inside itself": lambda m: call(m, loop()),
    "tool input 300 deep": lambda m: call(m, deep(300)),
    "tool input 100,000 deep": lambda m: call(m, deep(100_000)),
    "tool result of text": lambda m: record(m, tool_results=["ok"]),
    "tool result of None": lambda m: record(m, tool_results=[ToolResult(None)]),  # type: ignore[arg-type]
    "tool result with half a pair": lambda m: record(m, tool_results=[ToolResult(HALF)]),
    "tool error that is no yes or no": lambda m: record(
        m,
        tool_results=[ToolResult("x", is_error="maybe")],  # type: ignore[arg-type]
    ),
    "tool error that is an object": lambda m: record(
        m,
        tool_results=[ToolResult("x", is_error=object())],  # type: ignore[arg-type]
    ),
    # sessions
    "a session without a name": lambda m: m.session(""),
    "a session named by a number": lambda m: m.session(5),  # type: ignore[arg-type]
    "a project with half a pair": lambda m: m.session("s", project=HALF),
    "a topic too long": lambda m: m.session("s", topic=LONG),
    "ending a session without a name": lambda m: m.end_session(""),
    "ending a session with half a pair": lambda m: m.end_session(HALF),
    # memories
    "nothing to remember": lambda m: remember(m, ""),
    "blanks to remember": lambda m: remember(m, " \n\t"),
    "bytes to remember": lambda m: remember(m, b"x"),
    "half a pair to remember": lambda m: remember(m, HALF),
    "kind unknown": lambda m: remember(m, kind="gossip"),
    "kind of None": lambda m: remember(m, kind=None),
    "kind of a list": lambda m: remember(m, kind=["fact"]),
    "trust unknown": lambda m: remember(m, trust="friend"),
    "importance of NaN": lambda m: remember(m, importance=NAN),
    "importance above one": lambda m: remember(m, importance=1.01),
    "importance of text": lambda m: remember(m, importance="high"),
    "importance of True": lambda m: remember(m, importance=True),
    "confidence below zero": lambda m: remember(m, confidence=-0.01),
    "confidence endless": lambda m: remember(m, confidence=float("inf")),
    "subject too long": lambda m: remember(m, subject=LONG),
    "predicate of None": lambda m: remember(m, predicate=None),
    "project empty": lambda m: remember(m, project=""),
    "topic of None": lambda m: remember(m, topic=None),
    "tags of one text": lambda m: remember(m, tags="tea"),
    "tags of None": lambda m: remember(m, tags=None),
    "tags of numbers": lambda m: remember(m, tags=[1]),
    "tags of lists": lambda m: remember(m, tags=[["tea"]]),
    "a million tags": lambda m: remember(m, tags=map(str, range(1_000_000))),
    "tags without end": lambda m: remember(m, tags=map(str, itertools.count())),
    "sources of one text": lambda m: remember(m, sources="id"),
    "a source that is not there": lambda m: remember(m, sources=["nobody"]),
    "a source with half a pair": lambda m: remember(m, sources=[HALF]),
    "superseding nothing": lambda m: remember(m, supersedes=""),
    "superseding nobody": lambda m: remember(m, supersedes="nobody"),
    "superseding half a pair": lambda m: remember(m, supersedes=HALF),
    "an operation without a name": lambda m: remember(m, operation_id=""),
    "an operation with half a pair": lambda m: remember(m, operation_id=HALF),
    "valid from nonsense": lambda m: remember(m, valid_from="once"),
    "expiring at nonsense": lambda m: remember(m, expires_at=0),
    "memories of an unknown kind": lambda m: m.memories(kind="gossip"),
    "memories with half a pair": lambda m: m.memories(project=HALF),
    "memories without limit": lambda m: m.memories(limit=-1),
    "history of nobody": lambda m: m.history("nobody"),
    "history of nothing": lambda m: m.history(""),
    "history of half a pair": lambda m: m.history(HALF),
    # attachments
    "attaching nothing": lambda m: m.attach(""),
    "attaching too long a path": lambda m: m.attach(LONG),
    "attaching half a pair": lambda m: m.attach(HALF),
    "attaching sideways": lambda m: m.attach("a.png", direction="sideways"),  # type: ignore[arg-type]
    "attaching to None": lambda m: m.attach("a.png", session=None),  # type: ignore[arg-type]
    "attaching with a description of None": lambda m: m.attach("a", description=None),  # type: ignore[arg-type]
    "attaching with bytes": lambda m: m.attach("a", extracted_text=b"x"),  # type: ignore[arg-type]
    "attaching with half a pair": lambda m: m.attach("a", transcription=HALF),
    "attaching with one text as tags": lambda m: m.attach("a", tags="pet"),
    "attaching with a number as memories": lambda m: m.attach("a", memories=5),  # type: ignore[arg-type]
    "describing nobody": lambda m: m.describe_attachment("nobody", description="x"),
    "describing half a pair": lambda m: m.describe_attachment(HALF),
    "attachments sideways": lambda m: m.attachments(direction="sideways"),  # type: ignore[arg-type]
    "attachments without limit": lambda m: m.attachments(limit=0),
    "attachments of half a pair": lambda m: m.attachments(session=HALF),
    # reading
    "turns of an unknown role": lambda m: m.turns(role="robot"),  # type: ignore[arg-type]
    "turns of an unknown state": lambda m: m.turns(state="lost"),  # type: ignore[arg-type]
    "turns of half a session": lambda m: m.turns(session=HALF),
    "turns of half a tool": lambda m: m.turns(tool=HALF),
    "turns of half a project": lambda m: m.turns(project=HALF),
    "turns since nonsense": lambda m: m.turns(since="once"),
    "no turns": lambda m: m.turns(limit=0),
    "turns of a text limit": lambda m: m.turns(limit="5"),  # type: ignore[arg-type]
    "turns before the first": lambda m: m.turns(offset=-1),
    "turns of a text offset": lambda m: m.turns(offset="x"),  # type: ignore[arg-type]
    "sessions of a True limit": lambda m: m.sessions(limit=True),
    "sessions before the first": lambda m: m.sessions(offset=-5),
    "events of half a subject": lambda m: m.events(subject=HALF),
    "events of half a type": lambda m: m.events(type=HALF),
    "events without limit": lambda m: m.events(limit=10**12),
    "daily events of text": lambda m: m.daily_events(day="2026-02-12"),  # type: ignore[arg-type]
    "daily events without limit": lambda m: m.daily_events(limit=0),
    "usage since nonsense": lambda m: m.usage(since="once"),
    "usage without a purpose": lambda m: m.record_usage(
        purpose="", model="m", input_tokens=1, output_tokens=1
    ),
    "usage of fewer than none": lambda m: m.record_usage(
        purpose="p", model="m", input_tokens=-1, output_tokens=1
    ),
    "usage of half a token": lambda m: m.record_usage(
        purpose="p",
        model="m",
        input_tokens=0.5,  # type: ignore[arg-type]
        output_tokens=1,
    ),
    "a cost of NaN": lambda m: m.record_usage(
        purpose="p", model="m", input_tokens=1, output_tokens=1, cost=NAN
    ),
    "a cost of text": lambda m: m.record_usage(
        purpose="p",
        model="m",
        input_tokens=1,
        output_tokens=1,
        cost="free",  # type: ignore[arg-type]
    ),
    "jobs of an unknown state": lambda m: m.jobs(state="lost"),  # type: ignore[arg-type]
    "jobs without limit": lambda m: m.jobs(limit=0),
    "redriving one text": lambda m: m.redrive("id"),
    "discarding one text": lambda m: m.discard("id"),
    "discarding None": lambda m: m.discard(None),  # type: ignore[arg-type]
    "discarding half a pair": lambda m: m.discard([HALF]),
    # recall
    "recalling None": lambda m: m.recall(None),  # type: ignore[arg-type]
    "recalling half a pair": lambda m: m.recall(HALF),
    "recalling a book": lambda m: m.recall("x " * 100_000),
    "recalling none": lambda m: m.recall("tea", limit=0),
    "recalling a million": lambda m: m.recall("tea", limit=1_000_000),
    "recalling True": lambda m: m.recall("tea", limit=True),
    "recalling no type": lambda m: m.recall("tea", of=[]),
    "recalling an unknown type": lambda m: m.recall("tea", of=["rumour"]),  # type: ignore[list-item]
    "recalling since nonsense": lambda m: m.recall("tea", since="once"),
    "recalling as of nonsense": lambda m: m.recall("tea", as_of=NAN),  # type: ignore[arg-type]
    "recalling in half a session": lambda m: m.recall("tea", session=HALF),
    "recalling in half a project": lambda m: m.recall("tea", project=HALF),
}

TAKEN: dict[str, Try] = {
    "no content": lambda m: record(m, text=""),
    "blank content": lambda m: record(m, text=" \n\t"),
    "one word of a megabyte": lambda m: record(m, text="x" * MEGABYTE),
    "NUL bytes": lambda m: record(m, text="a\x00b\x00"),
    "every control character": lambda m: record(m, text="".join(map(chr, range(32)))),
    "a byte order mark": lambda m: record(m, text="\ufefftea"),
    "noncharacters": lambda m: record(m, text="\ufffe\uffff\U0010ffff"),
    "emoji in a family": lambda m: record(m, text="\U0001f468\u200d\U0001f469\u200d\U0001f467"),
    "marks without a letter": lambda m: record(m, text="\u0301" * 1_000),
    "right to left": lambda m: record(m, text="\u202eشاي"),
    "query syntax": lambda m: record(m, text='" OR NEAR( * ^ -- ; DROP'),
    "a session with separators": lambda m: record(m, session="../../a\\b:c"),
    "a session with NUL": lambda m: record(m, session="a\x00b"),
    "the longest session": lambda m: record(m, session="茶" * 512),
    "the highest index": lambda m: record(m, index=2**31 - 1),
    "the year 4": lambda m: record(m, at="0004-01-01"),
    "the year 9999": lambda m: record(m, at="9999-12-01"),
    "a tool without input": lambda m: record(m, tool_calls=[ToolCall("ls")]),
    "a tool input with number keys": lambda m: call(m, {1: "x", None: "y"}),
    "a tool input 50 deep": lambda m: call(m, deep(50)),
    "a long tool input": lambda m: call(m, {"text": "茶" * (MEGABYTE // 5)}),
    "a thousand tool calls": lambda m: record(m, tool_calls=[ToolCall("ls")] * 1_000),
    "a tool result of nothing": lambda m: record(m, tool_results=[ToolResult("")]),
    "a long memory": lambda m: remember(m, "茶" * (MEGABYTE // 5)),
    "a memory with NUL": lambda m: remember(m, "a\x00b", subject="\x00", tags=["\x00"]),
    "a hundred tags": lambda m: remember(m, tags=map(str, range(100))),
    "a memory from the future": lambda m: remember(m, valid_from="9999-01-01"),
    "a memory already expired": lambda m: remember(m, expires_at="1999-01-01"),
    "an importance of one": lambda m: remember(m, importance=1),
    "a path with NUL": lambda m: m.attach("a\x00b.png"),
    "a path of another system": lambda m: m.attach("\\\\server\\share\\a.png"),
    "a long description": lambda m: m.attach("a", description="茶" * (MEGABYTE // 5)),
    "a session nobody opened": lambda m: m.turns(session="nobody"),
    "recalling nothing": lambda m: m.recall(""),
    "recalling NUL": lambda m: m.recall("\x00"),
    "recalling one type": lambda m: m.recall("tea", of="turn"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_and_nothing_changes(mind: Mind, what: str) -> None:
    before = mind.stats()
    with pytest.raises((InvalidInput, mnemic.NotFound)) as caught:
        REFUSED[what](mind)
    assert caught.value.remedy
    assert caught.value.message
    after = mind.stats()
    assert (after.turns, after.sessions, after.memories) == (0, 0, 0)
    assert (after.attachments, after.events, after.jobs_ready) == (0, 0, 0)
    assert before.turns == 0


@pytest.mark.parametrize("what", TAKEN)
def test_it_is_taken_and_everything_still_works(mind: Mind, what: str) -> None:
    TAKEN[what](mind)
    mind.turns(limit=1000)
    mind.memories()
    told = mind.record(session="afterwards", role="user", text="oolong")
    assert [hit.id for hit in by_words(mind, "oolong")] == [told.id]
    assert [finding for finding in mind.doctor() if not finding.ok] == []


@pytest.mark.parametrize("content", ["", "\x00", "a\x00b", "\ufeff", "\r\n", "茶" * 100_000])
def test_content_comes_back_to_the_character(mind: Mind, content: str) -> None:
    mind.record(session="s", role="user", text=content, sender="a b")
    (turn,) = mind.turns()
    assert (turn.text, turn.sender) == (content, "a b")
    mind.remember(f"x{content}y", kind="fact")
    assert mind.memories()[0].text == f"x{content}y"


def test_a_turn_of_the_largest_size_is_found(mind: Mind) -> None:
    most = mind.settings.ledger.max_characters
    content = ("filler 茶 " * (most // 9))[: most - 10] + " needle 针尖"
    turn = mind.record(session="s", role="user", text=content)
    assert len(turn.text) == most
    for query in ("needle", "针尖"):
        assert [hit.id for hit in by_words(mind, query)] == [turn.id]


def test_the_same_index_twice_with_another_turn(mind: Mind) -> None:
    record(mind, index=0)
    with pytest.raises(mnemic.Conflict) as caught:
        record(mind, index=0, text="coffee")
    assert caught.value.remedy
    with pytest.raises(mnemic.Conflict):
        mind.record_many([NewTurn("t", "user", text, index=0) for text in ("a", "b")])
    assert mind.stats().turns == 1


def test_an_operation_that_did_something_else_is_a_conflict(
    open_mind: OpenMind, mind: Mind
) -> None:
    with mind._store.write("default") as unit:
        unit.journal.add_event(
            "retry",
            operation_id=constant("op"),
            subject=constant("job"),
            payload={},
            at=mind._clock.now(),
        )
    with pytest.raises(mnemic.Conflict) as caught:
        remember(mind, operation_id="op")
    assert caught.value.remedy


def test_a_big_batch_with_its_last_turn_bad_keeps_whole_batches_only(mind: Mind) -> None:
    turns = [NewTurn("s", "user", f"tea {n}", index=n) for n in range(4_500)]
    with pytest.raises(InvalidInput):
        mind.record_many([*turns, NewTurn("s", "robot", "x")])  # type: ignore[arg-type]
    kept = [turn.index for turn in mind.turns(session="s", limit=10_000)]
    assert kept == list(range(len(kept)))
    assert mind.record_many(turns).added == 4_500 - len(kept)
