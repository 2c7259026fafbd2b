"""The short version of every scenario; `make torture` runs them in full."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import pytest

from tests.torture import (
    backups,
    bad_days,
    broken_file,
    disk_full,
    forked_child,
    hostile_queries,
    killed_learner,
    killed_loader,
    killed_mover,
    killed_server,
    killed_sync,
    killed_upkeep,
    killed_workers,
    killed_writer,
    long_year,
    many_spaces,
    many_writers,
    power_cut,
    stopped_server,
)
from tests.torture.__main__ import ONLY_IN_FILES, ONLY_ON_A_SERVER, SCENARIOS, stores_of
from tests.torture.homes import STORES

pytestmark = [
    pytest.mark.torture,
    pytest.mark.skipif(sys.platform == "win32", reason="needs fork and signals"),
]


@pytest.mark.feature("L1", "L2")
def test_a_killed_writer_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    report = killed_writer.run(tmp_path, cycles=6, integrity_every=3)
    assert report.ok, report
    assert report.calls > 0, "every child was killed before it had written anything"


@pytest.mark.feature("L1", "L2")
def test_a_killed_load_leaves_whole_batches_and_can_be_repeated(tmp_path: Path) -> None:
    report = killed_loader.run(tmp_path, kills=2)
    assert report.ok, report
    assert report.unfinished > 0, "no load was killed in the middle"


@pytest.mark.feature("O4")
def test_a_killed_export_import_or_copy_is_repeated_and_whole(tmp_path: Path) -> None:
    report = killed_mover.run(tmp_path, kills=2, turns=200)
    assert report.ok, report
    assert report.unfinished > 0, "nothing was killed in the middle"


def test_a_killed_merge_or_sync_is_repeated_and_whole(tmp_path: Path) -> None:
    report = killed_sync.run(tmp_path, kills=6)
    assert report.ok, report
    assert report.unfinished > 0, "nothing was killed in the middle"


@pytest.mark.feature("L1", "O4")
def test_a_killed_server_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    report = killed_server.run(tmp_path, kills=1)
    assert report.ok, report
    assert report.acknowledged > 0


@pytest.mark.feature("X3", "N3")
def test_a_killed_learner_leaves_no_turn_behind_and_no_fact_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    report = killed_learner.run(tmp_path, cycles=4)
    assert report.ok, report
    assert report.asked > 0, "no model was ever asked"


@pytest.mark.feature("L1")
def test_many_writers_share_one_file(tmp_path: Path) -> None:
    report = many_writers.run(tmp_path, processes=6, turns=40, races=4)
    assert report.ok, report
    assert report.rows == 6 * 40


@pytest.mark.feature("O5")
def test_no_space_sees_a_row_of_another(tmp_path: Path) -> None:
    report = many_spaces.run(tmp_path, spaces=40, operations=500)
    assert report.ok, report


ON_A_SERVER: dict[str, dict[str, int]] = {
    "many_spaces": {"spaces": 20, "operations": 200},
    "killed_writer": {"cycles": 3},
    "many_writers": {"processes": 3, "turns": 12, "races": 1},
    "hostile_queries": {"queries": 200},
}


@pytest.mark.feature("O5")
def test_row_level_security_alone_keeps_spaces_apart(tmp_path: Path) -> None:
    report = many_spaces.run(
        tmp_path, spaces=10, operations=150, store="postgres", second_wall_only=True
    )
    assert report.ok, report


@pytest.mark.feature("O5")
@pytest.mark.parametrize("name", ON_A_SERVER)
def test_a_server_holds_as_a_file_does(tmp_path: Path, name: str) -> None:
    """The quick ones; `make torture` runs every other one on a server, too."""
    report = SCENARIOS[name].run(tmp_path, store="postgres", **ON_A_SERVER[name])
    assert report.ok, report


def test_a_scenario_runs_on_both_stores_or_says_why_not() -> None:
    assert {*ONLY_IN_FILES, *ONLY_ON_A_SERVER} <= {*SCENARIOS}
    for name, scenario in SCENARIOS.items():
        takes_store = "store" in inspect.signature(scenario.run).parameters
        assert takes_store or stores_of(name) != STORES, name


@pytest.mark.feature("L1", "L2")
def test_a_power_cut_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    report = power_cut.run(tmp_path, cuts=12, calls=40)
    assert report.ok, report


@pytest.mark.feature("L1", "O4")
def test_a_backup_under_load_has_all_that_was_acknowledged(tmp_path: Path) -> None:
    report = backups.run(tmp_path, backups=2, kills=3)
    assert report.ok, report
    assert report.acts > 0, "nothing was written before the backups"


@pytest.mark.parametrize("synchronous", ["NORMAL", "OFF"])
def test_a_power_cut_would_show_a_missing_sync(tmp_path: Path, synchronous: str) -> None:
    """The scenario itself can fail: without a sync at each commit, acknowledged turns are lost."""
    report = power_cut.run(tmp_path, cuts=10, calls=30, synchronous=synchronous)
    assert any("lost" in loss for loss in report.losses), report


@pytest.mark.feature("L1")
def test_a_full_disk_refuses_whole_calls_and_recovers(tmp_path: Path) -> None:
    report = disk_full.run(tmp_path, limits=12, openings=6)
    assert report.ok, report
    assert report.refusals > 6


def test_a_broken_file_is_refused_or_works_and_is_left_alone(tmp_path: Path) -> None:
    report = broken_file.run(tmp_path, corruptions=5, turns=20)
    assert report.ok, report
    assert report.refused > 0


@pytest.mark.feature("L2")
def test_no_search_string_is_an_error(tmp_path: Path) -> None:
    report = hostile_queries.run(tmp_path, queries=800)
    assert report.ok, report
    assert report.refused > 0


@pytest.mark.feature("L1")
def test_a_forked_child_and_its_parent_keep_their_turns(tmp_path: Path) -> None:
    report = forked_child.run(tmp_path, forks=2)
    assert report.ok, report


def test_bad_days_are_told_in_words_and_change_nothing(tmp_path: Path) -> None:
    report = bad_days.run(tmp_path, jumps=4)
    assert report.ok, report


@pytest.mark.feature("U1")
def test_a_killed_upkeep_ends_where_an_undisturbed_one_does(tmp_path: Path) -> None:
    report = killed_upkeep.run(tmp_path, kills=2)
    assert report.ok, report
    assert report.finished > 0


@pytest.mark.feature("M9", "U1", "U2", "U6")
def test_a_month_leaves_memory_small_and_true(tmp_path: Path) -> None:
    report = long_year.run(tmp_path, days=30, turns=12)
    assert report.ok, report
    assert report.turns == 30 * 12


@pytest.mark.feature("O5", "N3")
def test_jobs_of_killed_workers_are_done_once_in_effect(tmp_path: Path) -> None:
    report = killed_workers.run(tmp_path, jobs=200, workers=3, kills=3)
    assert report.ok, report
    assert report.runs >= report.jobs


@pytest.mark.feature("O5", "L1", "L2")
def test_a_server_that_stops_at_once_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    report = stopped_server.run(tmp_path, stops=2, writers=2)
    assert report.ok, report
    assert report.acknowledged > 0
