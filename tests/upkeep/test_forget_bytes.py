"""After forgetting, no byte of it is in any file that the engine owns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mnemic import Mind, ToolCall
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.upkeep.canaries import CHINESE, ENGLISH, PHRASES, leftovers, plant, plant_everywhere

pytestmark = [
    pytest.mark.feature("N7"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of what ChromaDB stands on
]
PRESETS = ("default", "openakita", "shiyi", "myclaw", "semibot")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("phrase", PHRASES)
def test_not_a_byte_is_left_of_the_words(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path, preset: str, phrase: str
) -> None:
    mind = open_mind(preset=preset, ledger__jsonl=True)
    plant(mind, clock, phrase, "talk")
    assert leftovers(tmp_path, phrase), "the canary sings"
    receipt = mind.forget(query=phrase)
    assert leftovers(tmp_path, phrase) == {}
    assert_well(mind, receipt)
    clock.advance(hours=1)
    mind.drain()
    mind.upkeep("daily")
    assert leftovers(tmp_path, phrase) == {}, "nor does it come back"
    mind.close()
    assert leftovers(tmp_path, phrase) == {}


@pytest.mark.parametrize("preset", ["default", "openakita"])
@pytest.mark.parametrize("way", ["session", "source", "time"])
def test_nor_by_session_source_or_time(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path, preset: str, way: str
) -> None:
    mind = open_mind(preset=preset, ledger__jsonl=True)
    mind.record(session="before", role="user", text="We painted the fence green")
    mind.drain()
    clock.advance(days=1)
    start = clock.now()
    plant(mind, clock, ENGLISH, "talk")
    by_hand = [m.id for m in mind.memories() if not m.sources]
    asked: dict[str, dict[str, Any]] = {
        "session": {"session": "talk"},
        "source": {"source": "session:talk"},
        "time": {"since": start},
    }
    receipt = mind.forget(**asked[way])
    if way != "time":  # what was told by hand belongs to no session
        for id_ in by_hand:
            mind.forget(id=id_)
    assert leftovers(tmp_path, ENGLISH) == {}
    assert [turn.session for turn in mind.turns()] == ["before"]
    assert_well(mind, receipt)


@pytest.mark.parametrize("phrase", PHRASES)
@pytest.mark.parametrize("way", ["query", "session", "source", "id"])
def test_nor_of_names_whatever_was_written_with_them(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path, way: str, phrase: str
) -> None:
    """Every field of every way to write has it; a conversation takes what is its own along."""
    mind = open_mind(ledger__jsonl=True, documents__write=["memory", "user", "project"])
    asked = plant_everywhere(
        mind, clock, phrase, by_hand=way == "query", files=way in ("query", "session")
    )
    mind.record(session="other", role="user", text="We painted the fence green", sender="Ann")
    assert leftovers(tmp_path, phrase), "the canary sings"
    if way == "id":  # its turn goes along; the rest of the talk is named after it, not said in it
        mind.forget(id=asked["id"])
        way = "session"
    receipt = mind.forget(**{way: asked[way]})  # type: ignore[arg-type]
    assert leftovers(tmp_path, phrase) == {}
    assert [turn.text for turn in mind.turns()] == ["We painted the fence green"]
    assert_well(mind, receipt)
    clock.advance(hours=1)
    mind.drain()
    mind.sync()
    mind.upkeep("daily")
    mind.close()
    assert leftovers(tmp_path, phrase) == {}, "nor does it come back"


def test_nor_in_the_folder_of_another_vector_engine(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path
) -> None:
    pytest.importorskip("chromadb", reason='pip install "mnemic[chroma]"')
    mind = open_mind(index__vectors="chromadb", embedding__provider="local")
    plant(mind, clock, ENGLISH, "talk")
    mind.record(session="other", role="user", text="We adopted a puppy from the shelter")
    mind.drain()
    folder = tmp_path / "memory.db.chroma"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert before
    turn = mind.turns(session="talk", limit=1)[0]
    mind.forget(session="talk")
    assert not folder.exists(), "vectors stay in its logs; the whole copy goes"
    assert mind.recall("which dog do we have", min_score=0.0)[0].text.startswith(
        "We adopted a puppy"
    )
    assert turn.id not in {hit.id for hit in mind.recall(turn.text)}


def test_two_spaces_keep_what_is_theirs(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path
) -> None:
    ann, bob = open_mind(space="ann"), open_mind(space="bob")
    plant(ann, clock, ENGLISH, "talk")
    bob.record(session="s", role="user", text=f"I like {ENGLISH} too")
    receipt = ann.forget(query=ENGLISH)
    assert ann.recall(ENGLISH) == [] or all(ENGLISH not in h.text for h in ann.recall(ENGLISH))
    assert bob.turns()[0].text == f"I like {ENGLISH} too"
    assert_well(ann, receipt)


@pytest.mark.parametrize("phrase", [ENGLISH, CHINESE])
def test_a_text_said_by_hand_is_gone_by_its_id(mind: Mind, tmp_path: Path, phrase: str) -> None:
    kept = mind.remember("likes tea", kind="preference")
    first = mind.remember(f"owns {phrase}", kind="fact")
    second = mind.remember(f"sold {phrase}", kind="fact", supersedes=first.id)
    receipt = mind.forget(id=second.id)
    assert receipt.counts == {"memory": 2}, "with every version"
    assert leftovers(tmp_path, phrase) == {}
    assert mind.memories() == [kept.memory]
    assert_well(mind, receipt)


@pytest.mark.parametrize("phrase", [ENGLISH, CHINESE])
def test_nor_in_the_plain_files_of_the_off_switch(
    open_mind: OpenMind, tmp_path: Path, phrase: str
) -> None:
    with open_mind(memory__enabled=False) as off:
        off.record(session="talk", role="user", text=f"my house is called {phrase}")
        off.record(session="talk", role="user", text="ok", sender="Ann")
        call = ToolCall("write_note", {"text": phrase})
        off.record(session="talk", role="assistant", text="noted", tool_calls=[call])
        off.record(session="other", role="user", text="We painted the fence green")
        off.remember(f"The house is {phrase}", kind="fact")
        off.remember("User likes tea", kind="preference")
    log = next(path for path in (tmp_path / "memory").glob("20*.md"))
    torn = f"## 12:00 user\n> {phrase}\n"  # a process died before the mark that completes it
    log.write_text(f"My own line.\n\n{log.read_text()}\n{torn}")
    mind = open_mind()
    receipt = mind.forget(query=phrase)
    assert leftovers(tmp_path, phrase) == {}
    assert_well(mind, receipt)
    short = next(turn for turn in mind.turns() if turn.text == "ok")
    mind.forget(id=short.id)
    left = log.read_text()
    assert "> ok" not in left
    assert "Ann" not in left
    assert "My own line." in left
    assert "We painted the fence green" in left
    assert (tmp_path / "memory" / "MEMORY.md").read_text().startswith("- User likes tea")
    mind.close()
    again = open_mind()
    assert [turn.text for turn in again.turns()] == ["We painted the fence green"]
    assert [memory.text for memory in again.memories()] == ["User likes tea"]


@pytest.mark.parametrize("phrase", [ENGLISH, CHINESE])
def test_nor_names_in_those_files(open_mind: OpenMind, tmp_path: Path, phrase: str) -> None:
    names = {"sender": f"Ms {phrase}", "channel": f"net {phrase}"}
    with open_mind(memory__enabled=False) as off:
        talk = off.session(f"talk {phrase}", project=f"project {phrase}", topic=f"topic {phrase}")
        off.record(session=talk.id, role="user", text="Water the tulips", **names)  # type: ignore[arg-type]
        off.record(session=talk.id, role="assistant", text="I did",
                   tool_calls=[ToolCall(f"tool {phrase}", {"n": 1})])  # fmt: skip
        off.remember("User likes tea", kind="preference", project=f"project {phrase}",
                     tags=[phrase])  # fmt: skip
        off.note_failure(f"host {phrase}", "it broke")
        talk.end()
    mind = open_mind()
    mind.forget(query=phrase)
    assert leftovers(tmp_path, phrase) == {}
    said = ["Water the tulips", "I did"]
    assert [turn.text for turn in mind.turns()] == said
    mind.close()
    again = open_mind()  # the changed files are read once more
    assert [turn.text for turn in again.turns()] == said
    assert [memory.text for memory in again.memories()] == ["User likes tea"]
    assert len(again.sessions()) == 1
    again.forget(session=again.sessions()[0].id)
    assert again.turns() == []
    assert again.sessions() == []


def assert_well(mind: Mind, receipt: Any) -> None:
    assert [f for f in mind.doctor(forgotten=receipt) if not f.ok] == []
