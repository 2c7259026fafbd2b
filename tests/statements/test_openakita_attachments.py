"""OpenAkita, document A §4.4: files that were sent, and files that tools wrote."""

from __future__ import annotations

import pytest

from mnemic import ToolCall, ToolResult
from mnemic.clock import ManualClock
from tests.conftest import OpenMind


@pytest.mark.statement("A40")
@pytest.mark.parametrize(
    ("name", "shows", "asked"),
    [
        ("猫.jpg", "一只橘猫趴在沙发上", "那张橘猫的照片"),
        ("Marmalade on the sofa.jpg", "A ginger cat asleep", "the photo of the ginger cat"),
    ],
)
def test_a_file_has_the_name_it_was_sent_under_and_its_episode(
    open_mind: OpenMind, clock: ManualClock, name: str, shows: str, asked: str
) -> None:
    mind = open_mind(preset="openakita")
    session = mind.session("s")
    session.user("这是我的猫")
    mind.attach(
        "/data/inbox/3f2a.jpg",
        session="s",
        original_filename=name,
        description=shows,
    )
    (file,) = mind.attachments()
    assert (file.filename, file.original_filename, file.episode) == ("3f2a.jpg", name, "")
    session.end()
    mind.drain()
    (file,), (episode,) = mind.attachments(), mind.episodes()
    assert file.episode == episode.id
    for query in (name, "3f2a.jpg", asked):
        assert [hit.id for hit in mind.recall(query, of="attachment")] == [file.id]
    clock.advance(seconds=1)
    later = mind.attach("/data/inbox/later.jpg", session="s")
    assert (later.original_filename, mind.attachments()[0].episode) == ("later.jpg", "")
    mind.forget(id=episode.id)
    assert {one.episode for one in mind.attachments()} == {""}


@pytest.mark.statement("A42")
def test_only_files_that_were_written_are_kept(open_mind: OpenMind) -> None:
    mind = open_mind(preset="openakita")
    session = mind.session("s")
    session.assistant(
        "写好了。",
        tool_calls=[
            ToolCall("write_file", {"path": "/out/good.txt"}, "1"),
            ToolCall("write_file", {"path": "/out/bad.txt"}, "2"),
            ToolCall("create_report", {"artifacts": [{"path": "/out/report.pdf"}]}, "3"),
            ToolCall("generate_image", {"prompt": "猫"}, "4"),
        ],
        tool_results=[
            ToolResult("ok", "1"),
            ToolResult("EACCES: permission denied", "2", is_error=True),
            ToolResult("done", "3"),
            ToolResult('{"artifacts": [{"path": "/out/cat.png"}]}', "4"),
        ],
    )
    written = {"/out/good.txt", "/out/report.pdf", "/out/cat.png"}
    assert {file.path for file in mind.attachments(direction="outbound")} == written

    # Results may come in a turn of their own.
    session.assistant("", tool_calls=[ToolCall("write_file", {"path": "/out/late.txt"}, "5")])
    session.tool(tool_results=[ToolResult("disk full", "5", is_error=True)])
    assert {file.path for file in mind.attachments(direction="outbound")} == written
    session.assistant("", tool_calls=[ToolCall("write_file", {"path": "/out/late.txt"}, "6")])
    session.tool(tool_results=[ToolResult("ok", "6")])
    assert "/out/late.txt" in {file.path for file in mind.attachments(direction="outbound")}
