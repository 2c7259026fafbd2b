"""Two databases in one folder: neither reads nor writes the documents of the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from mnemic import Mind
from tests.conftest import OpenMind


def texts(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.suffix in (".md", ".jsonl")]
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}


def live(mind: Mind, name: str) -> None:
    mind.record(session="s", role="user", text=f"我叫{name}")
    mind.remember(f"用户叫{name}", kind="identity", subject="user", predicate="name", value=name)
    mind.drain()
    mind.upkeep("daily")


@pytest.mark.statement("C38", "A94")
@pytest.mark.parametrize(("preset", "first"), [
    ("shiyi", "data/memory/shared/User.md"), ("openakita", "conversation_history/s.jsonl"),
])  # fmt: skip
def test_documents_and_copies_do_not_collide(
    open_mind: OpenMind, tmp_path: Path, preset: str, first: str
) -> None:
    minds = {name: open_mind(tmp_path / f"{name}.db", preset=preset) for name in ("lin", "wang")}
    for name, mind in minds.items():
        live(mind, name)
    for name, mind in minds.items():
        live(mind, name)
        assert {memory.value for memory in mind.memories(kind="identity")} == {name}
    written = texts(tmp_path)
    assert "lin" in written[first], "the first has the document's own names"
    assert not any("lin" in text and "wang" in text for text in written.values())


def test_plain_files_of_one_are_not_imported_by_the_other(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    off = open_mind(tmp_path / "a.db", preset="myclaw", memory={"enabled": False})
    off.remember("a 的事", kind="fact")
    off.close()
    assert open_mind(tmp_path / "b.db", preset="myclaw").memories() == []
    again = open_mind(tmp_path / "a.db", preset="myclaw")
    assert [memory.text for memory in again.memories()] == ["a 的事"]
