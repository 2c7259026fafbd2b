"""Each preset ranks by its document's formula: scores worked out by hand."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind
from tests.planting import plant
from tests.providers.scripted import Scripted
from tests.remote import meaning, remote, server

__all__ = ["server"]

WORDS_ONLY: dict[str, Any] = {"embedding__provider": "none"}
# Cosines with (1, 0, 0): 0.8, 0.6 and -1.
KNOWN = {
    "asked": (1.0, 0.0, 0.0),
    "near": (0.8, 0.6, 0.0),
    "middling": (0.6, 0.0, 0.8),
    "opposite": (-1.0, 0.0, 0.0),
}


def scores(mind: Mind, query: str, **wanted: str) -> dict[str, float]:
    hits = mind.recall(query, of=["memory"], **wanted)  # type: ignore[arg-type]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return {hit.text: hit.score for hit in hits}


def approx(wanted: dict[str, float]) -> object:
    return pytest.approx(wanted, abs=1e-6)


@pytest.mark.feature("R5", preset="openakita")
class TestOpenAkita:
    @pytest.mark.statement("A74")
    def test_relevance_recency_importance_access(
        self, open_mind: OpenMind, clock: ManualClock
    ) -> None:
        mind = open_mind(preset="openakita", **WORDS_ONLY)
        clock.set(NOON - timedelta(days=30))
        mind.remember("tea, old and weighty", kind="fact", importance=0.9)
        clock.set(NOON)
        mind.remember("tea, new and light", kind="fact", importance=0.1)
        # 0.40 x 1 + 0.25 x recency + 0.20 x importance + 0.15 x 0
        assert scores(mind, "tea") == approx(
            {"tea, old and weighty": 0.705, "tea, new and light": 0.67}
        )
        assert next(iter(scores(mind, "tea"))) == "tea, old and weighty"

    @pytest.mark.statement("A74")
    def test_use_counts_up_to_ten_times(self, open_mind: OpenMind) -> None:
        mind = open_mind(preset="openakita", **WORDS_ONLY)
        mind.remember("green tea", kind="fact", importance=0.5)
        for uses in (0, 1, 5, 10, 20):
            while mind.memories()[0].access_count < uses:
                mind.recall("tea", of=["memory"])
                mind.drain()
            wanted = 0.40 + 0.25 + 0.10 + 0.15 * min(uses, 10) / 10
            (hit,) = mind.recall("tea", of=["memory"])
            assert hit.score == pytest.approx(wanted)
            mind.drain()

    @pytest.mark.statement("A75")
    def test_a_persona_ranks_its_kinds_higher(self, open_mind: OpenMind) -> None:
        mind = open_mind(preset="openakita", **WORDS_ONLY)
        mind.remember("python asyncio pattern", kind="skill", importance=0.5)
        mind.remember("python asyncio episode", kind="fact", importance=0.9)
        plain = scores(mind, "python asyncio")
        assert plain == approx({"python asyncio episode": 0.83, "python asyncio pattern": 0.75})
        mind.drain()
        # By now each was used once, which adds 0.015; then the skill gets x 1.2.
        boosted = scores(mind, "python asyncio", persona="tech_expert")
        assert boosted == approx(
            {"python asyncio pattern": 0.765 * 1.2, "python asyncio episode": 0.845}
        )
        assert next(iter(boosted)) == "python asyncio pattern"
        (hit, other, *_) = mind.recall("python asyncio", of=["memory"], persona="tech_expert")
        assert hit.why.parts["persona"] == 1.2, "and it says so"
        assert "persona" not in other.why.parts
        assert scores(mind, "python asyncio", persona="nobody") == approx(
            {"python asyncio episode": 0.845, "python asyncio pattern": 0.765}
        )

    def test_the_better_of_words_and_meaning_is_the_relevance(
        self, open_mind: OpenMind, server: Scripted
    ) -> None:
        server.always(meaning(KNOWN))
        mind = open_mind(preset="openakita", **remote(server))
        mind.record(session="s", role="user", text="hello")
        mind.remember("near", kind="fact", importance=0.5)
        mind.remember("middling", kind="fact", importance=0.5)
        mind.drain()
        rest = 0.25 + 0.20 * 0.5
        assert scores(mind, "asked") == approx(
            {"near": 0.40 * 0.8 + rest, "middling": 0.40 * 0.6 + rest}
        )


@pytest.mark.feature("R5", preset="shiyi")
class TestShiyi:
    def test_words_and_freshness(self, open_mind: OpenMind, clock: ManualClock) -> None:
        mind = open_mind(preset="shiyi", **WORDS_ONLY)
        clock.set(NOON - timedelta(days=60))
        plant(mind, "tea tea", importance=1.0)
        clock.set(NOON)
        plant(mind, "tea", importance=0.0)
        # A word once is worth 2.1 / 2.1, twice 4.2 / 3.1; freshness is 1, and 0.25 after 60 days.
        assert scores(mind, "tea") == approx(
            {"tea": 0.30 * 3.1 / 4.2 + 0.15, "tea tea": 0.30 + 0.15 * 0.25}
        )
        assert list(scores(mind, "tea")) == ["tea", "tea tea"]

    @pytest.mark.statement("C11", "C29")
    @pytest.mark.feature("R3", preset="shiyi")
    def test_meaning_words_and_freshness(
        self, open_mind: OpenMind, server: Scripted, clock: ManualClock
    ) -> None:
        server.always(meaning(KNOWN))
        mind = open_mind(preset="shiyi", **remote(server))
        mind.record(session="s", role="user", text="hello")
        mind.remember("near", kind="fact")
        clock.set(NOON - timedelta(days=30))
        mind.remember("middling but asked for", kind="fact")
        clock.set(NOON)
        mind.remember("opposite", kind="fact")
        mind.drain()
        assert scores(mind, "asked") == approx(
            {
                "middling but asked for": 0.55 * 1 + 0.30 + 0.15 * 0.5,
                "near": 0.55 * 0.8 + 0.15,
                "opposite": 0.15,  # an opposite meaning is worth no less than none
            }
        )


@pytest.mark.feature("R5", preset="semibot")
class TestSemibot:
    @pytest.mark.statement("E127")
    def test_importance_and_time(self, open_mind: OpenMind, clock: ManualClock) -> None:
        mind = open_mind(preset="semibot", **WORDS_ONLY)
        clock.set(NOON - timedelta(days=30))
        mind.remember("old tea", kind="fact", importance=0.8)
        clock.set(NOON)
        mind.remember("new tea", kind="fact", importance=0.4)
        # 0.60 x 0 + 0.25 x importance + 0.15 x 0.5^(age / 30 days)
        assert scores(mind, "tea") == approx({"old tea": 0.275, "new tea": 0.25})
        assert list(scores(mind, "tea")) == ["old tea", "new tea"]

    @pytest.mark.statement("E127")
    @pytest.mark.feature("R3", preset="semibot")
    def test_likeness_importance_and_time(
        self, open_mind: OpenMind, server: Scripted, clock: ManualClock
    ) -> None:
        server.always(meaning(KNOWN))
        mind = open_mind(preset="semibot", **remote(server))
        clock.set(NOON - timedelta(days=60))
        mind.remember("near", kind="fact", importance=0.5)
        clock.set(NOON)
        mind.remember("middling", kind="fact", importance=1.0)
        mind.record(session="s", role="user", text="hello")
        mind.drain()
        assert scores(mind, "asked") == approx(
            {
                "near": 0.60 * 0.8 + 0.25 * 0.5 + 0.15 * 0.25,
                "middling": 0.60 * 0.6 + 0.25 * 1.0 + 0.15 * 1.0,
            }
        )
        assert list(scores(mind, "asked")) == ["middling", "near"]


@pytest.mark.feature("R5", preset="myclaw")
class TestMyclaw:
    @pytest.mark.statement("D98")
    def test_importance_as_its_class_has_faded(
        self, open_mind: OpenMind, clock: ManualClock
    ) -> None:
        mind = open_mind(preset="myclaw")
        mind.remember("tea at Ann's", kind="event", importance=0.8)
        mind.remember("decided on tea", kind="decision", importance=0.8)
        mind.remember("tea for now", kind="temp", importance=0.9)
        mind.remember("a tea drinker", kind="identity", importance=0.5)  # tier 1: not searched
        clock.advance(days=30)
        found = scores(mind, "tea")
        assert found == approx(
            {
                "decided on tea": 0.8 * (0.3 + 0.7 * math.exp(-0.004 * 30)),
                "tea at Ann's": 0.8 * (0.1 + 0.9 * math.exp(-0.023 * 30)),
                "tea for now": 0.9 * math.exp(-0.099 * 30),
            }
        )
        assert list(found) == ["decided on tea", "tea at Ann's", "tea for now"]
        (tier_one,) = mind.recall("tea", kind="identity")
        assert tier_one.score == pytest.approx(0.5), "who the user is never fades"

    @pytest.mark.feature("R9", preset="myclaw")
    def test_what_was_used_has_faded_less(self, open_mind: OpenMind, clock: ManualClock) -> None:
        mind = open_mind(preset="myclaw")
        mind.remember("green tea", kind="event", importance=0.5)
        mind.remember("black coffee", kind="event", importance=0.6)
        clock.advance(days=29)
        mind.recall("green", limit=1, of=["memory"], kind="event", project="nowhere")
        (used, *_) = [hit for hit in mind.recall("green") if hit.text == "green tea"]
        assert used.text == "green tea"
        mind.drain()
        (memory,) = [memory for memory in mind.memories() if memory.text == "green tea"]
        assert memory.access_count == 1
        clock.advance(days=1)
        found = scores(mind, "green tea")
        assert found["green tea"] == pytest.approx(0.5 * (0.1 + 0.9 * math.exp(-0.023)), abs=1e-6)

    def test_the_partition_comes_first(self, open_mind: OpenMind) -> None:
        mind = open_mind(preset="myclaw")
        mind.remember("uses uv", kind="decision", project="claw", importance=0.9)
        mind.remember("home is ~/claw", kind="config", project="claw", importance=1.0)  # tier 1
        mind.remember("jazz was on", kind="event", importance=0.8)
        mind.remember("uses npm", kind="decision", project="other", importance=1.0)
        found = mind.recall("what about claw?", of=["memory"])
        assert [hit.text for hit in found] == ["uses uv", "jazz was on"]
        assert all("partition" in hit.why.routes for hit in found)
