"""Recall when something is broken: what is left answers, an event names what failed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

import mnemic
from mnemic import Mind, NewMemory, NewTurn
from mnemic.clock import ManualClock
from tests.conftest import OpenMind, OpenTold, usual_target
from tests.inside import spoil, text_index
from tests.providers.scripted import Behavior, Scripted, hang_up, reply, silence, status
from tests.remote import meaning, remote, server, vectors
from tests.waiting import wait_for

__all__ = ["server"]

PRESETS = ["openakita", "shiyi"]
pytestmark = pytest.mark.feature("R7", preset=["openakita", "shiyi"])

ANSWER = "my cat is called Dumpling"
QUIET: dict[str, Any] = {"triggers__quiet_gap": "never", "ledger__jsonl": False}
LOCAL: dict[str, Any] = {"embedding": {"provider": "local"}, **QUIET}


def tell(mind: Mind, turns: int = 6) -> None:
    mind.record_many(
        [
            *(
                NewTurn(f"s{n}", "assistant", f"remark {n} on the weather in Oslo")
                for n in range(turns)
            ),
            NewTurn("cats", "user", ANSWER),
        ]
    )
    mind.remember("the user has a cat", kind="fact")
    mind.drain()


def tell_much(mind: Mind) -> None:
    tell(mind, 300)


def damage(mind: Mind, place: Path | str, *statements: str) -> None:
    """Break what nobody has open any more."""
    mind.close()
    spoil(place, *(statement.format(text_index=text_index(place)) for statement in statements))


def failures(mind: Mind) -> dict[str, str]:
    return {
        event.subject: str(event.payload["error"]) for event in mind.events(type="retrieval_fail")
    }


@pytest.fixture
def place(tmp_path: Path) -> Path | str:
    return usual_target(tmp_path)


A5 = "unhex(replace(hex(zeroblob(length({0}))), '00', 'a5'))"  # the same garbage for everyone
GARBAGE = f"UPDATE vectors SET vector = {A5.format('vector')}"
NOT_NUMBERS = "UPDATE vectors SET vector = unhex(replace(hex(zeroblob(256)), '00', 'ffffffff'))"
VECTORS = {
    "table gone": "DROP TABLE vectors",
    "garbage": GARBAGE,
    "not numbers": NOT_NUMBERS,
    "too short": "UPDATE vectors SET vector = x'00'",
    "one too long": "UPDATE vectors SET vector = CAST(vector || x'00' AS BLOB)",
    "embedders gone": "DROP TABLE embedders",
}
TEXT = {
    "index garbage": f"UPDATE text_index_data SET block = {A5.format('block')}",
    "index gone": "DROP TABLE {text_index}",
    "terms gone": "DROP TABLE text_terms",
    "terms garbage": "UPDATE text_terms SET packed = CAST(packed || x'00' AS BLOB)",
}


OF_FILE = pytest.mark.sqlite_file("bytes that a server's columns do not take")


def of_both(ways: dict[str, str]) -> list[Any]:
    """The ways, of which those that write garbage are a file's alone."""
    return [pytest.param(way, marks=() if "DROP" in ways[way] else OF_FILE) for way in ways]


@pytest.mark.parametrize("told", [tell, tell_much], ids=["scanned", "in memory"])
@pytest.mark.parametrize("how", of_both(VECTORS))
def test_broken_vectors_leave_the_words(
    open_mind: OpenMind,
    open_told: OpenTold,
    place: Path | str,
    how: str,
    told: Callable[[Mind], None],
) -> None:
    damage(open_told(told, **LOCAL), place, VECTORS[how])
    mind = open_mind(**LOCAL)
    for _ in range(2):
        assert mind.recall("what is my cat called")[0].text == ANSWER
    if how == "garbage" and told is tell:
        return  # these bytes are small numbers, all alike: near to nothing, and no harm
    assert set(failures(mind)) == {"route:vector"}
    assert "StoreDamaged" in failures(mind)["route:vector"]


