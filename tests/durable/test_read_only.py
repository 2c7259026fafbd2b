"""A database that cannot be written is still read: nothing raises, nothing is tried behind it.

Permissions do not bind the superuser, so where the tests run as one, the programs they start give
up that privilege.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic.clock import SystemClock
from tests.conftest import OpenMind

_DROP_CAPABILITY = 24  # of prctl
_OVERRIDE_PERMISSIONS = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
ANSWER = {"en": "my cat is called Dumpling", "zh": "我的猫叫饺子"}
SETTINGS: dict[str, Any] = {"embedding__provider": "none", "triggers__quiet_gap": "never"}
READS = """
import json, os, sys
path = sys.argv[1]
asked = dict(zip(sys.argv[2::2], sys.argv[3::2]))
import mnemic
from mnemic.errors import StoreReadOnly
before = sorted(os.listdir(os.path.dirname(path)))
with mnemic.open(path, embedding__provider="none", triggers__quiet_gap="never") as mind:
    found = {
        "hits": [mind.recall(query)[0].text for query in asked],
        "contexts": [answer in mind.context(query).text for query, answer in asked.items()],
        "memories": [memory.text for memory in mind.memories()],
        "history": len(mind.history(mind.memories()[0].id).versions),
        "turns": len(mind.turns()),
        "sessions": len(mind.sessions()),
        "doctor": [finding.detail for finding in mind.doctor() if not finding.ok],
        "metrics": mind.metrics().turns,
        "failure": [mind.stats().recall_failure, mind.stats().worker_failure],
        "read_only": mind.stats().read_only,
    }
    refused = {}
    for name, call in {
        "record": lambda: mind.record(session="s", role="user", text="x"),
        "remember": lambda: mind.remember("x", kind="fact"),
        "forget": lambda: mind.forget(query="cat"),
        "upkeep": mind.upkeep,
    }.items():
        try:
            call()
            refused[name] = "accepted"
        except StoreReadOnly as error:
            refused[name] = error.remedy
    found["refused"] = refused
found["left"] = sorted(os.listdir(os.path.dirname(path))) == before
print(json.dumps(found))
"""


def give_up_privilege() -> None:
    """In the child: what it runs is bound by permissions even as the superuser."""
    if os.getuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in _OVERRIDE_PERMISSIONS:
            libc.prctl(_DROP_CAPABILITY, capability, 0, 0, 0)


def as_reader(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a program that permissions bind."""
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=give_up_privilege,
    )


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Path]:
    """A folder that can be locked up."""
    folder = tmp_path / "memory"
    yield folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)


def fill(file: Path) -> None:
    with mnemic.open(file, worker="none", **SETTINGS) as mind:
        for text in ANSWER.values():
            mind.record(session="s", role="user", text=text)
            mind.remember(text, kind="fact")
        mind.end_session("s")
        mind.drain()


def lock_up(folder: Path, how: str) -> None:
    """Take away the right to write the folder, the file, or both."""
    for file in folder.iterdir():
        if file.is_file():
            file.chmod(0o444 if how != "folder" else 0o666)
    folder.chmod(0o777 if how == "file" else 0o555)


@pytest.mark.parametrize("how", ["folder", "file", "log", "log and memory"])
def test_everything_can_be_read_and_nothing_written(shelf: Path, how: str) -> None:
    file = shelf / "memory.db"
    fill(file)
    if how.startswith("log"):  # as a crash leaves it: what was recorded is only in the log
        leave_log(file, shared_memory=how == "log and memory")
    lock_up(shelf, "both" if how.startswith("log") else how)
    asked = ("what is my cat called", ANSWER["en"], "我的猫叫什么", ANSWER["zh"])
    done = as_reader("-c", READS, str(file), *asked)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert all(wanted in hit for hit, wanted in zip(found["hits"], ANSWER.values(), strict=True))
    assert found["contexts"] == [True, True]
    assert sorted(found["memories"]) == sorted(ANSWER.values())
    assert (found["history"], found["turns"], found["sessions"]) == (1, 2, 1)
    assert found["metrics"] == 2
    assert found["read_only"]
    assert found["doctor"] == []
    assert found["failure"] == ["", ""]
    assert set(found["refused"]) == {"record", "remember", "forget", "upkeep"}
    assert all("write permission" in remedy for remedy in found["refused"].values())
    assert found["left"], "nothing was created beside it"


