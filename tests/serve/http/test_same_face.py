"""The client is a Mind: the same methods, the same answers, the same errors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import (
    Candidate,
    Mind,
    NewDailyEvent,
    NewEpisode,
    NewMemory,
    NewTurn,
    ToolCall,
    ToolResult,
)
from mnemic.clock import ManualClock
from mnemic.engine.remote.client import RemoteMind
from mnemic.plain import plain
from tests.cli.conftest import Shell
from tests.conftest import NOON, OpenMind
from tests.serve.http.conftest import Running, serving

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_HEX = re.compile(r"mnemic-memory-[0-9a-f]+")


def test_every_method_of_mind_is_there_with_its_signature() -> None:
    for name, method in inspect.getmembers(Mind, inspect.isfunction):
        if name.startswith("_"):
            continue
        ours = getattr(RemoteMind, name)
        assert ours is not method or name == "words", f"{name} would look for a database"
        if name != "attach":
            assert _shape(ours) == _shape(method), name


def _shape(method: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    parameters = inspect.signature(method).parameters.values()
    return [(one.name, one.kind, one.annotation) for one in parameters]


class Named:
    """Ids are random: the first one that comes is the first in the comparison."""

    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}

    def of(self, value: Any) -> Any:
        if isinstance(value, str):
            value = _HEX.sub("fence", value)
            return _ID.sub(
                lambda m: self._numbers.setdefault(m[0], f"#{len(self._numbers)}"), value
            )
        if isinstance(value, dict):
            # Over there an operation has the key of its request.
            rest = {key: one for key, one in value.items() if key != "operation_id"}
            return {self.of(key): self.of(one) for key, one in rest.items()}
        return [self.of(one) for one in value] if isinstance(value, list) else value


def life(mind: Mind, clock: ManualClock) -> Iterator[tuple[str, Any]]:
    """A good part of what can be done with a mind, and each answer."""
    yield from talking(mind)
    yield from statements(mind)
    clock.advance(minutes=10)
    yield from recalling(mind)
    yield from looking_after(mind)


def talking(mind: Mind) -> Iterator[tuple[str, Any]]:
    with mind.session("talk", project="shop", topic="tea") as talk:
        yield "user", talk.user("I like green tea, and my cat is called Tom", sender="Ann")
        calls = [ToolCall("write_file", {"path": "/tmp/a.txt"}, "c1")]
        results = [ToolResult("done", "c1")]
        yield "assistant", talk.assistant("Noted", tool_calls=calls, tool_results=results)
        yield "tool", talk.tool(tool_results=[ToolResult("no such file", "c2", is_error=True)])
        yield "recent", talk.recent(2)
        yield "window", talk.window(50)
        yield "session turns", talk.turns()
        yield "set_task", talk.set_task("repair the shop")
        yield "set_variables", talk.set_variables({"a": [1, {"b": None}], "c": "x"})
        yield "variables", talk.variables()
        talk.clear()
        yield "window after", talk.window()
    yield (
        "record",
        mind.record(
            session="a/b ü", role="user", text="多喝绿茶", at=NOON, index=3, metadata={"k": [1]}
        ),
    )
    many = [NewTurn("bulk", "user", f"line {n}", at=NOON) for n in range(30)]
    yield "record_many", mind.record_many(many, topics={"bulk": "lines"}, project="shop")
    yield (
        "record_many again",
        mind.record_many([replace(turn, index=n) for n, turn in enumerate(many)]),
    )
    yield "record_turn", mind.record_turn(NewTurn("talk", "user", "deploy with make ship"))
    yield "sessions", mind.sessions(limit=2, offset=1)
    yield "turns", mind.turns(session="bulk", newest_first=True, limit=3, offset=2)
    yield "turns by metadata", mind.turns(metadata={"k": None})
    file = mind.attach("/nowhere/cat.png", session="talk", description="a cat", tags=["cat"])
    yield "attach", file
    yield "describe", mind.describe_attachment(file.id, transcription="meow")
    yield "attachments", mind.attachments(direction="inbound")


def statements(mind: Mind) -> Iterator[tuple[str, Any]]:
    kept = mind.remember("likes jasmine tea", kind="preference", tags=["tea"], metadata={"n": 1})
    yield "remember", kept
    yield "remember again", mind.remember("likes jasmine tea", kind="preference")
    edited = mind.edit(kept.id, text="likes jasmine tea in the morning", importance=0.9)
    yield "edit", edited
    yield "get", mind.get(kept.id)
    yield "history", mind.history(kept.id)
    yield "propose", mind.propose(Candidate("rule", "Always test before a deploy", confidence=0.9))
    waiting = mind.pending()
    yield "pending", waiting
    yield "offer", mind.pending(offer=True)
    for one in waiting[:1]:
        yield "snooze", mind.snooze(one.id)
        yield "confirm", mind.confirm(one.id)
    records: dict[str, NewMemory | NewEpisode | NewDailyEvent] = {
        "m": NewMemory("speaks French", "fact", learned_at="2026-01-01T00:00:00Z"),
        "e": NewEpisode("old", "Tried the shop", "2026-01-02T09:00:00Z", tools=["bash"]),
        "d": NewDailyEvent("2026-01-02", "Spoke of the shop"),
    }
    yield "add_many", mind.add_many(records)
    yield "add_many again", mind.add_many(records)
    yield "put_item", mind.put_item("app/a", "k 1", {"colour": ["red"]}, text="a red door")
    yield "archive", mind.archive(edited.id)
    yield "restore", mind.restore(edited.id)


def recalling(mind: Mind) -> Iterator[tuple[str, Any]]:
    yield "drain", mind.drain()
    (kept,) = mind.memories(text="jasmine tea")
    yield "memories", mind.memories(order="oldest", limit=50)
    yield "memories as of", mind.memories(as_of=NOON, text="TEA")
    yield "projects", mind.projects()
    yield "recall", mind.recall("what tea do they like?", limit=3, since="2026-01-01")
    yield "recall of", mind.recall("tea", of="turn", around=["green"])
    yield "retrieve", mind.retrieve("tea", max_tokens=200)
    records = mind.evidence("tea", mind.recall("tea", limit=3))
    yield "evidence", [(one.hit, one.head) for one in records]
    yield "context", mind.context("tea?", session="talk", budget=2000, host={"system": "Be kind"})
    yield "words", mind.words(mind.get(kept.id))
    yield "gate", mind.gate("do you remember my cat?")
    mind.note_shown(["a text"], session="talk")
    yield "episodes", mind.episodes(limit=5)
    yield "scratchpad", mind.write_scratchpad("# Current task\n\nship it\n", by="agent")
    yield "read scratchpad", mind.scratchpad()
    yield "before_compression", (story := mind.before_compression("bulk"))
    yield "after_compression", mind.after_compression(story.id, "They counted lines")
    yield "emit", mind.emit("host.noted", {"a": 1}, subject="x")
    yield "events", mind.events(type="host.noted")
    yield "note_failure", mind.note_failure("upload", "refused")
    mind.record_usage(purpose="p", model="m", input_tokens=1, output_tokens=2)
    yield "usage total", mind.usage(since=NOON)


def looking_after(mind: Mind) -> Iterator[tuple[str, Any]]:
    yield "daily_events", mind.daily_events(day=NOON.date())
    yield "upkeep", [step.name for step in mind.upkeep("daily", dry_run=True).steps]
    yield "sync", mind.sync().changed
    yield "questions", mind.questions()
    yield "onboarding", mind.onboarding(begin=True)
    yield "onboard", mind.onboard("Call me Ann")
    yield "jobs", [job.kind for job in mind.jobs()]
    yield "redrive", mind.redrive()
    yield "waiting_rules", mind.waiting_rules()
    yield "growth", mind.growth(days=3)
    yield "decay", mind.decay_curve(mind.memories(text="jasmine tea")[0].id)
    yield "documents", [replace(one, digest="") for one in mind.documents()]
    yield "metrics", mind.metrics(days=30)
    yield "audit", mind.audit()
    yield "rollback", mind.rollback("session:talk", dry_run=True).removed
    preview = mind.forget(session="bulk", dry_run=True)
    yield "preview", (preview.counts, preview.items)
    receipt = mind.forget(session="bulk")
    yield "forget", receipt.counts
    yield "doctor", [(one.check, one.ok) for one in mind.doctor(forgotten=receipt)]
    yield "repair", mind.repair()
    yield "delete", mind.delete(mind.memories(text="jasmine tea")[0].id)
    stats = mind.stats()
    yield "stats", replace(stats, file_bytes=0)


def test_a_life_gives_the_same_answers_here_and_there(open_mind: OpenMind, tmp_path: Path) -> None:
    here, there = ManualClock(NOON), ManualClock(NOON)
    (tmp_path / "served").mkdir()
    (tmp_path / "local").mkdir()
    with serving(tmp_path / "served", there, preset="default") as running:
        local = open_mind(tmp_path / "local" / "memory.db", clock=here)
        names = Named(), Named()
        both = zip(life(local, here), life(running.mind(), there), strict=True)
        for (what, ours), (_, theirs) in both:
            assert type(ours) is type(theirs), what
            expected, got = names[0].of(plain(ours)), names[1].of(plain(theirs))
            assert got == expected, what


WRONG: dict[str, Callable[[Mind], object]] = {
    "no memory": lambda mind: mind.get("nobody"),
    "no session name": lambda mind: mind.record(session="", role="user", text="x"),
    "a role": lambda mind: mind.record(session="s", role="king", text="x"),  # type: ignore[arg-type]
    "a type": lambda mind: mind.recall(7),  # type: ignore[arg-type]
    "a limit": lambda mind: mind.turns(limit=0),
    "a time": lambda mind: mind.turns(since="yesterday-ish"),
    "an order": lambda mind: mind.memories(order="best"),  # type: ignore[arg-type]
    "a taken place": lambda mind: [
        mind.record(session="s", role="user", text=text, index=0) for text in ("a", "b")
    ],
    "half a character": lambda mind: mind.record(session="s", role="user", text="\ud800"),
    "no rule": lambda mind: mind.approve_rule("nobody"),
    "an unknown source": lambda mind: mind.rollback("planet:mars"),
    "nothing to forget": lambda mind: mind.forget(),
}


def test_errors_are_the_same(mind: Mind, served: Running) -> None:
    remote = served.mind()
    for what, call in WRONG.items():
        with pytest.raises(mnemic.MnemicError) as ours:
            call(mind)
        with pytest.raises(mnemic.MnemicError) as theirs:
            call(remote)
        assert theirs.type is ours.type, what
        assert theirs.value.remedy, what
    with pytest.raises(TypeError, match="unexpected"):
        remote.turns(nothing=1)  # type: ignore[call-arg]


def test_what_cannot_be_sent_is_refused(served: Running) -> None:
    with pytest.raises(mnemic.InvalidInput, match="function"):
        served.mind().context("tea", count=len)
    with pytest.raises(mnemic.InvalidInput, match="path"):
        served.mind().merge("other.db")
    with pytest.raises(mnemic.InvalidInput, match="path"):
        served.mind().sync_folder("shared")


def test_a_list_longer_than_a_page_comes_whole(served: Running) -> None:
    remote = served.mind()
    remote.record_many([NewTurn("s", "user", f"line {n}") for n in range(1_203)])
    assert len(remote.turns(limit=5_000)) == 1_203
    assert len(remote.turns()) == 100
    assert [turn.text for turn in remote.turns(limit=1_100, offset=2)][-1] == "line 1101"
    for number in range(5):
        remote.emit("host.noted", {"n": number})
    with served.http() as http:
        page: dict[str, str | int] = {"type": "host.noted", "limit": 2}
        first = http.get("/v1/spaces/default/events", params=page).json()
        second = http.get(
            "/v1/spaces/default/events", params={**page, "offset": first["next"]}
        ).json()
        last = http.get("/v1/spaces/default/events", params={**page, "offset": second["next"]})
    seen = [one["payload"]["n"] for one in first["items"] + second["items"] + last.json()["items"]]
    assert seen == [4, 3, 2, 1, 0]
    assert last.json()["next"] is None


def test_the_async_client_is_the_same_definition(served: Running) -> None:
    import asyncio

    async def talk() -> None:
        opened = await mnemic.open_async(served.url, token=served.admin)
        async with opened as mind:
            async with await mind.session("s") as session:
                await session.user("I like tea")
            assert [hit.text for hit in await mind.recall("tea")] == ["I like tea"]
            with pytest.raises(mnemic.NotFound):
                await mind.get("nobody")
        with pytest.raises(mnemic.Closed):
            await mind.stats()

    asyncio.run(talk())


def test_commands_take_an_address(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMIC_TOKEN", served.admin)
    shell, at = Shell(Path(served.url)), ("--db", served.url, "--space", "alice")
    shell("record", "--session", "s", "I like green tea", *at)
    assert [hit["text"] for hit in shell.json("recall", "tea", *at)] == ["I like green tea"]
    kept = shell.json("add", "likes oolong", "--kind", "preference", *at)
    assert "likes oolong" in shell("memories", *at).stdout
    assert served.engine.mind("alice").get(kept["id"]).text == "likes oolong"
    monkeypatch.setenv("MNEMIC_TOKEN", "wrong")
    assert "token" in shell("stats", *at, code=1).stderr


def test_nobody_there() -> None:
    with pytest.raises(mnemic.ServiceUnavailable, match="mnemic serve"):
        mnemic.open("http://127.0.0.1:9", token="t")
    for wrong in ("http://", "http://me:you@host", "http://host/?a=b", "http://[x"):
        with pytest.raises(mnemic.ConfigError):
            mnemic.open(wrong, token="t")
    with pytest.raises(mnemic.ConfigError, match="token"):
        mnemic.open("http://127.0.0.1:9", token="two words")
