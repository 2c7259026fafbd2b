"""Exact questions, what they are about, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.exact import ExactKind, ExactQuestion, exact_question
from tests.timing import takes_less_than

# kind | query | topic
ASKED = """
when | 我哪天去的医院？ | 我 去的医院
when | 我们是哪一天搬家的 | 我们 搬家
when | 我什么时候换的工作 | 我 换的工作
when | 你还记得我什么时候开始学吉他的吗？ | 我 开始学吉他
when | 项目几号上线的 | 项目 上线
when | 小明是哪年毕业的？ | 小明 毕业
when | 几月几号交的房租 | 交的房租
when | 会议几点开始 | 会议 开始
when | 请问发布会是什么时候 | 发布会
when | 合同哪天签的 | 合同 签
when | 多久以前养的猫 | 养的猫
when | 何时买的车 | 买的车
when | When did I move to Berlin? | I move to Berlin
when | when was the server upgraded | the server upgraded
when | What day did we meet Anna? | we meet Anna
when | On what date did I sign the lease? | I sign the lease
when | which year did Tom graduate | Tom graduate
when | Do you remember when I started running? | I started running
when | Can you tell me when the invoice was paid? | the invoice was paid
when | What time is the dentist appointment? | the dentist appointment
when | How long ago did I quit smoking? | I quit smoking
when | ok, when did Anna call? | Anna call
when | When's the launch | the launch
when | When exactly did we deploy "How Many Cooks"? | we deploy "How Many Cooks"
when | what month did the lease start | the lease start
when | 「多少次」这首歌是什么时候听的 | 「多少次」这首歌 听
count | 我去过多少次北京？ | 我去过 北京
count | 我跑了几次步？ | 我跑了 步
count | 一共写了多少篇日记 | 写了 日记
count | 我们开过几次会 | 我们开过 会
count | 总共花了几个小时修这个 bug | 花了 小时修这个 bug
count | 有多少个用户反馈过登录问题 | 有 用户反馈过登录问题
count | 我喝了多少杯咖啡 | 我喝了 咖啡
count | 她来过几回？她是小红 | 她来过 ？她是小红
count | 提到过 Rust 多少遍 | 提到过 Rust
count | How many times did I go to the gym? | I go to the gym
count | how many books have I read this year? | books have I read this year
count | How often did we deploy last month? | we deploy last month
count | How many people came to the party? | people came to the party
count | What's the number of open tickets? | open tickets
count | do you know how many cats Anna has? | cats Anna has
count | how many times have I mentioned Rust | I mentioned Rust
count | so how many invoices did I send? | invoices did I send
count | How many PDF files did I upload? | PDF files did I upload
file | 预算在哪个文件里？ | 预算在 里
file | 哪个文件里写了端口 | 里写了端口
file | 那张照片呢 | 照片
file | 给我那张猫图 | 猫图
file | 把那份合同发给我 | 合同
file | 我发给你的PDF在哪 | 我发给你的PDF在哪
file | 找一下我上传的那张截图 | 我上传的 截图
file | 哪张图片里有我的狗 | 图片里有我的狗
file | 你做的那个表格 | 你做的 表格
file | 打开那份年度报告 | 年度报告
file | 那个关于缓存的文档 | 关于缓存的文档
file | Which file has the port number? | the port number
file | the PDF I sent | the PDF I sent
file | Where is the photo of the cat? | the photo of the cat
file | show me the invoice from March | the invoice from March
file | find the report you wrote about churn | the report you wrote about churn
file | what file did you save the notes in? | you save the notes in
file | Can you open that spreadsheet we made? | that spreadsheet we made
file | those screenshots you took yesterday | those screenshots you took yesterday
file | where are my vacation photos | my vacation photos
file | send me the contract | the contract
latest | 最后一次去医院是哪天？ | 去医院
latest | 我最近一次跑步是什么时候 | 我 跑步
latest | 上次我们聊了什么？ | 我们聊了什么
latest | 上一次见到小红是何时 | 见到小红
latest | 最后一次备份 | 备份
latest | 最新的计划是什么 | 计划是什么
latest | 上次讨论的架构是什么样的？ | 讨论的架构是什么样
latest | When was the last time I saw Anna? | I saw Anna
latest | the last time we deployed | we deployed
latest | When did I last see Tom? | I see Tom
latest | What did we discuss last time? | we discuss
latest | what's the most recent decision about the API? | decision about the API
latest | Which was the last restaurant we went to? | restaurant we went to
latest | what is my latest address | address
earliest | 第一次去日本是什么时候？ | 去日本
earliest | 我们第一次见面聊了什么 | 我们 见面聊了什么
earliest | 最早提到这个项目是哪天 | 提到这个项目
earliest | 一开始用的什么数据库？ | 用的什么数据库
earliest | When was the first time I flew? | I flew
earliest | when did we first talk about pricing | we talk about pricing
earliest | What was the first book I read? | book I read
earliest | What did I first order there? | I order there
earliest | the first time Anna cooked | Anna cooked
"""
CASES = [tuple(line.split(" | ")) for line in ASKED.strip().splitlines()]

NOT_EXACT = """
文件系统怎么用
怎么读取文件
文件夹里有什么
这个文件格式怎么解析
帮我写几个例子
我买了几个苹果
什么时候都行
这件衣服多少钱
第一次世界大战是怎么爆发的
最新版本有什么变化
《多少次》是谁的歌
“哪天”这个词怎么用
这是我第一次来北京
今天星期几？
什么时候？
多少次？
继续
那家餐厅叫什么
when I was in Paris, what did I eat?
Tell me about "How Many Times Must We Say Goodbye"
What does 'which file' mean?
first of all, thanks
what is my first name?
the last mile is the hardest
how do I open files in Python?
which file format is best for tables
what file system does Linux use?
What day is it today?
when?
how many?
Which restaurant did we like?
I work best when it is quiet
the movie "When Harry Met Sally" was nice
what did we do last week?
Where is Anna?
the first thing is to relax
how often should I water the plant
my last name is Li
"""


@pytest.mark.feature("R6", preset="shiyi")
@pytest.mark.parametrize(("kind", "query", "topic"), CASES)
def test_exact_questions(kind: ExactKind, query: str, topic: str) -> None:
    assert exact_question(query) == ExactQuestion(kind, topic)


@pytest.mark.feature("R6", preset="shiyi")
@pytest.mark.parametrize("query", NOT_EXACT.strip().splitlines())
def test_what_only_looks_exact(query: str) -> None:
    assert exact_question(query) is None


def test_a_long_text_asks_no_exact_question() -> None:
    assert exact_question("When did I move to Berlin? " * 1_000_000) is None


@pytest.mark.parametrize(
    "piece",
    [
        "the ",
        "a ",
        "那个",
        "我",
        "when did ",
        "how many ",
        "《",
        '"',
        "'",
        " ",
        "了几",
        "last ",
        "一共",
    ],
)
def test_no_query_is_slow(piece: str) -> None:
    assert takes_less_than(0.25, lambda: exact_question((piece * 400)[:400]))


@given(st.text(max_size=120))
def test_any_text_gets_an_answer(text: str) -> None:
    asked = exact_question(text)
    assert asked is None or asked.topic.strip()
