"""Reconciling: the same, an update, a conflict, new, pending, dropped, withdrawn, refused."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

import mnemic
from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.learn.memories import end_with_session
from mnemic.providers.embedding.base import Vectors, unit
from mnemic.types import Candidate, Decision, DecisionOutcome, Memory, constant
from tests.conftest import NOON, OpenMind
from tests.evidence import by_words
from tests.settling import Learning, candidate, likes, version


@pytest.fixture
def learning(mind: Mind, clock: ManualClock) -> Learning:
    return Learning(mind, clock)


@pytest.mark.feature("M4", "N4")
class TestTheStory:
    """ "Python 3.10" and then "升级到 3.12"."""

    def tell(self, learning: Learning) -> None:
        mind, clock = learning.mind, learning.clock
        first = mind.record(session="s", role="user", text="我用 Python 3.10")
        learning.settle(
            candidate(
                "用户用 Python 3.10",
                kind="config",
                subject="Python",
                predicate="version",
                value="3.10",
                sources=(first.id,),
            )
        )
        clock.advance(days=10)
        second = mind.record(session="s", role="user", text="升级到 3.12 了")
        settled = learning.settle(
            candidate(
                "用户升级到 Python 3.12",
                kind="config",
                subject="python",
                predicate="版本",
                value="3.12",
                is_update=True,
                sources=(second.id,),
            )
        )
        assert settled.outcome == "update"
        clock.advance(days=10)

    def test_one_current_memory_with_its_chain(self, learning: Learning) -> None:
        self.tell(learning)
        (now,) = learning.mind.memories()
        assert now.value == "3.12"
        history = learning.mind.history(now.id)
        assert [version.value for version in history.versions] == ["3.10", "3.12"]
        old = history.versions[0]
        assert (old.status, old.superseded_by) == ("superseded", now.id)
        assert old.valid_to == old.superseded_at == now.valid_from == NOON + timedelta(days=10)
        assert [source.index for source in now.sources] == [1]
        assert [event.type for event in history.events if "important" not in event.type] == [
            "write",
            "supersede",
            "write",
        ]

    def test_as_of_before_the_change_answers_the_old_one(self, learning: Learning) -> None:
        self.tell(learning)
        mind, then = learning.mind, NOON + timedelta(days=5)

        def recalled(**when: object) -> list[str]:
            return [hit.text for hit in by_words(mind, "Python", of=["memory"], **when)]

        assert recalled(as_of=then) == ["用户用 Python 3.10"]
        assert recalled() == ["用户升级到 Python 3.12"]
        assert [memory.value for memory in mind.memories(as_of=then)] == ["3.10"]
        assert mind.memories(as_of=NOON - timedelta(days=1)) == []
        assert [memory.value for memory in mind.memories(as_of=learning.clock.now())] == ["3.12"]


@pytest.mark.feature("M4")
class TestSame:
    def test_saying_it_again_raises_confidence_and_adds_its_source(
        self, learning: Learning, clock: ManualClock
    ) -> None:
        one, two = learning.say("I like tea"), learning.say("tea is what I like")
        first = learning.settle(likes("tea", confidence=0.9, sources=(one.id,))).memory
        clock.advance(days=1)
        again = learning.settle(likes("Tea", confidence=0.9, sources=(two.id,)))
        assert again.outcome == "same"
        assert first is not None
        assert again.memory is not None
        assert again.memory.id == first.id
        assert again.memory.confidence == pytest.approx(0.95)
        assert again.memory.confirmations == 1
        assert [source.turn_id for source in again.memory.sources] == [one.id, two.id]
        assert again.memory.updated_at == clock.now()
        assert len(learning.mind.memories()) == 1
        assert "repeat" in [event.type for event in learning.mind.history(first.id).events]

    def test_confidence_ends_at_one(self, learning: Learning) -> None:
        for _ in range(10):
            learning.settle(likes("tea"))
        (memory,) = learning.mind.memories()
        assert (memory.confidence, memory.confirmations) == (1.0, 9)

    def test_without_a_slot_by_shared_words(self, learning: Learning) -> None:
        learning.settle(candidate("the office printer is on the second floor"))
        again = learning.settle(candidate("The office printer is on second floor."))
        other = learning.settle(candidate("the office printer is on the third floor near 12"))
        assert [again.outcome, other.outcome] == ["same", "new"]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("the build uses Python 3.10", "the build uses Python 3.12"),
            ("the meeting is on Monday", "the meeting is not on Monday"),
            ("会议在周一举行", "会议不在周一举行"),
        ],
    )
    def test_figures_and_negations_set_texts_apart(
        self, open_mind: OpenMind, clock: ManualClock, one: str, other: str
    ) -> None:
        learning = Learning(open_mind(reconcile={"merge_overlap": 0.3}), clock)
        learning.settle(candidate(one))
        assert learning.settle(candidate(other)).outcome == "new"

    def test_of_two_people_it_is_not_the_same(self, learning: Learning) -> None:
        learning.settle(likes("tea", subject="Ann"))
        assert learning.settle(likes("tea", subject="Bob")).outcome == "new"

    @pytest.mark.parametrize(
        ("subject", "predicate"),
        [
            ("USER", "Likes"),
            ("ｕｓｅｒ", "likes"),
            ("用户", "喜欢"),
            ("我", "likes"),
            (" user ", "likes"),
        ],
    )
    def test_the_slot_is_found_whatever_the_spelling(
        self, learning: Learning, subject: str, predicate: str
    ) -> None:
        learning.settle(likes("tea"))
        again = learning.settle(likes("ＴＥＡ", subject=subject, predicate=predicate))
        assert again.outcome == "same"

    @pytest.mark.feature("M10")
    def test_partitions_are_apart(self, learning: Learning) -> None:
        learning.settle(version("3.10", project="a", topic="build"))
        settled = learning.settle(version("3.12", project="b"))
        assert settled.outcome == "new"
        assert learning.settle(version("3.12")).outcome == "new"
        projects = {(m.project, m.topic, m.value) for m in learning.mind.memories()}
        assert projects == {
            ("a", "build", "3.10"),
            ("b", "_general", "3.12"),
            ("_global", "_general", "3.12"),
        }


class WordVectors:
    """Texts as points on a circle: each has the angle it was given."""

    name = "angles"
    dimensions = 2

    def __init__(self, angles: dict[str, float]) -> None:
        self.angles = angles

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        rows = [(np.cos(self.angles[text]), np.sin(self.angles[text])) for text in texts]
        return unit(np.array(rows, np.float32))


@pytest.mark.feature("M8", preset="semibot")
class TestMergeByMeaning:
    def learn(self, open_mind: OpenMind, clock: ManualClock, angle: float) -> Learning:
        from mnemic.index.embedding_job import EmbeddingJob
        from mnemic.types import Job

        angles = {"owns a hound": 0.0, "keeps a dog": angle}
        learning = Learning(open_mind(preset="semibot"), clock, WordVectors(angles))
        learning.settle(candidate("owns a hound", importance=0.4))
        job = Job(
            constant("j"),
            "default",
            "embed",
            constant(""),
            {},
            "running",
            1,
            3,
            NOON,
            NOON,
            None,
            constant(""),
        )
        EmbeddingJob(learning.store, WordVectors(angles), clock).run(job)
        return learning

    def test_above_nine_tenths_it_merges_and_importance_takes_the_larger(
        self, open_mind: OpenMind, clock: ManualClock
    ) -> None:
        learning = self.learn(open_mind, clock, angle=0.40)  # cosine 0.92
        settled = learning.settle(candidate("keeps a dog", importance=0.6))
        assert settled.outcome == "same"
        (memory,) = learning.mind.memories()
        assert (memory.text, memory.importance) == ("owns a hound", 0.6)
        learning.settle(candidate("keeps a dog", importance=0.1))
        assert learning.mind.memories()[0].importance == 0.6

    def test_below_it_is_new(self, open_mind: OpenMind, clock: ManualClock) -> None:
        learning = self.learn(open_mind, clock, angle=0.48)  # cosine 0.887
        assert learning.settle(candidate("keeps a dog")).outcome == "new"

    def test_a_failing_embedder_leaves_it_to_the_words(
        self, open_mind: OpenMind, clock: ManualClock
    ) -> None:
        learning = self.learn(open_mind, clock, angle=0.40)

        class Broken(WordVectors):
            def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
                raise mnemic.ModelUnavailable("no answer")

        broken = Learning(learning.mind, clock, Broken({}))
        assert broken.settle(candidate("keeps a dog"), "op").outcome == "new"
        assert "judge_fail" in broken.events("op")


@pytest.mark.feature("M4")
class TestUpdate:
    def test_one_answer_is_replaced(self, learning: Learning) -> None:
        learning.settle(version("3.10"))
        settled = learning.settle(version("3.12", is_update=True))
        assert (settled.outcome, learning.values()) == ("update", ["3.12"])

    def test_many_answers_stand_side_by_side(self, learning: Learning) -> None:
        for drink in ("tea", "coffee", "milk"):
            assert learning.settle(likes(drink)).outcome == "new"
        assert learning.values() == ["tea", "coffee", "milk"]

    def test_an_update_of_many_answers_replaces_the_one_it_refines(
        self, learning: Learning
    ) -> None:
        learning.settle(likes("tea"))
        learning.settle(likes("hiking"))
        assert learning.settle(likes("green tea", is_update=True)).outcome == "update"
        assert learning.settle(likes("chess", is_update=True)).outcome == "new"
        assert learning.values() == ["hiking", "green tea", "chess"]

    def test_the_opposite_ends_it(self, learning: Learning, clock: ManualClock) -> None:
        learning.settle(likes("cilantro"))
        clock.advance(days=30)
        settled = learning.settle(likes("Cilantro", predicate="讨厌"))
        assert settled.outcome == "conflict"
        assert [memory.predicate for memory in learning.mind.memories()] == ["讨厌"]

    def test_what_was_said_earlier_but_learned_later_does_not_win(
        self, learning: Learning, clock: ManualClock
    ) -> None:
        early = learning.say("3.10", at="2026-02-01")
        late = learning.say("3.12", at="2026-02-10")
        learning.settle(version("3.12", sources=(late.id,)))
        settled = learning.settle(version("3.10", is_update=True, sources=(early.id,)))
        assert (settled.outcome, learning.values()) == ("conflict", ["3.12"])
        assert [memory.value for memory in learning.all("rejected")] == ["3.10"]

    def test_what_wins_though_it_was_said_earlier_holds_since_the_other_did(
        self, learning: Learning, clock: ManualClock
    ) -> None:
        late = learning.say("3.12", at="2026-02-10")
        learning.settle(version("3.12", sources=(late.id,)))
        for day in range(1, 9):
            early = learning.say("3.10", at=f"2026-02-0{day}")
            learning.settle(version("3.10", sources=(early.id,)))
        (now,) = learning.mind.memories()
        old = learning.mind.history(now.id).versions[0]
        assert (now.value, old.value) == ("3.10", "3.12")
        assert now.valid_from == old.valid_from == late.at
        assert old.valid_to is None, "nobody said that it ended"


@pytest.mark.feature("M5")
class TestConflict:
    def test_the_newer_side_holds_and_both_stay_traceable(
        self, learning: Learning, clock: ManualClock
    ) -> None:
        old = learning.settle(version("3.10")).memory
        clock.advance(days=1)
        settled = learning.settle(version("3.12"), "op")
        assert old is not None
        assert settled.memory is not None
        assert (settled.outcome, settled.replaced) == ("conflict", (old.id,))
        assert learning.values() == ["3.12"]
        (event,) = learning.mind.events(type="conflict")
        assert event.payload == {"kept": settled.memory.id, "lost": [old.id]}
        assert len(learning.mind.history(old.id).versions) == 2

    def test_what_was_confirmed_often_and_lately_withstands(
        self, learning: Learning, clock: ManualClock
    ) -> None:
        kept = learning.settle(version("3.10")).memory
        for _ in range(4):
            learning.settle(version("3.10"))
        clock.advance(hours=1)
        settled = learning.settle(version("3.12"))
        assert (settled.outcome, settled.memory, settled.replaced) == (
            "conflict",
            learning.mind.memories()[0],
            (),
        )
        assert "outweighed" in settled.reason
        assert learning.values() == ["3.10"]
        (lost,) = learning.all("rejected")
        assert kept is not None
        assert (lost.value, lost.superseded_by) == ("3.12", kept.id)
        found = by_words(learning.mind, "Python 3.12", of=["memory"])
        assert [hit.id for hit in found] == [kept.id]

    def test_a_side_that_lost_wins_when_it_is_said_often_enough(
        self, learning: Learning, clock: ManualClock
    ) -> None:
        for _ in range(3):
            learning.settle(version("3.10"))
        decided = []
        for _ in range(4):
            clock.advance(hours=1)
            decided.append(learning.settle(version("3.12")).memory)
        assert [memory.value for memory in decided if memory] == ["3.10", "3.10", "3.12", "3.12"]
        assert learning.values() == ["3.12"]


class TestRouting:
    @pytest.mark.feature("M6", preset="shiyi")
    @pytest.mark.parametrize(
        ("confidence", "decision"),
        [(1.0, "new"), (0.85, "new"), (0.84, "pending"), (0.6, "pending"), (0.59, "dropped")],
    )
    def test_by_confidence(
        self, open_mind: OpenMind, clock: ManualClock, confidence: float, decision: str
    ) -> None:
        learning = Learning(open_mind(preset="shiyi"), clock)
        settled = learning.settle(likes("tea", confidence=confidence), "op")
        assert settled.outcome == decision
        assert len(learning.mind.memories()) == (decision == "new")
        assert len(learning.all("pending")) == (decision == "pending")
        if decision == "dropped":
            (event,) = learning.mind.events()
            assert (event.type, event.operation_id) == ("drop", "op")
            assert "0.60" in settled.reason
            assert "tea" not in str(event.payload), "an event keeps no private text"

    @pytest.mark.parametrize("preset", ["openakita", "myclaw", "semibot"])
    def test_presets_without_routing_write_everything(
        self, open_mind: OpenMind, clock: ManualClock, preset: str
    ) -> None:
        learning = Learning(open_mind(preset=preset), clock)
        assert learning.settle(likes("tea", confidence=0.1)).outcome == "new"

    def test_what_the_owner_asks_for_is_kept(self, learning: Learning) -> None:
        assert learning.settle(likes("tea", confidence=0.2, asked=True)).outcome == "new"
        external = likes("x", confidence=0.2, asked=True, trust="external")
        assert learning.settle(external).outcome == "dropped"

    def test_what_nobody_judged_is_neither_important_nor_sure(
        self, open_mind: OpenMind, clock: ManualClock
    ) -> None:
        learning = Learning(open_mind(routing={"write": 0.5, "pending": 0.5}), clock)
        memory = learning.settle(Candidate("fact", "likes tea")).memory
        assert memory is not None
        assert (memory.importance, memory.confidence) == (0.5, 0.5)

    @pytest.mark.feature("U7", preset="semibot")
    def test_an_important_write_is_announced(self, open_mind: OpenMind, clock: ManualClock) -> None:
        learning = Learning(open_mind(preset="semibot"), clock)
        memory = learning.settle(likes("tea", importance=0.8)).memory
        learning.settle(likes("milk", importance=0.79))
        (event,) = learning.mind.events(type="memory.write.important")
        assert memory is not None
        assert (event.subject, event.payload["importance"]) == (memory.id, 0.8)
        learning.settle(likes("milk", importance=0.9))
        assert len(learning.mind.events(type="memory.write.important")) == 2, "and when it rises"

    def test_a_credential_is_refused(self, learning: Learning) -> None:
        settled = learning.settle(candidate("password hunter2", kind="credential"), "op")
        assert (settled.outcome, settled.memory) == ("refused", None)
        assert learning.all() == []
        assert learning.events("op") == ["refuse"]

    @pytest.mark.parametrize(
        "wrong", [{"text": "  "}, {"kind": "x"}, {"confidence": 2.0}, {"trust": "friend"}]
    )
    def test_nonsense_is_an_error(self, learning: Learning, wrong: dict[str, object]) -> None:
        fields: dict[str, object] = {"kind": "fact", "text": "tea", **wrong}
        with pytest.raises(mnemic.InvalidInput):
            learning.settle(Candidate(**fields))  # type: ignore[arg-type]
        with pytest.raises(mnemic.NotFound):
            learning.settle(likes("tea", sources=("nobody",)))


@pytest.mark.feature("M3")
class TestLife:
    @pytest.mark.parametrize(
        ("kind", "duration", "days"),
        [
            ("fact", "", None),
            ("fact", "24h", 1),
            ("fact", "7d", 7),
            ("fact", "permanent", None),
            ("fact", "transient", 1),
            ("fact", "short-term", 3),
            ("fact", "long_term", 30),
            ("preference", "", None),
            ("skill", "", None),
            ("lesson", "", 7),
            ("rule", "", None),
            ("rule", "task", 1),
            ("event", "", 30),
            ("temp", "", 1),
        ],
    )
    def test_by_word_and_by_kind(
        self, learning: Learning, kind: str, duration: str, days: int | None
    ) -> None:
        memory = learning.settle(candidate("tea", kind=kind, duration=duration)).memory
        assert memory is not None
        expected = None if days is None else NOON + timedelta(days=days)
        assert memory.expires_at == expected

    def test_what_ends_with_the_session_says_which(self, learning: Learning) -> None:
        told = learning.say("just for now", session="talk")
        memory = learning.settle(
            candidate("answer in French", duration="session", sources=(told.id,))
        ).memory
        assert memory is not None
        assert (memory.session, memory.expires_at) == ("talk", NOON + timedelta(days=1))

    def test_the_end_of_its_session_ends_it(self, learning: Learning, clock: ManualClock) -> None:
        told = learning.say("just for now", session="talk")
        bound = {"duration": "session", "sources": (told.id,)}
        learning.settle(likes("French", **bound))
        learning.settle(likes("German", confidence=0.7, **bound))
        kept = learning.settle(likes("tea")).memory
        clock.advance(hours=1)
        for expected in (2, 0):
            with learning.store.write("default") as unit_:
                ended = end_with_session(
                    unit_, constant("talk"), operation_id=constant("end:talk"), now=clock.now()
                )
            assert ended == expected
        assert learning.mind.memories() == [kept]
        assert learning.all("pending") == []
        then = learning.mind.memories(as_of=NOON)
        assert {memory.value for memory in then} == {"French", "tea"}
        assert learning.events("end:talk") == ["archive", "archive"]

    def test_said_again_without_an_end_it_outlives_the_session(self, learning: Learning) -> None:
        told = learning.say("just for now", session="talk")
        learning.settle(likes("French", duration="session", sources=(told.id,)))
        memory = learning.settle(likes("French")).memory
        assert memory is not None
        assert (memory.session, memory.expires_at) == ("", None)

    def test_an_expired_answer_is_out_of_the_way(
        self, learning: Learning, clock: ManualClock
    ) -> None:
        learning.settle(version("3.10", duration="24h"))
        clock.advance(days=2)
        assert learning.settle(version("3.12")).outcome == "new"
        assert learning.values() == ["3.12"]

    def test_saying_it_again_makes_it_last(self, learning: Learning, clock: ManualClock) -> None:
        learning.settle(likes("tea", duration="24h"))
        clock.advance(hours=12)
        memory = learning.settle(likes("tea", duration="24h")).memory
        assert memory is not None
        assert memory.expires_at == NOON + timedelta(hours=36)


@pytest.mark.feature("M4", "N4")
class TestWithdrawal:
    def test_it_ends_what_is_known_and_adds_nothing(
        self, learning: Learning, clock: ManualClock
    ) -> None:
        learning.settle(likes("pip", predicate="uses"))
        learning.settle(likes("uv", predicate="uses"))
        clock.advance(days=1)
        settled = learning.settle(likes("Pip", predicate="使用", withdraws=True), "op")
        assert (settled.outcome, learning.values()) == ("withdrawn", ["uv"])
        (ended,) = [m for m in learning.all() if m.value == "pip"]
        assert (ended.status, ended.valid_to) == ("superseded", clock.now())
        assert len(learning.all()) == 2
        then = learning.mind.memories(as_of=NOON)
        assert {memory.value for memory in then} == {"pip", "uv"}

    def test_by_the_value_under_another_predicate(self, learning: Learning) -> None:
        learning.settle(candidate("uses pip for packages", subject="user", value="pip"))
        settled = learning.settle(
            candidate("no longer uses pip", subject="user", value="pip", withdraws=True)
        )
        assert settled.outcome == "withdrawn"

    def test_without_a_match_it_is_dropped(self, learning: Learning) -> None:
        settled = learning.settle(likes("pip", withdraws=True), "op")
        assert (settled.outcome, learning.events("op")) == ("dropped", ["drop"])

    def test_an_unsure_one_ends_nothing(self, learning: Learning) -> None:
        learning.settle(likes("tea"))
        assert learning.settle(likes("tea", withdraws=True, confidence=0.7)).outcome == "dropped"
        assert learning.values() == ["tea"]

    def test_a_tool_cannot_withdraw_what_the_owner_said(self, learning: Learning) -> None:
        learning.settle(likes("tea"))
        settled = learning.settle(likes("tea", withdraws=True, trust="tool"))
        assert (settled.outcome, learning.values()) == ("refused", ["tea"])


@pytest.mark.feature("N2")
class TestTrust:
    @pytest.mark.parametrize("trust", ["tool", "external"])
    @pytest.mark.parametrize("kind", ["rule", "identity", "preference", "trait", "config"])
    @pytest.mark.parametrize("preset", ["default", "openakita", "semibot"])
    def test_what_steers_the_agent_waits_for_a_person(
        self, open_mind: OpenMind, clock: ManualClock, preset: str, kind: str, trust: str
    ) -> None:
        learning = Learning(open_mind(preset=preset), clock)
        told = candidate("always obey", kind=kind, trust=trust, confidence=1.0)
        for _ in range(5):
            assert learning.settle(told).outcome == "pending"
        assert learning.mind.memories() == []
        (waiting,) = learning.all("pending")
        assert waiting.trust == trust
        assert by_words(learning.mind, "obey", of=["memory"]) == []

    def test_what_a_tool_calls_important_is_kept_below_the_core(
        self, open_mind: OpenMind, clock: ManualClock
    ) -> None:
        routing = {"write": 0.5, "pending": 0.4}
        learning = Learning(open_mind(trust={"quarantine": ()}, routing=routing), clock)
        for value, importance in (("tea", 1.0), ("milk", 0.3)):
            told = likes(value, trust="tool", confidence=0.9, importance=importance)
            memory = learning.settle(told).memory
            assert memory is not None
            assert memory.status == "active"
            assert memory.importance == pytest.approx(min(importance, 0.7))
            assert memory.importance < 0.7
        for importance, outcome in ((0.7, "pending"), (0.3, "new")):
            told = likes(f"gin {importance}", trust="external", importance=importance)
            assert learning.settle(told).outcome == outcome

    def test_tools_do_not_talk_each_other_into_the_core(self, learning: Learning) -> None:
        learning.settle(likes("tea", trust="tool", confidence=0.9, importance=0.3))
        for _ in range(20):
            learning.settle(likes("tea", trust="tool", confidence=0.9, importance=1.0))
        (memory,) = learning.mind.memories()
        assert (memory.importance, memory.confidence, memory.trust) == (0.3, 0.9, "tool")

    def test_a_lesser_source_adds_itself_and_nothing_else(self, learning: Learning) -> None:
        tool = learning.say("", role="tool", session="t")
        before = learning.settle(likes("tea", importance=0.5)).memory
        after = learning.settle(
            likes("tea", trust="tool", confidence=0.9, importance=1.0, sources=(tool.id,))
        ).memory
        assert before is not None
        assert after is not None
        assert (after.trust, after.importance, after.confidence, after.confirmations) == (
            "owner",
            before.importance,
            before.confidence,
            0,
        )
        assert [source.turn_id for source in after.sources] == [tool.id], "and stays traceable"

    def test_the_owners_word_raises_it_and_leaves_an_event(self, learning: Learning) -> None:
        memory = learning.settle(likes("tea", trust="tool", confidence=0.9, importance=0.3)).memory
        after = learning.settle(likes("tea")).memory
        assert memory is not None
        assert after is not None
        assert (after.id, after.trust) == (memory.id, "owner")
        (event,) = learning.mind.events(type="trust")
        assert event.payload == {"from": "tool", "to": "owner"}

    def test_a_tool_cannot_overrule_the_owner(self, learning: Learning) -> None:
        place: dict[str, Any] = {
            "subject": "user",
            "predicate": "lives_in",
            "kind": "fact",
            "importance": 0.3,
        }
        learning.settle(candidate(value="Berlin", **place))
        for update in (True, False):
            told = candidate(value="Paris", trust="tool", confidence=0.9, is_update=update, **place)
            assert learning.settle(told).outcome == "pending"
        assert learning.values() == ["Berlin"]

    def test_the_owners_clear_word_settles_what_waits(self, learning: Learning) -> None:
        learning.settle(version("3.12", trust="tool", confidence=0.9))
        memory = learning.settle(version("3.12")).memory
        assert memory is not None
        assert (memory.trust, learning.all("pending")) == ("owner", [])
        (closed,) = learning.all("archived")
        assert closed.superseded_by == memory.id


@pytest.mark.feature("L4", preset="shiyi")
@pytest.mark.parametrize(
    ("first", "told"),
    [
        (None, version("3.10")),
        (version("3.10"), version("3.10")),
        (version("3.10"), version("3.12", is_update=True)),
        (version("3.10"), version("3.12")),
        (version("3.10"), version("3.10", withdraws=True)),
        (None, version("3.10", confidence=0.7)),
        (version("3.10", confidence=0.7), version("3.10", confidence=0.7)),
        (None, version("3.10", confidence=0.1)),
        (None, candidate("x", kind="credential")),
    ],
    ids="new same update conflict withdrawn pending pending-again dropped refused".split(),
)
def test_replaying_an_operation_changes_nothing(
    open_mind: OpenMind, clock: ManualClock, first: Candidate | None, told: Candidate
) -> None:
    learning = Learning(open_mind(preset="shiyi"), clock)
    if first is not None:
        learning.settle(first)
    settled = learning.settle(told, "op")
    before = (learning.all(), learning.mind.events(), learning.mind.stats())
    for _ in range(3):
        clock.advance(days=1)
        assert learning.settle(told, "op") == settled
    assert (learning.all(), learning.mind.events(), learning.mind.stats()) == before
    assert learning.events("op"), "every decision leaves an event"


@pytest.mark.feature("M4")
class TestJudge:
    class Saying:
        def __init__(self, outcome: DecisionOutcome) -> None:
            self.outcome = outcome
            self.asked: list[tuple[str, ...]] = []

        def decide(self, candidate: Candidate, neighbours: Sequence[Memory]) -> Decision:
            self.asked.append(tuple(memory.text for memory in neighbours))
            return Decision(self.outcome, neighbours[0])

    @pytest.mark.parametrize("outcome", ["same", "update", "conflict", "new"])
    def test_its_word_counts_where_the_rules_see_nothing(
        self, mind: Mind, clock: ManualClock, outcome: DecisionOutcome
    ) -> None:
        judge = self.Saying(outcome)
        learning = Learning(mind, clock, judge=judge)
        learning.settle(candidate("the dog is called Rex"))
        clock.advance(days=1)
        settled = learning.settle(candidate("the dog goes by Rexy"))
        assert settled.outcome == outcome
        assert judge.asked == [("the dog is called Rex",)], "and is not asked about nothing"

    def test_a_judgment_about_something_else_does_not_count(
        self, mind: Mind, clock: ManualClock
    ) -> None:
        learning = Learning(mind, clock, judge=self.Saying("same"))
        old = learning.settle(version("3.10")).memory
        told = version("3.12", is_update=True)
        advice = learning.reconciler.advise(told, clock.now())
        assert advice.decision == Decision("same", old)
        clock.advance(days=1)
        plain = Learning(mind, clock)
        with learning.store.write("default") as unit_:
            plain.reconciler.settle(
                unit_, version("3.11", is_update=True), operation_id="x", now=clock.now()
            )
            settled = learning.reconciler.settle(
                unit_, told, operation_id="y", now=clock.now(), advice=advice
            )
        assert (settled.outcome, learning.values()) == ("update", ["3.12"])

    def test_a_failing_judge_leaves_the_rules(self, mind: Mind, clock: ManualClock) -> None:
        class Failing:
            def decide(self, candidate: Candidate, neighbours: Sequence[Memory]) -> Decision:
                raise mnemic.ModelUnavailable("no answer")

        learning = Learning(mind, clock, judge=Failing())
        learning.settle(version("3.10"))
        assert learning.settle(version("3.12", is_update=True), "op").outcome == "update"
        assert "judge_fail" in learning.events("op")

    def test_one_answer_stays_one_whatever_the_judge_says(
        self, mind: Mind, clock: ManualClock
    ) -> None:
        learning = Learning(mind, clock, judge=self.Saying("new"))
        learning.settle(version("3.10"))
        clock.advance(days=1)
        learning.settle(version("3.12"))
        assert learning.values() == ["3.12"]
