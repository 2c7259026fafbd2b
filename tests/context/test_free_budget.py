"""What is free of a budget is used: weak evidence fills it, and gives way as it gets tight."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mnemic import Context, Mind
from tests.conftest import NOON, OpenMind, OpenTold

TALKS = {
    "garden": (
        "The quince tree by the gate finally fruits.",
        "Quinces keep well in a cool cellar.",
        "I paid the tree surgeon 340 euros.",
        "That is a fair price for a full day.",
        "My neighbour Odile lends me her shredder on Thursdays.",
        "Kind of her.",
        "The well pump is a Grundfos SB3.",
        "Those are quiet ones.",
    ),
    "boat": (
        "We keep the dinghy at Port Haliguen, berth 27.",
        "A sheltered spot.",
        "Its outboard takes oil of type TC-W3.",
        "Two-stroke oil, then.",
        "Bastien gets seasick, so we sail only in the morning.",
        "Mornings are calmer.",
        "The insurance of the boat runs out in June.",
        "I can remind you in May.",
    ),
    "家里": (
        "我妈的降压药是每天早上吃一片。",
        "按时吃就好。",
        "阳台上的柠檬树是去年在花市买的。",
        "柠檬树喜欢阳光。",
        "弟弟在青岛的船厂做焊工。",
        "很辛苦的工作。",
        "客厅的空调滤网每两个月洗一次。",
        "这样比较省电。",
    ),
}
FOREIGN = (
    "Which frequency does the airport tower use?",
    "Who directed the opera in Verona?",
    "量子纠缠是谁提出来的？",
    "高铁的最高时速是多少？",
)


TEXTS = [text for texts in TALKS.values() for text in texts]


def tell(mind: Mind) -> None:
    """Three conversations, a month apart."""
    for month, (name, texts) in enumerate(TALKS.items()):
        with mind.session(name) as talk:
            for place, text in enumerate(texts):
                at = NOON - timedelta(days=90 - 30 * month) + timedelta(minutes=place)
                (talk.assistant if place % 2 else talk.user)(text, at=at)
    mind.drain()


def shown(built: Context, texts: list[str]) -> list[str]:
    """The texts that the evidence holds as turns or memories, in its order."""
    _, _, evidence = built.text.partition('source="evidence"')
    lines = [line for line in evidence.splitlines() if ", episode, " not in line]
    places = {text: "\n".join(lines).find(text.rstrip(".。")) for text in texts}
    return sorted((text for text, place in places.items() if place >= 0), key=lambda t: places[t])


@pytest.mark.parametrize(
    "query",
    ["Which oil does the outboard take?", "What did the tree surgeon cost?", "柠檬树哪来的？"],
)
def test_a_talk_that_fits_whole_is_shown_in_the_order_it_was_said(
    open_told: OpenTold, query: str
) -> None:
    mind = open_told(tell)
    built = mind.context(query, budget=3_000)
    found = shown(built, TEXTS)
    assert found == [text for text in TEXTS if text in found], "as it was said"
    assert len(found) >= 0.8 * len(TEXTS)
    assert built.tokens <= 3_000


def test_less_room_shows_fewer_pieces_and_the_answer_to_the_last(open_told: OpenTold) -> None:
    mind = open_told(tell)
    pieces = []
    for budget in (3_000, 700, 300):
        built = mind.context("At which berth do we keep the dinghy?", budget=budget)
        pieces.append(len(shown(built, TEXTS)))
        assert "berth 27" in built.text, budget
        assert built.tokens <= budget
    assert pieces == sorted(pieces, reverse=True)
    assert pieces[0] > pieces[-1]


@pytest.mark.parametrize("query", FOREIGN)
@pytest.mark.parametrize("budget", [500, 1_500, 8_000])
def test_room_alone_brings_nothing_for_a_question_about_something_else(
    open_told: OpenTold, query: str, budget: int
) -> None:
    mind = open_told(tell)
    assert shown(mind.context(query, budget=budget), TEXTS) == []


def test_core_lines_are_not_dropped_while_tokens_are_left(open_mind: OpenMind) -> None:
    mind = open_mind()
    for number in range(45):
        mind.remember(
            f"Shelf {number} of the archive holds the ledgers of {1900 + number}",
            kind="fact",
            importance=0.8,
        )
    built = mind.context("hello there", budget=4_000)
    (core,) = [part for part in built.sections if part.name == "core"]
    assert len(core.ids) == 45
    assert not [left for left in built.dropped if left.section == "core"]


def test_rules_reach_the_prompt_where_the_core_is_cut(open_mind: OpenMind) -> None:
    mind = open_mind()
    rule = "Quote prices without tax"
    mind.remember(rule, kind="rule", importance=0.75)
    for number in range(60):
        mind.remember(
            f"Client {number} of the studio pays by bank transfer within {number + 10} days",
            kind="fact",
            importance=0.9,
        )
    for budget in (300, 900, 2_000):
        assert rule in mind.context("Write an offer for client 7", budget=budget).text, budget


def test_the_core_is_the_same_whatever_is_asked(open_told: OpenTold) -> None:
    mind = open_told(tell)
    for number in range(30):
        mind.remember(f"Part {number} comes from Lorient", kind="fact", importance=0.8)
    asked = ("hello", "Which oil does the outboard take?", "弟弟在哪里工作？")
    firsts = {mind.context(query, budget=1_200).messages[0] for query in asked}
    assert len(firsts) == 1


def test_nothing_is_said_twice_where_everything_is_shown(open_told: OpenTold) -> None:
    mind = open_told(tell)
    mind.remember("Bastien gets seasick, so we sail only in the morning.", kind="fact")
    built = mind.context("Who gets seasick?", budget=4_000)
    for text in TEXTS:
        assert built.text.count(text.rstrip(".。")) <= 1, text
