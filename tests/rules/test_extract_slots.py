"""What a candidate carries: slot, content, life, and how a later statement finds an earlier one."""

from __future__ import annotations

import pytest

from mnemic.language.extract import EarlierMessage
from mnemic.language.extract.dates import due
from mnemic.rules.lifetimes import DURATIONS
from mnemic.rules.slots import has_one_answer
from tests.rules.extracting import NOON, learn, learn_after, short

pytestmark = pytest.mark.feature("X5")


def test_the_story_of_the_documents() -> None:
    first, then = "我们项目用 Python 3.10", "升级到 3.12 了"
    (old,) = learn(first)
    (new,) = learn(then, first)
    assert (old.subject, old.predicate, old.value) == ("Python", "version", "3.10")
    assert (new.subject, new.predicate, new.value) == ("Python", "version", "3.12")
    assert new.is_update
    assert not old.is_update
    assert learn(then) == ()  # of what, nobody said


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I'm using Python 3.11", "我升级到 Python 3.12 了"),
        ("We use postgres 15", "PostgreSQL 升级到 16 了"),
        ("My editor is vim", "我换成 VS Code 了"),
        ("I live in Berlin", "我搬到上海了"),
        ("I work at Siemens", "我刚入职美团"),
        ("I'm on Ubuntu 22.04", "我的系统是 macOS"),
        ("I use npm", "我改用 pnpm 了"),
    ],
)
def test_both_languages_share_a_slot(one: str, other: str) -> None:
    (first,), (second,) = learn(one), learn(other)
    assert (first.subject, first.predicate) == (second.subject, second.predicate)
    assert has_one_answer(first.predicate)


@pytest.mark.parametrize(
    ("text", "kind", "duration"),
    [
        ("My name is Ann", "identity", ""),
        ("I like tea", "preference", ""),
        ("I use Python 3.12", "config", ""),
        ("We decided to use Kafka", "decision", ""),
        ("The report is due on Friday", "fact", ""),
        ("From now on answer in English", "rule", "permanent"),
        ("以后都用中文回答", "rule", "permanent"),
        ("For this task, only use the standard library", "rule", "24h"),
        ("这次任务不要改测试", "rule", "24h"),
        ("I'm in Denver today", "temp", "24h"),
        ("我今天头疼", "temp", "24h"),
    ],
)
def test_kind_and_life(text: str, kind: str, duration: str) -> None:
    (found,) = learn(text)
    assert (found.kind, found.duration) == (kind, duration)
    assert duration in ("", *DURATIONS)


def test_a_candidate_says_who_where_and_how_sure() -> None:
    (said,) = learn("I'm allergic to nuts, what can I order?")
    assert said.text == "I'm allergic to nuts"
    assert said.sources == ("turn-1",)
    assert said.trust == "owner"
    assert said.importance == 1.0
    assert said.confidence == 0.9
    assert not said.asked
    (asked,) = learn("记住，我对青霉素过敏")
    assert (asked.text, asked.asked) == ("我对青霉素过敏", True)
    assert asked.confidence == 1.0


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("我叫王小明，住在杭州", ["我叫王小明", "我住在杭州"]),
        ("我平时用 VS Code 写代码", ["我平时用 VS Code 写代码"]),
        ("Btw, I live in Porto and work at Farfetch.", ["I live in Porto", "I work at Farfetch"]),
    ],
)
def test_content_keeps_the_words_and_language(text: str, content: list[str]) -> None:
    assert [found.text for found in learn(text)] == content


@pytest.mark.parametrize(
    ("before", "text", "wanted"),
    [
        ("我们用 Python 3.10", "不对，是 3.11", "+Python/version=3.11"),
        ("We use Python 3.10", "no, it's 3.11", "+Python/version=3.11"),
        ("The release is due on Thursday", "actually it's Friday", "+release/deadline=Friday"),
        ("周报周四前要交", "说错了，是周五", "+周报/deadline=周五"),
        ("I live in Vienna", "sorry, I meant Venice", "+user/lives_in=Venice"),
        ("The API runs on port 8080", "wait, I said 8080 but it's 8081", "+API/port=8081"),
        ("I live in Vienna", "not Vienna, Venice", "+user/lives_in=Venice"),
        ("I'm 36", "no I'm 35, not 36", "+user/age=35"),
        ("我住在北京", "不是北京，是南京", "+user/lives_in=南京"),
        ("I live in Rome. I use Python 3.10", "no, it's 3.12", "+Python/version=3.12"),
    ],
)
def test_a_correction_is_set_right_against_what_was_said(
    before: str, text: str, wanted: str
) -> None:
    assert [short(found) for found in learn(text, before)] == [wanted]
    assert learn(text) == ()


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I live in Vienna", "no, it's 3.11"),  # a version is no place
        ("We use Python 3.10", "actually it's Friday"),
        ("We use Python 3.10", "actually it's fine"),
        ("我叫李雷", "不对，是 3.11"),
    ],
)
def test_a_correction_of_something_else_is_dropped(before: str, text: str) -> None:
    assert learn(text, before) == ()


def test_the_latest_of_a_sort_is_corrected() -> None:
    found = learn("no, it's 22", "We use Node 18", "We use Go 1.21", "We use Java 17")
    assert [short(one) for one in found] == ["+Java/version=22"]


def test_what_others_said_is_not_corrected() -> None:
    said = [
        EarlierMessage("assistant", "We use Python 3.10"),
        EarlierMessage("tool", "I use Python 3.9"),
    ]
    assert learn_after("no, it's 3.11", said) == ()


def test_corrected_content_is_that_of_the_statement() -> None:
    (found,) = learn("actually it's Friday", "The release is due on Thursday")
    assert found.text == "The release is due on Friday (2026-02-13)"


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("Friday", "2026-02-13"),
        ("周五", "2026-02-13"),
        ("Monday", "2026-02-16"),
        ("周一", "2026-02-16"),
        ("tomorrow", "2026-02-12"),
        ("明天", "2026-02-12"),
        ("下周一", "2026-02-16"),
        ("June 30", "2026-06-30"),
        ("6月30号", "2026-06-30"),
        ("January 5", "2027-01-05"),
    ],
)
def test_a_deadline_is_a_day_to_come(words: str, day: str) -> None:
    span = due(words, NOON)
    assert span is not None
    assert span[-1].isoformat() == day


def test_no_day_is_made_up() -> None:
    assert due("soon", NOON) is None


def test_one_message_says_a_thing_once() -> None:
    assert len(learn("I live in Oslo. As I told you: I live in Oslo.")) == 1
