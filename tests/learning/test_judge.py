"""When a model is asked what a statement means for what is known: only where the two may meet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import mnemic
from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import NOON
from tests.learning import thinking
from tests.providers.scripted import Scripted

pytestmark = pytest.mark.feature("M4")

Statement = tuple[str, str, str, str]  # content, subject, predicate, value


@dataclass(frozen=True)
class Pair:
    """A known statement, a new one, and whether the judge is asked about them."""

    known: Statement
    new: Statement
    asked: bool


PAIRS: dict[str, Pair] = {
    "one slot": Pair(
        ("The user lives in Porto", "user", "lives_in", "Porto"),
        ("The user is at home in Faro", "user", "lives_in", "Faro"),
        True,
    ),
    "同一个槽": Pair(
        ("用户住在杭州", "user", "lives_in", "杭州"),
        ("用户搬到了上海", "user", "lives_in", "上海"),
        True,
    ),
    "other words": Pair(
        ("The user works at Blue Bottle", "user", "works_at", "Blue Bottle"),
        ("The user is employed by Blue Bottle", "user", "employer", "the roastery"),
        True,
    ),
    "换个说法": Pair(
        ("用户喜欢喝乌龙茶", "user", "likes", "乌龙茶"),
        ("用户最爱喝乌龙茶", "user", "favourite", "喝茶"),
        True,
    ),
    "one value": Pair(
        ("Bees live on the roof", "user", "keeps", "bees"),
        ("The user's hobby hums", "user", "hobby", "Bees"),
        True,
    ),
    "no slot": Pair(
        ("the dog is called Rex", "", "", ""), ("the dog goes by Rexy", "", "", ""), True
    ),
    "the same once more": Pair(
        ("The user likes tea", "user", "likes", "tea"),
        ("The user likes tea", "user", "likes", "tea"),
        False,
    ),
    "another subject": Pair(
        ("Emily is allergic to peanuts", "Emily", "allergic_to", "peanuts"),
        ("Tom is allergic to peanuts", "Tom", "allergic_to", "peanuts"),
        False,
    ),
    "another matter": Pair(
        ("The user drives a blue Volvo", "user", "car", "Volvo"),
        ("The user wears blue shoes for running on Sundays", "user", "shoes", "blue"),
        False,
    ),
    "另一件事": Pair(
        ("用户住在杭州", "user", "lives_in", "杭州"),
        ("用户在学吉他", "user", "studies", "吉他"),
        False,
    ),
}


def fact(statement: Statement, number: int) -> thinking.Fact:
    content, subject, predicate, value = statement
    return {
        "kind": "fact", "content": content, "subject": subject, "predicate": predicate,
        "value": value, "confidence": 0.95, "turns": [number],
    }  # fmt: skip


@dataclass
class Stage:
    mind: Mind
    server: Scripted

    def say(self, statement: Statement, session: str) -> int:
        """How often the judge was asked when this was said."""
        self.server.always(thinking.proposing(lambda _: [fact(statement, 1)]))
        before = len(self.server.asked)
        self.mind.record(session=session, role="user", text=statement[0])
        self.mind.end_session(session)
        self.mind.drain()
        purposes = [thinking.purpose(asked) for asked in self.server.asked[before:]]
        return purposes.count("reconcile")


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with pytest.MonkeyPatch.context() as patch, Scripted() as server:
        patch.setenv("NO_PROXY", "127.0.0.1")
        given = thinking.settings(server, timeout=30)
        triggers = {"session_min_messages": 1, "quiet_gap": "never"}
        with mnemic.open(
            ":memory:", clock=ManualClock(NOON), worker="none", triggers=triggers, **given
        ) as mind:
            yield Stage(mind, server)


@pytest.mark.parametrize("name", PAIRS)
def test_the_judge_is_asked_where_two_statements_may_meet(stage: Stage, name: str) -> None:
    pair = PAIRS[name]
    stage.say(pair.known, f"{name} 1")
    try:
        assert stage.say(pair.new, f"{name} 2") == pair.asked
    finally:
        for number in (1, 2):
            stage.mind.rollback(f"session:{name} {number}")
