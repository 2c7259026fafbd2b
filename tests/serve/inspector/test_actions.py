"""What a person does on the page, and what the memory then says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from mnemic import Mind
from tests.serve.http.conftest import Running
from tests.serve.inspector.conftest import Watched, living, visiting


@pytest.fixture(scope="module")
def served(life: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A memory of its own, since things are done to it."""
    with living(life, tmp_path_factory.mktemp("actions")) as running:
        yield running


@pytest.fixture
def mind(served: Running) -> Mind:
    return served.engine.mind("default")


def said(page: Page, text: str) -> None:
    """The notice that tells what was done."""
    expect(page.locator(".notice").filter(has_text=text).first).to_be_visible()


# --- login and spaces -----------------------------------------------------------------------------


def test_a_wrong_token_is_told_with_its_remedy(browser: Browser, served: Running) -> None:
    with visiting(browser, served) as watched:
        page = watched.page
        page.goto(served.url)
        page.fill("#token", "mnm_wrong")
        page.keyboard.press("Enter")
        expect(page.locator(".problem")).to_contain_text("token")
        expect(page.locator(".problem .muted")).to_contain_text("mnemic token add")
        page.fill("#token", served.admin)
        page.keyboard.press("Enter")
        expect(page.locator("main h1")).to_have_text("Overview")
        (cookie,) = page.context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        assert page.evaluate("document.cookie") == ""
        page.click("text=Log out")
        expect(page.locator("#token")).to_be_visible()
        page.reload()
        expect(page.locator("#token")).to_be_visible()


def test_a_link_with_a_token_leaves_none_in_the_address(visit: Watched, served: Running) -> None:
    visit.log_in(served.admin)
    assert served.admin not in visit.page.url
    assert served.admin not in visit.page.evaluate("JSON.stringify({...localStorage})")


def test_a_token_that_is_revoked_ends_the_login(browser: Browser, served: Running) -> None:
    token, grant = served.tokens.add("for a while", "read", ["*"])
    with visiting(browser, served) as watched:
        page = watched.log_in(token)
        served.tokens.revoke(grant.id)
        page.click("#nav a[data-page=jobs]")
        expect(page.locator("#token")).to_be_visible()


def test_spaces_are_switched_and_a_token_sees_its_own(
    browser: Browser, served: Running, visit: Watched
) -> None:
    page = visit.open("memories")
    page.select_option("#space", "work")
    expect(page.locator(".row-text")).to_have_text("The release is on Friday")
    with visiting(browser, served) as watched:
        own = watched.log_in(served.token("admin", "work"))
        expect(own.locator("#space option")).to_have_count(1)
        watched.open("memories")
        expect(own.locator(".problem")).to_contain_text("not for this space")
        watched.space = "work"
        watched.open("audit")
        expect(own.locator("h2")).to_have_count(2)


def test_a_token_to_read_changes_nothing(browser: Browser, served: Running, mind: Mind) -> None:
    with visiting(browser, served) as watched:
        page = watched.log_in(served.token("read"))
        memory = mind.memories(text="window seats")[0]
        watched.open(f"memories/{memory.id}")
        expect(page.locator(".memory .facts")).to_be_visible()
        expect(page.locator(".memory .actions button, .row-actions button")).to_have_count(0)
        expect(page.locator(".row input")).to_have_count(0)
        watched.open("documents")
        expect(page.locator(".document")).to_contain_text("night train")
        expect(page.locator("main button")).to_have_count(0)
        for where, buttons in (("pending", "Confirm"), ("jobs", "Run again")):
            watched.open(where)
            expect(page.get_by_role("button", name=buttons)).to_have_count(0)
        watched.open("forget")
        expect(page.locator(".empty")).to_contain_text("--scope admin")


# --- overview, search, timeline -------------------------------------------------------------------


