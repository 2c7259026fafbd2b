"""Segmentation: what a text is found by, in English, Chinese and the mixture people type."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mnemic.index.segment import index_text, query_terms, term_weight, weights_of
from mnemic.rules.bm25 import number_of

pytestmark = pytest.mark.feature("R2")


def terms(text: str) -> set[str]:
    return set(index_text(text).split())


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("I run node.js 20", ["node.js", "Node.js", "node", "js"]),
        ("rename user-id", ["user-id", "userid", "user_id", "userId", "user"]),
        ("rename userId", ["user-id", "userid", "user_id", "userId", "USER"]),
        ("call foo_bar() first", ["foo_bar()", "foo_bar", "fooBar", "foo", "bar"]),
        ("see parseHTTPResponse", ["parseHTTPResponse", "parse", "http", "response"]),
        ("logs in D:\\code\\app", ["D:\\code\\app", "d:\\code\\app", "D:\\code", "code", "app"]),
        ("/usr/local/bin/uv", ["/usr/local/bin/uv", "/usr/local", "uv"]),
        ("I write C++ and C#", ["C++", "c++", "C#"]),
        ("Python 3.12.4", ["3.12.4", "3.12", "python", "Python 3.12"]),
        ("on v1.2.3-beta", ["v1.2.3-beta", "1.2.3", "beta"]),
        ("edit README.md", ["README.md", "readme", "readme.md"]),
        ("写在 会议记录.docx 里", ["会议记录.docx", "会议记录", "docx"]),
        ("ＡＢＣ１２３", ["abc123", "ABC", "123", "ＡＢＣ"]),
        ("ｶﾅ", ["カナ"]),
        ("我用Python写代码", ["Python", "代码", "写代码", "用 python"]),
        ("我升级到 Python 3.12 了，以后都用 uv", ["升级", "3.12", "uv", "以后"]),
        ("記憶引擎", ["記憶", "引擎", "憶"]),
        ("记忆引擎", ["记忆", "引擎", "忆"]),
        ("好的\U0001f600", ["\U0001f600", "好的"]),
        ("Café Zürich naïve", ["cafe", "Zurich", "café", "naive"]),
        ("mail ops@example.com", ["ops@example.com", "example", "ops"]),
        ("https://example.com/a/b?x=1", ["https://example.com/a/b", "example.com", "example"]),
        ("it cost 1,000,000 yuan", ["1000000", "1,000,000"]),
        ("she was running and studied", ["run", "runs", "study", "studies"]),
        ("Alice's book", ["alice", "Alice’s", "books"]),
        ("I don’t know", ["don't", "dont"]),
        ("日本語テスト", ["日本語", "テスト"]),
        ("한국어", ["한국"]),
        ("２０２６年２月１２日", ["2026", "2月"]),
        ("line one\nline two\ttab", ["one", "two", "tab"]),
    ],
)
def test_a_text_is_found_by(text: str, queries: list[str]) -> None:
    known = terms(text)
    for query in queries:
        wanted = {term.text for term in query_terms(query)}
        assert wanted & known, query


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C++", "C#"),
        ("3.12", "3.11"),
        ("記憶", "记忆"),
        ("node.js", "node.py"),
        ("ab.cd", "abcd"),
    ],
)
def test_what_differs_can_be_told_apart(one: str, other: str) -> None:
    """The most specific term of one is not a term of the other; scripts stay as they are."""
    assert terms(one) - terms(other)
    assert terms(other) - terms(one)


@pytest.mark.parametrize("text", ["", " \n\t", "...", "。，！？", "()[]{}", "\x00", "\u3000"])
def test_what_holds_no_word_gives_none(text: str) -> None:
    assert index_text(text).split() == []
    assert query_terms(text) == []


def test_common_words_weigh_least_and_are_kept() -> None:
    weights = {term.text: term.weight for term in query_terms("what is the Python 的 版本")}
    assert set(weights) >= {"what", "is", "the", "python", "的", "版本", "版", "本"}
    assert max(weights["what"], weights["the"], weights["的"]) < weights["版"]
    assert weights["版"] < weights["版本"] <= weights["python"]
    assert [term.weight > 0 for term in query_terms("the of and 的了吗")]


def test_a_query_names_each_term_once_in_order() -> None:
    found = [term.text for term in query_terms("tea bread tea 茶 茶 bread")]
    assert found == ["tea", "bread", "茶"]


TEXTS = st.text(max_size=80) | st.text("aB9 _-.'/\\:@+#,’茶壶éＡ한ก\U0001f600()", max_size=40)


@given(TEXTS)
@settings(max_examples=400)
@example("a" * 5_000)
@example("'" * 100)
@example("a." * 2_000)
@example("ﷺ")
@example("\u0130")
@example("a\u0301\u200d\ufe0f")
@example("\x1c\x1d\x85\u2028")
def test_terms_hold_no_white_space_and_are_never_empty(text: str) -> None:
    for term in query_terms(text):
        assert term.text
        assert term.text.split() == [term.text]
        assert 0 < term.weight <= 1


@given(TEXTS)
@settings(max_examples=200)
def test_a_text_is_found_by_itself(text: str) -> None:
    assert {term.text for term in query_terms(text)} == terms(text)


@given(TEXTS, TEXTS)
@settings(max_examples=200)
def test_a_word_is_found_wherever_it_stands(text: str, more: str) -> None:
    """What stands between white space gives its terms in any company."""
    assert terms(text) <= terms(f"{more}\n{text}\n{more}")


@given(st.text("abcXYZ 019.-_茶壶", max_size=40))
def test_case_and_width_do_not_matter(text: str) -> None:
    wide = "".join(
        chr(ord(character) + 0xFEE0) if character.isascii() and character.isalnum() else character
        for character in text
    )
    assert terms(wide) == terms(text)
    if not any(map(str.isupper, text)):  # a capital may begin the next word of a camelCase name
        assert terms(text.upper()) == terms(text)


@given(st.text(max_size=30) | st.text("的了我们什么怎吗看書ไปทはが한𠀀𰻝", max_size=4))
@example("what did I say about the train? 我上次说的是什么来着")
def test_a_term_weighs_the_same_as_a_number(text: str) -> None:
    words = index_text(text).split()
    numbers = np.array(list(map(number_of, words)), np.uint32)
    assert weights_of(numbers).tolist() == list(map(term_weight, words))
