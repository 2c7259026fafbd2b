"""What a reader has at hand that a page does not print: files of theirs, libraries of their own
program, and values in the place of names such as ID.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.moving.archives import chatgpt_zip
from tests.moving.sources import openakita_folder
from tests.release.environments import ROOT


@dataclass(frozen=True, slots=True)
class Reader:
    """Someone who follows a page."""

    files: Callable[[Path], object] = lambda home: None  # puts them into the home of the reader
    packages: tuple[str, ...] = ()
    before: str = ""  # what was done already, as shell
    values: Mapping[str, str] = field(default_factory=dict)  # of a name on the page: its command


def _client(home: Path) -> None:
    shutil.copy(ROOT / "clients" / "typescript" / "mnemic.js", home)
    (home / "package.json").write_text(json.dumps({"type": "module"}), encoding="utf-8")


_TALKED = "mnemic record --session chat-1 'I live at Acme Street 12, and I use uv now.'\n"
_LEARNED = f"{_TALKED}mnemic end chat-1\nmnemic worker --once\n"
_TOKEN = "mnemic token add reader --scope write --for alice --json | jq -r"

READERS: Mapping[str, Reader] = {
    "README": Reader(
        files=lambda home: chatgpt_zip(home / "chatgpt-export.zip"),
        before="export MNEMIC_DB=me.db",
        values={"ID": "mnemic memories --json | jq -r .[0].id"},
    ),
    "backup": Reader(before=_LEARNED),
    "chat": Reader(before='export MNEMIC_CHAT__BASE_URL="$MODEL_URL"'),
    "export": Reader(before=_LEARNED),
    "forgetting": Reader(before=_LEARNED),
    "importing": Reader(files=lambda home: openakita_folder(home / "openakita")),
    "inspector": Reader(packages=("mnemic[serve]",), before=_LEARNED),
    "integrations": Reader(
        packages=(
            "anthropic",
            "openai",
            "pydantic-ai-slim[openai]",
            "mnemic[langgraph,openai-agents,pydantic-ai]",
        ),
        before='export OPENAI_BASE_URL="$MODEL_URL" ANTHROPIC_BASE_URL="$MODEL_URL"\n'
        "export OPENAI_API_KEY=test ANTHROPIC_API_KEY=test",
    ),
    "moving": Reader(
        packages=("mnemic[postgres]",),
        before="for space in default ana; do\n"
        "  mnemic record --db old.db --space $space --session s 'I use uv'\n"
        "done\n",
        values={"postgresql://me@db.example/memories": 'echo "$POSTGRES_URL"'},
    ),
    "postgresql": Reader(
        before="mnemic record --db memory.db --session s 'I live in Porto'",
        values={"postgresql://me@db.example/memories": 'echo "$POSTGRES_URL"'},
    ),
    "serve": Reader(
        files=_client,
        packages=("mnemic[remote]",),
        values={"1f0c9a2e": f"{_TOKEN} .id", "TOKEN": f"{_TOKEN} .token"},
    ),
    "upgrading": Reader(before=_LEARNED),
    "upkeep": Reader(
        before="mnemic add 'the guest is here' --expires-at 2026-01-01",
        values={"OPERATION": "echo upkeep:daily:$(date +%F):expiry"},
    ),
}
