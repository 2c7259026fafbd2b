"""What the wording of a query says about the evidence it wants."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.asking import PartialDate, date_fit, find_date, named_speaker, read_asking


@pytest.mark.parametrize(
    "query",
    [
        "What restaurant did you recommend?",
        "Have you told me about Lisbon?",
        "what was your advice on the loan",
        "the book you mentioned",
        "You said it was safe",
        "你推荐的餐厅是哪家？",
        "你之前说过什么",
        "你当时建议我怎么做",
    ],
)
def test_what_the_agent_said_is_asked_for(query: str) -> None:
    assert read_asking(query).of_assistant


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
    ],
)
def test_what_the_agent_said_is_not_asked_for(query: str) -> None:
    assert not read_asking(query).of_assistant


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
    assert read_asking(query).date == wanted


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
        (PartialDate(2, 2023, 30), "2023-02-28T10:00", 0.0),  # there is no such day
        (PartialDate(2, None, 29), "2023-02-28T10:00", 0.0),
        (PartialDate(2, None, 29), "2024-02-29T10:00", 1.0),
    ],
)
def test_how_a_moment_fits(wanted: PartialDate, moment: str, fit: float) -> None:
    assert date_fit(wanted, at(moment)) == pytest.approx(fit)


@pytest.mark.parametrize(
    ("query", "speakers", "named"),
    [
        ("What does Ann like?", ["Ann", "Bob"], "ann"),
        ("what does ann like", ["Ann"], "ann"),
        ("Ann's cat", ["Ann"], "ann"),
        ("小明喜欢什么", ["小明", "小红"], "小明"),
        ("What do Ann and Bob like?", ["Ann", "Bob"], ""),
        ("Anna likes tea", ["Ann"], ""),
        ("Joanne", ["Ann"], ""),
        ("What is liked?", ["Ann", ""], ""),
        ("", ["Ann"], ""),
        ("Ann", [], ""),
        ("a.b (c*", ["a.b", "(c*"], ""),
        ("a+b?", ["a+b"], "a+b"),
    ],
)
def test_a_named_speaker(query: str, speakers: list[str], named: str) -> None:
    assert named_speaker(query, speakers) == named


@given(st.text(max_size=80), st.lists(st.text(max_size=8), max_size=4), st.datetimes())
def test_no_text_is_an_error(query: str, speakers: list[str], moment: datetime) -> None:
    asking = read_asking(query)
    if asking.date is not None:
        assert 0 <= date_fit(asking.date, moment) <= 1
    assert named_speaker(query, speakers) in {"", *(name.lower() for name in speakers)}
