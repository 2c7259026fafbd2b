"""Long texts in passages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.passages import MOST, TOKENS, passages
from mnemic.language.tokens import estimate_tokens

SENTENCE = "We walked along the river until the evening came."  # 49 characters, 13 tokens
ZH = "我们沿着河边一直走到了晚上才回家吃饭。"  # 19 wide characters: 15 tokens


@pytest.mark.parametrize("text", ["", " ", "\n\t", "　"])
def test_nothing_has_no_passages(text: str) -> None:
    assert passages(text) == []


@pytest.mark.parametrize("text", ["tea", " tea ", "a\nb", SENTENCE, "x" * 336, ZH * 5])
def test_a_short_text_is_one_passage_as_it_is(text: str) -> None:
    assert estimate_tokens(text) <= TOKENS * 1.75
    assert passages(text) == [text]


def test_sentences_are_packed_up_to_the_size() -> None:
    assert estimate_tokens(SENTENCE) == 13
    text = " ".join([SENTENCE] * 7)
    # Three of 13 tokens fit into 48, a fourth would not.
    three = " ".join([SENTENCE] * 3)
    assert passages(text) == [three, three, SENTENCE]


def test_chinese_sentences_need_no_space_between() -> None:
    assert estimate_tokens(ZH) == 15
    three = f"{ZH} {ZH} {ZH}"
    assert passages(ZH * 7) == [three, three, ZH]


@pytest.mark.parametrize("end", [". ", "! ", "? ", "; ", "。", "！", "？", "；", "\n", "\n\n"])
def test_every_end_of_a_sentence_is_known(end: str) -> None:
    body = "x" * 130  # 33 tokens
    found = passages(f"{body}{end}{body}{end}{body}")
    assert len(found) == 3
    assert [passage.strip(end) for passage in found] == [body] * 3


def test_a_full_stop_inside_a_word_ends_nothing() -> None:
    text = ("see example.com/a.b for v1.2.3 " * 20).strip()
    assert "".join(passages(text)) == text, "cut by size alone, so nothing is lost"


def test_what_has_no_end_is_cut_to_size() -> None:
    found = passages("x" * 1_920)
    assert found == ["x" * 192] * 10
    assert all(estimate_tokens(passage) == TOKENS for passage in found)
    wide = passages("茶" * 400)
    assert "".join(wide) == "茶" * 400
    assert all(estimate_tokens(passage) <= TOKENS * 1.75 for passage in wide)


def test_there_are_never_too_many() -> None:
    assert len(passages(f"{SENTENCE} " * 5_000)) == MOST
    assert len(passages("x" * 1_000_000)) == MOST


@given(st.text(st.sampled_from("ab c.!?。！；\n茶,"), max_size=2_000))
def test_no_letter_is_lost_and_no_passage_is_long(text: str) -> None:
    found = passages(text)
    kept = "".join("".join(found).split())
    assert kept == "".join(text.split())
    assert all(passage.strip() for passage in found)
    assert all(estimate_tokens(passage) <= TOKENS * 1.75 + 2 for passage in found)