def test_the_overview_leads_on(visit: Watched) -> None:
    page = visit.open("overview")
    expect(page.locator(".warnings a").first).to_have_text(
        "2 background jobs failed. See why and run them again."
    )
    assert page.locator("svg.plot rect").count() > 4
    page.select_option("select[name=days]", "90")
    expect(page.locator("svg.plot")).to_have_attribute("aria-label", re.compile("In 90 days"))
    expect(page.locator("table")).to_contain_text("qwen-small")
    page.locator(".bars a", has_text="preference").click()
    visit.settled()
    assert "kind=preference" in page.url
    expect(page.locator(".row .chip.kind").first).to_have_text("preference")


def test_a_search_is_explained_and_its_source_is_one_click_away(visit: Watched) -> None:
    page = visit.open("search")
    expect(page.locator("input[type=search]")).to_be_focused()
    page.keyboard.type("which python do I use?")
    page.keyboard.press("Enter")
    # An episode has no one place where it was said.
    said = page.get_by_role("button", name="Where it was said")
    first = page.locator(".hit").filter(has=said).first
    expect(first.locator(".prose mark").first).to_have_text("Python")
    assert first.locator(".chip.route").count() >= 1
    assert first.locator(".parts rect.value").count() >= 3
    shown = [
        int(text.strip("+%").replace("−", "-"))
        for text in first.locator(".parts .bar-value").all_inner_texts()
    ]
    assert sum(shown[:-1]) == shown[-1], "what is shown of a score adds up to it"
    assert first.locator(".score").inner_text().startswith(f"{shown[-1]}%")
    assert page.locator("svg.routes circle").count() >= 5
    first.get_by_role("button", name="Where it was said").click()
    expect(first.locator(".turn.at .prose")).to_have_text("我升级到 Python 3.12 了，以后都用 uv")
    expect(first.locator(".told a")).to_contain_text("short sentences")  # its conversation
    texts = page.locator(".hit > .prose").all_text_contents()
    assert len(texts) == len(set(texts)), "one answer is shown once"
    tops = [
        page.locator(one).first.evaluate("(one) => one.getBoundingClientRect().top")
        for one in (".hit", "svg.routes")
    ]
    assert tops == sorted(tops), "the answers come before the chart"
    first.get_by_role("link", name="Open", exact=True).click()
    expect(page.locator(".memory h2")).to_contain_text("Python 3.12")
    page.go_back()
    expect(page.locator(".hit").first).to_be_visible()
    page.select_option("select[name=of]", "turn")
    page.click("main .primary")
    expect(page.locator(".hit .chip:text-is('memory')")).to_have_count(0)


def test_the_timeline_tells_what_was_done(visit: Watched) -> None:
    page = visit.open("timeline")
    assert page.locator(".day").count() >= 4
    trip = page.locator(".session").filter(has_text="Lisbon").first
    trip.locator("summary", has_text="1 action").click()
    expect(trip.locator(".actions-list")).to_contain_text("find_trains")
    expect(trip.locator(".learned a").first).to_have_text("I prefer window seats")
    talk = page.locator(".session").filter(has_text="nurse")
    expect(talk.locator(".chip", has_text="done")).to_have_count(0)  # nothing was to be done
    trip.locator("h3 a").click()
    visit.settled()
    expect(page.locator(".turn")).to_have_count(6)
    page.locator("summary", has_text="Tool call: find_trains").click()
    expect(page.locator(".turn pre").first).to_contain_text("Lisboa")


def test_a_conversation_is_not_called_by_its_greeting(visit: Watched, served: Running) -> None:
    mind = served.engine.mind("work")
    for text in ("Hey Tim!", "My brother Paul moved to Kiel last week."):
        mind.record(session="hello", role="user", text=text)
    visit.space = "work"
    page = visit.open("timeline")
    expect(page.locator(".session h3")).to_have_text("My brother Paul moved to Kiel last week.")
    page.click(".session h3 a")
    expect(page.locator("main h1")).to_have_text("My brother Paul moved to Kiel last week.")


