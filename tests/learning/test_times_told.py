"""What somebody tells with its time is kept with it, wherever in the sentence the time stands."""

from __future__ import annotations

import pytest

from tests.conftest import OpenMind

# The clock of the tests stands at 2026-02-12.
TOLD = [
    ("我三月搬到里斯本了", "2025-03-01"),
    ("三月我搬到里斯本了", "2025-03-01"),
    ("我今年一月搬到了里斯本", "2026-01-01"),
    ("去年夏天，我搬到里斯本了", "2025-06-01"),
    ("三个月前我搬到里斯本了", "2025-11-01"),
    ("I moved to Lisbon in March", "2025-03-01"),
    ("In March I moved to Lisbon", "2025-03-01"),
    ("In 2019, I moved to Lisbon", "2019-01-01"),
]


@pytest.mark.parametrize(("said", "since"), TOLD)
def test_it_holds_since_then(open_mind: OpenMind, said: str, since: str) -> None:
    mind = open_mind()
    mind.record(session="s", role="user", text=said)
    mind.end_session("s")
    mind.drain()
    (memory,) = mind.memories()
    assert memory.text.startswith(said)
    assert f"{memory.valid_from:%Y-%m-%d}" == since


@pytest.mark.parametrize(
    "said", ["我三月住在北京", "我去年用 Python", "9月23号我生日", "三月的发布会取消了"]
)
def test_what_was_so_for_a_while_is_not_what_holds(open_mind: OpenMind, said: str) -> None:
    mind = open_mind()
    mind.record(session="s", role="user", text=said)
    mind.end_session("s")
    mind.drain()
    # At most as a dated statement without a slot.
    assert {memory.predicate for memory in mind.memories()} <= {"birthday", "other"}
