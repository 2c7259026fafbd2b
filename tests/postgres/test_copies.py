"""A memory goes to a server and back, whole, whatever stops it on the way."""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.errors import MnemicError
from mnemic.moving.archive import export_jsonl
from mnemic.moving.backup import backup
from mnemic.moving.copy import Phase, copy_space
from tests.moving.stored import everything
from tests.moving.whole_memory import fill
from tests.postgres.server import new_database
from tests.torture.nursery import Nursery, Say

pytestmark = pytest.mark.feature("O5")


@pytest.fixture
def filled(tmp_path: Path, clock: ManualClock) -> Path:
    file = tmp_path / "one.db"
    with mnemic.open(file, worker="none", clock=clock) as mind:
        fill(mind, clock, rounds=2)
        mind.record(session="odd", role="user", text="a NUL \0, \ufffe and 𝄞")
        mind.drain()
    return file


def exported(target: str | Path, folder: Path, clock: ManualClock) -> list[bytes]:
    with mnemic.open(target, worker="none", clock=clock) as mind:
        export_jsonl(mind, folder / "archive.jsonl")
    # The first line has the time, and the number of the schema, of which each store has its own.
    return (folder / "archive.jsonl").read_bytes().splitlines()[1:]


def test_there_and_back_is_the_same_file(
    filled: Path, url: str, tmp_path: Path, clock: ManualClock
) -> None:
    back = tmp_path / "back.db"
    there = copy_space(filled, url)
    assert (there.verified, there.conflicts) == (True, ())
    assert copy_space(url, back).verified
    assert everything(back) == everything(filled)
    assert (
        exported(filled, tmp_path, clock)
        == exported(url, tmp_path, clock)
        == exported(back, tmp_path, clock)
    )
    again = copy_space(filled, url)
    assert sum(table.added for table in again.tables) == 0
    assert sum(table.known for table in again.tables) == again.rows


def test_a_copy_that_was_stopped_is_gone_on_with(filled: Path, url: str, tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    rng = random.Random(3)
    for _ in range(4):
        left = rng.randint(1, 12)

        def stop(phase: Phase, done: int, total: int) -> None:
            nonlocal left
            left -= 1
            if not left:
                raise Stopped

        with pytest.raises(Stopped):
            copy_space(filled, url, progress=stop)
    assert copy_space(filled, url).verified
    assert copy_space(url, tmp_path / "back.db").verified
    assert everything(tmp_path / "back.db") == everything(filled)


def copy_aloud(say: Say, source: str, url: str) -> None:
    """In a child."""
    steps = count(1)
    copy_space(source, url, progress=lambda phase, done, total: say(f"step {next(steps)}"))
    say("done")


def test_a_copy_that_was_killed_is_gone_on_with(filled: Path, url: str, tmp_path: Path) -> None:
    with Nursery() as nursery:
        for step in (2, 9):
            child = nursery.start(copy_aloud, str(filled), url)
            assert child.hear(f"step {step}", 60)
            child.kill()
            assert "done" not in child.end(10).lines
    assert copy_space(filled, url).verified
    assert copy_space(url, tmp_path / "back.db").verified
    assert everything(tmp_path / "back.db") == everything(filled)


def test_rows_that_do_not_fit_are_named_and_the_others_go_in(
    filled: Path, url: str, clock: ManualClock
) -> None:
    with mnemic.open(url, worker="none", clock=clock) as mind:
        mind.record(session="talk-0", role="user", text="something else was said here")
    report = copy_space(filled, url)
    assert not report.verified
    assert {one.table for one in report.conflicts} >= {"sessions", "turns"}
    with mnemic.open(url, worker="none", clock=clock) as mind:
        assert mind.turns(session="talk-0")[0].text == "something else was said here"
        assert mind.turns(session="odd")[0].text == "a NUL \0, \ufffe and 𝄞"


def test_a_backup_of_a_server_is_a_file_that_can_be_opened_and_brought_back(
    filled: Path, url: str, tmp_path: Path, clock: ManualClock
) -> None:
    copy_space(filled, url)
    copy_space(filled, url, to_space="second")
    file = tmp_path / "backup.db"
    with mnemic.open(url, worker="none", clock=clock) as mind:
        made = backup(mind, file)
        hits = {hit.id: hit.score for hit in mind.recall("Where do I live?")}
    assert made.counts["spaces"] == 2
    with mnemic.open(file, worker="none", clock=clock) as mind:
        again = {hit.id: hit.score for hit in mind.recall("Where do I live?")}
        assert list(again) == list(hits)
        assert again == pytest.approx(hits, abs=1e-6)
        assert all(finding.ok for finding in mind.doctor(deep=True))
    fresh = new_database("brought_back")
    assert copy_space(file, fresh).verified
    assert exported(fresh, tmp_path, clock) == exported(file, tmp_path, clock)


def test_no_password_stands_in_what_is_said_of_a_copy(filled: Path) -> None:
    address = "postgresql://someone:secret-word@127.0.0.1:1/none"
    with pytest.raises(MnemicError) as raised:
        copy_space(filled, address)
    assert "secret-word" not in str(raised.value)
    with pytest.raises(MnemicError) as raised:
        copy_space(address, address)
    assert "secret-word" not in str(raised.value)
