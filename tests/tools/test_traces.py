"""Raw turns for the model: database, then the host's traces, then the JSONL copies."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from mnemic import Mind, NewTurn, ToolCall, ToolResult
from mnemic.tools import ToolAnswer, Trace, TraceQuery, TraceSource, call_tool
from tests.conftest import OpenMind

pytestmark = pytest.mark.feature("R8", "P4", preset="openakita")


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    return open_mind(preset="openakita")


def search(mind: Mind, query: str, traces: TraceSource | None = None, **rest: Any) -> ToolAnswer:
    answer = call_tool(mind, "search_conversation_traces", {"query": query, **rest}, traces=traces)
    assert not answer.is_error, answer.text
    return answer


def contents(answer: ToolAnswer) -> list[str]:
    results: Any = answer.data["results"]
    return [turn["text"] for turn in results]


def write(path: Path, *messages: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(message, ensure_ascii=False) for message in messages)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_database_answers_with_tool_arguments_and_results(mind: Mind) -> None:
    mind.record(session="s", role="user", text="please look at the report")
    mind.record(
        session="s",
        role="assistant",
        text="looking",
        tool_calls=[ToolCall("read_file", {"path": "/data/report-7.csv"}, "c1")],
        tool_results=[ToolResult("row 1\nrow 2", "c1"), ToolResult("no such row", is_error=True)],
    )
    answer = search(mind, "report-7.csv")
    assert answer.data["source"] == "database"
    first: Any = answer.data["results"][0]  # type: ignore[index]
    assert (first["session"], first["index"], first["role"]) == ("s", 1, "assistant")
    assert first["tool_calls"] == [{"name": "read_file", "input": '{"path": "/data/report-7.csv"}'}]
    assert first["tool_results"][1] == {"is_error": True, "content": "no such row"}
    assert "[s#1] (2026-02-12 12:00, assistant) looking" in answer.text
    assert "row 2" in answer.text


def test_filters_hold_in_the_database(mind: Mind) -> None:
    mind.record(session="a", role="user", text="tea in january", at="2026-01-05")
    mind.record(session="b", role="user", text="tea in february", at="2026-02-05")
    assert contents(search(mind, "tea", session="a")) == ["tea in january"]
    assert contents(search(mind, "tea", since="2026-02-01")) == ["tea in february"]
    assert contents(search(mind, "tea", until="2026-02-01")) == ["tea in january"]


def test_what_the_host_has_comes_second(mind: Mind) -> None:
    mind.record(session="s", role="user", text="the weather is fine today")
    asked: list[TraceQuery] = []

    def host(query: TraceQuery) -> Iterable[Trace]:
        asked.append(query)
        yield from (NewTurn("live", "tool", f"kubectl output {n}") for n in range(99))

    answer = search(mind, "kubectl output", host, limit=2)
    assert asked == [TraceQuery("kubectl output", None, None, None, 2)]
    assert answer.data["source"] == "host"
    assert contents(answer) == ["kubectl output 0", "kubectl output 1"]
    assert contents(search(mind, "weather", host)) == ["the weather is fine today"]
    assert len(asked) == 1


def test_a_folder_of_the_host_in_the_formats_of_openai_and_anthropic(
    mind: Mind, tmp_path: Path
) -> None:
    folder = tmp_path / "traces"
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "sh", "arguments": '{"c": "make 五号"}'},
    }
    write(folder / "one.jsonl", {"role": "assistant", "content": None, "tool_calls": [call]})
    block = {"type": "tool_use", "id": "t", "name": "grep", "input": {"pattern": "nebula"}}
    write(folder / "two.jsonl", {"role": "assistant", "content": [block]})
    write(folder / "three.jsonl", {"role": "user", "content": "我们在杭州部署了网关"})
    first: Any = search(mind, "make 五号", folder).data["results"][0]  # type: ignore[index]
    assert (first["session"], first["at"]) == ("one", "")
    assert "nebula" in search(mind, "nebula", str(folder)).text
    assert contents(search(mind, "网关部署在哪里", folder)) == ["我们在杭州部署了网关"]
    assert contents(search(mind, "nothing like it", folder)) == []


def test_the_best_of_a_folder_comes_first(mind: Mind, tmp_path: Path) -> None:
    turns = [{"role": "user", "text": f"gateway note {n}"} for n in range(30)]
    turns.insert(11, {"role": "user", "text": "the gateway listens on port 8443"})
    write(tmp_path / "t" / "s.jsonl", *turns)
    assert contents(search(mind, "gateway port", tmp_path / "t"))[0].endswith("8443")


def test_the_jsonl_copies_come_last(mind: Mind, tmp_path: Path) -> None:
    history = tmp_path / "conversation_history"
    assert mind.transcripts == history
    told = {"session": "old", "index": 3, "role": "user", "content": "the attic key is blue"}
    write(history / "old.jsonl", {**told, "at": "2025-05-01T08:00:00+00:00"})
    answer = search(mind, "attic key")
    assert answer.data["source"] == "jsonl"
    assert "[old#3] (2025-05-01 08:00, user) the attic key is blue" in answer.text
    host = tmp_path / "host"
    write(host / "h.jsonl", {"role": "user", "content": "attic key, says the host"})
    assert search(mind, "attic key", host).data["source"] == "host"
    mind.record(session="new", role="user", text="attic key, says the database")
    assert search(mind, "attic key", host).data["source"] == "database"


def test_the_copies_that_the_engine_writes_are_read(open_mind: OpenMind, tmp_path: Path) -> None:
    first = open_mind(tmp_path / "first.db", preset="openakita")
    first.record(
        session="S 1",
        role="assistant",
        text="好的",
        tool_calls=[ToolCall("write_file", {"path": "/tmp/海报.png"})],
    )
    first.drain()
    first.close()
    for part in tmp_path.glob("first.db*"):
        part.unlink()  # the database is lost, its copies are not
    second = open_mind(tmp_path / "first.db", preset="openakita")
    answer = search(second, "海报.png")
    assert answer.data["source"] == "jsonl"
    assert "/tmp/海报.png" in answer.text


def test_another_space_has_other_copies(open_mind: OpenMind, tmp_path: Path) -> None:
    write(tmp_path / "conversation_history" / "s.jsonl", {"role": "user", "content": "oolong"})
    other = open_mind(preset="openakita", space="other")
    assert contents(search(other, "oolong")) == []


def test_what_cannot_be_read_is_counted(mind: Mind, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    path = write(folder / "a.jsonl", {"role": "user", "content": "tea"}, {"role": "nobody"})
    path.write_bytes(b"{broken\n\xff\xfe\n" + path.read_bytes())
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")
    (folder / "folder.jsonl").mkdir()
    answer = search(mind, "tea", folder)
    assert contents(answer) == ["tea"]
    assert answer.data["unreadable"] == 5
    assert "5" in answer.text.splitlines()[0]


def test_no_folder_is_no_mistake(mind: Mind, tmp_path: Path) -> None:
    assert contents(search(mind, "tea", tmp_path / "nowhere")) == []


def test_the_newest_is_read_where_not_all_can_be(mind: Mind, tmp_path: Path) -> None:
    old = write(tmp_path / "t" / "a.jsonl", {"role": "user", "content": "tea of yore"})
    padding = "x" * 1_000_000
    lines = [{"role": "user", "content": f"tea line {n}", "x": padding} for n in range(25)]
    write(tmp_path / "t" / "b.jsonl", *lines)
    os.utime(old, (1, 1))
    answer = contents(search(mind, "tea line yore", tmp_path / "t", limit=20))
    assert "tea line 24" in answer
    assert "tea line 0" not in answer
    assert "tea of yore" not in answer


def test_without_the_words_the_nearest_turns_are_shown(mind: Mind) -> None:
    mind.record(session="s", role="user", text="the weather is fine today")
    assert contents(search(mind, "the")) == ["the weather is fine today"]
