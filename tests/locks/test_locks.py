"""The committed locks install on every target, and the check that says so notices when not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.locks.coverage import faults, unpinned
from tests.locks.lockfile import (
    FILE_LIST,
    LOCKS,
    Lock,
    PackageFile,
    Pin,
    parse_file_list,
    parse_pins,
    pin_lines,
    read_pyproject,
)
from tests.locks.proof import differences
from tests.locks.resolver import command, public_environment
from tests.locks.targets import TARGETS, Target

FILES = parse_file_list(FILE_LIST.read_text(encoding="utf-8"))
PINS = {lock.name: parse_pins(lock.path.read_text(encoding="utf-8")) for lock in LOCKS}
DEV = PINS["dev"]
by_name = pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: str(lock.name))


@by_name
def test_lock_holds_what_every_target_needs(lock: Lock) -> None:
    assert faults(PINS[lock.name], FILES, lock.requirements(read_pyproject())) == []


@pytest.mark.parametrize("lock", [lock for lock in LOCKS if lock.base], ids=lambda lock: lock.name)
def test_lock_shares_the_versions_of_its_base(lock: Lock) -> None:
    assert lock.base
    for target in TARGETS:
        base, extended = (
            {pin.name: pin.version for pin in PINS[name] if target.applies(pin.marker)}
            for name in (lock.base, lock.name)
        )
        shared = base.keys() & extended.keys()
        assert shared
        assert {name: base[name] for name in shared} == {name: extended[name] for name in shared}


def test_list_names_only_files_of_the_locks() -> None:
    assert unpinned([pin for pins in PINS.values() for pin in pins], FILES) == []


def test_locks_and_list_name_no_index() -> None:
    for path in (*(lock.path for lock in LOCKS), FILE_LIST):
        text = path.read_text(encoding="utf-8")
        assert "://" not in text
        assert "--index" not in text
        assert "--find-links" not in text


def test_targets_are_three_platforms_and_four_pythons() -> None:
    names = {target.name for target in TARGETS}
    assert len(names) == 12
    assert {"Linux aarch64, Python 3.14", "macOS arm64, Python 3.11"} < names


def fits(file: PackageFile, *targets: Target) -> bool:
    return any(target.accepts(file.tags) for target in targets)


def without(drop: Callable[[PackageFile], bool], package: str = "numpy") -> list[Pin]:
    """The dev lock after the hashes of some files of a package were lost."""
    lost = {file.sha256 for file in FILES if file.name == package and drop(file)}
    assert lost
    return [replace(pin, hashes=pin.hashes - lost) if pin.name == package else pin for pin in DEV]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: str(target.name))
def test_lost_files_of_one_target_are_noticed(target: Target) -> None:
    found = faults(without(lambda file: fits(file, target)), FILES, [])
    assert any(target.name in fault and "numpy" in fault for fault in found)
    # numpy has a wheel of its own for each target: no other one is concerned.
    others = {other.name for other in TARGETS} - {target.name}
    assert not any(name in fault for name in others for fault in found)


def test_lock_made_where_a_local_index_held_one_platform_is_refused() -> None:
    (here,) = (t for t in TARGETS if t.name == "Linux x86_64, Python 3.11")
    held = {file.sha256 for file in FILES if fits(file, here)}
    found = faults([replace(pin, hashes=pin.hashes & held) for pin in DEV], FILES, [])
    refused = [fault for fault in found if "no wheel whose hash is locked" in fault]
    assert len(refused) > 30
    assert not any(here.name in fault for fault in refused)


def test_list_from_such_an_index_is_refused_too() -> None:
    (here,) = (t for t in TARGETS if t.name == "Linux x86_64, Python 3.11")
    held = [file for file in FILES if fits(file, here)]
    shadowed = {file.sha256 for file in held}
    found = faults([replace(pin, hashes=pin.hashes & shadowed) for pin in DEV], held, [])
    assert any("macOS arm64, Python 3.13" in fault and "numpy" in fault for fault in found)


def test_source_archive_stands_in_for_no_wheel() -> None:
    found = faults(without(lambda file: file.filename.endswith(".whl"), "pyyaml"), FILES, [])
    assert any("pyyaml" in fault and "every target" in fault for fault in found)


def test_lost_file_is_noticed_even_where_another_one_serves() -> None:
    found = faults(without(lambda file: file.filename.endswith(".tar.gz"), "pyyaml"), FILES, [])
    assert [
        fault for fault in found if "pyyaml-" in fault and "its hash is not in" in fault
    ] == found
    assert len(found) == 1


def test_lock_and_list_of_different_versions_are_noticed() -> None:
    moved = [replace(pin, version=Version("1!0")) if pin.name == "click" else pin for pin in DEV]
    assert any(
        "click 1!0" in fault and "every target" in fault for fault in faults(moved, FILES, [])
    )
    assert any("click-" in fault for fault in unpinned(moved, FILES))


def test_package_pinned_twice_for_one_target_is_noticed() -> None:
    assert faults([*DEV, *(pin for pin in DEV if pin.name == "numpy")], FILES, []) == [
        "numpy is pinned twice: every target"
    ]


@pytest.mark.parametrize("wanted", ["click>=999", "never-heard-of"])
def test_requirement_that_the_lock_does_not_meet_is_noticed(wanted: str) -> None:
    (fault,) = faults(DEV, FILES, [Requirement(wanted)])
    assert wanted in fault
    assert faults(DEV, FILES, [Requirement(f"{wanted} ; sys_platform == 'win32'")]) == []


def test_resolution_that_differs_from_the_lock_is_noticed() -> None:
    target = TARGETS[-1]
    installed = [pin for pin in DEV if target.applies(pin.marker)]
    offered = [file for file in FILES if fits(file, target)]
    needed = [f for f in offered if (f.name, f.version) in {(p.name, p.version) for p in installed}]
    assert list(differences(installed, needed)) == []
    for drop, fault in (
        ([pin for pin in installed if pin.name != "click"], "is needed, but not locked"),
        ([replace(pin, hashes=frozenset()) for pin in installed], "the lock has no hash of"),
    ):
        assert any(fault in found for found in differences(drop, needed))
    fewer = [file for file in needed if file.name != "click"]
    (found,) = differences(installed, fewer)
    assert "click" in found


def test_old_locks_give_their_versions_and_no_hash() -> None:
    lines = pin_lines(DEV)
    assert "--hash" not in lines
    assert [(p.name, p.version) for p in parse_pins(lines)] == [(p.name, p.version) for p in DEV]
    assert not any(pin.hashes for pin in parse_pins(lines))


def test_resolver_sees_no_index_of_the_machine() -> None:
    kept = public_environment(
        {
            "PIP_INDEX_URL": "file:///local",
            "PIP_FIND_LINKS": "/wheels",
            "UV_DEFAULT_INDEX": "file:///local",
            "UV_CONFIG_FILE": "uv.toml",
            "uv_index": "file:///local",
            "SSL_CERT_FILE": "ca.pem",
            "HOME": "/home/x",
        }
    )
    assert set(kept) == {"HOME", "SSL_CERT_FILE", "MACOSX_DEPLOYMENT_TARGET"}
    assert "--no-config" in command(["pip", "compile"])
