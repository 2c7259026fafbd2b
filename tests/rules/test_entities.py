"""Names that are found, and words that are none."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.entities import find_entities
from tests.timing import takes_less_than

CASES: list[tuple[str, tuple[str, ...]]] = [
    # capitalised names
    ("What did Anna say about the trip?", ("Anna",)),
    ("Did I tell you about Sarah Connor?", ("Sarah Connor",)),
    ("Sarah Connor called.", ("Sarah Connor",)),
    ("Sarah moved. Sarah is happy.", ("Sarah",)),
    ("Anna's birthday is soon", ("Anna",)),
    ("When is Anna's birthday?", ("Anna",)),
    ("I read The Lord of the Rings in Berlin", ("Lord of the Rings", "Berlin")),
    ("Hi Tom, how are you?", ("Tom",)),
    ("Dr. Smith and Prof. Ludwig van Beethoven", ("Smith", "Ludwig van Beethoven")),
    ("We met Jean-Luc at Café Central", ("Jean-Luc", "Café Central")),
    ("Lunch with Mia. Then home.", ("Mia",)),
    # sentence starts, days, months and function words are no names
    ("Remember the milk", ()),
    ("Running is fun. Cooking too.", ()),
    ("See you on Monday in March", ()),
    ("What is it? The same.", ()),
    ("I think I'm fine. I'll go.", ()),
    ("Please Send The Report Now To Everyone Here", ()),
    ("WHY IS THIS ALL IN CAPITAL LETTERS", ()),
    ("", ()),
    # quoted words and titles
    ('the song "How Many Times" was nice', ("How Many Times",)),
    ("我在读《三体》和《活着》", ("三体", "活着")),
    ("他说的「老地方」是哪里", ("老地方",)),
    ("密码提示是“蓝色大门”", ("蓝色大门",)),
    ("run `make test` first", ("make test",)),
    # files, paths, addresses
    ("open config.yaml and src/app/main.py", ("config.yaml", "src/app/main.py")),
    ("看一下main.py里的代码", ("main.py",)),
    ("年度报告.docx 在哪", ("年度报告.docx",)),
    ("it is in /etc/nginx/nginx.conf now", ("/etc/nginx/nginx.conf",)),
    ("logs are in ~/logs/today", ("~/logs/today",)),
    ("C:\\Users\\me\\a.txt is there", ("C:\\Users\\me\\a.txt",)),
    ("either and/or both", ()),
    ("see https://example.com/a?b=c.", ("https://example.com/a?b=c",)),
    ("文档在https://example.com/docs，看看", ("https://example.com/docs",)),
    ("mail anna@example.com please", ("anna@example.com",)),
    # versions, identifiers, handles
    ("we run Python 3.12 and Django 4.2.1", ("Python 3.12", "Django 4.2.1")),
    ("升级到 v1.2 了", ("v1.2",)),
    ("release 2.10.3-rc1 is out", ("2.10.3-rc1",)),
    ("it costs 3.50 or so", ()),
    ("call get_user_name or getUserName()", ("get_user_name", "getUserName()")),
    ("the MemoryStore class", ("MemoryStore",)),
    ("set MAX_TOKENS to 5", ("MAX_TOKENS",)),
    ("my iPhone and GitHub", ("iPhone", "GitHub")),
    ("ask @tom_w about JIRA-123", ("@tom_w", "JIRA-123")),
    ("the NASA grant and the A100", ("NASA", "A100")),
    ("OK, at 5 PM", ()),
    ("写个 node.js 服务", ()),
    # Latin names in Chinese
    ("我用 Obsidian 记笔记", ("Obsidian",)),
    ("Obsidian 怎么同步", ("Obsidian",)),
    # Chinese names
    ("我叫李明", ("李明",)),
    ("我叫李明，今年三十", ("李明",)),
    ("他叫张伟是我同事", ("张伟",)),
    ("我的猫叫咪咪", ("咪咪",)),
    ("我女儿的名字叫小鱼儿", ("小鱼儿",)),
    ("昨天和王小波一起吃饭", ("王小波",)),
    ("我跟陈晨聊了很久", ("陈晨",)),
    ("王老师说要交作业", ("王老师",)),
    ("李总和张经理都来了", ("李总", "张经理")),
    ("小王说今天不来", ("小王",)),
    ("找老李的车", ("老李",)),
    ("问问同事刘洋的意见", ("刘洋",)),
    ("@张三 看一下", ("@张三",)),
    # and what is none
    ("写一份周总结", ()),
    ("他叫我起床", ()),
    ("这个叫什么", ()),
    ("和高中的同学", ()),
    ("小程序怎么写", ()),
    ("黄金的价格和方案的细节", ()),
    ("和以前一样", ()),
    ("给我的文件", ()),
]


@pytest.mark.parametrize(("text", "names"), CASES, ids=[text for text, _ in CASES])
def test_names(text: str, names: tuple[str, ...]) -> None:
    assert find_entities(text) == names


def test_each_name_once_in_order() -> None:
    assert find_entities("Was Tom with Anna, or was Anna with Tom?") == ("Tom", "Anna")


def test_both_ends_of_a_long_text_are_read() -> None:
    filler = "lorem ipsum " * 100_000
    assert find_entities(f"with Anna {filler} in Berlin") == ("Anna", "Berlin")


@pytest.mark.parametrize(
    "piece",
    'a,A,Aa,Aa ,a.,/a,a/,_a,1.,@,a@,",《,`,王,小,叫,和王,Aa of ,aA,Ab-,https://,.py,A1,a_, ,\n'
    ",',王老师,C:\\".split(","),
)
def test_no_text_is_slow(piece: str) -> None:
    for length in (16_000, 1_000_000):
        assert takes_less_than(2, partial(find_entities, piece * (length // len(piece))))


@given(st.text(max_size=200))
def test_any_text_gets_an_answer(text: str) -> None:
    names = find_entities(text)
    assert all(name.strip() and name in text for name in names)
    assert len(set(names)) == len(names)
