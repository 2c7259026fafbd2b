"""A small story in two languages: found by its words alone, and better with the local vectors."""

from __future__ import annotations

import pytest

from mnemic import Mind, NewTurn
from tests.conftest import OpenMind

STORY = [
    ("a", "Ann", "My daughter started kindergarten on Monday and cried the whole morning"),
    ("a", "Bob", "那家面馆的牛肉面特别好吃，下次一起去"),
    ("b", "Ann", "The doctor says my blood pressure is too high"),
    ("b", "Bob", "我把钥匙忘在办公室了，只好回去拿"),
    ("c", "Ann", "We adopted a puppy from the shelter, he chews on every shoe"),
    ("c", "Bob", "上周末去爬了黄山，腿疼了三天"),
    ("d", "Ann", "I finally paid off the mortgage on the apartment"),
    ("d", "Bob", "新买的笔记本电脑屏幕坏了，要去维修"),
    ("e", "Ann", "The violin concert at the old church was wonderful"),
    ("e", "Bob", "妈妈做的红烧肉最好吃"),
    ("f", "Ann", "My car broke down on the highway and a truck towed it"),
    ("f", "Bob", "明年想去北海道看雪"),
    ("g", "Ann", "I am learning to bake sourdough, the second loaf was edible"),
    ("g", "Bob", "The company fired forty people last quarter"),
    ("h", "Ann", "He proposed to her on the beach and she said yes"),
    ("h", "Bob", "孩子发烧到三十九度，连夜去了医院"),
]
PARAPHRASED = [
    ("Which dog did Ann get?", "We adopted a puppy"),
    ("What pet does the family have?", "We adopted a puppy"),
    ("hypertension diagnosis", "The doctor says"),
    ("home loan", "I finally paid off"),
    ("classical music evening", "The violin concert"),
    ("music performance", "The violin concert"),
    ("vehicle trouble on the road", "My car broke down"),
    ("automobile repair", "My car broke down"),
    ("job cuts by the employer", "The company fired"),
]
BY_WORDS = [
    ("Who started kindergarten?", "My daughter"),
    ("What did the doctor say about my blood pressure?", "The doctor"),
    ("Where did we adopt the puppy?", "We adopted"),
    ("Did I pay off the mortgage?", "I finally paid"),
    ("How was the violin concert?", "The violin"),
    ("What happened to my car on the highway?", "My car"),
    ("How many people did the company fire?", "The company"),
    ("Where did he propose?", "He proposed"),
    ("牛肉面好吃吗", "那家面馆"),
    ("钥匙忘在哪里了", "我把钥匙"),
    ("爬黄山之后怎么样了", "上周末"),
    ("笔记本电脑哪里坏了", "新买的"),
    ("谁做的红烧肉", "妈妈做的"),
    ("想去哪里看雪", "明年想去"),
    ("孩子发烧多少度", "孩子发烧"),
]


def told(open_mind: OpenMind, provider: str) -> Mind:
    mind = open_mind(embedding__provider=provider)
    mind.record_many(
        NewTurn(session, "user", content, sender=sender) for session, sender, content in STORY
    )
    mind.drain()
    return mind


def first(mind: Mind, query: str) -> str:
    hits = mind.recall(query, limit=1)
    return hits[0].text if hits else ""


@pytest.mark.feature("R3")
def test_the_local_vectors_find_what_shares_no_word(open_mind: OpenMind) -> None:
    with_vectors = told(open_mind, "local")
    by_words = open_mind(embedding__provider="none")
    for query, wanted in PARAPHRASED:
        assert not first(by_words, query).startswith(wanted), "words alone are not enough"
        (hit, *_) = with_vectors.recall(query)
        assert hit.text.startswith(wanted), query
        assert "vector" in hit.why.routes
        assert hit.why.parts["meaning"] > 0


@pytest.mark.feature("N9")
@pytest.mark.parametrize("provider", ["none", "local"])
def test_the_turns_themselves_answer_without_any_model(open_mind: OpenMind, provider: str) -> None:
    mind = told(open_mind, provider)
    assert mind.memories() == [], "nothing was extracted"
    for query, wanted in BY_WORDS:
        assert first(mind, query).startswith(wanted), query


@pytest.mark.feature("N9")
def test_an_answer_is_found_through_its_question(open_mind: OpenMind) -> None:
    mind = told(open_mind, "none")
    talk = [
        ("Ann", "Where did you spend your honeymoon?"),
        ("Bob", "Reykjavik, in the snow"),
        ("Ann", "你女儿在哪个学校读书？"),
        ("Bob", "实验小学"),
    ]
    for sender, content in talk:
        mind.record(session="talk", role="user", text=content, sender=sender)
    for query, answer in (
        ("Where was the honeymoon?", "Reykjavik, in the snow"),
        ("女儿在哪里读书", "实验小学"),
    ):
        assert answer in [hit.text for hit in mind.recall(query, limit=3)]


@pytest.mark.feature("R3")
@pytest.mark.parametrize("others", [20, 250], ids=["scanned", "indexed"])
def test_what_is_near_is_looked_for_inside_a_filter(open_mind: OpenMind, others: int) -> None:
    mind = told(open_mind, "local")
    mind.record_many(
        NewTurn("bank", "assistant", f"Application {n} for a home loan was granted")
        for n in range(others)
    )
    mind.drain()
    nearest = open_mind(recall__vector_candidates=1)
    for asked in (mind, nearest):
        (hit, *_) = asked.recall("home loan", limit=1, session="d", min_score=0.0)
        assert hit.text.startswith("I finally paid off")
        assert hit.why.routes == ("vector",), "it shares no word with the query"
