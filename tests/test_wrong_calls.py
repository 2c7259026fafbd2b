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
