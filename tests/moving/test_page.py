"""The page of a memory: what is in it, in both languages, and that text in it stays text."""

from __future__ import annotations

import ast
import base64
import hashlib
import itertools
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.days import in_zone
from mnemic.moving import phrases
from mnemic.moving.page import export_page
from mnemic.plain import visible
from mnemic.prompts import Language
from tests.conftest import OpenMind
from tests.moving.hostile import HOSTILE
from tests.moving.html_tree import Node, read_page
from tests.moving.whole_memory import fill

pytestmark = pytest.mark.feature("O4")

LANGUAGES: tuple[Language, ...] = ("en", "zh")
AT = datetime(2026, 5, 1, 12, tzinfo=UTC)
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
DAYS = {"en": r"\d{1,2} [A-Z][a-z]+ \d{4}", "zh": r"\d{4}年\d{1,2}月\d{1,2}日"}


def exported(mind: mnemic.Mind, **options: object) -> Node:
    return read_page(export_page(mind, at=AT, **options))  # type: ignore[arg-type]


@pytest.fixture
def whole(mind: mnemic.Mind, clock: ManualClock) -> mnemic.Mind:
    fill(mind, clock)
    return mind


def cards(section: Node) -> list[Node]:
    """The statements of a section."""
    return [item for item in section.all("li") if item.all("strong")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_current_memory_is_there_with_its_source_and_dates(
    whole: mnemic.Mind, language: Language
) -> None:
    tree = exported(whole, language=language)
    known = {card.one("strong").text: card for card in cards(tree.one(id="known"))}
    turns = {turn.id: turn for turn in whole.turns(limit=1000)}
    anchors = {node.attributes["id"] for node in tree.one(id="timeline").all("a") if not node.text}
    memories = whole.memories(limit=1000)
    assert {memory.text for memory in memories} == set(known)
    assert len(memories) >= 3
    for memory in memories:
        card = known[memory.text]
        began = in_zone(memory.valid_from, "local")
        day = f"{began.day} {began:%B %Y}" if language == "en" else f"{began:%Y年}{began.month}月"
        assert day in card.text
        assert re.search(DAYS[language], card.text)
        assert f"{memory.confidence:.0%}" in card.text
        quoted = [quote.all("p")[0].text for quote in card.all("blockquote")]
        assert quoted == [turns[source.turn_id].text for source in memory.sources]
        links = [link for link in card.all("a") if "href" in link.attributes]
        for link, source in zip(links, memory.sources, strict=True):
            assert link.attributes["href"].removeprefix("#") in anchors
            assert re.search(DAYS[language], link.text)
            assert (turns[source.turn_id].sender or "") in link.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rest_is_there_too(whole: mnemic.Mind, language: Language) -> None:
    tree = exported(whole, language=language, name="Mei")
    assert "Mei" in tree.one("h1").text
    assert "Mei" in tree.one("head").one("title").text
    assert tree.one("html").attributes["lang"] == ("en" if language == "en" else "zh-CN")
    assert "Lives in Rotterdam" in tree.one(id="known").one("s").text
    assert "Uses a pager" in tree.one(id="past").text
    waiting = tree.one(id="open").text
    assert "Likes jazz" in waiting
    assert "Write the page" in waiting
    files = tree.one(id="files").text
    for word in ("cat.png", "A cat", "meow", "letters", "image/png"):
        assert word in files
    said = tree.one(id="timeline")
    for turn in whole.turns():
        assert turn.text in said.text
    assert "read_file" in said.text
    assert "what the tool answered" in said.text
    assert len(tree.all("details")) == len(whole.sessions())
    assert all("open" not in one.attributes for one in tree.all("details"))
    for episode in whole.episodes():
        assert episode.summary in said.text
    growth = [[cell.text for cell in row.all("td")] for row in tree.one("table").all("tr")[1:]]
    assert sum(int(turns) for _, turns, _ in growth) == 4
    assert growth[-1][2] == str(len(whole.memories()))


def test_every_link_leads_somewhere_and_no_id_comes_twice(whole: mnemic.Mind) -> None:
    tree = exported(whole)
    ids = [node.attributes["id"] for node in tree.all() if "id" in node.attributes]
    assert len(set(ids)) == len(ids)
    links = [node.attributes["href"] for node in tree.all("a") if "href" in node.attributes]
    assert {"#known", "#open", "#past", "#files", "#timeline"} <= set(links)
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_the_policy_lets_in_the_one_style_and_the_one_script(whole: mnemic.Mind) -> None:
    tree = exported(whole)
    (policy,) = (
        meta.attributes["content"] for meta in tree.all("meta") if "http-equiv" in meta.attributes
    )
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        digest = hashlib.sha256(tree.one(tag).text.encode()).digest()
        assert f"{tag}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy
    assert not [n for n in tree.all() if {"src", "style", "srcset", "action"} & n.attributes.keys()]


def test_chinese_is_chinese_throughout(mind: mnemic.Mind, clock: ManualClock) -> None:
    fill(mind, clock, lambda usual: "中文")
    tree = exported(mind, language="zh")
    tree.one("html").inside = [tree.one("body")]
    body = tree.one("body")
    body.inside = [one for one in body.inside if isinstance(one, str) or one.tag != "script"]
    shown = re.sub(r"https://\S+|talk-0|UTC[+\d]*|\bMB|KB\b|session", "", body.text)
    assert not re.findall(r"[A-Za-z]{2,}", shown)


def test_every_phrase_has_its_chinese() -> None:
    folder = Path(phrases.__file__).parent
    said = {
        node.args[0].value
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
        if (isinstance(node.func, ast.Attribute) and node.func.attr in ("say", "_say"))
        or (isinstance(node.func, ast.Name) and node.func.id == "say")
    }
    assert len(said) > 30
    assert said <= set(phrases.words_of("zh")["texts"])


def test_the_language_is_that_of_the_settings_or_of_the_memory(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    chinese = open_mind()
    chinese.record(session="a", role="user", text="我今天去了杭州，见到了很久没见的朋友。")
    assert exported(chinese).one("html").attributes["lang"] == "zh-CN"
    assert exported(chinese, language="en").one("html").attributes["lang"] == "en"
    english = open_mind(tmp_path / "other.db", memory__language="zh")
    english.record(session="a", role="user", text="I went to Rotterdam to see a friend.")
    assert exported(english).one("html").attributes["lang"] == "zh-CN"


def test_hostile_text_stays_text(
    open_mind: OpenMind, mind: mnemic.Mind, clock: ManualClock, tmp_path: Path
) -> None:
    fill(mind, clock)
    usual = exported(mind, language="en")
    words = itertools.cycle(HOSTILE)
    given: set[str] = set()

    def word(_: str) -> str:
        one = next(words)
        given.add(one)
        return one

    other = open_mind(tmp_path / "hostile.db")
    fill(other, clock, word, rounds=6)
    assert len(given) == len(HOSTILE) >= 100
    text = export_page(other, language="en", at=AT, name=HOSTILE[0])
    tree = read_page(text)
    assert shapes(tree) <= shapes(usual) | {("h4", ("dir",))}
    assert len(tree.all("script")) == len(tree.all("style")) == len(tree.all("title")) == 1
    classes = {node.attributes.get("class", "") for node in tree.all()}
    assert classes <= {node.attributes.get("class", "") for node in usual.all()}
    hrefs = {node.attributes["href"] for node in tree.all("a") if "href" in node.attributes}
    assert {href[0] for href in hrefs} == {"#"}
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    timeline = squeezed(tree.one(id="timeline").text)
    for turn in other.turns(limit=1000):
        assert squeezed(visible(turn.text, kept="\n\t")) in timeline


def squeezed(text: str) -> str:
    return " ".join(text.replace("\u00a0", " ").split())


def shapes(tree: Node) -> set[tuple[str, tuple[str, ...]]]:
    """Every element as its tag and the names of its attributes, those a text may lack left out."""
    optional = {"id"}
    return {(node.tag, tuple(sorted(node.attributes.keys() - optional))) for node in tree.all()}


def test_secrets_are_masked_unless_asked_for(open_mind: OpenMind) -> None:
    keeping = open_mind(secrets__at_write="keep")
    call = mnemic.ToolCall("deploy", {"password": "hunter2hunter2", "token": KEY})
    turn = keeping.record(
        session=f"s {KEY}", role="user", text=f"my token is {KEY}", sender=KEY,
        tool_calls=[call],
    )  # fmt: skip
    keeping.remember(f"The token is {KEY}", kind="fact", subject=KEY, tags=[KEY],
                     sources=[turn.id])  # fmt: skip
    keeping.attach(f"https://example.org/?token={KEY}", description=f"key {KEY}")
    keeping.write_scratchpad(f"## Current task\nrotate {KEY}\n")
    masked = export_page(keeping, name=KEY)
    assert KEY not in masked
    assert "hunter2" not in masked
    assert "[secret:" in masked
    shown = export_page(keeping, secrets=True)
    assert shown.count(KEY) >= 6
    assert "hunter2hunter2" in shown


def test_a_credential_is_shown_only_on_request(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind(secrets__key_file=str(tmp_path / "key"))
    mind.remember(KEY, kind="credential", subject="GitHub")
    assert KEY not in export_page(mind)
    assert "GitHub" in export_page(mind)
    assert KEY in export_page(mind, secrets=True)


def test_the_same_memory_gives_the_same_bytes(whole: mnemic.Mind) -> None:
    first = export_page(whole, at=AT)
    assert export_page(whole, at=AT) == first
    later = export_page(whole, at=AT.replace(hour=13))
    assert [a for a, b in zip(first, later, strict=True) if a != b] == [f"{AT.astimezone():%H}"[1]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_memory_has_a_friendly_page(mind: mnemic.Mind, language: Language) -> None:
    tree = exported(mind, language=language)
    assert tree.one(id="known").one("p").text
    assert not tree.all("table")


def test_a_memory_that_is_off_shows_the_plain_files(open_mind: OpenMind) -> None:
    off = open_mind(memory__enabled=False)
    off.record(session="a", role="user", text="I like tea")
    off.remember("Prefers uv", kind="preference")
    tree = exported(off, language="en")
    assert "switched off" in tree.one("main").text
    assert "Prefers uv" in tree.one(id="known").text
    assert "I like tea" in tree.one(id="timeline").text


def test_a_long_text_is_cut_and_says_so(mind: mnemic.Mind) -> None:
    turn = mind.record(session="a", role="user", text=f"{'a ' * 12_000}tea is best{' b' * 99}")
    mind.remember("tea is best", kind="fact", sources=[turn.id])
    tree = exported(mind, language="en")
    assert "more characters" in tree.one(id="timeline").text
    quote = tree.one(id="known").one("blockquote").all("p")[0].text
    assert "tea is best" in quote
    assert quote.startswith("…")
    assert len(quote) < 500


def test_another_space_is_not_in_it(open_mind: OpenMind) -> None:
    open_mind(space="other").remember("A secret of somebody else", kind="fact")
    mine = open_mind(space="mine")
    mine.remember("My own", kind="fact")
    page = export_page(mine)
    assert "My own" in page
    assert "somebody else" not in page
