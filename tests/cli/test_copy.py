"""mnemic copy: a memory into another database or under another name, whole and verified."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import mnemic
from mnemic.moving.copy import copy_space
from tests.cli.conftest import Shell
from tests.moving.stored import everything

pytestmark = pytest.mark.feature("O4")
FIXTURES = Path(__file__).parents[1] / "fixtures"


def test_a_copy_is_whole_verified_and_leaves_the_source_alone(told: Shell, tmp_path: Path) -> None:
    target = tmp_path / "folder" / "copy.db"
    before = told.db.read_bytes()
    shown = told("copy", str(told.db), str(target)).stdout
    assert shown.splitlines()[-1].endswith("rows of 'default' copied and verified")
    assert told.db.read_bytes() == before
    assert everything(target) == everything(told.db)
    again = told.json("copy", str(told.db), str(target))
    assert again["verified"] is True
    assert sum(table["added"] for table in again["tables"]) == 0
    assert sum(table["known"] for table in again["tables"]) == again["rows"]
    assert told.json("recall", "Lisbon", "--db", str(target)) == told.json("recall", "Lisbon")


def test_a_copy_goes_under_another_name_also_in_the_same_database(told: Shell) -> None:
    copied = told.json("copy", str(told.db), str(told.db), "--to-space", "second")
    assert (copied["space"], copied["to_space"], copied["verified"]) == ("default", "second", True)
    ours, theirs = told.json("turns"), told.json("turns", "--space", "second")
    assert theirs == ours
    assert told.json("copy", str(told.db), str(told.db), "--to-space", "second")["verified"]
    back = told.json("copy", str(told.db), "third.db", "--space", "second")
    assert (back["to_space"], back["verified"]) == ("second", True)


def test_what_differs_is_named_and_the_command_fails(told: Shell, tmp_path: Path) -> None:
    target = str(tmp_path / "copy.db")
    with mnemic.open(target, worker="none") as mind:
        mind.record(session="trip", role="user", text="something else was said here")
    result = told("copy", str(told.db), target, code=1)
    assert "sessions: another row of sessions has its key 'trip'" in result.stderr
    assert "is not the same in both databases: sessions, turns" in result.stdout
    with mnemic.open(target, worker="none") as mind:
        assert mind.turns(session="trip")[0].text == "something else was said here"
    report = told.json("copy", str(told.db), target, code=1)
    assert report["verified"] is False
    assert {one["table"] for one in report["conflicts"]} >= {"sessions", "turns"}


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("nothing.db", "b.db"), 1, "There is no memory at"),
        (("memory.db", "memory.db"), 2, "are the same database"),
        (("memory.db", "b.db", "--space", "nobody"), 1, "There is no space 'nobody' in it"),
    ],
)
def test_a_copy_that_makes_no_sense_is_refused(
    told: Shell, args: tuple[str, ...], code: int, said: str
) -> None:
    assert said in told("copy", *args, code=code).stderr
    assert not Path("nothing.db").exists()
    assert not Path("b.db").exists()


def test_an_older_schema_is_refused_and_left_as_it_is(shell: Shell, tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    shutil.copy(FIXTURES / "schema-0005.db", old)
    before = old.read_bytes()
    assert "has schema 5" in shell("copy", str(old), str(tmp_path / "new.db"), code=1).stderr
    assert old.read_bytes() == before


def test_what_is_written_during_a_copy_is_not_in_it(told: Shell, tmp_path: Path) -> None:
    """The source is one snapshot, also for the comparison at the end."""
    target = tmp_path / "copy.db"
    phases: list[tuple[str, int, int]] = []
    with mnemic.open(told.db, worker="none") as mind:
        before = mind.stats().turns

        def write(phase: str, done: int, total: int) -> None:
            phases.append((phase, done, total))
            mind.record(session="trip", role="user", text=f"{phase} {done}")

        report = copy_space(told.db, target, progress=write)
    assert report.verified
    for phase in ("Copying", "Verifying"):
        assert max(done for one, done, _ in phases if one == phase) == report.rows
    with mnemic.open(target, worker="none") as copied:
        assert copied.stats().turns == before
    repeated = copy_space(told.db, target)
    assert "sessions" in {conflict.table for conflict in repeated.conflicts}
