"""mnemic sync: a person's edits go in, what was learned goes out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Shell


@pytest.mark.feature("N5", "V6")
def test_an_edit_a_removal_and_its_answer(shell: Shell, tmp_path: Path) -> None:
    shell("add", "The user drinks green tea", "--kind", "preference", "--importance", "0.9")
    shell("add", "The user lives in Lisbon", "--kind", "identity", "--importance", "0.9")
    told = shell.json("sync")
    page = next(
        Path(document["path"]) for document in told["documents"] if document["name"] == "memory"
    )
    text = page.read_text(encoding="utf-8")
    assert "green tea" in text
    kept = [line for line in text.splitlines() if "Lisbon" not in line]
    page.write_text("\n".join(kept).replace("green tea", "black tea") + "\n", encoding="utf-8")
    shell("sync")
    assert [m["text"] for m in shell.json("memories", "--kind", "preference")] == [
        "The user drinks black tea"
    ]
    others = [
        Path(document["path"])
        for document in told["documents"]
        if "Lisbon" in Path(document["path"]).read_text(encoding="utf-8")
    ]
    for other in others:
        lines = other.read_text(encoding="utf-8").splitlines()
        other.write_text(
            "\n".join(line for line in lines if "Lisbon" not in line) + "\n", encoding="utf-8"
        )
    (question,) = shell.json("sync")["questions"]
    assert question["memory"]["text"] == "The user lives in Lisbon"
    assert "--forget" in shell("sync").stdout
    after = shell.json("sync", "--forget", question["memory"]["id"])
    assert after["questions"] == []
    assert shell.json("memories", "--kind", "identity") == []
