"""Whether two messages are about the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.topic import overlap, telling_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", set()),
        ("Can you please help me with this?", set()),
        ("请帮我看一下这个", set()),
        ("Fix the login bugs in auth.py", {"login", "bug", "auth.py"}),
        ("帮我修复登录页面的错误", {"登录", "录页", "页面", "错误"}),
        ("用 ＰＹＴＨＯＮ 写", {"python"}),
    ],
)
def test_telling_words(text: str, words: set[str]) -> None:
    assert telling_words(text) == words


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Fix the login bug in auth.py", "the login test still fails", True),
        ("Fix the login bug in auth.py", "Plan the trip to Lisbon", False),
        ("修复登录接口的 401 问题", "登录接口还是返回 401", True),
        ("修复登录接口的 401 问题", "帮我规划去里斯本的行程", False),
        ("升级 Python 到 3.12", "upgrade python to 3.12 on CI", True),
    ],
)
def test_the_same_topic_shares_words(a: str, b: str, same: bool) -> None:
    assert (overlap(telling_words(a), telling_words(b)) >= 0.2) is same


@given(st.text(), st.text())
def test_overlap_is_a_share_and_has_no_order(a: str, b: str) -> None:
    one, other = telling_words(a), telling_words(b)
    assert 0 <= overlap(one, other) <= 1
    assert overlap(one, other) == overlap(other, one)
    assert overlap(one, one) == (1.0 if one else 0.0)
