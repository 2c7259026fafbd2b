"""The examples beside the package run as they stand, in an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SHOWN = {
    "async_agent.py": ("(nothing is known yet)", "Tofu"),
    "many_users.py": ("Python 3.12", "Go", "杭州"),
    "own_embedder.py": ("猫叫什么？ -> The user's kitten", "bike -> 用户骑自行车上班。"),
    "two_sessions.py": ("Python 3.12", "Hangzhou", "For the prompt:"),
    "two_sessions_zh.py": ("Python 3.12", "杭州"),
}


def test_every_example_is_run() -> None:
    stories = {*EXAMPLES.glob("*_day.py")}  # tests/test_preset_stories.py
    assert {path.name for path in {*EXAMPLES.glob("*.py")} - stories} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        env={"HOME": str(tmp_path), "PYTHONUTF8": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for shown in SHOWN[name]:
        assert shown in done.stdout
