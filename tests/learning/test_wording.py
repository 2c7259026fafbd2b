"""A steered model's version of what the owner said is not the owner's: order and negation count."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import mnemic
from mnemic import Mind, NewTurn, ToolCall, ToolResult
from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind
from tests.learning import thinking
from tests.learning.test_voices import owners, steered
from tests.providers.scripted import Scripted

pytestmark = pytest.mark.feature("N2")

with Path(__file__).with_name("wordings.toml").open("rb") as file:
    DATA: dict[str, list[tuple[str, str]]] = tomllib.load(file)
TURNED = (0, 1, 3, 5, 10, 12, 13, 14, 15, 16, 18, 19)  # those of `steered` that say the opposite
_NUMBER = re.compile(r"talk-(steered|plain|honest)-(\d+)")


def pairs(name: str) -> list[tuple[str, str]]:
    return DATA["honest" if name == "honest" else "steered"]


def proposed(shown: str) -> list[thinking.Fact]:
    """The model's version, as the owner's: certain, important, standing on the owner's turn."""
    found = _NUMBER.search(shown)
    assert found is not None
    name, number = found.group(1), int(found.group(2))
    kind = ("rule", "identity", "trait")[number % 3] if name != "honest" else "rule"
    owners = [n for n, role, text in thinking.lines(shown) if role == "user" and "talk" not in text]
    return [
        {
            "kind": kind,
            "content": pairs(name)[number][1],
            "subject": "user",
            "predicate": f"rule {name} {number}",
            "importance": 0.9,
            "confidence": 0.95,
            "duration": "permanent",
            "turns": owners[:1],
        }
    ]


def turns(name: str, number: int) -> list[NewTurn]:
    session = f"talk-{name}-{number}"
    said = pairs(name)[number][0]
    page = (ToolResult("Prices are fine today.", "a"),) if name == "steered" else ()
    calls = (ToolCall("fetch", {"page": "x"}, "a"),) if name == "steered" else ()
    return [
        NewTurn(session, "user", said),
        NewTurn(session, "assistant", "ok", tool_calls=calls, tool_results=page),
        NewTurn(session, "user", f"thanks for {session}"),
    ]


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mind]:
    path = tmp_path_factory.mktemp("wording") / "memory.db"
    with pytest.MonkeyPatch.context() as patch, Scripted() as server:
        patch.setenv("NO_PROXY", "127.0.0.1")
        server.always(thinking.proposing(proposed))
        given = thinking.settings(server)
        with mnemic.open(path, clock=ManualClock(NOON), worker="none", **given) as opened:
            for name in ("steered", "plain", "honest"):
                for number in TURNED if name == "plain" else range(len(pairs(name))):
                    session = turns(name, number)
                    opened.record_many(session)
                    opened.end_session(session[0].session)
            drained = opened.drain()
            assert drained.dead == drained.retried == 0
            yield opened


def active(mind: Mind) -> set[str]:
    return {one.predicate for one in mind.memories(limit=1_000)}


def test_no_steered_answer_is_in_force(mind: Mind) -> None:
    assert len(DATA["steered"]) >= 20
    wrong = {f"rule steered {n}" for n in range(len(DATA["steered"]))}
    assert wrong & active(mind) == set()
    waiting = {one.predicate for one in mind.pending(limit=1_000)}
    own = {one.text for one in mind.memories(limit=1_000) if one.trust == "owner"}
    said = {f"rule steered {n}" for n, (words, _) in enumerate(DATA["steered"]) if words in own}
    assert wrong - said <= waiting, "it waits, unless the owner's very words are in force"
    assert not {answer for _, answer in DATA["steered"]} & own


def test_the_opposite_waits_in_a_plain_talk_too(mind: Mind) -> None:
    turned = {f"rule plain {n}" for n in TURNED}
    assert turned & active(mind) == set()


def test_an_honest_paraphrase_is_in_force(mind: Mind) -> None:
    assert len(DATA["honest"]) >= 20
    wanted = {f"rule honest {n}" for n in range(len(DATA["honest"]))}
    assert wanted - active(mind) == set()


# What a model makes of it, and whether it is in force at once: what a sentence goes on to ask or to
# tell takes nothing back, but a condition, a supposition or a speaker does.
CLAUSES = {
    "I run a kiosk in Split and this bill came, what does it want me to pay?": ("kiosk", True),
    "I use a hearing aid, ask them if the hall has a loop": ("hearing aid", True),
    "我在码头修船，这张单子到底要我交什么": ("修船", True),
    "If we ever move to Split, I run a kiosk there": ("kiosk", False),
    "Imagine I use a hearing aid, how would the hall sound?": ("hearing aid", False),
    "I use a hearing aid, my aunt says": ("hearing aid", False),
    "要是搬到海边的话，我在码头修船": ("修船", False),
}
MADE = {
    "kiosk": "The user runs a kiosk in Split",
    "hearing aid": "The user uses a hearing aid",
    "修船": "用户在码头修船",
}


@pytest.mark.parametrize("said", CLAUSES)
def test_an_identity_is_judged_by_its_clause(open_mind: OpenMind, said: str) -> None:
    about, at_once = CLAUSES[said]
    with Scripted() as server:
        mind = open_mind(":memory:", **steered(server, "identity", MADE[about], by_reader=False))
        assert any(about in one.text for one in owners(mind, said)) is at_once
