"""The examples for hosts run as they stand, against a model on loopback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mnemic
from tests.integrations.server import model, prompt
from tests.providers.scripted import Scripted

PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
SESSIONS = [f"chat-{number}" for number in range(1, 6)]
FEW = 5  # lines that a person adds to their own program


def added(code: str) -> list[str]:
    """The lines of an example that would not be there without memory."""
    lines = [line for line in code.splitlines() if line.strip()]
    ours = {"mnemic"}
    for line in lines:
        if line.startswith("from mnemic"):
            ours.update(line.partition(" import ")[2].replace(",", " ").split())
    imported = set(ours)
    for line in lines:
        name, _, value = line.partition(" = ")
        if value and imported.intersection(re.findall(r"\w+", value)):
            ours.add(name.strip())
    return [line for line in lines if ours.intersection(re.findall(r"\w+", line))]


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_adapter_takes_five_lines(code: str) -> None:
    assert 2 < len(added(code)) <= FEW, added(code)


@pytest.mark.parametrize(
    ("code", "session"), list(zip(EXAMPLES[:5], SESSIONS, strict=True)), ids=SESSIONS
)
def test_an_example_runs(code: str, session: str, server: Scripted, tmp_path: Path) -> None:
    with mnemic.open(tmp_path / "me.db", worker="none") as mind:
        mind.record(session="before", role="user", text="I have moved to Python 3.12 now")
    model(server, "Python 3.12.")
    # In a process of its own: some hosts leave their event loop open.
    has_a_model = {
        f"{maker}_{name}": value
        for maker in ("OPENAI", "ANTHROPIC")
        for name, value in (("BASE_URL", server.url), ("API_KEY", "test"))
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, **has_a_model},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert ("Python 3.12." in done.stdout) == ("print(" in code)
    assert "I have moved to Python 3.12 now" in prompt(server.asked[0])
    with mnemic.open(tmp_path / "me.db", worker="none") as mind:
        assert [turn.role for turn in mind.turns(session=session)] == ["user", "assistant"]
        assert mind.events(type="host_fail") == []


def test_an_adapter_without_its_library_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import importlib.util

    from mnemic import integrations

    monkeypatch.delitem(vars(integrations), "GraphStore", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(mnemic.MissingExtra, match=r"mnemic\[langgraph\]"):
        integrations.GraphStore  # noqa: B018
    with pytest.raises(AttributeError, match="NoSuchHost"):
        integrations.NoSuchHost  # noqa: B018


def test_the_package_brings_in_no_host() -> None:
    script = (
        "import sys, mnemic.integrations as i; i.wrap; "
        "print([n for n in ('openai', 'anthropic', 'agents', 'langgraph', 'pydantic_ai',"
        " 'langchain_core') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
