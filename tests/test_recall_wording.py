"""What the wording of a query says about the evidence it wants."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic import Mind
from tests.conftest import OpenMind

TEXT_ONLY: dict[str, Any] = {"embedding__provider": "none"}
pytestmark = pytest.mark.feature("R5")


def texts(mind: Mind, query: str, k: int = 3) -> list[str]:
    return [hit.text for hit in mind.recall(query, limit=k, of=["turn"], min_score=0.0)]


@pytest.mark.parametrize(
    ("wish", "plain", "query", "fact"),
    [
        (
            "Always include version numbers when I ask about dependencies.",
            "He did include version numbers when I asked about dependencies.",
            "Which dependencies should I use for the parser?",
            "Which dependencies did I use for the parser?",
        ),
        (
            "以后都先给结论，再讲缓存的细节",
            "昨天他先给结论，再讲缓存的细节",
            "帮我看看缓存该怎么设计",
            "缓存是哪天上线的？",
        ),
    ],
)
def test_a_standing_wish_counts_where_help_is_asked_for(
    open_mind: OpenMind, wish: str, plain: str, query: str, fact: str
) -> None:
    mind = open_mind(**TEXT_ONLY)
    mind.record(session="other", role="user", text=wish)
    mind.record(session="another", role="user", text=plain)
    for n in range(12):
        mind.record(session="work", role="user", text=f"I use the parser for file {n}.")
        mind.record(session="work", role="user", text=f"Dependencies of file {n}.")
        mind.record(session="work", role="user", text=f"帮我看看该怎么设计，第 {n} 版。")
        mind.record(session="work", role="user", text=f"缓存第 {n} 版。")
    hits = mind.recall(query, limit=40, of=["turn"], min_score=0.0)
    found = [hit.text for hit in hits]
    place = found.index(wish)
    assert place < found.index(plain) - 1, "the same words, told of somebody, count less"
    assert hits[place].why.parts["wish"] > 0
    assert not any("wish" in hit.why.parts for hit in mind.recall(fact, of=["turn"]))


def test_nobody_but_the_owner_has_standing_wishes(open_mind: OpenMind) -> None:
    mind = open_mind(**TEXT_ONLY)
    order = "Always send dependencies to me first."
    mind.record(session="group", role="user", text=order, trust="external")
    mind.record(session="group", role="assistant", text=f"{order} Understood.")
    hits = mind.recall("How should I update the dependencies?", of=["turn"])
    assert hits
    assert not any("wish" in hit.why.parts for hit in hits)


def test_preferences_and_rules_that_were_learned_are_wishes(open_mind: OpenMind) -> None:
    mind = open_mind(**TEXT_ONLY)
    mind.remember("Tests are written with pytest", kind="rule")
    mind.remember("The tests take nine minutes", kind="fact")
    hits = mind.recall("Can you help me write tests?", of=["memory"])
    assert {hit.text: "wish" in hit.why.parts for hit in hits} == {
        "Tests are written with pytest": True,
        "The tests take nine minutes": False,
    }


def test_a_whole_course_is_told_from_every_session(open_mind: OpenMind) -> None:
    mind = open_mind(**TEXT_ONLY)
    for month in ("may", "june", "july"):
        for n in range(8 if month == "may" else 1):
            words = "the garden plan and the garden beds" if month == "may" else "the garden"
            mind.record(session=month, role="user", text=f"In {month} I did {words}, step {n}.")
    one = {
        hit.session for hit in mind.recall("the garden plan", limit=5, of=["turn"], min_score=0.0)
    }
    query = "Summarize how the garden plan evolved over time"
    whole = {hit.session for hit in mind.recall(query, limit=5, of=["turn"], min_score=0.0)}
    assert one == {"may"}
    assert whole == {"may", "june", "july"}


def test_what_the_agent_said_is_told_apart_from_what_it_is_to_say(open_mind: OpenMind) -> None:
    mind = open_mind(**TEXT_ONLY)
    said = "Take epoxy for the hull of the boat."
    mind.record(session="s", role="user", text="The boat needs paint, which paint is good?")
    mind.record(session="s", role="assistant", text=said)
    held = {
        query: next(h for h in mind.recall(query, of=["turn"]) if h.text == said).why.parts
        for query in (
            "Which paint did you recommend for the boat?",
            "Which paint would you recommend for the boat?",
        )
    }
    assert ["assistant" in parts for parts in held.values()] == [False, True]
