"""Shiyi: documents and cards follow each extraction and each confirmation, and facts do not age."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mnemic import Candidate
from mnemic.clock import ManualClock
from tests.conftest import OpenMind

WORDS: dict[str, Any] = {"embedding": {"provider": "none"}}


def read(tmp_path: Path, name: str) -> str:
    path = tmp_path / "data" / "memory" / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.mark.statement("C17", "C38")
@pytest.mark.parametrize(
    ("said", "known"), [("我叫小林，我住在杭州", "小林"), ("My name is Lin.", "Lin")]
)
def test_documents_and_the_card_follow_each_turn(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path, said: str, known: str
) -> None:
    mind = open_mind(preset="shiyi", **WORDS)
    with mind.session(id="s") as session:
        session.user(said)
        mind.drain()
        user = read(tmp_path, "shared/User.md")
        assert known in user
        assert known in mind.context("今天天气怎么样？").text, "the card is in the next prompt"
        written = (tmp_path / "data/memory/shared/User.md").stat().st_mtime_ns
        clock.advance(minutes=1)
        session.user("好的" if known == "小林" else "thanks")
        mind.drain()
    assert (tmp_path / "data/memory/shared/User.md").stat().st_mtime_ns == written
    assert not list((tmp_path / "data/memory").rglob("*.part")), "whole or not at all"


@pytest.mark.statement("C38")
def test_what_is_withdrawn_leaves_the_document_at_once(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path
) -> None:
    mind = open_mind(preset="shiyi", **WORDS)
    with mind.session(id="s") as session:
        session.user("我住在杭州")
        mind.drain()
        assert "杭州" in read(tmp_path, "shared/User.md")
        clock.advance(minutes=1)
        session.user("我搬家了，现在住在上海")
        mind.drain()
        user = read(tmp_path, "shared/User.md")
    assert "上海" in user
    assert "杭州" not in user


@pytest.mark.statement("C45")
@pytest.mark.parametrize("offered", ["喜欢深色主题", "Likes the lights dimmed"])
def test_a_confirmation_is_in_the_document_when_its_job_has_run(
    open_mind: OpenMind, tmp_path: Path, offered: str
) -> None:
    mind = open_mind(preset="shiyi", **WORDS)
    offer = Candidate(kind="preference", text=offered, subject="user", confidence=0.7)
    waiting = mind.propose(offer).memory
    assert waiting is not None
    mind.drain()
    assert offered not in read(tmp_path, "shared/User.md")
    mind.confirm(waiting.id)
    mind.drain()
    assert offered in read(tmp_path, "shared/User.md")


@pytest.mark.statement("C56")
def test_facts_end_only_by_being_replaced_or_rejected(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(preset="shiyi", **WORDS)
    kinds = ("identity", "preference", "rule", "fact", "decision", "skill", "lesson", "event")
    for kind in (*kinds, "temp"):
        mind.remember(f"关于{kind}的一件小事", kind=kind, importance=0.1)
    twin = mind.remember("关于fact的一件小事情", kind="fact", importance=0.1)
    for _ in range(3):
        clock.advance(days=200)
        mind.drain()
        mind.upkeep("daily")
        mind.upkeep("weekly")
    assert len(mind.memories()) == len(kinds) + 2
    mind.remember("关于fact的一件大事", kind="fact", supersedes=twin.id)
    assert mind.get(twin.id).status == "superseded"
