"""Attachments through the mind."""

from __future__ import annotations

from pathlib import Path

import pytest

import mnemic
from mnemic import Mind, NewTurn, ToolCall
from mnemic.clock import ManualClock
from mnemic.types import constant
from tests.conftest import NOON, OpenMind
from tests.evidence import by_words

pytestmark = pytest.mark.feature("L6", preset="openakita")


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    return open_mind(preset="openakita")


@pytest.mark.statement("A39")
def test_a_file_is_kept_with_its_facts(mind: Mind, tmp_path: Path) -> None:
    file = tmp_path / "猫.png"
    file.write_bytes(b"12345")
    memory = mind.remember("has a cat", kind="fact")
    kept = mind.attach(
        file,
        session="s",
        description="一只橘猫",
        transcription="miaow",
        extracted_text="CAT 2026",
        tags=["宠物"],
        memories=[memory.id],
    )
    assert (kept.filename, kept.mime, kept.size) == ("猫.png", "image/png", 5)
    assert (kept.path, kept.url, kept.direction) == (str(file), "", "inbound")
    assert (kept.description, kept.transcription) == ("一只橘猫", "miaow")
    assert (kept.extracted_text, kept.tags) == ("CAT 2026", ("宠物",))
    assert (kept.memories, kept.session, kept.created_at) == ((memory.id,), "s", NOON)
    assert mind.attachments() == [kept]
    file.unlink()
    assert mind.attachments() == [kept], "the record stays when the file goes"


@pytest.mark.parametrize(
    ("place", "filename", "mime", "is_url"),
    [
        ("https://example.com/a/cat.jpg?size=big", "cat.jpg", "image/jpeg", True),
        ("C:\\Users\\me\\report.pdf", "report.pdf", "application/pdf", False),
        ("/nowhere/data.csv", "data.csv", "text/csv", False),
        ("no-extension", "no-extension", "", False),
        ("bad\x00path.png", "bad path.png", "image/png", False),
        ("x" * 300, "x" * 300, "", False),
    ],
)
def test_any_place_will_do(mind: Mind, place: str, filename: str, mime: str, is_url: bool) -> None:
    kept = mind.attach(place)
    assert (kept.filename, kept.mime, kept.size) == (filename, mime, 0)
    assert (kept.url if is_url else kept.path) == place.replace("\x00", " ")
    assert (kept.path if is_url else kept.url) == ""


@pytest.mark.parametrize(
    "query", ["那张橘猫的照片", "cat picture", "宠物", "cat.png", "miaow", "invoice"]
)
def test_it_is_found_by_words(mind: Mind, query: str) -> None:
    kept = mind.attach(
        "/photos/cat.png",
        description="一张橘猫的照片, a picture of an orange cat",
        transcription="miaow",
        extracted_text="invoice 42",
        tags=["宠物"],
    )
    mind.attach("/photos/report.pdf", description="季度报表")
    (hit, *_) = mind.recall(query, of=["attachment"])
    assert (hit.type, hit.id) == ("attachment", kept.id)
    assert "/photos/cat.png" in hit.text


@pytest.mark.statement("A41")
def test_a_description_may_come_later(mind: Mind) -> None:
    kept = mind.attach("/photos/IMG_0001.jpg", session="s", extracted_text="EXIT")
    assert by_words(mind, "sunset", of=["attachment"]) == []
    told = mind.describe_attachment(kept.id, description="a sunset over the lake")
    assert told.description == "a sunset over the lake"
    assert (told.id, told.extracted_text, told.session) == (kept.id, "EXIT", "s")
    assert [hit.id for hit in by_words(mind, "sunset", of=["attachment"])] == [kept.id]
    assert [hit.id for hit in by_words(mind, "exit", of=["attachment"])] == [kept.id]
    mind.describe_attachment(kept.id, transcription="waves", extracted_text="")
    (now,) = mind.attachments()
    assert (now.description, now.transcription) == ("a sunset over the lake", "waves")
    assert now.extracted_text == ""
    assert by_words(mind, "exit", of=["attachment"]) == []


def test_what_is_not_there_cannot_be_described(mind: Mind) -> None:
    with pytest.raises(mnemic.NotFound) as caught:
        mind.describe_attachment("nobody", description="x")
    assert caught.value.remedy


def test_files_that_tools_write_are_noticed(mind: Mind, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("hello")
    mind.record(
        session="s",
        role="assistant",
        text="done",
        tool_calls=[
            ToolCall("write_file", {"path": str(report), "content": "hello"}),
            ToolCall("read_file", {"path": "/etc/hosts"}),
            ToolCall("create_file", {"filename": "chart.png"}),
        ],
    )
    made = {kept.filename: kept for kept in mind.attachments(direction="outbound")}
    assert set(made) == {"report.md", "chart.png"}
    assert made[constant("report.md")].size == 5
    assert made[constant("report.md")].path == str(report)
    assert all(kept.session == "s" for kept in made.values())
    assert by_words(mind, "chart.png", of=["attachment"])[0].id == made[constant("chart.png")].id
    assert mind.attachments(direction="inbound") == []


def test_a_file_written_again_is_one_attachment_per_session(mind: Mind) -> None:
    calls = (ToolCall("write_file", {"path": "a.txt"}),)
    for number in range(3):
        mind.record(session="s", role="assistant", text=f"{number}", tool_calls=calls)
    mind.record_many([NewTurn("s", "assistant", "2", tool_calls=calls, index=2)])
    assert len(mind.attachments()) == 1
    mind.record(session="t", role="assistant", text="", tool_calls=calls)
    assert len(mind.attachments()) == 2


def test_they_are_listed_latest_first(mind: Mind, clock: ManualClock) -> None:
    mind.attach("one.png", session="a")
    clock.advance(hours=1)
    mind.attach("two.png", session="b", direction="outbound")
    assert [kept.filename for kept in mind.attachments()] == ["two.png", "one.png"]
    assert [kept.filename for kept in mind.attachments(session="a")] == ["one.png"]
    assert [kept.filename for kept in mind.attachments(direction="outbound")] == ["two.png"]
    assert [kept.filename for kept in mind.attachments(limit=1)] == ["two.png"]
