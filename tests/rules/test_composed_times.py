"""Times that are built on other times, on every day of a year: each is counted here by hand."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from mnemic.language.dates.reader import find_times

DAY = timedelta(days=1)
YEAR = [date(2027, 1, 1) + n * DAY for n in range(0, 365, 11)]
Days = tuple[date, date]


def read(text: str, today: date) -> list[Days]:
    """The first and the last day of each time, said at ten of a day about what lies ahead."""
    said = datetime(today.year, today.month, today.day, 10, tzinfo=UTC)
    spans = find_times(text, said, ahead=True)
    return [(span.start.date(), max(span.start, span.end - DAY).date()) for span in spans]


def month(today: date, offset: int) -> list[date]:
    year, place = divmod(today.year * 12 + today.month - 1 + offset, 12)
    return [date(year, place + 1, n + 1) for n in range(monthrange(year, place + 1)[1])]


def of_month(offset: int, weekday: int, which: int) -> Callable[[date], Days]:
    def day(today: date) -> Days:
        (found,) = [one for one in month(today, offset) if one.weekday() == weekday][which:][:1]
        return found, found

    return day


def coming(weekday: int, weeks: int = 0, length: int = 1) -> Callable[[date], Days]:
    """From the next such weekday on, today among them."""

    def day(today: date) -> Days:
        first = next(one for n in range(7) if (one := today + n * DAY).weekday() == weekday)
        return first + 7 * weeks * DAY, first + (7 * weeks + length - 1) * DAY

    return day


def of_week(weeks: int, first: int, last: int) -> Callable[[date], Days]:
    def days(today: date) -> Days:
        monday = today - today.weekday() * DAY + 7 * weeks * DAY
        return monday + first * DAY, monday + last * DAY

    return days


CASES: list[tuple[str, Callable[[date], Days]]] = [
    ("the choir sings on the third Tuesday of next month", of_month(1, 1, 2)),
    ("the last Sunday in next month", of_month(1, 6, -1)),
    ("下个月最后一个星期四", of_month(1, 3, -1)),
    ("下个月的第二个周一聚会", of_month(1, 0, 1)),
    ("the last day of next month", lambda today: (month(today, 1)[-1],) * 2),
    ("下个月最后一天", lambda today: (month(today, 1)[-1],) * 2),
    ("the end of next month", lambda today: (month(today, 1)[20], month(today, 1)[-1])),
    ("the 9th of next month", lambda today: (month(today, 1)[8],) * 2),
    ("first week of next month", lambda today: (month(today, 1)[0], month(today, 1)[6])),
    ("a week from tomorrow", lambda today: (today + 8 * DAY,) * 2),
    ("four weeks from today", lambda today: (today + 28 * DAY,) * 2),
    ("in exactly nine days", lambda today: (today + 9 * DAY,) * 2),
    ("五周后的今天", lambda today: (today + 35 * DAY,) * 2),
    ("再过四天", lambda today: (today + 4 * DAY,) * 2),
    ("a fortnight on Wednesday", coming(2, weeks=2)),
    ("two weeks from Wednesday", coming(2, weeks=2)),
    ("Wednesday week", coming(2, weeks=1)),
    ("Saturday through Tuesday", coming(5, length=4)),
    ("Tuesday to Thursday next week", of_week(1, 1, 3)),
    ("next week Friday", of_week(1, 4, 4)),
    ("下周三到周五", of_week(1, 2, 4)),
    ("下週二", of_week(1, 1, 1)),
    ("the Friday before Christmas", lambda _: (date(2027, 12, 24),) * 2),
    ("the day after Boxing Day", lambda _: (date(2027, 12, 27),) * 2),
    ("圣诞节前一天", lambda _: (date(2027, 12, 24),) * 2),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_the_same_words_on_every_day_of_a_year(text: str, expected: Callable[[date], Days]) -> None:
    fixed = expected(YEAR[0]) == expected(YEAR[1])
    for today in YEAR[:30] if fixed else YEAR:
        assert read(text, today) == [expected(today)], today


@pytest.mark.parametrize("today", YEAR)
def test_a_weekday_and_its_date_are_one_time_or_none(today: date) -> None:
    day = today + 20 * DAY
    name, other = day.strftime("%A"), (day + DAY).strftime("%A")
    words = f"{day.day} {day.strftime('%B')}"
    assert read(f"the tuner comes on {name} {words}", today) == [(day, day)]
    assert read(f"the tuner comes on {other} {words}", today) == []


@pytest.mark.parametrize("text", ["农历九月初九聚餐", "正月初六", "九月初九", "腊月二十三祭灶"])
def test_a_day_of_the_lunar_calendar_is_not_taken_for_another(text: str) -> None:
    assert read(text, YEAR[0]) == []
