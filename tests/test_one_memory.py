"""One memory at a time: said twice it is one; get, edit, archive, delete; filters; own kinds."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from mnemic import Candidate, ConfigError, Conflict, InvalidInput, Mind, NotFound
from mnemic.clock import ManualClock
from mnemic.types import OwnKind
from tests.conftest import NOON, OpenMind

BERLIN: dict[str, Any] = {"subject": "user", "predicate": "lives in", "value": "Berlin"}
SPOKEN = [
    ("I moved to Berlin. I like jazz.", "jazz", "Berlin"),
    ("我住在杭州。我喜欢爵士乐。", "爵士", "杭州"),
]


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    return open_mind(":memory:", memory={"kinds": {"recipe": {"importance": 0.7, "life": "90d"}}})


def contents(mind: Mind, **query: Any) -> list[str]:
    return [memory.text for memory in mind.memories(**query)]


def learned(mind: Mind, text: str) -> None:
    """Say it, and learn from it by the rules."""
    mind.record(session="s", role="user", text=text)
    mind.before_compression("s")
    mind.drain()


# --- through the one reconciler -------------------------------------------------------------------


@pytest.mark.feature("M4")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user drinks green tea", "the user drinks green tea."),
        ("用户每天喝绿茶", "用户每天喝绿茶。"),
    ],
)
def test_saying_it_twice_is_one_memory_by_whichever_way(mind: Mind, one: str, other: str) -> None:
    first = mind.remember(one, kind="preference")
    assert (first.outcome, first.replaced) == ("new", ())
    again = mind.remember(other, kind="fact", metadata={"seen": 2})
    proposed = mind.propose(Candidate("fact", one, trust="agent"))
    assert [again.outcome, proposed.outcome] == ["same", "same"]
    assert first.id == again.id == proposed.id
    (memory,) = mind.memories()
    assert (memory.text, memory.confirmations, dict(memory.metadata)) == (one, 1, {"seen": 2})
    assert mind.remember(one, kind="fact", project="other").outcome == "new"
    assert mind.remember(one, kind="fact", subject="Ann").outcome == "same", "the user is not named"
    about = [mind.remember("likes it", kind="fact", subject=who).outcome for who in ("Ann", "Bob")]
    assert about == ["new", "new"]


def test_what_differs_in_a_word_that_tells_is_another(mind: Mind) -> None:
    """A statement on request is never lost to one that is only like it."""
    table = "in the kitchen of the old house by the harbour there is a green wooden"
    for thing in ("chair", "sofa"):
        assert mind.remember(f"{table} {thing}", kind="fact").outcome == "new"
    for number in (1, 2):
        assert mind.remember(f"version {number} of the plan", kind="fact").outcome == "new"


@pytest.mark.feature("M4")
def test_another_answer_to_one_question(mind: Mind) -> None:
    """The owner's later word holds at once, however often the earlier one was said."""
    home = mind.remember("lives in Berlin", kind="identity", **BERLIN)
    for _ in range(3):
        mind.remember("lives in Berlin", kind="identity", **BERLIN)
    moved = mind.remember("住在巴黎", kind="identity", subject="我", predicate="住在", value="巴黎")
    assert (moved.outcome, moved.replaced) == ("conflict", (home.id,))
    assert contents(mind) == ["住在巴黎"]
    page = mind.remember(
        "lives in Rome", kind="identity", trust="external", **{**BERLIN, "value": "Rome"}
    )
    assert (page.outcome, page.reason) == ("pending", "it contradicts what the owner said")
    assert contents(mind) == ["住在巴黎"]
    asked = mind.propose(Candidate("fact", "The dog is afraid of thunder", trust="external"))
    mind.ignore(asked.id)
    agent = mind.remember("The dog is afraid of thunder", kind="fact", trust="agent")
    assert (agent.outcome, agent.reason) == ("dropped", "the user ignored it before")
    assert mind.remember("The dog is afraid of thunder", kind="fact").outcome == "new"


