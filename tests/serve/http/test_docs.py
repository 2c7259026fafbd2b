"""The examples of docs/serve.md, run as they stand against a real service."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mnemic.engine.remote.operations import OPERATIONS
from mnemic.serve.http.openapi import openapi
from tests.serve.http.conftest import Running

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "serve.md").read_text(encoding="utf-8")
USUAL = "http://127.0.0.1:8765"
CLIENT = DOCS.parent / "clients" / "typescript" / "mnemic.js"


def examples(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)


def test_the_python_example(served: Running, capsys: pytest.CaptureFixture[str]) -> None:
    for code in examples("python"):
        here = code.replace(USUAL, served.url)
        exec(compile(here, "example", "exec"), {"TOKEN": served.token("write", "alice")})
    assert "Python 3.12" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_commands(served: Running) -> None:
    answers = []
    for command in examples("sh"):
        done = subprocess.run(
            ["sh", "-c", command.replace(USUAL, served.url)],
            env={"TOKEN": served.token("write", "alice"), "PATH": "/usr/bin:/bin"},
            capture_output=True, text=True, check=True, timeout=30,
        )  # fmt: skip
        answers.append(json.loads(done.stdout))
    turn, hits = answers
    assert hits[0]["text"] == turn["text"]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_javascript_example(served: Running, tmp_path: Path) -> None:
    (code,) = examples("js")
    shutil.copy(CLIENT, tmp_path / "mnemic.js")
    shutil.copy(CLIENT.with_name("package.json"), tmp_path)
    token = json.dumps(served.token("write", "alice"))
    (tmp_path / "use.js").write_text(
        f"const TOKEN = {token};\n{code.replace(USUAL, served.url)}", encoding="utf-8"
    )
    done = subprocess.run(
        ["node", str(tmp_path / "use.js")], capture_output=True, text=True, check=True, timeout=30
    )
    assert "Python 3.12" in done.stdout


def test_the_figures_of_the_page_are_those_of_the_code() -> None:
    from mnemic.engine.remote.operations import PAGE_LIMIT
    from mnemic.serve.http.limits import Limits

    limits = Limits()
    assert f"at most {PAGE_LIMIT:,}" in PAGE
    assert f"{limits.body >> 20} MiB" in PAGE
    assert f"one token has {limits.each} requests" in PAGE


def test_every_operation_has_a_tag_and_a_description() -> None:
    paths = openapi(OPERATIONS)["paths"].values()
    found = [one for path in paths for one in path.values() if isinstance(one, dict)]
    assert [one["operationId"] for one in found if not (one["tags"] and one["summary"])] == []
