"""Which messages tell something, and which only want something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.tasks import is_statement

TOLD = (
    "I live in Brelm",
    "We upgraded Redis to 7.4",
    "The roof was leaking when the guests came",
    "My sister works at Ferrox",
    "我住在杭州",
    "birch 服务的端口是 4102",
    "昨天和小李吃饭了",
)
WANTED = (
    "Where do I live?",
    "Plan the trip to Lisbon",
    "show me the next one please",
    "We need a new login page",
    "I want to move",
    "thanks, that works",
    "how long does the build usually take",
    "帮我看看这段日志",
    "这个报错是什么意思",
    "我想学游泳",
    "规划去里斯本的行程",
    "好的",
    "",
)


@pytest.mark.parametrize("message", TOLD)
def test_what_is_told(message: str) -> None:
    assert is_statement(message)


@pytest.mark.parametrize("message", WANTED)
def test_what_is_wanted(message: str) -> None:
    assert not is_statement(message)


@given(st.text(max_size=200))
def test_any_text_is_one_or_the_other(message: str) -> None:
    assert is_statement(message) in (True, False)
    assert not is_statement(f"{message}?")
