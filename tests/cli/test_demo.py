"""The demo plays through, leaves a database to try things on, and touches nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.cli.demo.steps import STEPS
from tests.cli.conftest import Shell

pytestmark = pytest.mark.feature("O4")


def test_the_demo_plays_through_and_leaves_its_database(shell: Shell, tmp_path: Path) -> None:
    shown = shell("demo").stdout
    assert all((step.__doc__ or "").strip() in shown for step in STEPS)
    assert "none lost" in shown
    assert not shell.db.exists()
    demo = ("--db", "recollect-demo.db")
    assert "3.12" in shell("recall", "我现在用哪个 Python 版本？", *demo).stdout
    assert shell.json("doctor", *demo)["ok"]
    assert not (tmp_path / "conversation_history").exists()


def test_the_demo_is_made_anew_and_told_as_json(shell: Shell) -> None:
    first = shell.json("demo")
    second = shell.json("demo")
    assert first["path"] == second["path"]
    for told in (first, second):
        facts = {act["step"]: act["facts"] for act in told["steps"]}
        assert facts["sudden_death"]["survived"] == facts["sudden_death"]["acknowledged"]
        assert facts["tool_traffic"]["attachments"] == ["reports/kyoto-budget.pdf"]
        assert facts["night"]["removed"] == ["demo-setup.jsonl"]
        assert facts["figures"]["memories"] == 1
        assert told["seconds"] < 20


def test_keep_writes_beside_an_earlier_demo(shell: Shell) -> None:
    assert Path(shell.json("demo", "--keep")["path"]).name == "recollect-demo.db"
    assert Path(shell.json("demo", "--keep")["path"]).name == "recollect-demo-2.db"


@pytest.mark.parametrize("content", [b"", b"dear diary " * 500])
def test_a_file_that_is_no_demo_is_left_alone(shell: Shell, content: bytes) -> None:
    shell.db.write_bytes(content)
    said = shell("demo", "--db", str(shell.db), code=1).stderr
    assert "is not a demo" in said
    assert shell.db.read_bytes() == content


def test_a_memory_of_ones_own_is_left_alone(told: Shell) -> None:
    before = told.json("stats")["turns"]
    told("demo", "--db", str(told.db), code=1)
    assert told.json("stats")["turns"] == before


def test_a_demo_with_own_conversations_in_it_is_left_alone(shell: Shell) -> None:
    shell("demo")
    shell("record", "-s", "mine", "do not lose this", "--db", "recollect-demo.db")
    shell("demo", code=1)
    assert shell.json("turns", "-s", "mine", "--db", "recollect-demo.db")
