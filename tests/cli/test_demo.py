"""The demo plays through, leaves a database to try things on, and touches nothing else."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from rich.cells import cell_len

from examples.demo import STEPS, demo
from mnemic.cli.phrases import phrase, speaking
from tests.cli.conftest import Shell
from tests.cli.terminal import on_a_terminal

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.feature("O4")


@pytest.fixture
def play(shell: Shell) -> Shell:
    """The demo, in the folder of the shell."""
    return Shell(shell.db, demo)


@pytest.fixture(scope="module")
def played_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder where the demo was played, and what it showed."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("LC_ALL", "C.UTF-8")
        return folder, Shell(folder / "memory.db", demo)().stdout


@pytest.fixture
def played(shell: Shell, tmp_path: Path, played_once: tuple[Path, str]) -> str:
    """The demo was played in the folder of the shell: what it showed."""
    folder, shown = played_once
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return shown


def test_the_demo_plays_through_and_leaves_its_database(
    shell: Shell, played: str, tmp_path: Path
) -> None:
    assert all((step.__doc__ or "").strip() in played for step in STEPS)
    assert "none lost" in played
    assert not shell.db.exists()
    there = ("--db", "mnemic-demo.db")
    assert "3.12" in shell("recall", "我现在用哪个 Python 版本？", *there).stdout
    assert shell.json("doctor", *there)["ok"]
    assert not (tmp_path / "conversation_history").exists()
    assert not (tmp_path / "daily_summaries").exists()
    assert {path.name for path in Path("mnemic-demo-files").iterdir()} == {
        "documents",
        "history",
        "reports",
    }


def test_what_the_demo_suggests_works(shell: Shell, played: str) -> None:
    suggested = [line.strip() for line in played.splitlines() if line.startswith("  mnemic ")]
    assert len(suggested) > 5
    for memory in shell.json("memories", "--db", "mnemic-demo.db"):
        told = shell("history", memory["id"], "--db", "mnemic-demo.db").stdout
        assert all(len(line.split()) > 4 for line in told.splitlines() if " v1 " in line), told
    for line in suggested:
        assert shell(*shlex.split(line)[1:]).stdout.strip(), line


def test_on_a_terminal_no_line_of_the_demo_is_too_wide(shell: Shell) -> None:
    shown = on_a_terminal(100, module="examples.demo", NO_COLOR="1", PYTHONPATH=str(ROOT))
    assert max(map(cell_len, shown.splitlines())) <= 100
    assert "\x1b[" not in shown


@pytest.mark.usefixtures("played")
def test_whatever_is_set_the_demo_is_made_anew_or_beside_an_earlier_one_and_told_as_json(
    play: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    anew = play.json()
    monkeypatch.setenv("MNEMIC_MODEL__PROVIDER", "openai")
    monkeypatch.setenv("MNEMIC_ROUTING__WRITE", "1.0")
    beside = play.json("--keep")
    assert Path(anew["path"]).name == "mnemic-demo.db"
    assert Path(beside["path"]).name == "mnemic-demo-2.db"
    for told in (anew, beside):
        facts = {act["step"]: act["facts"] for act in told["steps"]}
        assert facts["sudden_death"]["survived"] == facts["sudden_death"]["acknowledged"]
        assert facts["tool_traffic"]["attachments"] == ["reports/kyoto-budget.pdf"]
        assert facts["tool_traffic"]["actions"] == ["search_hotels", "write_pdf"]
        assert facts["poison_and_secret"] == {"obeyed": 0, "files_with_the_token": 0}
        assert facts["changed_mind"]["versions"] == ["3.10", "3.12"]
        assert facts["pending_questions"] == {"offered": 2, "kept": "tea", "ignored": "jazz"}
        assert facts["night"]["expired"] == ["我今天在上海出差"]
        assert 0 < facts["prompt"]["tokens"] <= facts["prompt"]["budget"]
        assert facts["night"]["removed"] == ["demo-setup.jsonl"]
        assert told["seconds"] < 60


@pytest.mark.parametrize("content", [b"", b"dear diary " * 500])
def test_a_file_that_is_no_demo_is_left_alone(play: Shell, shell: Shell, content: bytes) -> None:
    shell.db.write_bytes(content)
    said = play("--db", str(shell.db), code=1).stderr
    assert "is not a demo" in said
    assert shell.db.read_bytes() == content


def test_a_memory_of_ones_own_is_left_alone(play: Shell, told: Shell) -> None:
    before = told.json("stats")["turns"]
    play("--db", str(told.db), code=1)
    assert told.json("stats")["turns"] == before


@pytest.mark.usefixtures("played")
def test_a_demo_with_own_conversations_in_it_is_left_alone(play: Shell, shell: Shell) -> None:
    shell("record", "-s", "mine", "do not lose this", "--db", "mnemic-demo.db")
    play(code=1)
    assert shell.json("turns", "-s", "mine", "--db", "mnemic-demo.db")


def test_every_text_of_the_demo_has_its_chinese(
    play: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    shown = play().stdout
    with speaking(lambda: "zh"):
        titles = [(step.__doc__ or "").strip() for step in STEPS]
        assert all(phrase(title) in shown and phrase(title) != title for title in titles)
    assert "没有丢失" in shown
