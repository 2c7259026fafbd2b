"""Wrong uses of the Python API: one of our errors with its remedy, or a TypeError that names the
keyword that was meant.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Mind
from mnemic.errors import MnemicError

NOBODY = "01a1e748-0000-7000-8000-000000000000"
Wrong = Callable[[Any], object]
REFUSED: dict[str, Wrong] = {
    "record a role": lambda m: m.record(session="s", role="wizard", text="x"),
    "record no text": lambda m: m.record(session="s", role="user", text=None),
    "record bytes": lambda m: m.record(session="s", role="user", text=b"x"),
    "record an empty session": lambda m: m.record(session="", role="user", text="x"),
    "record at a word": lambda m: m.record(session="s", role="user", text="x", at="soon"),
    "record at -1": lambda m: m.record(session="s", role="user", text="x", index=-1),
    "record a dict as a call": lambda m: m.record(
        session="s", role="assistant", text="", tool_calls=[{"name": "x"}]
    ),
    "record metadata of a list": lambda m: m.record(
        session="s", role="user", text="x", metadata=["a"]
    ),
    "record_many text": lambda m: m.record_many(["x"]),
    "record_turn text": lambda m: m.record_turn("x"),
    "remember nothing": lambda m: m.remember(""),
    "remember a number": lambda m: m.remember(7),
    "remember a kind": lambda m: m.remember("tea", kind="wizard"),
    "remember an importance": lambda m: m.remember("tea", importance=7),
    "remember a source": lambda m: m.remember("tea", sources=[NOBODY]),
    "remember after nobody": lambda m: m.remember("tea", supersedes=NOBODY),
    "remember a day": lambda m: m.remember("tea", valid_from="someday"),
    "remember a trust": lambda m: m.remember("tea", trust="friend"),
    "add_many a list": lambda m: m.add_many(["tea"]),
    "propose text": lambda m: m.propose("tea"),
    "get nobody": lambda m: m.get(NOBODY),
    "get a number": lambda m: m.get(3),
    "find_id short": lambda m: m.find_id("01"),
    "find_id nobody": lambda m: m.find_id("0199999999"),
    "edit nobody": lambda m: m.edit(NOBODY, text="x"),
    "delete nobody": lambda m: m.delete(NOBODY),
    "archive nobody": lambda m: m.archive(NOBODY),
    "restore nobody": lambda m: m.restore(NOBODY),
    "history of nobody": lambda m: m.history(NOBODY),
    "reveal nobody": lambda m: m.reveal(NOBODY),
    "confirm nobody": lambda m: m.confirm(NOBODY),
    "memories limit 0": lambda m: m.memories(limit=0),
    "memories of a kind": lambda m: m.memories(kind="wizard"),
    "memories in an order": lambda m: m.memories(order="biggest"),
    "memories metadata list": lambda m: m.memories(metadata={"a": [1]}),
    "recall nothing": lambda m: m.recall(None),
    "recall limit 0": lambda m: m.recall("tea", limit=0),
    "recall limit text": lambda m: m.recall("tea", limit="10"),
    "recall of dreams": lambda m: m.recall("tea", of="dreams"),
    "recall of nothing": lambda m: m.recall("tea", of=()),
    "recall since": lambda m: m.recall("tea", since="someday"),
    "recall min_score": lambda m: m.recall("tea", min_score=3),
    "recall metadata": lambda m: m.recall("tea", metadata={"a": {"b": 1}}),
    "context budget 0": lambda m: m.context("tea", budget=0),
    "context host": lambda m: m.context("tea", host={"nope": "x"}),
    "retrieve max_tokens": lambda m: m.retrieve("tea", max_tokens=0),
    "forget nothing": lambda m: m.forget(),
    "forget a source": lambda m: m.forget(source="nobody"),
    "rollback": lambda m: m.rollback("nobody"),
    "end nobody": lambda m: m.end_session("nobody"),
    "emit": lambda m: m.emit("deployed"),
    "upkeep monthly": lambda m: m.upkeep("monthly"),
    "undo nothing": lambda m: m.undo_upkeep("nothing"),
    "jobs state": lambda m: m.jobs(state="done"),
    "drain a word": lambda m: m.drain(timeout="soon"),
    "attach nothing": lambda m: m.attach(""),
    "turns role": lambda m: m.turns(role="wizard"),
    "episodes outcome": lambda m: m.episodes(outcome="great"),
    "session empty": lambda m: m.session(""),
    "open a preset": lambda m: mnemic.open(":memory:", preset="nope"),
    "open a setting": lambda m: mnemic.open(":memory:", jobs__max_attempt=3),
    "open a value": lambda m: mnemic.open(":memory:", jobs__max_attempts="x"),
    "open mysql": lambda m: mnemic.open("mysql://x"),
    "open a worker": lambda m: mnemic.open(":memory:", worker="ten"),
    "open a number": lambda m: mnemic.open(3),  # type: ignore[arg-type]
    "record_many a turn": lambda m: m.record_many(mnemic.NewTurn("s", "user", "x")),
    "record an hour": lambda m: m.record(session="s", role="user", text="x", at=25),
    "record half a pair": lambda m: m.record(session="s", role="user", text="\ud83d"),
    "record a session of a list": lambda m: m.record(session=["s"], role="user", text="x"),
    "remember a list of tags": lambda m: m.remember("tea", tags="drinks"),
    "remember true": lambda m: m.remember("tea", importance=True),
    "remember the past": lambda m: m.remember("tea", valid_from="2026-02-30"),
    "remember metadata": lambda m: m.remember("tea", metadata={"a": object()}),
    "memories offset": lambda m: m.memories(offset=-1),
    "memories status": lambda m: m.memories(status="gone"),
    "memories as of": lambda m: m.memories(as_of="the day before"),
    "memories importance": lambda m: m.memories(min_importance="high"),
    "recall a list": lambda m: m.recall(["tea"]),
    "recall since a number": lambda m: m.recall("tea", since=2026),
    "recall a bool": lambda m: m.recall("tea", limit=True),
    "recall bytes": lambda m: m.recall(b"tea"),
    "context a float": lambda m: m.context("tea", budget=1.5),
    "context host text": lambda m: m.context("tea", host={"system": 7}),
    "context count": lambda m: m.context("tea", count=lambda text: "many"),
    "context shown": lambda m: m.context("tea", shown=[3]),
    "evidence of text": lambda m: m.evidence("tea", ["tea"]),
    "get text": lambda m: m.get("my first memory"),
    "edit to nothing": lambda m: m.edit(NOBODY, text=""),
    "archive a list": lambda m: m.archive([NOBODY]),
    "confirm a number": lambda m: m.confirm(1),
    "ignore nobody": lambda m: m.ignore(NOBODY),
    "snooze nobody": lambda m: m.snooze(NOBODY),
    "rollback a trust": lambda m: m.rollback("trust:friend"),
    "forget two": lambda m: m.forget(query="tea", session="s", id=NOBODY),
    "forget a day": lambda m: m.forget(since="someday"),
    "growth 0": lambda m: m.growth(days=0),
    "growth of a word": lambda m: m.growth(days="ten"),
    "decay of nobody": lambda m: m.decay_curve(NOBODY),
    "audit": lambda m: m.audit(progress=3),
    "events": lambda m: m.events(limit=0),
    "events of a number": lambda m: m.events(type=3),
    "daily events": lambda m: m.daily_events(day="today"),
    "usage": lambda m: m.usage(since="someday"),
    "redrive nobody": lambda m: m.redrive(NOBODY),
    "discard nobody": lambda m: m.discard("nobody"),
    "approve nobody": lambda m: m.approve_rule("nobody"),
    "write a document": lambda m: m.write_document("nope", "x"),
    "write bytes": lambda m: m.write_document("user", b"x"),
    "a task of bytes": lambda m: m.set_task(b"x"),
    "a scratchpad": lambda m: m.write_scratchpad(7),
    "sync a folder": lambda m: m.sync_folder("x\0y"),
    "sync nothing": lambda m: m.sync_folder(""),
    "merge nowhere": lambda m: m.merge("/nowhere/at/all.db"),
    "merge a name": lambda m: m.merge("x" * 300),
    "attach a number": lambda m: m.attach(3),
    "describe nobody": lambda m: m.describe_attachment(NOBODY, description="a cat"),
    "usage of a model": lambda m: m.record_usage(
        purpose="x", model="m", input_tokens=-1, output_tokens=1
    ),
    "emit nothing": lambda m: m.emit(""),
    "metrics": lambda m: mnemic.open("x\0y"),
    "open a long name": lambda m: mnemic.open("x" * 300),
    "open bytes": lambda m: mnemic.open(b"x.db"),  # type: ignore[arg-type]
    "open blank": lambda m: mnemic.open("   "),
    "a session's window": lambda m: m.session("s").window(tokens=0),
    "a session's recent": lambda m: m.session("s").recent(limit=-1),
    "a session's tool": lambda m: m.session("s").tool(7),
    "a session's variables": lambda m: m.session("s").set_variables([1]),
    "connect threads": lambda m: mnemic.connect(":memory:", threads=0),
}
MEANT: dict[str, tuple[Wrong, str]] = {
    "record content": (lambda m: m.record(session="s", role="user", content="x"), "'text'"),
    "recall k": (lambda m: m.recall("tea", k=3), "'limit'"),
    "recall top_k": (lambda m: m.recall("tea", top_k=3), "'limit'"),
    "recall limits": (lambda m: m.recall("tea", limits=3), "'limit'"),
    "recall sesion": (lambda m: m.recall("tea", sesion="s"), "'session'"),
    "memories knd": (lambda m: m.memories(knd="fact"), "'kind'"),
    "memories statuss": (lambda m: m.memories(statuss="all"), "'status'"),
    "remember tagz": (lambda m: m.remember("tea", tagz=["x"]), "'tags'"),
    "edit content": (lambda m: m.edit(NOBODY, content="x"), "'text'"),
    "forget qery": (lambda m: m.forget(qery="x"), "'query'"),
    "context budgt": (lambda m: m.context("tea", budgt=3), "'budget'"),
    "session projct": (lambda m: m.session("s", projct="x"), "'project'"),
    "turns rol": (lambda m: m.turns(rol="user"), "'role'"),
    "drain time_out": (lambda m: m.drain(time_out=1), "'timeout'"),
    "user content": (lambda m: m.session("s").user(content="x"), "'text'"),
    "recall query_text": (lambda m: m.recall(query_text="tea"), "'query'"),
    "memories max": (lambda m: m.memories(limt=3), "'limit'"),
    "remember categry": (lambda m: m.remember("tea", kinds="fact"), "'kind'"),
    "events types": (lambda m: m.events(types="x"), "'type'"),
    "growth day": (lambda m: m.growth(day=3), "'days'"),
    "stats days": (lambda m: m.stats(days=3), "takes no keywords"),
}


@pytest.mark.parametrize("wrong", REFUSED.values(), ids=REFUSED)
def test_it_is_one_of_our_errors_with_a_remedy(mind: Mind, wrong: Wrong) -> None:
    with pytest.raises(MnemicError) as refused:
        wrong(mind)
    assert refused.value.message
    assert refused.value.remedy
    assert refused.value.remedy in str(refused.value)


@pytest.mark.parametrize(("wrong", "meant"), MEANT.values(), ids=MEANT)
def test_a_keyword_that_is_not_known_is_answered_with_the_one_that_was_meant(
    mind: Mind, wrong: Wrong, meant: str
) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument") as refused:
        wrong(mind)
    assert meant in str(refused.value)


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("dear diary " * 500, encoding="utf-8")
    with pytest.raises(MnemicError) as refused:
        mnemic.open(note)
    assert "note.txt" in refused.value.message
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("options", "meant"),
    [
        ({"presett": "semibot"}, "preset"),
        ({"spaces": "alice"}, "space"),
        ({"workers": "none"}, "worker"),
        ({"embeder": {}}, "embedder"),
    ],
)
def test_a_mistyped_option_of_open_is_answered_with_the_one_that_was_meant(
    options: dict[str, Any], meant: str
) -> None:
    with pytest.raises(MnemicError) as refused:
        mnemic.open(":memory:", **options)
    assert f"Did you mean {meant}" in refused.value.remedy