def test_the_timeline_is_narrowed_and_jumps_to_a_date(visit: Watched) -> None:
    page = visit.open("timeline")
    page.fill("input[name=text]", "lisbon")
    expect(page.locator(".session")).to_have_count(1)
    assert "text=lisbon" in page.url
    page.click("main button:has-text('Clear filters')")
    expect(page.locator(".session")).to_have_count(6)
    page.fill("input[name=day]", "2026-02-06")
    expect(page.locator(".day").first).to_have_text("Friday, February 6, 2026")
    page.select_option("select[name=project]", "myclaw")
    expect(page.locator(".session h3")).to_have_count(1)
    expect(page.locator(".session h3")).to_have_text("我升级到 Python 3.12 了，以后都用 uv")
    page.fill("input[name=day]", "2020-01-01")
    expect(page.locator(".empty")).to_contain_text("No conversations match")


# --- one memory -----------------------------------------------------------------------------------


def test_a_memory_shows_where_it_came_from(visit: Watched) -> None:
    page = visit.open("memories?text=window")
    page.click(".row-link")
    expect(page.locator(".memory .turn.at .prose")).to_contain_text("window seats")
    assert page.locator("svg.plot polyline").count() == 1
    page.click(".in-place .more")
    visit.settled()
    expect(page.locator(".turn.at")).to_be_in_viewport()


def test_a_memory_is_corrected(visit: Watched, mind: Mind) -> None:
    page = visit.open(f"memories/{mind.memories(text='四川菜')[0].id}")
    page.click(".memory [data-action=edit]")
    page.fill("textarea[name=text]", "我喜欢湖南菜")
    page.fill("input[name=tags]", "food, spicy")
    page.get_by_role("button", name="Save").click()
    said(page, "new version")
    expect(page.locator(".memory h2")).to_have_text("我喜欢湖南菜")
    (now,) = mind.memories(text="湖南菜")
    assert now.tags == ("food", "spicy")
    expect(page.locator(".versions ins")).to_contain_text("湖南")
    expect(page.locator(".versions del")).to_contain_text("四川")
    # The correction has no source of its own; that of what it corrects is shown.
    expect(page.locator(".turn.at .prose")).to_contain_text("四川菜")
    expect(page.locator(".row-text", has_text="湖南菜")).to_be_visible()


def test_a_memory_is_corrected_in_two_clicks_of_the_list(visit: Watched) -> None:
    visit.space = "work"
    page = visit.open("memories")
    page.hover(".row")
    page.get_by_role("button", name="Edit", exact=True).first.click()
    expect(page.locator("textarea[name=text]")).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type(" at noon")
    page.click("text=Save")
    expect(page.locator(".memory h2")).to_have_text("The release is on Friday at noon")
    page.locator(".notice").get_by_role("button", name="Undo").click()
    expect(page.locator(".memory h2")).to_have_text("The release is on Friday")
    expect(page.locator(".row-text")).to_have_text("The release is on Friday")


def test_nothing_is_written_when_nothing_was_corrected(visit: Watched, mind: Mind) -> None:
    memory = mind.memories(text="Minka")[0]
    page = visit.open(f"memories/{memory.id}")
    page.click(".memory [data-action=edit]")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".memory h2")).to_have_text(memory.text)
    assert len(mind.history(memory.id).versions) == 2


def test_a_memory_is_archived_restored_and_deleted(visit: Watched, mind: Mind) -> None:
    memory = mind.memories(text="room 12")[0]
    page = visit.open("memories?text=room+12")
    page.hover(".row")
    page.get_by_role("button", name="Archive", exact=True).first.click()
    said(page, "Archived")
    expect(page.locator(".row")).to_have_count(0)
    assert mind.get(memory.id).status == "archived"
    visit.open(f"memories/{memory.id}?status=archived")
    page.locator(".memory").get_by_role("button", name="Restore").click()
    said(page, "Restored")
    assert mind.get(memory.id).status == "active"
    visit.open("memories?text=room+12")
    delete = page.locator(".row-actions .danger")
    page.hover(".row")
    delete.click()
    expect(delete).to_have_text("Really delete?")
    assert mind.get(memory.id).status == "active", "one click does nothing"
    delete.press("Escape")
    expect(delete).to_have_text("")
    delete.click()
    delete.click()
    expect(page.locator(".row-link.leaving")).to_have_count(1)
    deleting = page.locator(".notice", has_text="Deleting")
    deleting.get_by_role("button", name="Undo").click()
    expect(page.locator(".row-link.leaving")).to_have_count(0)
    assert mind.get(memory.id).status == "active", "it was called off in time"
    page.hover(".row")
    delete.click()
    delete.click()
    deleting.get_by_role("button", name="Close").click()  # no need to wait any longer
    said(page, "Deleted")
    expect(page.locator(".empty")).to_be_visible()
    assert mind.memories(text="room 12", status="all") == []


