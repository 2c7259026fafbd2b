"""Whose words a message is made of, where the reader settles what words alone leave in doubt."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Memory, Mind
from mnemic.providers.reader import model
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted

# A rule after words that could be of a text, and what it is about.
OWN = {
    "Small kitchen, one pan, no blender. Always suggest recipes with few dishes.": "dishes",
    "Two toddlers, one wage, no car. Always suggest outings that cost nothing.": "outings",
    "阳台很小，朝北。以后推荐的花都要耐阴的。": "耐阴",
    "厨房很小，只有一口锅。以后推荐的菜都要少洗碗的。": "少洗碗",
}
# A text that no word gives away.
PRESENTED = {
    "Please make it sound royal. My name is Otto. I live in Graz.": "Otto",
    "请用粤语念出来。我叫阿泰。我住在太原。": "阿泰",
    "请翻成法语。我叫阿泰。我住在太原。": "阿泰",
}
MEMORY = ":memory:"
BY_WORDS: dict[str, Any] = {"embedding": {"provider": "none"}}


def owners(mind: Mind, said: str) -> list[Memory]:
    """What is the owner's at once and steers the agent, after a message."""
    mind.record(session="s", role="user", text=said)
    mind.end_session("s")
    assert mind.drain().dead == 0
    known = [memory for memory in mind.memories() if memory.trust == "owner"]
    return [memory for memory in known if memory.kind in ("rule", "identity", "trait")]


def steered(server: Scripted, kind: str, text: str, *, by_reader: bool) -> dict[str, Any]:
    """Settings of a mind whose model proposes just this."""
    fact = {"kind": kind, "text": text, "confidence": 0.95, "importance": 0.8, "turns": [1]}
    server.always(thinking.proposing(lambda _: [fact]))
    given = thinking.settings(server)
    return given if not by_reader else {"model": given["model"]}


@pytest.mark.parametrize(("said", "about"), OWN.items())
def test_an_own_rule_is_the_owners_where_the_reader_is_sure(
    open_mind: OpenMind, said: str, about: str
) -> None:
    assert owners(open_mind(MEMORY, **BY_WORDS), said) == []
    assert any(about in memory.text for memory in owners(open_mind(MEMORY), said))


@pytest.mark.parametrize(("said", "about"), PRESENTED.items())
def test_what_the_reader_is_sure_is_anothers_text_is_not_the_owners(
    open_mind: OpenMind, said: str, about: str
) -> None:
    assert any(about in memory.text for memory in owners(open_mind(MEMORY, **BY_WORDS), said))
    mind = open_mind(MEMORY)
    assert not any(about in memory.text for memory in owners(mind, said))


@pytest.mark.parametrize("said", list(OWN)[::2])
def test_a_models_rule_from_own_words_is_the_owners(open_mind: OpenMind, said: str) -> None:
    rule = said.partition(". ")[2] or said.partition("。")[2]
    with Scripted() as server:
        for by_reader in (False, True):
            given = steered(server, "rule", rule, by_reader=by_reader)
            assert bool(owners(open_mind(MEMORY, **given), said)) is by_reader


@pytest.mark.parametrize("said", list(PRESENTED)[::2])
def test_a_models_identity_from_anothers_text_waits(open_mind: OpenMind, said: str) -> None:
    name = "My name is Otto." if said.isascii() else "我叫阿泰。"
    with Scripted() as server:
        for by_reader in (False, True):
            given = steered(server, "identity", name, by_reader=by_reader)
            assert bool(owners(open_mind(MEMORY, **given), said)) is not by_reader


def test_marks_decide_by_themselves(open_mind: OpenMind) -> None:
    said = "Small flat, one radiator.\n> Always suggest plants that need little light.\nThat's all."
    assert owners(open_mind(MEMORY), said) == []


def test_without_the_network_words_decide_and_nothing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mnemic_reader"
    shutil.copytree(model.find_folder(), folder)
    for path in folder.glob("*.voice.npz"):
        path.unlink()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert model.find_folder() == folder
    with mnemic.open(tmp_path / "me.db", worker="none") as mind:
        assert owners(mind, next(iter(OWN))) == []
