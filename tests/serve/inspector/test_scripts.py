"""Three hundred scripts in every stored field: none runs, and nothing is asked of another host."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

import mnemic
from mnemic.clock import ManualClock
from mnemic.types import Candidate, NewDailyEvent, NewEpisode, NewTurn, ToolCall, ToolResult
from tests.conftest import NOON
from tests.planting import plant_many
from tests.serve.http.conftest import Running, serving
from tests.serve.inspector.conftest import SETTINGS, Watched
from tests.serve.inspector.payloads import PAYLOADS

# Of each other kind some, so that each script is in some field; by `make torture` all of them.
LATER = 300 if os.environ.get("MNEMIC_TORTURE") else 20
ROOM = {"embedding": {"provider": "none"}, "scratchpad": {"max_chars": 40_000}}
PLACES = (
    "overview", "timeline", "pending", "documents", "documents/USER.md", "jobs", "audit",
    "search?q=script+alert&k=50", "search?q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E",
    "%3Cimg%20src=x%20onerror=alert(1)%3E", "memories?text=%3Cscript%3E",
    "timeline/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "forget?by=session&what=talk",
)  # fmt: skip
ALL = " ".join(PAYLOADS)
NAME = "<img src=x onerror=window.hit=1>"


class HostileModel:
    """A model whose name and whose errors are scripts."""

    name = NAME

    def __init__(self) -> None:
        self._said = cycle(PAYLOADS)

    def complete(self, messages: Any, *, schema: Any = None) -> str:
        raise mnemic.ModelError(next(self._said), remedy=next(self._said))


def infect(mind: mnemic.Mind) -> None:
    """Each payload as a turn and as a memory; all other fields with some or all of them."""
    names = cycle(one.replace("\n", " ").replace("\t", " ")[:90] for one in PAYLOADS)
    mind.record_many(
        [
            NewTurn(
                "talk", "user" if n % 2 else "assistant", text, sender=next(names),
                channel=next(names), metadata={"x": text},
                tool_calls=(ToolCall(next(names), {text: text}, "c"),) if n % 2 == 0 else (),
                tool_results=(ToolResult(text, "c"),) if n % 7 == 1 else (),
                trust="external" if n % 5 == 1 else None,
            )
            for n, text in enumerate(PAYLOADS)
        ],
        topics={"talk": next(names)}, project=next(names),
    )  # fmt: skip
    mind.record_many(
        [NewTurn(next(names), "user", f"I live in house {n}", at=NOON) for n in range(LATER)]
    )
    turns = [turn.id for turn in mind.turns(session="talk", limit=300)]
    plant_many(mind, PAYLOADS, sources=turns[:3])
    for n in range(LATER):
        said = mind.remember(
            f"{n} {next(names)}", kind="fact", subject=next(names), predicate=next(names),
            value=next(names), project=next(names), topic=next(names), tags=[next(names)],
            metadata={next(names): ALL[:1500]}, sources=turns[n : n + 1],
        )  # fmt: skip
        if said.memory is not None:
            mind.edit(said.id, text=f"{n} {next(names)} {next(names)}")
        mind.propose(Candidate("rule", f"Always {next(names)}", trust="external", confidence=0.6))
        mind.emit("host.x", {next(names): next(names)}, subject=next(names))
        mind.note_failure(next(names), next(names))
        mind.record_usage(purpose=next(names), model=next(names), input_tokens=1, output_tokens=1)
        mind.attach(f"/x/{next(names)}", size=1, description=next(names), tags=[next(names)])
    mind.add_many({
        **{f"e{n}": NewEpisode("talk", next(names), NOON, goal=next(names), entities=[next(names)],
                               tools=[next(names)], tags=[next(names)]) for n in range(LATER)},
        **{f"d{n}": NewDailyEvent(NOON.date(), next(names)) for n in range(LATER)},
    })  # fmt: skip
    mind.write_scratchpad("## Current focus\n" + "\n".join(f"- {one}" for one in PAYLOADS))
    mind.sync()
    place = mind.documents_folder
    assert place is not None
    (place / "USER.md").write_text("\n".join(PAYLOADS), "utf-8")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("hostile")
    clock = ManualClock(NOON)
    with serving(folder, clock, model=HostileModel(), **{**SETTINGS, **ROOM}) as running:
        mind = running.engine.mind("default")
        infect(mind)
        shutil.rmtree(folder / "conversation_history", ignore_errors=True)
        (folder / "conversation_history").write_text("in the way")
        mind.drain()
        clock.advance(hours=1)
        mind.drain()
        running.engine.mind(NAME).remember("x", kind="fact")
        yield running


def harmless(visit: Watched) -> None:
    page = visit.page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.mouse.move(400, 300)
    assert page.evaluate("window.hit") is None
    foreign = "main :is(script, img, iframe, object, embed, video, audio, link, style, base, meta)"
    assert page.locator(foreign).count() == 0
    handlers = (
        "[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes])"
        ".filter((one) => one.name.startsWith('on') || /^\\s*javascript:/i.test(one.value)"
        " && one.name !== 'aria-label' && one.name !== 'value').length"
    )
    assert page.evaluate(handlers) == 0
    assert visit.wrongs == []


def seen(page: Page, selector: str) -> set[str]:
    return set(page.locator(selector).all_text_contents())


def test_turns(visit: Watched) -> None:
    page = visit.open("timeline/talk")
    for _ in range(4):
        page.get_by_role("button", name="Later messages").click()
        harmless(visit)
    expect(page.locator(".turn")).to_have_count(300)
    assert set(PAYLOADS) <= seen(page, ".turn > .prose")


# Rows are drawn in the frame after the one that scrolls.
SCROLL = """(one, top) => new Promise((done) => {
  one.scrollTop = top;
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""


def test_memories(visit: Watched) -> None:
    page = visit.open("memories?order=oldest")
    listed = page.locator(".virtual-list")
    found: set[str] = set()
    for top in range(0, 330 * 68, 9 * 68):
        listed.evaluate(SCROLL, top)
        page.wait_for_selector(".row .ghost", state="detached")
        found |= seen(page, ".row-text")
    assert set(PAYLOADS) <= found
    harmless(visit)


def test_one_memory_with_all_its_fields(visit: Watched, served: Running) -> None:
    mind = served.engine.mind("default")
    for memory in [*mind.memories(limit=2), *mind.memories(order="oldest", limit=1)]:
        page = visit.open(f"memories/{memory.id}")
        expect(page.locator(".memory h2")).to_have_text(memory.text)
        expect(page.locator(".memory .turn.at").first).to_be_visible()
        harmless(visit)
        page.click(".memory [data-action=edit]")
        assert page.input_value("textarea[name=text]") == memory.text
        page.keyboard.press("Escape")


def test_every_page_is_harmless(visit: Watched) -> None:
    for where in PLACES:
        page = visit.open(where)
        if page.locator(".page.audit, .page.forget").count():
            page.locator("main .primary").first.click()
            page.wait_for_selector("text=Loading…", state="detached", timeout=60_000)
            expect(page.locator(".card").nth(1)).to_be_visible()
        for button in page.locator(".hit button[aria-expanded=false]").all()[:1]:
            button.click()
            expect(page.locator(".turn.at").first).to_be_visible()
        harmless(visit)


def test_conversations_and_errors_have_hostile_names(visit: Watched, served: Running) -> None:
    """Ids of sessions, what a model said when it failed, and the name of a token."""
    mind = served.engine.mind("default")
    hostile = [one.id for one in mind.sessions(limit=1_000) if one.id != "talk"]
    assert len(hostile) > LATER // 2
    for session in hostile[:3]:
        page = visit.open(f"timeline/{quote(session, safe='')}")
        expect(page.locator(".turn")).to_have_count(1)
        harmless(visit)
    failed = [job.error for job in mind.jobs(limit=1_000) if job.error]
    assert any(payload in error for error in failed for payload in PAYLOADS)
    for state in ("", "?state=dead", "?state=pending"):
        visit.open(f"jobs{state}")
        harmless(visit)
    visit.log_in(served.tokens.add(NAME, "admin", ["*"])[0])
    harmless(visit)


def test_a_space_has_a_hostile_name(visit: Watched) -> None:
    page = visit.open("overview")
    page.select_option("#space", NAME)
    expect(page.locator(".tile-value").first).to_have_text("1")
    harmless(visit)
