"""Bad days of a model, through the whole engine: no turn is lost, every state is visible, nothing
is stored half, and recall answers all the while.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.types import Turn
from tests.conftest import NOON
from tests.learning import thinking
from tests.providers.scripted import (
    Behavior,
    Scripted,
    cut_short,
    drip,
    hang_up,
    reply,
    silence,
    status,
)
from tests.providers.speaking import says

pytestmark = pytest.mark.feature("X3", "X4", "X9", "N3")

PROVIDERS = ("openai", "anthropic")
AT_END: dict[str, Any] = {"triggers": {"session_min_messages": 1, "quiet_gap": "never"}}
GOOD = {"kind": "fact", "content": "the user keeps bees", "confidence": 0.95, "turns": [1]}


@dataclass
class Stage:
    """One memory, one server and one clock for all cases of a provider: connecting is slow."""

    mind: Mind
    server: Scripted
    clock: ManualClock
    provider: str
    _numbers: count[int] = field(default_factory=count)

    def begin(self) -> tuple[str, str]:
        """A new session, and the word that only its turn has."""
        while self.mind.jobs(state="ready"):  # that a failed test has left
            self.server.always(self.answers("left"))
            self.clock.advance(days=1)
            self.mind.drain()
        number = next(self._numbers)
        word = "zq" + "".join("abcdefghij"[int(digit)] for digit in str(number))
        session = f"s{number}"
        self.mind.record(session=session, role="user", text=f"I keep {word} on the roof")
        self.mind.end_session(session)
        return session, word

    def turn(self, session: str) -> Turn:
        (turn,) = self.mind.turns(session=session)
        return turn

    def answers(self, word: str) -> Behavior:
        fact = {**GOOD, "content": f"keeps {word}", "subject": word}
        return thinking.proposing(lambda _: [fact], self.provider)

    def learned(self, word: str) -> list[str]:
        return [one.text for one in self.mind.memories(limit=1_000) if word in one.text]


@pytest.fixture(scope="module", params=PROVIDERS)
def stage(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    path: Path = tmp_path_factory.mktemp("bad") / "memory.db"
    clock = ManualClock(NOON)
    with pytest.MonkeyPatch.context() as patch, Scripted() as server:
        patch.setenv("NO_PROXY", "127.0.0.1")
        given = thinking.settings(server, request.param, timeout=30)
        with mnemic.open(path, clock=clock, worker="none", **given, **AT_END) as mind:
            yield Stage(mind, server, clock, request.param)


def case_of(provider: str, case: object) -> Behavior:
    """A text as the provider's answer; whatever is a behavior already, as it is."""
    return case if callable(case) else reply(says(provider, case))


def facts(*listed: object) -> str:
    return json.dumps({"facts": list(listed)})


# Nothing of these can be read. What can be read in part is in tests/learning/test_answers.py.
TEXTS: dict[str, str] = {
    "half an object": '{"facts": [{"kind": "fact", "content": "the user ke',
    "half a list": facts(GOOD)[:-5],
    "half a fence": f"```json\n{facts(GOOD)[:-9]}",
    "prose": "The user seems to keep something on the roof.",
    "中文": "用户好像在屋顶上养了什么。",
    "nothing": "",
    "blank": " \n ",
    "a number": "7",
    "another object": '{"mood": "fine", "weather": "dry"}',
    "facts is a number": '{"facts": 7}',
    "facts is true": '{"facts": true}',
    "endless numbers": '{"facts": [' + "9" * 6_000 + "]}",
    "too deep": '{"facts":' * 3_000 + "[]" + "}" * 3_000,
}
WIRE: dict[str, Behavior] = {
    "429": status(429, "slow down"),
    "429 with a delay": status(429, "slow down", retry_after="120"),
    "500": status(500),
    "502": reply(b"<html>bad gateway</html>", status=502),
    "503": status(503),
    "529": status(529),
    "HTML": reply(b"<html>please log in</html>"),
    "no JSON": reply(b'{"choices": ['),
    "no message": reply({"choices": [], "content": None}),
    "dropped": hang_up,
    "cut short": cut_short({"choices": [], "content": []}),
}
SLOW: dict[str, Behavior] = {
    "never closing": silence,
    "slow drip": drip(),
    "slow drip of the head": drip(head=True),
}
CASES: dict[str, object] = {**TEXTS, **WIRE}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_bad_answer_is_tried_again_and_stores_nothing(stage: Stage, case: object) -> None:
    session, word = stage.begin()
    stage.server.always(case_of(stage.provider, case))
    drained = stage.mind.drain()
    assert (drained.done, drained.retried, drained.dead) == (0, 1, 0)
    turn, (job,) = stage.turn(session), stage.mind.jobs()
    assert turn.state == "failed"
    assert turn.reason
    assert turn.reason == job.error[:500]
    assert (job.kind, job.state) == ("session_end", "ready")
    away = "BadAnswer" not in job.error
    assert (job.attempts, bool(job.waiting_since)) == ((0, True) if away else (1, False))
    assert stage.mind.stats().turn_states.get("failed") == 1
    assert stage.learned("bees") == stage.learned(word) == []
    assert any(hit.session == session for hit in stage.mind.recall(f"who keeps {word}?"))
    assert stage.mind.drain().retried == 0, "it waits"
    stage.server.always(stage.answers(word))
    stage.clock.set(job.run_at)
    assert stage.mind.drain().done == 1
    assert stage.turn(session).state == "extracted"
    assert stage.learned(word) == [f"keeps {word}"]
    assert stage.mind.jobs() == []


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("case", SLOW.values(), ids=SLOW)
def test_a_server_that_never_comes_to_an_end_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str, case: Behavior
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    clock = ManualClock(NOON)
    with Scripted() as server:
        server.always(case)
        given = thinking.settings(server, provider, timeout=0.2)
        with mnemic.open(tmp_path / "m.db", clock=clock, worker="none", **given, **AT_END) as mind:
            stage = Stage(mind, server, clock, provider)
            session, word = stage.begin()
            assert mind.drain().retried == 1
            assert stage.turn(session).state == "failed"
            assert any(hit.session == session for hit in mind.recall(f"who keeps {word}?"))
        server.always(stage.answers(word))
        clock.advance(seconds=30)
        given = thinking.settings(server, provider, timeout=30)
        with mnemic.open(tmp_path / "m.db", clock=clock, worker="none", **given, **AT_END) as mind:
            assert mind.drain().done == 1
            assert mind.turns()[0].state == "extracted"
            assert len(mind.memories()) == 1


