"""Forgetting: what goes, what stays, what is told in other words, and the receipt."""

from __future__ import annotations

import dataclasses
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mnemic
from mnemic import Candidate, InvalidInput, Mind, NotFound
from mnemic.clock import ManualClock
from mnemic.plain import plain
from mnemic.store.contract import Store
from mnemic.types import Finding, Receipt, Turn, constant
from tests.conftest import NOON, OpenMind
from tests.settling import Learning, likes

pytestmark = pytest.mark.feature("N7")


def say(mind: Mind, text: str, session: str = "s", **fields: str) -> Turn:
    return mind.record(session=session, role="user", text=text, **fields)  # type: ignore[arg-type]


def store_of(mind: Mind) -> Store:
    return mind._store


def wrong(mind: Mind, receipt: Receipt | str | None = None) -> list[Finding]:
    return [finding for finding in mind.doctor(forgotten=receipt) if not finding.ok]


# --- what is asked for ---------------------------------------------------------------------------


def test_a_preview_lists_everything_and_removes_nothing(mind: Mind) -> None:
    turn = say(mind, "I live in Lisbon")
    memory = mind.remember("lives in Lisbon", kind="fact", sources=[turn.id])
    before = mind.stats()
    preview = mind.forget(id=turn.id, dry_run=True)
    assert preview.dry_run
    assert [(i.kind, i.id, i.change) for i in preview.items] == [
        ("turn", turn.id, "removed"),
        ("memory", memory.id, "removed"),
    ]
    assert all(item.reason for item in preview.items)
    assert preview.items[0].text == "I live in Lisbon"
    assert (preview.counts, preview.key, preview.words) == ({"turn": 1, "memory": 1}, "", ())
    assert mind.stats() == before
    assert mind.forget(id=turn.id).counts == preview.counts


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"id": "x", "query": "y"},
        {"id": "x", "since": NOON},
        {"query": "  "},
        {"query": "!?…"},
        {"since": NOON, "until": NOON - timedelta(days=1)},
        {"source": "nobody"},
        {"source": "trust:stranger"},
    ],
)
def test_a_request_that_is_not_clear_is_refused(mind: Mind, asked: dict[str, Any]) -> None:
    say(mind, "tea")
    with pytest.raises(InvalidInput):
        mind.forget(**asked)
    assert mind.stats().turns == 1


def test_what_is_not_there_is_forgotten_already(mind: Mind) -> None:
    say(mind, "tea")
    receipt = mind.forget(query="coffee")
    assert (receipt.counts, receipt.marks) == ({}, ())
    assert wrong(mind, receipt) == []
    assert mind.forget(id="0199aaaa-0000-7000-8000-000000000000").counts == {}
    with pytest.raises(NotFound):
        mind.forget(source="turn:0199aaaa-0000-7000-8000-000000000000")


def test_words_are_whole_words_in_a_row(mind: Mind) -> None:
    said = ["Ann is here", "Planning is here", "is Ann here", "ＡＮＮ IS away", "安妮在这里"]
    turns = [say(mind, text) for text in said]
    assert mind.forget(query="ann is").counts == {"turn": 2}
    assert [t.id for t in mind.turns()] == [turns[1].id, turns[2].id, turns[4].id]
    assert mind.forget(query="安妮").counts == {"turn": 1}


def test_by_sender_trust_session_and_time(mind: Mind, clock: ManualClock) -> None:
    say(mind, "from eve", sender="eve")
    say(mind, "from a stranger", "b", trust="external")
    clock.advance(days=1)
    middle = clock.now()
    say(mind, "tomorrow", "c")
    clock.advance(days=1)
    say(mind, "the day after", "d")
    say(mind, "the day after that", "c")
    assert mind.forget(source="sender:eve").counts == {"turn": 1}
    assert mind.forget(source="trust:external").counts == {"turn": 1}
    assert mind.forget(since=middle, until=middle + timedelta(hours=1)).counts == {"turn": 1}
    assert mind.forget(session="c", since=clock.now() - timedelta(hours=1)).counts == {"turn": 1}
    assert [turn.text for turn in mind.turns()] == ["the day after"]
    assert [session.id for session in mind.sessions()] == ["d"], "empty ones go"


# --- what goes with it ---------------------------------------------------------------------------


