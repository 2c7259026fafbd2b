"""Help is quick to load, and the written reference is current."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mnemic.cli.phrases import Language
from mnemic.cli.root import COMMANDS, SECTIONS
from scripts.commands_page import markdown
from tests.cli.conftest import Shell

pytestmark = pytest.mark.feature("O4")

DOCS = Path(__file__).parents[2] / "docs"
HEAVY = ("apsw", "rich", "asyncio", "mnemic.engine.mind", "mnemic.settings", "mnemic.types")


def modules_after(*args: str) -> set[str]:
    """What is loaded when the command has run in a process of its own."""
    code = (
        "import sys\n"
        f"sys.argv = ['mnemic', *{args!r}]\n"
        "from mnemic.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('\\n', *sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("args", [("--help",), ("--version",), ()])
def test_help_loads_nothing_heavy(args: tuple[str, ...]) -> None:
    loaded = modules_after(*args)
    assert "click" in loaded
    assert loaded.isdisjoint({*HEAVY, "mnemic.cli.help_format"}), "nor anything Chinese"


def test_a_command_loads_no_other(shell: Shell) -> None:
    loaded = modules_after("recall", "--help")
    assert {name for name in loaded if name.startswith("mnemic.cli.")} >= {"mnemic.cli.recall"}
    assert loaded.isdisjoint({"mnemic.cli.conversations", "rich", "apsw"})


def test_the_root_lists_every_command(shell: Shell) -> None:
    shown = shell("--help").stdout
    assert all(f"  {name} " in shown for name in COMMANDS)
    assert all(f"{title}:" in shown for title in SECTIONS)
    assert shell().stdout == shown
    assert shell("--version").stdout == "mnemic 0.1.0\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_short_help_is_the_first_line_of_the_long_one(shell: Shell, name: str) -> None:
    shown = " ".join(shell(name, "--help").stdout.split())
    assert COMMANDS[name].rstrip(".") in shown


@pytest.mark.parametrize(("language", "page"), [("en", "commands.md"), ("zh", "commands.zh.md")])
def test_the_reference_is_current(language: Language, page: str) -> None:
    assert (DOCS / page).read_text(encoding="utf-8") == markdown(language), (
        f"run `python -m scripts.commands_page {language} --write docs/{page}`"
    )


def test_a_command_asked_by_itself_keeps_its_short_help() -> None:
    from click.testing import CliRunner

    from mnemic.cli.root import load_command

    mcp = load_command("mcp")
    assert "-h, --help" in CliRunner().invoke(mcp, ["--help"]).output
