"""Large tool results in few characters."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.tool_results import error_line, tool_summary
from mnemic.language.truncation import cut, cut_front

LOG = "\n".join(
    [
        "building the index",
        *(f"INFO step {n} ok" for n in range(300)),
        "ERROR: connection refused by db:5432",
        *(f"INFO step {n} ok" for n in range(300)),
        "wrote /srv/data/index/part-0001.bin",
        *(f"INFO step {n} ok" for n in range(300)),
        "done in 3.2s",
    ]
)
CLUSTERS = st.sampled_from(
    [
        "a",
        "茶",
        "e\u0301",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f44d\U0001f3fd",
        "\U0001f1e8\U0001f1f3",
        "☎\ufe0f",
        " ",
        "\n",
        "Error: no\n",
        "/a/b/c.txt ",
    ]
)


@pytest.mark.parametrize("text", ["", "short", "恰好", '{"a": 1}'])
def test_short_results_stay_as_they_are(text: str) -> None:
    assert tool_summary(text, 20) == text


def test_head_errors_paths_tail_and_size_are_kept() -> None:
    brief = tool_summary(LOG, 500)
    assert brief.startswith("building the index")
    assert "ERROR: connection refused by db:5432" in brief
    assert "/srv/data/index/part-0001.bin" in brief
    assert "done in 3.2s" in brief
    assert f"[{len(LOG):,} characters, 904 lines]" in brief
    assert "ERROR" in tool_summary(LOG, 100)


def test_chinese_errors_are_errors_too() -> None:
    text = "开始\n" + "进行中\n" * 200 + "写入失败：磁盘已满\n" + "进行中\n" * 200 + "结束"
    assert "写入失败：磁盘已满" in tool_summary(text, 100)


def test_json_shows_its_keys_and_counts() -> None:
    rows = [{"id": n, "name": "x" * 30} for n in range(120)]
    text = json.dumps({"rows": rows, "total": 120, "error": "quota exceeded", "page": {"next": 2}})
    assert tool_summary(text, 200) == (
        '{total: 120, error: "quota exceeded", rows: [120 × {id, name}], page: {next}}'
    )
    assert tool_summary(json.dumps(rows), 100) == "[120 × {id, name}]"
    many = json.dumps({f"key{n}": "v" * 20 for n in range(50)})
    brief = tool_summary(many, 100)
    assert brief.startswith('{key0: "vvv')
    assert brief.endswith("keys}")


def test_what_only_begins_like_json_is_text() -> None:
    assert "done" in tool_summary("{" + "x" * 400 + " done", 100)
    assert tool_summary("[" * 5_000, 50)


@given(st.lists(CLUSTERS, max_size=200).map("".join), st.integers(1, 200))
def test_never_longer_never_different_and_no_character_split(text: str, limit: int) -> None:
    brief = tool_summary(text, limit)
    assert len(brief) <= limit
    assert brief == tool_summary(text, limit)
    assert _parts(brief) <= _parts(" ".join(text.split())) | _parts(text) | _parts(PUNCTUATION)


PUNCTUATION = "… | , [] {} × 0123456789 characters lines"


def _parts(text: str) -> set[str]:
    """The characters as people see them."""
    found: list[str] = []
    joined = False
    for character in text:
        extends = (
            unicodedata.category(character)[0] == "M"
            or character == "\u200d"
            or "\U0001f3fb" <= character <= "\U0001f3ff"
            or _completes_flag(found, character)
        )
        if found and (extends or joined):
            found[-1] += character
        else:
            found.append(character)
        joined = character == "\u200d"
    return set(found)


def _completes_flag(found: list[str], character: str) -> bool:
    flag = "\U0001f1e6" <= character <= "\U0001f1ff"
    return (
        flag and bool(found) and len(found[-1]) == 1 and "\U0001f1e6" <= found[-1] <= "\U0001f1ff"
    )


@given(st.text(), st.integers(0, 40))
def test_cutting_keeps_to_the_limit(text: str, limit: int) -> None:
    assert len(cut(text, limit)) <= limit
    assert len(cut_front(text, limit)) <= limit
    if len(text) <= limit:
        assert cut(text, limit) == cut_front(text, limit) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("all fine", "all fine"),
        ("start\nError: disk full\nError: again", "Error: disk full"),
        ("Traceback (most recent call last):\n  File x\nValueError: bad", "ValueError: bad"),
        ("开始\n连接超时", "连接超时"),
    ],
)
def test_the_line_that_says_what_went_wrong(text: str, line: str) -> None:
    assert error_line(text) == line


def test_an_error_in_the_middle_of_one_endless_line() -> None:
    text = "a " * 50_000 + "fatal: disk full " + "b " * 50_000
    assert "fatal: disk full" in tool_summary(text, 500)
    assert "fatal: disk full" in error_line(text)
