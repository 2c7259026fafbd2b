"""Every way of writing a date is read back as that date."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.dates import feasts
from mnemic.language.dates.query_dates import PartialDate, find_date
from mnemic.language.dates.reader import find_times

NOW = datetime(2026, 2, 12, 15, 30, tzinfo=UTC)
MONTHS = (
    "January February March April May June July August September October November December".split()
)
_DIGITS = "零一二三四五六七八九"


def ordinal(number: int) -> str:
    teen = 10 < number % 100 < 14
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def numeral(number: int) -> str:
    tens, ones = divmod(number, 10)
    head = "" if not tens else ("" if tens == 1 else _DIGITS[tens]) + "十"
    return head + (_DIGITS[ones] if ones else "")


def whole(day: date) -> list[str]:
    """A day of a year in every form that is read in one way."""
    y, m, d = day.year, day.month, day.day
    name, short = MONTHS[m - 1], MONTHS[m - 1][:3]
    forms = [
        f"{y}-{m:02}-{d:02}",
        f"{y}/{m}/{d}",
        f"{y}.{m:02}.{d:02}",
        f"{name} {d}, {y}",
        f"{short} {d}, {y}",
        f"{short}. {ordinal(d)} {y}",
        f"{d} {name} {y}",
        f"{d} {short} {y}",
        f"the {ordinal(d)} of {name} {y}",
        f"the {ordinal(d)} of {name}, {y}",
        f"{name} {ordinal(d)}, {y}",
        f"{y}年{m}月{d}日",
        f"{y}年{m}月{d}号",
        f"{y} 年 {m} 月 {d} 日",
        f"{y}年{numeral(m)}月{numeral(d)}号",
        "".join("〇一二三四五六七八九"[int(digit)] for digit in str(y))
        + f"年{numeral(m)}月{numeral(d)}日",
    ]
    if d > 12:
        forms += [f"{d:02}.{m:02}.{y}", f"{d}/{m}/{y}", f"{m:02}/{d:02}/{y}", f"{d}-{m}-{y}"]
    return forms


FRAMES = st.sampled_from(["{}", "What happened on {}?", "请问{}发生了什么", "我想知道 {} 的事"])


@given(st.dates(date(1990, 1, 1), date(2060, 12, 31)), FRAMES)
def test_a_whole_date(day: date, frame: str) -> None:
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    for form in whole(day):
        text = frame.format(form)
        spans = [(span.start, span.end) for span in find_times(text, NOW)]
        assert spans == [(start, start + timedelta(days=1))], text
        assert find_date(text) == PartialDate(day.month, day.year, day.day), text


@given(st.dates(date(2000, 1, 1), date(2030, 12, 31)).filter(lambda day: day.day <= 12))
def test_a_date_of_two_readings_has_both(day: date) -> None:
    other = day.replace(month=day.day, day=day.month)
    wanted = {datetime(d.year, d.month, d.day, tzinfo=UTC) for d in (day, other)}
    for mark in "./-":
        text = mark.join((f"{day.day:02}", f"{day.month:02}", str(day.year)))
        assert {span.start for span in find_times(text, NOW)} == wanted
        found = find_date(text)
        assert found is not None
        read = {(found.month, found.day)}
        read |= {(found.other.month, found.other.day)} if found.other else set()
        assert read == {(day.month, day.day), (other.month, other.day)}


@given(st.dates(date(2025, 2, 13), date(2026, 2, 12)), FRAMES)
def test_a_day_without_its_year_is_the_latest(day: date, frame: str) -> None:
    name, m, d = MONTHS[day.month - 1], day.month, day.day
    start = datetime(day.year, m, d, tzinfo=UTC)
    forms = [f"{d} {name}", f"{ordinal(d)} of {name}", f"{m}月{d}日", f"{m}月{d}号"]
    forms += [f"{numeral(m)}月{numeral(d)}号", f"{name} {ordinal(d)}", f"{name[:3]} {ordinal(d)}"]
    for form in forms:
        text = frame.format(form)
        assert [span.start for span in find_times(text, NOW)] == [start], text
        assert find_date(text) == PartialDate(m, None, d), text


@pytest.mark.parametrize(
    ("feast", "days"),
    [
        (feasts.lunar(1, 1), "1990-01-27 2000-02-05 2008-02-07 2024-02-10 2026-02-17 2060-02-02"),
        (feasts.lunar(1, 1, -1), "2024-02-09 2025-01-28"),
        (feasts.lunar(1, 15), "2023-02-05 2024-02-24"),
        (feasts.lunar(5, 5), "2020-06-25 2023-06-22 2025-05-31"),  # leap months before and not
        (feasts.lunar(8, 15), "2017-10-04 2020-10-01 2023-09-29 2025-10-06"),
        (feasts.lunar(9, 9), "2023-10-23 2024-10-11"),
        (feasts.qingming, "1992-04-04 1995-04-05 2019-04-05 2023-04-05 2024-04-04"),
        (feasts.easter(), "1999-04-04 2000-04-23 2019-04-21 2024-03-31 2025-04-20 2038-04-25"),
        (feasts.weekday(11, 4, 3), "2022-11-24 2024-11-28"),
        (feasts.weekday(5, -1, 0), "2023-05-29 2024-05-27"),
        (feasts.weekday(12, -1, 0), "2024-12-30"),
    ],
)
def test_feasts(feast: feasts.MovingFeast, days: str) -> None:
    for day in map(date.fromisoformat, days.split()):
        assert feast(day.year) == day


@pytest.mark.parametrize("year", range(1990, 2061))
def test_lunar_years(year: int) -> None:
    new_year = feasts.lunar(1, 1)(year)
    assert date(year, 1, 21) <= new_year <= date(year, 2, 21)
    if year < 2060:
        assert (feasts.lunar(1, 1)(year + 1) - new_year).days in (353, 354, 355, 383, 384, 385)


@pytest.mark.parametrize("year", [1, 1989, 2061, 9998])
def test_a_year_without_a_lunar_calendar_gives_no_day(year: int) -> None:
    with pytest.raises(ValueError, match="lunar"):
        feasts.lunar(1, 1)(year)
    assert find_times("春节", datetime(year, 6, 1, tzinfo=UTC)) == []
