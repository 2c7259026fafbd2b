"""How much a text states beyond asking, greeting and thanking, over texts of both languages."""

from __future__ import annotations

import pytest

from mnemic.language.no_evidence import is_for_questions, statement_share

# Written before the function.
NOTHING = """
What's my name?
where do i live again
Do you remember when my birthday is?
Can you tell me which editor I use?
hello
Hi there!
ok
Ok, thanks!
Thank you so much, that helps a lot.
Good morning! How are you?
Sounds good 👍
So, what do you think?
And who is Felix?
Remind me what we decided about the port
我叫什么名字？
你还记得我住在哪里吗
我的生日是哪天来着
你好
好的，谢谢
嗯嗯，明白了
早上好！最近怎么样？
请问测试环境的端口是多少
告诉我我妹妹在哪儿工作
那数据库呢？
"""
SOMETHING = """
Since I moved to Kiel, where can I buy good bread?
Thanks! By the way, I changed my number to 555-0199.
I live in Porto. Where can I swim?
Hello, my name is Marta.
My sister Ines, who is a nurse, asked for a day off.
ok, then we take the flat in Porto
我刚搬到苏州，哪里有好吃的面馆？
谢谢！对了，我换号码了。
你好，我叫陈静。
好的，那我们就租苏州的房子
"""
# Written after it.
NOTHING_LATER = """
Which database is the fastest?
Hey, is there anything else I should know?
Could you remind me where the keys are, please?
yes please
Great, thank you! Have a nice day!
Bye, see you tomorrow?
Any idea why?
Hmm... what was the name of that restaurant again?
Have we talked about this before?
Is Tobias in the office, and is Anna?
How many people live in Kiel
Tell me about my sister
你是谁？
好的好的，没问题
不好意思，打扰了
那我们上次说的是哪一家来着？
现在几点了
你觉得我应该买哪辆车呢
收到！
晚安，明天见
"""
SOMETHING_LATER = """
When I was ten I lived in Leipzig.
What I need is a quiet flat.
No, the port is 8443.
I know where he lives, it is Kiel.
We paid 40 euros for it, is that too much?
yes, on Tuesday at 3
Please write a poem about the sea
Novabank called about the loan.
Well, my brother got married in May, so what should I give them?
我不知道他为什么走了
是的，我妹妹在字节跳动上班
我老公不吃辣，晚饭做什么好呢？
把端口改成9090
什么都好吃，我最喜欢火锅
不是，截止日期是周五
"""


def _lines(text: str) -> list[str]:
    return list(filter(None, text.splitlines()))


@pytest.mark.parametrize("text", _lines(NOTHING + NOTHING_LATER))
def test_a_question_or_a_courtesy_states_nothing(text: str) -> None:
    assert statement_share(text) == 0.0


@pytest.mark.parametrize("text", _lines(SOMETHING + SOMETHING_LATER))
def test_what_is_told_beside_a_question_counts(text: str) -> None:
    assert 0.0 < statement_share(text) <= 1.0


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("I live in Porto and work at Novabank.", 1.0, 1.0),
        ("我住在苏州，在腾讯上班。", 1.0, 1.0),
        ("Thanks! I live in Porto. Where can I swim?", 0.3, 0.6),
        ("谢谢！我住在苏州。哪里可以游泳？", 0.3, 0.6),
        ("Where do I live? " * 5_000, 0.0, 0.0),
        ("", 0.0, 0.0),
        ("👍", 0.0, 0.0),
    ],
)
def test_the_share_is_of_the_whole_text(text: str, least: float, most: float) -> None:
    assert least <= statement_share(text) <= most


def test_a_query_may_be_after_questions() -> None:
    for query in (
        "What did I ask you about the port?",
        "which questions did I have last week?",
        "What was my first question?",
        "我问过你什么？",
        "我上次的问题是什么",
    ):
        assert is_for_questions(query), query
    for query in (
        "What's my name?",
        "Where do I live?",
        "我叫什么名字？",
        "Who asked for a day off?",
    ):
        assert not is_for_questions(query), query
