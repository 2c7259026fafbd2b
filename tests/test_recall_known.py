"""Known facts first: a question that a memory answers by its slot gets that memory first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic.types import Hit
from tests.conftest import OpenMind

FACTS_EN = """
My name is Marta Quint.
I live in Lisbon.
I moved to Porto last week.
My sister Ines works as a nurse.
Ines lives in Kiel.
My birthday is on 14 March.
I work at Novabank.
I use Neovim as my editor.
I switched from Neovim to Helix.
I'm allergic to peanuts.
I have a dog named Biscuit.
My email is marta@example.org.
I drive a Volvo V60.
My husband is called Owen.
I play the cello.
My favorite color is teal.
My daughter Lea is 7 years old.
The staging server runs on port 8443.
We use PostgreSQL as our database.
My Python version is 3.12.
I grew up in Leipzig.
My boss is Hannah Weiss.
The deadline for the Falcon report is June 3.
I take metformin.
I like hiking.
"""
NOISE_EN = """
What's my name?
Where do I live again?
Do you remember when my birthday is?
Let's play: you are Q and I am the agent. My name is Bond, James Bond.
```python
name = "my name"  # what is my name, where do I live, which editor do I use
print(name, port, editor, birthday)
```
Felix says his name is hard to spell and that he lives in Rome.
The new intern is called Tobias and he works for our rival.
What editor do most people use, and which database is the fastest?
Please write a story in which my sister's job is to sail the seas.
Is the birthday party of the intern in March or in May?
hello
ok, thanks
"""
FACTS_ZH = """
我叫陈静。
我住在杭州。
我上个月搬到苏州了。
我妹妹陈悦在字节跳动工作。
我的生日是5月20日。
我在腾讯做产品经理。
我现在用Vim写代码。
我对海鲜过敏。
我养了一只猫叫团子。
我老公叫李明。
我儿子今年8岁。
我开一辆比亚迪汉。
我最喜欢的颜色是蓝色。
我老家在成都。
我会弹吉他。
测试环境的端口是9090。
我们的数据库用的是MySQL。
我的邮箱是chen@example.com。
我喜欢爬山。
我老板叫王磊。
我妈妈住在武汉。
"""
NOISE_ZH = """
我叫什么名字？
你还记得我住在哪里吗？
我的生日是哪天来着？
我们来角色扮演，你是警察，我是侦探，我叫福尔摩斯，住在贝克街。
```python
name = "我叫什么名字"  # 我住在哪里，我用什么编辑器
```
小王说他叫王大锤，住在上海。
新来的实习生叫赵雷，在对手公司工作过。
大家都用什么编辑器？哪个数据库最快？
帮我写一个故事，里面我妹妹的工作是航海。
实习生的生日会是三月还是五月？
你好
好的，谢谢
"""


@dataclass(frozen=True)
class Question:
    """A question, and a part of the memory that answers it."""

    text: str
    answer: str


# The reader of questions was written with these in view ...
WRITTEN_FOR_EN = [
    Question("What's my name?", "Marta Quint"),
    Question("Where do I live?", "Porto"),
    Question("what's my sister's job?", "works as a nurse"),
    Question("When is my birthday?", "14 March"),
    Question("Which editor do I use now?", "to Helix"),
    Question("What am I allergic to?", "peanuts"),
    Question("what is my dog called?", "Biscuit"),
    Question("Who is my boss?", "Hannah Weiss"),
    Question("how old is Lea?", "7 years"),
    Question("what port does the staging server run on?", "8443"),
    Question("where does Ines live?", "Kiel"),
    Question("Which editor did I use before?", "I use Neovim"),
]
WRITTEN_FOR_ZH = [
    Question("我叫什么名字？", "陈静"),
    Question("我住在哪里？", "苏州"),
    Question("我妹妹在哪儿工作？", "字节跳动"),
    Question("我的生日是哪天？", "5月20日"),
    Question("我现在用什么编辑器？", "Vim"),
    Question("我对什么过敏？", "海鲜"),
    Question("我的猫叫什么？", "团子"),
    Question("我老公叫什么名字？", "李明"),
    Question("我儿子几岁了？", "8岁"),
    Question("测试环境的端口是多少？", "9090"),
    Question("我妈妈住哪儿？", "武汉"),
    Question("我以前住在哪里？", "杭州"),
]
# ... and these were set aside until it was done.
SET_ASIDE_EN = [
    Question("Do you know my name?", "Marta Quint"),
    Question("what city do I live in", "Porto"),
    Question("who do I work for?", "Novabank"),
    Question("Remind me what instrument I play", "cello"),
    Question("Tell me my email address", "marta@example.org"),
    Question("What's the name of my husband?", "Owen"),
    Question("how old is my daughter?", "7 years"),
    Question("What car do I drive?", "Volvo"),
    Question("what database do we use?", "PostgreSQL"),
    Question("where did I live before Porto?", "Lisbon"),
    Question("which Python version am I on?", "3.12"),
    Question("What's my favourite colour?", "teal"),
    Question("When's the Falcon report due?", "June 3"),
    Question("Where am I from?", "Leipzig"),
    Question("What medication do I take?", "metformin"),
]
SET_ASIDE_ZH = [
    Question("你知道我叫什么吗", "陈静"),
    Question("我家在哪个城市", "苏州"),
    Question("我在哪家公司上班？", "腾讯"),
    Question("我会弹什么乐器", "吉他"),
    Question("把我的邮箱告诉我", "chen@example.com"),
    Question("我妹妹叫什么？", "陈悦"),
    Question("我开什么车？", "比亚迪"),
    Question("我们用的什么数据库？", "MySQL"),
    Question("搬家之前我住在哪个城市？", "杭州"),
    Question("我最喜欢什么颜色？", "蓝色"),
    Question("我是哪里人？", "成都"),
    Question("我的老板是谁", "王磊"),
    Question("我儿子多大", "8岁"),
    Question("我什么时候生日", "5月20日"),
]
# Facts told in one language and asked for in the other: a slot has no language.
ACROSS_EN = [
    Question("我叫什么名字？", "Marta Quint"),
    Question("我住在哪里？", "Porto"),
    Question("我用什么编辑器？", "to Helix"),
]
ACROSS_ZH = [
    Question("What's my name?", "陈静"),
    Question("When is my birthday?", "5月20日"),
    Question("how old is my son?", "8岁"),
]
NOT_BY_SLOT = [
    "What's your name?",
    "Where can I buy peanuts near where I live?",
    "What did Felix say about his name?",
    "How do I change the name of a branch in git?",
    "Which editor do most people use?",
    "What should I cook for my sister on Sunday?",
    "My name is on the list.",
    "Where does Felix live?",
    "what's my cat called?",
    "Tell me a story about a nurse who lives by the sea",
    "你叫什么名字？",
    "小王住在哪里？",
    "怎么给变量起名字？",
    "帮我给妹妹写一封找工作的邮件",
    "我的狗叫什么？",
    "大家都用什么编辑器？",
]

_MESSAGE = re.compile(r"```(?:.|\n)*?```|.+")


def _mind(folder: str, facts: str, noise: str) -> mnemic.Mind:
    mind = mnemic.open(f"{folder}/known.db", embedding={"provider": "none"})
    for name, text in (("facts", facts), ("noise", noise)):
        with mind.session(name) as session:
            for message in _MESSAGE.findall(text):
                session.user(message)
                session.assistant("I see." if message.isascii() else "明白。")
    mind.drain()
    return mind


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Iterator[mnemic.Mind]:
    with closing(_mind(str(tmp_path_factory.mktemp("en")), FACTS_EN, NOISE_EN)) as mind:
        yield mind


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Iterator[mnemic.Mind]:
    with closing(_mind(str(tmp_path_factory.mktemp("zh")), FACTS_ZH, NOISE_ZH)) as mind:
        yield mind


def _misses(mind: mnemic.Mind, questions: list[Question]) -> list[str]:
    misses = []
    for question in questions:
        hits = mind.recall(question.text)
        first = hits[0] if hits else None
        if first is None or first.type != "memory" or question.answer not in first.text:
            misses.append(f"{question.text} -> {first and first.text!r}")
    return misses


def _by_slot(hits: list[Hit]) -> list[str]:
    return [hit.text for hit in hits if "slot" in hit.why.routes]


@pytest.mark.parametrize("questions", [WRITTEN_FOR_EN, SET_ASIDE_EN, ACROSS_EN])
def test_the_memory_of_a_slot_is_the_first_hit(
    english: mnemic.Mind, questions: list[Question]
) -> None:
    assert _misses(english, questions) == []


@pytest.mark.parametrize("questions", [WRITTEN_FOR_ZH, SET_ASIDE_ZH, ACROSS_ZH])
def test_the_memory_of_a_slot_is_the_first_hit_in_chinese(
    chinese: mnemic.Mind, questions: list[Question]
) -> None:
    assert _misses(chinese, questions) == []


@pytest.mark.parametrize("question", NOT_BY_SLOT)
def test_nothing_is_put_first_where_no_slot_is_asked_for(
    english: mnemic.Mind, chinese: mnemic.Mind, question: str
) -> None:
    assert _by_slot(english.recall(question)) == []
    assert _by_slot(chinese.recall(question)) == []


def test_a_prompt_has_the_fact_first_or_always(english: mnemic.Mind) -> None:
    for question in WRITTEN_FOR_EN + ACROSS_EN:
        prompt = english.context(question.text)
        ids = {section.name: section.ids for section in prompt.sections}
        always = {english.get(one).text for one in ids.get("core", ())}
        (answer, *_) = english.recall(question.text, limit=1)
        assert answer.text in always or answer.id in ids["evidence"][:1], question


def test_what_was_true_before_is_shown_with_its_end(english: mnemic.Mind) -> None:
    hits = english.recall("Where did I live before?")
    assert [hit.text for hit in hits if hit.why.routes == ("slot",)] == ["I live in Lisbon"]
    assert hits[0].ended is not None
    line = f"until {hits[0].ended.date().isoformat()}"
    assert line in english.context("Where did I live before?").text
    assert english.recall("Where do I live?")[0].ended is None


def test_questions_and_greetings_are_no_evidence(english: mnemic.Mind) -> None:
    prompt = english.context("What is the new intern called?").text
    evidence = prompt[prompt.index("## Recalled") :]
    assert "intern is called Tobias" in evidence
    for noise in ("Do you remember when", "What's my name?", "Is the birthday party", "ok, thanks"):
        assert noise not in evidence
    asked = english.context("What did I ask you about the birthday of the intern?").text
    assert "Is the birthday party of the intern" in asked


def test_of_the_agent_and_of_filters(tmp_path: Path) -> None:
    with mnemic.open(tmp_path / "agent.db", embedding={"provider": "none"}) as mind:
        mind.remember("My name is Marta", kind="identity", subject="user", predicate="name")
        mind.remember(
            "The assistant is Ada", kind="identity", subject="assistant", predicate="name"
        )
        mind.remember(
            "Boat port is 1", kind="fact", subject="api", predicate="port", project="boat"
        )
        mind.remember(
            "Barn port is 2", kind="fact", subject="api", predicate="port", project="barn"
        )
        for question in ("What's your name?", "你叫什么名字？"):
            assert _by_slot(mind.recall(question)) == ["The assistant is Ada"]
        assert _by_slot(mind.recall("What's my name?")) == ["My name is Marta"]
        assert _by_slot(mind.recall("What's my name?", of=["turn"])) == []
        asked = "what port does the API run on?"
        assert _by_slot(mind.recall(asked, project="barn")) == ["Barn port is 2"]
        assert len(_by_slot(mind.recall(asked))) == 2


def test_a_slot_of_many_values_hides_no_other(tmp_path: Path) -> None:
    with mnemic.open(tmp_path / "many.db", embedding={"provider": "none"}) as mind:
        slot: dict[str, Any] = {"kind": "fact", "subject": "user"}
        mind.remember("I edit with Helix", predicate="editor", value="Helix", **slot)
        for n in range(32):
            mind.remember(f"I use gadget {n}", predicate="uses", value=f"gadget {n}", **slot)
        assert mind.recall("Which editor do I use?", limit=1)[0].text == "I edit with Helix"
        assert mind.recall("我用什么编辑器？", limit=1)[0].text == "I edit with Helix"
        assert len(_by_slot(mind.recall("What do I use?", limit=20))) == 10


@pytest.mark.parametrize(
    ("fact", "query"),
    [
        ("I upgraded to Python 3.12 and use uv from now on.", "Which Python version do I use?"),
        ("我升级到 Python 3.12 了，以后都用 uv", "我用的是哪个 Python 版本？"),
    ],
)
def test_a_question_that_was_recorded_before_it_is_asked_does_not_stand_in_its_own_way(
    open_mind: OpenMind, fact: str, query: str
) -> None:
    mind = open_mind()
    mind.record(session="a", role="user", text=fact)
    before = mind.recall(query, of=["turn"])[0]
    mind.record(session="b", role="user", text=query)
    first = mind.recall(query, of=["turn"])[0]
    assert (first.text, before.text) == (fact, fact)
    assert first.score > before.score / 2
    assert fact in mind.context(query, session="b").text