def test_the_next_version_has_what_it_does_not_say(mind: Mind) -> None:
    old = mind.remember(
        "lives in Berlin", kind="identity", project="home", topic="city", tags=["a"],
        metadata={"crm": 7}, importance=0.9, **BERLIN,
    )  # fmt: skip
    new = mind.remember("lives in Rome", kind="identity", supersedes=old.id).memory
    assert new is not None
    assert (new.subject, new.predicate, new.value) == ("user", "lives in", "")
    assert (new.project, new.topic, new.tags) == ("home", "city", ("a",))
    assert (new.importance, dict(new.metadata)) == (0.9, {"crm": 7})
    assert mind.get(old.id).superseded_by == new.id


def test_a_proposal_without_a_confidence_is_kept(mind: Mind) -> None:
    assert mind.propose(Candidate("fact", "The office is on floor 3")).outcome == "new"
    assert mind.propose(Candidate("fact", "办公室在三楼", trust="external")).outcome == "pending"


def test_the_same_secret_is_one_credential(mind: Mind) -> None:
    about: dict[str, Any] = {"kind": "credential", "subject": "wifi"}
    first = mind.remember("open-sesame-9", **about)
    assert mind.remember("open-sesame-9", **about).id == first.id
    assert mind.remember("another-one-7", **about).outcome == "new"
    tagged = mind.edit(first.id, tags=["home"])
    assert mind.reveal(tagged.id) == "open-sesame-9"
    changed = mind.edit(tagged.id, text="changed-3")
    assert mind.reveal(changed.id) == "changed-3"
    with pytest.raises(InvalidInput):
        mind.edit(changed.id, kind="fact")


# --- get, edit ------------------------------------------------------------------------------------


def test_an_edit_is_a_new_version_with_its_slot(mind: Mind, clock: ManualClock) -> None:
    turn = mind.record(session="s", role="user", text="I live in Berlin")
    old = mind.remember("lives in Berlin", kind="fact", trust="agent", sources=[turn.id], **BERLIN)
    clock.advance(days=1)
    tagged = mind.edit(old.id, tags=["city"], metadata={"crm": 7}, importance=0.9)
    assert (tagged.text, tagged.trust, tagged.sources[0].turn_id) == (
        "lives in Berlin", "agent", turn.id,
    )  # fmt: skip
    assert mind.get(old.id).status == "superseded"
    edited = mind.edit(tagged.id, text="lives in Potsdam", value="Potsdam", expires_at="2027-01-01")
    assert (edited.subject, edited.predicate, edited.value) == ("user", "lives in", "Potsdam")
    assert (edited.tags, dict(edited.metadata), edited.importance) == (("city",), {"crm": 7}, 0.9)
    assert (edited.trust, edited.sources, edited.valid_from) == ("owner", (), NOON)
    lasting = mind.edit(edited.id, expires_at="never", valid_from="2020-01-01", operation_id="op")
    assert (lasting.expires_at, lasting.valid_from.year) == (None, 2020)
    assert mind.edit(edited.id, expires_at="never", operation_id="op") == lasting
    assert mind.edit(lasting.id, importance=0.9) == lasting, "nothing differs"
    assert [version.id for version in mind.history(old.id).versions] == [
        old.id, tagged.id, edited.id, lasting.id,
    ]  # fmt: skip
    assert contents(mind) == ["lives in Potsdam"]


def test_an_edit_into_what_is_known_joins_it(mind: Mind) -> None:
    tea = mind.remember("likes tea", kind="preference")
    other = mind.remember("likes te", kind="preference")
    assert mind.edit(other.id, text="likes tea").id == tea.id
    assert contents(mind) == ["likes tea"]
    assert mind.get(other.id).superseded_by == tea.id


def test_an_edit_of_what_waits_puts_it_into_force(mind: Mind) -> None:
    asked = mind.propose(Candidate("rule", "Always deploy on Fridays", trust="agent"))
    edited = mind.edit(asked.id, text="Never deploy on Fridays")
    assert (edited.status, edited.trust) == ("active", "owner")
    assert (mind.pending(), mind.get(asked.id).status) == ([], "archived")