def test_a_memory_that_others_said_too_stays_without_the_source(mind: Mind) -> None:
    first, second = say(mind, "I like tea"), say(mind, "tea is what I like", "t")
    both = mind.remember("likes tea", kind="preference", sources=[first.id, second.id])
    mind.forget(id=first.id)
    (left,) = mind.memories()
    assert (left.id, [s.turn_id for s in left.sources]) == (both.id, [second.id])


def test_unless_it_has_words_that_only_the_forgotten_turn_has(
    mind: Mind, clock: ManualClock
) -> None:
    first = say(mind, "I live in Lisbon near the Alfama")
    second = say(mind, "I live in Lisbon", "t")
    mind.drain()
    mind.remember("lives in Lisbon, Alfama", kind="fact", sources=[first.id, second.id])
    receipt = mind.forget(id=first.id)
    clock.advance(hours=1)
    mind.drain()  # the other turn is learned from again
    assert all("Alfama" not in memory.text for memory in mind.memories())
    assert any("Lisbon" in memory.text for memory in mind.memories())
    assert wrong(mind, receipt) == []


def test_a_memory_takes_along_its_versions_its_turns_and_what_has_no_other_source(
    mind: Mind,
) -> None:
    turn = say(mind, "I moved to Porto, and my dog is called Rex")
    other = say(mind, "Rex is my dog, and the weather is fine")
    old = mind.remember("lives in Braga", kind="fact", subject="user", predicate="lives in")
    home = mind.remember("lives in Porto", kind="fact", subject="user", predicate="lives in",
                         value="Porto", sources=[turn.id], supersedes=old.id)  # fmt: skip
    same = mind.remember("Porto is home", kind="fact", sources=[turn.id])
    moved = mind.remember("moved house this year", kind="event", sources=[turn.id])
    dog = mind.remember("my dog is Rex", kind="fact", sources=[turn.id, other.id])
    preview = mind.forget(id=home.id, dry_run=True)
    named = {item.id: item.reason for item in preview.items if item.change == "removed"}
    assert named[moved.id] == named[same.id] == "it was learned from what is forgotten"
    receipt = mind.forget(id=home.id)
    assert receipt.counts == preview.counts == {"memory": 4, "turn": 1, "memory rewritten": 1}
    (left,) = mind.memories()
    assert (left.id, [s.turn_id for s in left.sources]) == (dog.id, [other.id])
    assert [t.id for t in mind.turns()] == [other.id]
    for gone in (old, home, same, moved):
        with pytest.raises(NotFound):
            mind.history(gone.id)
    assert wrong(mind, receipt) == []


def test_no_memory_is_left_without_a_source_by_forgetting_another(mind: Mind) -> None:
    turn = say(mind, "我叫周宁，住在厦门，对虾过敏，养了一只叫豆包的猫")
    mind.drain()
    for text in ("对虾过敏", "住在厦门", "养了一只叫豆包的猫"):
        mind.remember(text, kind="fact", sources=[turn.id])
    first, *_ = mind.memories()
    receipt = mind.forget(id=first.id)
    assert (mind.memories(status="all"), mind.turns()) == ([], [])
    assert receipt.counts["memory"] >= 3
    assert wrong(mind, receipt) == []


@pytest.mark.parametrize(
    ("type_", "subject", "query"),
    [
        ("host.order-for-kowalski", "", "Kowalski"),
        ("host.deployed", "Kowalski Holdings", "kowalski"),
        ("host.客户王小明下单", "订单 7", "王小明"),
        ("host.ordered", "客户 王小明", "王小明"),
    ],
)
def test_a_query_renames_type_and_subject_of_the_hosts_own_events(
    open_mind: OpenMind, type_: str, subject: str, query: str
) -> None:
    rule = {"event": type_, "actions": ["notify"]}
    mind = open_mind(events={"rules": {"tell": rule}})
    mind.emit(type_, {"sum": 12}, subject=subject)
    mind.emit("host.unrelated", {}, subject="weather")
    mind.drain()
    assert len(mind.events(type="notice")) == 1
    mind.emit(type_, {"sum": 13}, subject=subject)  # and work of the rule that is still to be done
    receipt = mind.forget(query=query)
    assert receipt.counts["host renamed"] >= 1
    assert query.casefold() not in repr((mind.events(limit=100), mind.jobs())).casefold()
    assert [e.subject for e in mind.events(type="host.unrelated")] == ["weather"]
    mind.drain()
    assert len(mind.events(type="notice")) == 2, "the rule still finds its event"
    assert query.casefold() not in repr((mind.events(limit=100), mind.jobs())).casefold()
    assert wrong(mind, receipt) == []


