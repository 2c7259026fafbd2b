"""Vectors that are sums of words do not make two statements one where a telling word differs."""

from __future__ import annotations

import pytest

from mnemic import Candidate
from tests.conftest import OpenMind

pytestmark = pytest.mark.feature("M8")

APART = (
    ("The weekly meeting with the design team is on {}", "Monday", "Tuesday"),
    ("The nightly backup of the production database runs on the {} server", "red", "blue"),
    ("每周的项目会议和设计团队一起在{}举行", "周一", "周二"),
    ("我弟弟{}在杭州的一家医院当护士", "小明", "小刚"),
    ("{}喜欢苹果", "我", "他"),
)


@pytest.mark.parametrize(("frame", "one", "other"), APART)
def test_another_word_is_another_statement(
    open_mind: OpenMind, frame: str, one: str, other: str
) -> None:
    mind = open_mind(embedding__provider="local")
    for word in (one, other):
        mind.propose(Candidate("fact", frame.format(word), confidence=0.95, importance=0.6))
        mind.drain()
    assert {m.text for m in mind.memories()} == {frame.format(one), frame.format(other)}


def test_the_same_words_in_another_order_are_one(open_mind: OpenMind) -> None:
    mind = open_mind(embedding__provider="local")
    for text in ("On Monday the design team has its meeting", "The design team has its meeting on"
                 " Monday"):  # fmt: skip
        mind.propose(Candidate("fact", text, confidence=0.95, importance=0.6))
        mind.drain()
    assert len(mind.memories()) == 1
