"""``mnemic export``: where it writes, what it refuses, and what it says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Shell
from tests.cli.terminal import on_a_terminal

pytestmark = pytest.mark.feature("O4")


def test_a_page_is_the_default_and_is_not_replaced_unasked(told: Shell, tmp_path: Path) -> None:
    assert "memory.html" in told("export").stdout
    page = (tmp_path / "memory.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "uses Python 3.12" in page
    (tmp_path / "memory.html").write_text("mine", "utf-8")
    assert "--force" in told("export", code=1).stderr
    assert (tmp_path / "memory.html").read_text("utf-8") == "mine"
    told("export", "--force")
    assert "uses Python 3.12" in (tmp_path / "memory.html").read_text("utf-8")
    assert not list(tmp_path.glob(".memory.html*"))


def test_the_name_of_the_file_names_the_format(told: Shell, tmp_path: Path) -> None:
    report = told.json("export", "me.md", "--language", "zh", "--name", "李雷")
    assert (report["format"], report["path"]) == ("markdown", "me.md")
    text = (tmp_path / "me.md").read_text("utf-8")
    assert text.startswith("# 李雷的记忆\n")
    assert report["bytes"] == len(text.encode())
    assert "End the name with .html" in told("export", "me.txt", code=2).stderr
    assert told.json("export", "me")["format"] == "html"
    assert told.json("export", "me2.txt", "--format", "markdown")["format"] == "markdown"


def test_a_folder_of_markdown(told: Shell, tmp_path: Path) -> None:
    report = told.json("export", "notes/")
    assert "notes/README.md" in report["files"]
    assert len(report["files"]) == len(list((tmp_path / "notes").iterdir())) >= 2
    assert "is there already" in told("export", "notes/", code=1).stderr
    told("export", "notes/", "--force")
    assert "folder" in told("export", "pages/", "--format", "html", code=2).stderr


def test_a_pipe_gets_the_document_alone(told: Shell, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    shown = told("export", "-", "--format", "markdown", "--language", "en")
    assert shown.stdout.startswith("# Memory\n")
    assert shown.stdout.endswith("Secrets are masked.\n")
    assert shown.stderr == ""
    assert sorted(tmp_path.iterdir()) == before


def test_secrets_are_masked_unless_asked_for(told: Shell) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    told("record", "-s", "dev", f"the token is {key}", "--set", "secrets.at_write=keep")
    for form in ("html", "markdown"):
        assert key not in told("export", "-", "--format", form).stdout
        assert key in told("export", "-", "--format", form, "--secrets").stdout


def test_there_has_to_be_a_memory(shell: Shell) -> None:
    assert "no memory" in shell("export", code=1).stderr
    assert not Path("memory.html").exists()


def test_a_file_in_the_place_of_the_folder(told: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    assert "cannot be written" in told("export", "file/me.html", code=1).stderr
    assert (tmp_path / "file").read_text("utf-8") == "mine"


def test_progress_is_for_terminals(told: Shell) -> None:
    shown = on_a_terminal(80, "export", "seen.html")
    assert "Writing" in shown
    assert "Written to seen.html" in shown