def test_what_was_replaced_by_something_forgotten_does_not_come_back(
    mind: Mind, clock: ManualClock
) -> None:
    first = mind.remember("uses Python 3.10", kind="config")
    clock.advance(days=1)
    turn = say(mind, "now 3.12")
    second = mind.remember("uses Python 3.12", kind="config", sources=[turn.id],
                           supersedes=first.id)  # fmt: skip
    clock.advance(days=1)
    third = mind.remember("uses Python 3.13", kind="config", supersedes=second.id)
    mind.forget(id=turn.id)
    assert [m.id for m in mind.memories()] == [third.id]
    assert [v.id for v in mind.history(third.id).versions] == [first.id, third.id]
    mind.forget(source=f"turn:{say(mind, 'x').id}")
    assert [m.id for m in mind.memories()] == [third.id]


def test_an_episode_is_told_anew_of_what_is_left(mind: Mind, clock: ManualClock) -> None:
    said = [
        say(mind, "Please book a table at Noma for Friday"),
        say(mind, "Please fix the printer"),
    ]
    clock.advance(minutes=1)
    mind.record(session="s", role="assistant", text="The printer prints again")
    mind.end_session("s")
    mind.drain()
    (before,) = mind.episodes()
    assert "Noma" in before.summary
    mind.forget(id=said[0].id)
    (after,) = mind.episodes()
    assert after.id == before.id
    assert "Noma" not in after.summary + after.goal + " ".join(after.entities)
    assert "printer" in after.summary
    assert [hit.id for hit in mind.recall("printer", of=["episode"])] == [after.id]
    mind.forget(session="s")
    assert mind.episodes() == []


def test_daily_events_and_the_scratchpad_lose_only_their_lines(
    mind: Mind, clock: ManualClock
) -> None:
    turn = say(mind, "Our password policy needs review")
    say(mind, "The lawn is green")
    mind.write_scratchpad("## Next steps\n- review the password policy\n- mow the lawn\n")
    clock.advance(hours=1)
    mind.drain()
    (event,) = mind.daily_events()
    assert "policy" in event.summary
    mind.forget(id=turn.id)
    (event,) = mind.daily_events()
    assert event.summary == "The lawn is green"
    assert mind.scratchpad().next_steps == ("mow the lawn",)
    told = json.dumps([plain(e.payload) for e in mind.events(limit=1000)])
    assert "policy" not in told
    assert "scratchpad" in {e.type for e in mind.events(limit=1000)}, "the event itself stays"


def test_pending_statements_go_with_their_turns(mind: Mind, clock: ManualClock) -> None:
    learning = Learning(mind, clock)
    turn = learning.say("perhaps I like oysters")
    learning.settle(likes("oysters", confidence=0.7, sources=(turn.id,)))
    assert mind.pending(offer=True)
    mind.forget(id=turn.id)
    assert (mind.pending(offer=True), learning.all()) == ([], [])


# --- what is done afterwards is not confused by it -----------------------------------------------


