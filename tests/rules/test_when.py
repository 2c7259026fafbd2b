"""Time expressions, seen from half past three on Thursday, 12 February 2026, in Shanghai."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.dates import english
from mnemic.language.dates.reader import TimeSpan, find_times
from mnemic.language.numerals import number
from tests.timing import takes_less_than

EAST = timezone(timedelta(hours=8))
NOW = datetime(2026, 2, 12, 15, 30, tzinfo=EAST)

TABLE = Path(__file__).with_name("when_expressions.txt")


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=EAST)


CASES = [
    (words, moment(start), moment(end))
    for words, start, end in (
        line.split(" | ") for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]
    )
]


@pytest.mark.parametrize(("words", "start", "end"), CASES, ids=[case[0] for case in CASES])
def test_expressions(words: str, start: datetime, end: datetime) -> None:
    assert find_times(words, NOW) == [TimeSpan(start, end, words)]


def test_patterns_that_lack_what_they_need_are_left_out_and_no_others() -> None:
    patterns = {name: english.GRAMMAR.pattern(name) for name in english.GRAMMAR._readers}
    left_out: set[str] = set()
    for words, _, _ in CASES:
        text = f"What happened, {words}?"
        offered = {id(pattern) for pattern, _ in english.patterns(text)}
        absent = {name for name, pattern in patterns.items() if id(pattern) not in offered}
        assert [name for name in absent if patterns[name].search(text)] == []
        left_out |= absent
    assert set(" ".join(english.GRAMMAR.tree()["needs"].values()).split()) == left_out
    assert len(english.patterns("What does my sister drink?")) == 4


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
        ("两三天前", ["2026-02-09", "2026-02-10"]),
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
        assert takes_less_than(1, partial(find_times, text, NOW))


words = st.lists(
    st.sampled_from(
        "上 下 周 三 五 月 日 号 年 前 天 后 初 底 到 从 最近 两 个 半 去 今 季度 小时 春 国庆 "
        "- / . 2026 12 31 2 last next March May 5th ago days weeks Monday since before between and "
        "to in the yesterday Feb 30".split()
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
        ("两三", None),
        ("好", None),
    ],
)
def test_numbers(text: str, value: float | None) -> None:
    assert number(text) == value
