"""The page without a mouse."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.serve.inspector.conftest import Watched


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent || document.activeElement.name"))


def fresh(visit: Watched, where: str) -> Page:
    """A page that was just loaded: nothing has the focus."""
    visit.open(where).reload()
    return visit.settled()


def test_shortcuts_lead_to_every_page(visit: Watched) -> None:
    page = visit.open("overview")
    for letter, heading in zip(
        "osmtpdjavf", page.locator("#nav .nav-name").all_inner_texts(), strict=True
    ):
        page.keyboard.press("g")
        page.keyboard.press(letter)
        expect(page.locator("main h1")).to_have_text(heading)
        visit.settled()
        page.keyboard.press("Escape")  # out of the search field
    page.keyboard.press("/")
    expect(page.locator("input[type=search]")).to_be_focused()
    page.keyboard.type("g m / ?")
    expect(page.locator("main h1")).to_have_text("Search")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)


def test_tab_goes_in_the_order_of_reading_and_is_seen(visit: Watched) -> None:
    page = fresh(visit, "jobs")
    order = []
    for _ in range(19):
        page.keyboard.press("Tab")
        order.append(focused(page))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", f"the focus on {order[-1]} is not seen"
    assert order[:2] == ["Skip to content", "Mnemic"]
    assert order.index("Overview") < order.index("Forget") < order.index("Log out")
    assert order.index("Log out") < len(order) - 1, "the content comes after"


def test_the_content_can_be_reached_at_once(visit: Watched) -> None:
    page = fresh(visit, "jobs")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_tooltip_follows_the_keyboard(visit: Watched) -> None:
    page = fresh(visit, "jobs")
    for _ in range(4):
        page.keyboard.press("Tab")
    expect(page.locator(".tip")).to_have_text("What is known about you (g o)")
    page.keyboard.press("Escape")
    expect(page.locator(".tip")).to_be_hidden()


def test_a_new_page_says_its_name(visit: Watched) -> None:
    page = visit.open("overview")
    page.keyboard.press("g")
    page.keyboard.press("j")
    visit.settled()
    assert focused(page) == "Jobs"


def test_rows_are_walked_and_opened(visit: Watched) -> None:
    page = visit.open("memories")
    expect(page.locator(".row-link").first).to_be_visible()
    page.focus(".virtual-list")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    row = page.evaluate("document.activeElement.closest('li').dataset.index")
    assert row == "1"
    page.keyboard.press("x")
    expect(page.locator(".several")).to_contain_text("1 selected")
    page.keyboard.press("x")
    expect(page.locator(".several")).to_be_hidden()
    chosen = page.evaluate("document.activeElement.querySelector('.row-text').textContent")
    page.keyboard.press("Enter")
    expect(page.locator(".memory h2")).to_have_text(chosen)
    expect(page.locator(".memory h2")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".memory")).to_have_count(0)
