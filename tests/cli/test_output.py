"""Lines fit the terminal they are shown on, in any script, and nothing in them can do harm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from mnemic.cli.output import cut, flat, pad, size
from tests.cli.conftest import Shell
from tests.cli.terminal import on_a_terminal

pytestmark = pytest.mark.feature("O4")


@pytest.mark.parametrize(
    "text", ["plain ascii text", "我升级到 Python 3.12 了", "😀😀 表情 mixed", ""]
)
@pytest.mark.parametrize("width", [1, 2, 5, 9, 40])
def test_a_cut_text_is_never_wider(text: str, width: int) -> None:
    shown = cut(text, width)
    assert cell_len(shown) <= width
    assert shown == text or shown.endswith("…")
    assert cell_len(pad(shown, 50)) == 50


def test_what_could_move_the_cursor_is_taken_out() -> None:
    assert flat("a\x1b[2Jb\r\nc\td\x07\x9b1m") == "a\ufffd[2Jb c d\ufffd\ufffd1m"
    assert flat("safe \u202e reversed") == "safe reversed"
    assert flat("👩‍💻 é") == "👩‍💻 é"


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 B"), (999, "999 B"), (1_500, "1.5 KB"), (2_500_000_000, "2.5 GB")]
)
def test_sizes(count: int, said: str) -> None:
    assert size(count) == said


LONG = "我升级到 Python 3.12 了，以后都用 uv，" * 20


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize(
    "command",
    [["recall", "Python"], ["search", "Python"], ["turns"], ["sessions"], ["memories"]],
    ids=lambda command: command[0],
)
def test_no_line_is_wider_than_the_terminal(told: Shell, columns: int, command: list[str]) -> None:
    told("record", "-s", "长" * 60, LONG, "--sender", "名字很长的人" * 5)
    told("add", LONG)
    shown = on_a_terminal(columns, *command, NO_COLOR="1")
    assert "…" in shown
    assert max(map(cell_len, shown.splitlines())) <= columns


def test_colours_are_for_terminals_that_want_them(told: Shell) -> None:
    assert "\x1b[" in on_a_terminal(80, "recall", "Python")
    assert "\x1b[" not in on_a_terminal(80, "recall", "Python", NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal(80, "--no-color", "recall", "Python")
    assert "\x1b[" not in on_a_terminal(80, "recall", "Python", "--no-color")
    assert "\x1b[" not in told("recall", "Python").output


def test_a_pipe_gets_whole_lines(told: Shell) -> None:
    told("record", "-s", "long", LONG)
    assert LONG in told("recall", "uv", "--session", "long").stdout


def test_progress_is_shown_on_a_terminal(told: Shell, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    line = '{"role": "user", "content": "hi"}\n'
    file.write_text(line * 5_000, encoding="utf-8")
    shown = on_a_terminal(80, "import", str(file))
    assert "Importing" in shown
    assert "5,000 added" in shown
    assert "Rebuilding" in on_a_terminal(80, "doctor", "--repair")


def test_a_terminal_that_cannot_show_chinese(told: Shell) -> None:
    env = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    for extra in ([], ["--json"]):
        done = subprocess.run(
            [sys.executable, "-m", "mnemic", "turns", *extra],
            env=env,
            capture_output=True,
            check=True,
        )
        assert b"\\u6211" in done.stdout