@pytest.mark.statement("C50", "C51")
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("how", of_both(TEXT))
def test_a_broken_text_index_leaves_the_vectors(
    open_mind: OpenMind, place: Path | str, how: str, preset: str
) -> None:
    mind = open_mind(preset=preset, **LOCAL)
    tell(mind)
    damage(mind, place, TEXT[how])
    mind = open_mind(preset=preset, **LOCAL)
    hits = mind.recall("what is my cat called", of=["memory", "turn"])
    assert ANSWER in [hit.text for hit in hits[:3]]
    assert "vector" in hits[0].why.routes
    assert "StoreDamaged" in failures(mind)["route:text"]


@pytest.mark.statement("C50", "C51")
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("how", of_both(TEXT))
def test_with_both_gone_the_latest_is_left(
    open_mind: OpenMind, place: Path | str, how: str, preset: str
) -> None:
    mind = open_mind(preset=preset, **LOCAL)
    tell(mind)
    damage(mind, place, TEXT[how], "DROP TABLE vectors")
    mind = open_mind(preset=preset, **LOCAL)
    hits = mind.recall("what is my cat called", of=["memory", "turn"])
    assert ANSWER in [hit.text for hit in hits]
    assert {"route:text", "route:vector"} <= set(failures(mind))
    assert all({"latest", "recent", "slot"} & set(hit.why.routes) for hit in hits)
    of_turns = mind.recall("what is my cat called", of=["turn"], limit=3)
    assert len(of_turns) == 3
    assert "the user has a cat" in [hit.text for hit in mind.recall("cat", of=["memory"])]
    there = mind.recall("cat", of=["turn"], session="s3")
    assert {hit.session for hit in there} == {"s3"}


def test_what_cannot_be_weighed_gives_way_to_the_latest_turns(
    open_mind: OpenMind, place: Path | str
) -> None:
    """The search works, but nothing can be read of where memories came from."""
    mind = open_mind(embedding__provider="none")
    tell(mind)
    damage(mind, place, "DROP TABLE memory_sources")
    mind = open_mind(embedding__provider="none")
    hits = mind.recall("what is my cat called")
    assert ANSWER in [hit.text for hit in hits]
    assert {hit.type for hit in hits} == {"turn"}
    assert "StoreDamaged" in failures(mind)["route:rank"]
    with pytest.raises(mnemic.StoreDamaged, match=r"could read nothing.*memory_sources"):
        mind.recall("cat", of=["memory"])


def test_with_nothing_left_recall_says_so(open_mind: OpenMind, place: Path | str) -> None:
    """No evidence is not the same as evidence that cannot be read."""
    mind = open_mind(embedding__provider="none")
    tell(mind)
    damage(mind, place, "DROP TABLE sessions")
    mind = open_mind(embedding__provider="none")
    with pytest.raises(mnemic.StoreDamaged, match="could read nothing") as caught:
        mind.recall("what is my cat called")
    assert "mnemic doctor" in caught.value.remedy
    assert "StoreDamaged" in failures(mind)["route:rank"]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_file_in_order_leaves_no_event(open_mind: OpenMind, preset: str) -> None:
    mind = open_mind(preset=preset, **LOCAL)
    tell(mind)
    assert mind.recall("what is my cat called")
    assert mind.events(type="retrieval_fail") == []


def not_finite(texts: list[str]) -> list[list[float]]:
    return [[float("nan"), 0.0, 1.0] for _ in texts]


def too_long(texts: list[str]) -> list[list[float]]:
    return [[1.0, 0.0, 0.0, 0.0] for _ in texts]


SERVERS: dict[str, tuple[Callable[[], Behavior], str]] = {
    "fails": (lambda: status(500), "ModelUnavailable"),
    "refuses the key": (lambda: status(401), "ModelRefused"),
    "is busy": (lambda: status(429, retry_after="9"), "ModelRateLimited"),
    "says nothing": (lambda: silence, "ModelUnavailable"),
    "hangs up": (lambda: hang_up, "ModelUnavailable"),
    "answers no number": (lambda: vectors(not_finite), "BadVector"),
    "answers too much": (lambda: vectors(too_long), "BadVector"),
    "answers nonsense": (lambda: reply(b"<html>"), "ModelUnavailable"),
    "answers nothing": (lambda: reply({}), "BadVector"),
}


