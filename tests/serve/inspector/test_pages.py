"""Every page in both themes, both languages and on a phone: it is drawn, and axe finds nothing."""

from __future__ import annotations

from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.serve.http.conftest import Running
from tests.serve.inspector.conftest import Watched, visiting

AXE = Axe()
DESKTOP: ViewportSize = {"width": 1320, "height": 860}
PHONE: ViewportSize = {"width": 390, "height": 844}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
HEADINGS = {
    "overview": ("Overview", "概览"),
    "search?q=which+python+do+I+use": ("Search", "搜索"),
    "memories": ("Memories", "记忆"),
    "memories/{cat}": ("Memories", "记忆"),
    "timeline": ("Timeline", "时间线"),
    "timeline/trip?at=2": ("We decided", "We decided"),
    "pending": ("Pending", "待确认"),
    "documents": ("Documents", "文档"),
    "documents/USER.md": ("Documents", "文档"),
    "jobs": ("Jobs", "任务"),
    "audit": ("Audit", "审计"),
    "devices": ("Devices", "设备"),
    "forget?by=query&what=Berlin": ("Forget", "忘记"),
}


def unfold(page: Page) -> None:
    """Show all that a click shows."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    closed = page.locator("[data-reveal] button[aria-expanded=false]")
    for _ in range(min(3, closed.count())):
        closed.first.click()
    if page.locator(".page.audit, .page.forget").count():
        page.locator("main .primary").first.click()
    page.wait_for_selector("[aria-busy=true]", state="detached")
    page.wait_for_selector("text=/^(Loading…|加载中…)$/", state="detached")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")


def test_every_page(browser: Browser, served: Running) -> None:
    """Each page once: English and light, then Chinese and dark, then on a phone."""
    (cat,) = [memory.id for memory in served.engine.mind("default").memories(text="Minka")]
    with visiting(browser, served, color_scheme="light", viewport=DESKTOP) as watched:
        page = watched.page
        page.goto(served.url)
        expect(page.locator("#token")).to_be_focused()
        fits(page, "login")
        accessible(page, "login")
        watched.log_in(served.admin)
        for where, names in HEADINGS.items():
            watched.open(where.format(cat=cat))
            name = where.partition("?")[0].format(cat="one").replace("/", "-")
            for locale, theme, heading in zip(("en", "zh-CN"), THEMES, names, strict=True):
                expect(page.locator("main h1")).to_contain_text(heading)
                assert page.locator("html").get_attribute("lang") == locale
                unfold(page)
                page.emulate_media(color_scheme=theme)
                fits(page, name)
                accessible(page, name, *(() if theme == "light" else ("color-contrast",)))
                if locale == "en":
                    page.click("#language")
                    watched.settled()
            page.emulate_media(color_scheme="light")
            page.set_viewport_size(PHONE)
            fits(page, name)
            page.set_viewport_size(DESKTOP)
            page.click("#language")


def test_the_language_is_that_of_the_browser(browser: Browser, served: Running) -> None:
    with visiting(browser, served, locale="zh-CN", color_scheme="dark", viewport=PHONE) as watched:
        watched.page.goto(served.url)
        expect(watched.page.locator("#token")).to_be_focused()
        fits(watched.page, "login")
        accessible(watched.page, "login")
        expect(watched.log_in(served.admin).locator("main h1")).to_have_text("概览")


def fits(page: Page, name: str) -> None:
    """The page is not wider than the window."""
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, f"{name} is wider than the window by {wide}"


def accessible(page: Page, name: str, *rules: str) -> None:
    """axe finds nothing; by these rules only, where some are named."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.axe_script)
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found = page.evaluate("(options) => axe.run(options)", options)["violations"]
    assert [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found] == [], name


def test_nothing_is_remembered_yet(visit: Watched) -> None:
    visit.space = "empty"
    page = visit.page
    for where in (
        "overview",
        "search",
        "memories",
        "timeline",
        "pending",
        "documents",
        "jobs",
        "audit",
    ):
        visit.open(where)
        expect(page.locator(".empty").first).to_be_visible()
        assert len(page.locator(".empty .muted").first.inner_text()) > 10, "it says what to do"
    accessible(page, "empty")


def test_what_is_chosen_and_edited_can_be_read_by_everybody(visit: Watched) -> None:
    page = visit.open("memories")
    page.locator(".row input").first.click()
    page.hover("#nav a[data-page=pending]")
    expect(page.locator(".tip")).to_contain_text("g p")
    accessible(page, "chosen")
    visit.open("documents/USER.md").get_by_role("button", name="Edit").click()
    accessible(page, "edited")


def test_theme_and_language_are_switched_and_kept(visit: Watched) -> None:
    page = visit.open("overview")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.click("#theme")
    page.click("#theme")
    assert page.evaluate(background) != light
    page.click("#language")
    expect(page.locator("main h1")).to_have_text("概览")
    page.reload()
    expect(page.locator("main h1")).to_have_text("概览")
    expect(page.locator("#theme")).to_contain_text("深色")
    page.click("#language")
    expect(page.locator("main h1")).to_have_text("Overview")


def test_the_menu_of_a_phone(browser: Browser, served: Running) -> None:
    with visiting(browser, served, viewport=PHONE) as watched:
        page = watched.log_in(served.admin)
        expect(page.locator("#nav")).to_be_hidden()
        page.click(".menu")
        accessible(page, "menu")
        page.click("#nav a[data-page=jobs]")
        expect(page.locator("main h1")).to_have_text("Jobs")
        expect(page.locator("#nav")).to_be_hidden()


def test_files_are_served_as_they_are_and_nothing_else(served: Running) -> None:
    with served.http("nobody") as http:
        answer = http.get("/")
        assert answer.status_code == 200
        assert "unsafe" not in answer.headers["content-security-policy"]
        again = http.get("/", headers={"if-none-match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert http.get("/inspector/app.js").headers["content-type"].startswith("text/javascript")
        for path in ("/inspector/", "/inspector/../app.py", "/inspector/%2e%2e/app.py", "/x"):
            assert http.get(path).status_code == 404
        assert http.get("/", headers={"host": "evil.example"}).status_code == 403