def test_the_open_memory_follows_every_action(visit: Watched, mind: Mind) -> None:
    """Each action, not only the first, is seen in the pane, in the list and in the count."""
    memory = mind.memories(text="Anna visits")[0]
    page = visit.open(f"memories/{memory.id}")
    count = page.locator(".count")
    before = int(count.inner_text().split()[0])
    pane = page.locator(".memory")
    for _ in range(3):
        pane.get_by_role("button", name="Archive").click()
        expect(pane.locator(".chip", has_text="archived")).to_be_visible()
        expect(pane.get_by_role("button", name="Restore")).to_be_visible()
        expect(count).to_have_text(f"{before - 1} memories")
        expect(page.locator(".row-text", has_text="Anna visits")).to_have_count(0)
        pane.get_by_role("button", name="Restore").click()
        expect(pane.locator(".chip", has_text="current")).to_be_visible()
        expect(pane.get_by_role("button", name="Archive")).to_be_visible()
        expect(count).to_have_text(f"{before} memories")
        expect(page.locator(".row-text", has_text="Anna visits")).to_have_count(1)
    pane.get_by_role("button", name="Archive").click()
    expect(pane.locator(".chip", has_text="archived")).to_be_visible()
    archived = page.locator(".notice", has_text="Archived").last
    archived.get_by_role("button", name="Undo").click()
    expect(pane.locator(".chip", has_text="current")).to_be_visible()
    assert mind.get(memory.id).status == "active"
    pane.get_by_role("button", name="Edit").click()
    page.fill("textarea[name=text]", "My sister Anna visits me every fall")
    page.get_by_role("button", name="Save").click()
    expect(pane.locator("h2")).to_have_text("My sister Anna visits me every fall")
    expect(page.locator(".row-text", has_text="every fall")).to_have_count(1)
    pane.get_by_role("button", name="Archive").click()
    expect(pane.locator(".chip", has_text="archived")).to_be_visible()
    pane.get_by_role("button", name="Restore").click()
    expect(pane.get_by_role("button", name="Archive")).to_be_visible()


def test_several_memories_are_filtered_as_one_types_chosen_and_moved(
    visit: Watched, mind: Mind
) -> None:
    names = ["apple", "pear", "plum"]
    ids = [mind.remember(f"The {name} tree is in row 7", kind="fact").id for name in names]
    page = visit.open("memories")
    page.locator("input[name=text]").press_sequentially("in row 7")
    expect(page.locator(".row-text")).to_have_count(3)
    assert "text=in+row+7" in page.url
    rows = page.locator(".row input[type=checkbox]")
    rows.first.click()
    rows.last.click(modifiers=["Shift"])
    bar = page.locator(".several")
    expect(bar).to_contain_text("3 selected")
    bar.get_by_role("button", name="Archive").click()
    said(page, "3 memories archived")
    expect(page.locator(".row")).to_have_count(0)
    assert {mind.get(one).status for one in ids} == {"archived"}
    page.locator(".notice", has_text="3 memories").get_by_role("button", name="Undo").click()
    expect(page.locator(".row-text")).to_have_count(3)
    assert {mind.get(one).status for one in ids} == {"active"}
    page.locator(".row", has_text="plum").locator("input").click()
    bar.get_by_role("button", name="Select all").click()
    page.locator(".row", has_text="pear").locator("input").click()
    expect(bar).to_contain_text("2 selected")
    bar.get_by_role("button", name="Delete").click()
    bar.get_by_role("button", name="Really delete").click()
    page.locator(".notice", has_text="Deleting").get_by_role("button", name="Close").click()
    said(page, "2 memories deleted")
    expect(page.locator(".row-text")).to_have_text(["The pear tree is in row 7"])