def test_what_cannot_be_edited_says_why(mind: Mind) -> None:
    old = mind.remember("likes tea", kind="fact")
    mind.edit(old.id, text="likes coffee")
    with pytest.raises(Conflict):
        mind.edit(old.id, text="likes milk")
    with pytest.raises(NotFound):
        mind.edit("nobody", text="x")
    with pytest.raises(NotFound):
        mind.get("nobody")
    current = mind.memories()[0].id
    for wrong in ({"importance": 2}, {"kind": "gossip"}, {"metadata": {"a": "x" * 5_000}},
                  {"text": " "}, {"metadata": {1: 2}}, {"tags": "one"}):  # fmt: skip
        with pytest.raises(InvalidInput):
            mind.edit(current, **wrong)
    with pytest.raises(TypeError):
        mind.edit(current, status="archived")  # type: ignore[call-arg]


# --- delete ---------------------------------------------------------------------------------------


@pytest.mark.feature("N7")
@pytest.mark.parametrize(("said", "deleted", "kept"), SPOKEN)
def test_a_deleted_memory_is_not_learned_again_from_its_turns(
    open_mind: OpenMind, said: str, deleted: str, kept: str
) -> None:
    mind = open_mind()
    learned(mind, said)
    (memory,) = mind.memories(text=deleted)
    assert mind.delete(memory.id).text == memory.text
    assert mind.turns(session="s")[0].text == said
    assert (mind.memories(text=deleted), len(mind.memories(text=kept))) == ([], 1)
    assert all(hit.id != memory.id for hit in mind.recall(deleted, of=["memory"]))
    past = mind.history(memory.id)
    assert (past.versions, [event.type for event in past.events]) == ((), ["delete"])
    assert deleted not in str(past.events)
    with mind._store.write("default") as unit:  # as when an upgrade reads everything again
        unit.eraser.learn_again([turn.id for turn in mind.turns()])
    mind.upkeep("daily")
    assert mind.memories(text=deleted) == []
    assert [event.payload["settled"] for event in mind.events(type="drop")]
    mind.record(session="t", role="user", text=said)
    mind.before_compression("t")
    assert len(mind.memories(text=deleted)) == 1, "said once more, it is learned"
    assert [finding for finding in mind.doctor() if not finding.ok] == []
    with pytest.raises(NotFound):
        mind.delete(memory.id)


def test_deleting_takes_every_version_and_the_bullet(open_mind: OpenMind) -> None:
    mind = open_mind()
    old = mind.remember("likes green tea", kind="preference", importance=0.9)
    new = mind.edit(old.id, text="likes white tea")
    mind.remember("likes jazz", kind="preference", importance=0.9)
    mind.sync()
    assert mind.documents_folder is not None
    document = mind.documents_folder / "MEMORY.md"
    assert "white tea" in document.read_text("utf-8")
    mind.delete(new.id)
    assert "white tea" not in document.read_text("utf-8")
    mind.sync()
    assert contents(mind) == ["likes jazz"]
    assert [event.type for event in mind.history(old.id).events] == ["delete"]
    assert mind.memories(status="all", text="tea") == []


# --- lists ----------------------------------------------------------------------------------------


