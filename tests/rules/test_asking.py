"""What the wording of a query says about the evidence it wants."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.dates.query_dates import PartialDate, date_fit, find_date
from mnemic.language.names import find_named
from mnemic.language.query_intent import read_intent


@pytest.mark.parametrize(
    "query",
    [
        "What restaurant did you recommend?",
        "Have you told me about Lisbon?",
        "what was your advice on the loan",
        "the book you mentioned",
        "You said it was safe",
        "How did you recommend structuring my week?",
        "the plan you've given me",
        "你推荐的餐厅是哪家？",
        "你之前说过什么",
        "你当时建议我怎么做",
        "你告诉我的那家店",
    ],
)
def test_what_the_agent_said_is_asked_for(query: str) -> None:
    assert read_intent(query).of_assistant


@pytest.mark.parametrize(
    "query",
    [
        "",
        "What do I like?",
        "Where does Ann live?",
        "我喜欢什么",
        "猫叫什么名字",
        "your",
        "Did Ann?",
        "What steps would you suggest I take?",
        "Can you provide a summary?",
        "What do you recommend?",
        "你建议我用什么库？",
        "你能推荐一家餐厅吗",
    ],
)
def test_what_the_agent_said_is_not_asked_for(query: str) -> None:
    assert not read_intent(query).of_assistant


@pytest.mark.parametrize(
    "query",
    [
        "Can you help me plan my writing sessions for the week?",
        "How should I organize the information about my past jobs?",
        "What libraries would you suggest I use?",
        "Where do you think I should work on my essay?",
        "What are some common errors when an API fails?",
        "How do I calculate the area of a triangle?",
        "I'm planning my editing schedule. Any tips?",
        "How to set up a cache",
        "帮我安排下周的行程",
        "我应该怎么准备面试？",
        "给我推荐几本书",
        "能不能帮我看看这段代码",
        "我该如何缓存接口的结果",
    ],
)
def test_help_is_asked_for(query: str) -> None:
    assert read_intent(query).for_help


@pytest.mark.parametrize(
    "query",
    [
        "",
        "What is the name of Maria's puppy?",
        "What are the names of John's children?",
        "When did Gina make a video that teaches how to sew?",
        "How did you recommend managing retries?",
        "What profession did I mention I work in?",
        "Can you remind me what I said about the budget?",
        "Can you give me a summary of my project?",
        "Gina如何描述这家工作室？",
        "Caroline推荐了哪本书？",
        "我说过我喜欢什么吗",
        "你还记得我的生日吗",
    ],
)
def test_help_is_not_asked_for(query: str) -> None:
    assert not read_intent(query).for_help


@pytest.mark.parametrize(
    "query",
    [
        "Can you summarize how my project progressed?",
        "List the order in which I brought up the features",
        "What did we discuss across our conversations, in order?",
        "How has my diet evolved over time?",
        "总结一下我这个月的运动",
        "按先后顺序列出我提过的城市",
        "回顾一下装修的整个过程",
    ],
)
def test_a_whole_course_of_things_is_asked_for(query: str) -> None:
    asking = read_intent(query)
    assert asking.of_whole
    assert not asking.for_help


@pytest.mark.parametrize(
    "query",
    [
        "",
        "What did I order?",
        "I moved in order to save time",
        "When is the deadline?",
        "我点了什么",
    ],
)
def test_one_thing_is_asked_for(query: str) -> None:
    asking = read_intent(query)
    assert not asking.of_whole
    assert not asking.wide


@pytest.mark.parametrize(
    "query", ["Can you help me plan a trip?", "总结一下装修", "What happened on 2026-02-03?"]
)
def test_more_than_a_fit_is_asked_for(query: str) -> None:
    assert read_intent(query).wide


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("on 2026-02-03", PartialDate(2, 2026, 3)),
        ("in 2026-02", PartialDate(2, 2026)),
        ("What happened on 3 May 2023?", PartialDate(5, 2023, 3)),
        ("the 3rd of May", PartialDate(5, None, 3)),
        ("on May 3rd, 2023", PartialDate(5, 2023, 3)),
        ("on May 3", PartialDate(5, None, 3)),
        ("in June 2022", PartialDate(6, 2022)),
        ("in january", PartialDate(1)),
        ("What did I do in May?", PartialDate(5)),
        ("5月3日我去了哪里", PartialDate(5, None, 3)),
        ("5月3号", PartialDate(5, None, 3)),
        ("2023年5月3日", PartialDate(5, 2023, 3)),
        ("2023年5月", PartialDate(5, 2023)),
        ("5月发生了什么", PartialDate(5)),
        ("25.01.2024", PartialDate(1, 2024, 25)),
        ("on 25/01/2024", PartialDate(1, 2024, 25)),
        ("on 01/25/2024", PartialDate(1, 2024, 25)),
        ("on 03/04/2024", PartialDate(4, 2024, 3, other=PartialDate(3, 2024, 4))),
        ("2024/1/25 的会", PartialDate(1, 2024, 25)),
        ("31 Dec 2023", PartialDate(12, 2023, 31)),
        ("Dec 31, 2023", PartialDate(12, 2023, 31)),
        ("What happened on Aug 15th?", PartialDate(8, None, 15)),
        ("the 15th of August", PartialDate(8, None, 15)),
        ("in mid-August", PartialDate(8, None, 11, 10)),
        ("early June 2023", PartialDate(6, 2023, 1, 10)),
        ("the weekend of Aug 12, 2023", PartialDate(8, 2023, 12, 2)),
        ("the spring of 2023", PartialDate(3, 2023, None, 3)),
        ("Christmas 2023", PartialDate(12, 2023, 25)),
        ("New Year's Eve", PartialDate(12, None, 31)),
        ("Chinese New Year 2024", PartialDate(2, 2024, 10)),
        ("2024年春节", PartialDate(2, 2024, 10, 7)),
        ("2023年中秋", PartialDate(9, 2023, 29)),
        ("国庆去了哪", PartialDate(10, None, 1, 7)),
        ("2024年1月25号", PartialDate(1, 2024, 25)),
        ("八月十五号", PartialDate(8, None, 15)),
        ("二〇二四年八月", PartialDate(8, 2024)),
        ("去年春节", None),  # relative to a now that is not given
        ("last spring", None),
        ("Easter", None),
        ("", None),
        ("may I ask you something", None),
        ("you may know", None),
        ("13月", None),
        ("2026-13-01", None),
        ("version 1.2.3", None),
        ("marching on", None),
    ],
)
def test_a_date(query: str, wanted: PartialDate | None) -> None:
    assert find_date(query) == wanted
    assert read_intent(query).date == wanted


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("去年春节", PartialDate(1, 2025, 29, 7)),
        ("春节", PartialDate(1, 2025, 29, 7)),
        ("last spring", PartialDate(3, 2025, None, 3)),
        ("last March", PartialDate(3, 2025)),
        ("去年夏天", PartialDate(6, 2025, None, 3)),
        ("last Christmas", PartialDate(12, 2025, 25)),
        ("Easter", PartialDate(4, 2025, 20)),
        ("去年8月12日", PartialDate(8, 2025, 12)),
    ],
)
def test_a_date_that_is_counted_from_now(query: str, wanted: PartialDate) -> None:
    assert find_date(query, at("2026-02-12T12:00")) == wanted


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("wanted", "moment", "fit"),
    [
        (PartialDate(5, 2023, 3), "2023-05-03T00:00", 1.0),
        (PartialDate(5, 2023, 3), "2023-05-02T23:59", 1.0),  # another zone's third
        (PartialDate(5, 2023, 3), "2023-05-10T10:00", 1.0),  # told within the week
        (PartialDate(5, 2023, 3), "2023-05-11T10:00", 0.3),
        (PartialDate(5, 2023, 3), "2023-05-01T10:00", 0.3),
        (PartialDate(5, 2023, 3), "2023-06-02T10:00", 0.3),
        (PartialDate(5, 2023, 3), "2023-06-03T10:00", 0.0),
        (PartialDate(5, 2023, 3), "2024-05-03T10:00", 0.0),
        (PartialDate(5, None, 3), "2024-05-03T10:00", 1.0),
        (PartialDate(5, 2023), "2023-05-31T10:00", 1.0),
        (PartialDate(5, 2023), "2023-06-15T10:00", 0.3),
        (PartialDate(5, 2023), "2023-04-30T10:00", 0.0),
        (PartialDate(12), "2024-01-15T10:00", 0.3),
        (PartialDate(12, 2023), "2024-01-15T10:00", 0.3),
        (PartialDate(12, 2023, 31), "2024-01-03T10:00", 1.0),  # told in the next year
        (PartialDate(12, None, 31), "2024-01-03T10:00", 1.0),
        (PartialDate(1, None, 1), "2023-12-31T23:00", 1.0),
        (PartialDate(12, 2023, None, 3), "2024-02-20T10:00", 1.0),  # a winter
        (PartialDate(8, 2023, 11, 10), "2023-08-20T10:00", 1.0),
        (PartialDate(8, 2023, 11, 10), "2023-08-05T10:00", 0.3),
        (PartialDate(4, 2024, 3, other=PartialDate(3, 2024, 4)), "2024-03-05T10:00", 1.0),
        (PartialDate(4, 2024, 3, other=PartialDate(3, 2024, 4)), "2024-04-03T10:00", 1.0),
        (PartialDate(2, 2023, 30), "2023-02-28T10:00", 0.0),  # there is no such day
        (PartialDate(2, None, 29), "2023-02-28T10:00", 0.0),
        (PartialDate(2, None, 29), "2024-02-29T10:00", 1.0),
    ],
)
def test_how_a_moment_fits(wanted: PartialDate, moment: str, fit: float) -> None:
    assert date_fit(wanted, at(moment)) == pytest.approx(fit)


@given(st.text(max_size=80), st.lists(st.text(max_size=8), max_size=4), st.datetimes())
def test_no_text_is_an_error(query: str, speakers: list[str], moment: datetime) -> None:
    asking = read_intent(query)
    if asking.date is not None:
        assert 0 <= date_fit(asking.date, moment) <= 1
    assert find_named(query, speakers) <= {*speakers}
