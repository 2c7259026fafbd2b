"""The rules of reconciling: slots, likeness, routing, support, conflict, lifetimes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.rules.lifetimes import life_of, longer
from mnemic.rules.likeness import may_agree, overlap, same_value, values_touch
from mnemic.rules.reconcile import Side, contest, route
from mnemic.rules.slots import has_one_answer, opposites, slot_of
from mnemic.rules.support import (
    Claim,
    Scales,
    fold_claims,
    is_untrusted,
    may_overrule,
    rank,
    repeat,
)
from mnemic.settings import Settings
from mnemic.types import EMPTY, KINDS, TRUSTS, Kind, Memory, Trust, constant

NOON = datetime(2026, 2, 12, 12, tzinfo=UTC)
SETTINGS = Settings()
SCALES = Scales.of(SETTINGS)
SHARES = st.floats(0, 1)


@pytest.mark.feature("M4")
class TestSlots:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (("Python", "version"), ("ｐｙｔｈｏｎ", "Version")),
            (("user", "lives_in"), ("用户", "住在")),
            (("user", "lives in"), ("The User", "lives-in")),
            (("我", "喜欢"), ("I", "likes")),
            (("user", "works_at"), ("user", "公司")),
        ],
    )
    def test_one_question_in_two_spellings(
        self, one: tuple[str, str], other: tuple[str, str]
    ) -> None:
        assert slot_of(*one) == slot_of(*other) != ""

    def test_without_a_subject_or_a_predicate_there_is_none(self) -> None:
        assert slot_of("", "likes") == slot_of("user", " ") == ""
        assert slot_of("a b", "c") != slot_of("a", "b c")

    @pytest.mark.parametrize(
        ("predicate", "one"),
        [
            ("version", True),
            ("node_version", True),
            ("版本", True),
            ("name", True),
            ("住在", True),
            ("employer", True),
            ("likes", False),
            ("喜欢", False),
            ("uses", False),
            ("pet", False),
            ("allergy", False),
            ("something else", False),
            ("shell", True),
            ("blood type", False),
            ("email", False),
            ("children", False),
            ("database", False),
            ("", False),
        ],
    )
    def test_one_answer_or_many(self, predicate: str, one: bool) -> None:
        assert has_one_answer(predicate) is one

    def test_opposites_are_mutual(self) -> None:
        for predicate in ("likes", "dislikes", "uses", "avoids", "prefers"):
            for other in opposites(predicate):
                assert opposites(other), other
        assert opposites("喜欢") == ("dislikes",)
        assert opposites("version") == ()


class TestLikeness:
    @given(st.dictionaries(st.text(max_size=3), st.floats(0.01, 1)))
    def test_a_text_overlaps_itself(self, words: dict[str, float]) -> None:
        assert overlap(words, words) == pytest.approx(1.0 if words else 0.0)

    def test_shared_words_by_their_weights(self) -> None:
        assert overlap({"tea": 1, "the": 0.02}, {"tea": 1}) == pytest.approx(1 / 1.02)
        assert overlap({"tea": 1}, {"milk": 1}) == 0

    @pytest.mark.parametrize(
        ("one", "other", "agree"),
        [
            ("uses Python 3.10", "is on Python 3.10", True),
            ("uses Python 3.10", "uses Python 3.12", False),
            ("版本 ３.１０", "版本 3.10", True),
            ("drinks tea", "does not drink tea", False),
            ("doesn't drink tea", "never drinks tea", True),
            ("喝茶", "不喝茶", False),
            ("nothing like it", "something like it", True),
        ],
    )
    def test_figures_and_negations(self, one: str, other: str, agree: bool) -> None:
        assert may_agree(one, other) is may_agree(other, one) is agree

    def test_values(self) -> None:
        assert same_value("ＴＥＡ", " tea ")
        assert not same_value("", "")
        assert values_touch("green tea", "tea")
        assert values_touch("绿茶", "茶")
        assert not values_touch("tea", "")
        assert not values_touch("tea", "coffee")


@pytest.mark.feature("M6")
class TestRouting:
    @given(
        kind=st.sampled_from(KINDS),
        importance=SHARES,
        confidence=SHARES,
        trust=st.sampled_from(("tool", "external")),
    )
    @pytest.mark.feature("N2")
    def test_nothing_of_weight_is_written_for_a_tool(
        self, kind: Kind, importance: float, confidence: float, trust: Trust
    ) -> None:
        claim = Claim(importance, confidence, trust)
        lenient = SETTINGS.replace(routing=SETTINGS.routing.replace(write=0.0, pending=0.0))
        for settings in (SETTINGS, lenient):
            if route(kind, claim, settings).outcome == "new":
                assert trust == "tool"
                assert kind in ("fact", "decision", "skill", "lesson", "event", "temp")
                assert SCALES.weight(importance, trust) < 0.7, "kept, but below the core"

    @given(confidence=SHARES)
    def test_the_owner_by_confidence_alone(self, confidence: float) -> None:
        decision = route("rule", Claim(1.0, confidence, "owner"), SETTINGS)
        expected = "new" if confidence >= 0.85 else "pending" if confidence >= 0.6 else "dropped"
        assert decision.outcome == expected
        assert bool(decision.reason) == (expected != "new")


CLAIMS = st.builds(
    Claim,
    importance=SHARES,
    confidence=SHARES,
    trust=st.sampled_from(TRUSTS),
    confirms=st.just(False),
)


MEMORY = Memory(
    id=constant("m"),
    kind="fact",
    text=constant("likes tea"),
    subject=EMPTY,
    predicate=EMPTY,
    project=EMPTY,
    topic=EMPTY,
    tags=(),
    importance=0.0,
    confidence=0.0,
    trust="external",
    status="active",
    created_at=NOON,
    updated_at=NOON,
    last_accessed_at=NOON,
    valid_from=NOON,
)


@pytest.mark.feature("M8", "N2")
class TestSupport:
    def test_ranks(self) -> None:
        assert sorted(TRUSTS, key=rank, reverse=True) == ["owner", "agent", "tool", "external"]
        assert may_overrule("agent", "owner")
        assert may_overrule("tool", "external")
        assert not may_overrule("tool", "agent")
        assert not may_overrule("external", "tool")

    def test_without_claims_it_stays_as_it_is(self) -> None:
        assert fold_claims(MEMORY, [], SCALES) == MEMORY

    @given(claims=st.lists(CLAIMS, min_size=1, max_size=12))
    def test_what_all_claims_make(self, claims: list[Claim]) -> None:
        memory = fold_claims(MEMORY, claims, SCALES)
        trusts = [claim.trust for claim in claims]
        assert memory.trust == ("owner" if "owner" in trusts else trusts[0])
        assert 0 <= memory.confidence <= SCALES.most(memory.trust)
        assert memory.confirmations < len(claims)
        weights = [SCALES.weight(claim.importance, claim.trust) for claim in claims]
        assert memory.importance in [*weights, *(claim.importance for claim in claims)]
        if is_untrusted(memory.trust) and claims[0].importance < 0.7:
            assert memory.importance < 0.7, "no number of tools makes it core"

    @given(claims=st.lists(CLAIMS, min_size=1, max_size=6), lesser=CLAIMS)
    def test_a_lesser_source_gives_nothing(self, claims: list[Claim], lesser: Claim) -> None:
        memory = fold_claims(MEMORY, claims, SCALES)
        if rank(lesser.trust) < rank(memory.trust):
            assert repeat(memory, lesser, SCALES) == memory

    @given(claims=st.lists(CLAIMS, min_size=1, max_size=6))
    def test_a_persons_confirmation_makes_it_certain(self, claims: list[Claim]) -> None:
        confirmed = fold_claims(MEMORY, [*claims, Claim(0.5, 1.0, "owner", confirms=True)], SCALES)
        assert (confirmed.trust, confirmed.confidence) == ("owner", 1.0)


@pytest.mark.feature("M5")
class TestConflict:
    @given(times=st.integers(1, 50), days=st.floats(0, 1000))
    def test_among_equals_the_later_word_holds(self, times: int, days: float) -> None:
        existing, new = Side(NOON, times), Side(NOON + timedelta(days=days), times)
        assert contest(existing, new, SETTINGS).new_wins

    @given(
        days=st.floats(0, 1000),
        more=st.integers(1, 50),
        times=st.integers(1, 50),
        once=st.integers(1, 9),
    )
    def test_each_confirmation_and_each_day_counts(
        self, days: float, more: int, times: int, once: int
    ) -> None:
        new = Side(NOON + timedelta(days=days), once)
        plain = contest(Side(NOON, times), new, SETTINGS)
        oftener = contest(Side(NOON, times + more), new, SETTINGS)
        older = contest(Side(NOON - timedelta(days=1), times), new, SETTINGS)
        assert oftener.existing - oftener.new > plain.existing - plain.new
        assert older.existing < plain.existing

    @pytest.mark.parametrize(
        ("times", "days", "new_wins"),
        [(1, 0, True), (5, 1, False), (5, 60, True), (100, 365, True)],
    )
    def test_by_the_default_weights(self, times: int, days: int, new_wins: bool) -> None:
        existing, new = Side(NOON, times), Side(NOON + timedelta(days=days), 1)
        assert contest(existing, new, SETTINGS).new_wins is new_wins


@pytest.mark.feature("M3", preset="openakita")
class TestLifetimes:
    def test_a_word_wins_over_the_kind(self) -> None:
        lives = SETTINGS.lifetimes
        assert life_of("preference", "7d", lives, NOON).expires_at == NOON + timedelta(days=7)
        assert life_of("temp", "permanent", lives, NOON).expires_at is None
        assert life_of("temp", "unheard of", lives, NOON).expires_at == NOON + timedelta(days=1)

    def test_a_session_that_nobody_ends_ends_by_itself(self) -> None:
        life = life_of("fact", "session", SETTINGS.lifetimes, NOON)
        assert life.ends_with_session
        assert life.expires_at == NOON + timedelta(days=1)

    def test_longer(self) -> None:
        assert longer(None, NOON) is longer(NOON, None) is None
        assert longer(NOON, NOON + timedelta(1)) == NOON + timedelta(1)