@pytest.mark.parametrize(
    "around", ["{}", "Here you are:\n```json\n{}\n```\nAnything else?", "好的：{} 以上。"]
)
def test_a_good_answer_is_found_in_what_stands_around_it(stage: Stage, around: str) -> None:
    session, word = stage.begin()
    answer = around.replace("{}", facts({**GOOD, "content": f"keeps {word}"}))
    story = json.dumps(thinking.STORY)
    stage.server.always(
        thinking.by_purpose(
            extract=reply(says(stage.provider, answer)),
            reconcile=reply(says(stage.provider, '{"verdict": "new", "memory": 0}')),
            episode=reply(says(stage.provider, story)),
        )
    )
    assert stage.mind.drain().done == 1
    assert stage.turn(session).state == "extracted"
    assert stage.learned(word) == [f"keeps {word}"]


def test_a_bad_answer_is_first_given_back_for_repair(stage: Stage) -> None:
    session, word = stage.begin()
    stage.server.then(case_of(stage.provider, facts({**GOOD, "turns": [99]})))
    stage.server.always(stage.answers(word))
    before = len(stage.server.asked)
    assert stage.mind.drain().done == 1
    repairing = stage.server.asked[before + 1]
    assert "turns has to list numbers from 1 to 1" in repairing.json["messages"][-1]["content"]
    assert stage.turn(session).state == "extracted"


def test_the_wait_a_server_asks_for_is_kept(stage: Stage) -> None:
    _, word = stage.begin()
    stage.server.always(WIRE["429 with a delay"])
    stage.mind.drain()
    (job,) = stage.mind.jobs()
    assert job.run_at == stage.clock.now() + timedelta(seconds=120)
    stage.server.always(stage.answers(word))
    stage.clock.set(job.run_at)
    stage.mind.drain()


@pytest.mark.parametrize("case", ["half an object", "prose"])
def test_three_tries_then_dead_with_the_reason_and_alive_again(stage: Stage, case: str) -> None:
    session, word = stage.begin()
    stage.server.always(case_of(stage.provider, CASES[case]))
    ends = []
    for wait in (0, 30, 60):
        stage.clock.advance(seconds=wait)
        ends.append(stage.mind.drain())
    assert [end.retried for end in ends] == [1, 1, 0]
    assert ends[-1].dead == 1
    turn, (job,) = stage.turn(session), stage.mind.jobs(state="dead")
    assert (turn.state, turn.reason) == ("dead", job.error[:500])
    stats = stage.mind.stats()
    assert (stats.jobs_dead, stats.turn_states["dead"]) == (1, 1)
    assert any(event.subject == f"job:{job.id}" for event in stage.mind.events(type="dead"))
    (episode,) = stage.mind.episodes(session=session)
    assert word in episode.summary, "its story is told by the rules"
    stage.server.always(stage.answers(word))
    assert stage.mind.redrive() == 1
    assert stage.turn(session).state == "failed"
    stage.mind.drain()
    assert stage.turn(session).state == "extracted"
    assert stage.learned(word) == [f"keeps {word}"]
    (episode,) = stage.mind.episodes(session=session)
    assert episode.summary == thinking.STORY["summary"]
    assert episode.memories == tuple(
        one.id for one in stage.mind.memories(limit=1_000) if word in one.text
    )
    assert stage.mind.stats().jobs_dead == 0


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_wrong_key_is_waited_for_and_tried_again_when_somebody_says_so(
    stage: Stage, code: int
) -> None:
    session, word = stage.begin()
    stage.server.always(status(code, "no such key"))
    drained = stage.mind.drain()
    assert (drained.retried, drained.dead) == (1, 0)
    assert stage.turn(session).state == "failed"
    assert str(code) in stage.turn(session).reason
    (job,) = stage.mind.jobs()
    assert job.run_at == stage.clock.now() + timedelta(hours=1), "nobody corrects it in a minute"
    stage.server.always(stage.answers(word))
    stage.mind.redrive()
    stage.mind.drain()
    assert stage.turn(session).state == "extracted"


def test_there_are_five_hundred_of_them() -> None:
    from tests.learning import test_answers as partly
    from tests.providers import test_chat_bad as below

    there = len(partly.KINDS) + len(partly.UNREADABLE)
    there += 4 * (len(below.WIRE) + len(below.MESSAGES) + len(below.TEXTS) + len(below.USAGES) + 6)
    assert there + len(PROVIDERS) * (len(CASES) + len(SLOW)) >= 500