def leave_log(file: Path, *, shared_memory: bool) -> None:
    """Copy the database while a writer has it open and nothing is in the file yet."""
    folder = file.parent
    for old in folder.iterdir():
        old.unlink() if old.is_file() else shutil.rmtree(old)
    mind = mnemic.open(file, worker="none", **SETTINGS)
    for text in ANSWER.values():
        mind.record(session="s", role="user", text=text)
        mind.remember(text, kind="fact")
    ends = ("", "-wal", "-shm") if shared_memory else ("", "-wal")
    kept = {end: Path(f"{file}{end}").read_bytes() for end in ends}
    mind.close()
    for old in [one for one in folder.iterdir() if one.is_file()]:
        old.unlink()
    for end, data in kept.items():
        Path(f"{file}{end}").write_bytes(data)


COMMANDS = """
import contextlib, io, json, sys
from mnemic.cli.root import cli
codes = {}
for command in json.loads(sys.argv[2]):
    shown, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(said):
        try:
            cli(["--db", sys.argv[1], *command])
        except SystemExit as error:
            codes[command[0]] = [error.code or 0, shown.getvalue(), said.getvalue()]
print(json.dumps(codes))
"""


def test_commands_that_read(shelf: Path) -> None:
    file = shelf / "memory.db"
    fill(file)
    lock_up(shelf, "both")
    read = ("recall cat", "memories", "turns", "stats", "sessions", "doctor", "context cat")
    commands = [*map(str.split, read), ["forget", "--query", "cat", "--yes"]]
    done = as_reader("-c", COMMANDS, str(file), json.dumps(commands))
    assert done.returncode == 0, done.stderr
    codes = json.loads(done.stdout)
    code, _, said = codes.pop("forget")
    assert code != 0
    assert "write permission" in said
    assert {command: code for command, (code, _, _) in codes.items()} == dict.fromkeys(codes, 0)
    assert all(shown.strip() for _, shown, _ in codes.values())
    assert "reading only" in codes["stats"][1]


def test_a_writer_that_comes_later_is_noticed(open_mind: OpenMind, shelf: Path) -> None:
    """A file that is read as immutable would otherwise be read as it was."""
    file = shelf / "memory.db"
    fill(file)
    lock_up(shelf, "both")
    script = """
import sys, mnemic
with mnemic.open(sys.argv[1], embedding__provider="none") as mind:
    print(len(mind.turns()), flush=True)
    sys.stdin.readline()
    print(len(mind.turns()), flush=True)
"""
    reader = subprocess.Popen(
        [sys.executable, "-c", script, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=give_up_privilege,  # noqa: PLW1509 - no thread of ours runs then
    )
    assert reader.stdin is not None
    assert reader.stdout is not None
    assert reader.stdout.readline() == "2\n"
    shelf.chmod(0o755)
    file.chmod(0o644)
    with open_mind(file, clock=SystemClock(), **SETTINGS) as mind:
        mind.record(session="s", role="user", text="one more")
    told, _ = reader.communicate("\n", timeout=20)
    assert told == "3\n"


def test_an_old_schema_that_cannot_be_raised_is_refused(shelf: Path) -> None:
    file = shelf / "memory.db"
    shelf.mkdir()
    shutil.copy(Path(__file__).parent.parent / "fixtures" / "schema-0001.db", file)
    lock_up(shelf, "both")
    done = as_reader("-m", "mnemic", "--db", str(file), "memories")
    assert done.returncode != 0
    assert "schema 1" in done.stderr
    assert "Traceback" not in done.stderr
