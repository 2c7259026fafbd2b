"""What was true from the start, with inputs that are nothing like the documents': talks that run
beside each other, servers that refuse, files that come and go, nodes of two conversations.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mnemic import ToolCall, ToolResult
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Line, Scripted, reply, status
from tests.providers.speaking import says
from tests.remote import remote, server
from tests.statements.model_server import answering, settings
from tests.statements.playing import calls, fact, reading

__all__ = ["server"]

NO_WORK = {"daily": ("documents", "identity")}


# --- openakita ------------------------------------------------------------------------------------


@pytest.mark.statement("A38")
@pytest.mark.parametrize(
    ("asked", "own"),
    [
        ("Please sort the seed packets by month of sowing", "At your service! Next: the tulips."),
        ("帮我把种子按播种月份分类", "遵命！接下来：郁金香。"),
    ],
    ids=["seeds", "种子"],
)
def test_a_model_with_a_manner_writes_nothing_into_the_scratchpad(
    open_mind: OpenMind, server: Scripted, clock: ManualClock, *, asked: str, own: str
) -> None:
    """Better: B abolished the one that a model writes; what a person writes there stays."""
    manner = "Very good, sir. 少爷"
    story = {**thinking.STORY, "summary": manner, "goal": manner}
    server.always(thinking.proposing(lambda _: [], story=story))
    given = thinking.settings(server)
    mind = open_mind(preset="openakita", schedule={"zone": "Pacific/Auckland"}, **given)
    with mind.session("shed") as session:
        session.user(asked)
        session.assistant(f"{manner}! Done.")
        mind.drain()
        assert asked in mind.scratchpad().text
        before = mind.scratchpad().text
        shown = [mind.context("?", session="shed", persona=one).text for one in ("jarvis", "girl")]
        assert all(asked in text for text in shown)
        assert mind.scratchpad().text == before
    clock.advance(days=1)
    mind.drain()
    assert len(mind.episodes()) == 1
    assert manner not in mind.scratchpad().text
    mind.write_scratchpad(own)
    for persona in ("jarvis", "girl"):
        mind.context("?", session="later", persona=persona)
    assert own in mind.scratchpad().text


@pytest.mark.statement("A58", "A60")
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata"])
def test_two_talks_at_once_each_have_five_and_the_rest_waits_for_the_night_there(
    open_mind: OpenMind, server: Scripted, clock: ManualClock, zone: str
) -> None:
    long = "Paint hull no. {} 号船身, red 红"
    tide, late = "Tide 涨潮 at 4", long.format(9)
    server.always(
        reading(
            (tide, fact("The tide comes at 4")),
            (late, fact("The ninth hull is to be red")),
        )
    )
    clock.set(datetime(2026, 3, 6, 20, tzinfo=UTC))
    mind = open_mind(preset="openakita", schedule={"zone": zone}, **thinking.settings(server))
    message = f"{long}，ok"
    assert len(message.format(9)) == 30
    for n in range(5):
        for session in ("quay", "loft"):
            mind.record(session=session, role="user", text=message.format(n))
            mind.record(session=session, role="assistant", text="A very long answer. " * 9)
            mind.drain(due_only=True)
    assert len(calls(server, "extract")) == 10
    for session, text in (("quay", tide), ("loft", message.format(9))):
        mind.record(session=session, role="user", text=text)
        mind.drain(due_only=True)
    assert len(calls(server, "extract")) == 10, "a short one, and a sixth"
    assert mind.memories() == []
    there = clock.now().astimezone(ZoneInfo(zone))  # not yet the night, or already past it
    day = there.day + (there.hour >= 3)
    clock.set(there.replace(day=day, hour=2, minute=50).astimezone(UTC))
    mind.drain(due_only=True)
    assert mind.memories() == []
    clock.advance(minutes=15)
    mind.drain(due_only=True)
    assert {m.text for m in mind.memories()} == {
        "The tide comes at 4",
        "The ninth hull is to be red",
    }
    assert {turn.state for turn in mind.turns(limit=100)} <= {"extracted", "empty"}


@pytest.mark.statement("A60")
@pytest.mark.parametrize(
    "bad", ["Sorry!", '{"facts": [{"kind": "fact", "cont'], ids=["prose", "cut"]
)
def test_what_a_careless_model_spoiled_is_swept_up_too(
    open_mind: OpenMind, server: Scripted, clock: ManualClock, bad: str
) -> None:
    told = "The ferry to the island leaves from pier seven in winter"
    server.always(reply(says("openai", bad)))
    mind = open_mind(preset="openakita", schedule={"zone": "UTC"}, **thinking.settings(server))
    mind.record(session="pier", role="user", text=told)
    mind.drain(due_only=True)
    assert [turn.state for turn in mind.turns()] == ["failed"]
    mind.record(session="pier", role="user", text="ok")
    server.always(reading((told, fact("The winter ferry leaves from pier seven"))))
    clock.advance(days=1)
    mind.upkeep("daily")
    assert [memory.text for memory in mind.memories()] == [
        "The winter ferry leaves from pier seven"
    ]
    assert {turn.state for turn in mind.turns()} <= {"extracted", "empty"}


@pytest.mark.statement("A99")
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["plain", "as Windows writes"])
def test_the_cards_follow_files_that_come_and_go(
    open_mind: OpenMind, server: Scripted, clock: ManualClock, tmp_path: Path, ends: str
) -> None:
    cards = answering(lambda text: "```markdown\n- Rings the bell 敲钟\n```")
    server.always(cards)
    home = tmp_path / "identity"
    home.mkdir()
    long = "".join(f"- Bell {n} 号钟 is rung by hand on the hour.\n" for n in range(60))
    (home / "SOUL.md").write_text(f"# Soul\n\n{long}", encoding="utf-8", newline=ends)
    mind = open_mind(preset="openakita", **settings(server, upkeep=NO_WORK))

    def night() -> dict[str, str]:
        clock.advance(days=1)
        mind.upkeep("daily")
        files = (home / "compiled").iterdir()
        return {path.name: path.read_text(encoding="utf-8") for path in files}

    first = night()
    assert set(first) == {".compiled_at", "soul.summary.md"}
    assert "Rings the bell 敲钟" in first["soul.summary.md"]
    assert "```" not in first["soul.summary.md"]
    assert datetime.fromisoformat(first[".compiled_at"].split()[0]) == clock.now()
    trait = mind.remember("Speaks in rhymes", kind="trait", confidence=0.95)
    second = night()
    assert {*second} - {*first} == {"persona.custom.md"}
    assert "rhymes" in second["persona.custom.md"]
    assert second[".compiled_at"] != first[".compiled_at"]
    asked = len(server.asked)
    mind.forget(id=trait.id)
    (home / "SOUL.md").unlink()
    third = night()
    assert "rhymes" not in json.dumps(third)
    assert "soul.summary.md" not in third
    assert len(server.asked) == asked, "nothing is left to be shortened"
    assert "bell" not in mind.context("hello").text.lower()


# --- shiyi ----------------------------------------------------------------------------------------

FIR = {"Fichte": (1.0, 0.0, 0.0), "spruce": (1.0, 0.0, 0.0), "云杉": (1.0, 0.0, 0.0)}


@pytest.mark.statement("C22")
def test_a_text_that_the_server_refuses_leaves_the_others_their_embeddings(
    open_mind: OpenMind, server: Scripted, clock: ManualClock
) -> None:
    def act(line: Line) -> None:
        texts: Sequence[str] = line.asked.json["input"]
        if any("Birke" in text for text in texts):
            status(400, "input refused")(line)
            return
        rows = [next((FIR[w] for w in FIR if w in text), (0.0, 1.0, 0.0)) for text in texts]
        data = [{"index": n, "embedding": list(row)} for n, row in enumerate(rows)]
        reply({"data": data})(line)

    server.always(status(503))
    mind = open_mind(preset="shiyi", **remote(server))
    known = "Die Fichte am Tor ist krank"
    id_ = mind.remember(known, kind="fact").id
    mind.remember("云杉怕旱，夏天多浇水", kind="lesson")
    with mind.session("wood") as session:
        session.user("The spruce by the gate lost its top")
        session.assistant("Die Birke auch?")
    mind.drain()
    assert mind.stats().unembedded > 0
    server.always(act)
    clock.advance(days=1)
    mind.drain()
    near = {hit.text for hit in mind.recall("Fichte", limit=20) if "vector" in hit.why.routes}
    assert near >= {known, "云杉怕旱，夏天多浇水", "The spruce by the gate lost its top"}
    mind.edit(id_, text="Die Fichte am Tor ist gesund")
    mind.drain()
    near = {hit.text for hit in mind.recall("spruce", limit=20) if "vector" in hit.why.routes}
    assert "Die Fichte am Tor ist gesund" in near
    assert known not in near


# --- semibot --------------------------------------------------------------------------------------


@pytest.mark.statement("E139")
@pytest.mark.parametrize("model", ["gpt-4o", "a-model-nobody-knows"])
def test_two_graphs_that_go_on_keep_their_talks_apart(open_mind: OpenMind, model: str) -> None:
    mind = open_mind(preset="semibot", embedding={"provider": "none"})
    mind.remember("Die Orgel in St. Anna hat 32 Register", kind="fact")

    def start(session: str, message: str) -> tuple[str, list[tuple[str, str]]]:
        context = mind.context(message, session=session, model=model)
        mind.record(session=session, role="user", text=message)
        assert context.tokens <= context.budget
        return context.text, [(one.role, one.content) for one in context.messages]

    def respond(session: str, answer: str, measured: str = "") -> None:
        tools = [ToolCall("tuner", {"pipe": 1}, "call-1")] if measured else []
        results = [ToolResult(measured, "call-1")] if measured else []
        mind.record(session=session, role="assistant", text=answer, tool_calls=tools,
                    tool_results=results)  # fmt: skip

    for n in range(120):
        for session in ("organ", "钢琴"):
            start(session, f"{session}: What about stop {n}? 第 {n} 个音栓")
            respond(session, f"{session}: stop {n} sounds well 第 {n} 个音栓很好 " * 6)
    respond("organ", "", "A4 = 443 Hz")
    text, talk = start("organ", "How many Register has the Orgel in St. Anna?")
    assert "32 Register" in text
    said = json.dumps(talk, ensure_ascii=False)
    assert "organ: stop 119" in said
    assert "443" in said
    assert "钢琴" not in said
    assert ("organ: stop 70 sounds" in said) == (model == "gpt-4o"), "as far as its window reaches"
    assert [turn.session for turn in mind.turns(tool="tuner")] == ["organ"]
    _, other = start("钢琴", "还有吗？")
    assert "organ" not in json.dumps(other, ensure_ascii=False)
