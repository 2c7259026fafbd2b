"""Dates in a query, written as people write them, find what was said then."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time

import pytest

import mnemic
from mnemic import Mind
from mnemic.clock import ManualClock

pytestmark = pytest.mark.feature("R5")

NOW = datetime(2024, 12, 20, 12, tzinfo=UTC)
DAYS = [
    *("2022-02-02", "2023-01-23", "2023-04-10", "2023-06-03", "2023-08-12", "2023-09-29"),
    *("2022-12-25", "2023-12-31", "2024-01-25", "2024-02-10", "2024-06-10", "2024-08-15"),
    *("2024-10-02",),
]
CASES = [
    ("25.01.2024", "2024-01-25"),
    ("25/01/2024", "2024-01-25"),
    ("01/25/2024", "2024-01-25"),
    ("2024/1/25", "2024-01-25"),
    ("31 Dec 2023", "2023-12-31"),
    ("Dec 31, 2023", "2023-12-31"),
    ("New Year's Eve 2023", "2023-12-31"),
    ("Aug 15th", "2024-08-15"),
    ("the 15th of August", "2024-08-15"),
    ("early June 2023", "2023-06-03"),
    ("the weekend of Aug 12, 2023", "2023-08-12"),
    ("Christmas 2022", "2022-12-25"),
    ("Easter Monday 2023", "2023-04-10"),
    ("Chinese New Year 2024", "2024-02-10"),
    ("去年春节", "2023-01-23"),
    ("今年春节", "2024-02-10"),
    ("2023年中秋节", "2023-09-29"),
    ("今年端午", "2024-06-10"),
    ("今年国庆", "2024-10-02"),
    ("2024年1月25号", "2024-01-25"),
    ("1月25日", "2024-01-25"),
    ("八月十五号", "2024-08-15"),
]


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mind]:
    clock = ManualClock(NOW)
    file = tmp_path_factory.mktemp("dates") / "memory.db"
    with mnemic.open(file, clock=clock, worker="none", embedding__provider="none") as mind:
        for day in map(date.fromisoformat, DAYS):
            at = datetime.combine(day, time(18), UTC)
            mind.record(session=f"{day}", role="user", text="a walk by the lake 湖边散步", at=at)
        yield mind


@pytest.mark.parametrize(("words", "day"), CASES, ids=[case[0] for case in CASES])
@pytest.mark.parametrize("frame", ["Where did I walk on {}?", "{}在哪里散步？"])
def test_a_date_finds_its_day(mind: Mind, words: str, day: str, frame: str) -> None:
    hits = mind.recall(frame.format(words), limit=3, of=["turn"])
    assert hits[0].session == day
    assert "date" in hits[0].why.parts
    assert "time" in hits[0].why.routes