def test_a_row_shows_the_words_that_a_memory_came_from(visit: Watched) -> None:
    page = visit.open("memories?text=window")
    expect(page.locator(".row .said")).to_have_text("Yes, and I prefer window seats.")


def test_a_memory_that_is_not_there_is_told(visit: Watched) -> None:
    page = visit.open("memories/00000000-0000-7000-8000-000000000000")
    expect(page.locator(".problem")).to_be_visible()


# --- pending, documents, jobs ---------------------------------------------------------------------


def test_pending_statements_are_answered(visit: Watched, mind: Mind) -> None:
    page = visit.open("pending")
    waiting = {str(memory.text): memory.id for memory in mind.pending()}
    cards = page.locator(".cards > li")
    badge = page.locator("#nav a[data-page=pending] .badge")
    expect(badge).to_contain_text("3")
    for text, name, told in (
        ("Always deploy", "Ignore", "not be asked again"),
        ("总是用英文", "Confirm", "Confirmed"),
        ("Never ask", "Later", "Postponed"),
    ):
        cards.filter(has_text=text).get_by_role("button", name=name).click()
        said(page, told)
        expect(cards.filter(has_text=text)).to_have_count(1 if name == "Later" else 0)
    expect(cards.locator(".chip", has_text="postponed until")).to_be_visible()
    expect(badge).to_contain_text("1")
    assert mind.get(waiting["Always deploy on Fridays"]).status == "rejected"
    assert mind.get(waiting["总是用英文回复邮件"]).status == "active"
    assert mind.get(waiting["Never ask before deleting files"]).snoozed_until is not None


def test_the_scratchpad_is_written(visit: Watched, mind: Mind) -> None:
    page = visit.open("documents")
    page.get_by_role("button", name="Edit").click()
    page.fill("textarea", "## Current focus\n- Pack for Lisbon\n")
    page.keyboard.press("Control+s")
    said(page, "Saved")
    expect(page.locator(".document li")).to_have_text("Pack for Lisbon")
    assert "Pack for Lisbon" in mind.scratchpad().text
    page.locator(".notice").last.get_by_role("button", name="Undo").click()
    expect(page.locator(".document li")).to_have_text("Book the night train to Lisbon")
    assert "Pack for Lisbon" not in mind.scratchpad().text


def test_an_edited_document_becomes_memory(visit: Watched, mind: Mind) -> None:
    (lives,) = mind.memories(text="I live in Berlin")
    page = visit.open("documents/USER.md")
    expect(page.locator(".document a", has_text="Berlin")).to_be_visible()
    assert "<!--" not in page.locator("main").inner_text()
    page.get_by_role("button", name="Edit").click()
    text = page.input_value("textarea")
    assert "Berlin" in text
    assert "<!--" not in text
    line = next(line for line in text.splitlines() if "window seats" in line)
    page.fill("textarea", text.replace("Berlin", "Hamburg", 1).replace(line, ""))
    page.get_by_role("button", name="Save").click()
    said(page, "memories updated: 1 · questions for you: 1")
    expect(page.locator(".document")).to_contain_text("Hamburg")
    (now,) = mind.memories(text="Hamburg")
    versions = [version.id for version in mind.history(now.id).versions]
    assert versions == [lives.id, now.id], "the line is a new version of the same memory"
    assert [question.memory.text for question in mind.questions()] == ["I prefer window seats"]
    page.get_by_role("button", name="Edit").click()
    folder = mind.documents_folder
    assert folder is not None
    file = folder / "USER.md"
    file.write_text(file.read_text("utf-8") + "\nMy own line\n", "utf-8")
    page.locator("textarea").press("x")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".problem")).to_be_visible()  # somebody else changed the file meanwhile


