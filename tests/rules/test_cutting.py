"""Shortening a text without breaking what must stay whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.tokens import count_tokens
from mnemic.language.truncation import (
    ELLIPSIS,
    cut_to_tokens,
    outside_code,
    whole_character,
)

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
WAVING = "\U0001f44b\U0001f3fd"
FLAG = "\U0001f1e8\U0001f1f3"
WHOLE = [FAMILY, WAVING, FLAG, "e\u0301", "❤\ufe0f", "\u1112\u1161\u11ab", "\r\n", "กำ", "茶", "a"]
CODE = "```python\nfor i in items:\n    print(i)\n```"


@given(st.lists(st.sampled_from(WHOLE), min_size=1, max_size=20), st.integers(0, 100))
def test_no_character_is_split(letters: list[str], place: int) -> None:
    text = "".join(letters)
    ends = {len("".join(letters[:count])) for count in range(len(letters) + 1)}
    assert whole_character(text, min(place, len(text))) in ends


@given(
    st.lists(st.sampled_from([*WHOLE, " word", "。 ", ". ", "\n\n", f"\n{CODE}\n"]), max_size=60),
    st.integers(0, 120),
)
def test_it_fits_and_is_a_beginning(pieces: list[str], limit: int) -> None:
    text = "".join(pieces)
    short = cut_to_tokens(text, limit, count_tokens)
    assert count_tokens(short) <= limit
    if short != text:
        assert text.startswith(short.removesuffix(ELLIPSIS))
        assert short.count("```") % 2 == 0, "a block of code is whole or absent"
        kept = len(short.removesuffix(ELLIPSIS))
        assert whole_character(text, kept) == kept


def test_it_stops_at_the_end_of_a_sentence_where_it_can() -> None:
    text = "We walked along the river. Then it began to rain and everyone ran home quickly."
    assert cut_to_tokens(text, 9, count_tokens) == "We walked along the river.…"
    assert cut_to_tokens(
        "我们沿着河边走。后来下雨了，大家都跑回家了。", 12, count_tokens
    ).startswith("我们沿着河边走。")


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        (f"see:\n{CODE}\nso", 10, 5),
        (f"see:\n{CODE}\nso", 5, 5),
        (f"see:\n{CODE}\nso", len(f"see:\n{CODE}"), len(f"see:\n{CODE}")),
        ("````\n```\nx\n```\n````\nend", 12, 0),  # a shorter fence does not close a longer one
        ("~~~\n```\n~~~\nend", 13, 13),
        ("```\nnever closed", 10, 0),
    ],
)
def test_inside_code_it_goes_back_to_its_start(text: str, place: int, expected: int) -> None:
    assert outside_code(text, place) == expected


def test_a_long_line_of_code_is_not_cut_in_the_middle() -> None:
    text = f"Look here:\n```\n{'x' * 2_000}\n```"
    assert cut_to_tokens(text, 60, count_tokens) == "Look here:…"


def test_code_that_does_not_fit_at_all_is_left_out() -> None:
    assert cut_to_tokens(CODE, 5, count_tokens) == ""


@given(st.text(max_size=200), st.integers(0, 50))
def test_a_tokenizer_of_the_host_decides(text: str, limit: int) -> None:
    """One that finds some shorter texts dearer, as real ones now and then do."""

    def odd(part: str) -> int:
        return len(part) + 3 * (len(part) % 2)

    assert odd(cut_to_tokens(text, limit, odd)) <= limit or not cut_to_tokens(text, limit, odd)
