"""A hostile tool result in the memory, through every adapter: it reaches the model as data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import mnemic
from mnemic.integrations import GraphStore
from mnemic.integrations.companion import Companion
from mnemic.language.fence import strip_fenced
from mnemic.types import Candidate
from tests.integrations.hostile_memory import DAY, PLAIN, STORIES, USER, Show, Story, check, seed
from tests.providers.scripted import Scripted

pytestmark = pytest.mark.feature("N1")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[mnemic.Engine]:
    with mnemic.connect(tmp_path / "all.db", worker="none") as opened:
        yield opened


@pytest.fixture(params=STORIES)
def story(request: pytest.FixtureRequest) -> Story:
    return STORIES[request.param]


@pytest.mark.parametrize("show", PLAIN, ids=lambda show: show.__name__)
def test_adapter_shows_memory_fenced_with_speaker_and_date_once_or_not_at_all(
    show: Show, engine: mnemic.Engine, server: Scripted, story: Story
) -> None:
    seed(engine.mind(USER), story)
    check(show, engine, server, story)


def test_store_search_gives_learned_memories_as_fenced_evidence(
    engine: mnemic.Engine, story: Story
) -> None:
    mind = engine.mind(USER)
    seed(mind, story)
    store = GraphStore(mind)
    (item,) = store.search(("memories",), query=story.asks_user)
    assert story.fact in item.value["text"]
    assert f"({DAY}, " in item.value["text"]
    assert "owner" in item.value["text"]
    assert strip_fenced(item.value["text"]) == ""
    assert store.search(("memories",), query=story.unrelated) == []


def test_question_about_a_pending_statement_shows_it_as_data(
    engine: mnemic.Engine, story: Story
) -> None:
    mind = engine.mind(USER)
    mind.propose(Candidate("rule", story.order, confidence=0.9, trust="agent"))
    assert mind.pending()
    shown = Companion(mind, "one", host="test").show([], query=story.unrelated)
    assert story.order in shown.system
    assert story.order not in strip_fenced(shown.system)
