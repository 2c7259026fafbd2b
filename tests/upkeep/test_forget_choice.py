"""Only what people said or wrote decides what is forgotten; the rest is emptied or renamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mnemic import Mind, ToolCall, ToolResult
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.upkeep.canaries import leftovers

pytestmark = pytest.mark.feature("N7")


def test_a_failure_reason_is_emptied_and_chooses_nothing(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    """After an outage of the model every turn has its name in the stored reason."""
    mind = open_mind(model__provider="openai", model__name="gpt-x",
                     model__base_url="http://127.0.0.1:9", model__api_key="none",
                     jobs__max_attempts=2)  # fmt: skip
    said = ["I live in Oslo", "我的猫叫咪咪", "Tea at four, please"]
    with mind.session("s") as talk:
        for text in said:
            talk.user(text)
    mentions = mind.record(session="t", role="user", text="I work with OpenAI models")
    for _ in range(2):
        clock.advance(hours=2)
        mind.drain()
    assert all("openai" in turn.reason for turn in mind.turns(session="s"))
    preview = mind.forget(query="OpenAI", dry_run=True)
    assert [i.id for i in preview.items if i.kind == "turn"] == [mentions.id]
    emptied = [item for item in preview.items if item.change == "emptied"]
    assert {item.kind for item in emptied} == {"turn reason", "job"}
    for item in emptied:
        ((start, end),) = item.highlights
        assert item.text[start:end] in ("openai", "model"), "words of the turn that goes"
    mind.forget(query="OpenAI")
    left = mind.turns()
    assert [turn.text for turn in left] == said
    assert {turn.reason for turn in left} == {""}
    assert all("openai" not in job.error for job in mind.jobs())
    assert mind.forget(query="OpenAI").counts == {}


# What the engine, a host or a tool's maker called something, in one memory of many records.
NAMES = {
    "fields of a tool call": "input",
    "fields of a tool result": "is error",
    "fields of an action": "success",
    "a tool": "quuxifier mordlewump",
    "its parameter": "plonkname",
    "the id of its call": "callplonk",
    "a sender": "Grombolt",
    "a channel": "wibblenet",
    "a session": "zorptalk",
    "a project": "Zamboozle",
    "a topic": "flarntopic",
    "a tag": "snurptag",
    "a Chinese project": "龘鱻计划",
    "a predicate that the engine knows": "lives in",
    "a predicate of a person's own": "frobnicates",
    "whom the engine calls the user": "user",
    "the folder of a file": "gribblefolder",
    "a media type": "image",
    "a part of the host": "hostplonk",
    "a model in the usage": "blorpmodel",
    "an operation": "opsnark",
}
ENGINES = ("fields of", "a predicate that", "whom the", "a media")


def write_names(mind: Mind) -> None:
    talk = mind.session("talk-zorptalk", project="Zamboozle", topic="flarntopic")
    talk.user("We moved to Oslo in May", sender="Grombolt", channel="wibblenet")
    call = ToolCall("quuxifier_mordlewump", {"plonkname": "a row"}, id="callplonk")
    talk.assistant("Done as you asked", tool_calls=[call])
    talk.tool(tool_results=[ToolResult("fine", "callplonk")])
    mind.session("second", project="龘鱻计划").user("请帮我浇花")
    mind.remember("Oslo since May", kind="fact", subject="user", predicate="lives in",
                  project="Zamboozle", topic="flarntopic")  # fmt: skip
    mind.remember("Tea at four", kind="fact", subject="tea", predicate="frobnicates",
                  tags=["snurptag"], project="龘鱻计划", operation_id="opsnark")  # fmt: skip
    mind.attach("/srv/gribblefolder/plan.png", session="second", tags=["snurptag"])
    mind.note_failure("hostplonk", "it broke")
    mind.record_usage(purpose="reply", model="blorpmodel", input_tokens=1, output_tokens=1)
    talk.end()


def said_in(mind: Mind) -> list[object]:
    """Everything that was said, without what it is called."""
    return [
        [(turn.id, turn.text, turn.at) for turn in mind.turns()],
        [[call.input[key] for call in t.tool_calls for key in call.input] for t in mind.turns()],
        sorted((memory.id, memory.text, memory.value) for memory in mind.memories()),
        [(file.id, file.filename, file.description) for file in mind.attachments()],
        [(e.id, e.goal, e.started_at) for e in mind.episodes()],
        len({turn.session for turn in mind.turns()}),
        len({memory.project for memory in mind.memories()}),
    ]


def test_a_name_is_replaced_and_chooses_nothing(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path
) -> None:
    mind = open_mind(ledger__jsonl=True, documents__write=["memory", "user", "project"])
    write_names(mind)
    clock.advance(hours=1)
    mind.drain()
    mind.sync()
    before = said_in(mind)
    for what, query in NAMES.items():
        ours = what.startswith(ENGINES)
        preview = mind.forget(query=query, dry_run=True)
        assert not [i for i in preview.items if i.change == "removed"], what
        assert ours or preview.items, what
        assert all(i.highlights for i in preview.items if i.text), preview.items
        assert mind.forget(query=query).counts == preview.counts
        assert said_in(mind) == before, what
        assert ours or leftovers(tmp_path, query) == {}, what
        assert mind.forget(query=query, dry_run=True).items == (), what
    clock.advance(hours=1)
    mind.drain()
    mind.sync()
    assert said_in(mind) == before
    back = {what for what, query in NAMES.items() if leftovers(tmp_path, query)}
    assert not {what for what in back if not what.startswith(ENGINES)}, "nor is it written again"
    assert [f for f in mind.doctor() if not f.ok] == []
    still_together(mind, tmp_path)


def still_together(mind: Mind, folder: Path) -> None:
    """What had a name goes on under another."""
    first, second, third, _ = mind.turns()
    assert first.session.startswith("forgotten-")
    assert [t.id for t in mind.turns(session=first.session)] == [first.id, second.id, third.id]
    (info,) = [s for s in mind.sessions() if s.id == first.session]
    assert info.project in {memory.project for memory in mind.memories()}
    assert first.sender.startswith("forgotten-"), "somebody, and not the owner of a sudden"
    (call,), (result,) = second.tool_calls, third.tool_results
    assert (call.id, call.id[:10]) == (result.call_id, "forgotten-")
    assert [turn.id for turn in mind.turns(tool=call.name)] == [second.id]
    assert mind.recall("moved to Oslo", of=["turn"], limit=1)[0].id == first.id
    files = {path.stem for path in (folder / "conversation_history").glob("*.jsonl")}
    assert files == {first.session, "second"}
    assert mind.documents_folder is not None
    document = mind.documents_folder / mind.settings.documents.project_file
    assert f"## {info.project}\n" in document.read_text()
    assert mind.history(mind.memories()[0].id).versions, "and can be looked into"


def test_words_of_one_time_are_not_taken_from_others(mind: Mind, clock: ManualClock) -> None:
    mind.record(session="a", role="user", text="We drink oolong tea", sender="Ann")
    clock.advance(days=1)
    mind.record(session="a", role="user", text="Buy oolong tea", sender="Ann")
    mind.write_scratchpad("## Next steps\n- buy oolong tea\n")
    assert mind.forget(query="oolong tea", until=clock.now()).counts["turn"] == 1
    assert [turn.text for turn in mind.turns()] == ["Buy oolong tea"]
    assert mind.scratchpad().next_steps == ("buy oolong tea",)
