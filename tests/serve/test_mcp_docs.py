"""What docs/mcp.md tells people to paste is what the command takes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mnemic.cli.root import cli
from mnemic.tools import tool_names

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
SNIPPETS = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.S)]


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_a_snippet_starts_the_command(snippet: dict[str, Any]) -> None:
    (servers,) = snippet.values()
    server = servers["mnemic"]
    assert server["command"] == "mnemic"
    name, *options = server["args"]
    command = cli.get_command(cli.make_context("mnemic", ["mcp"]), name)
    assert command is not None
    command.make_context(name, list(options))


def test_there_is_one_for_each_host() -> None:
    assert len(SNIPPETS) == 4
    assert all(host in PAGE for host in ("Claude Desktop", "Cursor", "VS Code", "Claude Code"))


def test_every_tool_is_described() -> None:
    assert all(f"`{name}`" in PAGE for name in tool_names())