def test_dead_work_is_run_again_or_discarded(visit: Watched, served: Running, mind: Mind) -> None:
    page = visit.open("jobs?state=dead")
    expect(page.locator(".card")).to_have_count(2)
    expect(page.locator(".card .problem-text").first).to_contain_text("FileExistsError")
    card = page.locator(".card").first
    card.get_by_role("button", name="Discard").click()
    card.get_by_role("button", name="Really discard?").click()
    said(page, "1 job discarded")
    expect(page.locator(".card")).to_have_count(1)
    expect(page.locator("#nav a[data-page=jobs] .badge")).to_contain_text("1")
    folder = mind.transcripts
    assert folder is not None
    way = next(one for one in (folder, *folder.parents) if one.name == "conversation_history")
    way.unlink()
    page.get_by_role("button", name="Run again", exact=True).click()
    said(page, "1 job will run again")
    expect(page.locator(".empty")).to_contain_text("No jobs have failed")
    expect(page.locator("#nav a[data-page=jobs] .badge")).to_have_count(0)
    page.get_by_role("button", name="Run due jobs now").click()
    said(page, "done")
    assert mind.jobs(state="dead") == []


# --- audit and forgetting -------------------------------------------------------------------------


def test_the_audit_and_the_events(visit: Watched) -> None:
    page = visit.open("audit")
    page.get_by_role("button", name="Run audit").click()
    expect(page.locator(".findings").first).to_contain_text("Repeated")
    page.get_by_role("button", name="Check now").click()
    expect(page.locator(".findings").nth(1).locator("li").first).to_be_visible()
    history = page.locator(".history")
    page.fill("input[name=day]", "2026-01-31")
    expect(history.locator(".day").first).to_have_text("Saturday, January 31, 2026")
    expect(history).to_contain_text("Anna is allergic to nuts")
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}", history.inner_text()), "texts, not ids"
    page.fill("input[name=day]", "")
    page.select_option("select[name=type]", "supersede")
    line = history.locator(".happening", has_text="Minka")
    expect(line.locator("strong")).to_have_text(["Replaced"])
    expect(line).to_contain_text("Mina and is 3 years old → The cat is called Minka")
    line.locator("a").first.click()
    expect(page.locator(".memory")).to_be_visible()


def test_forgetting_is_shown_done_and_proven(visit: Watched, mind: Mind, tmp_path: Path) -> None:
    receipt = tmp_path / "receipt.json"
    page = visit.open("forget")
    page.fill("input[name=what]", "nurse")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator(".cards mark").first).to_have_text("nurse")
    assert mind.memories(text="nurse"), "a preview removes nothing"
    page.get_by_role("button", name="Forget all of this").click()
    page.get_by_role("button", name="Really forget").click()
    said(page, "Forgotten")
    assert not mind.memories(text="nurse", status="all")
    with page.expect_download() as begun:
        page.get_by_role("button", name="Download the receipt").click()
    begun.value.save_as(receipt)
    assert all(finding.ok for finding in mind.doctor(forgotten=receipt.read_text("utf-8"))
               if "forgotten" in finding.check)  # fmt: skip
    assert "nurse" not in receipt.read_text("utf-8")
    assert json.loads(receipt.read_text("utf-8"))["counts"]
    page.get_by_role("button", name="Check that nothing is left").click()
    expect(page.locator(".findings li").first).to_be_visible()


def test_a_conversation_is_forgotten_by_its_page(visit: Watched, mind: Mind) -> None:
    page = visit.open("timeline/food")
    page.click("text=Forget this conversation")
    visit.settled()
    page.click("main .primary")
    expect(page.locator(".cards .card").first).to_be_visible()
    page.select_option("select[name=by]", "time")
    expect(page.locator("input[name=since]")).to_be_visible()
    expect(page.locator(".cards")).to_have_count(0)  # they answered another question
    assert mind.turns(session="food")
