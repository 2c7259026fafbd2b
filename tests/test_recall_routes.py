"""Several routes at once: names, the conversation before the query, counts, partitions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from mnemic.clock import ManualClock
from mnemic.types import Hit
from tests.conftest import OpenMind

TEXT_ONLY: dict[str, Any] = {"embedding__provider": "none"}


def routes(hits: list[Hit], text: str) -> tuple[str, ...]:
    return next((tuple(hit.why.routes) for hit in hits if text in hit.text), ())


@pytest.mark.feature("R4", preset=["openakita", "default"])
@pytest.mark.parametrize("preset", ["openakita", "default"])
def test_what_a_query_names_is_looked_up_among_memories(open_mind: OpenMind, preset: str) -> None:
    mind = open_mind(preset=preset, recall__routes=["memory", "turn", "entity"], **TEXT_ONLY)
    mind.remember("PostgreSQL 16 with pgvector", kind="decision", subject="Lantern Atlas")
    mind.remember("SQLite is enough", kind="decision", subject="Paper Boat")
    hits = mind.recall("So what was it that we settled on for Lantern Atlas?")
    assert hits[0].text == "PostgreSQL 16 with pgvector"
    assert "entity" in routes(hits, "PostgreSQL")


@pytest.mark.feature("R4", preset="openakita")
def test_a_story_is_found_by_the_file_it_is_about(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(preset="openakita", recall__routes=["episode", "entity"], **TEXT_ONLY)
    with mind.session("fix") as session:
        session.user("The import in loader_v2.py breaks on empty lines, please fix it.")
        session.assistant("Fixed, empty lines are skipped now.")
        session.user("谢谢，搞定了")
    clock.advance(hours=1)
    mind.drain()
    hits = mind.recall("what happened with loader_v2.py?", of=["episode"])
    assert [hit.type for hit in hits] == ["episode"]
    assert "entity" in hits[0].why.routes


@pytest.mark.feature("R4", preset=["myclaw", "default"])
@pytest.mark.parametrize("preset", ["myclaw", "default"])
def test_the_last_turns_help_a_query_that_says_little(open_mind: OpenMind, preset: str) -> None:
    mind = open_mind(preset=preset, **TEXT_ONLY)
    for n in range(30):
        mind.record(session="noise", role="user", text=f"It took a while to do chore {n}.")
    mind.record(session="work", role="user", text="The Lantern migration needed nine hours.")
    said = ["Do you remember the Lantern migration?", "Yes, to PostgreSQL."]
    query = "How long did it take?"
    alone = [hit.text for hit in mind.recall(query, of=["turn"], limit=5)]
    helped = [hit.text for hit in mind.recall(query, of=["turn"], limit=5, around=said)]
    assert "The Lantern migration needed nine hours." not in alone
    assert "The Lantern migration needed nine hours." in helped


@pytest.mark.setting("recall.supplement_below")
@pytest.mark.feature("R4", preset="myclaw")
def test_the_partition_comes_first_and_full_text_second(open_mind: OpenMind) -> None:
    mind = open_mind(preset="myclaw", recall__supplement_below=2, **TEXT_ONLY)
    for n in range(3):
        mind.remember(f"boat fact {n}", kind="fact", project="boat", importance=0.9)
    mind.remember("the green boat is for sale", kind="fact", project="shop", importance=0.9)
    mind.record(session="s", role="user", text="the boat is green")
    of_partition = mind.recall("what about the boat?")
    assert {route for hit in of_partition for route in hit.why.routes} == {"partition"}
    more = open_mind(preset="myclaw", recall__supplement_below=50, **TEXT_ONLY)
    found = more.recall("what about the boat?", limit=20)
    assert "the green boat is for sale" in {h.text for h in found if "text" in h.why.routes}
    assert {hit.type for hit in found} == {"memory"}, "no raw turns, as in document D §5.3"


@pytest.mark.feature("R4", preset="openakita")
def test_the_last_three_days_and_a_file_that_is_asked_for(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(preset="openakita", **TEXT_ONLY)
    mind.attach("/photos/cat.png", description="一只橘猫", tags=["pet"])
    clock.advance(days=10)
    mind.remember("The release is on Friday", kind="event", valid_from=clock.now())
    hits = mind.recall("我发的那张猫的照片在哪？")
    assert hits[0].type == "attachment"
    assert mind.settings.recall.recent == timedelta(days=3)


@pytest.mark.feature("R6", preset="shiyi")
def test_a_count_is_the_number_of_all_that_say_it(open_mind: OpenMind) -> None:
    mind = open_mind(preset="shiyi", **TEXT_ONLY)
    with mind.session("runs") as session:
        for n in range(260):
            session.user(f"Went running in the park, lap {n}")
        session.user("No running in the rain")
    hits = mind.recall("how many times was I running in the park?", of=["turn"])
    assert {hit.why.parts.get("of exactly") for hit in hits if "exact" in hit.why.routes} == {260.0}


def test_words_that_say_nothing_score_little(open_mind: OpenMind) -> None:
    mind = open_mind(**TEXT_ONLY)
    mind.record(session="s", role="user", text="and then it was the same")
    mind.record(session="s", role="user", text="Lisbon in May")
    (top, *_) = mind.recall("what is it that was", of=["turn"])
    (sure, *_) = mind.recall("Lisbon", of=["turn"])
    assert top.score < 0.15 < sure.score
