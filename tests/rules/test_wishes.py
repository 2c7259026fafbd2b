"""Standing wishes: what a user orders for always, or prefers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.requests import LONGEST_WISH, is_standing_wish


@pytest.mark.parametrize(
    "text",
    [
        "Always include version numbers when I ask about libraries.",
        "Please never use tabs",
        "Thanks! From now on answer in French.",
        "OK, and always show the units.",
        "Whenever I ask for code, add tests.",
        "I prefer short answers",
        "I'm trying to keep it small, so I strongly prefer plain SQLite",
        "I'd rather meet in the morning",
        "以后都用中文回答",
        "从现在起每次都先给结论",
        "不要再发表情了",
        "我更喜欢靠窗的座位",
        "我宁愿走路也不打车",
    ],
)
def test_it_is_one(text: str) -> None:
    assert is_standing_wish(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I have always lived here",
        "She said she never smokes",
        "We went to the lake yesterday",
        "What do you prefer?",
        "他喜欢猫",
        "以后再说吧",
        "每次去都很开心",
    ],
)
def test_it_is_none(text: str) -> None:
    assert not is_standing_wish(text)


def test_a_long_text_is_about_something_else() -> None:
    wish = "I prefer short answers. "
    assert is_standing_wish(wish + "x" * (LONGEST_WISH - len(wish)))
    assert not is_standing_wish(wish + "x" * LONGEST_WISH)


@given(st.text(max_size=700))
def test_no_text_is_an_error(text: str) -> None:
    assert is_standing_wish(text) in (True, False)