def test_filters_order_and_paging(mind: Mind, clock: ManualClock) -> None:
    def add(text: str, **given: Any) -> str:
        clock.advance(hours=1)
        return mind.remember(text, **{"kind": "fact", **given}).id

    home = add("lives in Berlin", topic="city", tags=["a", "家"], importance=0.9, **BERLIN)
    tea = add("爱喝绿茶 Tea", subject="用户", predicate="喜欢", value="茶", metadata={"n": 3})
    page = add("The port is 80", trust="external", project="web", metadata={"n": 4, "ok": True})
    soup = add("Boil the soup", kind="recipe", tags=["家"], metadata={"n": "3", "by": None})
    gone = add("was archived")
    mind.archive(gone)
    mind.recall("Boil the soup")
    mind.drain()
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, [soup, page, tea, home]),
        ({"kind": "recipe"}, [soup]),
        ({"project": "web"}, [page]),
        ({"topic": "city"}, [home]),
        ({"subject": "User"}, [tea, home]),
        ({"subject": "我", "predicate": "likes"}, [tea]),
        ({"predicate": "住在"}, [home]),
        ({"tag": "家"}, [soup, home]),
        ({"trust": "external"}, [page]),
        ({"text": "TEA"}, [tea]),
        ({"text": "绿茶"}, [tea]),
        ({"metadata": {"n": 3}}, [soup, tea]),
        ({"metadata": {"n": 4, "ok": True}}, [page]),
        ({"metadata": {"by": None}}, [soup]),
        ({"metadata": {"n": 5}}, []),
        ({"status": "archived"}, [gone]),
        ({"status": "all", "limit": 2}, [gone, soup]),
        ({"since": NOON + timedelta(hours=3)}, [soup, page]),
        ({"until": NOON + timedelta(hours=2)}, [home]),
        ({"as_of": NOON + timedelta(hours=2)}, [tea, home]),
        ({"order": "oldest", "limit": 2, "offset": 1}, [tea, page]),
        ({"order": "importance", "limit": 2}, [home, soup]),
        ({"order": "used", "limit": 1}, [soup]),
    ]  # fmt: skip
    for query, expected in cases:
        assert [memory.id for memory in mind.memories(**query)] == expected, query
    for wrong in ({"order": "best"}, {"status": "lost"}, {"offset": -1}, {"kind": "gossip"},
                  {"metadata": {"n": [1]}}, {"limit": "2"}, {"since": "once"}):  # fmt: skip
        with pytest.raises(InvalidInput):
            mind.memories(**wrong)
    with pytest.raises(TypeError):
        mind.memories(flavour="sweet")  # type: ignore[call-arg]


# --- kinds of one's own ---------------------------------------------------------------------------


@pytest.mark.setting("memory.kinds.<name>.importance", "memory.kinds.<name>.life")
def test_a_kind_of_ones_own(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(memory={"kinds": {"recipe": {"importance": 0.7, "life": "90d"}, "笔记": {}}})
    soup = mind.remember("Boil the soup for an hour", kind="recipe").memory
    assert soup is not None
    assert (soup.importance, soup.expires_at) == (0.7, clock.now() + timedelta(days=90))
    note = mind.remember("周三去图书馆", kind="笔记").memory
    assert note is not None
    assert (note.importance, note.expires_at) == (0.5, None)
    proposed = mind.propose(Candidate(OwnKind("recipe"), "Bake the bread at 220 degrees"))
    assert proposed.memory is not None
    assert (proposed.memory.importance, proposed.memory.expires_at) == (0.7, soup.expires_at)
    assert {hit.text for hit in mind.recall("soup", kind="recipe")} >= {soup.text}
    mind.sync()
    assert mind.documents_folder is not None
    assert "周三去图书馆" in (mind.documents_folder / "MEMORY.md").read_text("utf-8")
    for wrong in ("gossip", ""):
        if wrong:  # without a kind one is read from the words
            with pytest.raises(InvalidInput, match=r"memory\.kinds"):
                mind.remember("x", kind=wrong)
        with pytest.raises(InvalidInput, match=r"memory\.kinds"):
            mind.propose(Candidate(OwnKind(wrong), "x"))
    clock.advance(days=91)
    mind.upkeep("daily")
    assert contents(mind, kind="recipe") == []


@pytest.mark.parametrize("name", ["fact", "all", "two words", "x" * 41])
def test_a_kind_has_a_plain_name_of_its_own(open_mind: OpenMind, name: str) -> None:
    with pytest.raises(ConfigError, match=r"memory\.kinds"):
        open_mind(":memory:", memory={"kinds": {name: {}}})