def test_a_new_record_in_the_place_of_a_forgotten_one_is_not_overlooked(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    """Document numbers are given again, so no mark of finished work may stand above them."""
    mind = open_mind(embedding__provider="local", ledger__jsonl=True)
    say(mind, "I live in Oslo")
    last = say(mind, "My cat is called Mia")
    clock.advance(hours=1)
    mind.drain()
    mind.forget(id=last.id)
    again = say(mind, "My dog is called Rex")
    clock.advance(hours=1)
    mind.drain()
    (turn,) = [t for t in mind.turns() if t.id == again.id]
    assert turn.state == "extracted"
    assert turn.index == 2, "places in a session are not given again"
    assert mind.stats().unembedded == 0
    assert any("Rex" in memory.text for memory in mind.memories())
    assert any("Rex" in event.summary for event in mind.daily_events())
    (hit, *_) = mind.recall("what is the dog called")
    assert "Rex" in hit.text
    assert "vector" in {
        route for h in mind.recall("puppy", min_score=0.0) for route in h.why.routes
    }
    with store_of(mind).read("default") as unit:
        assert unit.ledger.list_untranscribed(constant("s")) == []
    assert wrong(mind) == []


def test_the_running_conversation_forgets_too(mind: Mind) -> None:
    say(mind, "the color is heliotrope")
    say(mind, "what a fine day")
    assert "heliotrope" in mind.context("so?", session="s").text
    mind.forget(query="heliotrope")
    assert "heliotrope" not in mind.context("so?", session="s").text
    say(mind, "and now?")
    assert "heliotrope" not in mind.context("so?", session="s").text


def test_the_jsonl_copy_is_written_anew(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind(ledger__jsonl=True)
    gone, stays = say(mind, "one heliotrope"), say(mind, "two")
    mind.drain()
    (file,) = tmp_path.glob("conversation_history/*.jsonl")
    assert len(file.read_text().splitlines()) == 2
    mind.forget(id=gone.id)
    assert not file.exists()
    mind.drain()
    (line,) = file.read_text().splitlines()
    assert json.loads(line)["id"] == stays.id
    say(mind, "three")
    mind.drain()
    assert len(file.read_text().splitlines()) == 2


# --- receipts ------------------------------------------------------------------------------------


def test_a_receipt_is_frozen_and_holds_no_word(mind: Mind) -> None:
    say(mind, "the heliotrope grows in Lisbon")
    receipt = mind.forget(query="heliotrope")
    told = json.dumps(plain(receipt))
    for word in ("heliotrop", "lisbon", "grows"):
        assert word not in told.lower()
    with pytest.raises(dataclasses.FrozenInstanceError):
        receipt.id = constant("")  # type: ignore[misc]
    assert receipt.asked == "query"
    kept = json.dumps([plain(e) for e in mind.events(type="forget")])
    assert receipt.key not in kept, "the memory keeps the counts, not what could be guessed with"


@pytest.mark.sqlite_file("its bytes are searched; of a server rows, names and index are")
def test_a_receipt_finds_what_is_still_there(mind: Mind) -> None:
    turn = say(mind, "the heliotrope grows in Lisbon")
    receipt = mind.forget(id=turn.id)
    assert wrong(mind, receipt) == []
    with store_of(mind).write("default") as unit:  # somebody brings it back behind our back
        unit.journal.add_event("odd", operation_id=constant("o"), subject=constant(""),
                               payload={"text": constant("a heliotrope")}, at=NOON)  # fmt: skip
    store_of(mind).settle()
    found = wrong(mind, plain_json(receipt))
    assert [f.check for f in found] == ["forgotten: memory.db"]
    assert "heliotrope" not in found[0].detail


def plain_json(receipt: Receipt) -> str:
    return json.dumps(plain(receipt))


def test_what_is_said_again_later_is_no_leftover(mind: Mind, clock: ManualClock) -> None:
    receipt = mind.forget(id=say(mind, "the heliotrope grows in Lisbon").id)
    clock.advance(days=1)
    say(mind, "the heliotrope grows in Lisbon")
    findings = mind.doctor(forgotten=receipt)
    assert [f for f in findings if "forgotten" in f.check and not f.ok] == []
    assert any("1 said again since" in f.detail for f in findings)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"id": 1}', "nonsense", "[" * 100_000])
def test_what_is_no_receipt_is_refused(mind: Mind, text: str) -> None:
    with pytest.raises(InvalidInput, match="receipt"):
        mind.doctor(forgotten=text)


WORDS = st.sampled_from("tea milk rain snow cat dog 茶 雨 猫 喜欢 likes hates 下雪".split())


@settings(max_examples=25)
@given(
    texts=st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), min_size=1, max_size=6),
    query=WORDS,
)
def test_afterwards_nothing_has_the_words_and_all_else_is_there(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], query: str
) -> None:
    path = tmp_path_factory.mktemp("forget") / "m.db"
    with mnemic.open(path, worker="none", clock=ManualClock(NOON)) as mind:
        for place, text in enumerate(texts):
            say(mind, text, f"s{place % 2}")
            mind.propose(Candidate("fact", text, confidence=0.95))
        mind.drain()
        receipt = mind.forget(query=query)
        left = [turn.text for turn in mind.turns()]
        assert left == [text for text in texts if query not in text.split()]
        assert all(query not in memory.text.split() for memory in mind.memories())
        assert all(query not in hit.text.split() for hit in mind.recall(query))
        assert wrong(mind, receipt) == []
        assert mind.forget(query=query).counts == {}
