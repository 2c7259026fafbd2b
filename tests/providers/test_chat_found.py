"""The JSON object in what a model said: mended in its punctuation, never in its words."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.providers.chat.base import WrongShape
from mnemic.providers.chat.json_answer import object_in

pytestmark = pytest.mark.feature("X4")

TEA = {"facts": ["likes tea", "喜欢茶"], "sure": 0.95, "more": None}
WHOLE = json.dumps(TEA, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        json.dumps(TEA),
        json.dumps(TEA, indent=4),
        f"\n\n {WHOLE} \n",
        f"```json\n{WHOLE}\n```",
        f"```\n{WHOLE}\n```\nI hope that helps!",
        f"Sure! Here is what I found:\n{WHOLE}\nTell me if you need more.",
        f"好的，这是结果：{WHOLE}。",
        f"For {{name}} [see note 1]: {WHOLE}",
        f'<think>Perhaps {{"facts": ["x"]}}? No.</think>\n{WHOLE}',
        WHOLE.replace("]", ",]"),
        WHOLE.replace("}", ",}"),
        WHOLE.replace('"', "'").replace("null", "None"),
        WHOLE.replace("0.95", "0.950").replace("}", ",}"),
        WHOLE.replace('"facts"', "facts"),
        WHOLE.replace('", "喜', '" "喜'),
        WHOLE.replace("]", "]，"),
    ],
)
def test_the_object_is_found(text: str) -> None:
    assert object_in(text) == TEA


@pytest.mark.parametrize(
    "text",
    ['{"facts": ["likes tea"]', '{"facts": ["likes tea"', '```json\n{"facts": ["likes tea"]\n```'],
)
def test_closing_brackets_may_be_missing_after_one_that_is_there(text: str) -> None:
    if "]" in text:
        assert object_in(text) == {"facts": ["likes tea"]}
    else:
        with pytest.raises(WrongShape):
            object_in(text)


def test_a_line_end_in_a_text() -> None:
    assert object_in('{"a": "one\ntwo"}') == {"a": "one\ntwo"}


def test_half_a_character_is_replaced() -> None:
    assert object_in('{"a": "\\ud83d\\ude00 \\ud800"}') == {"a": "😀 ?"}


def test_the_start_of_an_answer_is_no_answer() -> None:
    """Only closing brackets may be missing: a fact is there whole, or nothing is."""
    for end in range(len(WHOLE)):
        try:
            found = object_in(WHOLE[:end])
        except WrongShape:
            continue
        listed = found["facts"]
        assert isinstance(listed, list)
        assert set(listed) <= {"likes tea", "喜欢茶"}
        assert WHOLE[:end].endswith(("]", "}"))


words = st.text(st.characters(codec="utf-8"), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(words, values, min_size=1), st.booleans())
def test_every_whole_object_is_read_as_it_is(value: dict[str, object], ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert object_in(text) == value
    assert object_in(f"```json\n{text}\n```") == value


@given(st.dictionaries(words, values, min_size=1), st.data())
def test_a_damaged_object_keeps_its_words_or_is_refused(
    value: dict[str, object], data: st.DataObject
) -> None:
    text = json.dumps(value, ensure_ascii=False)
    at = data.draw(st.integers(0, len(text) - 1))
    put = data.draw(st.sampled_from(["", ",", '"', "{", "]", "\\", "'", " "]))
    damaged = text[:at] + put + text[at + 1 :]
    with suppress(WrongShape):
        kept = json.dumps(object_in(damaged), allow_nan=False, ensure_ascii=False)
        assert set(filter(str.isalpha, kept)) <= set(text) | set("nulltruefalse")


@given(st.text(st.sampled_from("{}[]\",:\\'`/*#x1\n "), max_size=300))
def test_nothing_else_escapes(text: str) -> None:
    with suppress(WrongShape):
        assert isinstance(object_in(text), dict)


@pytest.mark.parametrize(
    "part", ['\\"', '"x" ', "\",':{", "{/*", "{#", "1-", '{"a":```', '"\\"', "'\\'", '",', '":"']
)
@pytest.mark.parametrize("size", [19_000, 300_000])
def test_hostile_texts_take_no_time(part: str, size: int) -> None:
    started = time.monotonic()
    with pytest.raises(WrongShape):
        object_in('{"a": [' + part * (size // len(part)) + "} x")
    assert time.monotonic() - started < 3
