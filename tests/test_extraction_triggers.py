"""What sets off extraction, each trigger with the figures of the preset that asks for it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.language.tokens import count_tokens
from tests.conftest import OpenMind

LONG = "I moved the nightly build to the new server"  # more than 30 characters
STATED = "I use Helix as my editor"


def due(mind: Mind, kind: str = "extract") -> list[str]:
    """Sessions that will be learned from at once."""
    now = mind._clock.now()
    jobs = [job for job in mind.jobs(state="ready") if job.kind == kind and job.run_at <= now]
    return [str(job.payload["session"]) for job in jobs]


def say(mind: Mind, text: str, session: str = "s") -> None:
    mind.record(session=session, role="user", text=text)


@pytest.mark.feature("X2", preset="openakita")
class TestPerTurn:
    @pytest.fixture
    def mind(self, open_mind: OpenMind) -> Mind:
        return open_mind(preset="openakita")

    @pytest.mark.parametrize(("length", "fires"), [(29, False), (30, True)])
    def test_from_thirty_characters_on(self, mind: Mind, length: int, fires: bool) -> None:
        say(mind, "x" * length)
        assert due(mind) == (["s"] if fires else [])

    def test_at_most_five_in_a_session(self, mind: Mind) -> None:
        fired = []
        for _ in range(7):
            say(mind, LONG)
            fired.append(due(mind))
            mind.drain()
        assert fired == [["s"]] * 5 + [[]] * 2
        say(mind, LONG, session="another")
        assert due(mind) == ["another"]

    def test_only_what_the_user_says(self, mind: Mind) -> None:
        mind.record(session="s", role="assistant", text=LONG)
        mind.record(session="s", role="tool", text=LONG)
        assert due(mind) == []

    def test_many_at_once_are_one_extraction(self, mind: Mind) -> None:
        for _ in range(4):
            say(mind, LONG)
        assert due(mind) == ["s"]


@pytest.mark.feature("X2")
def test_after_every_turn_where_nothing_limits_it(open_mind: OpenMind) -> None:
    mind = open_mind(preset="shiyi")
    for _ in range(8):
        say(mind, "hm")
        assert due(mind) == ["s"]
        mind.drain()


@pytest.mark.feature("X2", preset="myclaw")
class TestQuietGap:
    @pytest.fixture
    def mind(self, open_mind: OpenMind) -> Mind:
        return open_mind(preset="myclaw")

    @pytest.mark.statement("D86")
    def test_three_minutes_after_the_last_word(self, mind: Mind, clock: ManualClock) -> None:
        say(mind, STATED)
        clock.advance(minutes=2)
        say(mind, "and a word more")
        clock.advance(minutes=2)
        mind.drain()
        assert {turn.state for turn in mind.turns()} == {"new"}, "they are still talking"
        clock.advance(seconds=59)
        mind.drain()
        assert {turn.state for turn in mind.turns()} == {"new"}
        clock.advance(seconds=1)
        mind.drain()
        assert [turn.state for turn in mind.turns(session="s")] == ["extracted", "empty"]
        assert mind.jobs() == []

    def test_a_talk_that_has_ended_is_not_waited_for(self, mind: Mind, clock: ManualClock) -> None:
        say(mind, STATED)
        clock.advance(minutes=2)
        say(mind, "bye")
        mind.end_session("s")
        clock.advance(minutes=1)
        mind.drain()
        assert mind.turns()[0].state == "extracted"

    def test_a_restart_in_between_changes_nothing(
        self, mind: Mind, open_mind: OpenMind, clock: ManualClock
    ) -> None:
        say(mind, STATED)
        mind.close()
        clock.advance(minutes=3)
        again = open_mind(preset="myclaw")
        again.drain()
        assert again.turns()[0].state == "extracted"


@pytest.mark.feature("X2", preset="myclaw")
class TestBuffer:
    @pytest.fixture
    def mind(self, open_mind: OpenMind) -> Mind:
        return open_mind(preset="myclaw")

    TEXT = "tea " * 500
    TOKENS = count_tokens(TEXT)

    def test_near_six_thousand_tokens(self, mind: Mind) -> None:
        said = 0
        while not due(mind):
            mind.record(session="s", role="assistant", text=self.TEXT)
            said += self.TOKENS
        assert 5_400 <= said <= 6_000

    def test_what_was_extracted_since_does_not_count(self, mind: Mind, clock: ManualClock) -> None:
        half = 4_000 // self.TOKENS
        for _ in range(half):
            mind.record(session="s", role="assistant", text=self.TEXT)
        clock.advance(minutes=3)
        mind.drain()
        for _ in range(half):
            mind.record(session="s", role="assistant", text=self.TEXT)
        assert due(mind) == []

    def test_another_process_goes_on_counting(self, mind: Mind, open_mind: OpenMind) -> None:
        for _ in range(5_300 // self.TOKENS):
            mind.record(session="s", role="assistant", text=self.TEXT)
        assert due(mind) == []
        other = open_mind(preset="myclaw")
        other.record(session="s", role="assistant", text=self.TEXT)
        assert due(other) == ["s"]


@pytest.mark.feature("X2")
@pytest.mark.parametrize(
    ("text", "fires"),
    [
        ("remember that I park on level 3", True),
        ("记住，我的工位在三楼", True),
        ("别忘了周五交报告", True),
        ("do you remember where I park?", False),
        ("你还记得我的工位吗？", False),
        ("I park on level 3", False),
    ],
)
def test_at_once_when_asked_for(mind: Mind, text: str, fires: bool) -> None:
    say(mind, text)
    assert due(mind) == (["s"] if fires else [])


@pytest.mark.feature("X2")
class TestSessionEnd:
    @pytest.mark.feature("X2", preset="semibot")
    @pytest.mark.parametrize(("turns", "fires"), [(2, False), (3, True)])
    def test_from_three_messages_on(self, open_mind: OpenMind, turns: int, fires: bool) -> None:
        mind = open_mind(preset="semibot")
        for _ in range(turns):
            say(mind, "hm")
        mind.end_session("s")
        assert due(mind, "session_end") == (["s"] if fires else [])
        (event,) = mind.events(type="session.ended")
        assert event.payload == {"message_count": turns}

    @pytest.mark.parametrize(
        "preset",
        ["default", pytest.param("openakita", marks=pytest.mark.feature("X2", preset="openakita"))],
    )
    def test_whatever_its_length_where_the_document_says_so(
        self, open_mind: OpenMind, preset: str
    ) -> None:
        mind = open_mind(preset=preset)
        say(mind, "hm")
        mind.end_session("s")
        assert due(mind, "session_end") == ["s"]

    def test_not_where_it_is_off(self, open_mind: OpenMind) -> None:
        mind = open_mind(preset="myclaw")
        for _ in range(5):
            say(mind, "hm")
        mind.end_session("s")
        assert due(mind, "session_end") == []


@pytest.mark.feature("X2")
class TestDrain:
    """A drain learns from a conversation that is still going on, however short it is."""

    @pytest.mark.setting("triggers.on_drain")
    @pytest.mark.parametrize("said", [STATED, "我住在里斯本"])
    @pytest.mark.parametrize("on_drain", [True, False])
    def test_one_message_is_enough(self, open_mind: OpenMind, said: str, on_drain: bool) -> None:
        mind = open_mind(":memory:", triggers={"on_drain": on_drain})
        say(mind, said)
        mind.drain(due_only=True)
        assert mind.memories() == []
        mind.drain()
        assert len(mind.memories()) == on_drain

    def test_it_does_so_once(self, mind: Mind) -> None:
        say(mind, STATED)
        assert mind.drain().done
        assert mind.drain().done == 0, "nothing has been said since"
        mind.end_session("s")
        mind.drain()
        assert len(mind.memories()) == 1

    def test_one_exchange_that_ends(self, open_mind: OpenMind) -> None:
        mind = open_mind(":memory:", triggers={"on_drain": False})
        with mind.session("s") as session:
            session.user(STATED)
            session.assistant("Noted.")
        mind.drain()
        assert len(mind.memories()) == 1
        assert len(mind.episodes()) == 1


@pytest.mark.feature("X2", preset="openakita")
def test_before_compression(open_mind: OpenMind) -> None:
    mind = open_mind(preset="openakita", triggers={"per_turn": False})
    say(mind, STATED)
    assert due(mind) == []
    mind.before_compression("s")
    assert due(mind) == ["s"]


@pytest.mark.setting(
    "triggers.on_request",
    "triggers.quiet_gap",
    "triggers.buffer_tokens",
    "triggers.before_compression",
    "triggers.compression_rules",
)
@pytest.mark.feature("X2")
def test_each_can_be_turned_off(open_mind: OpenMind, clock: ManualClock) -> None:
    off = {
        "on_request": False,
        "per_turn": False,
        "quiet_gap": "never",
        "buffer_tokens": 0,
        "session_end": False,
        "before_compression": False,
        "compression_rules": False,
    }
    mind = open_mind(triggers=off, embedding={"provider": "none"})
    say(mind, "remember that I use Helix " + "x" * 30_000)
    say(mind, LONG)
    say(mind, LONG)
    mind.before_compression("s")
    mind.end_session("s")
    clock.advance(hours=1)
    assert mind.jobs() == []
    assert {turn.state for turn in mind.turns()} == {"new"}


@pytest.mark.feature("X1", preset=["openakita", "myclaw"])
@pytest.mark.parametrize("preset", ["openakita", "myclaw"])
def test_recording_waits_for_nobody(open_mind: OpenMind, preset: str) -> None:
    """The model's address leads nowhere: whoever asked it would fail or wait."""
    model = {"provider": "openai", "name": "m", "base_url": "http://192.0.2.1:9", "timeout": 600}
    mind = open_mind(preset=preset, model=model, embedding={"provider": "none"})
    with mind.session("s") as session:
        for _ in range(5):
            session.user(f"remember that {LONG}")
            session.assistant("noted")
        mind.recall("nightly build")
        mind.context("where does the build run?", session="s")
    assert len(mind.turns(session="s")) == 10
    assert due(mind) == ["s"]
    (job,) = [job for job in mind.jobs() if job.kind == "extract" and not job.payload["quiet"]]
    assert job.run_at - job.created_at == timedelta()