@pytest.mark.parametrize(
    ("how", "restarted"),
    [*((how, False) for how in SERVERS), ("fails", True), ("answers too much", True)],
)
def test_an_embedder_that_is_down_leaves_the_words(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, how: str, restarted: bool
) -> None:
    server.always(meaning({"cat": (1, 0, 0), "weather": (0, 1, 0)}))
    given = {**remote(server, timeout="300ms"), **QUIET}
    mind = open_mind(**given)
    tell(mind)
    assert "vector" in mind.recall("cat")[0].why.routes
    if restarted:
        mind.close()
        mind = open_mind(**given)
    make, error = SERVERS[how]
    server.always(make())
    hits = mind.recall("what is my cat called")
    assert hits[0].text == ANSWER
    assert all("vector" not in hit.why.routes for hit in hits)
    assert set(failures(mind)) == {"route:vector"}
    assert error in failures(mind)["route:vector"]
    server.always(meaning({"cat": (1, 0, 0)}))
    clock.advance(seconds=30)  # one that cannot be reached is left alone for so long
    wait_for(lambda: "vector" in mind.recall("cat again")[0].why.routes)


def test_a_server_that_was_never_there_is_no_failure_of_recall(
    open_mind: OpenMind, server: Scripted
) -> None:
    server.always(status(500))
    mind = open_mind(**remote(server))
    tell(mind)
    assert mind.recall("cat")[0].text in (ANSWER, "the user has a cat")
    assert mind.events(type="retrieval_fail") == [], "there are no vectors to ask for"
    (job,) = [job for job in mind.jobs() if job.kind == "embed"]
    assert "500" in job.error


def test_the_callers_own_mistakes_are_still_told(open_mind: OpenMind) -> None:
    mind = open_mind(**LOCAL)
    with pytest.raises(mnemic.InvalidInput):
        mind.recall("tea", since="not a date")
    mind.close()
    with pytest.raises(mnemic.Closed):
        mind.recall("tea")


def spoil_root_page(path: Path, table: str, filling: bytes) -> None:
    """Overwrite the first page of a table, as a bad disk does."""
    conn = apsw.Connection(str(path))
    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    root = conn.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).get
    size = int(conn.execute("PRAGMA page_size").get)
    conn.close()
    with path.open("r+b") as file:
        file.seek((int(root) - 1) * size)
        file.write(filling * size)


@pytest.mark.sqlite_file("a page of the file")
@pytest.mark.parametrize("filling", [b"\x00", b"\xa5"])
@pytest.mark.parametrize("memories", [1, 400])
def test_turns_answer_when_the_table_of_memories_cannot_be_read(
    open_mind: OpenMind, tmp_path: Path, filling: bytes, memories: int
) -> None:
    mind = open_mind(**QUIET)
    tell(mind)
    mind.record(session="zh", role="user", text="我家的狗叫布丁，今年三岁")
    mind.add_many({f"k{n}": NewMemory(f"a cat or a dog 布丁 {n}", "fact") for n in range(memories)})
    mind.close()
    spoil_root_page(tmp_path / "memory.db", "memories", filling)
    mind = open_mind(**QUIET)
    assert mind.recall("what is my cat called")[0].text == ANSWER
    assert mind.recall("布丁几岁了")[0].text == "我家的狗叫布丁，今年三岁"
    assert failures(mind)
    with pytest.raises(mnemic.StoreDamaged):
        mind.recall("cat", of=["memory"])
    wrong = {finding.check: finding for finding in mind.doctor() if not finding.ok}
    assert "integrity" in wrong
    assert all(finding.remedy for finding in wrong.values())
