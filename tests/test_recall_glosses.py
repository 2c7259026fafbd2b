"""A Chinese memory is found by other words and from English, with the local vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from mnemic import Mind, NewTurn
from mnemic.clock import ManualClock
from mnemic.providers.embedding import cedict
from tests.conftest import OpenMind

STORY = [
    "我们从收容所领养了一只小狗",
    "医生说我的血压太高了",
    "上周末去爬了黄山，腿疼了三天",
    "新买的笔记本电脑屏幕坏了",
    "妈妈做的红烧肉最好吃",
    "昨晚的小提琴音乐会很精彩",
    "公司上个季度裁掉了四十名员工",
    "他在海滩上向她求婚，她答应了",
    "汽车在高速公路上抛锚了",
    "我终于还清了公寓的贷款",
    "明年想去北海道看雪",
    "孩子发烧到三十九度，连夜去了医院",
    "The library lends out board games on Fridays",
]
IN_OTHER_WORDS = [
    ("有什么宠物", "我们从收容所"),
    ("谁失业了", "公司上个季度"),
    ("演出怎么样", "昨晚的小提琴"),
    ("住房按揭", "我终于还清"),
    ("债务", "我终于还清"),
    ("母亲的拿手菜", "妈妈做的"),
    ("体温", "孩子发烧"),
    ("电子设备出了问题", "新买的"),
    ("图书馆有什么游戏", "The library"),
]
IN_ENGLISH = [
    ("What pet do we have?", "我们从收容所"),
    ("who laid off workers", "公司上个季度"),
    ("hypertension", "医生说"),
    ("vehicle trouble", "汽车在"),
    ("marriage proposal", "他在海滩"),
    ("music performance", "昨晚的小提琴"),
    ("home loan", "我终于还清"),
    ("broken computer", "新买的"),
]


def told(open_mind: OpenMind) -> Mind:
    mind = open_mind(embedding__provider="local")
    mind.record_many(
        NewTurn(f"s{at}", "user", content, sender="Ann") for at, content in enumerate(STORY)
    )
    mind.drain(due_only=True)  # the talk goes on: nothing is learnt from it yet
    return mind


def by_vector(mind: Mind, query: str) -> list[str]:
    return [hit.text for hit in mind.recall(query, min_score=0.0) if "vector" in hit.why.routes]


@pytest.mark.feature("R3")
@pytest.mark.parametrize("asked", [IN_OTHER_WORDS, IN_ENGLISH], ids=["chinese", "english"])
def test_chinese_is_found_by_what_it_means(
    open_mind: OpenMind, asked: list[tuple[str, str]]
) -> None:
    mind = told(open_mind)
    words = open_mind(embedding__provider="none")
    for query, wanted in asked:
        by_words = words.recall(query, k=1)
        sure = [hit for hit in by_words if hit.score > mind.settings.recall.evidence_score]
        assert not (sure and sure[0].text.startswith(wanted)), "words are not enough"
        (hit, *_) = mind.recall(query, min_score=0.0)
        assert hit.text.startswith(wanted), query
        assert "vector" in hit.why.routes
        assert hit.why.parts["meaning"] > 0


@pytest.mark.parametrize("query", ["ペットは何", "病院에 갔어요", "สุนัข", "犬を飼う"])
def test_other_scripts_without_spaces_are_left_to_the_words(
    open_mind: OpenMind, query: str
) -> None:
    assert by_vector(told(open_mind), query) == []


def test_without_the_dictionary_a_chinese_query_is_left_to_the_words(
    open_mind: OpenMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cedict, "_PACKAGE", "no_such_package")
    mind = told(open_mind)
    assert mind.recall("妈妈做的菜")[0].text == "妈妈做的红烧肉最好吃"
    assert by_vector(mind, "妈妈做的菜") == []
    assert by_vector(mind, "evening games")[0].startswith("The library")
    assert mind.events(type="retrieval_fail") == []


@pytest.mark.feature("X9")
def test_a_memory_from_before_the_dictionary_is_embedded_again(
    open_mind: OpenMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        without.setattr(cedict, "_PACKAGE", "no_such_package")
        told(open_mind).close()
    mind = open_mind(embedding__provider="local")
    assert mind.stats().unembedded == len(STORY)
    assert by_vector(mind, "evening games")[0].startswith("The library"), "the old ones answer"
    assert by_vector(mind, "有什么宠物") == []
    mind.drain()
    assert mind.stats().unembedded == 0
    assert by_vector(mind, "有什么宠物")[0].startswith("我们从收容所")
    mind.close()
    with monkeypatch.context() as without:
        without.setattr(cedict, "_PACKAGE", "no_such_package")
        mind = open_mind(embedding__provider="local")
        assert by_vector(mind, "evening games")[0].startswith("The library"), "and back again"
        assert by_vector(mind, "有什么宠物") == []
        assert mind.events(type="retrieval_fail") == []
        mind.drain()
        assert by_vector(mind, "evening games")[0].startswith("The library")


@pytest.mark.feature("R7")
def test_a_damaged_dictionary_leaves_all_as_it_was_without(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = cedict.installed()
    assert source is not None
    damaged = bytearray(source.path.read_bytes())
    damaged[len(damaged) // 2] ^= 255
    copy = tmp_path / "damaged_dictionary" / "data" / source.path.name
    copy.parent.mkdir(parents=True)
    copy.write_bytes(damaged)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(cedict, "_PACKAGE", "damaged_dictionary")
    monkeypatch.setenv("MNEMIC_CACHE", str(tmp_path / "cache"))
    told(open_mind)
    for _ in range(2):
        opened = open_mind(embedding__provider="local")
        for _ in range(2):  # the first attempt finds out
            clock.advance(hours=1)
            opened.drain()
        assert opened.stats().unembedded == 0
        assert opened.recall("妈妈做的菜")[0].text == "妈妈做的红烧肉最好吃"
        assert by_vector(opened, "妈妈做的菜") == []
        assert by_vector(opened, "evening games")[0].startswith("The library")
