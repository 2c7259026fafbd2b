"""Each page of the docs says in Chinese what it says in English: the same code, headings, names,
figures and links. Words within code, in quotes or behind #, may be in the page's own language. A
page that is changed in one language only is found here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
# Written by programs, from the code itself.
GENERATED = ("api.md", "commands.md", "conformance.md", "schema.md", "settings.md")
PAGES = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if not page.name.endswith(".zh.md") and page.relative_to(DOCS).as_posix() not in GENERATED
]
FENCE = re.compile(r"(?ms)^( *)```[^\n]*\n.*?^\1```$")
LINK = re.compile(r"\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`]+)`")
WORDS_IN_CODE = re.compile(r'("[^"\n]*"|#[^\n]*)')
HAN = re.compile(r"[\u4e00-\u9fff]")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|\.\d+")


@dataclass(frozen=True, slots=True)
class PageSection:
    """What a section says in any language."""

    level: int
    code: tuple[str, ...]
    names: frozenset[str]
    figures: frozenset[str]
    rows: tuple[tuple[str, ...], ...]
    links: tuple[str, ...]


def chinese(page: Path) -> Path:
    return page.with_name(f"{page.stem}.zh{page.suffix}")


def sections(text: str) -> Iterator[PageSection]:
    text = re.sub(r"(?s)<!--.*?-->", "", text)
    code = [found.group(0) for found in FENCE.finditer(text)]
    for part in re.split(r"(?m)^(?=#)", FENCE.sub("\0", text)):
        prose = SPAN.sub("", LINK.sub("]", part))
        yield PageSection(
            level=len(part) - len(part.lstrip("#")),
            code=tuple(code.pop(0) for _ in range(part.count("\0"))),
            names=frozenset(" ".join(name.split()) for name in SPAN.findall(LINK.sub("]", part))),
            figures=frozenset(_figures(prose)),
            rows=tuple(tuple(sorted(_figures(row))) for row in re.findall(r"(?m)^ *\|.*$", prose)),
            links=tuple(sorted(target.partition("#")[0] for target in LINK.findall(part))),
        )


def _figures(text: str) -> list[str]:
    """Numbers as they are written; a month has a name in English and a number in Chinese."""
    return NUMBER.findall(re.sub(r"\d+ 月", "", text))


def differences(page: Path, english: str, translated: str) -> list[str]:
    """What one language has and the other lacks, by section."""
    marks = (f"[中文]({chinese(page).name})", f"[English]({page.name})")
    found = [
        f"the third line is {mark}"
        for text, mark in zip((english, translated), marks, strict=True)
        if text.splitlines()[2:3] != [mark]
    ]
    ours = list(sections(english.replace(marks[0], "")))
    theirs = list(sections(translated.replace(marks[1], "")))
    if [one.level for one in ours] != [one.level for one in theirs]:
        return [*found, f"{len(ours)} and {len(theirs)} sections"]
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        links = tuple(sorted(_for_chinese(page, target) for target in one.links))
        for what, said, again in (
            ("code", one.code, _translated_code(one.code, other.code)),
            ("names", one.names, other.names),
            ("figures", one.figures, other.figures),
            ("rows", one.rows, other.rows),
            ("links", links, other.links),
        ):
            if said != again:
                lacks = [x for x in said if x not in again], [x for x in again if x not in said]
                found.append(f"section {number}, {what}: {lacks[0]} and {lacks[1]}")
    return found


def _translated_code(english: tuple[str, ...], translated: tuple[str, ...]) -> tuple[str, ...]:
    """The translated blocks, with the English words wherever Chinese words take their place."""
    if len(english) != len(translated):
        return translated
    blocks = []
    for ours, theirs in zip(english, translated, strict=True):
        parts, others = WORDS_IN_CODE.split(ours), WORDS_IN_CODE.split(theirs)
        if len(parts) == len(others):
            for place in range(1, len(parts), 2):  # between two words there is code
                if HAN.search(others[place]) and not HAN.search(parts[place]):
                    others[place] = parts[place]
        blocks.append("".join(others))
    return tuple(blocks)


def _for_chinese(page: Path, target: str) -> str:
    """Where the Chinese page has this link: to the Chinese page or picture, where there is one."""
    there = chinese(page.parent / target)
    return str(Path(target).with_name(there.name)) if there.is_file() else target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_a_page_says_the_same_in_both_languages(page: Path) -> None:
    assert chinese(page).is_file(), f"write {chinese(page).relative_to(ROOT)}"
    found = differences(page, page.read_text("utf-8"), chinese(page).read_text("utf-8"))
    assert not found, "\n".join(found)


def test_no_chinese_page_stands_alone() -> None:
    alone = [
        page
        for page in DOCS.rglob("*.zh.md")
        if not page.with_name(page.name.replace(".zh.md", ".md")).is_file()
    ]
    assert not alone


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('mind.record(session="s"', 'mind.record(session="t"'),
        ("## Litestream beside it", "### Litestream beside it"),
        ("| 0.30 s |", "| 0.31 s |"),
        ("2,861\nrestarts", "2,862\nrestarts"),
        ("`mnemic.key`", "`mnemic.keys`"),
        ("](upkeep.md)", "](decay.md)"),
    ],
)
def test_a_change_in_one_language_is_found(old: str, new: str) -> None:
    page = DOCS / "backup.md"
    english, translated = page.read_text("utf-8"), chinese(page).read_text("utf-8")
    assert english.count(old) >= 1
    assert differences(page, english.replace(old, new), translated)


def _anchors(page: Path) -> set[str]:
    """What a heading is called in an address."""
    headings = re.findall(r"(?m)^#+ (.*)$", FENCE.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", ROOT / "README.zh.md", *sorted(DOCS.rglob("*.md"))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_links_lead_somewhere(page: Path) -> None:
    text = SPAN.sub("", FENCE.sub("", page.read_text("utf-8")))
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        there = page.parent / file if file else page
        assert there.exists(), target
        assert not anchor or anchor in _anchors(there), target
