"""A memory as markdown: what is in it, and that text in it stays text."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

import mnemic
from mnemic.clock import ManualClock
from mnemic.moving.markdown import escape, export_markdown, export_markdown_files, quote
from mnemic.plain import visible
from mnemic.prompts import Language
from tests.conftest import OpenMind
from tests.moving.hostile import HOSTILE
from tests.moving.whole_memory import fill

pytestmark = pytest.mark.feature("O4")

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)
READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ANCHOR = re.compile(r'<a id="[mt]\d+">|</a>')


def tokens(text: str) -> list[Token]:
    """Every token of a document, those within lines too."""
    found = []
    for token in READER.parse(text):
        found += [token, *(token.children or ())]
    return found


def shown(text: str) -> str:
    """What a reader sees, with plain blanks."""
    breaks = {"softbreak": " ", "hardbreak": " "}
    kinds = ("text", "text_special", "softbreak", "hardbreak")
    words = [breaks.get(t.type, t.content) for t in tokens(text) if t.type in kinds]
    return " ".join("".join(words).replace("\u00a0", " ").split())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_known_and_said_is_there(
    mind: mnemic.Mind, clock: ManualClock, language: Language
) -> None:
    fill(mind, clock)
    text = export_markdown(mind, language=language, at=AT, name="Mei")
    assert text.startswith("# Memory of Mei" if language == "en" else "# Mei的记忆")
    seen = shown(text)
    for memory in mind.memories(status="all"):
        assert memory.text in seen
    for turn in mind.turns():
        assert turn.text in seen
    for word in ("Likes jazz", "A cat", "meow", "Write the page", "read_file", "Before that"):
        assert word in seen or (language == "zh" and word == "Before that")
    day = "12 February 2026" if language == "en" else "2026年2月12日"
    assert f"Mei, {day}" in seen
    links = {t.attrs["href"] for t in tokens(text) if t.type == "link_open"}
    anchors = {f"#{anchor}" for anchor in re.findall(r'<a id="([mt]\d+)">', text)}
    assert {"#m1", "#t1"} <= links <= anchors


def test_a_folder_has_a_file_a_month_and_links_between_them(
    mind: mnemic.Mind, clock: ManualClock
) -> None:
    fill(mind, clock, rounds=3)
    files = export_markdown_files(mind, language="en", at=AT)
    assert list(files) == ["README.md", "2026-03.md", "2026-02.md"]
    for name, text in files.items():
        for token in tokens(text):
            if token.type == "link_open":
                file, _, anchor = str(token.attrs["href"]).partition("#")
                assert f'<a id="{anchor}">' in files[file or name] or not anchor
    assert "Lives in Utrecht" in files["README.md"]
    assert "I live in Rotterdam" in files["2026-02.md"]


def test_hostile_text_stays_text(
    open_mind: OpenMind, mind: mnemic.Mind, clock: ManualClock, tmp_path: Path
) -> None:
    fill(mind, clock, rounds=6)
    usual = {token.type for token in tokens(export_markdown(mind, language="en", at=AT))}
    words = cycle(HOSTILE)
    other = open_mind(tmp_path / "hostile.db")
    fill(other, clock, lambda _: next(words), rounds=6)
    text = export_markdown(other, language="en", at=AT)
    found = tokens(text)
    assert {token.type for token in found} <= usual
    assert {t.content for t in found if t.type == "html_inline"} <= set(ANCHOR.findall(text))
    assert not [t for t in found if t.type in ("html_block", "fence", "code_block", "image")]
    hrefs = {str(t.attrs["href"]) for t in found if t.type == "link_open"}
    assert all(re.fullmatch(r"#[mt]\d+", href) for href in hrefs)
    seen = shown(text)
    for turn in other.turns(limit=1000):
        said = visible(turn.text.replace("\r\n", "\n"), kept="\n\t").replace("\u00a0", " ")
        assert " ".join(said.split()) in seen


_SIGNS = st.text(alphabet=st.sampled_from("ab 1.)\\`*_{}[]<>()#+-=!|~&$^:;@/'\"\n\t—"), max_size=40)


@given(_SIGNS)
def test_no_sign_makes_anything_but_text(text: str) -> None:
    """Alone, in a quotation, in a list and after other text."""
    lines = [" ".join(line.split()) for line in text.split("\n") if line.strip()]
    for frame, around in (("{}", 1), ("{}\n\nafter", 1), ("- {}", 3), ("**x**  \n{}", 1)):
        document = frame.format(escape(text).replace("\n", "\n  " if around == 3 else "\n"))
        allowed = Counter(t.type for t in tokens(frame.format("word  \nword")))
        found = {t.type for t in tokens(document)}
        assert found <= {*allowed, "text_special", "text", "softbreak", "hardbreak"}
        assert all(line in shown(document) for line in lines)
    assert {t.type for t in tokens(quote(text))} <= {
        *(t.type for t in tokens("> a  \n> b")), "text_special",
    }  # fmt: skip


def test_an_empty_memory_and_one_that_is_off(open_mind: OpenMind, tmp_path: Path) -> None:
    assert "Nothing is known yet" in export_markdown(open_mind(), language="en", at=AT)
    off = open_mind(tmp_path / "off.db", memory__enabled=False)
    off.remember("Prefers uv", kind="preference")
    text = export_markdown(off, language="en", at=AT)
    assert "switched off" in text
    assert "Prefers uv" in text


def test_the_same_memory_gives_the_same_bytes(mind: mnemic.Mind, clock: ManualClock) -> None:
    fill(mind, clock)
    assert export_markdown(mind, at=AT) == export_markdown(mind, at=AT)
    assert export_markdown_files(mind, at=AT) == export_markdown_files(mind, at=AT)
