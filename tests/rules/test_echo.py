"""What memory put into a prompt, recognized when it comes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.echo import fingerprints, without_echo
from mnemic.language.fence import fence
from mnemic.types import Role

pytestmark = pytest.mark.feature("N1")

INJECTED = """\
- 用户在北京工作。
- 用户的妹妹在上海生活
我升级到 Python 3.12 了，以后都用 uv
1. User prefers dark roast coffee in the morning
You use Python 3.12
likes tea
"""


def marks_of(text: str) -> set[int]:
    return {mark for marks in fingerprints(text).values() for mark in marks}


MARKS = marks_of(INJECTED)


def left(text: str, role: Role = "assistant") -> str:
    return without_echo(text, role, MARKS)


@pytest.mark.parametrize(
    "echo",
    [
        "用户在北京工作。",
        "我记得你在北京工作。",
        "根据记忆，您在北京工作",
        "你升级到 Python 3.12 了，以后都用 uv",
        "You use Python 3.12.",
        "As I remember, you use python 3.12!",
        "The user prefers dark roast coffee in the morning",
        "You prefer dark roast coffee in the morning, and you use Python 3.12.",
        "好的，你在北京工作，你的妹妹在上海生活。",
        "> You use Python 3.12",
        "You like tea.",
        INJECTED,
    ],
)
def test_a_repeat_is_an_echo(echo: str) -> None:
    assert left(echo) == ""


@pytest.mark.parametrize(
    "new",
    [
        "You use Python 3.13.",
        "You do not use Python 3.12",
        "你不在北京工作",
        "用户的妹妹在北京工作",
        "用户在上海工作",
        "You use Python 3.12 with Docker",
        "You used to prefer dark roast coffee in the evening",
        "Use Python",
        "今天天气不错。",
        "",
    ],
)
def test_what_says_something_else_is_kept(new: str) -> None:
    assert left(new) == new


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("我记得你在北京工作。今天天气不错。", "今天天气不错。"),
        ("1. You use Python 3.12.\n2. Docker is new\n3. 用户在北京工作", "2. Docker is new"),
        ("Since you use Python 3.12, I took asyncio.timeout.", "I took asyncio.timeout."),
        ("a\n\nYou use Python 3.12\n\nb", "a\n\nb"),
        ("Hello. You use Python 3.12.\nBye", "Hello.\nBye"),
    ],
)
def test_only_the_echo_goes(text: str, rest: str) -> None:
    assert left(text) == rest


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_whoever_but_the_user_repeats_it(role: Role) -> None:
    assert left("You use Python 3.12", role) == ""


def test_the_users_own_words_stay() -> None:
    assert left("我用 Python 3.12，我在北京工作", "user") == "我用 Python 3.12，我在北京工作"
    assert left("You use Python 3.12", "user") == "You use Python 3.12"


def test_what_the_user_quotes_goes() -> None:
    said = "> You use Python 3.12\nno, 3.13 by now"
    assert left(said, "user") == "no, 3.13 by now"
    assert left("你说“用户在北京工作”，不对，我在杭州", "user") == "你说，不对，我在杭州"
    assert left('"You use Docker" is wrong', "user") == '"You use Docker" is wrong'


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_fences_go_whoever_says_them(role: Role) -> None:
    text = f"before {fence('lives in Lisbon', 'memory')} after"
    assert without_echo(text, role, ()) == "before  after"
    assert left(text, role) == "before  after"


SENTENCES = st.sampled_from(
    [
        "用户在北京工作。",
        "You use Python 3.12. ",
        "今天吃什么？\n",
        "Deploy at noon! ",
        "- 新的一行\n",
        "\n",
        "3. ",
        "...",
    ]
)
TEXTS = st.lists(SENTENCES, max_size=8).map("".join) | st.text(max_size=80)


@given(TEXTS)
def test_what_is_injected_whole_comes_back_as_nothing(text: str) -> None:
    rest = without_echo(text, "assistant", marks_of(text))
    assert len(rest) <= len(text)
    assert not marks_of(rest) & marks_of(text)


@given(TEXTS)
def test_once_is_enough_and_no_marks_change_nothing(text: str) -> None:
    assert without_echo(text, "assistant", ()) == text
    once = left(text)
    assert left(once) == once
    assert left(text, "user") in (text, left(text, "user"))
