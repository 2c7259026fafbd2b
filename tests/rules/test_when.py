"""Time expressions, seen from half past three on Thursday, 12 February 2026, in Shanghai."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.numerals import number
from recollect.rules.when import TimeSpan, find_times

EAST = timezone(timedelta(hours=8))
NOW = datetime(2026, 2, 12, 15, 30, tzinfo=EAST)

# The expression, then from and to without the zone: days, or moments.
SINGLE = """
上周三 | 2026-02-04 | 2026-02-05
上周三下午 | 2026-02-04 12:00 | 2026-02-04 18:00
上个星期天 | 2026-02-08 | 2026-02-09
上上周五 | 2026-01-30 | 2026-01-31
上周 | 2026-02-02 | 2026-02-09
上一周 | 2026-02-02 | 2026-02-09
上个礼拜 | 2026-02-02 | 2026-02-09
本周 | 2026-02-09 | 2026-02-16
这周一 | 2026-02-09 | 2026-02-10
下周一 | 2026-02-16 | 2026-02-17
下下周 | 2026-02-23 | 2026-03-02
上周末 | 2026-02-07 | 2026-02-09
周三 | 2026-02-11 | 2026-02-12
周四 | 2026-02-12 | 2026-02-13
周五 | 2026-02-06 | 2026-02-07
星期日下午 | 2026-02-08 12:00 | 2026-02-08 18:00
前天 | 2026-02-10 | 2026-02-11
大前天 | 2026-02-09 | 2026-02-10
昨天 | 2026-02-11 | 2026-02-12
昨天下午 | 2026-02-11 12:00 | 2026-02-11 18:00
昨天晚上 | 2026-02-11 18:00 | 2026-02-12 06:00
昨晚 | 2026-02-11 18:00 | 2026-02-12 06:00
今天 | 2026-02-12 | 2026-02-13
今早 | 2026-02-12 05:00 | 2026-02-12 12:00
今天凌晨 | 2026-02-12 00:00 | 2026-02-12 06:00
明天 | 2026-02-13 | 2026-02-14
后天中午 | 2026-02-14 11:00 | 2026-02-14 14:00
上个月 | 2026-01-01 | 2026-02-01
上上个月 | 2025-12-01 | 2026-01-01
这个月 | 2026-02-01 | 2026-03-01
下个月 | 2026-03-01 | 2026-04-01
上个月15号 | 2026-01-15 | 2026-01-16
上个月底 | 2026-01-21 | 2026-02-01
月初 | 2026-02-01 | 2026-02-11
上个季度 | 2025-10-01 | 2026-01-01
去年 | 2025-01-01 | 2026-01-01
前年 | 2024-01-01 | 2025-01-01
上一年 | 2025-01-01 | 2026-01-01
去年三月 | 2025-03-01 | 2025-04-01
去年夏天 | 2025-06-01 | 2025-09-01
去年年底 | 2025-10-01 | 2026-01-01
去年冬天 | 2025-12-01 | 2026-03-01
今年上半年 | 2026-01-01 | 2026-07-01
上半年 | 2026-01-01 | 2026-07-01
下半年 | 2025-07-01 | 2026-01-01
年初 | 2026-01-01 | 2026-04-01
年底 | 2025-10-01 | 2026-01-01
去年国庆 | 2025-10-01 | 2025-10-08
元旦 | 2026-01-01 | 2026-01-02
2025年 | 2025-01-01 | 2026-01-01
2024年第一季度 | 2024-01-01 | 2024-04-01
2023年5月7日 | 2023-05-07 | 2023-05-08
2023 年 5 月 7 日 | 2023-05-07 | 2023-05-08
二〇二五年十月一日 | 2025-10-01 | 2025-10-02
23年5月 | 2023-05-01 | 2023-06-01
2026-02-12 | 2026-02-12 | 2026-02-13
2026/2/1 | 2026-02-01 | 2026-02-02
2025-11 | 2025-11-01 | 2025-12-01
2月12日 | 2026-02-12 | 2026-02-13
2月12日上午 | 2026-02-12 05:00 | 2026-02-12 12:00
十二月二十五号 | 2025-12-25 | 2025-12-26
12月25日 | 2025-12-25 | 2025-12-26
2月29日 | 2024-02-29 | 2024-03-01
三月 | 2025-03-01 | 2025-04-01
1月份 | 2026-01-01 | 2026-02-01
三月初 | 2025-03-01 | 2025-03-11
三月中旬 | 2025-03-11 | 2025-03-21
十五号 | 2026-01-15 | 2026-01-16
5号 | 2026-02-05 | 2026-02-06
31号 | 2026-01-31 | 2026-02-01
三天前 | 2026-02-09 | 2026-02-10
3 天前 | 2026-02-09 | 2026-02-10
十五天以前 | 2026-01-28 | 2026-01-29
两周前 | 2026-01-26 | 2026-02-02
三个月前 | 2025-11-01 | 2025-12-01
两年前 | 2024-01-01 | 2025-01-01
半年前 | 2025-08-01 | 2025-09-01
半个月前 | 2026-01-26 | 2026-02-02
一年半前 | 2024-08-01 | 2024-09-01
十分钟前 | 2026-02-12 15:15 | 2026-02-12 15:25
两个小时前 | 2026-02-12 12:30 | 2026-02-12 14:30
三天后 | 2026-02-15 | 2026-02-16
最近两周 | 2026-01-29 | 2026-02-13
最近三天 | 2026-02-09 | 2026-02-13
过去24小时 | 2026-02-11 15:30 | 2026-02-12 15:30
近三个月 | 2025-11-12 | 2026-02-13
过去一年 | 2025-02-12 | 2026-02-13
最近半年 | 2025-08-12 | 2026-02-13
前两天 | 2026-02-10 | 2026-02-13
5月3日到7日 | 2025-05-03 | 2025-05-08
5月3-7日 | 2025-05-03 | 2025-05-08
2024年5月到7月 | 2024-05-01 | 2024-08-01
从周一到周三 | 2026-02-09 | 2026-02-12
2025-12-30至2026-01-02 | 2025-12-30 | 2026-01-03
去年11月到今年1月 | 2025-11-01 | 2026-02-01
自从周一以来 | 2026-02-09 | 2026-02-13
从去年到现在 | 2025-01-01 | 2026-02-13
三月以后 | 2025-04-01 | 2026-02-13
2023年之前 | 0001-01-03 | 2023-01-01
周三之前 | 0001-01-03 | 2026-02-11
last March | 2025-03-01 | 2025-04-01
last may | 2025-05-01 | 2025-06-01
this March | 2026-03-01 | 2026-04-01
next March | 2026-03-01 | 2026-04-01
two weeks ago | 2026-01-26 | 2026-02-02
a week ago | 2026-02-02 | 2026-02-09
three days ago | 2026-02-09 | 2026-02-10
3 days ago | 2026-02-09 | 2026-02-10
twenty-one days ago | 2026-01-22 | 2026-01-23
a couple of weeks ago | 2026-01-26 | 2026-02-02
two months ago | 2025-12-01 | 2026-01-01
a year ago | 2025-01-01 | 2026-01-01
half a year ago | 2025-08-01 | 2025-09-01
a year and a half ago | 2024-08-01 | 2024-09-01
an hour ago | 2026-02-12 14:00 | 2026-02-12 15:00
ten minutes ago | 2026-02-12 15:15 | 2026-02-12 15:25
two days from now | 2026-02-14 | 2026-02-15
yesterday | 2026-02-11 | 2026-02-12
yesterday evening | 2026-02-11 17:00 | 2026-02-12 00:00
the day before yesterday | 2026-02-10 | 2026-02-11
this morning | 2026-02-12 05:00 | 2026-02-12 12:00
tonight | 2026-02-12 18:00 | 2026-02-13 06:00
last night | 2026-02-11 18:00 | 2026-02-12 06:00
tomorrow | 2026-02-13 | 2026-02-14
Feb 12 | 2026-02-12 | 2026-02-13
feb. 12th | 2026-02-12 | 2026-02-13
Dec 25 | 2025-12-25 | 2025-12-26
December 25th, 2024 | 2024-12-25 | 2024-12-26
7 May 2023 | 2023-05-07 | 2023-05-08
the 7th of May 2023 | 2023-05-07 | 2023-05-08
May 2023 | 2023-05-01 | 2023-06-01
early March 2024 | 2024-03-01 | 2024-03-11
September | 2025-09-01 | 2025-10-01
late 2024 | 2024-10-01 | 2025-01-01
summer of 2023 | 2023-06-01 | 2023-09-01
last summer | 2025-06-01 | 2025-09-01
last winter | 2024-12-01 | 2025-03-01
Q3 2024 | 2024-07-01 | 2024-10-01
the first half of 2025 | 2025-01-01 | 2025-07-01
last Thursday | 2026-02-05 | 2026-02-06
last Friday night | 2026-02-06 18:00 | 2026-02-07 06:00
this Friday | 2026-02-13 | 2026-02-14
Monday | 2026-02-09 | 2026-02-10
last week | 2026-02-02 | 2026-02-09
the week before last | 2026-01-26 | 2026-02-02
this week | 2026-02-09 | 2026-02-16
next week | 2026-02-16 | 2026-02-23
last weekend | 2026-02-07 | 2026-02-09
last month | 2026-01-01 | 2026-02-01
last quarter | 2025-10-01 | 2026-01-01
last year | 2025-01-01 | 2026-01-01
past two weeks | 2026-01-29 | 2026-02-13
the last 3 months | 2025-11-12 | 2026-02-13
this past week | 2026-02-05 | 2026-02-13
last Christmas | 2025-12-25 | 2025-12-26
Christmas 2024 | 2024-12-25 | 2024-12-26
New Year's Eve | 2025-12-31 | 2026-01-01
between May and July 2024 | 2024-05-01 | 2024-08-01
between Feb 3 and Feb 9 | 2026-02-03 | 2026-02-10
from November 2024 to March | 2024-11-01 | 2025-04-01
May 3-7, 2024 | 2024-05-03 | 2024-05-08
3 to 7 May 2024 | 2024-05-03 | 2024-05-08
from March 3 to the 7th | 2025-03-03 | 2025-03-08
from 2019 to 2021 | 2019-01-01 | 2022-01-01
from Monday to Wednesday | 2026-02-09 | 2026-02-12
since Monday | 2026-02-09 | 2026-02-13
since last week | 2026-02-02 | 2026-02-13
since 2020 | 2020-01-01 | 2026-02-13
after March 2025 | 2025-04-01 | 2026-02-13
before 2020 | 0001-01-03 | 2020-01-01
until yesterday | 0001-01-03 | 2026-02-12
25/12/2025 | 2025-12-25 | 2025-12-26
"""


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=EAST)


CASES = [
    (words, moment(start), moment(end))
    for words, start, end in (line.split(" | ") for line in SINGLE.strip().splitlines())
]


@pytest.mark.parametrize(("words", "start", "end"), CASES, ids=[case[0] for case in CASES])
def test_expressions(words: str, start: datetime, end: datetime) -> None:
    assert find_times(words, NOW) == [TimeSpan(start, end, words)]


@pytest.mark.parametrize(("words", "start", "end"), CASES[::2])
@pytest.mark.parametrize("frame", ["请问{}发生了什么？", "What happened, {}?", "我想知道 {} 的事"])
def test_expressions_inside_a_sentence(
    words: str, start: datetime, end: datetime, frame: str
) -> None:
    found = [(span.start, span.end) for span in find_times(frame.format(words), NOW)]
    assert found == [(start, end)]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("12/02/2026", ["2026-02-12", "2026-12-02"]),  # either way round
        ("03-04-2025", ["2025-03-04", "2025-04-03"]),
        ("05/05/2025", ["2025-05-05"]),
        ("last Wednesday", ["2026-02-04", "2026-02-11"]),  # yesterday, or that of last week
        ("next Friday", ["2026-02-13", "2026-02-20"]),
        ("昨天和前天", ["2026-02-11", "2026-02-10"]),
        ("Monday and Tuesday", ["2026-02-09", "2026-02-10"]),
        ("是 2 月 3 号还是 2 月 4 号？", ["2026-02-03", "2026-02-04"]),
        ("on Feb 3 or on the 5th", ["2026-02-03", "2026-02-05"]),
        ("on Tue, not on Wed", ["2026-02-10", "2026-02-11"]),
    ],
)
def test_more_than_one(text: str, days: list[str]) -> None:
    found = find_times(text, NOW)
    assert [span.start for span in found] == [moment(day) for day in days]
    assert all(span.end - span.start == timedelta(days=1) for span in found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "一周一次",
        "每周三",
        "两周三次",
        "三个月",
        "五月天的歌",
        "月亮真圆",
        "第三天",
        "3号楼",
        "以后天天如此",
        "90年代的音乐",
        "三年级",
        "I may go",
        "march forward",
        "mar the surface",
        "Sat on the chair",
        "every Monday",
        "Mondays are hard",
        "version 2023",
        "port 2024",
        "the 5 of us",
        "1.2.3",
        "192.168.1.1",
        "31/31/2025",
        "a second opinion",
        "the last mile",
        "in the fall of Rome",
        "10:30",
    ],
)
def test_what_is_no_time(text: str) -> None:
    assert find_times(text, NOW) == []


def test_impossible_dates_are_passed_over() -> None:
    assert find_times("2025-02-30", NOW) == []
    assert find_times("2025年13月", NOW)[0].text == "2025年"
    assert find_times("9999 years ago", NOW) == []


def test_the_zone_is_that_of_now() -> None:
    new_york = ZoneInfo("America/New_York")
    now = datetime(2026, 2, 12, 3, tzinfo=UTC).astimezone(new_york)  # still the 11th there
    (span,) = find_times("yesterday", now)
    assert span.start == datetime(2026, 2, 10, tzinfo=new_york)
    assert span.start.tzinfo is new_york
    assert find_times("today", datetime(2026, 2, 12))[0].start.tzinfo is UTC  # noqa: DTZ001


def test_a_day_of_23_hours_is_a_day() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    (span,) = find_times("yesterday", datetime(2026, 3, 30, 12, tzinfo=berlin))
    assert (span.start.day, span.end.day) == (29, 30)
    assert span.end.astimezone(UTC) - span.start.astimezone(UTC) == timedelta(hours=23)


def test_both_ends_of_a_long_text_are_read() -> None:
    filler = "lorem ipsum " * 100_000
    assert len(find_times(f"yesterday {filler} 前天", NOW)) == 2


@pytest.mark.parametrize(
    "piece",
    "三,1,1 ,上,年,2020,2020-,1/,last ,a ,may ,from ,前天,on the ,一百, ,\n,周,十月,to ,half a "
    ",the 1st of ,between May and ".split(","),
)
def test_no_text_is_slow(piece: str) -> None:
    for length in (100, 4_000, 1_000_000):
        text = piece * (length // len(piece))
        start = time.thread_time()
        find_times(text, NOW)
        assert time.thread_time() - start < 1


words = st.lists(
    st.sampled_from(
        "上 下 周 三 五 月 日 号 年 前 天 后 初 底 到 从 最近 两 个 半 去 今 季度 小时 春 国庆 "
        "- / . 2026 12 31 2 last next March May 5th ago days weeks Monday since before between and to in "
        "the yesterday Feb 30".split()
    )
)
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(words.map("".join) | words.map(" ".join) | st.text(max_size=80), moments)
def test_it_never_raises_and_spans_have_a_length(text: str, now: datetime) -> None:
    for span in find_times(text, now):
        assert span.start < span.end
        assert span.text in text
        assert span.text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("15", 15),
        ("十", 10),
        ("十五", 15),
        ("二十", 20),
        ("三十一", 31),
        ("两", 2),
        ("一百零五", 105),
        ("二〇二六", 2026),
        ("半", 0.5),
        ("twelve", 12),
        ("twenty-one", 21),
        ("a", 1),
        ("a couple of", 2),
        ("half an", 0.5),
        ("", None),
        ("many", None),
        ("好", None),
    ],
)
def test_numbers(text: str, value: float | None) -> None:
    assert number(text) == value
