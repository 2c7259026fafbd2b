"""Markdown with marks: what is written is read again, whatever it says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.documents.layout import DocumentLayout, LayoutEntry, compose
from mnemic.ids import new_id
from mnemic.language.markdown import (
    Bullet,
    Free,
    harmless,
    marks_in,
    parse,
    tidy,
    without,
)
from tests.conftest import NOON

pytestmark = pytest.mark.feature("N5")

LAYOUT = DocumentLayout(
    {"#": "Memory", "a": "Alpha", "b": "贝塔"},
    {"alpha": "a", "阿尔法": "a", "beta": "b", "贝塔": "b"},
    frozenset(("memory", "记忆")),
)
MARKS = [new_id(NOON) for _ in range(5)]
TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.text("-*+# \n\t\r`~<>!:m\u2028\x0b\x85\ufeff两a", max_size=40),
    st.sampled_from(["<!--m:r-->", f"x <!--m:{MARKS[0]}-->", "```\nx", "<!-- a", "--> b", "\x00"]),
)


def bullets(text: str) -> list[tuple[str, str]]:
    return [
        (item.mark, item.text)
        for part in parse(text)
        for item in part.items
        if isinstance(item, Bullet)
    ]


@given(st.lists(st.tuples(TEXTS, st.sampled_from("ab")), max_size=5))
def test_what_is_written_is_read_again(said: list[tuple[str, str]]) -> None:
    entries = [
        LayoutEntry(mark, harmless(text), section)
        for mark, (text, section) in zip(MARKS, said, strict=False)
        if harmless(text)
    ]
    text = compose((), entries, LAYOUT)
    assert sorted(bullets(text)) == sorted((entry.mark, entry.text) for entry in entries)
    assert compose(parse(text), entries, LAYOUT) == text, "and stays as it is"


@given(st.lists(st.one_of(TEXTS, st.sampled_from(["## Alpha", "- x", "  y", "", "```"]))))
def test_a_persons_text_keeps_every_word(lines: list[str]) -> None:
    text = "\n".join(lines)
    once = compose(parse(text), [], LAYOUT)
    assert compose(parse(once), [], LAYOUT) == once

    def words(said: str) -> list[str]:
        ours = ("memory", "记忆", "alpha", "阿尔法", "beta", "贝塔")
        return [word for word in said.split() if word.strip("#").casefold() not in ours]

    if not marks_in(text) and "m:" not in text:
        assert [w for w in words(text) if w.strip("#")] == [w for w in words(once) if w.strip("#")]


@given(TEXTS)
def test_tidying_twice_is_tidying_once(text: str) -> None:
    assert tidy(tidy(text)) == tidy(text)
    assert harmless(harmless(text)) == harmless(text)


def test_the_parts_of_a_document() -> None:
    text = "intro\n\n# Memory\n## Alpha ##\n- one\n  more\n* two\nfree\n\n### Own\n1. no bullet\n"
    before, title, alpha, own = parse(text)
    assert [part.title for part in (before, title, alpha, own)] == ["", "Memory", "Alpha", "Own"]
    assert [LAYOUT.section_of(part) for part in (before, title, alpha, own)] == ["", "#", "a", ""]
    assert alpha.items == (Bullet("one\nmore"), Bullet("two"), Free(("free", "")))
    assert own.items == (Free(("1. no bullet",)),)


@pytest.mark.parametrize(
    "block", ["```\n- x\n## y\n```", "~~~~\n```\n- x\n~~~~", "<!--\n- hidden\n-->"]
)
def test_nothing_inside_a_block_is_a_bullet(block: str) -> None:
    assert bullets(f"## Alpha\n{block}\n- real\n") == [("", "real")]


def test_a_block_that_is_never_closed_hides_nothing() -> None:
    text = f"## Alpha\n```\n- a <!--m:{MARKS[0]}-->\n<!-- \n- b <!--m:{MARKS[1]}-->\n"
    assert bullets(text) == [(MARKS[0], "a"), (MARKS[1], "b")]


def test_sections_come_in_their_order() -> None:
    second = compose((), [LayoutEntry(MARKS[0], "two", "b")], LAYOUT)
    both = [LayoutEntry(MARKS[0], "two", "b"), LayoutEntry(MARKS[1], "one", "a")]
    text = compose(parse(second), both, LAYOUT)
    assert text.index("## Alpha") < text.index("## 贝塔")
    assert compose(parse("## 阿尔法\n\nmine\n"), [], LAYOUT) == "## Alpha\n\nmine\n"
    assert compose(parse("## Alpha\n\n## Own\n"), [], LAYOUT) == "## Own\n"


def test_bullets_are_taken_out_by_their_marks() -> None:
    text = f"# T\n- a <!--m:{MARKS[0]}-->\n  more\n- b <!--m:{MARKS[1]}-->\nx <!--m:{MARKS[0]}-->\n"
    assert without(text, frozenset(MARKS[:1])) == f"# T\n- b <!--m:{MARKS[1]}-->\nx \n"
    assert without(text, frozenset()) == text
