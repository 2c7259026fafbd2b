"""What somebody tells with its time is kept with it, wherever in the sentence the time stands."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mnemic.language.extract.dates import NO_SLOT, add_dates
from mnemic.types import Candidate
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


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("The recital slipped to June 6", "2027-06-06"),
        ("Our hike got bumped from the 2nd to the 23rd", "2027-04-23"),
        ("They extended the tender until May 31", "2027-05-31"),
        ("The inspection was brought forward to April 19", "2027-04-19"),
        ("Regatta in November", "2027-11-01 – 2027-11-30"),
        ("The permit expires in December", "2027-12-01 – 2027-12-31"),
        ("I ran the relay in November", "2026-11"),
        ("Our old lift broke in January", "2027-01"),
        ("Rehearsal is on Friday the 17th", ""),  # a Saturday
        ("验收拖到6月6号了", "2027-06-06"),
        ("徒步从17号改到23号了", "2027-04-23"),
        ("投标延长到5月31号了", "2027-05-31"),
        ("年检提前到4月19号了", "2027-04-19"),
        ("十一月有赛艇比赛", "2027-11-01 – 2027-11-30"),
        ("我十一月认识的老陶", "2026-11"),
        ("17号周五排练", ""),
    ],
)
def test_what_was_moved_or_names_no_past_lies_ahead(said: str, day: str) -> None:
    told = Candidate("fact", said, predicate=NO_SLOT, value=said)
    text = add_dates(told, datetime(2027, 4, 14, 10, tzinfo=UTC)).text  # a Wednesday
    assert text.removeprefix(said) == (f" ({day})" if day else "")
