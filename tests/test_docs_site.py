"""The docs site: both languages, every link, nothing from elsewhere, search in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mkdocs.exceptions import Abort
from playwright.sync_api import Browser

from scripts import docs_site
from tests.serve.inspector.browsers import browser

__all__ = ["browser"]

LOADED = re.compile(r"""(?:src|href)=["'](https?://[^"']+)["'][^>]*>""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Building is strict: a link or an anchor that leads nowhere fails."""
    out = tmp_path_factory.mktemp("site")
    docs_site.build("en", out)
    docs_site.build("zh", out / "zh")
    return out


def test_every_page_is_there_in_both_languages(site: Path) -> None:
    listed = {page for _, _, pages in docs_site.NAV for page in pages}
    written = {name for name in listed if (docs_site.DOCS / f"{name}.md").exists()}
    assert len(written) > 35
    for name in written:
        assert (site / f"{name}.html").is_file(), name
        assert (site / "zh" / f"{name}.html").is_file(), name
    assert "五分钟上手" in (site / "zh" / "tutorial.html").read_text("utf-8")


def test_a_page_loads_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        tags = re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", text)
        assert not [tag for tag in tags if LOADED.search(tag)], page.name
    for picture in (docs_site.DOCS / "pictures").glob("*.svg"):
        assert "url(" not in picture.read_text("utf-8").replace("url(#", ""), picture.name


def test_a_link_that_leads_nowhere_fails_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    relink = docs_site.relink
    monkeypatch.setattr(docs_site, "relink", lambda *args: relink(*args) + "\n\n[x](nowhere.md)\n")
    with pytest.raises(Abort, match="strict"):
        docs_site.build("en", tmp_path)


@pytest.mark.parametrize(
    ("home", "words", "title"),
    [(".", "forget for good", "Forgetting"), ("zh", "编程智能体", "编程智能体")],
)
def test_search_finds_from_a_file_in_the_browser(
    browser: Browser, site: Path, home: str, words: str, title: str
) -> None:
    page = browser.new_page()
    elsewhere: list[str] = []
    page.on("request", lambda r: elsewhere.append(r.url) if "file:" not in r.url else None)
    page.goto((site / home / "index.html").as_uri())
    page.click("input.md-search__input")  # which loads the index
    meta = "document.querySelector('.md-search-result__meta').textContent"
    page.wait_for_function(f"() => !/Init|初始化/.test({meta})")
    page.keyboard.insert_text(words)
    page.keyboard.press("End")  # it searches when a key goes up
    page.wait_for_selector(".md-search-result__item")
    found = page.inner_text(".md-search-result__list")
    assert title in found
    assert [url for url in elsewhere if not url.startswith(("data:", "blob:"))] == []
